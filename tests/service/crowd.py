"""Many games on one PostgreSQL database, all due at once, and the daemons that play them.

As a program it is one of these daemons: ``python -m tests.service.crowd`` with the arguments of
``Worker``. It says "ready", waits for a line, makes rounds until nothing is left to do, and says
what it used. Its mailbox is empty, its mails go into a file, its clock begins at ``NOW``.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Self

import psycopg
from sqlalchemy import make_url

from postal.engine.view import view
from postal.mail.fetching import Facts
from postal.mail.smtp import SendResult
from postal.service import workplace

ROOT = Path(__file__).parents[2]
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
"""When the games are due: past every deadline of those that were played to make them."""

STEP = 10_000
"""The ids of a copy are those of its original and a multiple of this."""

_KEYS = {
    "games": ("id",),
    "turns": ("id", "game_id"),
    "seats": ("id", "game_id"),
    "holders": ("id", "seat_id"),
    "attendance": ("id", "turn_id", "seat_id"),
    "orders": ("id", "turn_id", "seat_id"),
    "outbox": ("id", "game_id", "seat_id"),
}
"""The tables of a game in an order that foreign keys allow, and the columns that are moved."""

_OTHERS = {
    ("games", "slug"): "slug || '-' || k",
    ("orders", "mail_id"): "NULL",
    ("outbox", "message_id"): "replace(message_id, '@', '.' || k || '@')",
    ("outbox", "once_key"): (
        f"(game_id + k * {STEP}) || '/' || turn || '/' || (seat_id + k * {STEP}) || '/' || kind"
    ),
    ("outbox", "raw"): "NULL",
}


def plain(url: str) -> str:
    """Return a database's address as the driver itself takes it."""
    return make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)


def multiply(url: str, count: int) -> None:
    """Copy the games of a database until there are ``count``, and let them all be due at NOW."""
    with psycopg.connect(plain(url)) as connection:
        (played,) = connection.execute("SELECT count(*) FROM games").fetchone() or (0,)
        copies = -(-count // played) - 1
        for table, keys in _KEYS.items():
            names = [
                row[0]
                for row in connection.execute(
                    "SELECT column_name FROM information_schema.columns"
                    " WHERE table_schema = 'public' AND table_name = %s",
                    [table],
                )
            ]
            moved = {name: f"{name} + k * {STEP}" for name in keys}
            values = [moved.get(name) or _OTHERS.get((table, name), name) for name in names]
            connection.execute(
                f"INSERT INTO {table} ({', '.join(names)})"
                f" SELECT {', '.join(values)} FROM {table}, generate_series(1, {copies}) k"
                " ORDER BY k"
            )
            connection.execute(
                f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), max(id)) FROM {table}"
            )
        connection.execute("UPDATE turns SET due_at = %s WHERE status = 'open'", [NOW])
        connection.execute("UPDATE outbox SET state = 'sent'")
        for table in _KEYS:
            connection.execute(f"ANALYZE {table}")


def play_some(url: str, turns: Sequence[int]) -> None:
    """Really play games on a new database: one for each number of turns, orders given anew."""
    from tests.service.service_league import HOUR, open_league  # noqa: PLC0415 - see work()

    league = open_league(url, plain=True)
    for number, played in enumerate(turns):
        slug = f"crowd-{number}"
        league.begin(slug, bytes([number]) * 32)
        for turn in range(played + 1):
            for player in league.players:
                items = view(league.loaded(slug).game, player).due
                text = "\n".join(item.examples[0] for item in items)
                if text:
                    league.write(player, text, slug=slug)
            league.poll()
            if turn < played:
                league.clock.advance(HOUR)
                assert league.due()
    league.database.close()


@dataclass(frozen=True)
class Outcome:
    """What a crowd's games came to: turns adjudicated, and letters by their state."""

    adjudicated: Mapping[int, int]
    letters: Mapping[str, int]
    lacking: int

    @classmethod
    def of(cls, url: str) -> Self:
        """Look at a database; ``lacking`` are the seats without a report of the turn."""
        with psycopg.connect(plain(url)) as connection:
            turns = connection.execute(
                "SELECT game_id, count(*) FROM turns WHERE adjudicated_at >= %s GROUP BY game_id",
                [NOW],
            ).fetchall()
            letters = connection.execute(
                "SELECT state, count(*) FROM outbox WHERE created_at >= %s GROUP BY state", [NOW]
            ).fetchall()
            (lacking,) = connection.execute(
                "SELECT count(*) FROM seats s WHERE 1 <> (SELECT count(*) FROM outbox o"
                " WHERE o.seat_id = s.id AND o.created_at >= %s AND o.kind IN ('report', 'final'))",
                [NOW],
            ).fetchone() or (0,)
        return cls(dict(turns), dict(letters), lacking)


