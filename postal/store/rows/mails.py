"""Rows of the post room: mail in, mail out, the mailboxes polled, and settings."""

from datetime import datetime
from enum import StrEnum
from typing import ClassVar

from sqlalchemy import BigInteger, Index, UniqueConstraint, text
from sqlmodel import Field

from postal.store.columns import Words, by_value
from postal.store.rows.base import Row

NEW = text("status = 'new'")
"""Which mails are still to be handled, for the index that leads to the first of them."""

UNSENT = text("state IN ('queued', 'unknown', 'sending')")
"""Which messages are still to be sent, for the index that leads to the first of them.

A query uses such an index where it has these very words: by its order alone a database would walk
through all that was ever sent.
"""

UNREAD = text("status = 'unread'")
"""Which mails the server lists and did not hand over, for the index that leads to them."""

HELD_BY_US = text("hindrance = 'ours'")
"""Which messages our side could not hand over in time, for the index that leads to them."""


class MailStatus(StrEnum):
    """What became of a mail; unread: the server lists it and did not hand it over so far."""

    NEW = "new"
    UNREAD = "unread"
    DONE = "done"
    IGNORED = "ignored"
    REJECTED = "rejected"
    QUARANTINED = "quarantined"


class OutboxState(StrEnum):
    """Where an outgoing mail stands; unknown: the connection was lost when it may have gone."""

    QUEUED = "queued"
    SENDING = "sending"
    SENT = "sent"
    FAILED = "failed"
    UNKNOWN = "unknown"


class Hindrance(StrEnum):
    """Why a mail was not handed over at once (RULES.md 10.5): our server or account, or its own."""

    NONE = ""
    OURS = "ours"
    HIS = "his"


class MailRow(Row, table=True):
    """A mail that came, as the server has it (MAIL.md, In 9); ``id`` keeps the order of arrival.

    ``sha256`` (hex) and ``raw`` are None for a mail too large to fetch; ``size`` is in bytes.
    ``sender_key`` is the address in From, folded: until a mail's seat is known it goes by that.
    ``game_id``, ``seat_id`` and ``turn`` are what the token names that it carries. ``owner`` is the
    process that handles it, until ``lease_until`` at most; ``next_try_at`` when it is tried again.
    ``place`` is the folder it lies in, ``target`` the one it goes to, ``moved`` whether it went.

    Of an unread mail ``raw`` is its header, where that could be had, and ``internal_date`` the time
    of the first sight where the server gives none. ``singled_at`` is when the server first handed
    over another mail and not this one; None: it may be the server that is unwell (RULES.md 10.5).
    """

    __tablename__ = "inbox"
    __table_args__ = (
        UniqueConstraint("account", "folder", "uidvalidity", "uid"),
        Index("ix_inbox_unmoved", "account", "folder", "moved"),
        Index("ix_inbox_seat_id_turn", "seat_id", "turn"),
        Index("ix_inbox_status_id", "status", "id"),
        Index("ix_inbox_new", "id", sqlite_where=NEW, postgresql_where=NEW),
        Index("ix_inbox_unread", "id", sqlite_where=UNREAD, postgresql_where=UNREAD),
        {"sqlite_autoincrement": True},
    )
    shown: ClassVar = ("id", "uid", "status")

    id: int | None = Field(default=None, primary_key=True)
    account: str
    folder: str
    # Both are unsigned 32-bit numbers (RFC 3501, 2.3.1.1), more than an INTEGER of PostgreSQL.
    uidvalidity: int = Field(sa_type=BigInteger)
    uid: int = Field(sa_type=BigInteger)
    sha256: str | None = Field(default=None, index=True)
    size: int = Field(default=0, sa_type=BigInteger)
    internal_date: datetime
    received_at: datetime
    raw: bytes | None = None
    status: MailStatus = Field(default=MailStatus.NEW, sa_type=by_value(MailStatus))
    tries: int = 0
    reason: str = Field(default="", sa_type=Words)
    sender_key: str = Field(default="", sa_type=Words)
    game_id: int | None = Field(default=None, foreign_key="games.id")
    seat_id: int | None = Field(default=None, foreign_key="seats.id")
    turn: int | None = None
    owner: str | None = None
    lease_until: datetime | None = None
    next_try_at: datetime | None = None
    singled_at: datetime | None = None
    place: str = ""
    target: str = ""
    moved: bool = False


class OutboxRow(Row, table=True):
    """A mail to send, rendered, in the transaction that made it (MAIL.md, Out).

    ``kind``: report, receipt, welcome, gm, gift, final, hint and so on. ``seat_id`` is None for
    what goes to the GM. ``once_key`` is unique where set: such a mail is written once. ``raw`` is
    None once it is no longer kept; ``message_id`` holds its angle brackets. ``owner`` is the
    process that sends it, until ``lease_until`` at most. ``delayed``: a server on the way says so.
    ``hindrance`` says why it was not handed over at once, until that has been reckoned with.
    """

    __tablename__ = "outbox"
    __table_args__ = (
        Index("ix_outbox_game_id_turn_kind", "game_id", "turn", "kind"),
        Index("ix_outbox_recipient_created_at", "recipient", "created_at"),
        Index("ix_outbox_state_id", "state", "id"),
        Index("ix_outbox_unsent", "id", sqlite_where=UNSENT, postgresql_where=UNSENT),
        Index("ix_outbox_seat_id_turn", "seat_id", "turn"),
        Index("ix_outbox_held", "id", sqlite_where=HELD_BY_US, postgresql_where=HELD_BY_US),
        {"sqlite_autoincrement": True},
    )
    shown: ClassVar = ("id", "game_id", "turn", "kind", "state")

    id: int | None = Field(default=None, primary_key=True)
    created_at: datetime
    game_id: int | None = Field(default=None, foreign_key="games.id")
    turn: int | None = None
    seat_id: int | None = Field(default=None, foreign_key="seats.id")
    recipient: str = Field(sa_type=Words)
    kind: str
    subject: str = Field(default="", sa_type=Words)
    message_id: str = Field(unique=True)
    once_key: str | None = Field(default=None, unique=True)
    raw: bytes | None = None
    state: OutboxState = Field(default=OutboxState.QUEUED, sa_type=by_value(OutboxState))
    tries: int = 0
    next_try_at: datetime | None = None
    owner: str | None = None
    lease_until: datetime | None = None
    last_code: int | None = None
    last_text: str = Field(default="", sa_type=Words)
    delayed: bool = False
    hindrance: Hindrance = Field(default=Hindrance.NONE, sa_type=by_value(Hindrance))
    sent_at: datetime | None = None


class AccountRow(Row, table=True):
    """A polled folder. ``whole_poll_began_at``: start of the last finished poll (RULES.md 10.5).

    ``owner`` is the daemon that has the mailbox, until ``lease_until`` at most.
    """

    __tablename__ = "accounts"
    __table_args__ = (UniqueConstraint("account", "folder"),)

    id: int | None = Field(default=None, primary_key=True)
    account: str
    folder: str
    uidvalidity: int | None = Field(default=None, sa_type=BigInteger)
    whole_poll_began_at: datetime | None = None
    owner: str | None = None
    lease_until: datetime | None = None


class SettingRow(Row, table=True):
    """A setting that the program itself keeps, such as the key of its tokens."""

    __tablename__ = "settings"
    shown: ClassVar = ("key",)

    key: str = Field(primary_key=True)
    value: str
