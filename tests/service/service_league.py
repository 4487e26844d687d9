"""A league for the tests of the services: a real database, a clock and a post room of its own."""

import hashlib
import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from typing import Any, Self

from sqlmodel import Session, select

from postal.clock import ManualClock
from postal.engine.game import due
from postal.engine.state import Game
from postal.engine.view import GameView, view
from postal.mail.fetching import Facts, Fetched, NotHandedOver
from postal.mail.smtp import SendResult
from postal.reports import Frame, Rendered, Reports
from postal.resources import games_path, templates_path
from postal.service.desk.newgame import NewGame, create_game
from postal.service.inbound.intake import Polled, poll
from postal.service.loading import LoadedGame, find_game, load_game, load_turn_file
from postal.service.outbound.delivery import Delivered, send_outbox
from postal.service.turns.adjudication import Adjudicated, adjudicate_due
from postal.service.turns.calendar import Calendar
from postal.service.workplace import Identity, Workplace
from postal.store.database import Database, open_database
from postal.store.rows import GameRow, MailRow, OutboxRow, SeatRow, TurnRow
from tests.fresh import fresh

GM_BOX = "gm@example.org"
SLUG = "smith-1"
SIX = ("Ann", "Bob", "Cat", "Dan", "Eve", "Fay")
EIGHT = (*SIX, "Gus", "Hal")
SECRET = bytes(range(32))
START = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
DEADLINE = datetime(2026, 3, 9, 20, 0, tzinfo=UTC)
WEEKLY = Calendar(7, 20, "Europe/London")
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


REPORTS = Reports(templates_path(Path("nowhere")))
"""Shared, since templates are compiled once."""


class PlainReports(Reports):
    """Mails without a layout, for tests that look at none: ten times as fast."""

    def _render(
        self, name: str, frame: Frame, title: str, view: GameView | None = None, **_values: object
    ) -> Rendered:
        del view
        return Rendered(f"{frame.slug}: {title}", f"{name}\n", f"<p>{name}</p>")


class ViewersReports(PlainReports):
    """Mails as they are for one viewer, without a layout for all others."""

    viewer = ""

    def _render(
        self, name: str, frame: Frame, title: str, view: GameView | None = None, **values: object
    ) -> Rendered:
        seen = view is None or view.viewer == self.viewer
        made = Reports if seen else PlainReports
        return made._render(self, name, frame, title, view, **values)


PLAIN = PlainReports(templates_path(Path("nowhere")))


@dataclass(frozen=True)
class Written:
    """A mail of the outbox, and whom it goes to by his seat's name ("" for the GM)."""

    player: str
    row: OutboxRow

    def __getattr__(self, name: str) -> Any:
        """Return what stands in the row."""
        return getattr(self.row, name)


class Stumble(BaseException):
    """The program's sudden end at some point: nothing catches it."""


