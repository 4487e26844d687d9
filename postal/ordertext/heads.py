"""Reads the table that an order begins with: ``A``, ``Table A``, ``A:``, ``A2``, ``A -``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from postal.engine.problems import Fault, Figures
from postal.engine.words import ALL_TABLES
from postal.ordertext.types import Context, Refusal

_HEAD = re.compile(
    r"(?P<word>(?:table|hand) )?(?P<letter>[^\W\d_])(?P<number>[0-9]{1,2})?"
    r"(?=[ :).\-→]|=>|$)(?P<mark>(?:[-=]>|[ :).\-→])*)"
)
_ALL = re.compile(r"all(?: (?:tables|hands))?(?=[ :)\-]|$)(?P<mark>[ :)\-]*)")


@dataclass(frozen=True, slots=True)
class Head:
    """The table an order is for, as written, and the folded words that follow it.

    ``table`` is a letter in upper case or ALL_TABLES; ``hand`` the name of the player's hand
    there, empty where he has none; ``number`` what he wrote after the letter; ``colon`` whether
    a colon stands behind it, which makes a line meant as an order.
    """

    table: str
    hand: str
    number: str
    colon: bool
    worded: bool
    rest: str

    @property
    def known(self) -> bool:
        """Whether this is one of the player's hands, or all of them."""
        return self.table == ALL_TABLES or bool(
            self.hand and self.number in ("", self.hand.removeprefix(self.table))
        )


def read_head(folded: str, context: Context) -> Head | None:
    """Return the table that a folded line begins with, known or not; None where none does."""
    found = _ALL.match(folded)
    if found:
        return Head(
            table=ALL_TABLES,
            hand="",
            number="",
            colon=":" in found["mark"],
            worded=False,
            rest=folded[found.end() :],
        )
    found = _HEAD.match(folded)
    if found is None:
        return None
    table = found["letter"].upper()
    return Head(
        table=table,
        hand=context.hands.get(table, ""),
        number=found["number"] or "",
        colon=":" in found["mark"],
        worded=bool(found["word"]),
        rest=folded[found.end() :],
    )


def no_such_hand(head: Head, context: Context) -> Refusal:
    """Return the answer to an order for a hand that the player does not have."""
    if head.hand:
        written = f"{head.table}{head.number}"
        figures = Figures(table=head.table, hands=(head.hand,), text=written)
        return Refusal(Fault.HAND_NUMBER, figures)
    hands = tuple(context.hands[table] for table in sorted(context.hands))
    figures = Figures(table=head.table, hands=hands)
    return Refusal(Fault.NO_HAND_THERE if hands else Fault.NO_HANDS, figures)
