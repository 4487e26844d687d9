"""Second addresses of players: asked for, confirmed, and looked up (MAIL.md, Who wrote it)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlmodel import Session, col, select

from postal.store.rows import AddressRow, GameRow, PlayerRow, fold


def addresses_of(session: Session, player_id: int) -> Sequence[AddressRow]:
    """Return a player's second addresses, confirmed or not, oldest first."""
    statement = select(AddressRow).where(AddressRow.player_id == player_id)
    return session.exec(statement.order_by(col(AddressRow.id))).all()


def ask_address(session: Session, player_id: int, address: str, now: datetime) -> AddressRow:
    """Note a second address that is still to be confirmed; the same row where it is there."""
    for row in addresses_of(session, player_id):
        if row.address_key == fold(address):
            return row
    row = AddressRow(player_id=player_id, address=address, address_key=fold(address), asked_at=now)
    session.add(row)
    session.flush()
    return row


def confirmed_addresses(session: Session, player_id: int) -> tuple[str, ...]:
    """Return a player's second addresses that are confirmed, as they were given, oldest first."""
    rows = addresses_of(session, player_id)
    return tuple(row.address for row in rows if row.confirmed_at is not None)


def confirmed_address(session: Session, player_id: int, address: str) -> str | None:
    """Return the player's confirmed second address that this is, as it was given, else None."""
    known = confirmed_addresses(session, player_id)
    return next((one for one in known if fold(one) == fold(address)), None)


def address_owner(
    session: Session, address_id: int
) -> tuple[AddressRow, PlayerRow, GameRow] | None:
    """Return a second address with its player and his game."""
    statement = (
        select(AddressRow, PlayerRow, GameRow)
        .where(AddressRow.id == address_id, PlayerRow.id == AddressRow.player_id)
        .where(GameRow.id == PlayerRow.game_id)
    )
    return session.exec(statement).one_or_none()


def addresses_to_confirm(session: Session) -> Sequence[AddressRow]:
    """Return every second address that was asked for and not yet confirmed."""
    statement = select(AddressRow).where(col(AddressRow.confirmed_at).is_(None))
    return session.exec(statement.order_by(col(AddressRow.id))).all()


def players_with_address(session: Session, address: str) -> Sequence[tuple[GameRow, PlayerRow]]:
    """Return the players, with their games, who have this as a confirmed second address."""
    statement = (
        select(GameRow, PlayerRow)
        .where(PlayerRow.game_id == GameRow.id, AddressRow.player_id == PlayerRow.id)
        .where(AddressRow.address_key == fold(address), col(AddressRow.confirmed_at).is_not(None))
        .order_by(col(GameRow.id))
    )
    return session.exec(statement).all()
