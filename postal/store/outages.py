"""Times in which the program was off or a server away (RULES.md 9.1, 10.5)."""

from collections.abc import Sequence
from datetime import datetime

from sqlmodel import Session, col, select

from postal.store.rows import GameRow, OutageRow, OutageWhat, TurnRow, TurnStatus
from postal.store.turns import ON_THE_CLOCK


def note_outage(session: Session, what: OutageWhat, began: datetime, ended: datetime) -> None:
    """Note an outage that is over (aware UTC)."""
    session.add(OutageRow(what=what, began=began, ended=ended))


def outage_over(session: Session, deadline: datetime, closes: datetime) -> OutageRow | None:
    """Return the outage that a turn's end lay in, the last to end; None where none did.

    A turn ends at its ``deadline`` or, where orders are missing, when the grace after it ``closes``
    (both aware UTC). What had closed when an outage began is none of its.
    """
    statement = select(OutageRow).where(
        col(OutageRow.began) < closes, col(OutageRow.ended) >= deadline
    )
    return session.exec(statement.order_by(col(OutageRow.ended).desc()).limit(1)).first()


def outages_since(session: Session, since: datetime) -> Sequence[OutageRow]:
    """Return the outages that ended later than that (aware UTC), the first first."""
    statement = select(OutageRow).where(col(OutageRow.ended) > since)
    return session.exec(statement.order_by(col(OutageRow.ended), col(OutageRow.id))).all()


def turns_ending(
    session: Session, after: datetime, until: datetime
) -> Sequence[tuple[GameRow, TurnRow]]:
    """Return the open turns whose deadline lies in a span of time, with their games, not on hold.

    It ends with ``until`` and begins just after ``after`` (both aware UTC).
    """
    statement = (
        select(GameRow, TurnRow)
        .where(
            *ON_THE_CLOCK,
            col(TurnRow.status) == TurnStatus.OPEN,
            col(TurnRow.deadline) > after,
            col(TurnRow.deadline) <= until,
        )
        .order_by(col(TurnRow.deadline), col(TurnRow.id))
    )
    return session.exec(statement).all()
