"""The fixed game that the corpus' mails are sent to, on SQLite, put back after each mail."""

import datetime as dt
import hashlib
import itertools
import re
import shutil
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from sqlmodel import col, select

from postal.clock import ManualClock
from postal.engine.view import view
from postal.mail.fetching import Facts, Fetched
from postal.ordertext import Context
from postal.reports import Reports
from postal.resources import games_path, templates_path
from postal.service.desk.adjudicate import force_turn
from postal.service.desk.newgame import NewGame, create_game
from postal.service.inbound.intake import poll
from postal.service.loading import find_game, load_game
from postal.service.outbound.kinds import REPORTS
from postal.service.records.play import order_context
from postal.service.turns.calendar import Calendar
from postal.service.workplace import Identity, Workplace
from postal.store.database import open_database
from postal.store.rows import OutboxRow, SeatRow
from tests.mail.conftest import GM

SLUG = "club"
OPENED = dt.datetime(2031, 5, 5, 18, tzinfo=dt.UTC)
PLAYERS = ("Joe", "Puke", "Ann", "Bob", "Cleo", "Dan")
"""Joe writes the mails; at the table with him sit Puke and the others."""

WRITER = "Joe"
STATES = {"give": 1, "keep": 2, "bet": 4}
"""What Joe is asked for and in which turn; at ``bet`` he answers a raise in each hand."""

SECRET = hashlib.sha256(b"corpus 1").digest()
"""A deal in which Joe never bets first."""

RAISED = 10_000
"""What each hand was raised by in turn 3."""


@dataclass
class HeldInbox:
    """A mailbox that holds what it is given and notes where each mail is put."""

    mails: Sequence[bytes]
    arrived: dt.datetime
    uidvalidity: int = 1
    moved: dict[int, str] = field(default_factory=dict)

    def new_uids(self) -> tuple[int, ...]:
        """Return the UIDs, from 1."""
        return tuple(range(1, len(self.mails) + 1))

    def fetch(self, uid: int) -> Fetched | None:
        """Return a mail as the server holds it."""
        raw = self.mails[uid - 1]
        return Fetched(uid, self.uidvalidity, len(raw), self.arrived, raw)

    def header(self, uid: int) -> bytes | None:
        """Have none by itself."""

    def facts(self, uids: Sequence[int]) -> dict[int, Facts]:
        """Return size and time of mails."""
        return {uid: Facts(len(self.mails[uid - 1]), self.arrived) for uid in uids}

    def gives_others(self) -> bool:
        """Have no others."""
        return False

    def reopen(self) -> None:
        """Be connected."""

    def move(self, uids: Sequence[int], folder: str) -> None:
        """Note the folder."""
        self.moved |= dict.fromkeys(uids, folder)

    def move_on(self, size: int, sha256: str, source: str, target: str) -> None:
        """Do nothing: no mail is released here."""


class League:
    """The game in one of its states, with a mailbox to poll, and a way back to that state."""

    def __init__(self, folder: Path, state: str, start: "League | None" = None) -> None:
        """Play up to a state, on from the game of an earlier one where that is given."""
        self.file: Path = folder / f"{state}.db"
        if start:
            shutil.copy(start.saved, self.file)
        names = itertools.count(start.named if start else 1)
        self.work: Workplace = Workplace(
            database=open_database(f"sqlite:///{self.file}"),
            clock=ManualClock(OPENED),
            reports=start.work.reports if start else Reports(templates_path(folder)),
            identity=Identity("Roger", "roger@example.org", GM, plus=True),
            account=f"{GM}@localhost",
            folder="INBOX",
            new_name=lambda length: f"{next(names):0{length}d}",
            token_key=bytes(32),
        )
        self._do_not_wait_for_the_disk()
        if not start:
            players = [(name, f"{name.lower()}@example.org") for name in PLAYERS]
            calendar = Calendar(7, 20, "Europe/London")
            # Nobody is dropped, though nobody orders in the first turns; small raises are good.
            options = {"nmr_limit": 9, "min_raise": 1_000}
            new = NewGame(SLUG, players, "smith", options, calendar, SECRET)
            create_game(self.work, new, games_path(folder))
        self.turn: int = start.turn if start else 1
        while self.turn < STATES[state]:
            self._play_turn()
        self.named: int = next(names)
        self.saved: Path = self.file.with_suffix(".saved")
        self.restore(self.file, self.saved)

    def _do_not_wait_for_the_disk(self) -> None:
        pooled = self.work.database._writing.raw_connection()
        pooled.cursor().execute("PRAGMA synchronous = OFF")
        pooled.close()

    def _play_turn(self) -> None:
        if self.turn == STATES["bet"] - 1:
            text = f"all: raise {RAISED}\r\n"
            mails = [
                f"From: {name.lower()}@example.org\r\n"
                f"To: gm+{self.token(name)}@example.org\r\n\r\n{text}".encode()
                for name in PLAYERS
            ]
            # In another mailbox, since the UIDs of this one begin with the corpus.
            poll(self.work, HeldInbox(mails, self.work.clock.now(), uidvalidity=2))
        force_turn(self.work, SLUG)
        self.turn += 1

    def close(self) -> None:
        """Close the database."""
        self.work.database.close()

    def token(self, player: str = WRITER, turn: int | None = None) -> str:
        """Return a player's token, for the turn in play where none is named."""
        with self.work.database.reading() as session:
            loaded = load_game(session, find_game(session, SLUG))
        number = self.turn if turn is None else turn
        return self.work.token(loaded.row, number, loaded.seat(player).seat)

    @cached_property
    def context(self) -> Context:
        """What the writer's words are read against."""
        with self.work.database.reading() as session:
            game = load_game(session, find_game(session, SLUG)).game
        return order_context(game, WRITER)

    @cached_property
    def _words(self) -> dict[bytes, str]:
        reports = (
            select(OutboxRow.message_id)
            .join(SeatRow, col(SeatRow.id) == OutboxRow.seat_id)
            .where(SeatRow.name == WRITER, col(OutboxRow.kind).in_(REPORTS))
        )
        with self.work.database.reading() as session:
            report = session.exec(reports.order_by(col(OutboxRow.id).desc())).first()
        assert report is not None
        return {
            b"@TOKEN@": self.token(),
            b"@OLD-TOKEN@": self.token(turn=self.turn - 1),
            b"@REPORT-ID@": report,
        }

    def filled(self, mail: bytes) -> bytes:
        """Return a mail with what the words between ``@`` stand for.

        They are the writer's token of this turn and of the one before, and the Message-ID of
        his last report. The raises that a quoted report offers are as his own report has them.
        """
        for word, meant in self._words.items():
            mail = mail.replace(word, meant.encode())
        return re.sub(rb"(:: [A-C]: raise) 50000", rb"\1 %d" % self._offered, mail)

    @cached_property
    def _offered(self) -> int:
        with self.work.database.reading() as session:
            game = load_game(session, find_game(session, SLUG)).game
        lines = [line for item in view(game, WRITER).due for line in item.examples]
        return next((int(line.split()[2]) for line in lines if " raise " in line), 50_000)

    def go_back(self) -> None:
        """Put the game back as it was before any mail."""
        self.restore(self.saved, self.file)

    @staticmethod
    def restore(source: Path, target: Path) -> None:
        """Overwrite a database, also one that is open, with another."""
        with sqlite3.connect(source) as one, sqlite3.connect(target) as other:
            one.backup(other)
        one.close()
        other.close()
