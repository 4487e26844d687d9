"""Inserts rows unless they are there, though another process may be at it at the same moment."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session

from postal.store.rows import Row


def insert_new(session: Session, kind: type[Row], rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows given by their columns, but for those that a unique column or key has already.

    To look first and insert then isn't enough where several processes write: both may find
    nothing. Two that insert several of the same must name them in the same order.
    """
    if not rows:
        return
    session.flush()
    connection = session.connection()
    if connection.dialect.name == "sqlite":
        connection.execute(sqlite.insert(kind).on_conflict_do_nothing(), rows)
    else:
        connection.execute(postgresql.insert(kind).on_conflict_do_nothing(), rows)
