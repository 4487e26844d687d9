"""What goes wrong for a GM, met by the installed command with one sentence and nothing lost."""

import contextlib
import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.installed import Installed
from tests.acceptance.league import (
    MAILBOX,
    NAMES,
    SLUG,
    League,
    PostOffice,
    address_of,
    league,
    tells_of,
    write_config,
)
from tests.postgresql import missing
from tests.servers import Certificate, free_port

SIX = [f"--player={name} <{address_of(name)}>" for name in NAMES[:6]]
SECRET = "8c" * 32


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return a data folder whose config names servers that aren't there."""
    folder = tmp_path / "data"
    folder.mkdir()
    fill_in(folder)
    return folder


def fill_in(data: Path) -> None:
    """Write a config that names servers that aren't there."""
    office = PostOffice(
        {MAILBOX: "gone with the server"},
        free_port(),
        free_port(),
        Certificate.make(data),
    )
    write_config(data, office)


@pytest.fixture
def six(installed: Installed, tmp_path: Path) -> Iterator[League]:
    """Give a league of six."""
    with league(installed, tmp_path / "data", NAMES[:6]) as ready:
        yield ready


def test_help_is_quick_because_it_imports_little(installed: Installed) -> None:
    """Neither the database's nor the scheduler's packages."""
    code = (
        "import sys\nfrom postal.cli import main\nsys.argv = ['postal', '--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print('heavy:', {'sqlalchemy', 'sqlmodel', 'apscheduler'} & set(sys.modules))"
    )
    said = installed.ask(code)
    assert "Usage: postal" in said
    assert said.endswith("heavy: set()")


NO_GAMES = {
    "7": [*SIX, "--player=Guy <guy@example.org>"],
    "ann@example.org": [*SIX[:5], "--player=Fay <ANN@example.org>"],
    "next": [*SIX[:5], "--player=next <fay@example.org>"],
    "check_limits": [*SIX, "--option", "check_limits=4"],
    "start_money": [*SIX, "--option", "start_money=59999"],
}
"""What no game can be made of, under a word of what is said."""


def test_a_game_that_cannot_be_is_refused_whole(installed: Installed, data: Path) -> None:
    """In one sentence that names what is wrong, with nothing stored."""
    for says, arguments in NO_GAMES.items():
        done = installed.run("game", "new", "league-2", *arguments, "--data", str(data))
        assert done.code in (1, 2)
        assert says in done.one_sentence().casefold()
    assert installed.run("game", "list", "--json", "--data", str(data)).json() == []


def test_a_record_that_is_none_is_told(installed: Installed, data: Path) -> None:
    """As RECORD.md has it: one line, exit 2."""
    done = installed.run("replay", str(data / "config.toml"), "--data", str(data))
    assert done.code == 2
    assert "config.toml" in done.one_sentence()


def test_a_typo_in_the_config_is_named(installed: Installed, data: Path) -> None:
    """With the file and the key."""
    config = data / "config.toml"
    config.write_text(config.read_text("utf-8").replace("plus_addressing", "plus_adressing"))
    for command in ("poll", "run"):
        done = installed.run(command, "--data", str(data))
        assert done.code == 1
        assert str(config) in done.one_sentence()
        assert "plus_adressing" in done.one_sentence()


def test_no_server_is_told(installed: Installed, data: Path) -> None:
    """By a poll, by the check, and by the daemon, which goes on."""
    done = installed.run("poll", "--data", str(data))
    assert done.code == 1
    assert "No IMAP server answers" in done.one_sentence()
    check = installed.run("check", "--json", "--data", str(data))
    assert check.code == 1
    findings = {one["check"]: one for one in json.loads(check.out)}
    assert [name for name, one in findings.items() if not one["ok"]] == ["imap", "smtp"]
    with installed.start("run", "--poll-seconds", "1", "--data", str(data)) as daemon:
        daemon.wait_for("mailbox: No IMAP server answers")
        daemon.signal(signal.SIGTERM)
        assert daemon.end() == 0
    assert not any("Traceback" in line for line in daemon.log)


def test_a_second_daemon_refuses_the_same_data(installed: Installed, data: Path) -> None:
    """In one sentence, and the first goes on."""
    run = ("run", "--poll-seconds", "1", "--data", str(data))
    with installed.start(*run) as first:
        first.wait_for("running: ")
        second = installed.run(*run)
        assert second.code == 1
        assert "Another postal works" in second.one_sentence()
        assert first.process.poll() is None
        first.signal(signal.SIGTERM)
        assert first.end() == 0


