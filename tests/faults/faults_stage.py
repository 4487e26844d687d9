"""The games that faults are tried on: made once, copied for each fault, with what players write."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from sqlalchemy import Engine, event

from postal.clock import ManualClock
from postal.config import Keep
from postal.engine.view import view
from postal.service.desk.keeping import let_go_daily
from postal.service.lease import MailboxLease
from postal.service.ticks import Rounds
from postal.service.workplace import Workplace
from postal.store.database import Database, make_engine
from tests.postgresql import Cluster
from tests.service.service_league import HOUR, MINUTE, League, Post, open_league

SQLITE, POSTGRESQL = "sqlite", "postgresql"
DEADLINE, COMPLETE = "deadline", "complete"
"""How the turn comes to its end."""

TURN = 2
"""The turn that is played."""

ABSENT = "Fay"
"""Who writes nothing where the turn ends by its deadline; the one NMR there is."""

STRANGER = "Zoe"
"""Who writes without holding a seat."""

HIS_OWN = "grace"
"""Whose mails go wrong where they are the GM's own."""

LATEST = "Cat"
"""Whose orders come a minute before the deadline."""

DAY = timedelta(days=1)


@dataclass(frozen=True)
class Setting:
    """On what a fault is tried: a database, how the turn ends, and whether IMAP has MOVE."""

    database: str
    ends: str
    moves: bool = True

    def __str__(self) -> str:
        """Return its name."""
        return f"{self.database} {self.ends}{'' if self.moves else ' without MOVE'}"


@dataclass(frozen=True)
class Answer:
    """A mail that a player writes: so long after his report came, and not before a time."""

    player: str
    after: timedelta
    raw: bytes = field(repr=False)
    earliest: datetime | None = None

    def comes(self, asked: datetime) -> datetime:
        """Return when it is at the server."""
        return max(asked + self.after, self.earliest or asked)


@dataclass(frozen=True)
class Stage:
    """A game at the start of a turn: where it is kept, and what its players will write.

    ``answers`` are by the token of the report that asks for them; ``unasked`` come by themselves.
    ``engines`` have prepared all statements: to be pointed at a copy in a process of its own.
    """

    setting: Setting
    url: str
    now: datetime
    deadline: datetime
    engines: tuple[Engine, Engine]
    work: Workplace = field(repr=False)
    tokens: dict[str, str] = field(repr=False)
    answers: dict[str, list[Answer]] = field(repr=False)
    unasked: list[Answer] = field(repr=False)

    @property
    def file(self) -> Path:
        """The database's file."""
        return Path(self.url.removeprefix("sqlite:///"))


