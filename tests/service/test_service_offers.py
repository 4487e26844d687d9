"""What an answer offers to copy is taken as it stands, in the state in which it was offered."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from postal.engine.book import Book, submit
from postal.engine.problems import Fault, Problem
from postal.engine.state import Game
from postal.ordertext import read_mail
from postal.service.inbound.offers import Offers
from postal.service.records.play import order_context
from tests.engine.engine_games import Play, betting, deal, showdown, smith
from tests.engine.engine_random import played
from tests.ordertext.test_ordertext_copied import nearly
from tests.ordertext.wording_cases import wordings
from tests.service.service_league import League
from tests.service.test_service_intake import bettor

SAMPLE = {"A": {"Ann": "AS AD AH | KC QD", "Bob": "KS KD 9H | 9D 2S"}}
REFUSED = (
    "A: raise 60000",
    "A: raise 10",
    "A: raise 30000",
    "A: stay",
    "A: check",
    "A: call",
    "A: keep 2C 3C 4C expose 2C",
    "A: give 2C 3C next, 4C previous",
    "A: expose AS",
    "A: give 2C next",
)
"""Lines that are orders, and somewhere refused by the rules or for want of money."""


def _give() -> Play:
    return deal(smith(nmr_limit=0))


def _keep() -> Play:
    play = _give()
    play.turn()
    return play


def _bet() -> Play:
    return betting(SAMPLE, rules=smith(nmr_limit=0))


def _raised() -> Play:
    play = _bet()
    play.turn(Ann="A: raise 40000")
    return play


def _poor() -> Play:
    play = _raised()
    play.set_balances(Bob=19_000)
    return play


def _expose() -> Play:
    play = _raised()
    play.turn(Bob="A: stay")
    return play


def _showdown() -> Play:
    return showdown(SAMPLE)


STATES: dict[str, Callable[[], Play]] = {
    "give": _give,
    "keep": _keep,
    "bet": _bet,
    "raised": _raised,
    "poor": _poor,
    "expose": _expose,
    "showdown": _showdown,
}


def told(play: Play, player: str, text: str) -> tuple[Problem, ...]:
    """Return the problems of a mail as its receipt tells them."""
    reading = read_mail(text, order_context(play.game, player))
    taken = submit(play.game, play.book, player, reading.lines)
    return Offers(play.game, taken.book, player).mended((*reading.problems, *taken.problems))


WRITTEN = [
    *REFUSED,
    *(line for _, line, outcome in wordings() if "told" in outcome),
    *nearly(),
    *(f"{tables}: raise {sum_}" for tables in ("A", "B/C", "all") for sum_ in (60000, "to 30000")),
]
"""Lines that are orders, nearly orders, or meant as one."""
GAMES: dict[str, dict[str, Any]] = {
    "poor": {"start_money": 80_000, "raise_cap": 2},
    "stays on an IOU": {"start_money": 120_000, "iou": "stay-and-call"},
    "by post": {"start_money": 150_000, "exchange": "post"},
}


@pytest.mark.parametrize("which", GAMES)
def test_every_line_to_copy_is_accepted_in_any_state(which: str) -> None:
    """Over games of random orders: money, cards and what is on file included."""
    pick, offered = random.Random(which), set[str]()
    for turn in played(smith(**GAMES[which]), 5, tidy=False):
        for player, line in zip(turn.before.players, pick.sample(WRITTEN, 6), strict=True):
            offered |= {one.split()[1] for one in copied(turn.before, turn.book, player, line)}
    assert {"give", "keep", "raise", "stay"} <= offered


def copied(game: Game, book: Book, player: str, line: str) -> list[str]:
    """Return what is offered to copy for a line, each held to the reader and the book."""
    context = order_context(game, player)
    reading = read_mail(line, context)
    taken = submit(game, book, player, reading.lines)
    found = []
    for problem in Offers(game, taken.book, player).mended((*reading.problems, *taken.problems)):
        lines = [*problem.examples, *problem.instead]
        each_meant = problem.fault in (Fault.SEVERAL_TABLES, Fault.SECOND_ORDER)
        for text in [*lines, *(["\n".join(lines)] if each_meant and lines else [])]:
            again = read_mail(text, context)
            assert not again.problems, (line, text)
            assert again.lines or again.commands, (line, text)
            refused = submit(game, taken.book, player, again.lines).problems
            assert not refused, (line, text, refused)
            assert " fold" not in text or "fold" in line.casefold(), (line, text)
        found += lines
    return found


@pytest.mark.parametrize("state", STATES)
def test_every_line_to_copy_is_accepted(state: str) -> None:
    """Whatever was written, by whoever is due and by who is not; and nobody is made to fold."""
    play = STATES[state]()
    offered = 0
    for line in (*REFUSED, *(line for _, line, outcome in wordings() if "told" in outcome)):
        for player in ("Ann", "Bob"):
            context = order_context(play.game, player)
            for problem in told(play, player, line):
                for copied in (*problem.examples, *problem.instead):
                    reading = read_mail(copied, context)
                    assert not reading.problems, copied
                    taken = submit(play.game, play.book, player, reading.lines)
                    assert not taken.problems, copied
                    wrote = any(word in line.casefold() for word in ("fold", "c/f"))
                    assert " fold" not in copied or wrote, copied
                    offered += 1
    assert offered > 50


@pytest.mark.parametrize(
    ("state", "player", "line", "examples", "instead"),
    [
        ("bet", "Ann", "A: raise 10.000", ("A: raise 10000",), ()),
        ("bet", "Ann", "A raise forty thousand", ("A: raise 40000",), ()),
        ("bet", "Ann", "A: raise 60000", ("A: raise 50000",), ()),
        ("raised", "Bob", "A: raise 10", ("A: raise 1000",), ()),
        ("raised", "Bob", "stay on A", ("A: stay",), ()),
        ("raised", "Bob", "A: raise lots", (), ("A: stay",)),
        ("bet", "Ann", "A: raise lots", (), ("A: raise min",)),
        ("bet", "Ann", "A: give 2C 3C next, 4C previous", ("A: raise min",), ()),
        ("bet", "Ann", "A: raise to £40,000", ("A: raise 40000",), ()),
        ("bet", "Ann", "A: raise to 60000", (), ("A: raise min",)),
        ("bet", "Ann", "on A raise to 40k", ("A: raise 40000",), ()),
        ("bet", "Ann", "all: raise to 40000", (), ("A: raise min",)),
        ("raised", "Bob", "A: raise to 45000", (), ("A: stay",)),
        ("showdown", "Ann", "A: raise to 60000", ("A: raise 60000",), ()),
        ("showdown", "Ann", "all: raise 40000; stay", ("all: raise 40000",), ()),
        ("poor", "Bob", "A: raise 5000 or fold", ("A: fold",), ()),
        ("poor", "Bob", "A: raise lots", (), ()),
        ("poor", "Bob", "A/B stay", (), ()),
        ("give", "Ann", "A: raise 5", ("A: give 2C 2D next, 2H previous",), ()),
        ("give", "Ann", "A: give 2C", (), ("A: give 2C 2D next, 2H previous",)),
        ("keep", "Ann", "A: keep 3D", (), None),
        ("showdown", "Ann", "A: raise", (), ("A: check",)),
    ],
)
def test_the_line_to_copy_is_his_own_made_right_or_what_is_due(
    state: str,
    player: str,
    line: str,
    examples: tuple[str, ...],
    instead: tuple[str, ...] | None,
) -> None:
    """The same table and verb, his sum and cards; never a sum or a fold that he did not write."""
    problem = told(STATES[state](), player, line)[-1]
    assert problem.examples == examples
    assert instead is None or problem.instead == instead


def test_what_is_all_meant_is_paid_together() -> None:
    """Each of two raises could be paid, both can't; as alternatives both are offered."""
    play = betting(dict.fromkeys("AB", SAMPLE["A"]), rules=smith(nmr_limit=0))
    play.set_balances(Ann=60_000)
    assert told(play, "Ann", "A/B raise 40000")[0].examples == ("A: raise 40000",)
    (problem,) = told(play, "Ann", "raise 40000")
    assert problem.examples == ("A: raise 40000", "B: raise 40000")


