"""When a game's turns end: lengths or weekdays, a time of day in a zone, quiet days (9.1)."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from postal.clock import at_wall, wall_at
from postal.config.days import WEEKDAYS, quiet_days
from postal.config.sections import Game as GameSettings
from postal.engine.book import Book
from postal.engine.game import on_notice
from postal.engine.rules import AntePhase, DealPhase, HandsPhase
from postal.engine.state import Game
from postal.errors import UsageError
from postal.service.loading import notice_ends
from postal.store.rows import GameRow, TurnRow

_DAY = timedelta(days=1)
_FARTHEST = 800
"""Days that are looked through for one that isn't quiet: beyond them quiet days don't count."""

_REMIND = 24
"""Hours before the deadline at which who owes is reminded, where a game says nothing."""

_LONG_AGO = datetime(2001, 1, 1, tzinfo=UTC)
"""A time that nobody means by a day of one year."""

_UNASKED = (HandsPhase, DealPhase, AntePhase)
"""Phases in which nothing is asked of anybody, so that they are no stage of the game."""


@dataclass(frozen=True, slots=True)
class Calendar:
    """When turns end: ``turn_length`` days on, at ``hour``:``minute`` in ``zone``, a zone's name.

    ``lengths`` has the days of each stage of the game, the last for all further ones (empty:
    ``turn_length`` for all). With ``weekdays`` (0: Monday) a turn ends on the next of them, however
    long that is. A deadline is ``least`` hours or more after the report, and never on a day that
    ``quiet`` names. Whoever owes orders is reminded ``remind`` hours before it (0: never).
    """

    turn_length: int
    hour: int
    zone: str
    minute: int = 0
    lengths: tuple[int, ...] = ()
    weekdays: tuple[int, ...] = ()
    least: int = 0
    quiet: str = ""
    remind: int = _REMIND

    def days(self, stage: int) -> int:
        """Return how many days a turn of a stage lasts, the first being 0."""
        return self.lengths[min(stage, len(self.lengths) - 1)] if self.lengths else self.turn_length

    def wall(self, opened_at: datetime, stage: int = 0, after: datetime | None = None) -> datetime:
        """Return the deadline, on the wall in the zone, of a turn that opens at ``opened_at``.

        It is no sooner than ``after`` where that is set (both aware). Quiet days, and all that is
        too soon, are skipped day by day.
        """
        soonest = max(opened_at + timedelta(hours=self.least), after or opened_at)
        begun = opened_at.astimezone(ZoneInfo(self.zone)).date()
        first = begun if self.weekdays else begun + self.days(stage) * _DAY
        found = self._first(first, opened_at, soonest, self.quiet)
        return found or self._first(first, opened_at, soonest) or self._on(first + _DAY)

    def _first(
        self, day: date, opened_at: datetime, soonest: datetime, quiet: str = ""
    ) -> datetime | None:
        """Return the first time from a day on that is allowed, None where none is near."""
        rules = quiet_days(quiet)
        for _ in range(_FARTHEST):
            allowed = not self.weekdays or day.weekday() in self.weekdays
            if allowed and not any(rule(day) for rule in rules):
                moment = at_wall(self._on(day), self.zone)
                if opened_at < moment and soonest <= moment:
                    return self._on(day)
            day += _DAY
        return None

    def later(self, wall: datetime, days: int) -> datetime:
        """Return a deadline that many days after another, on the wall, no quiet day."""
        moment = at_wall(wall, self.zone)
        found = self._first(wall.date() + days * _DAY, moment, moment, self.quiet)
        return found or wall + days * _DAY

    def after(self, moment: datetime) -> datetime:
        """Return the first deadline, on the wall, that is no sooner than a moment (aware)."""
        day = moment.astimezone(ZoneInfo(self.zone)).date()
        before = moment - _DAY
        found = self._first(day, before, moment, self.quiet) or self._first(day, before, moment)
        return found or self._on(day + _DAY)

    def remind_at(self, now: datetime, deadline: datetime) -> datetime | None:
        """Return when to remind of a deadline (aware); None: never, or it would be too soon."""
        at = deadline - timedelta(hours=self.remind)
        return at if self.remind and at > now else None

    def leaves_no_day(self) -> bool:
        """Return whether the quiet days of every week and every year are all there are."""
        return self._first(_LONG_AGO.date(), _LONG_AGO, _LONG_AGO, self.quiet) is None

    def _on(self, day: date) -> datetime:
        return datetime.combine(day, time(self.hour, self.minute))

    def words(self) -> str:
        """Return when turns end as part of a sentence: ``every 7 days at 20:00 (Europe/London)``.

        Its weekdays, quiet days and the least time are in it too.
        """
        at = f"at {self.hour:02}:{self.minute:02} ({self.zone})"
        if self.weekdays:
            names = [WEEKDAYS[one].capitalize() for one in self.weekdays]
            when = f"every {' and '.join(filter(None, (', '.join(names[:-1]), names[-1])))}"
        elif len(set(self.lengths)) > 1:
            when = f"after {', '.join(map(str, self.lengths))} days by stage"
        else:
            when = f"every {self.days(0)} day{'s' * (self.days(0) != 1)}"
        least = f", {self.least} hours or more after the report" if self.least else ""
        return f"{when} {at}{least}{f', not on {self.quiet}' if self.quiet else ''}"


def of_settings(settings: GameSettings) -> Calendar:
    """Return the calendar that the config asks for; UsageError where it leaves no day."""
    lengths, every = settings.lengths(), settings.every_days()
    calendar = Calendar(
        turn_length=lengths[0],
        hour=settings.hour,
        zone=settings.zone,
        minute=settings.minute,
        lengths=lengths if len(lengths) > 1 else (),
        weekdays=every,
        least=settings.min_hours,
        quiet=settings.quiet,
        remind=settings.remind,
    )
    if calendar.leaves_no_day():
        raise UsageError("The quiet days leave no day for a deadline: take one out of them.")
    return calendar


def stored(calendar: Calendar) -> str:
    """Return what a GameRow keeps of a calendar beside its own columns, as JSON text."""
    return json.dumps(
        {
            "minute": calendar.minute,
            "lengths": calendar.lengths,
            "weekdays": calendar.weekdays,
            "least": calendar.least,
            "quiet": calendar.quiet,
            "remind": calendar.remind,
        }
    )


def calendar_of(row: GameRow) -> Calendar:
    """Return a game's calendar; one of a time without more than a length and an hour is as then."""
    calendar = Calendar(row.turn_length, row.hour, row.zone)
    kept: dict[str, Any] = json.loads(row.calendar) if row.calendar else {}
    lists = {name: tuple(value) for name, value in kept.items() if isinstance(value, list)}
    return replace(calendar, **{**kept, **lists})


