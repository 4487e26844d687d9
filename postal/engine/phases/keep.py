"""Keep and expose: some cards are kept, the rest discarded, part of those kept turned up (3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from postal.engine.cards import without
from postal.engine.events import Event, Exposed, Kept
from postal.engine.orders import Discard, Keep, Order
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
from postal.engine.ranking import best_five
from postal.engine.rules import KeepPhase
from postal.engine.state import Game, Hand


def phase_of(game: Game, hand: Hand) -> KeepPhase:
    """Return the keep phase that the hand is in."""
    return cast(KeepPhase, game.rules.phases[hand.phase])


def due(game: Game, hand: Hand) -> tuple[int, ...]:
    """Everybody in the hand keeps (3.1)."""
    del game
    return hand.live


def default(game: Game, hand: Hand, index: int) -> tuple[Order, str]:
    """Keep the best five, exposing the three lowest of them (9.2)."""
    phase = phase_of(game, hand)
    best = best_five(hand.seats[index].hidden, double_ace_flush=game.rules.double_ace_flush)
    return Keep(hand.table, best, best[: phase.expose]), "keep"


def check(game: Game, hand: Hand, index: int, order: Order) -> Checked:
    """Check how many are kept and exposed, and that they are the seat's own (3.1, 3.2)."""
    phase, seat = phase_of(game, hand), hand.seats[index]
    if isinstance(order, Discard):
        count, needed, verb = len(order.cards), len(seat.hidden) - phase.cards, "discard"
        unheld = not_held(seat, order.cards, hand)
        order = Keep(hand.table, without(seat.hidden, order.cards) or (), order.expose)
    else:
        order = cast(Keep, order)
        count, needed, verb = len(order.cards), phase.cards, "keep"
        unheld = not_held(seat, order.cards, hand)
    counts = ((verb, count, needed), ("expose", len(order.expose), phase.expose))
    for what, given, wanted in counts:
        if given != wanted:
            figures = Figures(verb=what, given=given, needed=wanted)
            return refuse(hand, Fault.WRONG_NUMBER, figures)
    if unheld:
        return unheld
    if without(order.cards, order.expose) is None:
        return refuse(hand, Fault.EXPOSED_NOT_KEPT, Figures(held=order.cards))
    return Checked(order)


def apply(game: Game, moves: Sequence[Move]) -> Played:
    """Discard, keep, and turn up what is exposed, all together (3.3)."""
    events: list[Event] = []
    shown: list[Event] = []
    for move in moves:
        hand, keep = game.hand(move.hand), cast(Keep, move.order)
        seat = hand.seats[move.index]
        discarded = without(seat.hidden, keep.cards)
        hidden = without(keep.cards, keep.expose)
        assert discarded is not None, f"{hand.name}: unchecked keep"
        assert hidden is not None, f"{hand.name}: unchecked expose"
        game = game.with_hand(
            hand.with_seat(move.index, hidden=hidden, shown=keep.expose, discarded=discarded)
        )
        events.append(
            Kept(
                hand=hand.name,
                player=seat.player,
                cards=keep.cards,
                discarded=discarded,
                audience=(seat.player,),
            )
        )
        shown.append(
            Exposed(
                hand=hand.name,
                player=seat.player,
                cards=keep.expose,
                audience=the_pair_or_all(game, hand),
            )
        )
    done = tuple(dict.fromkeys(move.hand for move in moves))
    return Played(game, (*events, *shown), done)


ACTIONS = Actions(due, check, default, apply)
