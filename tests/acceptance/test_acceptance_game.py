"""Whole games by the installed command over Dovecot and a submission server, from deal to table."""

import json
import signal
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.eyes import Eyes
from tests.acceptance.installed import ROOT, Installed
from tests.acceptance.league import NAMES, SLUG, League, league, tells_of
from tests.acceptance.players import decide, text_of
from tests.postgresql import postgresql_cluster, postgresql_url

__all__ = ["postgresql_cluster", "postgresql_url"]  # fixtures, found by their names

pytestmark = [pytest.mark.slow, pytest.mark.dovecot, pytest.mark.timeout(600)]

SECRET = "6a" * 32
"""The deal's secret: any will do, a fixed one makes a failure come again."""

MOST_TURNS = 60
"""Far more turns than these players need."""


@pytest.fixture
def six(installed: Installed, tmp_path: Path) -> Iterator[League]:
    """Give a league of six on SQLite."""
    with league(installed, tmp_path / "data", NAMES[:6]) as ready:
        yield ready


@pytest.fixture
def eight(installed: Installed, tmp_path: Path) -> Iterator[League]:
    """Give a league of eight on SQLite."""
    with league(installed, tmp_path / "data", NAMES) as ready:
        yield ready


@pytest.fixture
def six_on_postgresql(
    installed: Installed, tmp_path: Path, postgresql_url: str
) -> Iterator[League]:
    """Give a league of six on PostgreSQL."""
    with league(installed, tmp_path / "data", NAMES[:6], postgresql_url) as ready:
        yield ready


class Play:
    """The players' side of a game: they answer, and what they are sent is checked."""

    def __init__(self, game: League) -> None:
        """Begin with the game's welcomes."""
        self.game = game
        self.answers: Counter[str] = Counter()
        self.eyes = Eyes()

    def answer(self, turn: int, silent: str = "") -> bool:
        """Let everybody but ``silent`` answer his last report; whether there was a turn to play.

        The GM looks at the game meanwhile, while the last answer is still held back.
        """
        over = self.game.wait_for_reports(turn - 1)
        with ThreadPoolExecutor(1) as gm:
            looking = gm.submit(self.game.check_money)
            mails = []
            for player in () if over else self.game.players:
                report = self.game.report(player, turn - 1)
                orders = decide("acceptance", player.name, turn, text_of(report))
                if orders and player.name != silent:
                    mails.append((player, report, orders))
            for player, report, orders in mails[:-1]:
                player.answer(report, orders)
            facts = looking.result()
            self.eyes.learn(facts)
        for player in self.game.players:
            report = self.game.report(player, turn - 1)
            self.eyes.check_own(player.name, report)
            if over and facts["options"]["reveal"] == "end":
                self.eyes.check_opened(report)
            else:
                self.eyes.check(player.name, report)
        for player, report, orders in mails[-1:]:
            player.answer(report, orders)
        self.answers.update(player.name for player, _, _ in mails)
        return not over

    def to_the_end(self) -> None:
        """Play a game to its end with ``postal run``."""
        with self.game.daemon() as daemon:
            last = next(turn for turn in range(1, MOST_TURNS) if not self.answer(turn)) - 1
            daemon.signal(signal.SIGTERM)
            assert daemon.end() == 0
        self.check_mail(last)

    def check_mail(self, last: int) -> None:
        """Everybody has one report of each turn, one receipt an answer, and nothing else."""
        for player in self.game.players:
            mails = player.mails()
            subjects = [str(mail["Subject"]) for mail in mails]
            told = [tells_of(subject) for subject in subjects]
            reports = [turn for turn in told if turn is not None]
            assert reports == list(range(last + 1))
            receipts = [mail for mail in mails if f"{SLUG}: receipt" in str(mail["Subject"])]
            assert len(receipts) == self.answers[player.name]
            assert len(mails) == len(reports) + len(receipts)
            for receipt in receipts:
                assert "NOT TAKEN" not in text_of(receipt)
                self.eyes.check(player.name, receipt)


def check_record(game: League, *sealed: str) -> Any:
    """Return the outcome in a finished game's record; its replay and the table agree with it."""
    file = game.data / "record.json"
    game.command("export", SLUG, "--to", str(file), *sealed)
    outcome = json.loads(file.read_text("utf-8"))["outcome"]
    assert outcome["finished"]
    assert game.postal.run("replay", str(file), "--json").json() == outcome
    balances = {one["name"]: one["balance"] for one in game.check_money()["players"]}
    assert outcome["balances"] == balances
    assert game.facts("outbox", "list") == []
    return outcome


def test_postal_is_the_installed_one(installed: Installed) -> None:
    """Not the checkout's, which would hide what the wheel lacks."""
    code = "import postal; print(postal.__file__)"
    home = installed.program.parents[1]
    assert not home.is_relative_to(ROOT)
    assert not installed.folder.is_relative_to(ROOT)
    assert Path(installed.ask(code)).is_relative_to(home)


def test_six_play_a_game_that_the_gm_moves_by_hand(six: League) -> None:
    """By ``poll`` and ``adjudicate``; a player who is silent for a turn is NMR then."""
    six.new_game(SECRET)
    six.command("poll")
    play, turn = Play(six), 1
    while play.answer(turn, silent="Cat" if turn == 2 else ""):
        assert turn < MOST_TURNS
        if turn == 1:
            assert six.command("poll").out.startswith("6 mails handled; 6 sent")
            assert six.facts("orders", SLUG)["complete"]
        six.command("adjudicate", SLUG, "--turn", str(turn))
        turn += 1
    play.check_mail(turn - 1)
    outcome = check_record(six)
    assert {(one["turn"], one["player"]) for one in outcome["nmr"]} == {(2, "Cat")}


def test_eight_play_a_game_that_the_daemon_moves(eight: League) -> None:
    """With cards that stay hidden for ever (10.4)."""
    eight.new_game(SECRET, "--option", "settle=0", "--option", "reveal=never")
    Play(eight).to_the_end()
    check_record(eight, "--sealed")


@pytest.mark.postgresql
def test_six_play_a_game_on_postgresql(six_on_postgresql: League) -> None:
    """And the database is really used."""
    six_on_postgresql.new_game(SECRET, "--option", "settle=0")
    Play(six_on_postgresql).to_the_end()
    check_record(six_on_postgresql)
    assert not list(six_on_postgresql.data.glob("*.sqlite3*"))