@dataclass
class Worker:
    """A daemon in a process of its own; ``lease`` in seconds is how long it has what it takes.

    ``layout``: whether its mails are as players get them, or without layout, ten times as fast.
    """

    url: str
    name: str
    sent_file: Path
    lease: float = 240
    layout: bool = True
    process: subprocess.Popen[str] = field(init=False)

    def __post_init__(self) -> None:
        """Start it and wait until it is ready."""
        made = "layout" if self.layout else "plain"
        arguments = (self.url, self.name, str(self.sent_file), str(self.lease), made)
        self.process = subprocess.Popen(
            [sys.executable, "-m", __spec__.name, *arguments],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._line() == "ready"

    def begin(self) -> None:
        """Let it work."""
        assert self.process.stdin is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def end(self) -> Mapping[str, Any]:
        """Wait until nothing is left to do and return what it used."""
        used = json.loads(self._line())
        assert self.process.wait() == 0
        assert isinstance(used, dict)
        return used

    def kill(self) -> None:
        """End it as a power cut does."""
        self.process.kill()
        self.process.wait()

    def sent(self) -> Sequence[str]:
        """Return the Message-IDs of what it sent."""
        return self.sent_file.read_text().split() if self.sent_file.exists() else ()

    def _line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def __enter__(self) -> Self:
        """Work on."""
        return self

    def __exit__(self, *_: object) -> None:
        """Leave nothing running."""
        self.kill()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()


@dataclass(frozen=True)
class Elapsing:
    """A clock that begins at NOW, all processes' alike."""

    began: float

    def now(self) -> datetime:
        """Return the time."""
        return NOW + timedelta(seconds=time.time() - self.began)

    def steady(self) -> float:
        """Return the time for waiting."""
        return time.monotonic()


@dataclass
class Post:
    """An empty mailbox, and a file for the Message-IDs of what is sent."""

    file: int
    uidvalidity: int = 1
    sent: int = 0

    def __enter__(self) -> Self:
        """Connect."""
        return self

    def server_time(self) -> datetime | None:
        """Return what time the server has, which isn't asked."""
        return None

    def newest_arrival(self) -> datetime | None:
        """Return when the last mail came."""
        return None

    def ensure_folders(self) -> None:
        """Have them."""

    def can_idle(self) -> bool:
        """Tell of nothing."""
        return False

    def idle(self, seconds: float, stop: Callable[[], bool]) -> bool:
        """Don't wait."""
        del seconds, stop
        return False

    def interrupt(self) -> None:
        """Wait for nothing."""

    def close(self) -> None:
        """Stay."""

    def new_uids(self) -> tuple[int, ...]:
        """Return none."""
        return ()

    def fetch(self, uid: int) -> None:
        """Have none."""

    def header(self, uid: int) -> None:
        """Have none."""

    def facts(self, uids: Sequence[int]) -> dict[int, Facts]:
        """Have none."""
        del uids
        return {}

    def gives_others(self) -> bool:
        """Have none."""
        return False

    def reopen(self) -> None:
        """Stay."""

    def move(self, uids: Sequence[int], folder: str) -> None:
        """Have none."""

    def move_on(self, size: int, sha256: str, source: str, target: str) -> None:
        """Have none."""

    def send(self, raw: bytes, recipient: str, envelope_from: str) -> SendResult:
        """Take a mail."""
        del recipient, envelope_from
        head = raw[: raw.index(b"\r\n\r\n")].replace(b"\r\n ", b" ").split(b"\r\n")
        name = next(line for line in head if line.lower().startswith(b"message-id:"))
        os.write(self.file, name.partition(b":")[2].strip() + b"\n")
        self.sent += 1
        return SendResult("sent", 250, "ok")


def open_rest(url: str) -> int:
    """Return how many turns and letters are still to be done."""
    with psycopg.connect(plain(url)) as connection:
        (count,) = connection.execute(
            "SELECT (SELECT count(*) FROM turns WHERE status <> 'done' AND due_at <= %s)"
            " + (SELECT count(*) FROM outbox WHERE state NOT IN ('sent', 'failed'))",
            [NOW],
        ).fetchone() or (0,)
    return int(count)


def work(url: str, name: str, sent_file: str, lease_seconds: str, made: str) -> None:
    """Be a daemon until nothing is left to do."""
    workplace.LEASE = timedelta(seconds=float(lease_seconds))
    # Only now, since they take the length of the lease with them.
    from dataclasses import replace  # noqa: PLC0415 - with the rest of this function's

    from postal import entropy  # noqa: PLC0415 - as said
    from postal.service.lease import MailboxLease  # noqa: PLC0415 - as said
    from postal.service.ticks import Rounds  # noqa: PLC0415 - as said
    from tests.service.service_league import open_league  # noqa: PLC0415 - as said

    league = open_league(url, plain=made == "plain")
    file = os.open(sent_file, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    post = Post(file)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    clock = Elapsing(time.time())
    place = replace(league.work, clock=clock, owner=name, new_name=entropy.new_name)
    lease = MailboxLease(place)
    rounds = Rounds(place, lambda: post, post, lease)
    began, worked = _processor_seconds(), (0.0, 0.0)
    while True:
        sent = post.sent
        lease.beat()
        rounds.round()
        if post.sent > sent:
            worked = (_processor_seconds() - began, time.time() - clock.began)
        if not open_rest(url):
            break
        # The rest is the other's: that this one waits for it is no work.
        time.sleep(0.5)
    rounds.close()
    lease.leave()
    league.database.close()
    sys.stdout.write(json.dumps(dict(zip(("cpu", "seconds"), worked, strict=True))) + "\n")


def _processor_seconds() -> float:
    return sum(resource.getrusage(resource.RUSAGE_SELF)[:2])


def together(workers: Iterable[Worker]) -> list[Mapping[str, Any]]:
    """Let workers begin at once and return what each used, in seconds, for its share."""
    chosen = list(workers)
    for one in chosen:
        one.begin()
    return [one.end() for one in chosen]


if __name__ == "__main__":
    work(*sys.argv[1:])
