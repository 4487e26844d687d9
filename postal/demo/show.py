"""The demo's play: robots and the post room take turns until the game is over."""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from imapclient import IMAPClient

from postal import entropy
from postal.bootstrap import Office, open_office, smtp_settings
from postal.clock import ManualClock
from postal.demo import cast
from postal.demo.folder import (
    DATABASE,
    LOG,
    RECORD,
    MailFiles,
    clear_folder,
    readable,
    take_folder,
    write_config,
)
from postal.demo.servers import HOST, MailServers
from postal.errors import PostalError
from postal.mail.imap import PROCESSED, QUARANTINE, REJECTED
from postal.mail.smtp import Sender
from postal.resources import games_path
from postal.robots import LONGEST_ANSWER, Robot
from postal.robots.letters import forged
from postal.robots.postman import Account, Postman, Way
from postal.service.desk.newgame import NewGame, create_game
from postal.service.desk.overview import show_game
from postal.service.records.export import export_game
from postal.service.ticks import Rounds
from postal.service.turns.calendar import Calendar
from postal.store.lock import only_one

GAME = "demo"
BEGIN = datetime(2026, 9, 6, 18, 30, tzinfo=UTC)
"""When the demo's clock starts: fixed, so that a seed repeats a whole demo, deadlines included."""

_CALENDAR = Calendar(turn_length=7, hour=20, zone="Europe/London")
_SETTLE = 30
_MOST_ROUNDS = 1000
_FORGED_AFTER = 3
_GAMES_FOLDERS = ("INBOX", PROCESSED, REJECTED, QUARANTINE)
_PASSWORD_LENGTH = 24


@dataclass(frozen=True, slots=True)
class Scene:
    """A turn that was adjudicated, with what has happened up to it.

    ``over`` counts the hands that are over of all ``hands``, ``mails`` what the robots received
    and sent; ``endings`` are the hands that ended now, in words.
    """

    turn: int
    over: int
    hands: int
    mails: int
    endings: tuple[str, ...]


@dataclass
class Demo:
    """A demo: its folder, its robots, and the game as an onlooker sees it at the moment.

    ``mails`` counts what robots received and sent.
    """

    folder: Path
    seed: int
    robots: Sequence[Robot]
    facts: dict[str, Any] = field(default_factory=dict)
    mails: Counter[Way] = field(default_factory=Counter)

    @property
    def finished(self) -> bool:
        """Whether every hand is over."""
        return bool(self.facts) and self.facts["status"] != "running"


def play(
    folder: Path, players: int, seed: int, watch: Callable[[Scene], None] = lambda _: None
) -> Demo:
    """Play a whole game by mail in a folder and return it; ``watch`` is told after each turn.

    Raises UsageError where the folder is not the demo's to use, AlreadyRunning where another
    demo is at it, PostalError where the game does not get on.
    """
    take_folder(folder)
    demo = Demo(folder, seed, cast.robots(players, seed))
    with ExitStack() as stack:
        stack.enter_context(_settings_aside())
        stack.enter_context(only_one(f"sqlite:///{folder.resolve() / DATABASE}", folder))
        clear_folder(folder)
        clock = ManualClock(BEGIN)
        passwords = {
            address: entropy.new_name(_PASSWORD_LENGTH)
            for address in (cast.GAMES, cast.GM, *(robot.address for robot in demo.robots))
        }
        servers = stack.enter_context(MailServers(passwords, clock.now))
        ports = servers.imap_port, servers.smtp_port
        write_config(folder, cast.GM, cast.GAMES, passwords[cast.GAMES], ports)
        stack.enter_context(_logging(folder / LOG))
        office = stack.enter_context(open_office(folder, clock=clock))
        _Stage(demo, office, clock, servers, watch).run()
    return demo


