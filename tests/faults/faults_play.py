"""Plays the turn: daemon, players and GM in simulated time, until nothing is left to be done."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Protocol

from sqlalchemy import Engine
from sqlmodel import Session, col, select

from postal.config import Keep
from postal.errors import PostalError
from postal.mail import idling
from postal.mail.imap import ImapSettings, Mailbox
from postal.mail.smtp import Sender, SmtpSettings
from postal.service.desk.keeping import let_go_daily
from postal.service.lease import MailboxLease
from postal.service.outbound.delivery import requeue
from postal.service.ticks import Rounds
from postal.store.database import Database
from postal.store.rows import (
    MailRow,
    MailStatus,
    OutboxRow,
    OutboxState,
    TroubleRow,
    TurnRow,
    TurnStatus,
)
from tests.faults.faults_breaker import Breaker, SharedClock
from tests.faults.faults_database import break_database
from tests.faults.faults_imap import ImapServer
from tests.faults.faults_servers import HOST
from tests.faults.faults_smtp import SmtpServer
from tests.faults.faults_stage import TURN, Stage, pointed

EVERYTHING = "IMAP4rev1 IDLE MOVE UIDPLUS NAMESPACE"
PATIENT, QUICK = 10.0, 0.3
"""How long a server may take to answer, in seconds: QUICK where it won't."""

PAUSES = ((8, timedelta(minutes=20)), (40, timedelta(hours=2)), (10**9, timedelta(hours=8)))
"""How long until the next round while something is left to be done, by the rounds it was so."""

MOST_ROUNDS = 400
MOST_DAYS = timedelta(days=75)

GM = "grace@example.org"
GM_ACTS = timedelta(hours=12)
"""How long after a mail that he didn't expect the GM does what it says."""

LOG = logging.getLogger("postal")
LOG.setLevel(logging.INFO)
idling.SLICE_SECONDS = 0.01


class EndedError(Exception):
    """The daemon's process is gone."""


class Runs(Protocol):
    """A daemon, in this process or another."""

    def begin(self) -> None:
        """Take up what another left."""
        ...

    def round(self) -> None:
        """Make a round; EndedError where the daemon's process ended."""
        ...


@dataclass
class Daemon:
    """One daemon: its rounds, on a database engine of its own."""

    rounds: Rounds
    lease: MailboxLease | None
    begun: bool = False

    def begin(self) -> None:
        """Take up what another left; where that fails, at the next round, as if started anew."""
        try:
            self.rounds.begin(alone=self.lease is None)
        except PostalError as error:
            LOG.warning("start: %s", error)
        else:
            self.begun = True

    def round(self) -> None:
        """Make a round, and wait for mail for a moment."""
        if not self.begun:
            self.begin()
            return
        if self.lease is not None:
            self.lease.beat()
        self.rounds.round()
        asked: list[int] = []

        def enough() -> bool:
            asked.append(0)
            return len(asked) > 2

        self.rounds.watch(enough)


