"""Players' holidays: which days count in which game, and deadlines that move past them (9.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

from sqlmodel import Session

from postal.clock import at_wall, zone_called
from postal.reports import HolidayFact
from postal.service.loading import LoadedGame, UnreadableGameError, load_game
from postal.service.turns.calendar import calendar_of
from postal.service.turns.deadlines import move
from postal.service.workplace import Workplace
from postal.store.absences import absences_of, games_of_absent, gm_moved_at
from postal.store.holders import seats_held_since
from postal.store.people import seats_held
from postal.store.rows import AbsenceRow, GameStatus, JournalRow, PersonRow

LONGEST = 366
"""The most days of one holiday, and how far ahead its last one may lie."""

_DAY = timedelta(days=1)
_MOST_MOVES = 50


@dataclass(frozen=True, slots=True)
class HolidayPlan:
    """A holiday that a person asks for: both days and those between, and what comes of it by game.

    ``problem`` says why it can't be had, if it can't: it is over, or too long or too far ahead.
    """

    first: date
    last: date
    games: tuple[HolidayFact, ...] = ()
    problem: Literal["", "over", "long"] = ""


def follow_holidays(work: Workplace) -> int:
    """Move every deadline in play that lies in a holiday of a player past it; return how many.

    It moves whether or not his orders are in, and nobody is told whose holiday it is (10.3). Where
    the GM has set the deadline since the holiday was asked for, his word stands.
    """
    today = work.clock.now().date()
    with work.database.reading() as session:
        rows = games_of_absent(session, today - timedelta(days=LONGEST))
        found: list[tuple[str, int, datetime]] = []
        for row in rows:
            # A game that can't be read is set aside when its turn is due.
            with suppress(UnreadableGameError):
                loaded = load_game(session, row)
                later = past_holidays(session, loaded)
                if later is not None and loaded.turn is not None:
                    found.append((row.slug, loaded.turn.number, later))
    return sum(move(work, slug, number, later, "holiday") for slug, number, later in found)


def past_holidays(session: Session, loaded: LoadedGame) -> datetime | None:
    """Return the deadline past all holidays that the one in play lies in; None: it lies in none."""
    turn = loaded.turn
    if turn is None or turn.deadline is None or loaded.rules.choice("holiday") != "move":
        return None
    gm = gm_moved_at(session, loaded.id, turn.number, turn.opened_at)
    away = list(_away(session, loaded, gm))
    deadline, calendar = turn.deadline, calendar_of(loaded.row)
    for _ in range(_MOST_MOVES):
        ends = [end for one in away if (end := one.end_of(deadline)) is not None]
        if not ends:
            break
        deadline = at_wall(calendar.after(max(ends)), loaded.row.zone)
    return deadline if deadline != turn.deadline else None


def plan_holiday(
    session: Session, person: PersonRow, first: date, last: date, now: datetime
) -> HolidayPlan:
    """Return what comes of a holiday that a person asks for now, in each of his games in play."""
    if last - first >= LONGEST * _DAY or last - now.date() > LONGEST * _DAY:
        return HolidayPlan(first, last, problem="long")
    facts: list[HolidayFact] = []
    over = True
    for seat, row in seats_held(session, person.id or 0):
        if row.status is not GameStatus.RUNNING:
            continue
        zone = _zone(person, row.zone)
        today = now.astimezone(zone).date()
        over = over and last < today
        with suppress(UnreadableGameError):
            loaded = load_game(session, row)
            held = loaded.seat_by_id(seat.id or 0)
            wish = AbsenceRow(
                id=0, person_id=person.id or 0, first=max(first, today), last=last, asked_at=now
            )
            rows = [*absences_of(session, [person.id or 0]), wish]
            since = seats_held_since(session, [held.id])[held.id].astimezone(zone).date()
            days = _counted(rows, loaded.rules.number("holiday_days"), since, zone)
            asked = set(_days(wish.first, wish.last))
            moves = loaded.rules.choice("holiday") == "move"
            facts.append(HolidayFact(row.slug, moves, len(asked & days), len(asked)))
    if over:
        return HolidayPlan(first, last, problem="over")
    return HolidayPlan(first, last, tuple(facts))


def today_of(person: PersonRow, zone: str, now: datetime) -> date:
    """Return which day it is by a person's clocks, or by those of a zone."""
    return now.astimezone(_zone(person, zone)).date()


def journal(session: Session, person_id: int, who: str, what: str, now: datetime) -> None:
    """Note a holiday, or its end, in every game in play of a person."""
    for seat, row in seats_held(session, person_id):
        if row.status is GameStatus.RUNNING:
            session.add(
                JournalRow(
                    at=now,
                    game_id=row.id,
                    who=who or seat.name,
                    what="holiday",
                    sentence=f"{seat.name}: {what}",
                )
            )


@dataclass(frozen=True, slots=True)
class _Away:
    """The days of a player's holidays that count, in his zone, each with when it was asked for."""

    days: dict[date, datetime]
    zone: ZoneInfo

    def end_of(self, deadline: datetime) -> datetime | None:
        """Return when the days off that a deadline lies in are over; None: it lies in none."""
        day = deadline.astimezone(self.zone).date()
        if day not in self.days or self.days[day] > deadline:
            return None
        while day in self.days:
            day += _DAY
        return at_wall(datetime.combine(day, time(0)), self.zone.key)


def _away(session: Session, loaded: LoadedGame, gm: datetime | None) -> Iterator[_Away]:
    """Yield the days off of each player who still plays a hand (9.5)."""
    playing = {seat.player for hand in loaded.game.hands if not hand.over for seat in hand.seats}
    seats = [seat for seat in loaded.seats if seat.name in playing and not seat.person.robot]
    rows = absences_of(session, [seat.person.id or 0 for seat in seats])
    begun = seats_held_since(session, [seat.id for seat in seats])
    for seat in seats:
        mine = [row for row in rows if row.person_id == seat.person.id]
        if not mine:
            continue
        zone = _zone(seat.person, loaded.row.zone)
        since = begun[seat.id].astimezone(zone).date()
        counted = _counted(mine, loaded.rules.number("holiday_days"), since, zone)
        days: dict[date, datetime] = {}
        for row in mine:
            if row.ended_at is None and (gm is None or gm < row.asked_at):
                for day in _days(row.first, row.last):
                    if day in counted:
                        days.setdefault(day, row.asked_at)
        yield _Away(days, zone)


def _counted(rows: Sequence[AbsenceRow], most: int, since: date, zone: ZoneInfo) -> set[date]:
    """Return the days that count in a game: the first so many, in the order they were asked for.

    Of a holiday that was taken back those count that were over by then.
    """
    days: dict[date, None] = {}
    for row in rows:
        last = row.last
        if row.ended_at is not None:
            last = min(last, row.ended_at.astimezone(zone).date() - _DAY)
        days |= dict.fromkeys(_days(max(row.first, since), last))
    return set(list(days)[:most])


def _days(first: date, last: date) -> Iterator[date]:
    day = first
    while day <= last:
        yield day
        day += _DAY


def _zone(person: PersonRow, other: str) -> ZoneInfo:
    named = zone_called(person.zone) if person.zone else None
    return ZoneInfo(named or other)
