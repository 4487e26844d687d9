"""Rows of who is away, who would step in, who looks on, and what players say to each other."""

from datetime import date, datetime
from typing import ClassVar

from sqlalchemy import Index, UniqueConstraint, text
from sqlmodel import Field

from postal.store.columns import Words
from postal.store.rows.base import Row

PRESENT = text("until IS NULL")
"""Which rows hold now, for the index that keeps each from standing there twice."""


SIGNED = text("until IS NULL AND signed_at IS NOT NULL")
"""Which standbys have signed up, for the index that leads to them: nearly always there are none."""


class AbsenceRow(Row, table=True):
    """A holiday of a person, in all his games: both days and those between, in his own zone.

    ``mail_id`` is the mail that asked for it; None: the GM did. ``ended_at``: it was taken back.
    """

    __tablename__ = "absences"
    shown: ClassVar = ("id", "person_id")

    id: int | None = Field(default=None, primary_key=True)
    person_id: int = Field(foreign_key="people.id", index=True)
    first: date
    last: date
    asked_at: datetime
    mail_id: int | None = Field(default=None, foreign_key="inbox.id")
    ended_at: datetime | None = None


class StandbyRow(Row, table=True):
    """A person whom the GM lists as one who may take over a seat of a game (RULES.md 9.8).

    ``signed_at`` is when he signed up, which is the order in which standbys are asked; None: he did
    not, or no longer. ``asked_at`` is when a seat was offered to him, ``seat_id`` which. ``until``:
    no standby since.
    """

    __tablename__ = "standbys"
    __table_args__ = (
        Index(
            "ix_standbys_present",
            "game_id",
            "person_id",
            unique=True,
            sqlite_where=PRESENT,
            postgresql_where=PRESENT,
        ),
        Index("ix_standbys_signed", "game_id", sqlite_where=SIGNED, postgresql_where=SIGNED),
    )
    shown: ClassVar = ("id", "game_id", "person_id")

    id: int | None = Field(default=None, primary_key=True)
    game_id: int = Field(foreign_key="games.id")
    person_id: int = Field(foreign_key="people.id")
    since: datetime
    until: datetime | None = None
    signed_at: datetime | None = None
    asked_at: datetime | None = None
    seat_id: int | None = Field(default=None, foreign_key="seats.id")


class ObserverRow(Row, table=True):
    """A person who gets the public report of a game, but not from ``stopped_at`` on."""

    __tablename__ = "observers"
    __table_args__ = (UniqueConstraint("game_id", "person_id"),)
    shown: ClassVar = ("id", "game_id", "person_id")

    id: int | None = Field(default=None, primary_key=True)
    game_id: int = Field(foreign_key="games.id")
    person_id: int = Field(foreign_key="people.id")
    since: datetime
    stopped_at: datetime | None = None


class PressRow(Row, table=True):
    """What is said in a game's next report: by a seat's holder, or by the GM (``seat_id`` None).

    ``to`` holds the names of the seats that alone get it, parted by line breaks; empty: all do.
    ``printed_in`` is the turn whose report has it; None: it waits for the next one.
    """

    __tablename__ = "press"
    __table_args__ = (Index("ix_press_game_id_printed_in", "game_id", "printed_in"),)
    shown: ClassVar = ("id", "game_id", "printed_in")

    id: int | None = Field(default=None, primary_key=True)
    game_id: int = Field(foreign_key="games.id")
    printed_in: int | None = Field(default=None, foreign_key="turns.id")
    seat_id: int | None = Field(default=None, foreign_key="seats.id")
    to: str = Field(default="", sa_type=Words)
    text: str = Field(sa_type=Words)
    mail_id: int | None = Field(default=None, foreign_key="inbox.id")
    at: datetime


class ProtestRow(Row, table=True):
    """A protest of a seat's holder about a hand, open until the GM rules or ``until`` (10.8).

    ``ruled_at``: the GM has ruled, or who protested has taken it back.
    """

    __tablename__ = "protests"
    shown: ClassVar = ("id", "game_id", "turn")

    id: int | None = Field(default=None, primary_key=True)
    game_id: int = Field(foreign_key="games.id", index=True)
    turn: int
    seat_id: int = Field(foreign_key="seats.id")
    hand: str
    text: str = Field(sa_type=Words)
    mail_id: int | None = Field(default=None, foreign_key="inbox.id")
    at: datetime
    until: datetime
    ruled_at: datetime | None = None
