"""Compare how soon 300 mails are taken in with the least that could be done.

Run it from the repository with ``python tests/bench/bench_intake.py``; it needs Debian's Dovecot
and is left out where that is missing. The mails are orders of the players of a few games, and both
find the same ones in a mailbox of their own, by turns.

- postal: a poll asks each mail's size, fetches and stores it with whose it is, and puts all away.
- bare: IMAPClient fetches each mail, the library's parser reads it whole, the bytes are committed
  as a row of SQLite, and the mail is moved.

The exit status is 1 where postal takes more than twice as long. Between the two the poll handles
the mails: it files the orders and writes a receipt to each, for which there is nothing bare. What
that takes is printed beside it and decides nothing; nor does the CPU time of this process, which is
printed for both, by the mail.
"""

from __future__ import annotations

import logging
import random
import socket
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from email.parser import BytesParser
from email.policy import compat32
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from imapclient import IMAPClient

from postal.engine.view import view
from postal.mail.imap import PROCESSED, ImapSettings, Mailbox
from postal.service.inbound.intake import put_away
from postal.service.inbound.queue import handle_new
from postal.service.inbound.taking import take_in
from tests.bench.say import say
from tests.mail.postroom import NOW
from tests.servers import HOST, Dovecot, dovecot
from tests.service.service_league import GM_BOX, SIX, League, open_league

MAILS, GAMES, ROUNDS = 300, 5, 5
LIMIT = 2.0
BARE_BOX = "bare@example.org"
PASSWORDS = {GM_BOX: "gm-secret", BARE_BOX: "bare-secret"}

INTAKE, HANDLING = "taken in and put away", "all with orders filed and receipts written"


def begin_games(league: League, games: int) -> list[tuple[str, str, str]]:
    """Start some games, each with players of its own; return (game, player, orders) for all."""
    orders: list[tuple[str, str, str]] = []
    for number in range(games):
        slug = f"game-{number}"
        players = [f"{name}{number}" for name in SIX]
        game = league.begin(slug, random.Random(number).randbytes(32), players).game
        for player in players:
            lines = "".join(f"{item.examples[0]}\n" for item in view(game, player).due)
            orders.append((slug, player, lines))
    league.send()
    return orders


def written(league: League, orders: Sequence[tuple[str, str, str]], count: int) -> list[bytes]:
    """Return so many mails with orders, those of all players by turns."""
    chosen = (orders[number % len(orders)] for number in range(count))
    return [league.mail(player, lines, slug=slug) for slug, player, lines in chosen]


def deliver(server: Dovecot, mails: Sequence[bytes], box: str) -> None:
    """Put mails into a mailbox."""
    for raw in mails:
        server.deliver(raw, box, "player@example.org")


@dataclass(frozen=True)
class Took:
    """Seconds that something took: by the clock, and of this process's CPU."""

    wall: float
    cpu: float

    @classmethod
    def of(cls, *deeds: Callable[[], object]) -> list[Took]:
        """Do some deeds; return what each took."""
        took = []
        for deed in deeds:
            wall, cpu = perf_counter(), process_time()
            deed()
            took.append(cls(perf_counter() - wall, process_time() - cpu))
        return took

    def __add__(self, other: Took) -> Took:
        """Return what both took."""
        return Took(self.wall + other.wall, self.cpu + other.cpu)


def postal(league: League, port: int) -> tuple[Took, Took]:
    """Do what a poll does; return what taking in and putting away took, and what all of it did."""
    settings = ImapSettings(
        host=HOST, port=port, security="plain", user=GM_BOX, password=PASSWORDS[GM_BOX]
    )
    with Mailbox(settings) as box:
        box.ensure_folders()
        taken, handled, away = Took.of(
            lambda: take_in(league.work, box),
            lambda: handle_new(league.work),
            lambda: put_away(league.work, box),
        )
    return taken + away, taken + handled + away


def bare(file: Path, port: int) -> Took:
    """Do the least that could be done with what is in the mailbox; return what it took."""
    with (
        closing(sqlite3.connect(file, isolation_level=None)) as base,
        IMAPClient(HOST, port, ssl=False) as client,
    ):
        client.socket().setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        base.execute("PRAGMA journal_mode = WAL")
        base.execute("PRAGMA synchronous = FULL")
        base.execute("CREATE TABLE IF NOT EXISTS inbox (uid INTEGER, sender TEXT, raw BLOB)")
        client.login(BARE_BOX, PASSWORDS[BARE_BOX])
        if not client.folder_exists(PROCESSED):
            client.create_folder(PROCESSED)
        (took,) = Took.of(lambda: _fetch_all(base, client))
    return took


def _fetch_all(base: sqlite3.Connection, client: IMAPClient) -> None:
    client.select_folder("INBOX")
    for uid in client.search("ALL"):
        raw = client.fetch([uid], ["BODY.PEEK[]"])[uid][b"BODY[]"]
        message = BytesParser(policy=compat32).parsebytes(raw)
        base.execute("INSERT INTO inbox VALUES (?, ?, ?)", (uid, message["From"], raw))
        client.move([uid], PROCESSED)


def main(mails: int = MAILS, rounds: int = ROUNDS) -> int:
    """Time both by turns and print what they took."""
    logging.getLogger("postal").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        try:
            server = stack.enter_context(dovecot(PASSWORDS))
        except BaseException as error:  # noqa: BLE001  # pytest's own word for a test left out
            say(f"Left out: {error}")
            return 0
        league = open_league(f"sqlite:///{Path(name) / 'postal.db'}", now=NOW)
        stack.callback(league.database.close)
        orders = begin_games(league, GAMES)
        ours: list[tuple[Took, Took]] = []
        theirs: list[Took] = []
        for _ in range(rounds):
            raws = written(league, orders, mails)
            deliver(server, raws, GM_BOX)
            deliver(server, raws, BARE_BOX)
            ours.append(postal(league, server.imap_port))
            theirs.append(bare(Path(name) / "bare.db", server.imap_port))
        answers = len(league.outbox(None, "receipt"))
        assert answers == mails * rounds, "a receipt is written to each mail"
    intake, whole = [one for one, _ in ours], [one for _, one in ours]
    say(f"{f'{mails} mails through Dovecot':52}{'postal':>8}{'bare':>10}    postal/bare")
    ratio = _show(INTAKE, "s", [one.wall for one in intake], [one.wall for one in theirs])
    _show(HANDLING, "s", [one.wall for one in whole], [one.wall for one in theirs])
    bare_cpu = [one.cpu / mails * 1000 for one in theirs]
    for what, mine in ((INTAKE, intake), (HANDLING, whole)):
        _show(f"  CPU: {what}", "ms a mail", [one.cpu / mails * 1000 for one in mine], bare_cpu)
    return int(ratio > LIMIT)


def _show(what: str, unit: str, mine: Sequence[float], bare_: Sequence[float]) -> float:
    """Print the medians of both; return the median of what each was to the other."""
    ratio = median(a / b for a, b in zip(mine, bare_, strict=True))
    say(f"{what:52}{median(mine):8.2f}{median(bare_):10.2f} {unit:9}{ratio:9.2f}")
    return ratio


if __name__ == "__main__":
    sys.exit(main())
