"""Brings a database's tables up to date by the migrations inside this package."""

from __future__ import annotations

import pkgutil
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Engine, inspect, text

from postal.store.migrations import versions
from postal.store.problems import DatabaseTooNew, StoreUnavailable, no_tables

if TYPE_CHECKING:
    from alembic.config import Config

VERSION_TABLE = "alembic_version"

MIGRATION_LOCK = 0x706F_7374_6D69_6772
"""The PostgreSQL advisory lock under which tables are changed (it reads "postmigr")."""

TOO_NEW = (
    "A newer version of postal has changed this database: install that version again, "
    "or put back the copy of the database that was made before."
)


def configuration(connection: Connection | None = None) -> Config:
    """Return Alembic's configuration for the migrations as they are installed."""
    from alembic.config import Config  # noqa: PLC0415 - slow, and mostly not needed

    config = Config()
    config.set_main_option("script_location", "postal.store:migrations")
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


def require_tables(engine: Engine) -> None:
    """Raise StoreUnavailable where no postal tables were ever made."""
    with engine.connect().execution_options(postal_begin="read") as connection:
        if not _heads(connection):
            raise StoreUnavailable(no_tables(engine.url))


def require_unicode(engine: Engine) -> None:
    """Raise StoreUnavailable where a PostgreSQL database can't hold every character."""
    if engine.dialect.name != "postgresql":
        return
    with engine.connect() as connection:
        encoding = connection.scalar(text("SHOW server_encoding"))
    # SQL_ASCII keeps the bytes it is given, and the driver is told to give it UTF-8.
    if encoding not in {"UTF8", "SQL_ASCII"}:
        raise StoreUnavailable(
            f"The PostgreSQL database is encoded as {encoding}, which lacks \u2660 and the like: "
            "make it anew with createdb --encoding=UTF8 --template=template0."
        )


def migrate(engine: Engine) -> None:
    """Run the migrations that are missing, all or none, one process at a time.

    Raises DatabaseTooNew, changing nothing, where the database has a migration unknown here.
    """
    with engine.connect().execution_options(postal_begin="read") as connection:
        if not _missing(connection):
            return
    from alembic import command  # noqa: PLC0415 - slow, and mostly not needed

    with (
        engine.connect().execution_options(postal_begin="migrate") as connection,
        connection.begin(),
    ):
        if connection.dialect.name == "postgresql":
            lock = text("SELECT pg_advisory_xact_lock(:key)")
            connection.execute(lock, {"key": MIGRATION_LOCK})
        # Another process may have been faster.
        if _missing(connection):
            command.upgrade(configuration(connection), "head")
        _check_foreign_keys(connection)


def revisions() -> tuple[str, ...]:
    """Return the revisions that come with this version, oldest first, from their files' names.

    A file ``rev0002_addresses.py`` holds revision 0002; each follows the one before.
    """
    names = sorted(module.name for module in pkgutil.iter_modules(versions.__path__))
    return tuple(name.removeprefix("rev").partition("_")[0] for name in names)


def _heads(connection: Connection) -> set[str]:
    """Return what Alembic noted in the database, without Alembic, whose import takes a while."""
    if not inspect(connection).has_table(VERSION_TABLE):
        return set()
    return set(connection.scalars(text(f"SELECT version_num FROM {VERSION_TABLE}")))  # noqa: S608 - a constant


def _missing(connection: Connection) -> bool:
    present, known = _heads(connection), revisions()
    if present - set(known):
        raise DatabaseTooNew(TOO_NEW)
    return present != {known[-1]}


def _check_foreign_keys(connection: Connection) -> None:
    if connection.dialect.name != "sqlite":
        return
    if connection.exec_driver_sql("PRAGMA foreign_key_check").first() is not None:
        raise StoreUnavailable(
            "The database can't be brought up to date, since some of its rows refer to others "
            "that are missing: put the last good copy back. Nothing was changed."
        )