def test_a_form_to_fill_in_has_the_cards_as_they_were_dealt() -> None:
    """Never the best five."""
    play = _keep()
    (problem,) = told(play, "Ann", "A: keep 3D")
    dealt = [card for card in play.seat("Ann").dealt or () if card in play.seat("Ann").hidden]
    (line,) = problem.instead
    assert line.startswith(f"A: keep {' '.join(map(str, dealt[:4]))} ")


def test_the_most_and_the_least_are_filed_as_sums(betting: League) -> None:
    """The canonical line on file says what it comes to."""
    player, table = bettor(betting)
    assert f":: {table}: raise 50000" in betting.say(player, f"{table}: raise the maximum\n")
    assert betting.on_file(player) == [f"{table}: raise 50000"]
    betting.say(player, f"{table}: raise min\n")
    assert betting.on_file(player) == [f"{table}: raise 5000"]


def test_the_receipt_says_that_a_table_was_assumed(betting: League) -> None:
    """Where just one hand is due from him."""
    due = {}
    for owed in betting.players:
        tables = order_context(betting.game, owed).due
        if len(tables) == 1:
            due[owed] = next(iter(tables))
    player, table = next(iter(due.items()))
    text = " ".join(betting.say(player, "raise 6000\n").split())
    assert betting.on_file(player) == [f"{table}: raise 6000"]
    assert f"You named no table, so the line was taken for hand {table}" in text
    assert "You named no table" not in betting.say(player, f"{table}: raise 3000\n")
