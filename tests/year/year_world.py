"""A league of three games over a year: robots that write by mail, a daemon, and a clock.

Real are the database, the reading of mail and everything that the daemon does; the mail servers are
in memory. A robot knows what he was mailed, and answers at some time before the deadline. A game
that is over is followed by another, so that three are always in play.
"""

from __future__ import annotations

import heapq
import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from pathlib import Path
from random import Random

from sqlmodel import Session, col, select

from postal.clock import wall_at
from postal.robots import STYLES, TEMPERS, Robot
from postal.service.ticks import Rounds
from postal.service.turns.calendar import Calendar
from postal.store.rows import GameRow, GameStatus, TurnRow, TurnStatus
from tests.service.service_league import EIGHT, SIX, League, open_league
from tests.year.year_post import YearPost

BEGIN = datetime(2026, 1, 5, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
STEP = 5 * HOUR
"""The longest time between two rounds; by less than an outage."""

OUTAGE_AFTER = 6 * HOUR

_ASKS = re.compile(r": (?:welcome|turn \d+ report|receipt|orders)")
"""The subjects of mails that a robot answers."""


@dataclass(frozen=True)
class Place:
    """A place in the league: a game for some players, and when its turns end."""

    name: str
    players: tuple[str, ...]
    calendar: Calendar
    grace: int = 0


PLACES = (
    Place("london", SIX, Calendar(7, 20, "Europe/London")),
    Place("york", EIGHT, Calendar(7, 21, "America/New_York", minute=30, weekdays=(1,)), grace=2),
    Place("sydney", SIX, Calendar(7, 2, "Australia/Sydney", minute=30, lengths=(6, 8, 7))),
)
"""Clocks change in all three zones, on five different days; one deadline lies in the gap's hour."""


@dataclass(frozen=True)
class Answer:
    """A mail with orders, as the server had it: whose, for which turn, and when."""

    slug: str
    turn: int
    player: str
    at: datetime


@dataclass(order=True)
class _Waiting:
    at: datetime
    number: int
    raw: bytes = field(compare=False, repr=False)
    answer: Answer = field(compare=False)


@dataclass
class World:
    """The league, what its people are about to do, and what was seen of it.

    ``silent`` are the seats that answer nothing, ``aways`` when the program was off or the mailbox
    away, ``deadlines`` those that a turn was seen with, by its id.
    """

    league: League
    post: YearPost
    pick: Random
    rounds: Rounds | None = None
    silent: set[tuple[str, str]] = field(default_factory=set)
    answers: list[Answer] = field(default_factory=list)
    deadlines: dict[int, list[datetime]] = field(default_factory=lambda: defaultdict(list))
    aways: list[tuple[datetime, datetime]] = field(default_factory=list)
    happened: Counter[str] = field(default_factory=Counter)
    addresses: dict[str, str] = field(default_factory=dict)
    _robots: dict[tuple[str, str], Robot] = field(default_factory=dict)
    _waiting: list[_Waiting] = field(default_factory=list)
    _read: int = 0
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    @property
    def now(self) -> datetime:
        """The time."""
        return self.league.clock.now()

    def start(self) -> None:
        """Start the daemon."""
        self.rounds = Rounds(self.league.work, lambda: self.post, self.post)
        self.rounds.begin()

    def stop(self) -> None:
        """Let the program be off: it is killed, so that it gives nothing back."""
        self.rounds = None

    def run(self, until: datetime) -> None:
        """Let time pass; when the program is on, it makes its rounds."""
        while self.now < until:
            self.league.clock.move_to(min([until, self.now + STEP, *self._next()]))
            while self._waiting and self._waiting[0].at <= self.now:
                self._arrive(heapq.heappop(self._waiting))
            if self.rounds is not None:
                self._fill()
                self.rounds.round()
                self._look()
                self._deliver()

    def games(self) -> Sequence[GameRow]:
        """Return the games in play."""
        with self.league.database.reading() as session:
            running = select(GameRow).where(GameRow.status == GameStatus.RUNNING)
            return session.exec(running.order_by(col(GameRow.id))).all()

    def players(self, slug: str) -> tuple[str, ...]:
        """Return who plays in a game."""
        return next(place.players for place in PLACES if place.name == slug.partition("-")[0])

    def turn(self, slug: str) -> TurnRow | None:
        """Return the turn in play of a game."""
        return self.league.loaded(slug).turn

    def move_house(self, player: str, address: str) -> None:
        """Give a player another address: his mail goes there, and he writes from there."""
        self.addresses[player] = address
        # What is on its way bears tokens that are worth nothing any more.
        self._waiting = [one for one in self._waiting if one.answer.player != player]
        heapq.heapify(self._waiting)
        for (_, name), robot in self._robots.items():
            if name == player:
                robot.address = address

    def _next(self) -> list[datetime]:
        """Return when something is going to happen: a mail comes, or a turn ends."""
        times = [self._waiting[0].at] if self._waiting else []
        with self.league.database.reading() as session:
            times += [turn.deadline for turn in _open(session) if turn.deadline]
        return [time for time in times if time > self.now]

    def _fill(self) -> None:
        """Begin a game in each place where none is in play."""
        running = {row.slug.partition("-")[0] for row in self.games()}
        for place in PLACES:
            if place.name in running:
                continue
            number = self.happened[f"games of {place.name}"] = (
                self.happened[f"games of {place.name}"] + 1
            )
            slug = f"{place.name}-{number}"
            secret = self.pick.randbytes(32)
            self.league.begin(
                slug, secret, place.players, place.calendar, first_grace=7, grace=place.grace
            )
            for name in place.players:
                address = self.addresses.setdefault(name, f"{name.lower()}@example.org")
                self._robots[slug, name] = robot(slug, name, address)

    def _arrive(self, mail: _Waiting) -> None:
        self.post.deliver(mail.raw, mail.at)
        self.answers.append(mail.answer)

    def _look(self) -> None:
        """Note each deadline that an open turn is seen with."""
        with self.league.database.reading() as session:
            for turn in _open(session):
                seen = self.deadlines[turn.id or 0]
                if turn.deadline and (not seen or seen[-1] != turn.deadline):
                    seen.append(turn.deadline)

    def _deliver(self) -> None:
        """Give the robots their mail; each answers at some time before the deadline."""
        sent, self._read = self.post.sent[self._read :], len(self.post.sent)
        owners = {address: name for name, address in self.addresses.items()}
        for recipient, raw in sent:
            subject = str(message_from_bytes(raw)["Subject"])
            slug, name = subject.removeprefix("Re: ").partition(":")[0], owners.get(recipient, "")
            # A robot reads no reminders and takes no notice of a moved deadline.
            asks = _ASKS.search(subject)
            if asks and (slug, name) in self._robots and (slug, name) not in self.silent:
                self._answer(slug, name, raw)

    def _answer(self, slug: str, name: str, raw: bytes) -> None:
        turn = self.turn(slug)
        if turn is None or turn.deadline is None:
            return
        for answer in self._robots[slug, name].answer(raw):
            left = max(turn.deadline - self.now, 2 * HOUR)
            at = self.now + left * self.pick.uniform(0.05, 1.01)
            told = Answer(slug, turn.number, name, at)
            heapq.heappush(self._waiting, _Waiting(at, next(self._numbers), answer, told))


def robot(slug: str, name: str, address: str) -> Robot:
    """Return the robot of a seat, who writes legibly and in many ways."""
    legible = [style for style in STYLES.values() if style.habit in ("", "asks")]
    chance = Random(f"{slug}/{name}")
    chance.shuffle(legible)
    temper = chance.choice([one for one in TEMPERS.values() if not one.forgets])
    return Robot(name=name, address=address, styles=legible, rng=chance, temper=temper)


def open_world(folder: Path, seed: int, begin: datetime = BEGIN) -> World:
    """Return a league on a new database."""
    league = open_league(f"sqlite:///{folder / 'year.sqlite3'}", now=begin)
    league.work = replace(league.work, outage_after=OUTAGE_AFTER)
    post = YearPost(league.clock)
    league.post = post
    world = World(league, post, Random(seed))
    world.start()
    return world


def on_the_wall(moment: datetime, zone: str) -> tuple[int, int]:
    """Return the hour and the minute that clocks in a zone show."""
    wall = wall_at(moment, zone)
    return wall.hour, wall.minute


def _open(session: Session) -> Sequence[TurnRow]:
    return session.exec(select(TurnRow).where(TurnRow.status == TurnStatus.OPEN)).all()
