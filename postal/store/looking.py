"""Opens a SQLite file that can't be written, such as a copy on a read-only disk, to be read."""

import os
import sqlite3
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL

from postal.store.migrate import outstanding
from postal.store.problems import StoreUnavailable

EARLIER_COPY = (
    "The database was made by an earlier postal and can't be written here: copy the data folder to"
    " where postal may write, then look at that."
)


def only_to_look_at(url: URL) -> bool:
    """Return whether a URL names a file that is there, in a place that can't be written."""
    if url.get_backend_name() != "sqlite":
        return False
    path = Path(url.database or "")
    return path.exists() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))


def engine_to_look(url: URL) -> Engine:
    """Return an engine that reads such a file. Raises StoreUnavailable."""
    path = Path(url.database or "").absolute()
    # What isn't yet in the file itself needs the files beside it, and a copy has none in use.
    log = path.with_name(f"{path.name}-wal")
    unwritten = log.exists() and log.stat().st_size > 0
    options = "mode=ro" if unwritten else "mode=ro&immutable=1"
    uri = f"file:{quote(str(path))}?{options}"
    engine = create_engine(
        url, hide_parameters=True, creator=lambda: sqlite3.connect(uri, uri=True)
    )
    event.listen(engine, "connect", lambda connection, _: _set_up(connection))
    event.listen(engine, "begin", _begin)
    try:
        earlier = outstanding(engine)
    except BaseException:
        engine.dispose()
        raise
    if earlier:
        engine.dispose()
        raise StoreUnavailable(EARLIER_COPY)
    return engine


def _set_up(connection: sqlite3.Connection) -> None:
    connection.isolation_level = None


def _begin(connection: Connection) -> None:
    purpose = connection.get_execution_options().get("postal_begin", "write")
    connection.exec_driver_sql("BEGIN" if purpose == "read" else "BEGIN IMMEDIATE")