@dataclass
class Post:
    """A mailbox and a submission server in memory; either can be made to fail."""

    clock: ManualClock
    inbox: dict[int, tuple[bytes, datetime, int]] = field(default_factory=dict)
    folders: dict[str, list[bytes]] = field(default_factory=dict)
    came: dict[bytes, datetime] = field(default_factory=dict)
    sent: list[tuple[str, bytes]] = field(default_factory=list)
    results: list[SendResult] = field(default_factory=list)
    uidvalidity: int = 7
    fails: dict[str, BaseException] = field(default_factory=dict)
    entered: int = 0
    closed: int = 0
    during: list[bytes] = field(default_factory=list)
    says: datetime | None = None
    asked: int = 0
    kept_back: dict[int, str] = field(default_factory=dict)
    headless: set[int] = field(default_factory=set)
    undated: set[int] = field(default_factory=set)
    others: bool = False
    reopened: int = 0
    _next: int = 1

    def deliver(self, raw: bytes, at: datetime | None = None, size: int | None = None) -> int:
        """Put a mail into the inbox as the server would; returns its UID."""
        uid, self._next = self._next, self._next + 1
        self.inbox[uid] = (raw, at or self.clock.now(), size or len(raw))
        return uid

    def renumber(self) -> None:
        """Give the folder a new UIDVALIDITY and its mails new UIDs."""
        mails, self.inbox = list(self.inbox.values()), {}
        self.uidvalidity += 1
        for raw, at, size in mails:
            self.deliver(raw, at, size)

    def _stumble(self, point: str) -> None:
        if error := self.fails.get(point):
            raise error

    def __enter__(self) -> Self:
        """Connect."""
        self._stumble("enter")
        self.entered += 1
        return self

    def server_time(self) -> datetime | None:
        """Return what time the server has."""
        self._stumble("server_time")
        self.asked += 1
        return self.says

    def newest_arrival(self) -> datetime | None:
        """Return when the last mail came."""
        return max((at for _, at, _ in self.inbox.values()), default=None)

    def ensure_folders(self) -> None:
        """Do nothing: folders are made when a mail is moved there."""

    def can_idle(self) -> bool:
        """Return whether there is anything to wait for: a test's ``stop`` ends the wait."""
        self._stumble("can_idle")
        return True

    def idle(self, seconds: float, stop: Callable[[], bool]) -> bool:
        """Return whether there is mail, without any wait."""
        del seconds, stop
        self._stumble("idle")
        return bool(self.inbox)

    def interrupt(self) -> None:
        """Wait for nothing."""

    def close(self) -> None:
        """Count the end of a connection."""
        self.closed += 1

    def new_uids(self) -> tuple[int, ...]:
        """Return the UIDs, lowest first."""
        self._stumble("new_uids")
        uids = tuple(sorted(self.inbox))
        for raw in self.during:
            self.deliver(raw)
        self.during.clear()
        return uids

    def fetch(self, uid: int) -> Fetched | None:
        """Return a mail; of one over 2 MB the head alone."""
        self._stumble("fetch")
        if uid not in self.inbox:
            return None
        if uid in self.kept_back:
            raise NotHandedOver(self.kept_back[uid], self.facts([uid])[uid])
        raw, at, size = self.inbox[uid]
        date = None if uid in self.undated else at
        if size > 2 * 1024 * 1024:
            return Fetched(uid, self.uidvalidity, size, date, None, raw.partition(b"\r\n\r\n")[0])
        return Fetched(uid, self.uidvalidity, size, date, raw)

    def header(self, uid: int) -> bytes | None:
        """Return the header of a mail, where it is not kept back too."""
        head = self.inbox[uid][0].partition(b"\r\n\r\n")[0] + b"\r\n\r\n"
        return None if uid in self.headless else head

    def find(  # noqa: PLR0913 - as the mailbox has it
        self,
        folder: str,
        *,
        uid: int | None,
        uidvalidity: int,
        size: int,
        head: bytes | None,
        name: str,
    ) -> Fetched | None:
        """Return a mail from where it lies."""
        del uidvalidity, name
        if uid is not None:
            return self.fetch(uid)
        for raw in self.folders.get(folder, ()):
            if len(raw) == size and raw.startswith(head or b""):
                return Fetched(1, 1, size, self.clock.now(), raw)
        return None

    def bring_back(self, folders: Sequence[str], is_known: Callable[[str], bool]) -> int:
        """Put mails that are not known back into the inbox, as if they had come now."""
        unknown = [
            (folder, raw)
            for folder in folders
            for raw in self.folders.get(folder, ())
            if not is_known(hashlib.sha256(raw).hexdigest())
        ]
        for folder, raw in unknown:
            self.folders[folder].remove(raw)
            self.deliver(raw, self.came.get(raw))
        return len(unknown)

    def facts(self, uids: Sequence[int]) -> dict[int, Facts]:
        """Return size and time of mails."""
        found = {uid: self.inbox[uid] for uid in uids}
        return {
            uid: Facts(size, None if uid in self.undated else at)
            for uid, (_, at, size) in found.items()
        }

    def gives_others(self) -> bool:
        """Return whether the other folders' mails are handed over."""
        return self.others

    def reopen(self) -> None:
        """Connect anew."""
        self._stumble("enter")
        self.reopened += 1

    def move(self, uids: Sequence[int], folder: str) -> None:
        """Move mails; one that is gone is no fault."""
        self._stumble("move")
        for uid in uids:
            if uid in self.inbox:
                raw, self.came[raw], _ = self.inbox.pop(uid)
                self.folders.setdefault(folder, []).append(raw)

    def move_on(self, size: int, sha256: str, source: str, target: str) -> None:
        """Move a mail on from one folder to another."""
        self._stumble("move_on")
        for raw in list(self.folders.get(source, ())):
            if (len(raw), hashlib.sha256(raw).hexdigest()) == (size, sha256):
                self.folders[source].remove(raw)
                self.folders.setdefault(target, []).append(raw)

    def send(self, raw: bytes, recipient: str, envelope_from: str) -> SendResult:
        """Take a mail, or fail as told."""
        assert envelope_from == GM_BOX
        self._stumble("send")
        result = self.results.pop(0) if self.results else SendResult("sent", 250, "ok")
        if result.state == "sent":
            self.sent.append((recipient, raw))
        self._stumble("sent")
        return result


