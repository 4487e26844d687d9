"""What each player, and an onlooker, may know of a game (RULES.md 2.5, 3, 10.3, 10.4)."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from postal.engine.game import adjudicate, due
from postal.engine.view import GameView, HandView, SeatLine
from tests.engine.engine_games import PLAYERS, Play, betting, deal, showdown, smith

SAMPLE = {"A": {"Ann": "AS AD AH | KC QD", "Bob": "KS KD 9H | 9D 2S"}}
VIEWERS = (*PLAYERS[:6], None)


def seats(seen: GameView) -> Iterator[tuple[HandView, SeatLine]]:
    """Yield every seat of a view with its hand."""
    for table in seen.tables:
        for hand in table.hands:
            for line in hand.seats:
                yield hand, line


def test_what_is_due_in_each_turn() -> None:
    """Kinds, counts, verbs and sums, with examples ready to send."""
    play = deal(smith(nmr_limit=0), {"A": {"Ann": "2C 3C 4C 5S 6S 7S 8S"}})
    (give, *_) = play.view("Ann").due
    assert (give.hand, give.table, give.kind, give.give) == ("A1", "A", "give", ((1, 2), (-1, 1)))
    assert give.examples == ("A: give 2C 3C next, 4C previous",)
    play.turn()
    (keep, *_) = play.view("Ann").due
    assert (keep.kind, keep.keep, keep.expose) == ("keep", 5, 3)
    play = betting(SAMPLE)
    (bet,) = (item for item in play.view("Ann").due if item.hand == "A1")
    assert (bet.kind, bet.owed, bet.min_raise, bet.max_raise) == ("bet", 0, 1_000, 50_000)
    assert bet.may_expose == 1
    play.turn(Ann="A: raise 1000")
    play.turn(Bob="A: stay")
    (expose,) = play.view("Bob").due
    assert (expose.kind, expose.expose) == ("expose", 1)
    assert sorted(expose.examples) == ["A: expose 2S", "A: expose 9D"]
    play.turn()
    (bet,) = play.view("Ann").due
    assert (bet.max_raise, bet.may_expose) == (200_000, 0)


@pytest.mark.parametrize("stage", ["give", "keep", "betting", "expose", "showdown"])
def test_every_example_can_be_sent(stage: str) -> None:
    """What a report offers as ready to copy is accepted."""
    play = AT[stage]()
    stages = {hand.stage for table in play.view(None).tables for hand in table.hands}
    assert stage in stages
    count = 0
    for player in PLAYERS[:6]:
        for item in play.view(player).due:
            for example in item.examples:
                play.good(player, example)
                count += 1
    assert count


def second_turn() -> Play:
    """Play to turn 2."""
    play = deal(smith())
    play.turn()
    return play


def exposing() -> Play:
    """Play until A1 waits for two exposures."""
    play = betting(SAMPLE)
    play.turn(Ann="A: raise 1000")
    play.turn(Bob="A: stay")
    return play


AT: dict[str, Callable[[], Play]] = {
    "give": lambda: deal(smith()),
    "keep": second_turn,
    "betting": lambda: betting(SAMPLE),
    "expose": exposing,
    "showdown": lambda: showdown(SAMPLE),
}


def test_neighbours_and_own_hands() -> None:
    """The viewer's neighbours at each table, and his own hands in order."""
    order = ["Dan", "Ann", "Eve", "Bob", "Fay", "Cat"]
    play = deal(smith(), seats={"B": order})
    view = play.view("Cat")
    assert [(table.previous, table.next) for table in view.tables] == [
        ("Bob", "Dan"),
        ("Fay", "Dan"),
        ("Bob", "Dan"),
    ]
    assert [hand.name for _, hand, _ in view.mine()] == ["A2", "B3", "C2"]
    assert all(seat.player == "Cat" for _, _, seat in view.mine())
    assert view.tables[1].players == tuple(order)
    onlooker = play.view(None)
    assert {(table.previous, table.next) for table in onlooker.tables} == {("", "")}
    assert (onlooker.due, onlooker.balance, onlooker.mine()) == ((), 0, ())
    assert view.balance == 1_000_000


