"""Three `postal run` on one PostgreSQL database, and whichever has the mailbox is killed."""

import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from tests.acceptance.installed import Installed, Running
from tests.acceptance.league import NAMES, WAIT_SECONDS, League, league
from tests.acceptance.players import decide, text_of
from tests.acceptance.test_acceptance_kill import MOST_TURNS, SECRET, check_mail
from tests.postgresql import postgresql_cluster, postgresql_url

__all__ = ["postgresql_cluster", "postgresql_url"]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.dovecot,
    pytest.mark.postgresql,
    pytest.mark.timeout(600),
]

DAEMONS = 3
KILLS = 3
PROGRAM = Path(__file__).with_name("impatient.py")


class Staff:
    """Daemons on one league, one of which has the mailbox."""

    def __init__(self, game: League, stack: ExitStack) -> None:
        """Start them."""
        self._game, self._stack = game, stack
        self._changed = threading.Condition()
        self._in_charge: int | None = None
        self.running: dict[int, Running] = {}
        self.killed = 0
        for _ in range(DAEMONS):
            self._start()

    def _start(self) -> None:
        number = len(self.running) + self.killed
        arguments = ("run", "--poll-seconds", "1", "--data", str(self._game.data))
        self.running[number] = self._stack.enter_context(
            self._game.postal.start_with(PROGRAM, *arguments, heard=partial(self._hear, number))
        )

    def _hear(self, number: int, line: str) -> None:
        with self._changed:
            if "mailbox: this daemon has it" in line:
                self._in_charge = number
            elif "mailbox: left to another" in line and self._in_charge == number:
                self._in_charge = None
            self._changed.notify_all()

    def wait_for_one_in_charge(self) -> int:
        """Return the number of the one that has the mailbox, as soon as one has."""
        with self._changed:
            self._changed.wait_for(lambda: self._in_charge is not None, WAIT_SECONDS)
            assert self._in_charge is not None, "nobody took the mailbox over"
            return self._in_charge

    def kill_whoever_is_in_charge(self) -> None:
        """Kill it, start another for it, and return when the mailbox is somebody's again."""
        number = self.wait_for_one_in_charge()
        dead = self.running[number]
        dead.signal(signal.SIGKILL)
        dead.end()
        with self._changed:
            self._in_charge = None
        del self.running[number]
        self.killed += 1
        self._start()
        assert self.wait_for_one_in_charge() != number

    def stop(self) -> list[int]:
        """Ask all to end; return their exit codes."""
        for one in self.running.values():
            one.wait_for("running: ")
            one.signal(signal.SIGTERM)
        return [one.end() for one in self.running.values()]


@pytest.fixture
def game(installed: Installed, tmp_path: Path, postgresql_url: str) -> Iterator[League]:
    """Give a league on PostgreSQL, its game begun."""
    with league(installed, tmp_path / "data", NAMES[:6], postgresql_url) as game:
        game.new_game(SECRET, "--option", "settle=0")
        yield game


def test_a_game_with_three_daemons_of_which_some_are_killed(game: League) -> None:
    """Another takes the mailbox over each time, and nobody misses a report or is written two."""
    with ExitStack() as stack:
        staff = Staff(game, stack)
        for turn in range(1, MOST_TURNS):
            if game.wait_for_reports(turn - 1):
                break
            for number, player in enumerate(game.players):
                report = game.report(player, turn - 1)
                orders = decide("daemons", player.name, turn, text_of(report))
                if orders:
                    player.answer(report, orders)
                if number == turn and staff.killed < KILLS:
                    staff.kill_whoever_is_in_charge()
        else:
            raise AssertionError(f"not over after {MOST_TURNS} turns")
        game.command("poll")
        assert staff.stop() == [0] * DAEMONS
    assert staff.killed == KILLS
    assert game.facts("outbox", "list") == []
    check_mail(game, game.facts("outbox", "list", "--state", "sent"))
