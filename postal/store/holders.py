"""Who holds a seat, who held it before, and how it comes to somebody else."""

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlmodel import Session, col, or_, select

from postal.store.people import ask_address, send_reports_to
from postal.store.rows import (
    AddressRow,
    GameRow,
    GameStatus,
    HolderRow,
    PersonRow,
    SeatRow,
    fold,
)


def held_now(session: Session, seat_id: int) -> int | None:
    """Return the id of the person who holds a seat."""
    statement = select(HolderRow.person_id).where(
        HolderRow.seat_id == seat_id, col(HolderRow.until).is_(None)
    )
    return session.exec(statement).first()


def held_since(session: Session, seat_id: int, person_id: int | None) -> datetime | None:
    """Return since when somebody holds a seat (UTC), None where he doesn't, or not yet."""
    statement = select(HolderRow.since).where(
        HolderRow.seat_id == seat_id,
        HolderRow.person_id == person_id,
        col(HolderRow.until).is_(None),
    )
    return session.exec(statement).first()


def seats_held_since(session: Session, seat_ids: Collection[int]) -> dict[int, datetime]:
    """Return since when each of some seats is held by who holds it now."""
    statement = select(HolderRow.seat_id, HolderRow.since).where(
        col(HolderRow.seat_id).in_(seat_ids), col(HolderRow.until).is_(None)
    )
    return dict(session.exec(statement).all())


def ever_held(
    session: Session, game_id: int, person_id: int | None, addresses: Collection[str]
) -> Sequence[tuple[PersonRow, int]]:
    """Return who held seats of a game, now or before, and is that person or has such an address.

    Each with the seat's id, the earliest first.
    """
    at = select(AddressRow.person_id).where(
        col(AddressRow.address_key).in_([fold(one) for one in addresses]),
        col(AddressRow.confirmed_at).is_not(None),
    )
    statement = (
        select(PersonRow, SeatRow.id)
        .join(HolderRow, col(HolderRow.person_id) == PersonRow.id)
        .where(
            SeatRow.id == HolderRow.seat_id,
            SeatRow.game_id == game_id,
            or_(PersonRow.id == person_id, col(PersonRow.id).in_(at)),
        )
        .order_by(col(HolderRow.id))
    )
    return [(person, seat_id or 0) for person, seat_id in session.exec(statement).all()]


def seats_left(session: Session, person_id: int) -> Sequence[tuple[SeatRow, GameRow]]:
    """Return the seats of games in play that a person held and holds no more, the last first."""
    mine = select(HolderRow.seat_id).where(
        HolderRow.person_id == person_id, col(HolderRow.until).is_(None)
    )
    statement = (
        select(SeatRow, GameRow)
        .join(HolderRow, col(HolderRow.seat_id) == SeatRow.id)
        .where(
            GameRow.id == SeatRow.game_id,
            GameRow.status == GameStatus.RUNNING,
            HolderRow.person_id == person_id,
            col(HolderRow.until).is_not(None),
            col(SeatRow.id).not_in(mine),
        )
        .order_by(col(HolderRow.id).desc())
    )
    return session.exec(statement).all()


def change_holder(
    session: Session, seat_id: int, person: PersonRow, addresses: Sequence[str], now: datetime
) -> None:
    """Let a person hold a seat from now on, who is stored with his first address if he is new."""
    statement = select(HolderRow).where(
        HolderRow.seat_id == seat_id, col(HolderRow.until).is_(None)
    )
    for row in session.exec(statement).all():
        row.until = now
        session.add(row)
    person_id = person.id if person.id is not None else store_person(session, person, addresses)
    session.add(HolderRow(seat_id=seat_id, person_id=person_id, since=now))
    session.flush()


def store_person(session: Session, person: PersonRow, addresses: Sequence[str]) -> int:
    """Store a person who is new, with the address of his reports; return his id."""
    stored = PersonRow(**person.model_dump(exclude={"id"}))
    session.add(stored)
    session.flush()
    for address in addresses[:1]:
        row = ask_address(session, stored.id or 0, address, stored.created_at)
        send_reports_to(session, row, stored.created_at)
    return stored.id or 0