def stage(game: Game) -> int:
    """Return which stage of the game a turn belongs to, counted from 0: that of its first hand.

    Each phase that asks something of players is one, in the order of the rules.
    """
    at = min((hand.phase for hand in game.hands if not hand.over), default=0)
    return sum(not isinstance(phase, _UNASKED) for phase in game.rules.phases[:at])


def next_wall(row: GameRow, game: Game, opened_at: datetime) -> datetime:
    """Return the deadline of a turn that opens now (9.1), on the wall in the game's zone.

    It is later by as many days as it takes, where somebody was just dropped: he has his notice
    (9.4), and all are told one deadline that holds.
    """
    notice = notice_ends(game.rules, opened_at) if on_notice(game, Book()) else None
    return calendar_of(row).wall(opened_at, stage(game), notice)


def opened(row: GameRow, game: Game, opened_at: datetime) -> TurnRow:
    """Return the row of a turn that opens now, with its deadline."""
    wall = next_wall(row, game, opened_at)
    deadline = at_wall(wall, row.zone)
    remind_at = calendar_of(row).remind_at(opened_at, deadline)
    return TurnRow(
        game_id=row.id or 0,
        number=game.turn,
        opened_at=opened_at,
        deadline=deadline,
        zone=row.zone,
        wall=wall.isoformat(timespec="minutes"),
        remind_at=remind_at,
    )


def later_deadline(row: GameRow, deadline: datetime, now: datetime, days: int) -> datetime:
    """Return a deadline so many days after another, at its time of day, all aware.

    Where the program was off meanwhile they are reckoned from today: whoever is waited for has as
    many days all the same.
    """
    told, today = wall_at(deadline, row.zone), wall_at(now, row.zone)
    begun = told + max(timedelta(0), timedelta(days=(today.date() - told.date()).days))
    return at_wall(calendar_of(row).later(begun, days), row.zone)


def wall_text(deadline: datetime, zone: str) -> str | None:
    """Return a deadline (aware) as it stands on the wall in a zone, for a turn's row.

    None where the same wall time means another moment too: the second time of a fold.
    """
    wall = wall_at(deadline, zone)
    return wall.isoformat(timespec="minutes") if at_wall(wall, zone) == deadline else None
