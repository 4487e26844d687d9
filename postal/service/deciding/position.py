"""What a seat has to decide on: what is asked of it, its hands and its money."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from postal.engine.cards import Card
from postal.engine.view import Due, GameView

DueKind = Literal["give", "keep", "expose", "bet"]
_KINDS: dict[str, DueKind] = {"give": "give", "keep": "keep", "expose": "expose"}


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of a seat at one hand; sums are whole pounds.

    ``examples`` are lines ready to edit; ``neighbours`` the names by seats onward, in a give;
    ``owed`` what the opponent is ahead by, ``least`` and ``most`` a raise, in a bet.
    """

    hand: str
    table: str
    kind: DueKind
    examples: tuple[str, ...] = field(repr=False)
    neighbours: Mapping[int, str]
    owed: int
    least: int
    most: int

    @property
    def verbs(self) -> tuple[str, ...]:
        """The verbs of the examples, in their order."""
        return tuple(dict.fromkeys(line.split()[1] for line in self.examples))

    @property
    def may_expose(self) -> bool:
        """Whether a card can be named ahead of time beside the bet (RULES.md 5.4)."""
        return self.kind == "bet" and any(" expose " in line for line in self.examples)


@dataclass(frozen=True, slots=True)
class Held:
    """One hand of the seat as it may see it: cards, and the pounds that it paid."""

    hidden: tuple[Card, ...] = field(default=(), repr=False)
    shown: tuple[Card, ...] = field(default=(), repr=False)
    against: tuple[Card, ...] = field(default=(), repr=False)
    paid: int = 0


class Position(Protocol):
    """What somebody decides on, wherever he has it from: a mailed report or the seat's view."""

    @property
    def asked(self) -> tuple[Asked, ...]:
        """What is asked, hand by hand."""
        ...

    @property
    def hands(self) -> Mapping[str, Held]:
        """His hands by their names."""
        ...

    @property
    def cash(self) -> int:
        """His money in pounds."""
        ...


@dataclass(frozen=True, slots=True)
class Seen:
    """A position as the seat's view has it."""

    asked: tuple[Asked, ...]
    hands: Mapping[str, Held] = field(repr=False)
    cash: int


def seen(view: GameView) -> Seen:
    """Return what a seat has to decide on; what can't be changed is left out (2.4, 10.7)."""
    free = (due for due in view.due if not (due.final or due.fixed))
    return Seen(
        asked=tuple(_asked(due) for due in free if due.examples),
        hands={
            hand.name: Held(
                hidden=seat.hidden or (),
                shown=seat.shown or (),
                against=tuple(
                    card for other in hand.seats if other is not seat for card in other.shown or ()
                ),
                paid=seat.paid,
            )
            for _, hand, seat in view.mine()
        },
        cash=view.balance,
    )


def _asked(due: Due) -> Asked:
    most = due.reach.most
    return Asked(
        hand=due.hand,
        table=due.table,
        kind=_KINDS.get(due.kind, "bet"),
        examples=due.examples,
        neighbours={},
        owed=due.owed,
        least=due.min_raise if most else 0,
        most=most,
    )
