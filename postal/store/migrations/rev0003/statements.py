"""Statements that the parts of revision 0003 share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa
from alembic import op
from alembic.operations import BatchOperations

from postal.store.migrations.rev0003.tables import TIME
from postal.store.problems import StoreUnavailable

SEAT = "(SELECT s.id FROM seats s WHERE s.game_id = {0}.game_id AND s.name = {0}.player)"
TURN = "(SELECT t.id FROM turns t WHERE t.game_id = {0}.game_id AND t.number = {0}.turn)"
"""The id of the seat or the turn that a row of table ``{0}`` names by text and number."""

ORPHANS = (
    "The database can't be brought up to date, since {count} rows of its table {table} belong to a "
    "player or a turn that it doesn't hold: put the last good copy back. Nothing was changed."
)


def rows(query: str, *times: str) -> list[dict[str, Any]]:
    """Return what a query finds, by the columns' names; ``times`` are those that are moments."""
    typed = sa.text(query).columns(**dict.fromkeys(times, TIME))
    return [dict(row) for row in op.get_bind().execute(typed).mappings()]


def insert(table: sa.Table, new: list[dict[str, Any]]) -> None:
    """Insert rows, which may be none."""
    if new:
        op.get_bind().execute(table.insert(), new)


def set_sequence(table: str) -> None:
    """Let PostgreSQL go on behind ids that rows brought along; SQLite does so by itself."""
    connection = op.get_bind()
    if connection.dialect.name == "postgresql":
        last = f"SELECT max(id) AS last FROM {table} HAVING count(*) > 0"  # noqa: S608 - a table of ours
        sequence = f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), last)"
        connection.execute(sa.text(f"{sequence} FROM ({last}) AS found"))


def refuse_orphans(table: str, condition: str) -> None:
    """Raise StoreUnavailable where rows found no partner: none is lost silently."""
    query = f"SELECT count(*) FROM {table} WHERE {condition}"  # noqa: S608 - constants
    count = op.get_bind().scalar(sa.text(query))
    if count:
        raise StoreUnavailable(ORPHANS.format(count=count, table=table))


@contextmanager
def rebuilding(table: str) -> Iterator[BatchOperations]:
    """Change a table whose ids are never given twice, on SQLite by making it anew as such.

    SQLite notes the last id given beside the table, which would go with the old one.
    """
    connection = op.get_bind()
    sqlite = connection.dialect.name == "sqlite"
    noted = {"name": table}
    if sqlite:
        query = sa.text("SELECT seq FROM sqlite_sequence WHERE name = :name")
        last = connection.scalar(query, noted)
    with op.batch_alter_table(table, table_kwargs={"sqlite_autoincrement": True}) as batch:
        yield batch
    if sqlite and last is not None:
        connection.execute(sa.text("DELETE FROM sqlite_sequence WHERE name = :name"), noted)
        again = sa.text("INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :last)")
        connection.execute(again, {**noted, "last": last})
