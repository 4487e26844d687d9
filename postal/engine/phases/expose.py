"""The exposure after a stay: each turns up hidden cards of his, at the same moment (5.4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from postal.engine.cards import without
from postal.engine.events import Event, Exposed
from postal.engine.orders import Expose, Order
from postal.engine.phases.base import (
    Actions,
    Checked,
    Move,
    Played,
    not_held,
    refuse,
    the_pair_or_all,
)
from postal.engine.problems import Fault, Figures
from postal.engine.rules import ExposePhase
from postal.engine.state import Game, Hand


def phase_of(game: Game, hand: Hand) -> ExposePhase:
    """Return the exposure that the hand is in."""
    return cast(ExposePhase, game.rules.phases[hand.phase])


def due(game: Game, hand: Hand) -> tuple[int, ...]:
    """Whoever has not named his cards ahead of time is asked now (5.4)."""
    del game
    return tuple(index for index in hand.live if hand.seats[index].named is None)


def default(game: Game, hand: Hand, index: int) -> tuple[Order, str]:
    """Expose the lower of the two hidden cards (9.2), or what was exposed before (10.7)."""
    seat, count = hand.seats[index], phase_of(game, hand).cards
    seen = seat.known[:count]
    others = sorted(without(seat.hidden, seen) or ())
    return Expose(hand.table, (*seen, *others)[:count]), "expose"


def check(game: Game, hand: Hand, index: int, order: Order) -> Checked:
    """Check that so many hidden cards of the seat's own are named (5.4), the same again (10.7)."""
    cards, needed = cast(Expose, order).cards, phase_of(game, hand).cards
    if len(cards) != needed:
        figures = Figures(given=len(cards), needed=needed)
        return refuse(hand, Fault.WRONG_EXPOSURE, figures)
    unheld = not_held(hand.seats[index], cards, hand)
    seen = hand.seats[index].known[:needed]
    if unheld is None and without(cards, seen) is None:
        return refuse(hand, Fault.EXPOSURE_SEEN, Figures(cards=seen))
    return unheld or Checked(order)


def apply(game: Game, moves: Sequence[Move]) -> Played:
    """Take down what is named, and turn up the cards of each hand where all have named theirs."""
    for move in moves:
        hand = game.hand(move.hand)
        named = cast(Expose, move.order).cards
        game = game.with_hand(hand.with_seat(move.index, named=named))
    events: list[Event] = []
    done: list[str] = []
    for name in dict.fromkeys(move.hand for move in moves):
        if not due(game, game.hand(name)):
            game, turned = turn_up(game, game.hand(name))
            events += turned
            done.append(name)
    return Played(game, tuple(events), tuple(done))


def turn_up(game: Game, hand: Hand) -> tuple[Game, list[Event]]:
    """Turn up the named cards of every live seat at the same moment."""
    events: list[Event] = []
    for index in hand.live:
        seat = hand.seats[index]
        named = seat.named or ()
        hidden = without(seat.hidden, named)
        assert hidden is not None, f"{hand.name}: unchecked exposure"
        hand = hand.with_seat(index, hidden=hidden, shown=seat.shown + named, named=None)
        audience = the_pair_or_all(game, hand)
        events.append(Exposed(hand=hand.name, player=seat.player, cards=named, audience=audience))
    return game.with_hand(hand), events


ACTIONS = Actions(due, check, default, apply)
