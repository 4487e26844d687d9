"""All the faults there are: at each step of an undisturbed turn each way that it can go wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tests.faults.faults_breaker import (
    DATABASE,
    DROP,
    FILE,
    HANG,
    IMAP,
    KILL,
    KILL_AFTER,
    LOST,
    PAUSE,
    SMTP,
    Fault,
)
from tests.faults.faults_database import BEGIN, BOTH, COMMIT, CONNECT
from tests.faults.faults_imap import BODY, NOTHING, SIZE, UNDATED
from tests.faults.faults_servers import CUT
from tests.faults.faults_stage import (
    ABSENT,
    COMPLETE,
    HIS_OWN,
    LATEST,
    POSTGRESQL,
    SQLITE,
    STRANGER,
    Setting,
)

SETTINGS = (
    Setting(SQLITE, "deadline"),
    Setting(SQLITE, "deadline", moves=False),
    Setting(SQLITE, COMPLETE),
    Setting(POSTGRESQL, "deadline"),
)

Steps = Sequence[tuple[str, str, str]]

ANYWHERE = (KILL, KILL_AFTER, DROP, LOST)
IMAP_EVERY = (*ANYWHERE, HANG, "no", "bye", "garbage")
IMAP_ONLY = {
    "SELECT": (NOTHING, "one more", "renumbered"),
    "UID SEARCH": (NOTHING, "empty", "partly"),
    SIZE: (NOTHING, "other uid", *UNDATED, "half"),
    BODY: (NOTHING, "other uid", "nil", "zero", "half", CUT),
    "UID MOVE": (NOTHING, "bad"),
    "UID COPY": (NOTHING, "bad"),
    "UID STORE": (NOTHING, "bad"),
    "UID EXPUNGE": (NOTHING, "bad"),
    "CREATE": ("bad",),
    "IDLE": ("bad",),
    "LOGIN": ("bad",),
}
SMTP_EVERY = (*ANYWHERE, HANG, "421", "451", "garbage")
SMTP_ONLY = {
    "GREETING": ("554",),
    "EHLO": ("554",),
    "MAIL": ("550 limit", "535"),
    "RCPT": ("550", "552", "550 limit"),
    "DATA": ("554", "250"),
    ".": ("554", "552"),
}
PUT_AWAY = ("UID COPY", "UID STORE", "UID EXPUNGE")
"""What comes only where the server has no MOVE."""

HOURS, DAY, DAYS, WEEKS = 4, 30, 80, 21 * 24
OVER_DEADLINE = (4 / 60 + 1, HOURS + 1, DAY, DAYS)
"""How many hours, from one before the deadline: to four minutes after it, to days."""


def faults(setting: Setting, steps: Steps, pages: int) -> Iterator[Fault]:
    """Return all faults on a setting; ``pages`` were written to the file of SQLite's log."""
    numbered = {place: _of(steps, place) for place in (IMAP, SMTP, DATABASE)}
    if not setting.moves:
        yield from _at(IMAP, numbered[IMAP], (), dict.fromkeys(PUT_AWAY, (*IMAP_EVERY, NOTHING)))
        return
    if setting.database == POSTGRESQL:
        yield from _postgresql(numbered)
        return
    yield from _sqlite(numbered[DATABASE], pages)
    if setting.ends == COMPLETE:
        return
    yield from _at(IMAP, numbered[IMAP], IMAP_EVERY, IMAP_ONLY)
    yield from _at(SMTP, numbered[SMTP], SMTP_EVERY, SMTP_ONLY)
    yield from _lasting(IMAP, numbered[IMAP], ("no", DROP, "bye"), IMAP_ONLY)
    yield from _lasting(SMTP, numbered[SMTP], (DROP, "421", "451"), SMTP_ONLY)
    yield from _poison()
    for how in ("full", "busy", "disk error", "read-only"):
        for hours in (HOURS, DAYS):
            yield Fault(DATABASE, BEGIN, how, hours=hours)
            yield Fault(DATABASE, BEGIN, how, hours=hours, late=True)


def _of(steps: Steps, place: str) -> list[str]:
    return [name for where, name, _ in steps if where == place]


def _at(
    place: str, names: Sequence[str], every: Sequence[str], only: dict[str, tuple[str, ...]]
) -> Iterator[Fault]:
    for number, name in enumerate(names):
        for how in (*every, *only.get(name, ())):
            yield Fault(place, name, how, number)


def _lasting(
    place: str, names: Sequence[str], every: Sequence[str], only: dict[str, tuple[str, ...]]
) -> Iterator[Fault]:
    for name in dict.fromkeys(names):
        for how in (*every, *only.get(name, ())):
            yield Fault(place, name, how, hours=HOURS)
            for hours in OVER_DEADLINE if place == IMAP else (DAYS,):
                yield Fault(place, name, how, hours=hours, late=True)
            if place == SMTP:
                yield from (Fault(place, name, how, hours=hours) for hours in (DAYS, WEEKS))
        if name not in ("NOOP", "QUIT", "LOGOUT"):
            yield Fault(place, name, HANG, hours=HOURS)


def _poison() -> Iterator[Fault]:
    """Return what ails one player's mail, and no other."""
    for whose in (LATEST, "Eve", STRANGER):
        for name in (SIZE, BODY):
            for how in ("no", DROP, *IMAP_ONLY[name]):
                for hours in (DAY, WEEKS):
                    yield Fault(IMAP, name, how, hours=hours, whose=whose)
    for whose in (LATEST.lower(), ABSENT.lower(), HIS_OWN):
        for name, hows in (("RCPT", ("451", "550", "552")), (".", ("451", "554", DROP))):
            for how in hows:
                for hours in (HOURS, DAYS):
                    yield Fault(SMTP, name, how, hours=hours, whose=whose)


def _sqlite(names: Sequence[str], pages: int) -> Iterator[Fault]:
    for number, name in enumerate(names):
        for how in _of_sqlite(name):
            yield Fault(DATABASE, name, how, number)
    for number in range(4, pages, 5):
        yield Fault(FILE, "write", KILL, number)
        yield Fault(FILE, "write", "disk error", number)


def _of_sqlite(name: str) -> tuple[str, ...]:
    """Return how a statement may go wrong on SQLite."""
    if name == COMMIT:
        return (KILL, KILL_AFTER, "full", "busy")
    if name == BEGIN:
        return (KILL, "busy")
    if name.startswith("SELECT"):
        return ("disk error",)
    return () if name.startswith(("PRAGMA", "BEGIN")) else (KILL, "full")


def _postgresql(numbered: dict[str, list[str]]) -> Iterator[Fault]:
    for number, name in enumerate(numbered[DATABASE]):
        for how in _of_postgresql(name):
            yield Fault(DATABASE, name, how, number)
    for place in (IMAP, SMTP):
        for number, name in enumerate(numbered[place]):
            yield from (Fault(place, name, how, number) for how in (KILL_AFTER, PAUSE))
    for hours in (HOURS, DAY, DAYS):
        for late in (False, True):
            for whose in ("", BOTH):
                yield Fault(DATABASE, CONNECT, "away", hours=hours, late=late, whose=whose)


def _of_postgresql(name: str) -> tuple[str, ...]:
    """Return how a statement may go wrong on PostgreSQL."""
    if name == COMMIT:
        return (KILL, KILL_AFTER, DROP, LOST, "serialization")
    return (DROP,) if name.startswith("SELECT") else (KILL, DROP, "full")
