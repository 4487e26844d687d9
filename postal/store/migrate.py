"""Brings a database's tables up to date by the migrations inside this package."""

from __future__ import annotations

import logging
import pkgutil
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Engine, inspect, text

from postal.store.copies import copy_beside
from postal.store.migrations import versions
from postal.store.problems import (
    ANOTHERS,
    AlreadyRunning,
    DatabaseTooNew,
    StoreUnavailable,
    no_tables,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from alembic.config import Config

LOG = logging.getLogger("postal")

VERSION_TABLE = "alembic_version"

_FIRST_TABLES = {"games", "turns", "outbox"}
"""Tables that were there from the first revision on."""

MIGRATION_LOCK = 0x706F_7374_6D69_6772
"""The PostgreSQL advisory lock under which tables are changed (it reads "postmigr")."""

EARLIER_DAEMON = 0x706F_7374_616C_6421
"""The PostgreSQL advisory lock that a daemon of postal 0.1 holds while it runs."""

TOO_NEW = (
    "A newer version of postal has changed this database: install that version again, "
    "or put back the copy of the database that was made before."
)

EARLIER = (
    "This database was made by an earlier postal: make a copy (pg_dump), then run "
    "`postal migrate --yes`."
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


def migrate(engine: Engine, *, upgrade: bool | None = None) -> None:
    """Run the migrations that are missing, all or none, one process at a time.

    Tables of an earlier postal are changed where ``upgrade`` says so; None: on SQLite, where a copy
    of the file is made beside it first. Raises StoreUnavailable where they may not be changed,
    and DatabaseTooNew where the database has a migration unknown here; nothing is changed then.
    """
    sqlite = engine.dialect.name == "sqlite"
    allowed = sqlite if upgrade is None else upgrade
    with engine.connect().execution_options(postal_begin="read") as connection:
        if not _to_do(connection, allowed=allowed):
            return
    from alembic import command  # noqa: PLC0415 - slow, and mostly not needed

    with (
        _copied() as copies,
        engine.connect().execution_options(postal_begin="migrate") as connection,
        connection.begin(),
    ):
        if connection.dialect.name == "postgresql":
            lock = text("SELECT pg_advisory_xact_lock(:key)")
            connection.execute(lock, {"key": MIGRATION_LOCK})
        # Another process may have been faster.
        if _to_do(connection, allowed=allowed):
            if sqlite and _heads(connection):
                # The file can't change now: this transaction alone may write.
                file = Path(engine.url.database or "")
                copies.append(copy_beside(file, f"before-{revisions()[-1]}"))
            if not sqlite:
                _keep_earlier_daemon_out(connection)
            command.upgrade(configuration(connection), "head")
        _check_foreign_keys(connection)


def outstanding(engine: Engine) -> tuple[str, ...]:
    """Return the revisions that a database lacks, oldest first.

    Raises StoreUnavailable where no postal tables were ever made, and DatabaseTooNew.
    """
    require_tables(engine)
    with engine.connect().execution_options(postal_begin="read") as connection:
        if not _missing(connection):
            return ()
        present = _heads(connection)
    return tuple(revision for revision in revisions() if revision > max(present))


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
        _refuse_anothers(connection)
        raise DatabaseTooNew(TOO_NEW)
    return present != {known[-1]}


def _to_do(connection: Connection, *, allowed: bool) -> bool:
    if not _missing(connection):
        return False
    _refuse_anothers(connection)
    if _heads(connection) and not allowed:
        raise StoreUnavailable(EARLIER)
    return True


def _refuse_anothers(connection: Connection) -> None:
    """Raise StoreUnavailable where there are tables that postal didn't make.

    A PostgreSQL database may hold such beside its own, as long as none has the name of one.
    """
    names = set(inspect(connection).get_table_names())
    if VERSION_TABLE in names:
        anothers = bool(_heads(connection)) and not names & _FIRST_TABLES
    else:
        anothers = bool(names if connection.dialect.name == "sqlite" else names & _FIRST_TABLES)
    if anothers:
        raise StoreUnavailable(ANOTHERS)


@contextmanager
def _copied() -> Iterator[list[Path]]:
    """Tell of the copies made in the block; where it failed, they are of no use and go."""
    copies: list[Path] = []
    try:
        yield copies
    except Exception:
        for copy in copies:
            copy.unlink(missing_ok=True)
        raise
    for copy in copies:
        LOG.warning("The database is brought up to date; as it was before, it is kept in %s.", copy)


def _keep_earlier_daemon_out(connection: Connection) -> None:
    """Raise AlreadyRunning where one runs, which would go on with tables that are no more."""
    lock = text("SELECT pg_try_advisory_xact_lock(:key)")
    if not connection.scalar(lock, {"key": EARLIER_DAEMON}):
        raise AlreadyRunning(
            "Another postal works on this PostgreSQL database already: stop that one first."
        )


def _check_foreign_keys(connection: Connection) -> None:
    if connection.dialect.name != "sqlite":
        return
    if connection.exec_driver_sql("PRAGMA foreign_key_check").first() is not None:
        raise StoreUnavailable(
            "The database can't be brought up to date, since some of its rows refer to others "
            "that are missing: put the last good copy back. Nothing was changed."
        )
