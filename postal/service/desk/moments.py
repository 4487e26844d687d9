"""Moments and spans as the GM writes them, such as ``2026-12-08 20:00``, ``2d`` and ``12h``."""

from __future__ import annotations

import re
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from postal.errors import UsageError

_SPAN = re.compile(r"(?:(\d{1,3})\s*d(?:ays?)?)?\s*(?:(\d{1,4})\s*h(?:ours?)?)?", re.IGNORECASE)


def span(text: str) -> timedelta:
    """Return a span of days and hours; UsageError for anything else, and for none at all."""
    found = _SPAN.fullmatch(text.strip())
    days, hours = (int(part or 0) for part in found.groups()) if found else (0, 0)
    if not days and not hours:
        raise UsageError(f"{text!r} is no length of time: write 2d, 12h or 1d 12h.")
    return timedelta(days=days, hours=hours)


def moment(text: str, now: datetime, zone_name: str, hour: int) -> datetime:
    """Return when that is, as UTC: wall time in a zone, or a span from now on.

    A day alone means ``hour``:00 on it. A time that the clocks skip moves forward, and of one that
    comes twice it is the first. UsageError for anything else and for what is past.
    """
    words = text.strip().replace("T", " ")
    try:
        day = datetime.fromisoformat(words)
    except ValueError:
        if any(char in words for char in "-:"):
            raise UsageError(
                f"{text!r} is no moment: write 2026-12-08 20:00, 2026-12-08 or 2d."
            ) from None
        return now + span(words)
    if day.tzinfo is None:
        if ":" not in words:
            day = datetime.combine(day.date(), time(hour))
        day = day.replace(tzinfo=ZoneInfo(zone_name))
    found = day.astimezone(UTC)
    if found <= now:
        raise UsageError(f"{text!r} is past: it is {now:%Y-%m-%d %H:%M} UTC now.")
    return found