def test_10_3_what_is_public() -> None:
    """Seats, moves, pots, balances and exposed cards are the same for everybody."""
    play = betting(SAMPLE)
    play.turn(Ann="A: raise 1000")
    views = [play.view(viewer) for viewer in VIEWERS]
    for seen in views:
        assert seen.balances == views[-1].balances
        assert seen.standings == views[-1].standings
        for mine, other in zip(seen.tables, views[-1].tables, strict=True):
            for hand, same in zip(mine.hands, other.hands, strict=True):
                assert (hand.pot, hand.to_act, hand.stage) == (same.pot, same.to_act, same.stage)
                assert [line.shown for line in hand.seats] == [line.shown for line in same.seats]
    public = views[-1].tables[0].hands[0]
    assert (public.to_act, public.stage, public.pot) == (("Bob",), "betting", 41_000)


def test_10_3_who_has_ordered_shows_nowhere() -> None:
    """Orders on file change no view, but for what the sender is told is left for his others."""
    play = betting(SAMPLE)
    before = [play.view(viewer) for viewer in VIEWERS]
    for player, hand in due(play.game):
        play.good(player, f"{hand[0]}: raise 2000")
        for viewer, seen in zip(VIEWERS, before, strict=True):
            if viewer not in {entry.player for entry in play.book.filed}:
                assert play.view(viewer) == seen
    after = [play.view(viewer) for viewer in VIEWERS]
    assert [replace(seen, due=()) for seen in after] == [replace(seen, due=()) for seen in before]
    for seen, earlier in zip(after, before, strict=True):
        for now, then in zip(seen.due, earlier.due, strict=True):
            own = 2000 * (len(seen.due) - 1)
            assert (now.left, now.elsewhere) == (then.left - own, own)


@pytest.mark.parametrize("reveal", ["end", "never"])
@pytest.mark.parametrize("exposed_to", ["all", "opponent"])
def test_10_4_all_cards_are_opened_at_the_end(reveal: str, exposed_to: str) -> None:
    """With `end` everybody sees all cards, once every hand is over; with `never` his own."""
    rules = smith(nmr_limit=0, reveal=reveal, exposed_to=exposed_to)
    play = betting(SAMPLE, rules=rules)
    play.turn(Ann="A: raise 1000")
    assert not any(play.view(viewer).opened for viewer in VIEWERS)
    play.turn(Bob="A: fold")
    assert play.game.finished
    for viewer in VIEWERS:
        seen = play.view(viewer)
        assert seen.finished
        assert seen.opened == (reveal == "end")
        for hand, line in seats(seen):
            opened = seen.opened or line.player == viewer
            for cards in (line.hidden, line.discarded, line.dealt):
                assert (cards is not None) == opened
            assert bool(line.gave and line.got) == opened
            pair = viewer in [other.player for other in hand.seats]
            assert (line.shown is not None) == (seen.opened or exposed_to == "all" or pair)


def test_10_3_no_card_in_a_repr() -> None:
    """Neither game nor view, orders, problems or events print a card."""
    play = betting(SAMPLE)
    play.good("Ann", "A: raise 1000 expose QD")
    taken = play.mail("Ann", "A: raise 1000 expose 2C")
    for thing in (play.game, play.book, taken, play.events, *(map(play.view, VIEWERS))):
        assert "Card(" not in repr(thing)
    for secret in ("QD", "KC", "2C"):
        assert secret not in repr(taken)
        assert secret not in repr(play.view("Ann").due)


def test_a_finished_game_stays_as_it_is() -> None:
    """Nothing is due, and adjudicating it again changes nothing."""
    play = betting(SAMPLE)
    play.turn()
    assert play.game.finished
    assert due(play.game) == ()
    assert adjudicate(play.game, play.book) == (play.game, ())
    assert {hand.stage for hand, _ in seats(play.view("Ann"))} == {"over"}
