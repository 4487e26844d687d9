"""The daemon over a real mailbox, for what is to be seen of it from outside."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from postal import daemon
from postal.clock import SystemClock
from postal.engine.view import view
from postal.mail.imap import ImapSettings, Mailbox
from postal.mail.smtp import Sender, SmtpSettings
from postal.service.ticks import Rounds
from tests.mail.faulty import HOST, FaultySmtp
from tests.service.service_league import League, open_league

PATIENCE = 60
"""How many seconds something may take on a busy machine before the test gives up."""


class Watched(Rounds):
    """Rounds that say when they are over and the wait for mail begins."""

    def __init__(self, league: League, box: ImapSettings, out: SmtpSettings) -> None:
        """Take the league and where its post is."""
        self.waits = threading.Semaphore(0)
        super().__init__(league.work, lambda: Mailbox(box), Sender(out))

    def watch(self, stop: Callable[[], bool]) -> bool:
        """Wait for mail."""
        self.waits.release()
        return super().watch(stop)


@dataclass
class PostRoom:
    """A league, its daemon, and the mails that it handed to SMTP."""

    league: League
    rounds: Watched
    smtp: FaultySmtp
    sent: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def run(self, drive: Callable[[], object], poll_seconds: int = 3600) -> None:
        """Run the daemon in this thread, ``drive`` in another; at its end SIGTERM ends both."""
        errors: list[BaseException] = []

        def driving() -> None:
            try:
                drive()
            except BaseException as error:  # noqa: BLE001  # it is raised in the test's own thread
                errors.append(error)
            os.kill(os.getpid(), signal.SIGTERM)

        kept = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
        thread = threading.Thread(target=driving)
        # Whatever ends the daemon, a signal that comes late must not end the tests.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        thread.start()
        try:
            daemon.run(self.rounds, poll_seconds, SystemClock().now())
        finally:
            thread.join()
            for number, handler in kept.items():
                signal.signal(number, handler)
        if errors:
            raise errors[0]

    def orders(self, player: str) -> bytes:
        """Return a mail with all orders that a player owes."""
        due = view(self.league.game, player).due
        return self.league.mail(player, "\n".join(item.examples[0] for item in due))

    def wait_until_waiting(self) -> None:
        """Return when a round is over and the wait for mail begins."""
        assert self.rounds.waits.acquire(timeout=PATIENCE), "there was no wait for mail"

    def wait_until_sent(self) -> None:
        """Return when one more mail was handed to SMTP."""
        assert self.sent.acquire(timeout=PATIENCE), "no mail was sent"


NOW = datetime(2031, 5, 6, 7, 0, tzinfo=UTC)
"""What time it is in the league: no mail of the test's comes after a deadline."""


@contextmanager
def post_room(folder: Path, box: ImapSettings) -> Iterator[PostRoom]:
    """Give a league whose inbox is that box, all its mails of the start being sent."""
    league = open_league(f"sqlite:///{folder / 'postal.db'}", plain=True, now=NOW)
    league.begin()
    league.send()
    with FaultySmtp() as smtp:
        out = SmtpSettings(host=HOST, port=smtp.port, security="plain")
        room = PostRoom(league, Watched(league, box, out), smtp)

        def count(_number: int, command: str) -> str:
            if command == ".":
                room.sent.release()
            return ""

        smtp.fault = count
        yield room
    league.database.close()
