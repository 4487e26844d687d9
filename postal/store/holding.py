"""The hold on the outbox while the server takes no mail from us, and what it kept (RULES.md 10.5).

It stands in one setting, which the statement that looks for mail to send asks for: so all the
processes on a database keep to it, and a round in which nothing is due costs nothing more.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import cast

from sqlalchemy import and_, case, delete, exists, func, or_, update
from sqlalchemy.orm import QueryableAttribute, defer
from sqlalchemy.sql import ColumnElement
from sqlmodel import Session, col, select

from postal.store.inserting import insert_new
from postal.store.rows import Hindrance, OutboxRow, OutboxState, SettingRow
from postal.store.rows.mails import HELD_BY_US, UNSENT
from postal.store.settings import replace_setting, setting

_KEY = "outbox-held"
_EPOCH, _DIGITS = datetime(1970, 1, 1, tzinfo=UTC), 20
_WAITING = (OutboxState.QUEUED, OutboxState.UNKNOWN)


@dataclass(frozen=True, slots=True)
class OutboxHold:
    """That no mail goes: since when, and when one is tried next (UTC)."""

    since: datetime
    until: datetime
    value: str = field(default="", repr=False)


def outbox_hold(session: Session) -> OutboxHold | None:
    """Return the hold, None where mail goes."""
    value = setting(session, _KEY)
    if value is None:
        return None
    until, since = (
        _EPOCH + timedelta(microseconds=int(part)) for part in (value[:_DIGITS], value[_DIGITS:])
    )
    return OutboxHold(since, until, value)


def begin_hold(session: Session, since: datetime, until: datetime) -> None:
    """Begin to hold all mail, unless that is so already."""
    insert_new(session, SettingRow, [{"key": _KEY, "value": _value(since, until)}])


def move_hold(session: Session, hold: OutboxHold, until: datetime) -> bool:
    """Hold on to ``until``; False where another process has just done so, or ended it."""
    return replace_setting(session, _KEY, hold.value, _value(hold.since, until))


def end_hold(session: Session) -> bool:
    """Let mail go again; False where it goes already."""
    statement = delete(SettingRow).where(col(SettingRow.key) == _KEY)
    return session.exec(statement.returning(col(SettingRow.key))).one_or_none() is not None


def not_held(now: datetime) -> ColumnElement[bool]:
    """Whether no hold keeps mail from being tried at this moment."""
    latest = _digits(now) + "9" * _DIGITS
    return ~exists().where(col(SettingRow.key) == _KEY, col(SettingRow.value) > latest)


def mark_held(session: Session, now: datetime) -> None:
    """Mark every message that is due and can't go as held up by our side, but for a receiver's."""
    statement = update(OutboxRow).where(
        UNSENT,
        col(OutboxRow.state).in_(_WAITING),
        col(OutboxRow.hindrance) == Hindrance.NONE,
        or_(col(OutboxRow.next_try_at).is_(None), col(OutboxRow.next_try_at) <= now),
    )
    session.exec(statement.values(hindrance=Hindrance.OURS))


def mark_ours(session: Session, ids: Collection[int]) -> None:
    """Mark messages that were put off or failed as their receivers' as held up by our side."""
    failed = col(OutboxRow.state) == OutboxState.FAILED
    theirs = and_(col(OutboxRow.id).in_(ids), or_(col(OutboxRow.state).in_(_WAITING), failed))
    values = {
        "hindrance": Hindrance.OURS,
        "next_try_at": None,
        "state": case((failed, OutboxState.QUEUED), else_=col(OutboxRow.state)),
    }
    session.exec(update(OutboxRow).where(theirs).values(**values))


def release_held(session: Session, now: datetime, pause: timedelta) -> None:
    """Make all that waited for the server due at once.

    What was itself refused then waits for ``pause``, so that it holds up none of the others.
    """
    mark_held(session, now)
    statement = update(OutboxRow).where(HELD_BY_US, col(OutboxRow.state).in_(_WAITING))
    again = case((col(OutboxRow.tries) > 0, now + pause), else_=None)
    session.exec(statement.values(next_try_at=again))


def reports_asking(
    session: Session, game_id: int, turn: int, kinds: Collection[str]
) -> Sequence[OutboxRow]:
    """Return the messages of some kinds that tell of a turn, the oldest first, without bytes."""
    statement = select(OutboxRow).where(
        OutboxRow.game_id == game_id,
        OutboxRow.turn == turn,
        col(OutboxRow.kind).in_(kinds),
        col(OutboxRow.seat_id).is_not(None),
    )
    without_bytes = defer(cast("QueryableAttribute[bytes]", OutboxRow.raw))
    rows = session.exec(statement.options(without_bytes).order_by(col(OutboxRow.id)))
    return rows.all()


def games_held_up(session: Session) -> Sequence[int]:
    """Return the ids of the games of which a message was held up by our side."""
    statement = select(OutboxRow.game_id).where(HELD_BY_US, col(OutboxRow.game_id).is_not(None))
    return [game_id or 0 for game_id in session.exec(statement.distinct()).all()]


def reckoned(session: Session, game_id: int, put_off: Collection[int]) -> None:
    """Note that the time lost was reckoned with: of what went and what can't go no mark stays.

    The messages ``put_off`` wait for their receivers' side by now.
    """
    theirs = col(OutboxRow.id).in_(put_off)
    values = {"hindrance": case((theirs, Hindrance.HIS.value), else_=Hindrance.NONE.value)}
    done = or_(theirs, col(OutboxRow.state).in_((OutboxState.SENT, OutboxState.FAILED)))
    statement = update(OutboxRow).where(HELD_BY_US, col(OutboxRow.game_id) == game_id, done)
    session.exec(statement.values(**values))


def last_taken(session: Session, but: str = "") -> datetime | None:
    """Return when the server last took a message, to anybody ``but`` one; None: never."""
    statement = select(func.max(OutboxRow.sent_at)).where(OutboxRow.recipient != but)
    return session.exec(statement).one()


def put_off_alike(session: Session, code: int, but: str) -> Sequence[OutboxRow]:
    """Return the messages that the server put off with a code, to others than ``but``."""
    statement = select(OutboxRow).where(
        UNSENT,
        col(OutboxRow.state).in_(_WAITING),
        OutboxRow.hindrance == Hindrance.HIS,
        OutboxRow.last_code == code,
        OutboxRow.recipient != but,
    )
    return session.exec(statement).all()


def _value(since: datetime, until: datetime) -> str:
    return _digits(until) + _digits(since)


def _digits(moment: datetime) -> str:
    """Return a moment as digits alone, which in every database sort as the moments follow."""
    return f"{(moment - _EPOCH) // timedelta(microseconds=1):0{_DIGITS}d}"
