"""Days as settings name them: weekdays that deadlines fall on, and quiet days that they skip."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import date
from functools import lru_cache

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

QUIET_HELP = (
    "must be days such as sun, 12-25, 2026-12-24 or 2026-12-24 to 2027-01-02, parted by commas"
)
"""How quiet days are written."""

_DAY = r"(?:(\d{4})-)?(\d\d)-(\d\d)"
_SPAN = re.compile(rf"{_DAY}(?:\s+to\s+{_DAY})?", re.ASCII)
_LEAP_YEAR = 2028
_LEAST = 3

Quiet = Callable[[date], bool]
"""Whether a day is quiet."""


def weekday(text: str) -> int | None:
    """Return the weekday that a word names, Monday as 0; None for any other word.

    >>> weekday("Tue"), weekday("tuesday"), weekday("t")
    (1, 1, None)
    """
    word = text.strip().lower()
    found = (at for at, name in enumerate(WEEKDAYS) if name.startswith(word))
    return next(found, None) if len(word) >= _LEAST else None


def weekdays(text: str) -> tuple[int, ...]:
    """Return the weekdays of a list such as ``tue, fri``; ValueError where one is none."""
    found = [weekday(part) for part in _parts(text)]
    if not found or None in found:
        raise ValueError("must be a number of days, or weekdays such as tue,fri")
    return tuple(sorted({one for one in found if one is not None}))


def whole_days(text: str) -> tuple[int, ...]:
    """Return the lengths of a list such as ``7,7,3``; ValueError where one is none."""
    parts = _parts(text)
    if not parts or not all(re.fullmatch(r"[0-9]{1,3}", part) for part in parts):
        raise ValueError("must be a number of days, or several such as 7,7,3")
    days = tuple(map(int, parts))
    for bound, beyond, word in ((1, min(days) < 1, "least"), (366, max(days) > 366, "most")):  # noqa: PLR2004 - a year
        if beyond:
            raise ValueError(f"must be at {word} {bound}")
    return days


@lru_cache(maxsize=64)
def quiet_days(text: str) -> tuple[Quiet, ...]:
    """Return what tells quiet days, each part of a list its own; ValueError where one is none.

    A part is a weekday, a day of every year, a day of one year, or such a day ``to`` another.
    """
    return tuple(map(_quiet, _parts(text)))


def _parts(text: str) -> list[str]:
    return [part for part in (one.strip() for one in text.split(",")) if part]


def _quiet(text: str) -> Quiet:
    at = weekday(text)
    if at is not None:
        return lambda day: day.weekday() == at
    found = _SPAN.fullmatch(text.strip())
    if found is None:
        raise ValueError(QUIET_HELP)
    first, last = found.groups()[:3], found.groups()[3:]
    if last[1] is None:
        last = first
    if (first[0] is None) != (last[0] is None):
        raise ValueError(QUIET_HELP)
    begin, end = _checked(first), _checked(last)
    if first[0] is not None:
        if end < begin:
            raise ValueError(f"has a span that ends before it begins: {text}")
        return lambda day: begin <= day <= end
    return _of_every_year((begin.month, begin.day), (end.month, end.day))


def _of_every_year(first: tuple[int, int], last: tuple[int, int]) -> Quiet:
    def quiet(day: date) -> bool:
        now = (day.month, day.day)
        # A span such as 12-24 to 01-02 goes over the end of the year.
        return first <= now <= last if first <= last else now >= first or now <= last

    return quiet


def _checked(groups: Iterable[str | None]) -> date:
    year, month, day = groups
    try:
        return date(int(year or _LEAP_YEAR), int(month or 0), int(day or 0))
    except ValueError as error:
        raise ValueError(QUIET_HELP) from error