class _Stage:
    """Everything that is there while the demo runs."""

    def __init__(
        self,
        demo: Demo,
        office: Office,
        clock: ManualClock,
        servers: MailServers,
        watch: Callable[[Scene], None],
    ) -> None:
        self._demo, self._office, self._clock = demo, office, clock
        self._servers, self._watch = servers, watch
        self._files = MailFiles(demo.folder)
        self._delivered = 0

    def run(self) -> None:
        """Start the game, play it to its end, and put the mails and the record into the folder."""
        demo, work = self._demo, self._office.work
        new = NewGame(
            slug=GAME,
            players=[(robot.name, robot.address) for robot in demo.robots],
            rules="smith",
            options={"settle": str(_SETTLE)},
            calendar=_CALENDAR,
            secret=cast.secret_of(demo.seed),
        )
        create_game(work, new, games_path(demo.folder))
        demo.facts = show_game(work, GAME)
        with ExitStack() as stack:
            postmen = [stack.enter_context(self._postman(robot)) for robot in demo.robots]
            sender = stack.enter_context(Sender(smtp_settings(self._office.config)))
            rounds = Rounds(work, self._office.mailbox, sender)
            stack.callback(rounds.close)
            rounds.begin()
            self._play(rounds, postmen)
        self._keep_mailboxes()
        (demo.folder / RECORD).write_text(export_game(work, GAME), "utf-8")

    def _play(self, rounds: Rounds, postmen: Sequence[Postman]) -> None:
        for number in range(_MOST_ROUNDS):
            self._round(rounds)
            answered = self._answers(postmen)
            if number == _FORGED_AFTER:
                victim = self._demo.robots[0]
                mail = forged(victim.name, victim.address, cast.GAMES, self._clock.now())
                postmen[-1].send(mail.as_bytes())
            if self._demo.finished:
                return
            if not answered:
                self._skip(rounds)
        raise PostalError(f"The demo does not get on: {self._demo.folder / LOG} says more.")

    def _skip(self, rounds: Rounds) -> None:
        """Let time pass: till orders have settled or, where somebody is silent, the deadline."""
        turn = self._demo.facts["turn"]
        self._clock.advance(timedelta(minutes=_SETTLE))
        self._round(rounds)
        if self._demo.facts["turn"] == turn and not self._demo.finished:
            self._clock.move_to(datetime.fromisoformat(self._demo.facts["deadline"]))

    def _answers(self, postmen: Sequence[Postman]) -> int:
        """Have every robot look into his mailbox, unless nothing came since the last time.

        By then some hours have passed; returns how many mails they sent.
        """
        if self._servers.delivered == self._delivered:
            return 0
        self._delivered = self._servers.delivered
        self._clock.advance(LONGEST_ANSWER)
        return sum(postman.deliver() for postman in postmen)

    def _round(self, rounds: Rounds) -> None:
        """Make a round as `postal run` does, and tell of a turn that it adjudicated."""
        demo = self._demo
        rounds.round()
        before, demo.facts = demo.facts, show_game(self._office.work, GAME)
        if demo.facts["turn"] == before["turn"] and not demo.finished:
            return
        old = {hand["hand"] for hand in before["hands"] if hand["end"]}
        over = [hand for hand in demo.facts["hands"] if hand["end"]]
        endings = tuple(_ending(hand) for hand in over if hand["hand"] not in old)
        hands = len(demo.facts["hands"])
        self._watch(Scene(before["turn"], len(over), hands, demo.mails.total(), endings))

    def _postman(self, robot: Robot) -> Postman:
        servers = self._servers
        password = servers.passwords[robot.address]
        account = Account(HOST, servers.imap_port, servers.smtp_port, password)
        return Postman(robot, account, self._keep)

    def _keep(self, robot: Robot, way: Way, raw: bytes) -> None:
        self._files.keep(robot.name, way, raw)
        self._demo.mails[way] += 1

    def _keep_mailboxes(self) -> None:
        """Put what is in the games' mailbox and in the GM's into the folder."""
        for address, folders in ((cast.GAMES, _GAMES_FOLDERS), (cast.GM, ("INBOX",))):
            with IMAPClient(HOST, self._servers.imap_port, ssl=False) as client:
                client.login(address, self._servers.passwords[address])
                for folder in folders:
                    client.select_folder(folder, readonly=True)
                    uids = client.search("ALL")
                    found = client.fetch(uids, ["BODY.PEEK[]"]) if uids else {}
                    for uid in sorted(found):
                        box = address.partition("@")[0]
                        self._files.keep(box, readable(folder), found[uid][b"BODY[]"])


def _ending(hand: Mapping[str, Any]) -> str:
    how = {"fold": "a fold", "call": "a call", "checks": "checks in a row"}[hand["end"]]
    won = "takes" if len(hand["winners"]) == 1 else "divide"
    pot = sum(seat["paid"] for seat in hand["seats"])
    return f"{hand['hand']} ends by {how}: {' and '.join(hand['winners'])} {won} £{pot:,}"


@contextmanager
def _settings_aside() -> Iterator[None]:
    """Take POSTAL_ variables away: they win over the config, and are the GM's own servers."""
    mine = {key: os.environ.pop(key) for key in [*os.environ] if key.startswith("POSTAL_")}
    try:
        yield
    finally:
        os.environ.update(mine)


@contextmanager
def _logging(file: Path) -> Iterator[None]:
    """Have what the post room logs written to a file, and nothing of it to the screen."""
    logger, alembic = logging.getLogger("postal"), logging.getLogger("alembic")
    before = logger.level, logger.propagate, alembic.level
    handler = logging.FileHandler(file, encoding="utf-8")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    alembic.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        handler.close()
        logger.setLevel(before[0])
        logger.propagate = before[1]
        alembic.setLevel(before[2])
