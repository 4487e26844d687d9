"""Keeps a second daemon off the same SQLite data, by locks that end with their process."""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from postal.store.database import parse_url
from postal.store.problems import FULL, AlreadyRunning, StoreHindered, StoreUnavailable

LOCK_NAME = "postal.lock"
"""The file that a daemon locks in its data folder; the file itself may stay."""


@contextmanager
def only_one(database_url: str, data_folder: Path) -> Iterator[None]:
    """Hold the data folder and the folder of an SQLite database while the block runs.

    Raises AlreadyRunning where another holds either, StoreUnavailable where they can't be
    reached. The system itself lets go when the process ends, however it ends. Daemons on one
    PostgreSQL database need no lock: it hands their work out.
    """
    with ExitStack() as locks:
        locks.enter_context(_file_lock(data_folder / LOCK_NAME))
        parsed = parse_url(database_url)
        beside = Path(parsed.database or "").resolve().parent
        if parsed.get_backend_name() == "sqlite" and beside != data_folder.resolve():
            locks.enter_context(_file_lock(beside / LOCK_NAME))
        yield


@contextmanager
def _file_lock(path: Path) -> Iterator[None]:
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise StoreHindered(f"{FULL} ({path})") from error
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


def _running(where: str) -> str:
    return f"Another postal works {where} already: stop that one first."
