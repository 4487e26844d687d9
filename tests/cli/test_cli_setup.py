"""`postal init` and `postal check`: from nothing to a config that works."""

import json
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from postal.bootstrap import imap_settings, smtp_settings
from postal.cli import app
from postal.clock import SystemClock
from postal.config import load_config
from postal.demo.servers import HOST, MailServers
from postal.errors import PostalError, UsageError
from postal.mail.imap import FOLDERS, Mailbox
from postal.resources import default_data_folder
from postal.service.desk.roundtrip import send_and_wait

GM = "gm@league.example"
ELSEWHERE = "elsewhere@example.org"
SECRET = "hunter2"


def postal(*arguments: object) -> Result:
    """Run the command; a PostalError is in the result's exception."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def servers() -> Iterator[MailServers]:
    """Give an IMAP and an SMTP server that know the GM."""
    with MailServers({GM: SECRET, ELSEWHERE: SECRET}, SystemClock().now) as servers:
        yield servers


@pytest.fixture
def folder(tmp_path: Path, servers: MailServers) -> Path:
    """Return a data folder whose config is right."""
    (tmp_path / "config.toml").write_text(
        f"""
        [gm]
        name = "Gemma"
        address = "{GM}"
        [imap]
        host = "{HOST}"
        port = {servers.imap_port}
        security = "plain"
        user = "{GM}"
        password = "{SECRET}"
        [smtp]
        host = "{HOST}"
        port = {servers.smtp_port}
        security = "plain"
        """,
        encoding="utf-8",
    )
    (tmp_path / "config.toml").chmod(0o600)
    return tmp_path


def change(folder: Path, old: object, new: object) -> None:
    """Change the config in one place."""
    file = folder / "config.toml"
    text = file.read_text(encoding="utf-8")
    assert str(old) in text
    file.write_text(text.replace(str(old), str(new), 1), encoding="utf-8")


def checked(folder: Path, *more: str) -> dict[str, tuple[bool, str]]:
    """Return what `postal check --json` found, by the name of the check."""
    result = postal("check", "--data", folder, "--json", *more)
    findings = json.loads(result.output)
    assert result.exit_code == (0 if all(finding["ok"] for finding in findings) else 1)
    assert all(finding["says"].endswith((".", "?")) for finding in findings)
    assert SECRET not in result.output
    return {finding["check"]: (finding["ok"], finding["says"]) for finding in findings}


def test_init_makes_a_folder_that_is_ready_to_fill_in(tmp_path: Path) -> None:
    """With folders for own games and templates, the config private, and the next steps said."""
    data = tmp_path / "my league"
    result = postal("init", "--data", data)
    assert result.exit_code == 0
    assert load_config(data).gm.address == "gm@example.org"
    assert (data / "config.toml").stat().st_mode & 0o777 == 0o600
    assert {path.name for path in data.iterdir()} == {"config.toml", "games", "templates"}
    assert f"postal check --send --data '{data}'" in result.output


def test_init_uses_the_folder_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """POSTAL_DATA, and then the next steps need no --data."""
    monkeypatch.setenv("POSTAL_DATA", str(tmp_path / "league"))
    result = postal("init")
    assert (tmp_path / "league" / "config.toml").is_file()
    assert "--data" not in result.output


def test_init_uses_the_users_data_folder_by_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the system keeps such things."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    result = postal("init")
    assert (default_data_folder() / "config.toml").is_file()
    assert tmp_path in default_data_folder().parents
    assert "--data" not in result.output


def test_init_never_overwrites(tmp_path: Path) -> None:
    """What was filled in stays."""
    (tmp_path / "config.toml").write_text("mine", encoding="utf-8")
    result = postal("init", "--data", tmp_path)
    assert isinstance(result.exception, UsageError)
    assert "nothing was changed" in str(result.exception)
    assert (tmp_path / "config.toml").read_text(encoding="utf-8") == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["config.toml"]


@pytest.mark.parametrize("where", ["file", "file/below"])
def test_init_where_no_folder_can_be(tmp_path: Path, where: str) -> None:
    """A file is in the way."""
    (tmp_path / "file").touch()
    result = postal("init", "--data", tmp_path / where)
    assert isinstance(result.exception, UsageError)
    assert "choose a folder with --data" in str(result.exception)


def test_check_of_what_works_is_all_ok(folder: Path) -> None:
    """A line each, and the folders and tables are there afterwards."""
    result = postal("check", "--data", folder)
    assert result.exit_code == 0, result.output
    lines = [line.split(maxsplit=2) for line in result.output.splitlines()]
    assert [line[1] for line in lines] == [
        "config",
        "answers",
        "imap",
        "folders",
        "smtp",
        "database",
        "templates",
    ]
    assert {line[0] for line in lines} == {"ok"}
    assert (folder / "postal.sqlite3").is_file()
    assert SECRET not in result.output


def test_check_without_a_config(tmp_path: Path) -> None:
    """Says how to make one."""
    found = checked(tmp_path)
    assert found.keys() == {"config"}
    assert "postal init" in found["config"][1]


def test_check_of_a_config_with_a_typo(folder: Path) -> None:
    """Says which key was meant, and tries nothing."""
    change(folder, "security", "securty")
    ok, says = checked(folder)["config"]
    assert not ok
    assert "imap.security" in says


def test_check_of_a_config_that_others_can_read(folder: Path) -> None:
    """It works, and the GM is told how to close it."""
    (folder / "config.toml").chmod(0o644)
    ok, says = checked(folder)["config"]
    assert ok
    assert "chmod 600" in says


def test_check_of_the_example_as_it_is(tmp_path: Path) -> None:
    """Every setting that was to be filled in is named, and no server of the example is tried."""
    postal("init", "--data", tmp_path)
    found = checked(tmp_path)
    assert found.keys() == {"config", "database", "templates"}
    ok, says = found["config"]
    assert not ok
    names = "gm.name, gm.address, imap.host, imap.user, imap.password, smtp.host"
    assert f"still has the example's {names}: fill in" in says


def test_check_of_one_thing_left_as_it_was(folder: Path) -> None:
    """The password, say."""
    change(folder, SECRET, "change me")
    ok, says = checked(folder)["config"]
    assert not ok
    assert "the example's imap.password: fill in" in says


def test_check_says_where_answers_go(folder: Path) -> None:
    """Whatever else it finds."""
    assert checked(folder)["answers"] == (
        True,
        f"Players' answers will go to {GM}, which is the mailbox.",
    )
    change(folder, "[smtp]", "[mail]\nplus_addressing = true\n[smtp]")
    ok, says = checked(folder)["answers"]
    assert ok
    assert GM.replace("@", "+check@") in says


def test_check_where_answers_would_go_astray(folder: Path) -> None:
    """It may be meant, so it is no failure, but the GM is told how to mend it."""
    change(folder, "[smtp]", '[smtp]\nfrom = "elsewhere@example.org"')
    ok, says = checked(folder)["answers"]
    assert ok
    assert "Players' answers will go to elsewhere@example.org: unless" in says
    assert f'from = "{GM}"' in says


def test_check_where_answers_would_go_to_the_gm_himself(folder: Path) -> None:
    """A login that is no address doesn't say whose mailbox it is: then ``from`` has to."""
    change(folder, f'user = "{GM}"', 'user = "games"')
    ok, says = checked(folder)["answers"]
    assert not ok
    assert f"go to {GM}, your own address, which need not be the mailbox of games: set from" in says
    change(folder, "[smtp]", '[smtp]\nfrom = "games@league.example"')
    assert checked(folder)["answers"][0]


