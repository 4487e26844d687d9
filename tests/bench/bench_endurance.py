"""Measure whether a daemon's memory and descriptors stay as they are over thousands of polls.

Run it from the repository with ``python tests/bench/bench_endurance.py``. It polls 3,000 times and
loses its connection to the mailbox in every fourth, and now and then that to the submission
server; a mail in ten polls is answered. The servers are in a process of their own. Of the resident
memory the medians of the second and of the last fifth of the polls are compared. The exit status is
1 where it has grown by more than two megabytes, where descriptors are left open, or where a mail is
not answered once.
"""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from postal.config import Keep
from postal.mail import idling
from postal.mail.imap import ImapSettings, Mailbox
from postal.mail.smtp import Sender, SmtpSettings
from postal.service.desk.keeping import let_go_daily
from postal.service.ticks import Rounds
from tests.bench.say import say
from tests.faults.faults_breaker import DROP, IMAP, LOST, SMTP, Breaker, SharedClock
from tests.faults.faults_imap import ImapServer
from tests.faults.faults_servers import HOST
from tests.faults.faults_smtp import SmtpServer
from tests.service.service_league import GM_BOX, League, open_league

LIMIT_MEGABYTES = 2.0
MAIL_EVERY = 10
"""In so many polls a mail comes."""

CAPABILITIES = "IMAP4rev1 IDLE MOVE UIDPLUS NAMESPACE"
EVERY = {IMAP: 4, SMTP: 30}
"""In so many polls the connection to the server is lost."""

WAYS = {
    IMAP: (
        ("UID SEARCH", DROP),
        ("IDLE", DROP),
        ("SELECT", "bye"),
        ("UID SEARCH", "garbage"),
        ("DONE", LOST),
    ),
    SMTP: (("NOOP", "421"), ("DATA", DROP), (".", LOST)),
}
"""How it is lost, one way after the other."""


@dataclass
class Losing(Breaker):
    """Loses connections every so many polls."""

    polls: int = 0
    lost: Counter[str] = field(default_factory=Counter)
    waiting: set[str] = field(default_factory=set)

    def meet(self, place: str, name: str, about: str = "") -> str:
        """Say how the step goes wrong; nothing is noted, since there are too many."""
        del about
        with self._lock:
            if (place, name) == (IMAP, "UID SEARCH"):
                self.polls += 1
                self.waiting |= {one for one, every in EVERY.items() if self.polls % every == 0}
            ways = WAYS[place]
            step, how = ways[self.lost[place] % len(ways)]
            if place not in self.waiting or step != name:
                return ""
            self.waiting.remove(place)
            self.lost[place] += 1
            return how


@dataclass
class Used:
    """What the process used, each as often as it was looked at."""

    megabytes: list[float] = field(default_factory=list)
    descriptors: list[int] = field(default_factory=list)

    def look(self) -> None:
        """Look at it now."""
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        self.megabytes.append(pages * os.sysconf("SC_PAGE_SIZE") / 1024**2)
        self.descriptors.append(len(list(Path("/proc/self/fd").iterdir())))

    def fifth(self, which: int) -> float:
        """Return the median of the memory in one fifth of the time, counted from 0."""
        size = len(self.megabytes) // 5
        return median(self.megabytes[which * size : (which + 1) * size])


@dataclass
class Counted:
    """Makes connections to the mailbox and counts them."""

    settings: ImapSettings
    count: int = 0

    def connect(self) -> Mailbox:
        """Return one more."""
        self.count += 1
        return Mailbox(self.settings)


def serve(league: League, clock: SharedClock, polls: int) -> tuple[int, int, int]:
    """Fork the servers, with mail on its way; return their process and their ports."""
    breaker = Losing(clock)
    imap, smtp = ImapServer(breaker, CAPABILITIES), SmtpServer(breaker, lambda _to, _raw: None)
    for number in range(polls // MAIL_EVERY):
        player = league.players[number % len(league.players)]
        at = clock.now() + timedelta(minutes=number * MAIL_EVERY)
        imap.coming.append((at, league.mail(player, "status\n")))
    process = os.fork()
    if not process:
        imap.serve()
        smtp.serve()
        threading.Event().wait()
    return process, imap.port, smtp.port


def endure(folder: Path, polls: int) -> tuple[Used, int, int]:
    """Make all the rounds; return what they used, the connections, and the answers that went."""
    league = open_league(f"sqlite:///{folder / 'postal.db'}")
    league.begin()
    league.send()
    clock = SharedClock(league.clock.now())
    process, imap_port, smtp_port = serve(league, clock, polls)
    work = replace(league.work, clock=clock)
    box = ImapSettings(host=HOST, port=imap_port, user=GM_BOX, password="x", security="plain")
    counted = Counted(box)
    sender = Sender(SmtpSettings(host=HOST, port=smtp_port, security="plain"))
    tidy = partial(let_go_daily, work, Keep(), folder)
    rounds = Rounds(work, counted.connect, sender, None, tidy)
    used = Used()
    try:
        rounds.begin()
        for number in range(polls):
            rounds.round()
            rounds.watch(_after_three())
            clock.advance(timedelta(minutes=1))
            if number % 10 == 0:
                used.look()
        clock.advance(timedelta(hours=1))
        rounds.round()
        rounds.close()
        answers = [row for row in league.outbox(None, "status") if row.state.value == "sent"]
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        league.database.close()
    return used, counted.count, len(answers)


def _after_three() -> Callable[[], bool]:
    """Return what is false twice and then true."""
    left = iter((False, False))
    return lambda: next(left, True)


def main() -> int:
    """Run the bench."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--polls", type=int, default=3000, help="how many")
    polls = parser.parse_known_args()[0].polls
    logging.getLogger("postal").setLevel(logging.CRITICAL)
    idling.SLICE_SECONDS = 0.001
    with tempfile.TemporaryDirectory() as name:
        used, connections, answers = endure(Path(name), polls)
    early, late = used.fifth(1), used.fifth(4)
    first, last = min(used.descriptors), used.descriptors[-1]
    say(f"endurance: {polls} polls, {connections} connections to the mailbox, {answers} answers")
    say(
        f"memory {early:.1f} MB in the second fifth, {late:.1f} MB in the last, at most"
        f" {max(used.megabytes):.1f} MB; descriptors {first} to {max(used.descriptors)}, {last} at"
        " the end"
    )
    good = late - early < LIMIT_MEGABYTES and max(used.descriptors) - first <= 4
    return 0 if good and answers == polls // MAIL_EVERY else 1


if __name__ == "__main__":
    sys.exit(main())
