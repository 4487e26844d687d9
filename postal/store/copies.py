"""Makes a consistent copy of a SQLite file beside it, whole or not at all."""

import errno
import os
import sqlite3
from contextlib import closing
from itertools import count
from pathlib import Path

from postal.store.problems import StoreHindered, StoreUnavailable


def copy_beside(file: Path, why: str) -> Path:
    """Copy a database to a file such as ``postal.sqlite3.before-0003``; return its path.

    The copy is its owner's alone, and takes no earlier one's place: then its name ends in a number.
    Who calls this holds the right to write, so that nothing changes meanwhile. Raises
    StoreUnavailable where there is no room, leaving nothing behind.
    """
    names = (f"{file.name}.{why}{f'-{number}' if number > 1 else ''}" for number in count(1))
    copy = next(path for name in names if not (path := file.with_name(name)).exists())
    # Under the good name nothing half made is ever seen, even where the process is killed.
    part = file.with_name(f"{file.name}.{why}.part")
    try:
        copy_to(file, part)
        part.rename(copy)
    except (OSError, sqlite3.Error) as error:
        part.unlink(missing_ok=True)
        full = is_full(error)
        why = "there is no room for that" if full else "that failed"
        raise (StoreHindered if full else StoreUnavailable)(
            f"Before the database is brought up to date it is copied to {copy}: {why}. See to room "
            "and rights there; nothing was changed."
        ) from error
    return copy


def copy_to(file: Path, copy: Path) -> None:
    """Copy a database as it is at one moment, though others write; the copy is its owner's alone.

    What stood under the copy's name goes. Raises OSError or sqlite3.Error.
    """
    copy.unlink(missing_ok=True)
    os.close(os.open(copy, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)


def is_full(error: OSError | sqlite3.Error) -> bool:
    """Return whether there is no room for what failed."""
    if isinstance(error, OSError):
        return error.errno in {errno.ENOSPC, errno.EDQUOT}
    return getattr(error, "sqlite_errorname", "") in {"SQLITE_FULL", "SQLITE_IOERR_SHMSIZE"}