@pytest.mark.parametrize("plus", [False, True])
def test_check_sends_itself_a_line(folder: Path, servers: MailServers, *, plus: bool) -> None:
    """It comes to the mailbox and is taken out again; nothing is sent unasked."""
    if plus:
        change(folder, "[smtp]", "[mail]\nplus_addressing = true\n[smtp]")
    before = servers.delivered
    assert "delivery" not in checked(folder)
    assert servers.delivered == before
    ok, says = checked(folder, "--send")["delivery"]
    assert ok
    address = GM.replace("@", "+check@") if plus else GM
    assert says == f"A mail to {address} came to the mailbox of {GM}."
    assert servers.delivered == before + 1
    assert checked(folder)["folders"][1].endswith("; 0 to read in INBOX.")


@pytest.mark.parametrize("place", FOLDERS)
def test_a_line_is_taken_out_wherever_it_lies(
    folder: Path, servers: MailServers, place: str
) -> None:
    """A daemon at work may have put it away by then."""
    servers.deliver(b"Subject: postal check abc\r\n\r\nHello", GM)
    with Mailbox(imap_settings(load_config(folder))) as mailbox:
        mailbox.ensure_folders()
        mailbox.move(mailbox.new_uids(), place)
        assert [mailbox.take_out(word) for word in ("abd", "abc", "abc")] == [False, True, False]