@dataclass
class House:
    """A game, its two mail servers, its players and its GM."""

    stage: Stage
    url: str
    folder: Path
    breaker: Breaker
    expected: frozenset[str] | None = None
    log: list[str] = field(default_factory=list)
    acts_at: datetime | None = None
    rounds: int = 0
    _heard: int = 0
    _busy: int = 0
    _asked: dict[str, datetime] = field(default_factory=dict)
    _engines: dict[bool, Engine] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Take ports for the servers."""
        moves = self.stage.setting.moves
        capabilities = EVERYTHING if moves else EVERYTHING.replace(" MOVE", "")
        self.imap = ImapServer(self.breaker, capabilities)
        self.smtp = SmtpServer(self.breaker, self._received)
        for answer in self.stage.unasked:
            self.imap.coming.append((answer.comes(self.stage.now), answer.raw))

    @property
    def clock(self) -> SharedClock:
        """The clock of all."""
        return self.breaker.clock

    @property
    def asked(self) -> dict[str, datetime]:
        """When each token came to its player first."""
        return self._asked

    def open(self) -> None:
        """Serve, and look at the database from now on."""
        self.imap.serve()
        self.smtp.serve()
        self.database = Database(self._engine(hooked=False))
        LOG.addHandler(_Kept(self.log))

    def daemon(self, name: str, timeout: float, *, hooked: bool) -> Daemon:
        """Return a daemon; where ``hooked``, the breaker is asked at its statements."""
        engine = self._engine(hooked=hooked)
        names = iter(range(1, 10**9))
        database = Database(engine)
        work = replace(
            self.stage.work,
            database=database,
            clock=self.clock,
            owner=name,
            new_name=lambda length: f"{name}{next(names):0{length - len(name)}d}",
        )
        box = ImapSettings(
            host=HOST,
            port=self.imap.port,
            user="gm",
            password="x",
            security="plain",
            timeout=timeout,
        )
        out = SmtpSettings(host=HOST, port=self.smtp.port, security="plain", timeout=timeout)
        lease = MailboxLease(work) if database.shared else None
        tidy = partial(let_go_daily, work, Keep(), self.folder)
        return Daemon(Rounds(work, lambda: Mailbox(box), Sender(out), lease, tidy), lease)

    def _engine(self, *, hooked: bool) -> Engine:
        if hooked not in self._engines:
            engine = pointed(self.stage.engines[hooked], self.url)
            if hooked:
                break_database(engine, self.breaker)
            self._engines[hooked] = engine
        return self._engines[hooked]

    def live(
        self, daemons: list[Runs], another: Callable[[], Runs], after: Callable[[], None]
    ) -> bool:
        """Let time pass until nothing is left to be done; False where that doesn't come.

        Once it has come it must last for a day. Where a daemon ends, ``another`` takes its place.
        ``after`` is called after the first round.
        """
        self._each(daemons, lambda daemon: daemon.begin(), another)
        quiet = 0
        while self.rounds < MOST_ROUNDS and self.clock.now() < self.stage.now + MOST_DAYS:
            self.rounds += 1
            self._each(daemons, lambda daemon: daemon.round(), another)
            after()
            now = self.clock.now()
            self.imap.arrive()
            with self.database.reading() as session:
                pending = self._pending(session)
                going = col(TurnRow.status).in_((TurnStatus.OPEN, TurnStatus.CLAIMED))
                turn = session.exec(select(TurnRow).where(going)).first()
            self._gm_acts(now)
            due = (turn.due_at or turn.deadline) if turn is not None else None
            done = not pending and not self.imap.coming and (due is None or due > now)
            done = done and self.acts_at is None and self._played
            quiet = quiet + 1 if done else 0
            if quiet == 2:
                return True
            self.clock.move_to(self._next(now, turn, pending=pending, quiet=quiet))
        return False

    def _each(
        self, daemons: list[Runs], deed: Callable[[Runs], None], another: Callable[[], Runs]
    ) -> None:
        """Let each daemon do something; where one ends another makes its round a minute later."""
        for place, daemon in enumerate(list(daemons)):
            try:
                deed(daemon)
            except EndedError:
                self.clock.advance(timedelta(minutes=1))
                daemons[place] = another()
                daemons[place].begin()
                daemons[place].round()

    def _pending(self, session: Session) -> bool:
        """Whether mail is to be read or sent, or something lasts that is not well."""
        self._played = (
            session.exec(
                select(TurnRow.id).where(TurnRow.number == TURN, TurnRow.status == TurnStatus.DONE)
            ).first()
            is not None
        )
        open_mail = col(MailRow.status).in_((MailStatus.NEW, MailStatus.UNREAD))
        waiting = col(OutboxRow.state).not_in((OutboxState.SENT, OutboxState.FAILED))
        left = (
            session.exec(select(MailRow.id).where(open_mail)).first(),
            session.exec(select(OutboxRow.id).where(waiting)).first(),
            session.exec(select(TroubleRow.id).where(col(TroubleRow.ended_at).is_(None))).first(),
        )
        stored = set(session.exec(select(MailRow.uidvalidity, MailRow.uid)).all())
        there = {(self.imap.uidvalidity, uid) for uid in self.imap.inbox}
        return bool(there - stored) or any(one is not None for one in left)

    def _next(self, now: datetime, turn: TurnRow | None, *, pending: bool, quiet: int) -> datetime:
        """Return when the next round is to be."""
        if quiet:
            return now + timedelta(days=1)
        self._busy = self._busy + 1 if pending else 0
        moments = [now + timedelta(days=1)]
        if pending:
            moments.append(now + next(pause for most, pause in PAUSES if self._busy < most))
        moments += [at + timedelta(minutes=2) for at, _ in self.imap.coming]
        if turn is not None:
            moments += self._due(now, turn)
        if self.acts_at is not None:
            moments.append(self.acts_at)
        return max(min(moments), now + timedelta(minutes=1))

    def _due(self, now: datetime, turn: TurnRow) -> list[datetime]:
        """Return when the turn in play has to be looked at, and reminded of.

        Where it waits at its deadline, that is each hour, and less often after a day of it; one
        that a killed daemon had claimed is free again at the end of its lease.
        """
        if turn.status is TurnStatus.CLAIMED and turn.claim_until:
            return [turn.claim_until + timedelta(minutes=1)]
        late = now - turn.deadline if turn.deadline else timedelta(0)
        if late > timedelta(0):
            return [now + timedelta(hours=1 if late < timedelta(hours=30) else 4)]
        moments = [at for at in (turn.due_at or turn.deadline, turn.remind_at) if at]
        minute, hour = timedelta(minutes=1), timedelta(hours=1)
        return [at + minute if at >= now else now + hour for at in moments]

    def _received(self, recipient: str, raw: bytes) -> None:
        """Let a player answer what asks for his orders, once."""
        found = re.search(rb"\+(\w+)@", raw)
        token = found[1].decode() if found else ""
        now = self.clock.now()
        if recipient == GM or token in self._asked:
            return
        self._asked[token] = now
        for answer in self.stage.answers.get(token, ()):
            self.imap.coming.append((answer.comes(now), answer.raw))

    def _gm_acts(self, now: datetime) -> None:
        """Send again what failed, some time after the GM was told of something."""
        if self.expected is None:
            return
        told = [subject_of(raw) for _, who, raw in self.smtp.taken if who == GM]
        if any(subject not in self.expected for subject in told[self._heard :]):
            self.acts_at = self.acts_at or now + GM_ACTS
        self._heard = len(told)
        if self.acts_at is not None and self.acts_at <= now:
            self.acts_at = None
            requeue(replace(self.stage.work, database=self.database, clock=self.clock))


def subject_of(raw: bytes) -> str:
    """Return a mail's subject as it stands there, less its line breaks and the next deadline."""
    found = re.search(rb"^Subject: (.*(?:\r?\n[ \t].*)*)", raw, re.MULTILINE)
    subject = " ".join(found[1].decode("ascii", "replace").split()) if found else ""
    return subject.partition(", orders due")[0]


class _Kept(logging.Handler):
    """Keeps what the log says."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__(logging.WARNING)
        self._lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        self._lines.append(record.getMessage())
