"""What every phase offers to the game, and the values that pass between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from postal.engine.cards import Card, without
from postal.engine.events import Event
from postal.engine.orders import Order
from postal.engine.problems import NO_FIGURES, Fault, Figures, Problem
from postal.engine.state import Game, Hand, Seat


@dataclass(frozen=True, slots=True)
class Checked:
    """An order that was checked: as it will be filed, or None, and the problems it met."""

    order: Order | None
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Move:
    """An order that is carried out: of the seat with ``index`` in the hand of that name."""

    hand: str
    index: int
    order: Order


@dataclass(frozen=True, slots=True)
class Played:
    """What carrying out moves led to; ``done`` names the hands that go on to their next phase."""

    game: Game
    events: tuple[Event, ...]
    done: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Actions:
    """One phase's part of the rules.

    ``due`` gives the indexes of the seats that may act in a hand now; ``check`` holds an order
    of such a seat against the rules; ``default`` is what is used where none is there (RULES.md
    9.2), with the word that reports print; ``apply`` carries out a turn's moves of this phase.
    """

    due: Callable[[Game, Hand], tuple[int, ...]]
    check: Callable[[Game, Hand, int, Order], Checked]
    default: Callable[[Game, Hand, int], tuple[Order, str]]
    apply: Callable[[Game, Sequence[Move]], Played]


def refuse(hand: Hand, fault: Fault, figures: Figures = NO_FIGURES) -> Checked:
    """Return the refusal of an order for a hand."""
    return Checked(None, (Problem(fault, figures, hand=hand.name),))


def not_held(seat: Seat, wanted: Sequence[Card], hand: Hand) -> Checked | None:
    """Return the refusal of cards that the seat does not hold face down, else None."""
    if without(seat.hidden, wanted) is not None:
        return None
    left = list(seat.hidden)
    missing: list[Card] = []
    for card in wanted:
        if card in left:
            left.remove(card)
        else:
            missing.append(card)
    figures = Figures(cards=tuple(missing), held=tuple(sorted(seat.hidden)))
    return refuse(hand, Fault.NOT_HELD, figures)


def the_pair_or_all(game: Game, hand: Hand) -> tuple[str, ...] | None:
    """Return who may know of the hand's exposed cards: None for everybody (RULES.md 3.4)."""
    if game.rules.choice("exposed_to") == "all":
        return None
    return tuple(seat.player for seat in hand.seats)
