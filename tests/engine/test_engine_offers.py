"""What is offered as ready to copy: good as it stands, paid for, never the best answer (8.2)."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given

from postal.engine.book import Book, submit
from postal.engine.cards import parse_cards
from postal.engine.orders import Line
from postal.engine.problems import Fault, Problem
from postal.engine.state import Game
from postal.engine.view import Due, view
from tests.engine.engine_games import (
    Play,
    betting,
    deal,
    lines,
    order,
    showdown,
    smith,
    taught,
)
from tests.engine.engine_random import Turn, played
from tests.engine.test_engine_laws import GAMES, SEEDS, SIZES, quick

SAMPLE = {"A": {"Ann": "AS AD AH | KC QD", "Bob": "KS KD 9H | 9D 2S"}}
DEALT = {"A": {"Ann": "9S 2C KD JKR 5H 3C AS"}}


def due(play: Play, player: str, table: str = "A") -> Due:
    """Return what is due from a player at a table."""
    return next(item for item in play.view(player).due if item.table == table)


def poor(money: int, *, raised: int = 50_000) -> Play:
    """Return a game in which Bob has so much money and owes what Ann raised."""
    play = betting(SAMPLE)
    play.turn(Ann=f"A: raise {raised}")
    play.set_balances(Bob=money)
    return play


def test_a_choice_of_cards_is_a_form_in_the_order_dealt() -> None:
    """Neither the default of a missing order nor the best answer; what came last stands last."""
    play = deal(smith(), DEALT)
    assert due(play, "Ann").examples == ("A: give 9S 2C next, KD previous",)
    play.turn(Ann="A: give 2C 3C next, 5H previous")
    got = play.seat("Ann").got
    came = [card for gift in got for card in gift.cards]
    assert len(came) == 3
    shown = f"9S KD JKR AS {came[0]} expose 9S KD JKR"
    assert due(play, "Ann").examples == (f"A: keep {shown}",)
    (problem,) = play.answer("Ann", "A: expose 9S KD JKR")
    assert problem.examples == (f"A: keep {shown}",)


def test_an_exposure_is_offered_card_by_card_in_the_order_dealt() -> None:
    """The higher of the two may come first; two jokers are one choice."""
    play = betting(SAMPLE)
    play.turn(Ann="A: raise 5000")
    play.turn(Bob="A: stay")
    seat = play.seat("Bob")
    expected = [card for card in seat.dealt if card in seat.hidden]
    held = [*expected, *(card for card in seat.hidden if card not in expected)]
    assert due(play, "Bob").examples == tuple(f"A: expose {card}" for card in held)
    jokers = parse_cards("JKR JKR")
    play.game = play.game.with_hand(play.hand().with_seat(1, hidden=jokers))
    assert due(play, "Bob").examples == ("A: expose JKR",)


def test_8_2_bets_that_money_does_not_reach_are_not_offered() -> None:
    """With £19,000 and £50,000 owed before the showdown only a fold is left (8.5)."""
    bet = due(poor(19_000), "Bob")
    assert (bet.owed, bet.left, bet.verbs) == (50_000, 19_000, ("raise", "stay", "fold"))
    assert (bet.reach.verbs, bet.reach.most, bet.reach.on_iou) == (("fold",), 0, ())
    assert bet.examples == ("A: fold",)


@pytest.mark.parametrize(
    ("money", "verbs", "most"),
    [
        (-5, ("fold",), 0),
        (49_999, ("fold",), 0),
        (50_000, ("stay", "fold"), 0),
        (50_999, ("stay", "fold"), 0),
        (51_000, ("raise", "stay", "fold"), 1_000),
        (99_999, ("raise", "stay", "fold"), 49_999),
        (500_000, ("raise", "stay", "fold"), 50_000),
    ],
)
def test_8_2_the_most_that_can_be_raised(money: int, verbs: tuple[str, ...], most: int) -> None:
    """What is left beside equalling the opponent, within the stage's limits; to the pound."""
    play = poor(money)
    reach = due(play, "Bob").reach
    assert (reach.verbs, reach.most) == (verbs, most)
    for raised in (most, most + 1):
        problems = play.mail("Bob", f"A: raise {raised}").problems
        assert bool(problems) == (raised != most or not most)


@pytest.mark.parametrize("iou", ["call", "stay-and-call"])
def test_8_3_a_call_on_an_iou_is_offered_as_such(iou: str) -> None:
    """And by option a stay (8.4); neither where cash is enough."""
    play = showdown(SAMPLE, rules=smith(nmr_limit=0, iou=iou))
    play.turn(Ann="A: raise 100000")
    play.set_balances(Bob=30_000)
    reach = due(play, "Bob").reach
    paid = ("call",) if iou == "call" else ("stay", "call")
    assert set(reach.verbs) == {*paid, "fold"}
    assert sorted(reach.on_iou) == sorted(paid)
    play.set_balances(Bob=100_000)
    assert due(play, "Bob").reach.on_iou == ()