@dataclass
class League:
    """A game on a database, and what the GM and the players do."""

    work: Workplace
    clock: ManualClock
    post: Post
    players: Sequence[str] = SIX
    _serial: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    @property
    def database(self) -> Database:
        """The database."""
        return self.work.database

    def begin(
        self,
        slug: str = SLUG,
        secret: bytes = SECRET,
        players: Sequence[str] = (),
        calendar: Calendar = WEEKLY,
        **options: object,
    ) -> LoadedGame:
        """Start a game; unless a test asks for it, its first turn waits for nobody twice."""
        options = {"first_grace": 0, **options}
        people = [(name, f"{name.lower()}@example.org") for name in players or self.players]
        new = NewGame(slug, people, "smith", options, calendar, secret)
        return create_game(self.work, new, games_path(Path("nowhere")))

    def reborn(self) -> "League":
        """Return the league as a new process finds it: the same database, all else new."""
        post = replace(self.post, fails={}, results=[])
        names = (f"r{number}" for number in itertools.count(1))
        work = replace(
            self.work,
            database=Database(self.database._writing),
            new_name=lambda length: f"{next(names):0>{length}}",
        )
        return League(work, self.clock, post, self.players, self._serial)

    def loaded(self, slug: str = SLUG) -> LoadedGame:
        """Return the game as it stands."""
        with self.database.reading() as session:
            return load_game(session, find_game(session, slug))

    @property
    def game(self) -> Game:
        """The game as it stands."""
        return self.loaded().game

    def token(self, player: str, turn: int | None = None, slug: str = SLUG) -> str:
        """Return a player's first token, for the turn in play for want of another."""
        loaded = self.loaded(slug)
        number = loaded.game.turn if turn is None else turn
        return self.work.token(loaded.row, number, SeatRow(game_id=0, position=0, name=player))

    def mail(  # noqa: PLR0913 - each is a part of a mail, named at the call
        self,
        player: str,
        text: str,
        *,
        turn: int | None = None,
        token: str | None = None,
        sender: str = "",
        headers: str = "",
        slug: str = SLUG,
    ) -> bytes:
        """Return a mail as a player's program writes it, with a Message-ID of its own."""
        named = self.token(player, turn, slug) if token is None else token
        to = GM_BOX.replace("@", f"+{named}@") if named else GM_BOX
        head = (
            f"Return-Path: <{player.lower()}@example.org>\n"
            f"From: {player} <{sender or player.lower() + '@example.org'}>\nTo: {to}\n"
            f"Subject: Re: {slug}\nMessage-ID: <m{next(self._serial)}@example.org>\n{headers}"
            "Content-Type: text/plain; charset=utf-8\n\n"
        )
        return (head + text).replace("\n", "\r\n").encode()

    def write(self, player: str, text: str, at: datetime | None = None, **parts: str) -> int:
        """Deliver a player's mail; returns its UID."""
        return self.post.deliver(self.mail(player, text, **parts), at)  # type: ignore[arg-type]  # the parts are all texts here

    def poll(self) -> Polled:
        """Poll the inbox."""
        return poll(self.work, self.post)

    def say(self, player: str, text: str) -> str:
        """Deliver a mail, poll, and return the text of the one answer."""
        before = {row.id for row in self.outbox(player)}
        self.write(player, text)
        self.poll()
        (answer,) = (row for row in self.outbox(player) if row.id not in before)
        return text_of(answer.raw)

    def due(self) -> tuple[Adjudicated, ...]:
        """Adjudicate what is due."""
        return adjudicate_due(self.work)

    def send(self) -> Delivered:
        """Send the outbox."""
        return send_outbox(self.work, self.post)

    def order_all(self, *but: str) -> None:
        """Let everybody but some write the first example of all that he owes."""
        game = self.game
        for player in self.players:
            lines = [item.examples[0] for item in view(game, player).due]
            if player not in but and lines:
                self.write(player, "\n".join(lines) + "\n")

    def order(self, player: str, slug: str = SLUG) -> None:
        """Let a player write the first example of all that he owes in a game."""
        game = self.loaded(slug).game
        lines = [item.examples[0] for item in view(game, player).due]
        self.write(player, "\n".join(lines) + "\n", slug=slug)

    def play(self, turns: int) -> None:
        """Play so many turns, everybody ordering in time."""
        for _ in range(turns):
            self.order_all()
            self.poll()
            self.clock.advance(HOUR)
            assert len(self.due()) == 1

    def outbox(
        self, player: str | None = None, *kinds: str, slug: str | None = None
    ) -> list[Written]:
        """Return the mails written, to a player ("" for the GM), of some kinds, oldest first."""
        with self.database.reading() as session:
            rows = session.exec(select(OutboxRow).order_by(OutboxRow.id)).all()  # type: ignore[arg-type]  # a column
            games = {row.id: row.slug for row in session.exec(select(GameRow)).all()}
            seats = {row.id: row.name for row in session.exec(select(SeatRow)).all()}
        return [
            Written(seats.get(row.seat_id, ""), row)
            for row in rows
            if player in (None, seats.get(row.seat_id, ""))
            and (not kinds or row.kind in kinds)
            and slug in (None, games.get(row.game_id))
        ]

    def rows(self, kind: type[MailRow] | type[TurnRow]) -> list[MailRow | TurnRow]:
        """Return all rows of a kind."""
        with self.database.reading() as session:
            return list(session.exec(select(kind).order_by(kind.id)).all())  # type: ignore[arg-type]  # a column

    def mails(self) -> list[MailRow]:
        """Return the mails that came in, in their order."""
        return [row for row in self.rows(MailRow) if isinstance(row, MailRow)]

    def turns(self) -> list[TurnRow]:
        """Return all turns."""
        return [row for row in self.rows(TurnRow) if isinstance(row, TurnRow)]

    def on_file(self, player: str) -> list[str]:
        """Return a player's orders on file in the turn in play, as canonical lines."""
        loaded = self.loaded()
        with self.database.reading() as session:
            book = load_turn_file(session, loaded).book
        return [order.line() for order in book.of(player).values()]


