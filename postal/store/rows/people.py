"""Rows of people: who they are, where they are written to, and which seats they hold."""

from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar

from sqlalchemy import Index, UniqueConstraint, event
from sqlmodel import Field

from postal.store.columns import by_value
from postal.store.rows.base import Row, fold


class TokenKind(StrEnum):
    """What a token is good for."""

    ORDERS = "orders"
    RESIGN = "resign"
    ADDRESS = "address"
    PERSON = "person"


class PersonRow(Row, table=True):
    """A person of the league, in any number of games; names may occur twice.

    ``zone`` names the zone of the person's clocks and ``language`` is kept for later; None: not
    known. ``text_only``: mails come without HTML. ``robot``: a robot, which has no address.
    ``name_key`` is folded by the row itself.
    """

    __tablename__ = "people"

    id: int | None = Field(default=None, primary_key=True)
    name: str
    name_key: str = Field(default="", index=True)
    zone: str | None = None
    language: str | None = None
    text_only: bool = False
    robot: bool = False
    created_at: datetime


class AddressRow(Row, table=True):
    """An address of a person; it counts once ``confirmed_at`` is set (UTC).

    ``reports`` marks the one that reports go to, one for each person. Two people may share an
    address. ``address_key`` is folded by the row itself.
    """

    __tablename__ = "addresses"
    __table_args__ = (UniqueConstraint("person_id", "address_key"),)
    shown: ClassVar = ("id", "person_id")

    id: int | None = Field(default=None, primary_key=True)
    person_id: int = Field(foreign_key="people.id", index=True)
    address: str
    address_key: str = Field(default="", index=True)
    asked_at: datetime
    confirmed_at: datetime | None = None
    reports: bool = False


class SeatRow(Row, table=True):
    """A seat of a game; ``position`` counts from 0 in the order the GM named the players.

    ``name`` is the one that the game began with: the engine and the record know the seat by it,
    whoever holds it now. ``token_serial`` counts how often the seat's tokens were revoked: it is
    part of each of them.
    """

    __tablename__ = "seats"
    __table_args__ = (
        UniqueConstraint("game_id", "position"),
        UniqueConstraint("game_id", "name_key"),
    )
    shown: ClassVar = ("id", "game_id", "position")

    id: int | None = Field(default=None, primary_key=True)
    game_id: int = Field(foreign_key="games.id")
    position: int
    name: str
    name_key: str = ""
    token_serial: int = 0


class HolderRow(Row, table=True):
    """Who held a seat, since when and until when (UTC); ``until`` is None for who holds it now."""

    __tablename__ = "holders"
    __table_args__ = (Index("ix_holders_seat_id_until", "seat_id", "until"),)
    shown: ClassVar = ("id", "seat_id", "person_id")

    id: int | None = Field(default=None, primary_key=True)
    seat_id: int = Field(foreign_key="seats.id")
    person_id: int = Field(foreign_key="people.id", index=True)
    since: datetime
    until: datetime | None = None


class TokenRow(Row, table=True):
    """A token that was given out, by its digest: the token itself is stored nowhere.

    ``turn`` is the turn that a seat's token orders for; one of kind "resign" confirms besides that
    its holder gives the seat up; ``address_id`` the address that one of
    kind "address" confirms, ``person_id`` who is asked by one of kind "person" (a standby). It is
    good until ``good_until`` (None: always). To revoke a token is to delete its row. ``void_at``:
    the turn was taken back since (RULES.md 10.7), so that it orders nothing, though it still says
    whose it is.
    """

    __tablename__ = "tokens"
    shown: ClassVar = ("kind", "seat_id", "turn", "address_id")

    digest: str = Field(primary_key=True)
    kind: TokenKind = Field(sa_type=by_value(TokenKind))
    seat_id: int | None = Field(default=None, foreign_key="seats.id", index=True)
    turn: int | None = None
    address_id: int | None = Field(default=None, foreign_key="addresses.id", index=True)
    person_id: int | None = Field(default=None, foreign_key="people.id", index=True)
    issued_at: datetime
    good_until: datetime | None = None
    void_at: datetime | None = None


@event.listens_for(PersonRow, "before_insert")
@event.listens_for(PersonRow, "before_update")
@event.listens_for(SeatRow, "before_insert")
@event.listens_for(SeatRow, "before_update")
def _fold_name(_mapper: Any, _connection: Any, row: PersonRow | SeatRow) -> None:  # noqa: ANN401 - SQLAlchemy's, not looked at
    row.name_key = fold(row.name)


@event.listens_for(AddressRow, "before_insert")
@event.listens_for(AddressRow, "before_update")
def _fold_address(_mapper: Any, _connection: Any, row: AddressRow) -> None:  # noqa: ANN401 - as above
    row.address_key = fold(row.address)
