"""Looks a database through for what is damaged: its file, and rows that can't be read."""

from collections.abc import Iterator

from sqlalchemy import inspect, text
from sqlmodel import Session, col, select

from postal.store.problems import DAMAGED, damaged_value
from postal.store.rows import Row

_AT_ONCE = 500


def what_is_damaged(session: Session) -> tuple[str, ...]:
    """Return a sentence for each thing that is damaged, none where all can be read.

    Of a SQLite file its pages and indexes are looked at first, then every row of every table.
    """
    if session.connection().dialect.name == "sqlite":
        (found,) = session.connection().execute(text("PRAGMA quick_check(1)")).one()
        if found != "ok":
            return (DAMAGED,)
    return tuple(
        f"In the database row {number} of the table {kind.__tablename__} is damaged: put the last"
        " good copy back."
        for kind in sorted(Row.__subclasses__(), key=lambda one: str(one.__tablename__))
        for number in _damaged_rows(session, kind)
    )


def _damaged_rows(session: Session, kind: type[Row]) -> Iterator[str]:
    (key,) = inspect(kind).primary_key
    for number in session.connection().scalars(select(key).order_by(key)).all():
        session.expunge_all()
        try:
            session.exec(select(kind).where(col(key) == number)).one()
        except Exception as error:
            if not damaged_value(error):
                raise
            yield str(number)
