"""Makes out the sum that somebody meant who did not write it in a way that is read."""

from __future__ import annotations

import re

from postal.ordertext.money import read_money
from postal.ordertext.types import Refusal

_NUMBERS = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14,
    "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20,
    "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
_HUNDRED = 100
_SCALES = {"thousand": 1000, "grand": 1000, "k": 1000, "million": 1_000_000, "m": 1_000_000}
_MOST_WORDS = 12

SUM_WORDS = frozenset(_NUMBERS) | {"hundred", "thousand", "grand", "million"}
"""The words that a sum in words is made of, small ones apart."""

_POINTS = re.compile(r"[0-9]{1,3}(?:[.'][0-9]{3})+")
_PENCE = re.compile(r"([0-9]+|[0-9]{1,3}(?:,[0-9]{3})+)\.[0-9]{1,2}")
_PHONE = re.compile(r"\+?0[0-9]")
_SIGNS = "+=$€£ "
_MARKED = re.compile(r"[+£k]|[0-9]m\b|thousand|grand|million|pounds|quid")
_LEAST_BARE = 1000
_MANY_FIGURES = re.compile(r"[0-9]{7,}")


def sum_meant(text: str) -> int | None:
    """Return the pounds that a folded text can only mean, though it may not be read as such.

    ``forty thousand``, ``10.000``, ``40'000``, ``$40000``, ``+12000``, ``40000.50`` (its whole
    pounds); None where that is not clear. It is for a line to copy, never for one to file.
    """
    text = text.strip(" .,:!?")
    if _PHONE.match(text):
        return None
    plain = text.strip(_SIGNS)
    if _POINTS.fullmatch(plain):
        return int(re.sub(r"[.']", "", plain))
    pence = _PENCE.fullmatch(plain)
    if pence:
        return int(pence[1].replace(",", "")) or None
    pounds = read_money(plain, "")
    return _in_words(plain) if isinstance(pounds, Refusal) else pounds


def bare_sum(text: str) -> int | None:
    """Return the pounds of a text that is a sum and nothing else; None for a date or a number.

    Many figures without a mark between them are a telephone's.
    """
    pounds = sum_meant(text)
    if pounds is None or (pounds < _LEAST_BARE and not _MARKED.search(text)):
        return None
    return None if _MANY_FIGURES.fullmatch(text.strip(" .,:!?")) else pounds


def _in_words(text: str) -> int | None:
    """Return what ``forty thousand`` or ``a hundred and fifty k`` comes to."""
    words = text.replace("-", " ").split()
    if len(words) > _MOST_WORDS or SUM_WORDS.isdisjoint(words):
        return None
    total = part = 0
    named = False
    for word in words:
        if word in _NUMBERS:
            part, named = part + _NUMBERS[word], True
        elif word.isascii() and word.isdigit() and not part:
            part, named = int(word), True
        elif word == "hundred":
            part, named = (part or 1) * _HUNDRED, True
        elif word in _SCALES:
            total, part, named = total + (part or 1) * _SCALES[word], 0, True
        elif word not in {"a", "and", "pounds", "quid"}:
            return None
    return total + part if named else None
