"""Troubles that last, each noted once and told to the GM, and the journal of what was done."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import func, or_, update
from sqlmodel import Session, col, select

from postal.store.inserting import insert_new
from postal.store.rows import JournalRow, TroubleKind, TroubleRow


def open_troubles(session: Session, game_id: int | None = None) -> Sequence[TroubleRow]:
    """Return what is not well now, the oldest first; of a game: that, and what is of no game."""
    statement = select(TroubleRow).where(col(TroubleRow.ended_at).is_(None))
    if game_id is not None:
        of_it = or_(col(TroubleRow.game_id).is_(None), col(TroubleRow.game_id) == game_id)
        statement = statement.where(of_it)
    return session.exec(statement.order_by(col(TroubleRow.since), col(TroubleRow.id))).all()


def open_trouble(session: Session, kind: TroubleKind, about: str) -> TroubleRow | None:
    """Return a trouble that lasts, None where there is none of that kind about that."""
    statement = select(TroubleRow).where(
        TroubleRow.kind == kind, TroubleRow.about == about, col(TroubleRow.ended_at).is_(None)
    )
    return session.exec(statement).first()


def begin_trouble(session: Session, trouble: TroubleRow) -> TroubleRow:
    """Note a trouble unless it is noted already; return its row, with the new sentence."""
    values = trouble.model_dump(exclude={"id"})
    insert_new(session, TroubleRow, [values])
    row = open_trouble(session, trouble.kind, trouble.about)
    assert row is not None, "it is there now, whoever noted it"
    row.sentence = trouble.sentence
    return row


def begin_telling(session: Session, trouble: TroubleRow) -> bool:
    """Note a trouble that the GM is told of at once; False where he was told it in these words."""
    statement = select(TroubleRow.id).where(
        TroubleRow.kind == trouble.kind,
        TroubleRow.sentence == trouble.sentence,
        col(TroubleRow.ended_at).is_(None),
    )
    if session.exec(statement).first() is not None:
        return False
    stored = begin_trouble(session, trouble)
    session.flush()
    return count_telling(session, stored.id or 0, 0, trouble.since)


def count_telling(session: Session, trouble_id: int, told: int, now: datetime) -> bool:
    """Note that the GM is told of a trouble once more; False where another process did it."""
    statement = (
        update(TroubleRow)
        .where(
            col(TroubleRow.id) == trouble_id,
            col(TroubleRow.told) == told,
            col(TroubleRow.ended_at).is_(None),
        )
        .values(told=told + 1, told_at=now)
        .returning(col(TroubleRow.id))
    )
    return session.exec(statement).one_or_none() is not None


def end_trouble_row(session: Session, trouble_id: int, now: datetime) -> bool:
    """Note that a trouble is over; False where another process did it."""
    statement = (
        update(TroubleRow)
        .where(col(TroubleRow.id) == trouble_id, col(TroubleRow.ended_at).is_(None))
        .values(ended_at=now)
        .returning(col(TroubleRow.id))
    )
    return session.exec(statement).one_or_none() is not None


def was_noted(session: Session, kind: TroubleKind, about: str) -> bool:
    """Whether a trouble of a kind about something was ever noted, over or not."""
    statement = select(TroubleRow.id).where(TroubleRow.kind == kind, TroubleRow.about == about)
    return session.exec(statement.limit(1)).first() is not None


def last_ended(session: Session, kind: TroubleKind) -> datetime | None:
    """Return when the last trouble of a kind ended, None where none did."""
    statement = select(func.max(TroubleRow.ended_at)).where(TroubleRow.kind == kind)
    return session.exec(statement).one()


def looks_at(session: Session, game_id: int) -> Sequence[datetime]:
    """Return when the GM looked at hidden things of a game, the first first."""
    statement = select(JournalRow.at).where(
        JournalRow.game_id == game_id, JournalRow.what == "look"
    )
    return session.exec(statement.order_by(col(JournalRow.id))).all()


def was_done(session: Session, game_id: int, what: str) -> bool:
    """Return whether that stands in a game's journal."""
    statement = select(JournalRow.id).where(JournalRow.game_id == game_id, JournalRow.what == what)
    return session.exec(statement.limit(1)).first() is not None


def journal_of(session: Session, game_id: int) -> Sequence[JournalRow]:
    """Return what was done to a game beside its play, the oldest first."""
    statement = select(JournalRow).where(JournalRow.game_id == game_id)
    return session.exec(statement.order_by(col(JournalRow.id))).all()
