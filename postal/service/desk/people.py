"""Finding the people of the league, and what the GM is shown of them."""

from __future__ import annotations

from typing import Any

from sqlmodel import Session, col, func, select

from postal.errors import PostalError
from postal.service.workplace import Workplace
from postal.store.people import addresses_of, all_people, people_at, people_called, seats_held
from postal.store.rows import HolderRow, MailRow, OutboxRow, OutboxState, PersonRow


def find_person(session: Session, named: str) -> PersonRow:
    """Return the person of a number, a name or an address, as ``player list`` shows them.

    Raises PostalError where there is none, or where several are called so.
    """
    number = named.removeprefix("#")
    found = [session.get(PersonRow, int(number))] if number.isascii() and number.isdigit() else []
    people = [one for one in found if one is not None]
    people = people or [*people_called(session, named)] or [*people_at(session, named)]
    if not people:
        raise PostalError(f"There is nobody called {named!r}: see `postal player list`.")
    if len(people) > 1:
        numbers = ", ".join(f"#{one.id}" for one in people)
        raise PostalError(f"There are several called {named!r}: name one by number ({numbers}).")
    return people[0]


def list_people(work: Workplace) -> list[dict[str, Any]]:
    """Return everybody: number, name, the address of the reports, games and when last heard."""
    with work.database.reading() as session:
        return [_summary(session, person) for person in all_people(session)]


def show_person(work: Workplace, named: str) -> dict[str, Any]:
    """Return one person with every address, zone, language, seat, and mail that came back."""
    with work.database.reading() as session:
        person = find_person(session, named)
        facts = _summary(session, person)
        facts |= {
            "zone": person.zone,
            "language": person.language,
            "text_only": person.text_only,
            "addresses": [
                {
                    "address": row.address,
                    "reports": row.reports,
                    "confirmed": row.confirmed_at.isoformat() if row.confirmed_at else None,
                }
                for row in addresses_of(session, [person.id or 0])
            ],
            "seats": [
                {"game": game.slug, "seat": seat.name, "status": game.status.value}
                for seat, game in seats_held(session, person.id or 0)
            ],
            "came_back": [
                {"mail": row.id, "to": row.recipient, "subject": row.subject, "why": row.last_text}
                for row in _failed(session, person)
            ],
        }
        return facts


def _summary(session: Session, person: PersonRow) -> dict[str, Any]:
    rows = addresses_of(session, [person.id or 0])
    heard = _last_heard(session, person)
    return {
        "id": person.id,
        "name": person.name,
        "address": next((row.address for row in rows if row.reports), ""),
        "games": [game.slug for _, game in seats_held(session, person.id or 0)],
        "last_heard": heard.isoformat() if heard else None,
    }


def _last_heard(session: Session, person: PersonRow) -> Any:  # noqa: ANN401 - a moment or None
    statement = (
        select(func.max(col(MailRow.internal_date)))
        .join(HolderRow, col(HolderRow.seat_id) == MailRow.seat_id)
        .where(HolderRow.person_id == person.id, col(MailRow.internal_date) >= HolderRow.since)
    )
    return session.exec(statement).one()


def _failed(session: Session, person: PersonRow) -> list[OutboxRow]:
    statement = (
        select(OutboxRow)
        .join(HolderRow, col(HolderRow.seat_id) == OutboxRow.seat_id)
        .where(HolderRow.person_id == person.id, OutboxRow.state == OutboxState.FAILED)
        .order_by(col(OutboxRow.id))
    )
    return list(session.exec(statement).all())
