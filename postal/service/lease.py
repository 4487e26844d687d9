"""The mailbox lease: of several daemons on one database one polls, another takes over."""

from __future__ import annotations

import logging
from contextlib import suppress
from datetime import timedelta

from postal.errors import PostalError
from postal.service.blame import whereabouts
from postal.service.workplace import Workplace
from postal.store.mails import hold_mailbox, leave_mailbox

LOG = logging.getLogger("postal")

MAILBOX_LEASE = timedelta(seconds=40)
"""How long the mailbox is a daemon's without a word of it; then another takes it."""

BEAT_SECONDS = 10
"""How often the lease is renewed, or tried for: within a minute of a daemon's end one has it."""


class MailboxLease:
    """Keeps the mailbox for this process, or waits for it to become free.

    ``beat`` may be called from another thread than the one that asks ``held``.
    """

    def __init__(self, work: Workplace) -> None:
        """Take the workplace, whose owner the lease is to name."""
        self._work = work
        self._held = False

    @property
    def held(self) -> bool:
        """Whether this process has the mailbox, as of the last beat."""
        return self._held

    def beat(self) -> bool:
        """Renew the lease or try for it; return whether the mailbox has just become ours.

        A database that can't be reached is no lease: another process may reach it.
        """
        had = self._held
        try:
            self._held = self._hold()
        except PostalError:
            self._held = False
        except Exception as error:  # noqa: BLE001 - a bug here must not leave a stale lease
            LOG.error("mailbox: an error of postal's own: %s", whereabouts(error))  # noqa: TRY400 - as elsewhere, no traceback
            self._held = False
        if self._held != had:
            LOG.info(
                "mailbox: %s", "this daemon has it" if self._held else "left to another daemon"
            )
        return self._held and not had

    def _hold(self) -> bool:
        work, now = self._work, self._work.clock.now()
        with work.database.transaction() as session:
            return hold_mailbox(
                session,
                work.account,
                work.folder,
                owner=work.owner,
                now=now,
                until=now + MAILBOX_LEASE,
            )

    def leave(self) -> None:
        """Give the mailbox back at the end, so that nobody has to wait for it."""
        if self._held:
            self._held = False
            work = self._work
            # Where the database is away it becomes free by itself.
            with suppress(PostalError), work.database.transaction() as session:
                leave_mailbox(session, work.account, work.folder, owner=work.owner)
