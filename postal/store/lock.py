"""Keeps a second daemon off the same data, by locks that end with the process that holds them."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from sqlalchemy import text

from postal.store.database import make_engine, parse_url, told_in_a_sentence
from postal.store.problems import AlreadyRunning, StoreUnavailable

LOCK_NAME = "postal.lock"
"""The file that a daemon locks in its data folder; the file itself may stay."""

DAEMON_LOCK = 0x706F_7374_616C_6421
"""The PostgreSQL advisory lock that a daemon holds (it reads "postald!")."""


@contextmanager
def only_one(database_url: str, data_folder: Path) -> Iterator[None]:
    """Hold the data folder and the database for this process while the block runs.

    Raises AlreadyRunning where another holds either, StoreUnavailable where they can't be
    reached. The system itself lets go when the process ends, however it ends.
    """
    with ExitStack() as locks:
        locks.enter_context(_file_lock(data_folder / LOCK_NAME))
        url = parse_url(database_url)
        if url.get_backend_name() == "postgresql":
            locks.enter_context(_server_lock(database_url))
        else:
            beside = Path(url.database or "").resolve().parent
            if beside != data_folder.resolve():
                locks.enter_context(_file_lock(beside / LOCK_NAME))
        yield


@contextmanager
def _file_lock(path: Path) -> Iterator[None]:
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    except OSError as error:
        raise StoreUnavailable(
            f"{path} can't be made ({error.strerror}): see that the folder is postal's to write."
        ) from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise AlreadyRunning(_running(f"in {path.parent}")) from error
        yield
    finally:
        os.close(handle)


@contextmanager
def _server_lock(database_url: str) -> Iterator[None]:
    """Hold a lock of the session, on a connection that does nothing else."""
    with told_in_a_sentence():
        engine = make_engine(database_url)
        connection = engine.connect().execution_options(isolation_level="AUTOCOMMIT")
    try:
        with told_in_a_sentence():
            lock = text("SELECT pg_try_advisory_lock(:key)")
            if not connection.scalar(lock, {"key": DAEMON_LOCK}):
                raise AlreadyRunning(_running("on this PostgreSQL database"))
        yield
    finally:
        connection.invalidate()
        engine.dispose()


def _running(where: str) -> str:
    return f"Another postal works {where} already: stop that one first."
