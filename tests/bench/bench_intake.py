"""Compare how soon 300 mails are taken in with the least that could be done.

Run it from the repository with ``python tests/bench/bench_intake.py``; it needs Debian's Dovecot
and is left out where that is missing. The mails are orders of the players of a few games, and both
find the same ones in a mailbox of their own, by turns.

- postal: a poll asks each mail's size, fetches and stores it with whose it is, and puts all away.
- bare: IMAPClient fetches each mail, the library's parser reads it whole, the bytes are committed
  as a row of SQLite, and the mail is moved.

The exit status is 1 where postal takes more than twice as long. Between the two the poll handles
the mails: it files the orders and writes a receipt to each, for which there is nothing bare. What
that takes is printed beside it and decides nothing.
"""

from __future__ import annotations

import logging
import random
import socket
import sqlite3
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack, closing
from email.parser import BytesParser
from email.policy import compat32
from pathlib import Path
from statistics import median
from time import perf_counter

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


def postal(league: League, port: int) -> list[float]:
    """Do what a poll does; return the seconds of taking in, of handling and of putting away."""
    settings = ImapSettings(
        host=HOST, port=port, security="plain", user=GM_BOX, password=PASSWORDS[GM_BOX]
    )
    with Mailbox(settings) as box:
        box.ensure_folders()
        began = perf_counter()
        take_in(league.work, box)
        stored = perf_counter()
        handle_new(league.work)
        handled = perf_counter()
        put_away(league.work, box)
        return [stored - began, handled - stored, perf_counter() - handled]


def bare(file: Path, port: int) -> float:
    """Do the least that could be done with what is in the mailbox; return the seconds."""
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
        began = perf_counter()
        client.select_folder("INBOX")
        for uid in client.search("ALL"):
            raw = client.fetch([uid], ["BODY.PEEK[]"])[uid][b"BODY[]"]
            message = BytesParser(policy=compat32).parsebytes(raw)
            base.execute("INSERT INTO inbox VALUES (?, ?, ?)", (uid, message["From"], raw))
            client.move([uid], PROCESSED)
        return perf_counter() - began


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
        ours: list[list[float]] = []
        theirs: list[float] = []
        for _ in range(rounds):
            raws = written(league, orders, mails)
            deliver(server, raws, GM_BOX)
            deliver(server, raws, BARE_BOX)
            ours.append(postal(league, server.imap_port))
            theirs.append(bare(Path(name) / "bare.db", server.imap_port))
        answers = len(league.outbox(None, "receipt"))
        assert answers == mails * rounds, "a receipt is written to each mail"
    say(f"{f'{mails} mails through Dovecot':44}{'postal':>10}{'bare':>10}   postal/bare")
    intake = _show(INTAKE, [taken + away for taken, _, away in ours], theirs)
    _show(HANDLING, [sum(parts) for parts in ours], theirs)
    return int(intake > LIMIT)


def _show(what: str, mine: Sequence[float], bare_: Sequence[float]) -> float:
    """Print the median seconds of both; return the median of what each time was to the other."""
    ratio = median(a / b for a, b in zip(mine, bare_, strict=True))
    say(f"{what:44}{median(mine):8.2f} s{median(bare_):8.2f} s{ratio:14.2f}")
    return ratio


if __name__ == "__main__":
    sys.exit(main())
