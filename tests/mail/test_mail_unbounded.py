"""Servers that would fill the memory, or keep us for ever; and IDLE that goes otherwise."""

import os
import re
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from postal.mail import bounded, idling
from postal.mail.connection import MailboxUnavailable
from postal.mail.fetching import NotHandedOver
from postal.mail.imap import ImapSettings, Mailbox
from tests.mail.faulty import HOST, STALL, FaultyImap
from tests.mail.postroom import post_room
from tests.mail.scripted import IMAP, scripted, talk_imap
from tests.mail.test_mail_faults_imap import settings
from tests.mail.test_mail_kept_back import NOOP, imap

AT = datetime(2031, 5, 6, 7, 8, 9, tzinfo=UTC)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look every few milliseconds whether a mail came untold."""
    monkeypatch.setattr(idling, "PERIODS", (0.02, 0.02))
    monkeypatch.setattr(idling, "SLICE_SECONDS", 0.01)


def patient(port: int) -> ImapSettings:
    """Return how to reach a server that a busy machine may keep from answering at once."""
    return ImapSettings(host=HOST, port=port, user="gm", password="x", security="plain", timeout=30)


def flooding(what: Callable[[], Iterator[bytes]]) -> Callable[..., None]:
    """Return a talk in which a mail's bytes are whatever comes, as long as anybody listens."""

    def talk(stream: socket.SocketIO, answers: Mapping[str, bytes], heard: list[str]) -> None:
        class Flooded:
            def __iter__(self) -> Iterator[bytes]:
                return iter(stream)

            def write(self, answer: bytes) -> None:
                if b"BODY[]" not in answer:
                    stream.write(answer)
                    return
                for piece in what():
                    stream.write(piece)

        talk_imap(Flooded(), answers, heard)  # type: ignore[arg-type]  # it reads and writes as one

    return talk


def announced() -> Iterator[bytes]:
    """Announce 400 MB, and send as much as is taken."""
    yield b"* 1 FETCH (UID 5 BODY[] {419430400}\r\n"
    yield from endless()


def endless() -> Iterator[bytes]:
    """Send a megabyte after the other of other things."""
    while True:
        yield b"* 1 FETCH (FLAGS (\\Seen))\r\n" * 40_000


def without_end() -> Iterator[bytes]:
    """Send a line that has no end."""
    while True:
        yield b"x" * 100_000