def test_8_2_orders_on_file_for_other_hands_count() -> None:
    """That of the hand itself does not: a new line takes its place."""
    hands = dict.fromkeys("ABC", SAMPLE["A"])
    play = betting(hands)
    play.set_balances(Ann=60_000)
    play.good("Ann", "A: raise 30000")
    at_a, at_b = due(play, "Ann"), due(play, "Ann", "B")
    assert (at_a.left, at_a.elsewhere, at_a.reach.most) == (60_000, 0, 50_000)
    assert (at_b.left, at_b.elsewhere, at_b.reach.most) == (30_000, 30_000, 30_000)
    play.good("Ann", "B: raise 30000")
    assert due(play, "Ann", "C").examples == ("C: fold",)


def test_2_4_nothing_is_offered_for_gifts_on_their_way() -> None:
    """No line could change them."""
    play = deal(smith(exchange="post"))
    for player in play.game.players:
        play.good(player, due(play, player).examples[0])
    item = due(play, "Ann")
    assert (item.final, item.examples) == (True, ())
    assert due(play, "Ann", "B").examples
    (problem,) = play.answer("Ann", "A: fold")
    assert (problem.examples, problem.instead) == ((), due(play, "Ann", "B").examples)


def refusal(play: Play, player: str, *texts: str) -> Problem:
    """Return the one problem of a mail."""
    (problem,) = play.answer(player, *texts)
    return problem


def test_a_fold_is_taught_to_nobody() -> None:
    """Where nothing else can be paid there is no line to copy, and the figures say so."""
    play = betting(SAMPLE)
    problem = refusal(play, "Ann", "A: give 2C 3C next, 4C previous")
    assert (problem.fault, problem.examples) == (Fault.OTHER_KIND_DUE, ("A: raise min",))
    for written in ("A: stay", "A: raise 60000", "A: raise 9", "A: give 2C 3C next, 4C previous"):
        problem = refusal(poor(19_000), "Bob", written)
        assert (problem.examples, problem.figures.verbs) == ((), ("fold",)), written
        assert problem.figures.most == 0


def test_what_is_not_covered_is_answered_with_the_most_that_is() -> None:
    """As things stand after the mail: what else was filed by it counts."""
    play = poor(60_000)
    problem = refusal(play, "Bob", "A: raise 20000")
    assert (problem.fault, problem.examples) == (Fault.NOT_COVERED, ("A: raise 10000",))
    assert (problem.figures.most, problem.figures.elsewhere) == (10_000, 0)
    hands = dict.fromkeys("AB", SAMPLE["A"])
    play = betting(hands)
    play.set_balances(Ann=60_000)
    problem = refusal(play, "Ann", "A: raise 90000", "B: raise 40000")
    assert (problem.fault, problem.examples) == (Fault.OVER_LIMIT, ("A: raise 20000",))
    assert problem.figures.elsewhere == 40_000


@quick
@given(GAMES, SEEDS, SIZES)
def test_every_line_offered_is_good_as_it_stands(
    options: dict[str, Any], seed: int, size: int
) -> None:
    """Over random states, money and orders on file included; what problems teach too."""
    for turn in played(smith(size, **options), seed, tidy=False):
        for player, game, book, offer in offers(turn):
            taken = submit(game, book, player, lines(offer))
            assert not taken.problems, (offer, taken.problems)
            assert len(taken.accepted) == 1, offer


def offers(turn: Turn) -> Iterator[tuple[str, Game, Book, str]]:
    """Yield every line that a turn offers, with its player and the state in which it does."""
    game = turn.before
    for (player, _), taken in zip(turn.mails, turn.taken, strict=True):
        for refused in taken.problems:
            problem = taught(game, taken.book, player, refused)
            copied = (*problem.examples, *problem.instead)
            yield from ((player, game, taken.book, line) for line in copied)
            assert not any("fold" in line for line in copied)
    for player in game.players:
        for book in (Book(), turn.book):
            for item in view(game, player, book).due:
                assert item.examples or item.final, item
                assert set(item.reach.verbs) <= set(item.verbs)
                yield from ((player, game, book, line) for line in item.examples)
                if item.reach.most:
                    yield player, game, book, f"{item.table}: raise {item.reach.most}"
                    more = order(f"{item.table}: raise {item.reach.most + 1}")
                    assert submit(game, book, player, [Line("", 1, more)]).problems
