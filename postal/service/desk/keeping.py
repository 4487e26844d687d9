"""Lets go of what is no longer to be kept: raw mail, bodies of letters and files about crashes.

All of it is counted from the end of a game, and what belongs to none from its own age. A game in
play loses nothing, nor does one that ended less than 30 days ago; orders, events and states stay.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy.exc import IntegrityError
from sqlalchemy.sql import ColumnElement
from sqlmodel import Session

from postal.config import Keep
from postal.errors import PostalError
from postal.resources import CRASH
from postal.service.workplace import Workplace
from postal.store.keeping import (
    Kind,
    empty,
    ended_games,
    letters_of,
    mails_of,
    mails_of_none,
    measure,
    oldest_kept,
)
from postal.store.rows import MailRow, OutboxRow
from postal.store.settings import replace_setting, setting

LOG = logging.getLogger("postal")

MAILS, LETTERS, LOGS = "mails that came", "bodies of letters", "files about crashes"
"""The kinds of what goes."""

PURGED_AT = "purged-at"
"""The setting that holds when a daemon last saw to it."""

EVERY = timedelta(days=1)

_BATCH = 200
"""How many bodies go in one transaction: nobody has to wait for it."""


@dataclass(frozen=True, slots=True)
class Share:
    """How much goes of a kind and a game, ``""`` for what belongs to none; ``size`` in bytes."""

    kind: str
    game: str
    count: int
    size: int


@dataclass(frozen=True, slots=True)
class _Shelf:
    kind: str
    game: str
    rows: Kind
    which: ColumnElement[bool]


def would_go(work: Workplace, keep: Keep, folder: Path) -> tuple[Share, ...]:
    """Return what goes now, nothing of which is touched; ``folder`` is the data folder."""
    with work.database.reading() as session:
        shares = [
            Share(shelf.kind, shelf.game, *measure(session, shelf.rows, shelf.which))
            for shelf in _shelves(session, work.clock.now(), keep)
        ]
        files = _crashes(session, work.clock.now(), keep, folder)
    shares.append(Share(LOGS, "", len(files), sum(map(_size, files))))
    return tuple(share for share in shares if share.count)


def let_go(work: Workplace, keep: Keep, folder: Path) -> tuple[Share, ...]:
    """Let it go, in short transactions; return what went.

    Raises PostalError where a file can't be deleted, when all the rest is gone.
    """
    with work.database.reading() as session:
        shelves = list(_shelves(session, work.clock.now(), keep))
        files = _crashes(session, work.clock.now(), keep, folder)
    shares = [_emptied(work, shelf) for shelf in shelves]
    sizes = [_size(file) for file in files]
    for file in files:
        try:
            file.unlink(missing_ok=True)
        except OSError as error:
            raise PostalError(f"{file} can't be deleted: {error.strerror}.") from None
    shares.append(Share(LOGS, "", len(files), sum(sizes)))
    return tuple(share for share in shares if share.count)


def let_go_daily(work: Workplace, keep: Keep, folder: Path) -> tuple[Share, ...] | None:
    """Let it go unless that was done within the last day; None where it was.

    The day is remembered in the database: of several daemons one alone does it, and one that was
    not running then does it when it runs again.
    """
    now = work.clock.now()
    with work.database.reading() as session:
        last = setting(session, PURGED_AT)
    # A clock that once was far ahead must not put it off for ever.
    if last is not None and abs(now - datetime.fromisoformat(last)) < EVERY:
        return None
    mine = False
    with suppress(IntegrityError), work.database.transaction() as session:
        mine = replace_setting(session, PURGED_AT, last, now.isoformat())
    if not mine:
        return None
    shares = let_go(work, keep, folder)
    for share in shares:
        LOG.info("no longer kept: %s %s%s", share.count, share.kind, _of(share.game))
    return shares


def _of(game: str) -> str:
    return f" of {game}" if game else ""


def _shelves(session: Session, now: datetime, keep: Keep) -> Iterator[_Shelf]:
    if before := _before(now, keep.raw_mail):
        for game in ended_games(session, before):
            yield _Shelf(MAILS, game.slug, MailRow, mails_of(game.id or 0, before))
        yield _Shelf(MAILS, "", MailRow, mails_of_none(before))
    if before := _before(now, keep.letters):
        for game in ended_games(session, before):
            yield _Shelf(LETTERS, game.slug, OutboxRow, letters_of(game.id, before))
        yield _Shelf(LETTERS, "", OutboxRow, letters_of(None, before))


def _before(now: datetime, days: int) -> datetime | None:
    """Return until when what has ended goes; None where it is kept for ever."""
    return now - timedelta(days=days) if days else None


def _emptied(work: Workplace, shelf: _Shelf) -> Share:
    count = size = 0
    while True:
        with work.database.transaction() as session:
            more, larger = empty(session, shelf.rows, shelf.which, _BATCH)
        if not more:
            return Share(shelf.kind, shelf.game, count, size)
        count, size = count + more, size + larger


def _crashes(session: Session, now: datetime, keep: Keep, folder: Path) -> list[Path]:
    """Return the files about crashes that go: none from the time of a game whose things stay."""
    before = _before(now, keep.logs)
    if before is None:
        return []
    first = oldest_kept(session, before)
    last = min(before, first) if first else before
    files = sorted(folder.glob(f"{CRASH[: CRASH.index('%')]}*.txt"))
    return [file for file in files if (at := _written_at(file)) is not None and at < last]


def _written_at(file: Path) -> datetime | None:
    """Return when a file about a crash was written, as its name says; None for any other file."""
    stamp = "-".join(file.name.split("-")[:2]) + "-"
    with suppress(ValueError):
        return datetime.strptime(stamp, CRASH).replace(tzinfo=UTC)
    return None


def _size(file: Path) -> int:
    with suppress(OSError):
        return file.stat().st_size
    return 0
