"""Reads the spellings of sums of money, in whole pounds (ORDERS.md, Money)."""

from __future__ import annotations

import re

from postal.engine.problems import Fault, Figures
from postal.ordertext.types import Refusal

_SPELLED = re.compile(
    r"(?:gbp ?)?(?P<number>[0-9][0-9,. ']*|\.[0-9]+) ?"
    r"(?P<scale>thousand|million|k|m)? ?(?:£|gbp|pounds?|quid)?",
)
_WHOLE = re.compile(r"[0-9]+|[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,3}(?: [0-9]{3})+")
_PLAIN_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?|\.[0-9]+")
_SCALES = {"k": 3, "thousand": 3, "m": 6, "million": 6}
_THOUSANDS = 3
_NO_PENCE = "00"


def read_money(text: str, table: str) -> int | Refusal:
    """Return the pounds that a folded text means, from 0 up; ``table`` is what they are bet at.

    A point is a decimal point and only stands before ``k``, ``m`` or two noughts: ``0.04m`` is
    40000 and ``40,000.00`` too, but ``40.000`` could be forty or forty thousand and is refused.
    """
    found = _SPELLED.fullmatch(text.removeprefix("£").strip())
    if found is None:
        return refuse_sum(Fault.NOT_A_SUM, table, text)
    number, scale = found["number"].strip(), found["scale"]
    if scale:
        pounds = _scaled(number, _SCALES[scale])
        return refuse_sum(Fault.UNCLEAR_SUM, table, text) if pounds is None else pounds
    if _WHOLE.fullmatch(number):
        return int(number.replace(",", "").replace(" ", ""))
    whole, point, pence = number.rpartition(".")
    if point and _WHOLE.fullmatch(whole) and pence == _NO_PENCE:
        return int(whole.replace(",", "").replace(" ", ""))
    if point and _WHOLE.fullmatch(whole) and len(pence) < _THOUSANDS:
        return refuse_sum(Fault.PENCE, table, text)
    return refuse_sum(Fault.UNCLEAR_SUM, table, text)


def refuse_sum(fault: Fault, table: str, text: str = "") -> Refusal:
    """Return the refusal of a raise's sum as written."""
    return Refusal(fault, Figures(table=table, text=text))


def _scaled(number: str, zeros: int) -> int | None:
    """Return a number with its point moved right by ``zeros``; None where that is not clear."""
    if not _PLAIN_NUMBER.fullmatch(number):
        return None
    whole, point, decimals = number.partition(".")
    if len(decimals.rstrip("0")) > zeros or (point and zeros == _THOUSANDS == len(decimals)):
        return None
    return int(whole + decimals.rstrip("0").ljust(zeros, "0"))
