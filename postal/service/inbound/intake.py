"""Mail in: stored before it is read, handled once, answered and put away (MAIL.md, In)."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from sqlalchemy.exc import IntegrityError

from postal.errors import PostalError
from postal.mail.imap import PROCESSED, QUARANTINE, REJECTED, Fetched
from postal.mail.incoming import read
from postal.service.answers import answer_mail
from postal.service.blame import whereabouts
from postal.service.post import notify_gm
from postal.service.work import Workplace
from postal.store.mails import (
    already_handled,
    known_uids,
    mails_astray,
    new_mail_ids,
    poll_began,
    poll_finished,
    store_mail,
    unmoved_mails,
)
from postal.store.problems import StoreUnavailable
from postal.store.rows import MailRow, MailStatus

LOG = logging.getLogger("postal")

TRIES = 3
"""After so many tries a mail that can't be handled is set aside (MAIL.md, In 7)."""

FOLDER_OF = {
    MailStatus.DONE: PROCESSED,
    MailStatus.IGNORED: REJECTED,
    MailStatus.REJECTED: REJECTED,
    MailStatus.QUARANTINED: QUARANTINE,
}


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

    def move(self, uid: int, folder: str) -> None:
        """Put a mail into a folder."""
        ...

    def move_on(self, size: int, sha256: str, source: str, target: str) -> None:
        """Put a mail that was moved before into another folder."""
        ...


@dataclass(frozen=True, slots=True)
class Polled:
    """What a poll came to: mails stored, and mails handled, by status."""

    stored: int
    handled: tuple[str, ...] = ()


def poll(work: Workplace, inbox: Inbox) -> Polled:
    """Fetch what is new, handle it in the order of arrival, and put away what is handled.

    Each mail is stored and committed before anything of it is read; each is handled in a
    transaction of its own. MailboxUnavailable and PostalError (the database, a template) pass:
    the next poll goes on.
    """
    began = work.clock.now()
    uids = inbox.new_uids()
    place = (work.account, work.folder)
    with suppress(IntegrityError), work.database.transaction() as session:
        # The folder's row may be new, and another process may be making it at this moment.
        poll_began(session, *place, uidvalidity=inbox.uidvalidity, now=began)
    with work.database.reading() as session:
        known = known_uids(session, *place, inbox.uidvalidity)
    stored = 0
    for uid in uids:
        if uid not in known:
            fetched = inbox.fetch(uid)
            if fetched is not None:
                stored += _store(work, fetched)
    with work.database.transaction() as session:
        poll_finished(session, *place, began=began, now=work.clock.now())
    try:
        handled = handle_new(work)
    finally:
        put_away(work, inbox)
    return Polled(stored, handled)


def handle_new(work: Workplace) -> tuple[str, ...]:
    """Handle every mail that is stored and new, once each; return what became of each.

    Behind one that must be tried again its sender's later mails wait, so that an older order
    never takes the place of a newer. A template's mistake is raised when all the others are done.
    """
    with work.database.reading() as session:
        waiting = new_mail_ids(session)
    became: list[str] = []
    held: set[str] = set()
    failed: PostalError | None = None
    for mail_id in waiting:
        if held and held & _senders(work, mail_id):
            continue
        try:
            became.append(_handle(work, mail_id))
        except StoreUnavailable:
            raise
        except PostalError as error:
            failed = failed or error
            held |= _senders(work, mail_id)
            continue
        if became[-1] == MailStatus.NEW:
            held |= _senders(work, mail_id)
    if failed:
        raise failed
    return tuple(became)


def put_away(work: Workplace, inbox: Inbox) -> None:
    """Move every handled mail of the folder to where it belongs (MAIL.md, In 9)."""
    with work.database.reading() as session:
        rows: Sequence[MailRow] = unmoved_mails(session, work.account, work.folder)
    done: list[MailRow] = []
    try:
        for row in rows:
            if row.uidvalidity == inbox.uidvalidity:
                inbox.move(row.uid, row.target)
            done.append(row)
    finally:
        _note_moved(work, done)
    _follow(work, inbox)


