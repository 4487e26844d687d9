"""How `postal run` begins: a signal that comes early, and a database that can't be had yet."""

import logging
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from postal import bootstrap, daemon
from postal.cli.starting import LONGEST_PAUSE, patiently
from postal.service.ticks import Rounds
from postal.store import database
from postal.store.problems import BUSY, StoreHindered, StoreUnavailable
from tests.cli.cli_league import make_folder, new_game, postal, refusal


def terminating(*_: object, **__: object) -> None:
    """Have SIGTERM come at this moment."""
    os.kill(os.getpid(), signal.SIGTERM)
    pytest.fail("the program went on")


@pytest.mark.parametrize(
    "where", [(bootstrap, "load_config"), (bootstrap, "open_database"), (Rounds, "begin")]
)
def test_sigterm_at_the_start_ends_cleanly(
    tmp_path: Path, where: tuple[object, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 0 and not a word, before the rounds begin as well as after."""
    make_folder(tmp_path)
    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(*where, terminating)
    result = postal(tmp_path, "run")
    assert (result.exit_code, result.output) == (0, "")
    assert signal.getsignal(signal.SIGTERM) == before


def test_sigterm_while_packages_are_loaded_ends_cleanly(tmp_path: Path) -> None:
    """By the process itself: the command imports most of what it needs."""
    make_folder(tmp_path)
    code = (
        "import os, signal, sys\n"
        "from postal.cli import main\n"
        "class Early:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'sqlalchemy':\n"
        "            os.kill(os.getpid(), signal.SIGTERM)\n"
        "sys.meta_path.insert(0, Early())\n"
        "main()\n"
    )
    run = [sys.executable, "-c", code, "run", "--data", str(tmp_path)]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def begun(monkeypatch: pytest.MonkeyPatch, free: Callable[[], object]) -> list[float]:
    """Let the daemon end as soon as it begins, and ``free`` what hinders it at its third wait."""
    waits: list[float] = []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 3:
            free()

    monkeypatch.setattr(
        "postal.cli.starting.threading.Event.wait", lambda _, seconds: wait(seconds)
    )
    monkeypatch.setattr(daemon, "run", lambda rounds, *_, **__: rounds.begin())
    return waits


def test_a_busy_database_is_tried_again_at_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """As later: told once, and the daemon begins when the other program is done."""
    make_folder(tmp_path)
    assert new_game(tmp_path).exit_code == 0
    monkeypatch.setattr(database, "BUSY_SECONDS", 0)
    holder = sqlite3.connect(tmp_path / "postal.sqlite3", isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    waits = begun(monkeypatch, lambda: holder.execute("ROLLBACK"))
    with caplog.at_level(logging.WARNING, "postal"):
        result = postal(tmp_path, "run")
    holder.close()
    assert result.exit_code == 0, result.output
    assert waits == [2, 4, 8]
    assert caplog.messages == [f"database: {BUSY} It is tried again."]


def test_the_pause_has_an_end() -> None:
    """A minute at most, as between two rounds."""
    waits: list[float] = []

    def begin() -> None:
        if len(waits) < 20:
            raise StoreHindered(BUSY)

    patiently(begin, waits.append)
    assert max(waits) == waits[-1] == LONGEST_PAUSE


def test_what_does_not_pass_ends_the_command(tmp_path: Path) -> None:
    """A damaged file is told at once."""
    make_folder(tmp_path)
    (tmp_path / "postal.sqlite3").write_bytes(b"no database " * 400)
    result = postal(tmp_path, "run")
    assert isinstance(result.exception, StoreUnavailable)
    assert refusal(result)[0] == 1
