"""Asks the mail server for the time where the clock may be wrong, before anybody is NMR by it."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Protocol

from postal.clock import ClockWatch
from postal.mail.connection import MailServerUnavailable
from postal.reports import time_left
from postal.service.outbound.troubles import end_trouble, note_trouble
from postal.service.workplace import Workplace
from postal.store.mails import forget_whole_poll, whole_poll_began_at
from postal.store.rows import TroubleKind
from postal.store.troubles import open_trouble

LOG = logging.getLogger("postal")

JUMP = timedelta(minutes=5)
"""By so much between two polls a clock doesn't go wrong by itself."""

IDLE = timedelta(hours=2)
"""So long after the last poll a program that starts doesn't take the clock's word for it."""

APART = timedelta(hours=1)
"""Where the clock and the server's are as far apart, no turn is adjudicated."""

_TRIES = 2
"""How often a server may break at the question before it counts as one that can't say."""


class Timekeeper(Protocol):
    """A mailbox whose server knows the time."""

    def server_time(self) -> datetime | None:
        """Return the server's time, None where it can't be told."""
        ...

    def newest_arrival(self) -> datetime | None:
        """Return when the last mail came that lies in the folder, None where there is none."""
        ...


class ClockCheck:
    """Knows whether the clock can be believed; where it jumped, the mail server is asked.

    A machine that slept has jumped too: the server then agrees, and all goes on at once.
    """

    def __init__(self, work: Workplace) -> None:
        """Take the workplace, whose clock it is."""
        self._work = work
        self._watch = ClockWatch(work.clock)
        self._doubt: bool | None = None
        self._tries = 0
        self.wrong = False

    def look(self, mailbox: Timekeeper) -> None:
        """Ask the server where there is a doubt; MailServerUnavailable where that fails.

        While the clock is wrong it is asked at each call.
        """
        if abs(self._watch.jump()) >= JUMP:
            self._doubt = True
        if self._doubt is None:
            self._doubt = self._doubtful_start()
        if not self._doubt:
            return
        try:
            there = mailbox.server_time() or self._evidence(mailbox)
        except MailServerUnavailable:
            self._tries += 1
            if self._tries < _TRIES:
                raise
            there = None
        self._tries = 0
        self._judge(there)

    def _doubtful_start(self) -> bool:
        work, now = self._work, self._work.clock.now()
        with work.database.reading() as session:
            began = whole_poll_began_at(session, work.account, work.folder)
            told = open_trouble(session, TroubleKind.CLOCK, "") is not None
        return told or (began is not None and not began <= now < began + IDLE)

    def _evidence(self, mailbox: Timekeeper) -> datetime | None:
        """Return what the last mail tells of the time; an old one tells nothing."""
        newest = mailbox.newest_arrival()
        now = self._work.clock.now()
        return newest if newest is not None and newest > now - APART else None

    def _judge(self, there: datetime | None) -> None:
        now = self._work.clock.now()
        if there is None:
            LOG.warning(
                "clock: it was set or stood still, and the mail server doesn't tell the time"
            )
        elif abs(now - there) >= APART:
            self._doubt = self.wrong = True
            self._note(now - there)
            return
        self._doubt = self.wrong = False
        end_trouble(self._work, TroubleKind.CLOCK, words="Turns are adjudicated again.")
        if there is not None:
            self._forget_the_future(now)

    def _note(self, ahead: timedelta) -> None:
        way = "ahead of" if ahead > timedelta(0) else "behind"
        note_trouble(
            self._work,
            TroubleKind.CLOCK,
            f"The clock of this computer is {time_left(abs(ahead))} {way} the mail server's:"
            " no turn is adjudicated until they agree.",
            advice=(
                "Set the clock, best by NTP; nothing has to be started anew.",
                "Mail is read and answered meanwhile, and nobody counts as absent.",
                "`postal adjudicate GAME` still forces a turn.",
            ),
        )

    def _forget_the_future(self, now: datetime) -> None:
        """Let no poll count that began, by a clock that was ahead, after a deadline to come."""
        work = self._work
        with work.database.transaction() as session:
            forget_whole_poll(session, work.account, work.folder, after=now)