@pytest.mark.dovecot
def test_a_wrong_password_is_told_and_never_shown(six: League) -> None:
    """By every command that logs in to the mailbox."""
    config = six.data / "config.toml"
    wrong = "wrong but secret"
    right = six.office.passwords[MAILBOX]
    config.write_text(config.read_text("utf-8").replace(right, wrong, 1))
    check = six.postal.run("check", "--json", "--data", str(six.data))
    assert check.code == 1
    findings = {one["check"]: one for one in json.loads(check.out)}
    assert [name for name, one in findings.items() if not one["ok"]] == ["imap"]
    poll = six.postal.run("poll", "--data", str(six.data))
    assert poll.code == 1
    assert "password" in poll.one_sentence()
    assert wrong not in check.out + check.err + poll.out + poll.err


@pytest.mark.dovecot
def test_sigterm_ends_the_daemon_once_its_round_is_done(six: League) -> None:
    """Stopped at the first of the welcomes, it sends the others of that round, then ends with 0."""
    six.new_game(SECRET)
    with six.daemon() as daemon:
        arrivals = six.office.arrivals
        arrivals.after = lambda: daemon.signal(signal.SIGTERM)
        assert daemon.end() == 0
    people = [one.recipient for one in arrivals.all() if tells_of(one.subject) == 0]
    assert people == [player.address for player in six.players]
    assert six.facts("outbox", "list") == []


@contextlib.contextmanager
def disk(folder: Path, size: str) -> Iterator[Path]:
    """Mount a small disk of its own."""
    if os.geteuid() != 0:
        missing("only root can mount a small disk")
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    if subprocess.run(mount, check=False, capture_output=True).returncode != 0:
        missing("this system lets nobody mount a small disk")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def test_a_read_only_disk_is_told(installed: Installed, tmp_path: Path) -> None:
    """By ``init``, and later by what would store something."""
    with disk(tmp_path / "disk", "4m") as small:
        data = small / "data"
        installed.run("init", "--data", str(data)).well()
        fill_in(data)
        installed.run("game", "list", "--data", str(data)).well()
        subprocess.run(["mount", "-o", "remount,ro", small], check=True)
        for command in (("game", "new", SLUG, *SIX), ("run",)):
            done = installed.run(*command, "--data", str(data))
            assert done.code == 1
            assert "read-only" in done.one_sentence() or "write" in done.one_sentence()
        done = installed.run("init", "--data", str(small / "other"))
        assert done.code in (1, 2)
        assert "read-only" in done.one_sentence().casefold()


@contextlib.contextmanager
def filled(folder: Path) -> Iterator[None]:
    """Fill a disk to the last byte, and make room again."""
    filler = folder / "filler"
    # Page by page, since a daemon may write at the same time.
    with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(4096))
    try:
        yield
    finally:
        filler.unlink()


@pytest.mark.dovecot
@pytest.mark.slow
def test_a_full_disk_loses_nothing(installed: Installed, tmp_path: Path) -> None:
    """Games, orders and turns are stored whole or not at all, and the work goes on later."""
    with (
        disk(tmp_path / "disk", "4m") as small,
        league(installed, small / "data", NAMES[:6]) as six,
    ):
        with filled(small):
            new = installed.run("game", "new", SLUG, *SIX, "--data", str(six.data))
            assert new.code == 1
            assert "full" in new.one_sentence()
        assert six.facts("game", "list") == []
        six.new_game(SECRET)
        six.command("poll")
        ann = six.players[0]
        ann.answer(six.report(ann, 0), ["cancel all"])
        with filled(small):
            done = installed.run("adjudicate", SLUG, "--data", str(six.data))
            assert done.code == 1
            assert "full" in done.one_sentence()
        six.command("adjudicate", SLUG, "--turn", "1")
        six.wait_for_reports(1)
        assert len([mail for mail in ann.mails() if "receipt" in str(mail["Subject"])]) == 1


@pytest.mark.dovecot
@pytest.mark.slow
def test_a_disk_that_fills_up_stops_no_daemon(installed: Installed, tmp_path: Path) -> None:
    """It says so once and goes on by itself when there is room, with the mail then in its hands."""
    with (
        disk(tmp_path / "disk", "4m") as small,
        league(installed, small / "data", NAMES[:6]) as six,
        contextlib.ExitStack() as full,
    ):
        six.new_game(SECRET)

        def fill() -> None:
            six.office.arrivals.after = lambda: None
            full.enter_context(filled(small))

        # Full from the first welcome's handing over, so that its success can't be noted.
        six.office.arrivals.after = fill
        with six.daemon() as daemon:
            daemon.wait_for("sending: The disk is full")
            full.close()
            six.wait_for_reports(0)
            daemon.wait_for("sending: working again")
            daemon.signal(signal.SIGTERM)
            assert daemon.end() == 0
        assert len([line for line in daemon.log if "sending: The disk is full" in line]) == 1
        assert six.facts("outbox", "list") == []
        for player in six.players:
            six.report(player, 0)
