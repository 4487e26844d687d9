"""What is kept for a time only: raw mail and bodies of letters, measured and let go in batches.

Rows stay, without their bytes: what became of a mail is evidence, and its SHA-256 tells a copy.
"""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import and_, func, or_, update
from sqlalchemy.sql import ColumnElement
from sqlmodel import Session, col, select

from postal.store.rows import (
    GameRow,
    GameStatus,
    MailRow,
    MailStatus,
    OutboxRow,
    OutboxState,
    SeatRow,
)

Kind = type[MailRow] | type[OutboxRow]

_DEALT_WITH = (MailStatus.DONE, MailStatus.IGNORED, MailStatus.REJECTED)
_AT_REST = (OutboxState.SENT, OutboxState.FAILED)


def ended_games(session: Session, before: datetime) -> Sequence[GameRow]:
    """Return the games that ended at a time or before, oldest first."""
    statement = select(GameRow).where(_ended(before))
    return session.exec(statement.order_by(col(GameRow.id))).all()


def oldest_kept(session: Session, before: datetime) -> datetime | None:
    """Return when the first of those games began that are in play or ended after a time."""
    statement = select(func.min(col(GameRow.created_at))).where(~_ended(before))
    return session.exec(statement).one()


def mails_of(game_id: int, before: datetime) -> ColumnElement[bool]:
    """Which mails of a game's seats came at a time or before and may go.

    Those that are new or held never may. No mail's own age makes up for the game's: that it has
    ended is for the caller to know.
    """
    seats = select(col(SeatRow.id)).where(SeatRow.game_id == game_id)
    return and_(col(MailRow.seat_id).in_(seats), _mail_may_go(before))


def mails_of_none(before: datetime) -> ColumnElement[bool]:
    """Which mails of no seat came at a time or before and may go."""
    ended = select(col(GameRow.id)).where(_ended(before))
    of_no_game = or_(col(MailRow.game_id).is_(None), col(MailRow.game_id).in_(ended))
    return and_(col(MailRow.seat_id).is_(None), of_no_game, _mail_may_go(before))


def letters_of(game_id: int | None, before: datetime) -> ColumnElement[bool]:
    """Which letters of a game, or of none, were written at a time or before and may go.

    Those that are still to be sent never may.
    """
    return and_(
        col(OutboxRow.game_id) == game_id if game_id else col(OutboxRow.game_id).is_(None),
        col(OutboxRow.created_at) <= before,
        col(OutboxRow.state).in_(_AT_REST),
        col(OutboxRow.raw).is_not(None),
    )


def measure(session: Session, kind: Kind, which: ColumnElement[bool]) -> tuple[int, int]:
    """Return how many rows of a kind there are, and how many bytes they hold."""
    size = func.coalesce(func.sum(func.length(col(kind.raw))), 0)
    count, total = session.exec(select(func.count(), size).select_from(kind).where(which)).one()
    return count, total


def empty(session: Session, kind: Kind, which: ColumnElement[bool], limit: int) -> tuple[int, int]:
    """Let go of the bytes of so many rows of a kind; return how many, and how many bytes."""
    statement = select(col(kind.id), func.length(col(kind.raw))).where(which)
    found = dict(session.exec(statement.order_by(col(kind.id)).limit(limit)).all())
    if not found:
        return 0, 0
    # What has been queued or held again meanwhile is passed over.
    gone = update(kind).where(col(kind.id).in_(found), which).values(raw=None)
    gone = gone.execution_options(synchronize_session=False)
    done = session.exec(gone.returning(col(kind.id))).scalars().all()
    return len(done), sum(found[number] for number in done)


def _ended(before: datetime) -> ColumnElement[bool]:
    over = and_(
        col(GameRow.status) != GameStatus.RUNNING,
        col(GameRow.ended_at).is_not(None),
        col(GameRow.ended_at) <= before,
    )
    return func.coalesce(over, False)


def _mail_may_go(before: datetime) -> ColumnElement[bool]:
    return and_(
        col(MailRow.received_at) <= before,
        col(MailRow.status).in_(_DEALT_WITH),
        col(MailRow.raw).is_not(None),
    )
