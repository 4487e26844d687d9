"""Reads the table that an order begins with: ``A``, ``Table A``, ``A:``, ``A2``, ``In hand A:``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from postal.engine.problems import Fault, Figures
from postal.engine.words import ALL_TABLES
from postal.ordertext.types import Context, Refusal

_BEFORE = r"(?P<before>(?:for|in|on|at) (?:my )?)?"
_MARK = r"(?P<mark>(?:[-=]>|[ :).,\-→])*)"
_HEAD = re.compile(
    rf"{_BEFORE}(?P<word>(?:table|hand) )?(?P<letter>[^\W\d_])(?P<number>[0-9]{{1,2}})?"
    rf"(?=[ :).,\-→]|=>|$){_MARK}"
)
_ALL = re.compile(
    rf"{_BEFORE}all(?P<word> (?:my |the )?(?:tables|hands))?(?=[ :),\-]|$)(?P<mark>[ :),\-]*)"
)
_COLON = re.compile(r"colon(?: |$)")
"""How those who dictate write ``:``."""


@dataclass(frozen=True, slots=True)
class Head:
    """The table an order is for, as written, and the folded words that follow it.

    ``table`` is a letter in upper case or ALL_TABLES; ``hand`` the name of the player's hand
    there, empty where he has none; ``number`` what he wrote after the letter; ``colon`` whether
    a colon stands behind it, ``worded`` whether ``table`` or ``hand`` stands before it.
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

    @property
    def article(self) -> bool:
        """Whether the letter could be a word of English, which nothing beside it rules out."""
        return self.table in ("A", "I") and not (self.colon or self.worded or self.number)


def read_head(folded: str, context: Context) -> Head | None:
    """Return the table that a folded line begins with, known or not; None where none does."""
    found = _ALL.match(folded)
    if found:
        head = _head(ALL_TABLES, "", "", found, folded)
        return head if _stands(found, head) else None
    found = _HEAD.match(folded)
    if found is None:
        return None
    table = found["letter"].upper()
    head = _head(table, context.hands.get(table, ""), found["number"] or "", found, folded)
    return head if _stands(found, head) else None


def _head(table: str, hand: str, number: str, found: re.Match[str], folded: str) -> Head:
    rest, colon = folded[found.end() :], ":" in found["mark"]
    dictated = _COLON.match(rest)
    if dictated:
        rest, colon = rest[dictated.end() :], True
    return Head(table, hand, number, colon, bool(found["word"]), rest)


def _stands(found: re.Match[str], head: Head) -> bool:
    """Whether what stands around the letter makes it a table: ``A, fold`` and ``In A`` don't."""
    if found["before"] and not (head.worded or head.colon):
        return False
    return "," not in found["mark"] or head.worded


def no_such_hand(head: Head, context: Context) -> Refusal:
    """Return the answer to an order for a hand that the player does not have."""
    if head.hand:
        written = f"{head.table}{head.number}"
        figures = Figures(table=head.table, hands=(head.hand,), text=written)
        return Refusal(Fault.HAND_NUMBER, figures)
    hands = tuple(context.hands[table] for table in sorted(context.hands))
    figures = Figures(table=head.table, hands=hands)
    return Refusal(Fault.NO_HAND_THERE if hands else Fault.NO_HANDS, figures)
