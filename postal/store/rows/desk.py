"""Rows of the GM's desk: what is not well and who knows of it, and what was done to a game."""

from datetime import datetime
from enum import StrEnum
from typing import ClassVar

from sqlalchemy import Index, text
from sqlmodel import Field

from postal.store.columns import Words, by_value
from postal.store.rows.base import Row

OPEN = text("ended_at IS NULL")
"""Which troubles last, for the index that keeps each from being noted twice."""


class TroubleKind(StrEnum):
    """What can be unwell for a while, each told to the GM once and once more when it is over."""

    MAILBOX = "mailbox"
    SENDING = "sending"
    UNREAD = "unread"
    FAILING = "failing"
    TEMPLATE = "template"
    ASIDE = "aside"
    HELD = "held"
    UNREACHED = "unreached"
    CLOCK = "clock"


class TroubleRow(Row, table=True):
    """Something that is not well, from ``since`` to ``ended_at``; None: it lasts.

    ``about`` tells one from another of its kind: a game's name, a mail's number, or empty.
    ``sentence`` is for the GM and holds no secret. ``told`` counts the mails to the GM that tell of
    it, the last of which was written at ``told_at``.
    """

    __tablename__ = "troubles"
    __table_args__ = (
        Index(
            "ix_troubles_open",
            "kind",
            "about",
            unique=True,
            sqlite_where=OPEN,
            postgresql_where=OPEN,
        ),
    )
    shown: ClassVar = ("id", "kind")

    id: int | None = Field(default=None, primary_key=True)
    kind: TroubleKind = Field(sa_type=by_value(TroubleKind))
    about: str = Field(default="", sa_type=Words)
    game_id: int | None = Field(default=None, foreign_key="games.id")
    since: datetime
    sentence: str = Field(default="", sa_type=Words)
    told: int = 0
    told_at: datetime | None = None
    ended_at: datetime | None = None


class JournalRow(Row, table=True):
    """What was done to a game beside its play, by whom and why: evidence, only ever added to.

    ``who`` is the GM, a player's name or postal itself; ``what`` a word such as ``deadline``.
    """

    __tablename__ = "journal"
    __table_args__ = ({"sqlite_autoincrement": True},)
    shown: ClassVar = ("id", "game_id", "what")

    id: int | None = Field(default=None, primary_key=True)
    at: datetime
    game_id: int | None = Field(default=None, foreign_key="games.id", index=True)
    turn: int | None = None
    who: str = Field(default="postal", sa_type=Words)
    what: str
    sentence: str = Field(default="", sa_type=Words)


class OutageWhat(StrEnum):
    """What was away: the program itself, the mailbox, or the server that takes the mails."""

    MACHINE = "machine"
    MAILBOX = "mailbox"
    SENDING = "sending"


class OutageRow(Row, table=True):
    """A time in which the program was off or a server away, from its last good sign to the next.

    Every deadline that lay in it moves, once the turn would be due by it.
    """

    __tablename__ = "outages"
    shown: ClassVar = ("id", "what")

    id: int | None = Field(default=None, primary_key=True)
    what: OutageWhat = Field(sa_type=by_value(OutageWhat))
    began: datetime
    ended: datetime = Field(index=True)
