"""The command ``zone``: in which zone a person's mails tell him times, in all his games."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sqlmodel import Session

from postal.clock import zone_called
from postal.ordertext import Reading
from postal.service.inbound.case import SeatCase
from postal.store.rows import PersonRow


def with_zone(case: SeatCase, reading: Reading) -> SeatCase:
    """Return the case with its writer in the zone that the mail asks for, if there is such a one.

    So every answer to the mail tells its times there already.
    """
    zone = _asked(reading)
    if zone is None:
        return case
    person = PersonRow(**{**case.seat.person.model_dump(), "zone": zone})
    return replace(case, seat=replace(case.seat, person=person))


def zone_changes(case: SeatCase, reading: Reading) -> tuple[Callable[[Session], object], ...]:
    """Return what has to be written of it: nothing where the mail names no zone that there is."""
    zone, person_id = _asked(reading), case.seat.person.id
    if zone is None:
        return ()

    def change(session: Session) -> None:
        person = session.get(PersonRow, person_id)
        if person is not None:
            person.zone = zone

    return (change,)


def names_a_zone(reading: Reading) -> bool:
    """Return whether the last zone that a mail asks for is one."""
    return _asked(reading) is not None


def _asked(reading: Reading) -> str | None:
    """Return the zone that a mail asks for last, None where it asks for none that there is."""
    named = [command.argument for command in reading.commands if command.name == "zone"]
    return zone_called(named[-1]) if named else None
