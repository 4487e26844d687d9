"""Backs a SQLite database up while it is at work, and puts a backup in its place."""

import sqlite3
from contextlib import closing, suppress
from itertools import count
from pathlib import Path

from postal.errors import UsageError
from postal.store.copies import copy_to, is_full
from postal.store.database import open_database, parse_url
from postal.store.problems import FULL, StoreHindered, StoreUnavailable, no_tables

_BESIDE = ("", "-wal", "-shm")
"""What a SQLite database consists of while it is open: its file, and two with these endings."""


def back_up(url: str, file: Path) -> None:
    """Copy the database of a URL to a file that isn't there yet, consistent and checked.

    Raises UsageError where the file can't be that, StoreUnavailable where the database can't be
    copied; nothing half made is left.
    """
    source = _file_of(url, "pg_dump --format=custom --file=backup.dump DATABASE")
    if not source.exists():
        raise StoreUnavailable(no_tables(parse_url(url)))
    if file.exists():
        raise UsageError(f"{file} is there already: choose another name for the backup.")
    part = file.with_name(f"{file.name}.part")
    try:
        copy_to(source, part)
        _check(part, "The database")
        part.rename(file)
    except (OSError, sqlite3.Error) as error:
        raise _failed(error, f"{file} can't be written") from error
    finally:
        part.unlink(missing_ok=True)


def put_back(url: str, file: Path) -> Path | None:
    """Put a backup in the place of the database; return where that lies now, None: there was none.

    The backup is copied, checked and brought up to date first. No other process may have the
    database open. Raises UsageError or StoreUnavailable, having changed nothing.
    """
    target = _file_of(url, "pg_restore --clean --dbname=DATABASE backup.dump")
    if not file.is_file():
        raise UsageError(f"There is no backup {file}.")
    if target.exists() and file.samefile(target):
        raise UsageError(f"{file} is the database itself: name a backup of it.")
    part = target.with_name(f"{target.name}.restoring")
    try:
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        copy_to(file, part)
        _check(part, str(file))
        open_database(f"sqlite:///{part}", create=False).close()
        aside = _put_aside(target)
        part.rename(target)
    except (OSError, sqlite3.Error) as error:
        raise _failed(error, f"{file} can't be put back") from error
    finally:
        # Its tables may have been brought up to date, of which a copy was made.
        for left in target.parent.glob(f"{part.name}*"):
            left.unlink(missing_ok=True)
    return aside


def _put_aside(target: Path) -> Path | None:
    if not target.exists():
        return None
    with suppress(sqlite3.Error), closing(sqlite3.connect(target)) as database:
        # So that all of it stands in the one file, where it can still be read.
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    names = (f"{target.name}.replaced{f'-{number}' if number > 1 else ''}" for number in count(1))
    aside = next(path for name in names if not (path := target.with_name(name)).exists())
    for ending in _BESIDE:
        with suppress(FileNotFoundError):
            target.with_name(target.name + ending).rename(aside.with_name(aside.name + ending))
    return aside


def _check(file: Path, what: str) -> None:
    """Make a copy one file, whole in itself; raise StoreUnavailable where it is damaged."""
    with closing(sqlite3.connect(file)) as copy:
        try:
            copy.execute("PRAGMA journal_mode = DELETE")
            sound = copy.execute("PRAGMA quick_check(1)").fetchone() == ("ok",)
        except sqlite3.DatabaseError:
            sound = False
    if not sound:
        raise StoreUnavailable(f"{what} is damaged or not a database: take an earlier backup.")


def _file_of(url: str, instead: str) -> Path:
    parsed = parse_url(url)
    if parsed.get_backend_name() != "sqlite":
        raise UsageError(f"postal copies SQLite databases alone: on PostgreSQL use `{instead}`.")
    return Path(parsed.database or "").absolute()


def _failed(error: OSError | sqlite3.Error, what: str) -> StoreUnavailable:
    if is_full(error):
        return StoreHindered(FULL)
    why = error.strerror if isinstance(error, OSError) else str(error)
    return StoreUnavailable(f"{what} ({why}): check the folder and its rights; nothing changed.")
