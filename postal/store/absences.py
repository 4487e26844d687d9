"""Holidays of people: those that were asked for, taken back, and the games that they touch."""

from collections.abc import Collection, Sequence
from datetime import date, datetime, timedelta

from sqlalchemy import delete, update
from sqlmodel import Session, col, select

from postal.store.rows import (
    AbsenceRow,
    GameRow,
    GameStatus,
    HolderRow,
    JournalRow,
    SeatRow,
    TurnRow,
    TurnStatus,
)
from postal.store.rows.games import IN_PLAY

_DAY = timedelta(days=1)


def absences_of(session: Session, person_ids: Collection[int]) -> Sequence[AbsenceRow]:
    """Return every holiday of some people, also such as were taken back, in the order asked."""
    statement = select(AbsenceRow).where(col(AbsenceRow.person_id).in_(person_ids))
    return session.exec(statement.order_by(col(AbsenceRow.id))).all()


def games_of_absent(session: Session, since: date) -> Sequence[GameRow]:
    """Return the games in play, none on hold, of which a deadline may lie in somebody's holiday.

    To the day, since that depends on his zone. Holidays that were over at ``since`` aren't looked
    at.
    """
    statement = (
        select(GameRow, TurnRow, AbsenceRow)
        .join(SeatRow, col(SeatRow.game_id) == GameRow.id)
        .join(HolderRow, col(HolderRow.seat_id) == SeatRow.id)
        .join(AbsenceRow, col(AbsenceRow.person_id) == HolderRow.person_id)
        .join(TurnRow, col(TurnRow.game_id) == GameRow.id)
        .where(
            GameRow.status == GameStatus.RUNNING,
            col(GameRow.hold_since).is_(None),
            col(HolderRow.until).is_(None),
            col(AbsenceRow.ended_at).is_(None),
            col(AbsenceRow.last) >= since,
            IN_PLAY,
            TurnRow.status == TurnStatus.OPEN,
            col(TurnRow.deadline).is_not(None),
        )
        .order_by(col(GameRow.id))
    )
    found = {
        row.id: row
        for row, turn, absence in session.exec(statement).all()
        if turn.deadline is not None
        and absence.first - _DAY <= turn.deadline.date() <= absence.last + _DAY
    }
    return list(found.values())


def gm_moved_at(session: Session, game_id: int, turn: int, opened_at: datetime) -> datetime | None:
    """Return when the GM last set the deadline of a turn that was opened then; None: never."""
    statement = (
        select(JournalRow.at)
        .where(
            JournalRow.game_id == game_id,
            JournalRow.turn == turn,
            JournalRow.at >= opened_at,
            JournalRow.what == "deadline",
            JournalRow.who == "GM",
        )
        .order_by(col(JournalRow.id).desc())
    )
    return session.exec(statement).first()


def end_absences(session: Session, person_id: int, today: date, now: datetime) -> int:
    """Take back every holiday of a person that is not over; return how many."""
    statement = update(AbsenceRow).where(
        col(AbsenceRow.person_id) == person_id,
        col(AbsenceRow.ended_at).is_(None),
        col(AbsenceRow.last) >= today,
    )
    return session.exec(statement.values(ended_at=now)).rowcount


def move_absences(session: Session, person_id: int, to: int) -> None:
    """Make the holidays of a person another's."""
    mine = update(AbsenceRow).where(col(AbsenceRow.person_id) == person_id)
    session.exec(mine.values(person_id=to))


def forget_absences(session: Session, person_id: int) -> None:
    """Delete the holidays of a person."""
    session.exec(delete(AbsenceRow).where(col(AbsenceRow.person_id) == person_id))