def _note_moved(work: Workplace, rows: Sequence[MailRow]) -> None:
    """Note at once where mails lie now; one that isn't noted is moved again, which does nothing."""
    if not rows:
        return
    with work.database.transaction() as session:
        for row in rows:
            moved = session.get(MailRow, row.id)
            if moved is not None:
                # Where it lies, though the GM may have released it meanwhile.
                moved.moved, moved.target = True, row.target


def _follow(work: Workplace, inbox: Inbox) -> None:
    """Move on each mail of which something else became after it was put away (`postal inbox`)."""
    with work.database.reading() as session:
        rows = mails_astray(session, work.account, work.folder, FOLDER_OF)
    for row in rows:
        target = FOLDER_OF[row.status]
        if row.sha256 is not None:
            inbox.move_on(row.size, row.sha256, row.target, target)
        with work.database.transaction() as session:
            moved = session.get(MailRow, row.id)
            if moved is not None:
                moved.target = target


def _store(work: Workplace, fetched: Fetched) -> bool:
    # Of a mail that is too large its header alone: it tells whom to answer.
    raw = fetched.raw if fetched.raw is not None else fetched.head
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
    )
    try:
        with work.database.transaction() as session:
            return store_mail(session, mail)[1]
    except IntegrityError:
        # Another process, polling at the same moment, has stored it.
        return False


def _senders(work: Workplace, mail_id: int) -> set[str]:
    with work.database.reading() as session:
        row = session.get(MailRow, mail_id)
    return set(read(row.raw or b"").senders) if row else set()


def _handle(work: Workplace, mail_id: int) -> str:
    with work.database.transaction() as session:
        counted = session.get(MailRow, mail_id, with_for_update=True)
        if counted is None or counted.status != MailStatus.NEW:
            return "gone"
        counted.tries += 1
        tries = counted.tries
    if tries > TRIES:
        return _failed(work, mail_id, "the program ended at it", TRIES)
    try:
        with work.database.transaction() as session:
            row = session.get(MailRow, mail_id, with_for_update=True)
            if row is None or row.status != MailStatus.NEW:
                return "gone"
            earlier = already_handled(session, row)
            if earlier is not None:
                row.status, row.reason = earlier.status, f"the same mail as {earlier.id}"
                row.target = earlier.target
            else:
                answer_mail(session, work, row)
            row.target = row.target or FOLDER_OF[row.status]
            if row.target == work.folder:
                row.moved = True
    except PostalError:
        # The database or a template is at fault, not the mail: it waits, and counts no try.
        _uncount(work, mail_id)
        raise
    except Exception as error:  # noqa: BLE001 - one bad mail never stops the batch
        LOG.error("mail in %s: %s, try %s", mail_id, whereabouts(error), tries)  # noqa: TRY400 - a traceback may quote cards
        return _failed(work, mail_id, type(error).__name__, tries)
    LOG.info("mail in %s: %s, %s", mail_id, row.status.value, row.reason)
    return row.status.value


def _uncount(work: Workplace, mail_id: int) -> None:
    with suppress(PostalError), work.database.transaction() as session:
        row = session.get(MailRow, mail_id)
        if row is not None:
            row.tries -= 1


def _failed(work: Workplace, mail_id: int, what: str, tries: int) -> str:
    if tries < TRIES:
        return MailStatus.NEW.value
    with work.database.transaction() as session:
        row = session.get(MailRow, mail_id)
        assert row is not None, "mails are never deleted"
        row.status, row.target = MailStatus.QUARANTINED, QUARANTINE
        row.reason = f"failed {tries} times: {what}"
        where = f"was set aside in the folder {QUARANTINE}"
        sentences = (
            f"Mail {mail_id} could not be handled in {tries} tries ({what}) and {where}.",
            "It did nothing. Its sender was told nothing; the log has the details.",
        )
        notify_gm(session, work, "a mail was set aside", sentences)
    return MailStatus.QUARANTINED.value
