"""Turns that were taken back and played again (RULES.md 10.7): void ones stay as evidence."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import and_, func, update
from sqlmodel import Session, col, select

from postal.store.rows import TurnRow, TurnStatus


def turns_of(session: Session, game_id: int) -> Sequence[TurnRow]:
    """Return all turns of a game, void ones too, in the order in which they were opened."""
    statement = select(TurnRow).where(TurnRow.game_id == game_id)
    return session.exec(statement.order_by(col(TurnRow.id))).all()


def done_turns(session: Session, game_id: int) -> Sequence[TurnRow]:
    """Return every turn of a game that was ever adjudicated, void ones too, in that order.

    The deal comes first. Each other was opened when the one before it in this order was done, or
    was taken back.
    """
    statement = select(TurnRow).where(TurnRow.game_id == game_id, TurnRow.status == TurnStatus.DONE)
    order = (col(TurnRow.number) != 0, col(TurnRow.id))
    return session.exec(statement.order_by(*order)).all()


def void_turns(session: Session, game_id: int, number: int) -> Sequence[TurnRow]:
    """Return the void turns of a game from a number on that were adjudicated, in that order."""
    statement = select(TurnRow).where(
        TurnRow.game_id == game_id,
        TurnRow.number >= number,
        TurnRow.status == TurnStatus.DONE,
        col(TurnRow.void_at).is_not(None),
    )
    return session.exec(statement.order_by(col(TurnRow.id))).all()


def last_done_before(session: Session, turn: TurnRow) -> int | None:
    """Return the number of the turn that was adjudicated last before a stored one was opened."""
    statement = select(TurnRow.number).where(
        TurnRow.game_id == turn.game_id,
        TurnRow.status == TurnStatus.DONE,
        col(TurnRow.id) < turn.id,
    )
    return session.exec(statement.order_by(col(TurnRow.id).desc()).limit(1)).first()


def make_turns_void(session: Session, game_id: int, number: int, now: datetime) -> int:
    """Make the adjudicated turns of a game void from a number on; return how many."""
    statement = update(TurnRow).where(
        col(TurnRow.game_id) == game_id,
        col(TurnRow.number) >= number,
        col(TurnRow.status) == TurnStatus.DONE,
        col(TurnRow.void_at).is_(None),
    )
    return session.exec(statement.values(void_at=now)).rowcount


def make_void(session: Session, turn: TurnRow, now: datetime) -> bool:
    """Make a turn in play void, whoever has claimed it; False where it has changed since read."""
    unchanged = and_(
        col(TurnRow.id) == turn.id,
        col(TurnRow.status).in_((TurnStatus.OPEN, TurnStatus.CLAIMED, TurnStatus.SET_ASIDE)),
        col(TurnRow.version) == turn.version,
        col(TurnRow.void_at).is_(None),
    )
    statement = (
        update(TurnRow)
        .where(unchanged)
        .values(
            void_at=now,
            status=TurnStatus.SET_ASIDE,
            version=col(TurnRow.version) + 1,
            due_at=None,
            remind_at=None,
            claim_token=None,
            claim_until=None,
        )
    )
    changed = statement.execution_options(synchronize_session=False)
    return session.exec(changed).rowcount == 1


def attempts_at(session: Session, game_id: int, number: int) -> int:
    """Return how often a turn of a game was opened so far."""
    statement = select(func.max(col(TurnRow.attempt))).where(
        TurnRow.game_id == game_id, TurnRow.number == number
    )
    return session.exec(statement).one() or 0
