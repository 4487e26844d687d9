"""Mail in: stored before it is read, handled once, answered and put away (MAIL.md, In)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from postal.service.inbound.queue import handle_new
from postal.service.inbound.taking import Listing, take_in
from postal.service.workplace import Workplace
from postal.store.mails import note_moved, unmoved_mails
from postal.store.rows import MailRow


class Inbox(Listing, Protocol):
    """The mailbox that is polled: ``postal.mail.imap.Mailbox``, or a stand-in."""

    def move(self, uids: Sequence[int], folder: str) -> None:
        """Put mails into a folder."""
        ...

    def move_on(self, size: int, sha256: str, source: str, target: str) -> None:
        """Put a mail that was moved before into another folder."""
        ...


@dataclass(frozen=True, slots=True)
class Polled:
    """What a poll came to: mails stored, and mails handled, by status.

    ``trouble`` says why it is not whole (RULES.md 10.5), empty where it is.
    """

    stored: int
    handled: tuple[str, ...] = ()
    trouble: str = ""


def poll(work: Workplace, inbox: Inbox, *, on_time: bool = True) -> Polled:
    """Fetch what is new, handle it in the order of arrival, and put away what is handled.

    Each mail is stored and committed before anything of it is acted on; each is handled in a
    transaction of its own. MailboxUnavailable and PostalError (the database, a template) pass:
    the next poll goes on. Where the clock is wrong, not ``on_time``, it counts for no deadline.
    """
    taken = take_in(work, inbox, on_time=on_time)
    try:
        handled = handle_new(work)
    finally:
        put_away(work, inbox)
    return Polled(taken.stored, handled, taken.trouble)


def put_away(work: Workplace, inbox: Inbox) -> None:
    """Move every handled mail of the folder to where it belongs (MAIL.md, In 9).

    One that the GM had handled again is moved on from where it lies.
    """
    with work.database.reading() as session:
        rows: Sequence[MailRow] = unmoved_mails(session, work.account, work.folder)
    together: dict[str, list[MailRow]] = {}
    for row in rows:
        together.setdefault(row.target, []).append(row)
    done: dict[str, list[MailRow]] = {}
    try:
        for target, mails in together.items():
            here = [row for row in mails if row.place == work.folder]
            uids = [row.uid for row in here if row.uidvalidity == inbox.uidvalidity and row.uid > 0]
            if uids:
                inbox.move(uids, target)
            done[target] = here
            for row in mails:
                if row.place != work.folder:
                    if row.sha256 is not None:
                        inbox.move_on(row.size, row.sha256, row.place, target)
                    done[target].append(row)
    finally:
        _note_moved(work, done)


def _note_moved(work: Workplace, moved: Mapping[str, Sequence[MailRow]]) -> None:
    """Note at once where mails lie now; one that isn't noted is moved again, which does nothing."""
    if any(moved.values()):
        with work.database.transaction() as session:
            for target, rows in moved.items():
                note_moved(session, [row.id or 0 for row in rows], target)
