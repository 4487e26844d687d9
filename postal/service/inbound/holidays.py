"""The command ``holiday``: days on which deadlines move past a person, in all his games."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Literal

from sqlmodel import Session

from postal.engine.view import view
from postal.ordertext import HOLIDAY_CANCEL, Reading
from postal.reports import Rendered
from postal.service.inbound.case import SeatCase
from postal.service.turns.holidays import HolidayPlan, journal, plan_holiday, today_of
from postal.store.absences import absences_of, end_absences
from postal.store.rows import AbsenceRow


def holiday_answer(case: SeatCase, reading: Reading) -> Rendered | None:
    """Return the answer to the last holiday that a mail asks for or takes back."""
    wish = _wish(reading)
    if wish is None:
        return None
    reports, frame = case.work.reports, case.letters.frame(case.loaded, case.seat)
    seen = view(case.loaded.game, case.seat.name)
    if wish == HOLIDAY_CANCEL:
        return reports.holiday(frame, seen, "ended" if _has_some(case) else "none")
    plan = _plan(case, wish)
    step: Literal["over", "long", "noted"] = plan.problem or "noted"
    return reports.holiday(frame, seen, step, (plan.first, plan.last), plan.games)


def holiday_changes(case: SeatCase, reading: Reading) -> tuple[Callable[[Session], object], ...]:
    """Return what has to be written of it; the GM is told in a letter of the case."""
    wish = _wish(reading)
    person, now = case.seat.person, case.row.internal_date
    person_id, clock = person.id or 0, case.work.clock.now()
    if wish is None or (wish == HOLIDAY_CANCEL and not _has_some(case)):
        return ()
    if wish == HOLIDAY_CANCEL:
        today = today_of(person, case.loaded.row.zone, clock)
        _tell_gm(case, "has taken their holiday back", ())

        def take_back(session: Session) -> None:
            end_absences(session, person_id, today, clock)
            journal(session, person_id, "", "holidays taken back.", clock)

        return (take_back,)
    plan = _plan(case, wish)
    if plan.problem:
        return ()
    days = f"from {plan.first} to {plan.last}"
    _tell_gm(case, f"is on holiday {days}", ("Deadlines move as each game's options say.",))

    def note(session: Session) -> None:
        session.add(
            AbsenceRow(
                person_id=person_id,
                first=plan.first,
                last=plan.last,
                asked_at=now,
                mail_id=case.row.id,
            )
        )
        journal(session, person_id, "", f"holiday {days}.", clock)

    return (note,)


def _wish(reading: Reading) -> str | None:
    named = [one.argument for one in reading.commands if one.name == "holiday"]
    return named[-1] if named else None


def _plan(case: SeatCase, wish: str) -> HolidayPlan:
    first, _, last = wish.partition(" to ")
    return plan_holiday(
        case.session,
        case.seat.person,
        date.fromisoformat(first),
        date.fromisoformat(last),
        case.work.clock.now(),
    )


def _has_some(case: SeatCase) -> bool:
    """Whether the writer has a holiday that is not over and not taken back."""
    person, zone = case.seat.person, case.loaded.row.zone
    today = today_of(person, zone, case.work.clock.now())
    rows = absences_of(case.session, [person.id or 0])
    return any(row.ended_at is None and row.last >= today for row in rows)


def _tell_gm(case: SeatCase, what: str, more: tuple[str, ...]) -> None:
    sentences = (f"{case.seat.person.name} {what}.", *more)
    case.letters.notify_gm("a holiday", sentences, case.loaded, case.loaded.game.turn)
