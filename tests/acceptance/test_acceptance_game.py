"""Whole games by the installed command over Dovecot and a submission server, from deal to table."""

import json
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.eyes import Eyes
from tests.acceptance.installed import ROOT, Installed
from tests.acceptance.league import NAMES, SLUG, League, league
from tests.acceptance.players import Player, decide
from tests.postgresql import Cluster, postgresql_cluster, postgresql_url

__all__ = ["postgresql_cluster", "postgresql_url"]  # fixtures, found by their names

pytestmark = [pytest.mark.slow, pytest.mark.dovecot]

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


def answer(game: League, player: Player, turn: int, eyes: Eyes) -> int:
    """Let a player read his report of the turn before and answer it; return how many orders."""
    report = game.report(player, turn - 1)
    eyes.check(player.name, report)
    eyes.check_own(player.name, report)
    orders = decide("acceptance", player.name, turn, player.reads(report))
    if orders:
        player.answer(report, orders)
    return len(orders)


def play_with_daemon(game: League) -> int:
    """Play a game to its end with ``postal run``; return how many turns it took."""
    eyes, answers = Eyes(), Counter[str]()
    with game.daemon() as daemon:
        for turn in range(1, MOST_TURNS):
            over = game.wait_for_reports(turn - 1)
            eyes.learn(game.check_money())
            if over:
                daemon.signal(signal.SIGTERM)
                assert daemon.end() == 0
                check_mail(game, turn - 1, answers, eyes)
                return turn - 1
            for player in game.players:
                answers[player.name] += answer(game, player, turn, eyes) > 0
    raise AssertionError(f"not over after {MOST_TURNS} turns")


def check_mail(game: League, last: int, answers: "Counter[str]", eyes: Eyes) -> None:
    """Everybody has one report of each turn, one receipt an answer, and nothing else."""
    for player in game.players:
        mails = player.mails()
        kinds = Counter(str(mail["Subject"]).removeprefix(f"{SLUG}: ") for mail in mails)
        assert len(mails) == last + 1 + answers[player.name], kinds
        receipts = [mail for mail in mails if f"{SLUG}: receipt" in str(mail["Subject"])]
        assert len(receipts) == answers[player.name]
        for turn in range(last + 1):
            game.report(player, turn)
        for receipt in receipts:
            assert "NOT TAKEN" not in player.reads(receipt)
            eyes.check(player.name, receipt)


def check_record(game: League, *sealed: str) -> None:
    """The record of a finished game replays to the outcome that it holds, and so does its table."""
    file = game.data / "record.json"
    game.command("export", SLUG, "--to", str(file), *sealed)
    outcome = json.loads(file.read_text("utf-8"))["outcome"]
    assert outcome["finished"]
    assert game.postal.run("replay", str(file), "--json").json() == outcome
    balances = {one["name"]: one["balance"] for one in game.check_money()["players"]}
    assert outcome["balances"] == balances
    assert game.facts("outbox", "list") == []


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
    eyes, answers = Eyes(), Counter[str]()
    for turn in range(1, MOST_TURNS):
        over = six.wait_for_reports(turn - 1)
        eyes.learn(six.check_money())
        if over:
            break
        silent = "Cat" if turn == 2 else ""
        for player in six.players:
            if player.name != silent:
                answers[player.name] += answer(six, player, turn, eyes) > 0
        if turn == 1:
            assert six.command("poll").out.startswith("6 mails handled; 6 sent")
            assert six.facts("orders", SLUG)["complete"]
        six.command("adjudicate", SLUG, "--turn", str(turn))
    check_mail(six, turn - 1, answers, eyes)
    check_record(six)
    nmr = json.loads((six.data / "record.json").read_text("utf-8"))["outcome"]["nmr"]
    assert {(one["turn"], one["player"]) for one in nmr} == {(2, "Cat")}


def test_eight_play_a_game_that_the_daemon_moves(eight: League) -> None:
    """With cards that stay hidden for ever (10.4)."""
    eight.new_game(SECRET, "--option", "settle=0", "--option", "reveal=never")
    play_with_daemon(eight)
    check_record(eight, "--sealed")


@pytest.mark.postgresql
def test_six_play_a_game_on_postgresql(six_on_postgresql: League, postgresql_cluster: Cluster) -> None:
    """And the database is really used."""
    six_on_postgresql.new_game(SECRET, "--option", "settle=0")
    play_with_daemon(six_on_postgresql)
    check_record(six_on_postgresql)
    assert not list(six_on_postgresql.data.glob("*.sqlite3*"))
