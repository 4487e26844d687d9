"""A database as postal 0.1.0 left it, at revision 0002: the one that is kept, on either system."""

import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from alembic import command
from sqlalchemy import DateTime, MetaData, Table, bindparam, create_engine, inspect, select, text
from sqlalchemy.engine import make_url

from postal.store.database import make_engine, open_database
from postal.store.migrate import configuration
from tests.fresh import copied

KEPT = Path(__file__).parents[1] / "records" / "edition1" / "postal.sqlite3"
REVISION = "0002"
NOTED = "alembic_version"

Query = tuple[str, dict[str, Any]]


def earlier_database(url: str, *changes: Query | str) -> str:
    """Put a copy of the kept database there, with some statements run on it; return the URL."""
    if url.startswith("sqlite"):
        shutil.copyfile(KEPT, file_of(url))
    else:
        copied(url, _make_earlier)
    if changes:
        run(url, *changes)
    return url


def migrated(url: str, *changes: Query | str) -> str:
    """Make the kept database, with some changes, and bring it up to date."""
    if not changes:
        return copied(url, _make_migrated)
    return upgraded(earlier_database(url, *changes))


def upgraded(url: str) -> str:
    """Bring a database up to date."""
    open_database(url, create=False, upgrade=True).close()
    return url


def every(url: str, row: Any) -> list[Any]:
    """Return all rows of a class by their ids."""
    database = open_database(url)
    with database.reading() as session:
        rows = list(session.scalars(select(row).order_by(row.id)))
    database.close()
    return rows


def empty_earlier_database(url: str) -> str:
    """Make the tables of that revision, without a row; return the URL."""
    engine = make_engine(url)
    with (
        engine.connect().execution_options(postal_begin="migrate") as connection,
        connection.begin(),
    ):
        command.upgrade(configuration(connection), REVISION)
    engine.dispose()
    return url


def run(url: str, *statements: Query | str) -> None:
    """Run statements in one transaction, past all the program's own checks."""
    engine = make_engine(url)
    purpose = {"postal_begin": "migrate"}
    with engine.connect().execution_options(**purpose) as connection, connection.begin():
        for statement in statements:
            query, values = (statement, {}) if isinstance(statement, str) else statement
            moments = [
                bindparam(name, type_=DateTime(timezone=True))
                for name, value in values.items()
                if isinstance(value, datetime)
            ]
            connection.execute(text(query).bindparams(*moments), values)
    engine.dispose()


def found(url: str, query: str, **values: Any) -> list[tuple[Any, ...]]:
    """Return the rows that a query finds, whatever the tables."""
    engine = make_engine(url)
    with engine.connect().execution_options(postal_begin="read") as connection:
        rows = [tuple(row) for row in connection.execute(text(query), values)]
    engine.dispose()
    return rows


def revision(url: str) -> str:
    """Return the revision that the database notes."""
    return str(found(url, f"SELECT version_num FROM {NOTED}")[0][0])


def content(url: str) -> dict[str, list[str]]:
    """Return all rows by table, in words, sorted."""
    engine = make_engine(url)
    with engine.connect().execution_options(postal_begin="read") as connection:
        names = inspect(connection).get_table_names()
        rows = {
            name: sorted(map(repr, connection.execute(text(f"SELECT * FROM {name}"))))
            for name in names
        }
    engine.dispose()
    return rows


def shape(url: str) -> dict[str, Any]:
    """Return what a database's tables are like: all that counts, whatever the order."""
    engine = make_engine(url)
    tables: dict[str, Any] = {}
    with engine.connect() as connection:
        inspector = inspect(connection)
        for name in set(inspector.get_table_names()) - {"alembic_version"}:
            tables[name] = (
                {c["name"]: (str(c["type"]), c["nullable"]) for c in inspector.get_columns(name)},
                inspector.get_pk_constraint(name)["constrained_columns"],
                {(i["name"], *i["column_names"]) for i in inspector.get_indexes(name)},
                {(u["name"], *u["column_names"]) for u in inspector.get_unique_constraints(name)},
                {
                    (f["name"], *f["constrained_columns"], f["referred_table"])
                    for f in inspector.get_foreign_keys(name)
                },
            )
        if connection.dialect.name == "sqlite":
            autoincrement = connection.exec_driver_sql(
                "SELECT name FROM sqlite_master WHERE sql LIKE '%AUTOINCREMENT%'"
            )
            tables["ids that are never given twice"] = set(autoincrement.scalars())
    engine.dispose()
    return tables


def file_of(url: str) -> Path:
    """Return the file of a SQLite database."""
    return Path(make_url(url).database or "")


def dump(file: Path) -> list[str]:
    """Return a SQLite file's tables and rows as statements, sorted; read past all of postal."""
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return sorted(connection.iterdump())


def _make_earlier(url: str) -> None:
    empty_earlier_database(url)
    _copy_rows(url)


def _make_migrated(url: str) -> None:
    upgraded(earlier_database(url))


def _copy_rows(url: str) -> None:
    """Copy the kept rows to a PostgreSQL database, and let its sequences go on behind them."""
    source, target = create_engine(f"sqlite:///{KEPT}"), make_engine(url)
    tables = MetaData()
    tables.reflect(target)
    with source.connect() as old, target.begin() as new:
        for table in tables.sorted_tables:
            if table.name == NOTED:
                continue
            kept = Table(table.name, MetaData(), autoload_with=old)
            rows = [_aware(dict(row)) for row in old.execute(select(kept)).mappings()]
            if rows:
                new.execute(table.insert(), rows)
            if rows and "id" in table.columns:
                last = text(
                    f"SELECT setval(pg_get_serial_sequence('{table.name}', 'id'), max(id))"
                    f" FROM {table.name}"
                )
                new.execute(last)
    source.dispose()
    target.dispose()


def _aware(row: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value.replace(tzinfo=UTC) if isinstance(value, datetime) else value
        for name, value in row.items()
    }
