"""Finding the people of the league, and what the GM is shown of them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, SQLColumnExpression
from sqlmodel import Session, and_, col, func, or_, select

from postal.errors import PostalError
from postal.service.workplace import Workplace
from postal.store.people import addresses_of, all_people, people_at, people_called, seats_held
from postal.store.rows import (
    AddressRow,
    GameRow,
    GameStatus,
    HolderRow,
    MailRow,
    MailStatus,
    OutboxRow,
    OutboxState,
    PersonRow,
    SeatRow,
)

_DIGITS = 9
"""The longest number of a person: databases have limits."""


def find_person(session: Session, named: str) -> PersonRow:
    """Return the person of a number, a name or an address, as ``player list`` shows them.

    ``#3`` is a number, ``3`` could be a name too. Raises PostalError where there is none, or where
    several are called so.
    """
    number = named.removeprefix("#")
    found: dict[int | None, PersonRow] = {}
    if number.isascii() and number.isdigit() and len(number) <= _DIGITS:
        person = session.get(PersonRow, int(number))
        found |= {person.id: person} if person else {}
    if number == named:
        others = people_called(session, named) or people_at(session, named)
        found |= {one.id: one for one in others}
    if not found:
        raise PostalError(f"There is nobody called {named!r}: see `postal player list`.")
    if len(found) > 1:
        rows = addresses_of(session, [one or 0 for one in found])
        reports = {row.person_id: f" ({row.address})" for row in rows if row.reports}
        numbers = ", ".join(
            f"{one}{reports.get(one, '')}" for one in sorted(one or 0 for one in found)
        )
        raise PostalError(f"Several people are called {named!r}: give a number, one of {numbers}.")
    return next(iter(found.values()))


def list_people(work: Workplace) -> list[dict[str, Any]]:
    """Return everybody by name: number, address of the reports, games in play, when last heard.

    ``undelivered`` counts the mails that did not arrive. Times are UTC.
    """
    with work.database.reading() as session:
        people = all_people(session)
        rows = addresses_of(session, [person.id or 0 for person in people])
        addresses = {row.person_id: row.address for row in rows if row.reports}
        games, heard, failed = _games(session), _heard(session), _failed_counts(session)
        return [
            {
                "id": person.id,
                "name": person.name,
                "address": addresses.get(person.id or 0, ""),
                "games": games.get(person.id or 0, []),
                "last_heard": _iso(heard.get(person.id or 0)),
                "undelivered": failed.get(person.id or 0, 0),
            }
            for person in people
        ]


def show_person(work: Workplace, named: str) -> dict[str, Any]:
    """Return one person with every address, zone, language, seat, and mail that did not arrive.

    Raises PostalError as ``find_person`` does.
    """
    with work.database.reading() as session:
        person = find_person(session, named)
        person_id = person.id or 0
        return {
            "id": person.id,
            "name": person.name,
            "zone": person.zone,
            "language": person.language,
            "text_only": person.text_only,
            "last_heard": _iso(_heard(session, person_id).get(person_id)),
            "addresses": [_address(row) for row in addresses_of(session, [person_id])],
            "seats": [
                {"game": game.slug, "seat": seat.name, "status": game.status.value}
                for seat, game in seats_held(session, person_id)
            ],
            "undelivered": [
                {
                    "mail": row.id,
                    "to": row.recipient,
                    "subject": row.subject,
                    "why": " ".join(filter(None, (str(row.last_code or ""), row.last_text))),
                }
                for row in _failed(session, person_id)
            ],
        }


def _address(row: AddressRow) -> dict[str, Any]:
    return {
        "address": row.address,
        "reports": row.reports,
        "confirmed": _iso(row.confirmed_at),
    }


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


def _games(session: Session) -> dict[int, list[str]]:
    """Return the names of everybody's games in play, by person."""
    statement = (
        select(HolderRow.person_id, GameRow.slug)
        .join(SeatRow, col(SeatRow.id) == HolderRow.seat_id)
        .where(
            GameRow.id == SeatRow.game_id,
            GameRow.status == GameStatus.RUNNING,
            col(HolderRow.until).is_(None),
        )
        .order_by(col(GameRow.id))
    )
    games: dict[int, list[str]] = {}
    for person_id, slug in session.exec(statement).all():
        games.setdefault(person_id, []).append(slug)
    return games


def _heard(session: Session, person_id: int | None = None) -> dict[int, datetime]:
    """Return when the last mail with a token of theirs came, by person; held ones don't count."""
    statement = (
        select(HolderRow.person_id, func.max(col(MailRow.internal_date)))
        .join(MailRow, col(MailRow.seat_id) == HolderRow.seat_id)
        .where(
            _while_held(col(MailRow.internal_date)),
            MailRow.status != MailStatus.QUARANTINED,
        )
        .group_by(col(HolderRow.person_id))
    )
    if person_id is not None:
        statement = statement.where(HolderRow.person_id == person_id)
    return dict(session.exec(statement).all())


def _failed_counts(session: Session) -> dict[int, int]:
    statement = (
        select(HolderRow.person_id, func.count())
        .join(OutboxRow, col(OutboxRow.seat_id) == HolderRow.seat_id)
        .where(_while_held(col(OutboxRow.created_at)), OutboxRow.state == OutboxState.FAILED)
        .group_by(col(HolderRow.person_id))
    )
    return dict(session.exec(statement).all())


def _failed(session: Session, person_id: int) -> list[OutboxRow]:
    statement = (
        select(OutboxRow)
        .join(HolderRow, col(HolderRow.seat_id) == OutboxRow.seat_id)
        .where(
            HolderRow.person_id == person_id,
            _while_held(col(OutboxRow.created_at)),
            OutboxRow.state == OutboxState.FAILED,
        )
        .order_by(col(OutboxRow.id))
    )
    return list(session.exec(statement).all())


def _while_held(moment: SQLColumnExpression[datetime]) -> ColumnElement[bool]:
    """Whether somebody held the seat at a moment: others held it before him, and after."""
    return and_(
        moment >= HolderRow.since,
        or_(col(HolderRow.until).is_(None), moment < col(HolderRow.until)),
    )
