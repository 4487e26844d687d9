"""Who gets the public reports of a game without holding a seat of it."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete, update
from sqlmodel import Session, col, select

from postal.store.rows import AddressRow, GameRow, ObserverRow, PersonRow


def observers_of(
    session: Session, game_id: int
) -> Sequence[tuple[ObserverRow, PersonRow, AddressRow]]:
    """Return whom the GM lists for a game, each with where his reports go, the first listed first.

    Who has stopped his reports is among them.
    """
    statement = (
        select(ObserverRow, PersonRow, AddressRow)
        .where(
            ObserverRow.game_id == game_id,
            PersonRow.id == ObserverRow.person_id,
            AddressRow.person_id == ObserverRow.person_id,
            col(AddressRow.reports).is_(True),
        )
        .order_by(col(ObserverRow.id))
    )
    return session.exec(statement).all()


def observed_by(session: Session, person_id: int) -> Sequence[tuple[ObserverRow, GameRow]]:
    """Return the games for which the GM lists a person."""
    statement = select(ObserverRow, GameRow).where(
        ObserverRow.person_id == person_id, GameRow.id == ObserverRow.game_id
    )
    return session.exec(statement.order_by(col(ObserverRow.id))).all()


def stop_observing(session: Session, observer_id: int, at: datetime | None) -> bool:
    """Note since when somebody wants no reports (None: he wants them); False where he is gone."""
    statement = update(ObserverRow).where(col(ObserverRow.id) == observer_id)
    return session.exec(statement.values(stopped_at=at)).rowcount == 1


def forget_observer(session: Session, person_id: int) -> None:
    """Take a person off every game's list."""
    session.exec(delete(ObserverRow).where(col(ObserverRow.person_id) == person_id))


def move_observer(session: Session, from_id: int, to_id: int) -> None:
    """Put one person on the lists in another's place."""
    mine = select(col(ObserverRow.game_id)).where(ObserverRow.person_id == to_id)
    his = col(ObserverRow.person_id) == from_id
    both = session.exec(mine).all()
    session.exec(delete(ObserverRow).where(his, col(ObserverRow.game_id).in_(both)))
    session.exec(update(ObserverRow).where(his).values(person_id=to_id))
