"""A round of the post room: poll, adjudicate, remind, send; whatever is down is tried again."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Protocol, Self

from postal.errors import PostalError
from postal.mail.connection import (
    MailboxUnavailable,
    MailServerUnavailable,
    SubmissionUnavailable,
)
from postal.service.blame import whereabouts
from postal.service.desk.holding import resume_due
from postal.service.inbound.clockcheck import ClockCheck, Timekeeper
from postal.service.inbound.intake import Inbox, Polled, poll
from postal.service.inbound.queue import handle_new
from postal.service.inbound.robotseats import play_robots
from postal.service.lease import MailboxLease
from postal.service.outbound.delivery import Delivered, Sending, recover, send_outbox
from postal.service.outbound.templates import TemplateReview
from postal.service.outbound.troubles import end_trouble, note_trouble
from postal.service.turns.adjudication import Adjudicated, adjudicate_due, recover_claims
from postal.service.turns.holidays import follow_holidays
from postal.service.turns.reached import reckon_all
from postal.service.turns.reminders import remind_due
from postal.service.turns.standbys import ask_standbys
from postal.service.turns.zonerules import follow_zones
from postal.service.workplace import Workplace
from postal.store.mails import free_mails
from postal.store.problems import DatabaseMoved, ServerUnreachable
from postal.store.rows import TroubleKind

LOG = logging.getLogger("postal")

TELL_MAILBOX_AFTER = timedelta(hours=1)
"""How long the mailbox is unwell before the GM is told."""

LONGEST_PAUSE = timedelta(minutes=15)
"""The longest wait before a mailbox that was down is tried again."""

MOST_SENTENCES = 5
"""How many different reasons of one failure are told: some servers put a new number into each."""

_DATABASE = "database"
"""The part that is told of where the database server is away."""

WATCH_SECONDS = 9 * 60.0
"""How long one wait for mail lasts before it is begun anew."""


class Connection(Inbox, Timekeeper, Protocol):
    """A mailbox that is opened on entering and closed at the end."""

    def __enter__(self) -> Self:
        """Connect and log in."""
        ...

    def ensure_folders(self) -> None:
        """Create the folders that are missing."""
        ...

    def can_idle(self) -> bool:
        """Return whether the server tells of new mail by itself."""
        ...

    def idle(self, seconds: float, stop: Callable[[], bool]) -> bool:
        """Wait for new mail until then or until ``stop()``; return whether some came."""
        ...

    def close(self) -> None:
        """Log out."""
        ...

    def interrupt(self) -> None:
        """End at once what is waited for; called by a signal."""
        ...


class Submission(Sending, Protocol):
    """What sends mail, over a connection that lasts."""

    def close(self) -> None:
        """End the connection."""
        ...


class Rounds:
    """Makes rounds with one connection that lasts; after any failure it is thrown away.

    A failure is told in the log once, however long it lasts, and so is its end. With a ``lease``
    the mailbox is polled only while this process has it; the mails that another one stored are
    handled all the same. Once it has become this process's, that it is polled goes before the rest.
    """

    def __init__(
        self,
        work: Workplace,
        connect: Callable[[], Connection],
        sender: Submission,
        lease: MailboxLease | None = None,
        tidy: Callable[[], object] | None = None,
    ) -> None:
        """Take the workplace, what makes a connection to the mailbox, and what sends mail.

        ``tidy`` lets go of what is no longer kept, once a day; where it has nothing to do, None.
        """
        self._work, self._connect, self._sender = work, connect, sender
        self._lease = lease
        self._tidy = tidy
        self._clock = ClockCheck(work)
        self._review = TemplateReview(work)
        self._inbox: Connection | None = None
        self._opening: Connection | None = None
        self._leaving = False
        self._told: dict[str, list[str]] = {}
        self._unwell: bool | None = None
        self._half_done: set[str] = set()
        self._lost = False
        self._pause = timedelta(0)
        self._again: float | None = None

    def begin(self, *, alone: bool = True) -> None:
        """Take up what a program that was killed left half done, and look at the zones' rules.

        ``alone``: no other daemon works on this database, so every lease is one left over.
        """
        if alone:
            recover(self._work)
            recover_claims(self._work)
            with self._work.database.transaction() as session:
                free_mails(session)
        self._try("zones", lambda: follow_zones(self._work))

    def round(self) -> None:
        """Poll, adjudicate, remind, send, tidy up; one part that fails holds up no other."""
        self._try("mailbox", self._poll)
        self._try("adjudication", self._adjudicate)
        self._try("reminders", self._remind)
        self._try("sending", self._send)
        self._try("templates", self._review)
        if self._tidy is not None:
            self._try("keeping", self._tidy)

    def poll(self) -> Polled | None:
        """Poll the mailbox, connecting where there is no connection; None in a pause."""
        if self._lease is not None and not self._lease.held:
            self._drop()
            return Polled(0, handle_new(self._work))
        now = self._work.clock.steady()
        if self._leaving or (self._again is not None and now < self._again):
            return None
        try:
            if self._inbox is None:
                inbox = self._opening = self._connect()
                inbox.__enter__()
                inbox.ensure_folders()
                self._inbox, self._unwell = inbox, None
            self._clock.look(self._inbox)
            polled = poll(self._work, self._inbox, on_time=not self._clock.wrong)
        except MailServerUnavailable as error:
            self._drop()
            self._note_mailbox(str(error))
            step = max(self._pause * 2, timedelta(seconds=30))
            self._pause = min(step, LONGEST_PAUSE)
            self._again = now + self._pause.total_seconds()
            raise
        except PostalError:
            raise
        except Exception:
            self._drop()
            raise
        self._pause, self._again = timedelta(0), None
        self._note_mailbox(polled.trouble)
        return polled

    def _poll(self) -> Polled | None:
        """Poll; a poll that is not whole is told as one that failed."""
        polled = self.poll()
        if polled and polled.trouble:
            raise MailboxUnavailable(polled.trouble)
        return polled

    def _note_mailbox(self, trouble: str) -> None:
        """Have the GM told, once it has lasted, that the mailbox can't be read, and of the end.

        Where all has been well since the connection was made, nothing is asked of the database.
        """
        if self._leaving:
            return
        if trouble:
            self._unwell = True
            advice = (
                "Until it is read no turn is adjudicated at its deadline; completed ones go on.",
                "What lies in the mailbox counts by the time it came.",
            )
            note_trouble(
                self._work, TroubleKind.MAILBOX, trouble, advice=advice, after=TELL_MAILBOX_AFTER
            )
        elif self._unwell is not False:
            end_trouble(self._work, TroubleKind.MAILBOX, "", "The mailbox is read again.")
            self._unwell = False

    def watch(self, stop: Callable[[], bool]) -> bool:
        """Wait on the connection until mail comes, which is True, or until ``stop()``.

        Where there is no connection or none that can wait: False at once. One that is lost
        meanwhile calls for a round too, which connects anew, since mail may have come with
        its last words; but not twice without a good wait between.
        """
        inbox = self._inbox
        if inbox is None or stop():
            return False
        try:
            while inbox.can_idle() and not stop():
                came = inbox.idle(WATCH_SECONDS, stop)
                self._lost = False
                self._tell_end("waiting for mail")
                if came:
                    return True
        except MailServerUnavailable as error:
            self._drop()
            self._tell("waiting for mail", str(error))
            self._lost, again = True, self._lost
            return not again
        except Exception as error:  # noqa: BLE001 - rounds without a wait are better than none
            self._drop()
            self._tell("waiting for mail", f"an error of postal's own: {whereabouts(error)}")
        return False

    def leave(self) -> None:
        """End what the mailbox is waited for, which may take minutes; called by a signal.

        What the round in hand does beside that is ended first.
        """
        self._leaving = True
        if self._opening is not None:
            self._opening.interrupt()

    def close(self) -> None:
        """Close the connections, whatever state they are in, and give back what is half done."""
        self._drop()
        self._sender.close()
        with suppress(PostalError):
            self._give_back()

    def _give_back(self) -> None:
        """Leave to others at once what this process took and was interrupted at."""
        work = self._work
        recover(work, alone=False)
        recover_claims(work, alone=False)
        with work.database.transaction() as session:
            free_mails(session, work.owner)

    def _has_to_poll(self) -> bool:
        """Whether the mailbox has become this process's and waits for its first poll."""
        if self._lease is None or not self._lease.held or self._inbox is not None:
            return False
        return self._again is None or self._again <= self._work.clock.steady()

    def _drop(self) -> None:
        inbox, self._inbox = self._inbox, None
        if inbox is not None:
            inbox.close()

    def _adjudicate(self) -> tuple[Adjudicated, ...] | None:
        """Adjudicate what is due; what was lost with the database the time before is due again.

        Nothing is while the clock is wrong: deadlines come too early by it, or are set too early.
        """
        if self._clock.wrong:
            return None
        resume_due(self._work)
        follow_holidays(self._work)
        play_robots(self._work)
        if "turns" in self._half_done:
            recover_claims(self._work, alone=False)
        self._half_done.add("turns")
        done = adjudicate_due(self._work, self._has_to_poll)
        self._half_done.discard("turns")
        if done:
            # The next turn's deadline may lie in a holiday: one letter after the report says so.
            follow_holidays(self._work)
        ask_standbys(self._work)
        return done

    def _remind(self) -> int | None:
        """Remind of turns; None where there was nothing to, which shows no end of a failure."""
        return remind_due(self._work, self._has_to_poll) or None

    def send(self) -> Delivered:
        """Send what is due in the outbox, and make good the time that reports were held up.

        Where it failed the time before, a mail's end may not have been noted: on a full disk, say.
        """
        if "letters" in self._half_done:
            recover(self._work, alone=False)
        self._half_done.add("letters")
        done = send_outbox(self._work, self._sender, self._has_to_poll)
        self._half_done.discard("letters")
        if done != Delivered():
            reckon_all(self._work)
        return done

    def _send(self) -> Delivered | None:
        """Send; None where nothing went, which doesn't show that the server works again."""
        done = self.send()
        if done.trouble:
            raise SubmissionUnavailable(done.trouble)
        return done if done.sent else None

    def _try(self, part: str, work: Callable[[], object]) -> None:
        try:
            result = work()
        except DatabaseMoved:
            # Nothing can be kept any more: the daemon ends.
            raise
        except ServerUnreachable as error:
            # It ails every part alike, and says something else at each step of its restart.
            if _DATABASE not in self._told:
                self._tell(_DATABASE, str(error))
            return
        except (MailServerUnavailable, PostalError) as error:
            self._tell(part, str(error))
            return
        except Exception as error:  # noqa: BLE001 - a bug in one part holds up no other
            self._tell(part, f"an error of postal's own: {whereabouts(error)}")
            return
        if result is not None:
            self._tell_end(_DATABASE)
            self._tell_end(part)

    def _tell_end(self, part: str) -> None:
        if self._told.pop(part, None):
            LOG.info("%s: working again", part)

    def _tell(self, part: str, sentence: str) -> None:
        if self._leaving:
            return
        told = self._told.setdefault(part, [])
        if sentence not in told and len(told) < MOST_SENTENCES:
            LOG.warning("%s: %s", part, sentence)
            told.append(sentence)
