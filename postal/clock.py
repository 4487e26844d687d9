"""The one place that time comes from, and when a deadline falls (RULES.md 9.1)."""

import time as machine
from collections.abc import Mapping
from datetime import UTC, datetime, time, timedelta
from functools import lru_cache
from typing import Protocol
from zoneinfo import ZoneInfo, available_timezones


class Clock(Protocol):
    """Tells what time it is; handed to whatever needs to know."""

    def now(self) -> datetime:
        """Return the present time, aware and in UTC."""
        ...

    def steady(self) -> float:
        """Return seconds that only ever go on, whatever the clock is set to: for waiting."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """Return the machine's time in UTC."""
        return datetime.now(UTC)

    def steady(self) -> float:
        """Return the seconds of the machine's monotonic time."""
        return machine.monotonic()


class ManualClock:
    """A clock that stands still until it is moved: tests and the demo skip the waiting with it."""

    def __init__(self, start: datetime) -> None:
        """Stand at ``start``, an aware time; ValueError for a naive one."""
        self._now = _in_utc(start)
        self._steady = 0.0

    def now(self) -> datetime:
        """Return the time it was last moved to, in UTC."""
        return self._now

    def steady(self) -> float:
        """Return by how many seconds it was moved on."""
        return self._steady

    def advance(self, step: timedelta) -> datetime:
        """Move on by ``step`` and return the new time; ValueError for a step back."""
        if step < timedelta(0):
            raise ValueError("time does not run backwards")
        self._now += step
        self._steady += step.total_seconds()
        return self._now

    def move_to(self, moment: datetime) -> datetime:
        """Move on to ``moment``, staying where that is already past, and return the new time."""
        return self.advance(max(timedelta(0), _in_utc(moment) - self._now))

    def set(self, moment: datetime) -> None:
        """Show another time from now on, as a clock that somebody sets: no time passes."""
        self._now = _in_utc(moment)


class ClockWatch:
    """Notices when a clock is set, or the machine sleeps, which leaves steady time behind."""

    def __init__(self, clock: Clock) -> None:
        """Take the clock as it goes now."""
        self._clock = clock
        self._offset = self._measured()

    def jump(self) -> timedelta:
        """Return how far the clock has jumped since this was last asked, back below zero."""
        before, self._offset = self._offset, self._measured()
        return timedelta(seconds=self._offset - before)

    def _measured(self) -> float:
        return self._clock.now().timestamp() - self._clock.steady()


def at_wall(wall: datetime, zone_name: str) -> datetime:
    """Return when clocks in a zone show the naive time ``wall``, as UTC.

    A time that the clocks skip moves forward by what they skip; of one that comes twice it is the
    first. Raises ValueError for an unknown zone.

    >>> at_wall(datetime(2026, 10, 25, 1, 30), "Europe/London").hour
    0
    """
    # fold=0: the earlier offset, which is the first of a fold and carries a gap's hour past it.
    return wall.replace(tzinfo=_zone(zone_name), fold=0).astimezone(UTC)


def wall_at(moment: datetime, zone_name: str) -> datetime:
    """Return what clocks in a zone show at an aware time, as a naive one."""
    return _in_utc(moment).astimezone(_zone(zone_name)).replace(tzinfo=None, fold=0)


def deadline_after(start: datetime, days: int, hour: int, zone_name: str) -> datetime:
    """Return the deadline of a turn that began at ``start``, as UTC.

    It is ``hour``:00 on the wall (0 to 23) in the zone, ``days`` days (1 or more) after the local
    date of ``start``; for gaps and folds see ``at_wall``. Raises ValueError for a naive start, a
    figure out of range or an unknown zone.

    >>> deadline_after(datetime(2026, 3, 22, 23, 30, tzinfo=UTC), 7, 20, "Europe/London").hour
    19
    """
    if days < 1:
        raise ValueError("a turn lasts at least a day")
    date = wall_at(start, zone_name).date() + timedelta(days=days)
    return at_wall(datetime.combine(date, time(hour)), zone_name)


def zone_called(text: str) -> str | None:
    """Return the name of the zone that is meant, in whatever case it is written, else None."""
    return _zones_by_key().get(text.strip().casefold())


@lru_cache(maxsize=1)
def _zones_by_key() -> Mapping[str, str]:
    return {name.casefold(): name for name in sorted(available_timezones())}


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (LookupError, OSError, ValueError) as error:  # OSError: the name of a folder
        raise ValueError(f"{name!r} is no time zone") from error


def _in_utc(moment: datetime) -> datetime:
    """Return an aware time in UTC; ValueError for a naive one."""
    if moment.tzinfo is None:
        raise ValueError("a time needs its zone")
    return moment.astimezone(UTC)
