"""Look-ups of games."""

from collections.abc import Sequence
from datetime import datetime

from sqlmodel import Session, col, select

from postal.store.rows import GameRow, GameStatus


def game_by_slug(session: Session, slug: str) -> GameRow | None:
    """Return the game of that name."""
    return session.exec(select(GameRow).where(GameRow.slug == slug)).one_or_none()


def all_games(session: Session) -> Sequence[GameRow]:
    """Return every game, oldest first."""
    return session.exec(select(GameRow).order_by(col(GameRow.id))).all()


def running_games(session: Session) -> Sequence[GameRow]:
    """Return the games in play, oldest first."""
    statement = select(GameRow).where(GameRow.status == GameStatus.RUNNING)
    return session.exec(statement.order_by(col(GameRow.id))).all()


def games_to_resume(session: Session, now: datetime) -> Sequence[str]:
    """Return the names of the games whose hold was to end by ``now`` (UTC)."""
    # By the index on that column alone, which holds few rows.
    statement = select(GameRow.slug).where(col(GameRow.hold_until) <= now)
    return session.exec(statement.order_by(col(GameRow.hold_until))).all()
