"""The orders that players can give, each with its canonical line.

An order names a table by its letter: a player has one hand at each table (RULES.md 1.4).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from postal.engine.cards import Card, cards_text
from postal.engine.problems import Problem
from postal.engine.words import DIRECTIONS, Limit, Verb


@dataclass(frozen=True, slots=True)
class Gift:
    """Cards for one neighbour: ``to`` counts seats onward, 1 the next and -1 the previous."""

    to: int
    cards: tuple[Card, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Give:
    """Give cards to neighbours at a table (RULES.md 2.2)."""

    table: str
    gifts: tuple[Gift, ...]

    def line(self) -> str:
        """Return the canonical line, for example ``A: give 2C 5D next, 9H previous``."""
        parts = (
            f"{cards_text(gift.cards)} {DIRECTIONS.get(gift.to, gift.to)}" for gift in self.gifts
        )
        return f"{self.table}: give {', '.join(parts)}"


@dataclass(frozen=True, slots=True)
class Keep:
    """Keep some cards, face down but for those exposed (RULES.md 3.1, 3.2)."""

    table: str
    cards: tuple[Card, ...] = field(repr=False)
    expose: tuple[Card, ...] = field(repr=False)

    def line(self) -> str:
        """Return the canonical line, ``A: keep AS AD AH KC QD expose AS AD KC``."""
        return f"{self.table}: keep {cards_text(self.cards)} expose {cards_text(self.expose)}"


@dataclass(frozen=True, slots=True)
class Discard:
    """Keep all but the cards named: another way to say Keep, which it becomes when checked."""

    table: str
    cards: tuple[Card, ...] = field(repr=False)
    expose: tuple[Card, ...] = field(repr=False)

    def line(self) -> str:
        """Return the line ``A: discard 2C 5D expose AS AD KC``."""
        return f"{self.table}: discard {cards_text(self.cards)} expose {cards_text(self.expose)}"


@dataclass(frozen=True, slots=True)
class Expose:
    """Turn up hidden cards when an exposure is due (RULES.md 5.4)."""

    table: str
    cards: tuple[Card, ...] = field(repr=False)

    def line(self) -> str:
        """Return the canonical line, ``A: expose KD``."""
        return f"{self.table}: expose {cards_text(self.cards)}"


@dataclass(frozen=True, slots=True)
class Bet:
    """Raise, stay, fold, check or call; ``amount`` is the pounds a raise adds (RULES.md 5, 6).

    ``expose`` names cards ahead of time for the exposure after a stay (5.4). ``table`` may be
    ALL_TABLES.
    """

    table: str
    verb: Verb
    amount: int = 0
    expose: tuple[Card, ...] = field(default=(), repr=False)

    def line(self) -> str:
        """Return the canonical line, ``A: raise 40000 expose 9C`` or ``A: stay``."""
        amount = f" {self.amount}" if self.verb == "raise" else ""
        expose = f" expose {cards_text(self.expose)}" if self.expose else ""
        return f"{self.table}: {self.verb}{amount}{expose}"


@dataclass(frozen=True, slots=True)
class LimitRaise:
    """Raise the most or the least there is: another way to say Bet, which it becomes when checked.

    What it comes to is a matter of the moment: the limits of the stage (RULES.md 5.3) and, for
    the most, what the player can pay (8.2). ``table`` may be ALL_TABLES.
    """

    table: str
    limit: Limit
    expose: tuple[Card, ...] = field(default=(), repr=False)

    def line(self) -> str:
        """Return the line ``A: raise max expose 9C`` or ``A: raise min``."""
        expose = f" expose {cards_text(self.expose)}" if self.expose else ""
        return f"{self.table}: raise {self.limit}{expose}"


@dataclass(frozen=True, slots=True)
class Cancel:
    """Take back what is on file for a table, or for ALL_TABLES (ORDERS.md, Commands)."""

    table: str

    def line(self) -> str:
        """Return the canonical line, ``cancel A`` or ``cancel all``."""
        return f"cancel {self.table}"


Order = Give | Keep | Discard | Expose | Bet | LimitRaise
"""What can be on file for a hand (a Discard is filed as the Keep that it means, a LimitRaise as
the Bet)."""


@dataclass(frozen=True, slots=True)
class Line:
    """One order as read from a mail: its text, its line number (from 1) and what it means.

    ``assumed`` says that it names no table and was taken for the one hand that is due from the
    player, which he is told.
    """

    text: str = field(repr=False)
    number: int
    order: Order | Cancel
    assumed: bool = False

    def problem(self, found: Problem) -> Problem:
        """Return ``found`` with this line's text and number put in."""
        return replace(found, line=self.text, number=self.number)
