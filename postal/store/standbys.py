"""Who would take over a seat of a game, in which order they are asked, who is asked now (9.8)."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete, update
from sqlmodel import Session, col, select

from postal.store.rows import GameRow, GameStatus, PersonRow, StandbyRow
from postal.store.rows.absence import SIGNED


def standbys_of(session: Session, game_id: int) -> Sequence[tuple[StandbyRow, PersonRow]]:
    """Return whom the GM lists for a game: those who signed up in that order, then the others."""
    statement = select(StandbyRow, PersonRow).where(
        PersonRow.id == StandbyRow.person_id,
        StandbyRow.game_id == game_id,
        col(StandbyRow.until).is_(None),
    )
    rows = session.exec(statement.order_by(col(StandbyRow.id))).all()
    return sorted(
        rows,
        key=lambda one: (one[0].signed_at is None, one[0].signed_at or one[0].since),
    )


def listings_of(session: Session, person_id: int) -> Sequence[tuple[StandbyRow, GameRow]]:
    """Return the games in play for which a person is listed."""
    statement = select(StandbyRow, GameRow).where(
        GameRow.id == StandbyRow.game_id,
        GameRow.status == GameStatus.RUNNING,
        StandbyRow.person_id == person_id,
        col(StandbyRow.until).is_(None),
    )
    return session.exec(statement.order_by(col(StandbyRow.id))).all()


def games_with_standbys(session: Session) -> Sequence[GameRow]:
    """Return the games in play for which somebody has signed up."""
    signed = select(StandbyRow.game_id).where(SIGNED).order_by(col(StandbyRow.game_id))
    games = [session.get_one(GameRow, one) for one in dict.fromkeys(session.exec(signed).all())]
    return [row for row in games if row.status is GameStatus.RUNNING]


def change_standby(session: Session, row: StandbyRow, **values: object) -> bool:
    """Change a listing; False, doing nothing, where it is not as it was when it was read."""
    same = update(StandbyRow).where(
        col(StandbyRow.id) == row.id,
        col(StandbyRow.until).is_(None),
        col(StandbyRow.signed_at).is_not_distinct_from(row.signed_at),
        col(StandbyRow.asked_at).is_not_distinct_from(row.asked_at),
    )
    return bool(session.exec(same.values(**values)).rowcount)


def list_standby(session: Session, game_id: int, person_id: int, now: datetime) -> StandbyRow:
    """List a person for a game; return the row."""
    row = StandbyRow(game_id=game_id, person_id=person_id, since=now)
    session.add(row)
    session.flush()
    return row


def move_standbys(session: Session, person_id: int, to: int) -> None:
    """Make the listings of a person another's, but for games where that one is listed too."""
    games = select(StandbyRow.game_id).where(
        StandbyRow.person_id == to, col(StandbyRow.until).is_(None)
    )
    mine = col(StandbyRow.person_id) == person_id
    both = delete(StandbyRow).where(
        mine, col(StandbyRow.until).is_(None), col(StandbyRow.game_id).in_(games)
    )
    session.exec(both)
    session.exec(update(StandbyRow).where(mine).values(person_id=to))


def forget_standbys(session: Session, person_id: int) -> None:
    """Delete the listings of a person."""
    session.exec(delete(StandbyRow).where(col(StandbyRow.person_id) == person_id))
