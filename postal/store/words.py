"""Press that waits or was printed, protests, and how often a player's words were passed on."""

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import delete, func, update
from sqlmodel import Session, col, select

from postal.store.rows import JournalRow, PressRow, ProtestRow


def waiting_press(session: Session, game_id: int) -> Sequence[PressRow]:
    """Return what waits for a game's next report, oldest first."""
    statement = select(PressRow).where(
        PressRow.game_id == game_id, col(PressRow.printed_in).is_(None)
    )
    return session.exec(statement.order_by(col(PressRow.id))).all()


def printed_press(session: Session, game_id: int, turn_id: int) -> Sequence[PressRow]:
    """Return what the report of a turn had, oldest first."""
    statement = select(PressRow).where(PressRow.game_id == game_id, PressRow.printed_in == turn_id)
    return session.exec(statement.order_by(col(PressRow.id))).all()


def print_press(session: Session, press_ids: Collection[int], turn_id: int) -> bool:
    """Note what a turn's report has; False where some of it was taken back meanwhile."""
    if not press_ids:
        return True
    statement = (
        update(PressRow)
        .where(col(PressRow.id).in_(press_ids), col(PressRow.printed_in).is_(None))
        .values(printed_in=turn_id)
    )
    return session.exec(statement).rowcount == len(press_ids)


def take_press_back(session: Session, press_ids: Collection[int]) -> bool:
    """Delete what waits for a report; False where some of it was printed meanwhile."""
    if not press_ids:
        return True
    statement = delete(PressRow).where(
        col(PressRow.id).in_(press_ids), col(PressRow.printed_in).is_(None)
    )
    return session.exec(statement).rowcount == len(press_ids)


def open_protests(session: Session, game_id: int) -> Sequence[ProtestRow]:
    """Return the protests of a game on which the GM has not ruled, oldest first."""
    statement = select(ProtestRow).where(
        ProtestRow.game_id == game_id, col(ProtestRow.ruled_at).is_(None)
    )
    return session.exec(statement.order_by(col(ProtestRow.id))).all()


def protests_of(session: Session, game_id: int) -> Sequence[ProtestRow]:
    """Return every protest of a game, oldest first."""
    statement = select(ProtestRow).where(ProtestRow.game_id == game_id)
    return session.exec(statement.order_by(col(ProtestRow.id))).all()


def end_protests(session: Session, game_id: int, now: datetime) -> int:
    """Note that the open protests of a game are ruled on; return how many they were."""
    statement = (
        update(ProtestRow)
        .where(col(ProtestRow.game_id) == game_id, col(ProtestRow.ruled_at).is_(None))
        .values(ruled_at=now)
    )
    return session.exec(statement).rowcount


def last_noted(session: Session, game_id: int, who: str, what: str) -> JournalRow | None:
    """Return the last entry of a kind about somebody in a game's journal."""
    statement = select(JournalRow).where(
        JournalRow.game_id == game_id, JournalRow.who == who, JournalRow.what == what
    )
    return session.exec(statement.order_by(col(JournalRow.id).desc()).limit(1)).first()


def count_noted(  # noqa: PLR0913 - each narrows the count, named at the call
    session: Session,
    game_id: int,
    who: str,
    what: str,
    *,
    since: datetime | None = None,
    after: int = 0,
) -> int:
    """Return how often something was noted of somebody, from a time on or after an entry."""
    statement = select(func.count()).where(
        JournalRow.game_id == game_id,
        JournalRow.who == who,
        JournalRow.what == what,
        col(JournalRow.id) > after,
    )
    if since is not None:
        statement = statement.where(JournalRow.at > since)
    return session.exec(statement).one()