def open_league(
    url: str,
    *,
    plus: bool = True,
    templates: Path | None = None,
    now: datetime = START,
    plain: bool = False,
) -> League:
    """Return a league on a database, new or not."""
    clock = ManualClock(now)
    database = open_database(fresh(url))
    with database.reading() as session:
        written = count_of(session)
    names = itertools.count(1000 * written + 1)
    work = Workplace(
        database=database,
        clock=clock,
        reports=Reports(templates_path(templates)) if templates else PLAIN if plain else REPORTS,
        identity=Identity("Grace", "grace@example.org", GM_BOX, plus=plus),
        account="gm@localhost",
        folder="INBOX",
        new_name=lambda length: f"{next(names):0{length}d}",
        token_key=bytes(32),
    )
    return League(
        work,
        clock,
        Post(clock, uidvalidity=7 + written),
        _serial=itertools.count(1000 * written + 1),
    )


def parsed(raw: bytes | None) -> Message:
    """Return a mail as the library reads it."""
    return message_from_bytes(raw or b"")


def text_of(raw: bytes | None) -> str:
    """Return the plain text of a mail of ours, its hard spaces as plain ones."""
    for part in parsed(raw).walk():
        if part.get_content_type() == "text/plain":
            data = part.get_payload(decode=True)
            assert isinstance(data, bytes)
            return data.decode().replace("\r\n", "\n").replace("\xa0", " ")
    raise AssertionError("a mail without text")


def random_lines(game: Game, pick: random.Random, player: str) -> list[str]:
    """Return lines that a player may write: legal in many spellings, wrong ones, or none."""
    lines: list[str] = []
    for item in view(game, player).due:
        if pick.random() < 0.1:
            continue
        lines.append(spelled(pick, pick.choice(item.examples), game, player))
    if pick.random() < 0.2:
        lines.append(pick.choice(WRONG))
    if pick.random() < 0.05:
        lines.append(pick.choice(("cancel all", "cancel A", "ready", "all: fold")))
    pick.shuffle(lines)
    return lines


WRONG = (
    "A: raise 999999",
    "B: raise 5",
    "Z: fold",
    "A: check",
    "B: call",
    "C: give 2C 2C next, 2C previous",
    "A: keep AS AD AH KC QD expose AS AD KC",
    "A: expose JKR",
    "A: raise to 60000",
    "A: raise 40.000",
    "B: all in",
    "hello there",
    "",
    "A:",
    "cancel Q",
    "all: stay",
)


def spelled(pick: random.Random, line: str, game: Game, player: str) -> str:
    """Return a canonical line as one of many people would write it."""
    table, _, rest = line.partition(": ")
    if rest.startswith("raise"):
        pounds = pick.randrange(1, 60) * 1000
        sums = (f"{pounds}", f"£{pounds:,}", f"{pounds // 1000}k", f"by {pounds}")
        rest = f"raise {pick.choice(sums)}"
    if rest.startswith(("raise", "stay")) and pick.random() < 0.3:
        hand = next(hand for hand, _ in game.hands_of(player) if hand.table == table)
        seat = hand.seats[hand.index_of(player) or 0]
        if seat.hidden:
            rest += f" expose {pick.choice(seat.hidden)}"
    head = pick.choice(
        (f"{table}: ", f"{table} ", f"Table {table}: ", f"{table}) ", f"{table}1 - ")
    )
    if head.endswith("1 - "):
        head = f"{next(hand.name for hand, _ in game.hands_of(player) if hand.table == table)} - "
    text = head + rest
    return pick.choice((text, text.lower(), text.upper(), f"* {text}"))


def owed(game: Game) -> set[str]:
    """Return who owes something this turn."""
    return {player for player, _ in due(game)}


def count_of(session: Session) -> int:
    """Return how many mails stand in the outbox."""
    return len(session.exec(select(OutboxRow)).all())