def make_stage(setting: Setting, folder: Path, cluster: Cluster | None) -> Stage:
    """Play the first turn; its reports are still to be sent where the turn ends by its deadline."""
    folder.mkdir(parents=True, exist_ok=True)
    url = cluster.new_database() if cluster else f"sqlite:///{folder / 'stage.db'}"
    league = open_league(url)
    league.begin()
    league.send()
    league.play(1)
    if setting.ends == COMPLETE:
        league.send()
    (deadline,) = (turn.deadline for turn in league.turns() if turn.number == TURN)
    assert deadline is not None, "the turn is open"
    answers = _answers(league, setting, deadline)
    asked = setting.ends == DEADLINE
    by_token: dict[str, list[Answer]] = {}
    for answer in answers if asked else ():
        by_token.setdefault(league.token(answer.player), []).append(answer)
    stranger = league.mail(STRANGER, "When is the next game?\n", token="")
    unasked = [Answer(STRANGER, DAY, stranger), *(() if asked else answers)]
    tokens = {player: league.token(player) for player in league.players}
    now = league.clock.now()
    engines = (make_engine(url), make_engine(url))
    stage = Stage(setting, url, now, deadline, engines, league.work, tokens, by_token, unasked)
    league.database.close()
    if setting.database == SQLITE:
        with closing(sqlite3.connect(stage.file)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for number, engine in enumerate(engines):
        _warm(stage, engine, folder / f"{folder.name}warm{number}", [*answers, *unasked])
    return stage


def _warm(stage: Stage, engine: Engine, folder: Path, answers: Sequence[Answer]) -> None:
    """Play the turn once in memory, so that no case has to prepare its statements anew."""
    folder.mkdir()
    pointed(engine, copied(stage, folder))
    clock = ManualClock(stage.now)
    post = Post(clock, uidvalidity=99)
    database = Database(engine)
    work = replace(stage.work, database=database, clock=clock)
    lease = MailboxLease(work) if database.shared else None
    rounds = Rounds(work, lambda: post, post, lease, partial(let_go_daily, work, Keep(), folder))
    rounds.begin(alone=lease is None)
    for moment in (stage.now, stage.now + 3 * DAY, stage.deadline + MINUTE):
        clock.move_to(moment)
        for answer in answers if moment != stage.now else ():
            post.deliver(answer.raw, min(moment, stage.deadline - MINUTE))
        if lease is not None:
            lease.beat()
        rounds.round()
    rounds.close()
    engine.dispose()
    removed(stage, folder)


def pointed(engine: Engine, url: str) -> Engine:
    """Let an engine connect to another database of its kind from now on; return it."""
    engine.dispose(close=False)

    def connect(_dialect: object, _record: object, given: list[str], named: dict[str, str]) -> None:
        if engine.dialect.name == "sqlite":
            given[0] = url.removeprefix("sqlite:///")
        else:
            named["dbname"] = _database(url)

    event.listen(engine, "do_connect", connect)
    return engine


def _answers(league: League, setting: Setting, deadline: datetime) -> Sequence[Answer]:
    orders = {player: _orders(league, player) for player in league.players}
    changed = "\n".join(item.examples[-1] for item in view(league.game, "Eve").due[:1])
    made = [
        Answer("Ann", DAY, league.mail("Ann", orders["Ann"])),
        Answer("Bob", DAY, league.mail("Bob", orders["Bob"])),
        Answer("Dan", 2 * DAY, league.mail("Dan", "status\n")),
        Answer("Dan", 3 * DAY, league.mail("Dan", orders["Dan"])),
        Answer("Eve", 2 * DAY, league.mail("Eve", orders["Eve"])),
        Answer("Eve", 3 * DAY, league.mail("Eve", changed + "\n")),
    ]
    if setting.ends == COMPLETE:
        return [
            *made,
            Answer(LATEST, 3 * DAY, league.mail(LATEST, orders[LATEST])),
            Answer(ABSENT, DAY, league.mail(ABSENT, orders[ABSENT])),
        ]
    last = Answer(LATEST, HOUR, league.mail(LATEST, orders[LATEST]), deadline - MINUTE)
    return [*made, last]


def _orders(league: League, player: str) -> str:
    return "\n".join(item.examples[0] for item in view(league.game, player).due) + "\n"


def copied(stage: Stage, folder: Path) -> str:
    """Return the URL of a database of one's own, as the stage's is."""
    if stage.setting.database == SQLITE:
        shutil.copy(stage.file, folder / "postal.db")
        return f"sqlite:///{folder / 'postal.db'}"
    import psycopg  # noqa: PLC0415 - only where PostgreSQL is there

    name = f"case_{folder.name}"
    with psycopg.connect(_maintenance(stage.url), autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{_database(stage.url)}"')
    return stage.url.replace(_database(stage.url), name)


def removed(stage: Stage, folder: Path) -> None:
    """Remove such a copy."""
    if stage.setting.database == POSTGRESQL:
        import psycopg  # noqa: PLC0415 - only where PostgreSQL is there

        with psycopg.connect(_maintenance(stage.url), autocommit=True) as connection:
            connection.execute(f'DROP DATABASE IF EXISTS "case_{folder.name}" WITH (FORCE)')
    shutil.rmtree(folder, ignore_errors=True)


def _database(url: str) -> str:
    return url.partition("?")[0].rpartition("/")[2]


def _maintenance(url: str) -> str:
    return url.replace(_database(url), "postgres")
