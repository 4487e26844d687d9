"""`postal run` is killed again and again, and the players never notice."""

import random
import signal
import threading
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.acceptance.installed import Installed, Running
from tests.acceptance.league import MAILBOX, NAMES, SLUG, League, league, tells_of
from tests.acceptance.players import decide, text_of

pytestmark = [pytest.mark.slow, pytest.mark.dovecot, pytest.mark.timeout(600)]

SECRET = "7b" * 32
MOMENTS = random.Random(1999)
"""When the daemon is killed: another seed finds other moments, and all must do."""

WAYS = ("log", "before", "log", "after", "before")
"""What it is killed at, in an order of chance: a line of its log, or a mail of its own on either
side of being handed over; before that, the mail is lost."""

GAMES = MAILBOX.partition("@")[0]
"""How the address of the games' mailbox begins, with or without a token."""

MOST_TURNS = 60


class Fate:
    """Runs the daemon, kills it at moments of chance, and starts it again.

    A moment is a count of things that happen, and then the next of one kind. The kill itself
    falls wherever the daemon has got to by then.
    """

    def __init__(self, game: League, ways: Sequence[str]) -> None:
        """Start the daemon; it is to be killed in each of the ``ways``."""
        self._game = game
        self._ways = MOMENTS.sample(ways, len(ways))
        self._lock = threading.Lock()
        self._daemon: Running | None = None
        self._patience = self._draw()
        self._stopping = False
        self.codes: list[int] = []
        arrivals = game.office.arrivals
        arrivals.before = lambda to: to.startswith(GAMES) or not self._kills("before")
        arrivals.after = lambda: self._heard("after")
        self._thread = threading.Thread(target=self._keep_running)
        self._thread.start()

    @staticmethod
    def _draw() -> int:
        return MOMENTS.randrange(5, 60)

    def _heard(self, way: str) -> None:
        self._kills(way)

    def _kills(self, way: str) -> bool:
        """Something has happened: whether it was one thing too many."""
        with self._lock:
            self._patience -= 1
            daemon = self._daemon
            if self._patience > 0 or daemon is None or self._ways[:1] != [way]:
                return False
            self._ways.pop(0)
            self._patience = self._draw()
            daemon.signal(signal.SIGKILL)
            daemon.process.wait()
            return True

    def _keep_running(self) -> None:
        while True:
            with self._lock:
                if self._stopping:
                    return
                self._daemon = self._game.daemon(heard=lambda _: self._heard("log"))
            self.codes.append(self._daemon.process.wait())
            with self._lock:
                daemon, self._daemon = self._daemon, None
            daemon.end()

    def stop(self) -> None:
        """Ask the daemon to end and kill it no more."""
        with self._lock:
            self._ways, self._stopping = [], True
            daemon = self._daemon
        if daemon is not None:
            daemon.wait_for("running: ")  # before that it wouldn't end cleanly
            daemon.signal(signal.SIGTERM)
        self._thread.join()


def play(game: League, ways: Sequence[str]) -> Fate:
    """Play a game to its end and return how its daemon fared."""
    game.new_game(SECRET, "--option", "settle=0")
    fate = Fate(game, ways)
    try:
        for turn in range(1, MOST_TURNS):
            if game.wait_for_reports(turn - 1):
                return fate
            for player in game.players:
                report = game.report(player, turn - 1)
                orders = decide("kill", player.name, turn, text_of(report))
                if orders:
                    player.answer(report, orders)
    finally:
        fate.stop()
    raise AssertionError(f"not over after {MOST_TURNS} turns")


def test_a_daemon_killed_five_times_plays_the_same_game(
    installed: Installed, tmp_path: Path
) -> None:
    """The same outcome as undisturbed; nobody misses a report or is written two."""
    with league(installed, tmp_path / "calm", NAMES[:6]) as calm:
        assert play(calm, ()).codes == [0]
        expected = calm.outcome()
    with league(installed, tmp_path / "killed", NAMES[:6]) as killed:
        fate = play(killed, WAYS)
        assert Counter(fate.codes) == {-signal.SIGKILL: len(WAYS), 0: 1}
        killed.command("poll")
        assert killed.outcome() == expected
        assert killed.facts("outbox", "list") == []
        sent = killed.facts("outbox", "list", "--state", "sent")
        check_mail(killed, sent)


def check_mail(game: League, sent: list[dict[str, str]]) -> None:
    """One report a turn and one receipt an answer for each, under one Message-ID however often."""
    written = Counter((one["player"], one["subject"]) for one in sent if one["kind"] != "receipt")
    assert set(written.values()) == {1}
    last = max(tells_of(one["subject"]) or 0 for one in sent)
    arrived = game.office.arrivals.all()
    for player in game.players:
        reports, receipts, answers = defaultdict(set), defaultdict(set), set()
        for one in arrived:
            mail = one.mail
            turn = tells_of(one.subject)
            if one.recipient != player.address:
                if player.address in str(mail["From"]):
                    answers.add(mail["Message-ID"])
            elif turn is not None:
                reports[turn].add(mail["Message-ID"])
            elif f"{SLUG}: receipt" in one.subject:
                assert "NOT TAKEN" not in text_of(mail)
                receipts[mail["In-Reply-To"]].add(mail["Message-ID"])
        assert sorted(reports) == list(range(last + 1))
        assert set(map(len, reports.values())) == {1}
        assert set(receipts) == answers
        assert set(map(len, receipts.values())) == {1}
