"""Opens the database, SQLite or PostgreSQL, and runs what is done in it in transactions."""

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.pool import ConnectionPoolEntry, PoolResetState
from sqlmodel import Session

from postal.store.looking import engine_to_look, only_to_look_at
from postal.store.migrate import migrate, outstanding, require_tables, require_unicode
from postal.store.problems import (
    CANNOT_OPEN,
    DAMAGED_ROW,
    FULL,
    MOVED,
    READ_ONLY,
    DatabaseMoved,
    StoreHindered,
    StoreUnavailable,
    damaged_value,
    no_tables,
    sentence_for,
    unavailable,
)

BUSY_SECONDS = 30
"""How long a SQLite transaction waits for another to end."""

CONNECT_SECONDS = 10
"""How long to wait for a PostgreSQL server to answer."""

_NOTICING = {
    "connect_timeout": CONNECT_SECONDS,
    "keepalives_idle": 15,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,  # in milliseconds, the others in seconds
}
"""So a server whose machine or network is gone is missed within half a minute, not hours."""


class Database:
    """An open database; every use of it is one transaction. Threads may share it."""

    def __init__(self, engine: Engine, *, read_only: bool = False) -> None:
        """Take an engine made by ``open_database``; ``read_only``: nothing can be stored."""
        self.read_only = read_only
        self._file = _OpenFile(engine.url)
        self._writing = engine
        self._reading = engine.execution_options(**_reading_options(engine.url))

    @property
    def shared(self) -> bool:
        """Whether any number of daemons may work on it at once: PostgreSQL hands work out."""
        return self._writing.dialect.name == "postgresql"

    @contextmanager
    def transaction(self) -> Iterator[Session]:
        """Yield a session that commits at the end of the block and rolls back on any error.

        Rows stay readable after it. Only one transaction of a SQLite file runs at a time, so
        nothing slow (adjudication, the network) belongs inside. Raises StoreUnavailable.
        """
        self._file.require_same()
        with told_in_a_sentence(), Session(self._writing, expire_on_commit=False) as session:
            yield session
            session.commit()

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Yield a session that sees one moment's state and can't write. Raises StoreUnavailable."""
        self._file.require_same()
        with told_in_a_sentence(), Session(self._reading, expire_on_commit=False) as session:
            yield session

    def close(self) -> None:
        """Close the connections."""
        self._writing.dispose()


class _OpenFile:
    """The file of a SQLite database, which may be deleted or replaced while it is open.

    SQLite itself would go on with what has no name any more.
    """

    def __init__(self, url: URL) -> None:
        sqlite = url.get_backend_name() == "sqlite"
        self._path = url.database or "" if sqlite else ""
        self._found = self._look()

    def require_same(self) -> None:
        """Raise DatabaseMoved where another file, or none, has taken its place."""
        if self._look() != self._found:
            raise DatabaseMoved(f"{MOVED} ({self._path})")

    def _look(self) -> tuple[int, int] | None:
        if not self._path:
            return None
        try:
            facts = os.stat(self._path)  # noqa: PTH116 - at each transaction: the quick way
        except OSError:
            return None
        return facts.st_dev, facts.st_ino


def open_database(
    url: str, *, create: bool = True, upgrade: bool | None = None, look: bool = False
) -> Database:
    """Open the database of an SQLAlchemy URL and bring its tables up to date.

    ``sqlite:///relative.db``, ``sqlite:////absolute.db`` or ``postgresql://…``. Without
    ``create`` the database must be there with its tables. ``upgrade``: whether tables of an earlier
    version of postal may be changed; None: on SQLite, not on PostgreSQL. With ``look`` a SQLite
    file that can't be written is opened all the same, to be read. Raises StoreUnavailable,
    or its subclass DatabaseTooNew where a later version has changed the tables.
    """
    with told_in_a_sentence():
        if look and only_to_look_at(parsed := parse_url(url)):
            return Database(engine_to_look(parsed), read_only=True)
        engine = make_engine(url, create=create)
        try:
            require_unicode(engine)
            if not create:
                require_tables(engine)
            migrate(engine, upgrade=upgrade)
        except BaseException:
            engine.dispose()
            raise
    return Database(engine)


def outstanding_revisions(url: str) -> tuple[str, ...]:
    """Return the revisions of the tables that a database lacks, changing nothing.

    Raises StoreUnavailable where it has no tables, DatabaseTooNew where it has later ones.
    """
    with told_in_a_sentence():
        engine = make_engine(url, create=False)
        try:
            return outstanding(engine)
        finally:
            engine.dispose()


def make_engine(url: str, *, create: bool = True) -> Engine:
    """Return an engine set up as this package needs it. Raises StoreUnavailable."""
    parsed = parse_url(url)
    if parsed.get_backend_name() == "sqlite":
        _prepare_file(parsed, create=create)
        engine = create_engine(parsed, hide_parameters=True)
        event.listen(engine, "connect", _set_up_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        event.listen(engine, "reset", _end_sqlite)
        return engine
    try:
        return create_engine(
            parsed,
            # Parameters hold secrets and would stand in every error's text.
            hide_parameters=True,
            pool_pre_ping=True,
            connect_args={"client_encoding": "utf8", **_NOTICING},
        )
    except ModuleNotFoundError as error:
        raise StoreUnavailable(
            "PostgreSQL needs one package more: pip install 'postal-anaconda[postgresql]'."
        ) from error


def parse_url(url: str) -> URL:
    """Return the URL with its driver. Raises StoreUnavailable, never showing the password."""
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        # The cause holds the whole URL.
        raise StoreUnavailable(
            "The database's address can't be read: write sqlite:///path or postgresql://…"
        ) from None
    backend = parsed.get_backend_name()
    if backend in {"postgres", "postgresql"}:
        return parsed.set(drivername="postgresql+psycopg")
    if backend != "sqlite":
        raise StoreUnavailable(f"postal works on SQLite or PostgreSQL, not on {backend}.")
    if parsed.database in {None, "", ":memory:"}:
        raise StoreUnavailable("The database's address names no file: write sqlite:///path.")
    return parsed


@contextmanager
def told_in_a_sentence() -> Iterator[None]:
    """Turn what is wrong with the database into StoreUnavailable; bugs pass as they are."""
    try:
        yield
    except DBAPIError as error:
        sentence = sentence_for(error)
        if sentence is None:
            raise
        raise unavailable(sentence) from error
    except (LookupError, ValueError, TypeError) as error:
        if not damaged_value(error):
            raise
        # Its text quotes the value.
        raise StoreUnavailable(DAMAGED_ROW) from None


def _reading_options(url: URL) -> dict[str, object]:
    if url.get_backend_name() == "sqlite":
        return {"postal_begin": "read"}
    return {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}


def _prepare_file(url: URL, *, create: bool) -> None:
    """Make the file for its owner alone, for it holds every card; its -wal takes after it."""
    path = Path(url.database or "")
    if path.exists():
        return
    if not create:
        raise StoreUnavailable(no_tables(url))
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        reasons = {"ENOSPC": FULL, "EDQUOT": FULL, "EROFS": READ_ONLY, "EACCES": READ_ONLY}
        name = errno.errorcode.get(error.errno or 0, "")
        reason = reasons.get(name, CANNOT_OPEN)
        kind = StoreHindered if reason == FULL else StoreUnavailable
        raise kind(f"{reason} ({path})") from error


def _set_up_sqlite(connection: sqlite3.Connection, _entry: ConnectionPoolEntry) -> None:
    # The driver would begin transactions by itself, deferred ones that lose updates.
    connection.isolation_level = None
    connection.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")
    _log_ahead(connection)
    connection.execute("PRAGMA synchronous = FULL")
    # What is let go is overwritten, not only left to be written over some day.
    connection.execute("PRAGMA secure_delete = ON")


def _end_sqlite(
    connection: sqlite3.Connection, _entry: ConnectionPoolEntry, _state: PoolResetState
) -> None:
    """End a transaction whose COMMIT failed: SQLite keeps it open, with its lock on the file."""
    if connection.in_transaction:
        connection.rollback()


def _log_ahead(connection: sqlite3.Connection) -> None:
    """Have changes written beside the file first, so that readers don't wait; but not another's."""
    (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
    if mode == "wal":
        return
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    if not tables or "games" in tables:
        connection.execute("PRAGMA journal_mode = WAL")


def _begin_sqlite(connection: Connection) -> None:
    """Begin for reading, migrating (foreign keys off, or moved tables drop rows) or writing."""
    purpose = connection.get_execution_options().get("postal_begin", "write")
    if connection.info.get("postal_begin") != purpose:
        # The setting of a new connection isn't known.
        if "migrate" in (purpose, connection.info.get("postal_begin", "migrate")):
            foreign_keys = "OFF" if purpose == "migrate" else "ON"
            connection.exec_driver_sql(f"PRAGMA foreign_keys = {foreign_keys}")
        connection.exec_driver_sql(f"PRAGMA query_only = {'ON' if purpose == 'read' else 'OFF'}")
        connection.info["postal_begin"] = purpose
    connection.exec_driver_sql("BEGIN" if purpose == "read" else "BEGIN IMMEDIATE")
