"""Seats that robots hold, and which of them have not ordered in the turn in play."""

from collections.abc import Sequence

from sqlalchemy import exists
from sqlmodel import Session, col, select

from postal.store.rows import (
    AttendanceRow,
    GameRow,
    GameStatus,
    HolderRow,
    PersonRow,
    SeatRow,
    TurnRow,
    TurnStatus,
)
from postal.store.rows.games import IN_PLAY


def robots_to_play(session: Session) -> Sequence[tuple[GameRow, int]]:
    """Return each seat of a robot that was not seen to in an open turn: its game, and its id."""
    seen_to = exists().where(
        col(AttendanceRow.turn_id) == TurnRow.id,
        col(AttendanceRow.seat_id) == SeatRow.id,
        col(AttendanceRow.last_order_at).is_not(None),
    )
    statement = (
        select(GameRow, SeatRow.id)
        .join(SeatRow, col(SeatRow.game_id) == GameRow.id)
        .join(HolderRow, col(HolderRow.seat_id) == SeatRow.id)
        .join(PersonRow, col(PersonRow.id) == HolderRow.person_id)
        .join(TurnRow, col(TurnRow.game_id) == GameRow.id)
        .where(
            GameRow.status == GameStatus.RUNNING,
            col(HolderRow.until).is_(None),
            col(PersonRow.robot).is_(True),
            TurnRow.status == TurnStatus.OPEN,
            IN_PLAY,
            ~seen_to,
        )
        .order_by(col(GameRow.id), col(SeatRow.position))
    )
    return [(game, seat_id or 0) for game, seat_id in session.exec(statement).all()]
