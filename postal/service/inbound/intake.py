"""Mail in: stored before it is read, handled once, answered and put away (MAIL.md, In)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from sqlalchemy.exc import IntegrityError

from postal.mail.imap import Fetched
from postal.mail.incoming import read_head
from postal.service.inbound.queue import handle_new
from postal.service.inbound.whose import identify
from postal.service.workplace import Workplace
from postal.store.mails import known_uids, note_moved, poll_finished, store_mail, unmoved_mails
from postal.store.rows import MailRow, fold


class Inbox(Protocol):
    """The mailbox that is polled: ``postal.mail.imap.Mailbox``, or a stand-in."""

    @property
    def uidvalidity(self) -> int:
        """The folder's UIDVALIDITY."""
        ...

    def new_uids(self) -> tuple[int, ...]:
        """Return the UIDs that are there, lowest first."""
        ...

    def fetch(self, uid: int) -> Fetched | None:
        """Return a mail, None where it is gone."""
        ...

    def move(self, uids: Sequence[int], folder: str) -> None:
        """Put mails into a folder."""
        ...

    def move_on(self, size: int, sha256: str, source: str, target: str) -> None:
        """Put a mail that was moved before into another folder."""
        ...


@dataclass(frozen=True, slots=True)
class Polled:
    """What a poll came to: mails stored, and mails handled, by status."""

    stored: int
    handled: tuple[str, ...] = ()


def poll(work: Workplace, inbox: Inbox, *, on_time: bool = True) -> Polled:
    """Fetch what is new, handle it in the order of arrival, and put away what is handled.

    Each mail is stored and committed before anything of it is acted on; each is handled in a
    transaction of its own. MailboxUnavailable and PostalError (the database, a template) pass:
    the next poll goes on. Where the clock is wrong, not ``on_time``, it counts for no deadline.
    """
    stored = take_in(work, inbox, on_time=on_time)
    try:
        handled = handle_new(work)
    finally:
        put_away(work, inbox)
    return Polled(stored, handled)


def take_in(work: Workplace, inbox: Inbox, *, on_time: bool = True) -> int:
    """Store every mail of the folder that is not yet stored; return how many there were."""
    began = work.clock.now()
    uids = inbox.new_uids()
    place, validity = (work.account, work.folder), inbox.uidvalidity
    with work.database.reading() as session:
        known = known_uids(session, *place, validity, uids)
    stored = 0
    for uid in uids:
        if uid not in known:
            fetched = inbox.fetch(uid)
            if fetched is not None:
                stored += _store(work, fetched)
    if on_time:
        with work.database.transaction() as session:
            poll_finished(session, *place, uidvalidity=validity, began=began)
    return stored


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
            uids = [row.uid for row in here if row.uidvalidity == inbox.uidvalidity]
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


def _store(work: Workplace, fetched: Fetched) -> bool:
    # Of a mail that is too large its header alone: it tells whom to answer.
    raw = fetched.raw if fetched.raw is not None else fetched.head
    head = read_head(raw or b"")
    mail = MailRow(
        account=work.account,
        folder=work.folder,
        uidvalidity=fetched.uidvalidity,
        uid=fetched.uid,
        sha256=hashlib.sha256(raw).hexdigest() if raw is not None else None,
        size=fetched.size,
        internal_date=fetched.internal_date,
        received_at=work.clock.now(),
        raw=raw,
        sender_key=fold(head.senders[0]) if head.senders else "",
        place=work.folder,
    )
    try:
        with work.database.transaction() as session:
            whose = identify(session, head)
            if whose is not None:
                mail.game_id, mail.turn = whose.game.id, whose.turn
                mail.seat_id = whose.seat_id
            return store_mail(session, mail)[1]
    except IntegrityError:
        # Another process, polling at the same moment, has stored it.
        return False
