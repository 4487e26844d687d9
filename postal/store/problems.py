"""What can be wrong with a database, each told in a sentence that says what to do."""

import sqlite3
import traceback

from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError

from postal.errors import PostalError

FULL = "The disk is full: free some space. Nothing of what was being done is kept."
READ_ONLY = "The database is read-only: let postal write to the file and to the folder it lies in."
BUSY = "Another program holds the database: end it, or try again when it has finished."
DAMAGED = "The database file is damaged or is none: put the last good copy back."
CANNOT_OPEN = (
    "The database file can't be opened: see that its folder exists and is postal's to write."
)
DISK = "The disk failed while the database was read or written: see to it before going on."
DAMAGED_ROW = (
    "A row of the database is damaged: `postal check` says which; put the last good copy back."
)
MOVED = (
    "The database file was deleted or replaced while postal had it open: see that the right one is"
    " there, then start postal again."
)
ANOTHERS = "The database is another program's: name one of postal's own in the config."
REFUSED = "The PostgreSQL server refuses postal's user: see to the name, password and rights."
SERVER_BUSY = "The PostgreSQL server takes no more connections or work now: try again later."
SERVER_GONE = "The PostgreSQL server can't be reached or went away: see that it runs"

# By the first words of SQLite's own name for a result: READONLY_DBMOVED is a READONLY.
_SQLITE = {
    # A full disk has no room for the shared memory that SQLite maps beside the file.
    "SQLITE_IOERR_SHMSIZE": FULL,
    "SQLITE_FULL": FULL,
    "SQLITE_READONLY": READ_ONLY,
    "SQLITE_PERM": READ_ONLY,
    "SQLITE_BUSY": BUSY,
    "SQLITE_LOCKED": BUSY,
    "SQLITE_CANTOPEN": CANNOT_OPEN,
    "SQLITE_IOERR": DISK,
    "SQLITE_NOTADB": DAMAGED,
    "SQLITE_CORRUPT": DAMAGED,
}

# By SQLSTATE, or its class of two characters (PostgreSQL, appendix A).
_POSTGRESQL = {
    "53100": FULL,
    "25006": "The PostgreSQL server is read-only, a replica perhaps: name the one that is not.",
    "3D000": "The PostgreSQL server has no database of that name: make it with createdb.",
    "42501": REFUSED,
    "28": REFUSED,
    "53": SERVER_BUSY,
    "40": SERVER_BUSY,
    "55": SERVER_BUSY,
    "08": f"{SERVER_GONE}.",
    "57": f"{SERVER_GONE}.",
    "58": f"{SERVER_GONE}.",
}


# By words of libpq's and psycopg's own, where a connection doesn't come about.
_CONNECTING = (
    ("password", REFUSED),
    ("pg_hba.conf", REFUSED),
    ("role ", REFUSED),
    ("database system", f"{SERVER_GONE}."),  # it is starting up, shutting down or recovering
    ("database ", _POSTGRESQL["3D000"]),
    ("too many", SERVER_BUSY),
    ("resolve host", f"{SERVER_GONE}, and that its host is named rightly."),
    ("translate host", f"{SERVER_GONE}, and that its host is named rightly."),
    ("refused", f"{SERVER_GONE}, and that its host and port are right: nothing answers there."),
    ("timeout", f"{SERVER_GONE}: it did not answer in time."),
    ("certificate", "The PostgreSQL server's certificate can't be trusted: see to it."),
)

_PASSING = (FULL, BUSY, SERVER_BUSY)


class StoreUnavailable(PostalError):  # noqa: N818 - it names a state of the store
    """The database can't be used now; the text is a sentence for the GM that says what to do."""


class StoreHindered(StoreUnavailable):
    """The database is busy or its disk is full: the same works when that has passed."""


class DatabaseMoved(StoreUnavailable):
    """The file is not the one that was opened: whatever was written now would be lost."""


class ServerUnreachable(StoreUnavailable):
    """The database server is away, so that nothing of the store can be used until it is back."""


class DatabaseTooNew(StoreUnavailable):
    """A later version of postal has changed the database, so that this one must not touch it."""


class AlreadyRunning(StoreUnavailable):
    """Another daemon works on the same data."""


def unavailable(sentence: str) -> StoreUnavailable:
    """Return what to raise for a sentence of ``sentence_for``."""
    if sentence.startswith(SERVER_GONE):
        return ServerUnreachable(sentence)
    return (StoreHindered if sentence in _PASSING else StoreUnavailable)(sentence)


def no_tables(url: URL) -> str:
    """Return what to tell the GM where nothing was ever stored."""
    return f"There is no postal database at {url.database} yet: start a game first."


def damaged_value(error: BaseException) -> bool:
    """Return whether an error arose where SQLAlchemy reads a stored value: no bug of ours."""
    if not isinstance(error, LookupError | ValueError | TypeError):
        return False
    *_, (frame, _line) = traceback.walk_tb(error.__traceback__)
    return str(frame.f_globals.get("__name__", "")).startswith("sqlalchemy.")


def sentence_for(error: DBAPIError) -> str | None:
    """Return what to tell the GM of a database error, None where it is a bug of ours."""
    cause = error.orig
    if isinstance(cause, sqlite3.Error):
        name = getattr(cause, "sqlite_errorname", "")
        return next((text for key, text in _SQLITE.items() if name.startswith(key)), None)
    state = getattr(cause, "sqlstate", None)
    if state is not None:
        return _POSTGRESQL.get(state) or _POSTGRESQL.get(state[:2])
    # A connection that never came about, or broke, has no SQLSTATE. Its text may hold a part of
    # the password, taken for the host: postgresql://gm:pass@word@host.
    if type(cause).__name__ in {"OperationalError", "ConnectionTimeout"}:
        said = str(cause).casefold()
        return next((text for words, text in _CONNECTING if words in said), f"{SERVER_GONE}.")
    return None
