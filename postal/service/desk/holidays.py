"""A player's holiday as the GM notes it (``postal player holiday``)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from sqlmodel import Session

from postal.engine.view import view
from postal.errors import PostalError, UsageError
from postal.reports import HolidayFact
from postal.service.desk.people import find_person
from postal.service.inbound.addresses import game_to_tell_in
from postal.service.loading import LoadedGame
from postal.service.outbound.kinds import LetterKind
from postal.service.outbound.letters import Letter, Letters
from postal.service.overtaken import until_written
from postal.service.turns.holidays import (
    LONGEST,
    follow_holidays,
    journal,
    plan_holiday,
    today_of,
)
from postal.service.workplace import Workplace
from postal.store.absences import absences_of, end_absences
from postal.store.rows import AbsenceRow, PersonRow
from postal.store.seats import HeldSeat


@dataclass(frozen=True, slots=True)
class NotedHoliday:
    """Whose holiday is noted, from its first to its last day, and what comes of it by game."""

    name: str
    first: str
    last: str
    games: tuple[HolidayFact, ...]
    moved: int


def note_holiday(work: Workplace, named: str, first: str, last: str) -> NotedHoliday:
    """Note a person's holiday, both days included, and tell him; deadlines in it move past it.

    Days are ISO dates of his own zone. Raises UsageError for days that won't do, PostalError where
    there is no such person or he plays in no game.
    """
    begins, ends = _day(first), _day(last)
    if ends < begins:
        raise UsageError(f"The holiday ends before it begins: write {last} {first}.")

    def deed() -> NotedHoliday:
        now = work.clock.now()
        with work.database.reading() as session:
            person = find_person(session, named)
            loaded, seat = _written_of(session, person)
            plan = plan_holiday(session, person, begins, ends, now)
            if plan.problem == "over":
                raise UsageError("The days of that holiday are over.")
            if plan.problem == "long":
                raise UsageError(f"A holiday has {LONGEST} days at most and ends within as many.")
            letters = Letters(session, work)
            rendered = work.reports.holiday(
                letters.frame(loaded, seat),
                view(loaded.game, seat.name),
                "noted",
                (begins, ends),
                plan.games,
            )
            letters.to_player(loaded, seat, Letter(LetterKind.HOLIDAY, rendered, loaded.game.turn))
        with work.database.transaction() as session:
            person_id = person.id or 0
            session.add(AbsenceRow(person_id=person_id, first=begins, last=ends, asked_at=now))
            journal(session, person_id, "GM", f"holiday from {begins} to {ends}.", now)
            letters.queue(session)
        return NotedHoliday(person.name, first, last, plan.games, 0)

    done = until_written(deed)
    moved = follow_holidays(work)
    return NotedHoliday(done.name, done.first, done.last, done.games, moved)


def cancel_holidays(work: Workplace, named: str) -> str:
    """Take back every holiday of a person that is not over, and tell him; return his name.

    Deadlines stay where they are. Raises PostalError where he has none.
    """

    def deed() -> str:
        now = work.clock.now()
        with work.database.reading() as session:
            person = find_person(session, named)
            loaded, seat = _written_of(session, person)
            today, person_id = today_of(person, loaded.row.zone, now), person.id or 0
            rows = absences_of(session, [person_id])
            if not any(row.ended_at is None and row.last >= today for row in rows):
                raise PostalError(f"{person.name} has no holiday: nothing was done.")
            letters = Letters(session, work)
            frame, seen = letters.frame(loaded, seat), view(loaded.game, seat.name)
            rendered = work.reports.holiday(frame, seen, "ended")
            letters.to_player(loaded, seat, Letter(LetterKind.HOLIDAY, rendered, loaded.game.turn))
        with work.database.transaction() as session:
            end_absences(session, person_id, today, now)
            journal(session, person_id, "GM", "holidays taken back.", now)
            letters.queue(session)
        return person.name

    return until_written(deed)


def _written_of(session: Session, person: PersonRow) -> tuple[LoadedGame, HeldSeat]:
    found = game_to_tell_in(session, person.id or 0)
    if found is None or person.robot:
        raise PostalError(f"{person.name} plays in no game: nothing was done.")
    return found


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{text!r} is no day: write 2026-12-20.") from None
