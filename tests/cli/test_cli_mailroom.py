"""`postal poll`, `postal run` and `postal outbox` over mail servers in memory."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from postal.bootstrap import open_office
from postal.clock import SystemClock
from postal.demo.servers import MailServers
from postal.store.lock import only_one
from postal.store.rows import OutboxRow, OutboxState
from tests.cli.cli_league import GM, PASSWORD, SIX, make_folder, new_game, postal, refusal


@pytest.fixture
def servers() -> Iterator[MailServers]:
    """Give an IMAP and an SMTP server that know the GM and the players."""
    people = {f"{name.lower()}@example.org": PASSWORD for name in SIX}
    with MailServers({GM: PASSWORD, **people}, SystemClock().now) as servers:
        yield servers


@pytest.fixture
def folder(tmp_path: Path, servers: MailServers) -> Path:
    """Return a data folder with a game."""
    make_folder(tmp_path, servers)
    assert new_game(tmp_path).exit_code == 0
    return tmp_path


def waiting(folder: Path) -> list[dict[str, object]]:
    """Return the mails that are not sent."""
    found = json.loads(postal(folder, "outbox", "list", "--json").stdout)
    assert isinstance(found, list)
    return found


def test_poll_sends_the_outbox(folder: Path) -> None:
    """And the lists say so."""
    assert len(waiting(folder)) == 7
    assert "welcome" in postal(folder, "outbox", "list").output
    result = postal(folder, "poll")
    assert result.exit_code == 0, result.output
    assert result.output == "0 mails handled; 7 sent, 0 to be tried again, 0 failed.\n"
    assert waiting(folder) == []
    assert postal(folder, "outbox", "list").output == "There is nothing to be sent.\n"
    sent = json.loads(postal(folder, "outbox", "list", "--state", "sent", "--json").stdout)
    assert len(sent) == 7


def test_a_list_in_a_pipe_cuts_nothing(folder: Path) -> None:
    """A row is one line there, whatever its length, with addresses and subjects whole."""
    lines = postal(folder, "outbox", "list").output.splitlines()
    assert len(lines) == 8
    for line, name in zip(lines[1:], SIX, strict=False):
        assert f" {name.lower()}@example.org " in line
        assert "smith-1: welcome, orders due" in line
    assert "…" not in "".join(lines)


def test_a_list_on_a_narrow_terminal_cuts_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What has no room goes on in the next line."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "50")
    shown = postal(folder, "outbox", "list").output
    assert len(shown.splitlines()) > 8
    assert "…" not in shown


def test_poll_takes_up_what_a_killed_poll_was_sending(folder: Path) -> None:
    """Unless a daemon is at work, whose mail it may be."""
    with open_office(folder) as office, office.work.database.transaction() as session:
        row = session.get(OutboxRow, 1)
        assert row is not None
        row.state, row.owner = OutboxState.SENDING, "a killed poll"
        row.lease_until = office.work.clock.now() + timedelta(minutes=5)
        url = office.config.database_url
    with only_one(url, folder):
        assert "6 sent" in postal(folder, "poll").output
    assert "1 sent" in postal(folder, "poll").output


def test_retry_queues_what_failed(folder: Path) -> None:
    """Without numbers all that isn't sent, saying which can't go."""
    assert postal(folder, "outbox", "retry").output == "7 mails are queued again.\n"
    with open_office(folder) as office, office.work.database.transaction() as session:
        for number, state in ((1, OutboxState.FAILED), (2, OutboxState.SENT)):
            session.get_one(OutboxRow, number).state = state
        session.get_one(OutboxRow, 3).raw = None
    assert postal(folder, "outbox", "retry").output == (
        "5 mails are queued again.\nMail 3 can't be sent again: its text is no longer kept.\n"
    )
    assert postal(folder, "outbox", "retry", "1").output == "1 mail is queued again.\n"
    code, sentence = refusal(postal(folder, "outbox", "retry", "99"))
    assert (code, "Mail 99" in sentence) == (1, True)
    code, sentence = refusal(postal(folder, "outbox", "list", "--state", "lost"))
    assert (code, "queued" in sentence) == (2, True)


def test_poll_tries_at_once_and_says_why_mail_waits(folder: Path, servers: MailServers) -> None:
    """Though the last try was just now; the list says because of whom each waits."""
    config = (folder / "config.toml").read_text("utf-8")
    broken = config.replace(f"port = {servers.smtp_port}", "port = 9")
    (folder / "config.toml").write_text(broken, "utf-8")
    for _ in range(2):
        said = postal(folder, "poll").output
        assert "0 sent, 1 to be tried again, 0 failed" in said
        assert "All other mail waits: No SMTP server answers at 127.0.0.1:9" in said
    assert {one["because_of"] for one in waiting(folder)} == {"our server or account"}
    (folder / "config.toml").write_text(config, "utf-8")
    assert "7 sent" in postal(folder, "poll").output


def test_without_servers_poll_says_which(tmp_path: Path) -> None:
    """One sentence, exit code 1."""
    make_folder(tmp_path)
    code, sentence = refusal(postal(tmp_path, "poll"))
    assert (code, "IMAP" in sentence, PASSWORD in sentence) == (1, True, False)


def test_a_second_daemon_refuses_to_start(folder: Path) -> None:
    """On the same data."""
    with open_office(folder) as office:
        url = office.config.database_url
    with only_one(url, folder):
        code, sentence = refusal(postal(folder, "run"))
    assert (code, "already" in sentence) == (1, True)


def test_the_daemon_needs_a_second_between_rounds(folder: Path) -> None:
    """Nought is refused, not taken for the config's."""
    result = postal(folder, "run", "--poll-seconds", "0")
    assert result.exit_code == 2
    assert "--poll-seconds" in result.output


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_daemon_ends_cleanly(folder: Path, number: signal.Signals) -> None:
    """Having sent what there was, with one line an event; a second signal does no harm."""
    command = [sys.executable, "-c", "from postal.cli import main; main()", "run"]
    with subprocess.Popen(
        [*command, "--data", str(folder), "--poll-seconds", "1"],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "COLUMNS": "80"},
    ) as daemon:
        assert daemon.stderr is not None
        lines = []
        for line in daemon.stderr:
            lines.append(line)
            if len([one for one in lines if " sent 250" in one]) == 7:
                daemon.send_signal(number)
                daemon.send_signal(number)
                break
        lines += daemon.stderr.readlines()
    assert daemon.returncode == 0, lines
    assert f"stopping: {number.name}" in lines[-2]
    assert lines[-1].endswith("stopped\n")
    assert "Traceback" not in "".join(lines)
