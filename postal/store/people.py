"""People and their addresses: look-ups, and what changes them (MAIL.md, Who wrote it)."""

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import update
from sqlmodel import Session, col, select

from postal.store.rows import AddressRow, GameRow, HolderRow, PersonRow, SeatRow, fold
from postal.store.tokens import revoke_for_address


def all_people(session: Session) -> Sequence[PersonRow]:
    """Return everybody, by name."""
    return session.exec(
        select(PersonRow).order_by(col(PersonRow.name_key), col(PersonRow.id))
    ).all()


def people_called(session: Session, name: str) -> Sequence[PersonRow]:
    """Return the people of that name, without regard to case, the first known first."""
    statement = select(PersonRow).where(PersonRow.name_key == fold(name))
    return session.exec(statement.order_by(col(PersonRow.id))).all()


def person_with(session: Session, name: str, address: str) -> PersonRow | None:
    """Return the person of that name whose confirmed address that is, the first known first."""
    statement = (
        select(PersonRow)
        .join(AddressRow, col(AddressRow.person_id) == PersonRow.id)
        .where(
            PersonRow.name_key == fold(name),
            AddressRow.address_key == fold(address),
            col(AddressRow.confirmed_at).is_not(None),
        )
        .order_by(col(PersonRow.id))
    )
    return session.exec(statement).first()


def addresses_of(session: Session, person_ids: Collection[int]) -> Sequence[AddressRow]:
    """Return the addresses of some people, confirmed or not, oldest first."""
    statement = select(AddressRow).where(col(AddressRow.person_id).in_(person_ids))
    return session.exec(statement.order_by(col(AddressRow.id))).all()


def people_at(session: Session, address: str) -> Sequence[PersonRow]:
    """Return the people whose confirmed address that is, the first known first."""
    statement = (
        select(PersonRow)
        .join(AddressRow, col(AddressRow.person_id) == PersonRow.id)
        .where(
            AddressRow.address_key == fold(address),
            col(AddressRow.confirmed_at).is_not(None),
        )
        .order_by(col(PersonRow.id))
    )
    return session.exec(statement).all()


def ask_address(session: Session, person_id: int, address: str, now: datetime) -> AddressRow:
    """Note an address that is still to be confirmed; the same row where it is there."""
    for row in addresses_of(session, [person_id]):
        if row.address_key == fold(address):
            return row
    row = AddressRow(person_id=person_id, address=address, asked_at=now)
    session.add(row)
    session.flush()
    return row


def send_reports_to(session: Session, address: AddressRow, now: datetime) -> None:
    """Make an address the one that its person's reports go to; it counts as confirmed."""
    statement = update(AddressRow).where(col(AddressRow.person_id) == address.person_id)
    session.exec(statement.values(reports=False))
    session.refresh(address)
    address.reports = True
    address.confirmed_at = address.confirmed_at or now
    session.add(address)
    session.flush()


def forget_address(session: Session, address: AddressRow) -> None:
    """Delete an address, and the token that would confirm it."""
    revoke_for_address(session, address.id or 0)
    session.delete(address)
    session.flush()


def may_go_to(session: Session, seat_id: int, address: str) -> bool:
    """Return whether an address is one of the seat's holder's, confirmed or asked for."""
    statement = (
        select(AddressRow.id)
        .join(HolderRow, col(HolderRow.person_id) == AddressRow.person_id)
        .where(
            HolderRow.seat_id == seat_id,
            col(HolderRow.until).is_(None),
            AddressRow.address_key == fold(address),
        )
    )
    return session.exec(statement).first() is not None


def seats_held(session: Session, person_id: int) -> Sequence[tuple[SeatRow, GameRow]]:
    """Return the seats that a person holds now, each with its game, oldest first."""
    statement = (
        select(SeatRow, GameRow)
        .join(HolderRow, col(HolderRow.seat_id) == SeatRow.id)
        .where(
            GameRow.id == SeatRow.game_id,
            HolderRow.person_id == person_id,
            col(HolderRow.until).is_(None),
        )
        .order_by(col(GameRow.id), col(SeatRow.position))
    )
    return session.exec(statement).all()
