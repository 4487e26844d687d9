"""The daemon wakes for mail where the server tells of it, and for its ticks and signals always."""

import threading
from pathlib import Path

import pytest

from tests.mail.conftest import House
from tests.mail.faulty import EVERYTHING, FaultyImap
from tests.mail.postroom import PATIENCE, PostRoom, post_room
from tests.mail.test_mail_faults_imap import settings


def test_an_order_is_answered_as_it_comes(house: House, tmp_path: Path) -> None:
    """Long before the next tick, which is an hour away."""
    with post_room(tmp_path, house.settings) as room:
        room.run(lambda: _write_three(house, room))
    assert [recipient for recipient, _ in room.smtp.taken] == [
        "ann@example.org",
        "bob@example.org",
        "cat@example.org",
    ]


def _write_three(house: House, room: PostRoom) -> None:
    for player in ("Ann", "Bob", "Cat"):
        room.wait_until_waiting()
        token = room.league.token(player)
        house.deliver(room.orders(player), f"gm+{token}@example.org", "x@example.org")
        room.wait_until_sent()


@pytest.mark.parametrize("last", ["IDLE", "LOGIN"])
def test_the_ticks_come_though_the_daemon_waits(tmp_path: Path, last: str) -> None:
    """A server that never tells of new mail is polled all the same, with IDLE and without."""
    capabilities = EVERYTHING if last == "IDLE" else EVERYTHING.replace("IDLE ", "")
    with FaultyImap(capabilities) as server, post_room(tmp_path, settings(server)) as room:
        server.silent = True
        idle = threading.Event()
        server.fault = lambda _number, command: idle.set() or "" if command == last else ""  # type: ignore[func-returns-value]  # it sets and gives ""

        def drive() -> None:
            room.wait_until_waiting()
            assert idle.wait(PATIENCE)
            server.deliver(room.orders("Ann"), room.league.clock.now())
            room.wait_until_sent()

        room.run(drive, poll_seconds=1)
        assert room.smtp.taken[0][0] == "ann@example.org"
        assert ("IDLE" in server.heard) is (last == "IDLE")
        assert server.heard[-1] == "LOGOUT"