def test_a_line_that_does_not_come_is_waited_for_two_minutes(folder: Path) -> None:
    """Then it is said what to look at; a clock that is set meanwhile makes it no longer."""
    change(folder, "[smtp]", f'[smtp]\nfrom = "{ELSEWHERE}"')
    config = load_config(folder)
    clock = Waiting()
    with Mailbox(imap_settings(config)) as mailbox:
        mailbox.ensure_folders()
    with pytest.raises(PostalError, match="among the spam") as caught:
        send_and_wait(config, imap_settings(config), smtp_settings(config), clock, clock.wait)
    assert f"A mail to {ELSEWHERE} was sent, and didn't come to INBOX of {GM}" in str(caught.value)
    assert clock.passed == 120


def test_a_line_that_is_not_taken_is_told(folder: Path) -> None:
    """In the server's words."""
    change(folder, "[smtp]", '[smtp]\nfrom = "nobody@example.org"')
    ok, says = checked(folder, "--send")["delivery"]
    assert not ok
    assert says.startswith("A mail to nobody@example.org was not taken: ")
    assert "no such mailbox" in says


class Waiting:
    """A clock that goes back a day at each look, while waiting goes on."""

    def __init__(self) -> None:
        """Begin."""
        self.passed = 0.0

    def now(self) -> datetime:
        """Return a time."""
        return datetime(2026, 3, 2, tzinfo=UTC) - timedelta(days=self.passed)

    def steady(self) -> float:
        """Return how long was waited."""
        return self.passed

    def wait(self, seconds: float) -> None:
        """Wait."""
        self.passed += seconds


def test_check_with_a_wrong_password(folder: Path) -> None:
    """Both servers refuse it; the database is tried all the same."""
    change(folder, SECRET, "hunter3")
    found = checked(folder)
    assert "password" in found["imap"][1]
    assert [name for name, (ok, _) in found.items() if not ok] == ["imap", "smtp"]


def test_check_with_the_wrong_security(folder: Path) -> None:
    """Asks a question, with one mark at its end."""
    change(folder, 'security = "plain"', 'security = "tls"')
    ok, says = checked(folder)["imap"]
    assert not ok
    assert says.endswith("the right security for this port?")


def test_check_without_servers(folder: Path, servers: MailServers) -> None:
    """Nobody answers at those ports."""
    change(folder, servers.imap_port, 1)
    change(folder, servers.smtp_port, 2)
    found = checked(folder)
    assert f"{HOST}:1" in found["imap"][1]
    assert f"{HOST}:2" in found["smtp"][1]


def test_check_with_a_password_that_cannot_be_had(folder: Path) -> None:
    """The key that is at fault is named."""
    change(folder, f'password = "{SECRET}"', 'password_file = "none"')
    assert "imap.password_file" in checked(folder)["imap"][1]


def test_check_with_a_token_that_cannot_be_had(folder: Path) -> None:
    """The command that is at fault is named."""
    change(folder, f'password = "{SECRET}"', 'token_command = "false"')
    found = checked(folder)
    assert "imap.token_command" in found["imap"][1]
    assert "imap.token_command" in found["smtp"][1]


def test_check_with_a_damaged_database(folder: Path) -> None:
    """The mail is tried all the same."""
    (folder / "postal.sqlite3").write_bytes(b"no database " * 400)
    found = checked(folder)
    assert [name for name, (ok, _) in found.items() if not ok] == ["database"]


def test_check_with_templates_of_ones_own(folder: Path) -> None:
    """They are counted where they work; every mistake in them has a line."""
    own = folder / "templates"
    own.mkdir()
    (own / "hint.txt.j2").write_text("Hello from {{ frame.gm }}.", encoding="utf-8")
    ok, says = checked(folder)["templates"]
    assert ok
    assert says.startswith("1 template of your own")
    (own / "hint.txt.j2").write_text("{{ frame.gmm }}", encoding="utf-8")
    (own / "report.html.j2").write_text("one\n{% if %}", encoding="utf-8")
    result = postal("check", "--data", folder)
    assert result.exit_code == 1
    failed = [line for line in result.output.splitlines() if line.startswith("FAIL")]
    assert len(failed) == 2
    assert f"{own}/report.html.j2, line 2: " in failed[0]
    assert f"{own}/hint.txt.j2, line 1: " in failed[1]
    assert failed[1].endswith("{{ frame.gmm }}.")


def test_check_in_a_folder_that_vanished(folder: Path) -> None:
    """As good as none."""
    shutil.rmtree(folder)
    assert "postal init" in checked(folder)["config"][1]