@pytest.mark.parametrize("what", [announced, endless, without_end])
def test_a_server_that_pours_is_stopped_at_the_limit(
    what: Callable[[], Iterator[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before more than a few megabytes were received, and the mail is one not handed over."""
    received = [0]
    cut = bounded.MOST_BYTES
    real = socket.socket.recv

    def counted(self: socket.socket, *arguments: int) -> bytes:
        data = real(self, *arguments)
        received[0] += len(data)
        return data

    monkeypatch.setattr(socket.socket, "recv", counted)
    with scripted(flooding(what), IMAP | NOOP) as (port, _), Mailbox(patient(port)) as mailbox:
        with pytest.raises(NotHandedOver, match="sends") as caught:
            mailbox.fetch(5)
        assert caught.value.lost
    assert received[0] < 2 * cut


def test_a_server_that_drips_is_given_up_after_some_timeouts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Though a byte comes under each of them."""
    times = iter(range(10_000))
    monkeypatch.setattr("postal.mail.bounded.time.monotonic", lambda: float(next(times)))

    def drip() -> Iterator[bytes]:
        yield b"* 1 FETCH (UID 5 BODY[] {2000}\r\n"
        while True:
            yield b"h"

    with (
        scripted(flooding(drip), IMAP | NOOP) as (port, _),
        Mailbox(patient(port)) as mailbox,
        pytest.raises(NotHandedOver, match="more than 120 seconds for one answer"),
    ):
        mailbox.fetch(5)


def test_idle_that_is_announced_and_refused_is_asked_for_once_a_connection() -> None:
    """The connection is kept, and polled."""
    answers = IMAP | {"IDLE": b"%s NO [CANNOT] not today\r\n"}
    with scripted(talk_imap, answers) as (port, heard), Mailbox(imap(port)) as mailbox:
        mailbox.new_uids()
        assert mailbox.can_idle()
        assert not mailbox.idle(500)
        assert not mailbox.can_idle()
        assert not mailbox.idle(500)
        assert mailbox.new_uids() == (5,)
        assert (heard.count("IDLE"), heard.count("LOGIN")) == (1, 1)
        mailbox.reopen()
        assert mailbox.can_idle()


@pytest.mark.parametrize(
    "go_ahead",
    [
        b"* 2 EXISTS\r\n+ idling\r\n",
        b"+ idling\r\n* 2 EXISTS\r\n",
        b"* 1 RECENT\r\n* 2 EXISTS\r\n* OK fine\r\n+ idling\r\n",
    ],
)
def test_a_mail_that_is_told_of_around_the_go_ahead_of_idle_is_heard_of(go_ahead: bytes) -> None:
    """The library raises at one that stands before it."""
    answers = IMAP | {"IDLE": go_ahead}
    with scripted(talk_imap, answers) as (port, _), Mailbox(imap(port)) as mailbox:
        mailbox.new_uids()
        assert mailbox.idle(500)
        assert mailbox.new_uids() == (5,)


@pytest.mark.usefixtures("quick")
def test_a_mail_that_comes_between_the_last_look_and_idle_wakes_too() -> None:
    """Where the server doesn't tell of it in IDLE, having been asked for what comes after."""
    with FaultyImap() as server, Mailbox(settings(server)) as mailbox:
        mailbox.new_uids()
        came: list[int] = []

        def come(_number: int, name: str) -> str:
            if name == "IDLE" and not came:
                # Nobody is told of it: nobody idles yet.
                came.append(server.deliver(b"Subject: orders\r\n\r\nA: fold\r\n", AT))
            return ""

        server.fault = come
        assert mailbox.idle(500)
        assert mailbox.new_uids() == tuple(came)


@pytest.mark.usefixtures("quick")
def test_a_mail_that_comes_before_the_wait_is_found_without_uidnext() -> None:
    """Where SELECT doesn't tell what UID comes next, all are looked through."""
    listed = [b"* SEARCH 5\r\n"]
    counts = re.compile(rb"\* 1 EXISTS")

    class Answers(dict[str, bytes]):
        def __getitem__(self, name: str) -> bytes:
            answer = super().__getitem__(name)
            if name == "UID SEARCH":
                return listed[-1] + b"%s OK done\r\n"
            if name == "SELECT" and len(listed) > 1:
                return counts.sub(b"* 2 EXISTS", answer)
            return answer

    with scripted(talk_imap, Answers(IMAP)) as (port, _), Mailbox(imap(port)) as mailbox:
        assert mailbox.new_uids() == (5,)
        listed.append(b"* SEARCH 5 6\r\n")
        assert mailbox.idle(500)


@pytest.mark.parametrize("stalled", ["GREETING", "LOGIN", "UID SEARCH", "UID FETCH BODY", "DONE"])
def test_sigterm_ends_the_wait_for_a_server_that_says_nothing(tmp_path: Path, stalled: str) -> None:
    """At every command, though its timeout is minutes away."""
    with FaultyImap() as server:
        box = ImapSettings(
            host=HOST, port=server.port, user="gm", password="x", security="plain", timeout=600
        )
        with post_room(tmp_path, box) as room:
            server.deliver(b"Subject: hello\r\n\r\nhello\r\n", room.league.clock.now())
            there = threading.Event()

            def stall(_number: int, name: str) -> str:
                if name == stalled:
                    there.set()
                    return STALL
                return ""

            server.fault = stall
            if stalled == "DONE":
                # The first signal ends IDLE, whose end is waited for.
                room.run(room.wait_until_waiting)
            else:
                room.run(lambda: there.wait(60))
            assert [mail.status.value for mail in room.league.mails()] in (
                [],
                ["ignored"],
                ["rejected"],
            )


def test_an_interrupt_is_nothing_where_nobody_waits() -> None:
    """A signal comes at any time."""
    with FaultyImap() as server, Mailbox(settings(server)) as mailbox:
        mailbox.interrupt()
        assert mailbox.new_uids() == ()


def test_an_interrupted_command_says_so() -> None:
    """And the mailbox is closed."""
    with FaultyImap() as server, Mailbox(settings(server, 600)) as mailbox:
        server.break_always("UID SEARCH", STALL)
        kept = signal.signal(signal.SIGUSR1, lambda *_: mailbox.interrupt())
        timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGUSR1))
        timer.start()
        try:
            with pytest.raises(MailboxUnavailable, match="as the program ends"):
                mailbox.new_uids()
        finally:
            timer.join()
            signal.signal(signal.SIGUSR1, kept)
