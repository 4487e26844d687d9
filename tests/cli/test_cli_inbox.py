"""`postal inbox`: the GM lists, shows, reparses and releases mail from the command line."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from postal.bootstrap import open_office
from postal.cli import app
from postal.clock import SystemClock
from postal.errors import PostalError, UsageError
from postal.store.rows import MailRow, MailStatus

CONFIG = """
[gm]
name = "Gemma"
address = "gm@example.org"
[imap]
host = "127.0.0.1"
user = "gm@example.org"
password = "hunter2"
[smtp]
host = "127.0.0.1"
"""
CARDS = "A: give 2C 5D next, 9H previous"
NAME = "=?utf-8?b?4pmgQSDigJxqb2vigJ0=?="  # ♠A “jok”
TWICE = "=?utf-8?b?PT91dGYtOD9xP2gxMD89?="  # itself an encoded word: h10
RAW = (
    f"From: {NAME} <ann@example.org>\r\nTo: gm+abcdefgh234567zz@example.org\r\n"
    f"Reply-To: {TWICE} <h10.qs@example.org>\r\nMessage-ID: <ah.10d@example.org>\r\n"
    f"Subject: [postal abcdefgh234567zz] {CARDS} h10 ASAD =?utf-8?q?10=C2=A0H?= {TWICE}\r\n"
    f"\r\n{CARDS}\r\n"
).encode()


def postal(*arguments: object) -> Result:
    """Run the command; a PostalError is in the result's exception."""
    return CliRunner().invoke(app, ["inbox", *(str(argument) for argument in arguments)])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a data folder with mail 1, which is in quarantine."""
    (tmp_path / "config.toml").write_text(CONFIG, encoding="utf-8")
    (tmp_path / "config.toml").chmod(0o600)
    with open_office(tmp_path) as office, office.work.database.transaction() as session:
        now = SystemClock().now()
        mail = MailRow(
            account=office.work.account,
            folder="INBOX",
            uidvalidity=1,
            uid=1,
            size=len(RAW),
            internal_date=now,
            received_at=now,
            raw=RAW,
            status=MailStatus.QUARANTINED,
            reason="failed 3 times: ValueError",
            target="Quarantine",
        )
        session.add(mail)
    return tmp_path


@pytest.mark.parametrize("command", ["list", "show", "reparse", "release"])
def test_each_has_help(command: str) -> None:
    """With its usage."""
    result = postal(command, "--help")
    assert result.exit_code == 0
    assert f"inbox {command}" in result.output


@pytest.mark.parametrize("shape", [[], ["--json"]])
@pytest.mark.parametrize("reveal", [[], ["--reveal"]])
def test_a_list_and_a_mail_hold_no_token_and_unasked_no_card(
    folder: Path, shape: list[str], reveal: list[str]
) -> None:
    """As a table and as JSON."""
    for arguments in (["list"], ["show", "1"]):
        output = postal(*arguments, "--data", folder, *shape, *reveal).output
        assert "ann@exam" in output
        assert "abcdefgh" not in output
        assert "5D" not in output or reveal
        if not reveal:
            found = re.findall(r"h10|asad|♠|jok|10.h|qs|10d|4pmg|aDEw|\?q\?", output, re.IGNORECASE)
            assert found == []
            assert "Subject" not in output or "(card)" in output
    shown = postal("show", 1, "--data", folder, *reveal).output
    assert (CARDS in shown) == bool(reveal)
    assert ("From: ♠A “jok” <ann@example.org>" in shown) == bool(reveal)
    assert ("From: (card) “(card)” <ann@example.org>" in shown) != bool(reveal)


def test_the_list_is_machine_readable(folder: Path) -> None:
    """And an unknown status is told."""
    (row,) = json.loads(postal("list", "--data", folder, "--json").output)
    assert list(row) == ["id", "arrived", "from", "subject", "size", "status", "reason"]
    assert (row["id"], row["size"], row["status"]) == (1, len(RAW), "quarantined")
    assert postal("list", "--data", folder, "--status", "new").output == "No mail needs you.\n"
    assert isinstance(postal("list", "--data", folder, "--status", "x").exception, UsageError)


def test_reparse_says_what_became_of_it(folder: Path) -> None:
    """Here: its token is nobody's."""
    said = postal("reparse", 1, "--data", folder).output
    assert said.startswith("Mail 1: rejected, no token, and nobody we know. ")
    assert isinstance(postal("release", 1, "--data", folder).exception, PostalError)


def test_release_handles_or_marks_as_done(folder: Path) -> None:
    """As the GM chooses."""
    assert "Mail 1: rejected" in postal("release", 1, "--data", folder).output
    said = postal("release", 1, "--as-done", "--data", folder).output
    assert said.startswith("Mail 1 is marked as dealt with.")
    assert postal("list", "--data", folder).output == "No mail needs you.\n"
