"""Rows of games: the game, its turns, and the orders with their evidence."""

from datetime import datetime
from enum import StrEnum
from typing import ClassVar

from sqlalchemy import Index, UniqueConstraint, text
from sqlmodel import Field

from postal.store.columns import Words, by_value
from postal.store.rows.base import Row

IN_PLAY = text("void_at IS NULL")
"""Which turns count, for the index that keeps each of their numbers from standing there twice."""


class GameStatus(StrEnum):
    """Where a game stands."""

    RUNNING = "running"
    FINISHED = "finished"
    ABANDONED = "abandoned"


class TurnStatus(StrEnum):
    """Where a turn stands: it takes orders while open, and they are fixed once it is claimed."""

    OPEN = "open"
    CLAIMED = "claimed"
    DONE = "done"
    SET_ASIDE = "set-aside"


class OrderAction(StrEnum):
    """What became of a line; READ: what a mail orders, before what became of it."""

    READ = "read"
    FILED = "filed"
    REFUSED = "refused"
    CANCELLED = "cancelled"
    REPLACED = "replaced"
    WAIT = "wait"
    READY = "ready"


class GameRow(Row, table=True):
    """A game: its rules and options as JSON text, the deal's secret, and its calendar.

    ``rules`` is the whole game file, so that a later change of the file changes no game, and
    ``edition`` the edition of RULES.md that it is played under to its end. ``committed`` is the
    text that the commitment was made over when the game began. ``turn_length`` is in days,
    ``settle`` in minutes, ``hour`` 0 to 23 in ``zone``. ``ended_at`` is set when all is over.

    ``calendar`` is JSON text of what else decides when turns end; empty: ``turn_length`` and
    ``hour`` alone. While ``hold_since`` is set nothing is adjudicated, until ``hold_until`` where
    that is set; ``hold_why`` is gm, protest or restore.
    """

    __tablename__ = "games"
    shown: ClassVar = ("id", "slug")

    id: int | None = Field(default=None, primary_key=True)
    slug: str = Field(unique=True)
    rules: str
    options: str = "{}"
    engine_version: str
    secret: bytes
    edition: int = 1
    commitment: str
    committed: str
    deal: int = 1
    status: GameStatus = Field(default=GameStatus.RUNNING, sa_type=by_value(GameStatus))
    turn_length: int
    hour: int
    zone: str
    settle: int = 30
    created_at: datetime
    ended_at: datetime | None = None
    calendar: str = ""
    hold_since: datetime | None = None
    hold_until: datetime | None = Field(default=None, index=True)
    hold_why: str = ""


class TurnRow(Row, table=True):
    """A turn: state and evidence, so that ``verify`` can adjudicate again and compare.

    Turn 0 is the deal: done from the start, its ``state`` the game as dealt. ``orders``,
    ``events`` and ``state`` (after the turn) are JSON text, set when it is done. ``zone`` is the
    zone in which ``deadline`` was reckoned. ``claim_until`` ends the lease of ``claim_token``.

    ``due_at`` is when the turn is to be adjudicated as its orders stand, None: not by itself.
    ``version`` counts the changes of what is on file: who reckons with it and writes, compares it.
    ``remind_at`` is when those who owe orders are reminded, None: not, or they were.
    ``wall`` is the deadline as it stands on the wall in ``zone``, such as ``2026-12-08T20:00``. A
    turn that was rolled back has ``void_at`` and stays as evidence; ``attempt`` counts from 1, and
    ``fixed`` is JSON text of the hands whose orders stand in a turn that is played again (RULES.md
    10.7), by their seats' ids; empty: none.
    """

    __tablename__ = "turns"
    __table_args__ = (
        Index(
            "ix_turns_game_id_number",
            "game_id",
            "number",
            unique=True,
            sqlite_where=IN_PLAY,
            postgresql_where=IN_PLAY,
        ),
        Index("ix_turns_status_due_at", "status", "due_at"),
        Index("ix_turns_status_remind_at", "status", "remind_at"),
    )
    shown: ClassVar = ("id", "game_id", "number", "status")

    id: int | None = Field(default=None, primary_key=True)
    game_id: int = Field(foreign_key="games.id")
    number: int
    status: TurnStatus = Field(default=TurnStatus.OPEN, sa_type=by_value(TurnStatus))
    opened_at: datetime
    deadline: datetime | None = None
    due_at: datetime | None = None
    remind_at: datetime | None = None
    version: int = 0
    zone: str
    wall: str | None = None
    attempt: int = 1
    fixed: str = Field(default="", sa_type=Words)
    void_at: datetime | None = None
    claim_token: str | None = None
    claim_until: datetime | None = None
    forced: bool = False
    adjudicated_at: datetime | None = None
    orders: str | None = None
    events: str | None = None
    state: str | None = None


class OrderRow(Row, table=True):
    """The order on file for a seat's hand in a turn; ``id`` keeps the order of acceptance.

    ``hand`` is such as A1, ``line`` the canonical text and ``order_json`` the order itself.
    """

    __tablename__ = "orders"
    __table_args__ = (
        UniqueConstraint("turn_id", "seat_id", "hand"),
        # Else SQLite would give the id of a deleted order again.
        {"sqlite_autoincrement": True},
    )
    shown: ClassVar = ("id", "turn_id", "seat_id")

    id: int | None = Field(default=None, primary_key=True)
    turn_id: int = Field(foreign_key="turns.id")
    seat_id: int = Field(foreign_key="seats.id")
    hand: str
    line: str
    order_json: str
    mail_id: int | None = Field(default=None, foreign_key="inbox.id")
    filed_at: datetime


class OrderHistoryRow(Row, table=True):
    """What became of each line that ever came: evidence, only ever added to.

    A row of action READ holds all lines of one mail that mean to be orders, as a game record has
    them (RECORD.md), parted by line breaks.
    """

    __tablename__ = "order_log"
    __table_args__ = ({"sqlite_autoincrement": True},)
    shown: ClassVar = ("id", "turn_id", "seat_id", "action")

    id: int | None = Field(default=None, primary_key=True)
    turn_id: int = Field(foreign_key="turns.id", index=True)
    seat_id: int = Field(foreign_key="seats.id")
    mail_id: int | None = Field(default=None, foreign_key="inbox.id", index=True)
    at: datetime
    action: OrderAction = Field(sa_type=by_value(OrderAction))
    hand: str = Field(default="", sa_type=Words)
    line: str = Field(default="", sa_type=Words)
    code: str = ""
    sentence: str = Field(default="", sa_type=Words)


class AttendanceRow(Row, table=True):
    """Whether a seat's holder was heard of in a turn (9.4), waits (9.6) or has trouble (10.6).

    ``heard``: a mail of his came (in games of the first edition, one with a line in it).
    ``troubled``: a mail of his held something refused or not understood, which holds the turn to
    ``troubled_until``; None: to its deadline. ``resigned``: he gave his seat up, and no mail of his
    has come since.
    """

    __tablename__ = "attendance"
    __table_args__ = (UniqueConstraint("turn_id", "seat_id"),)
    shown: ClassVar = ("id", "turn_id", "seat_id")

    id: int | None = Field(default=None, primary_key=True)
    turn_id: int = Field(foreign_key="turns.id")
    seat_id: int = Field(foreign_key="seats.id")
    heard: bool = False
    resigned: bool = False
    waiting: bool = False
    troubled: bool = False
    troubled_until: datetime | None = None
    last_order_at: datetime | None = None
