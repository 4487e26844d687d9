"""A mailbox at one of whose mails the server fails each time: three tries, then it is set aside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from postal.mail.connection import MailServerUnavailable
from postal.mail.imap import QUARANTINE, Fetched
from postal.service.inbound.intake import Inbox
from postal.service.inbound.queue import TRIES
from postal.service.outbound.letters import Letters
from postal.service.workplace import Workplace
from postal.store.mails import store_mail
from postal.store.rows import MailRow, MailStatus

Failures = Counter[tuple[int, int]]
"""How often in a row fetching a mail ended the connection, by UIDVALIDITY and UID."""


class PatientInbox:
    """Passes everything on, but for the mails that were tried in vain (MAIL.md, In 7).

    Such a mail is noted in the database as one that goes to Quarantine, and the GM is told, once;
    without that it would hold up every mail behind it for ever.
    """

    def __init__(self, work: Workplace, inbox: Inbox, failures: Failures) -> None:
        """Take the mailbox, and the failures so far, which outlast the connection."""
        self._work, self._inbox, self._failures = work, inbox, failures

    @property
    def uidvalidity(self) -> int:
        """The folder's UIDVALIDITY."""
        return self._inbox.uidvalidity

    def new_uids(self) -> tuple[int, ...]:
        """Return the UIDs that are there, lowest first."""
        return self._inbox.new_uids()

    def fetch(self, uid: int) -> Fetched | None:
        """Return a mail; None where it is gone or was tried in vain."""
        key = (self.uidvalidity, uid)
        if self._failures[key] >= TRIES:
            self._set_aside(uid)
            del self._failures[key]
            return None
        try:
            fetched = self._inbox.fetch(uid)
        except MailServerUnavailable:
            self._failures[key] += 1
            raise
        self._failures.pop(key, None)
        return fetched

    def move(self, uids: Sequence[int], folder: str) -> None:
        """Put mails into a folder."""
        self._inbox.move(uids, folder)

    def move_on(self, size: int, sha256: str, source: str, target: str) -> None:
        """Put a mail that was moved before into another folder."""
        self._inbox.move_on(size, sha256, source, target)

    def _set_aside(self, uid: int) -> None:
        now = self._work.clock.now()
        mail = MailRow(
            account=self._work.account,
            folder=self._work.folder,
            uidvalidity=self.uidvalidity,
            uid=uid,
            internal_date=now,
            received_at=now,
            status=MailStatus.QUARANTINED,
            place=self._work.folder,
            target=QUARANTINE,
            reason=f"the mail server failed at it {TRIES} times",
        )
        what = f"failed {TRIES} times at handing out mail {uid} of the folder {self._work.folder}"
        sentences = (
            f"The mail server {what}, so it was not read and did nothing.",
            f"It goes to the folder {QUARANTINE}: look at it with a mail program.",
        )
        with self._work.database.reading() as session:
            letters = Letters(session, self._work)
            letters.notify_gm("a mail can't be fetched", sentences)
        with self._work.database.transaction() as session:
            if store_mail(session, mail)[1]:
                letters.queue(session)
