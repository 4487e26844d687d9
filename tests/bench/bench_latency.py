"""Measure how soon the answer to an order is handed to SMTP once the order is in the mailbox.

Run it from the repository with ``python tests/bench/bench_latency.py``. The daemon waits in IDLE,
at the embedded IMAP server and at Dovecot where that is installed; the next tick is an hour away.
The exit status is 1 where the slowest answer took a second or more, else 0.
"""

from __future__ import annotations

import logging
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from postal.demo.servers import MailServers
from postal.mail.imap import ImapSettings
from tests.mail.postroom import NOW, PostRoom, post_room
from tests.servers import dovecot
from tests.service.service_league import GM_BOX

ORDERS = 12
LIMIT_SECONDS = 1.0
PASSWORDS = {GM_BOX: "gm-secret"}

Deliver = Callable[[bytes, str, str], None]


def measure(room: PostRoom, deliver: Deliver, took: list[float]) -> None:
    """Deliver orders one by one, each when the daemon waits; note what each answer took."""
    for number in range(ORDERS):
        room.wait_until_waiting()
        player = room.league.players[number % len(room.league.players)]
        raw = room.orders(player)
        address = GM_BOX.replace("@", f"+{room.league.token(player)}@")
        began = perf_counter()
        deliver(raw, address, f"{player.lower()}@example.org")
        room.wait_until_sent()
        took.append(perf_counter() - began)


def time_server(name: str, settings: ImapSettings, deliver: Deliver) -> bool:
    """Print a server's figures; return whether they are good."""
    took: list[float] = []
    with tempfile.TemporaryDirectory() as folder, post_room(Path(folder), settings) as room:
        room.run(partial(measure, room, deliver, took))
    _say(
        f"{name}: {len(took)} answers, median {1000 * median(took):.0f} ms,"
        f" slowest {1000 * max(took):.0f} ms"
    )
    return max(took) < LIMIT_SECONDS


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def main() -> int:
    """Time both servers."""
    logging.getLogger("postal").setLevel(logging.ERROR)
    box = partial(ImapSettings, user=GM_BOX, password=PASSWORDS[GM_BOX], security="plain")
    good = True
    with ExitStack() as stack:
        embedded = stack.enter_context(MailServers(PASSWORDS, lambda: NOW))
        settings = box(host="127.0.0.1", port=embedded.imap_port)
        good &= time_server("embedded", settings, embedded.deliver)
        try:
            real = stack.enter_context(dovecot(PASSWORDS))
        except BaseException as error:  # noqa: BLE001  # pytest's own word for a test left out
            _say(f"dovecot: left out, {error}")
        else:
            settings = box(host="127.0.0.1", port=real.imap_port)
            good &= time_server("dovecot", settings, real.deliver)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
