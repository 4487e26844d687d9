"""The queue of mails: each is leased, worked out while nothing is locked, and written once."""

from __future__ import annotations

import logging
from contextlib import suppress
from datetime import datetime, timedelta

from sqlmodel import Session

from postal.errors import PostalError
from postal.mail.imap import PROCESSED, QUARANTINE, REJECTED
from postal.service.blame import whereabouts
from postal.service.inbound.handling import work_out
from postal.service.inbound.late import KeptError
from postal.service.inbound.outcome import Outcome
from postal.service.loading import UnreadableGameError
from postal.service.outbound.letters import Letters
from postal.service.overtaken import OvertakenError
from postal.service.turns.aside import set_unreadable_aside
from postal.service.workplace import LEASE, Workplace
from postal.store.mails import already_handled, lease_mail, release_mail
from postal.store.problems import StoreUnavailable
from postal.store.rows import MailRow, MailStatus

LOG = logging.getLogger("postal")

TRIES = 3
"""After so many tries a mail that can't be handled is set aside (MAIL.md, In 7)."""

AGAIN = timedelta(minutes=15)
"""When the mail of a game that can't be read, or of a turn set aside, is looked at again."""

FOLDER_OF = {
    MailStatus.DONE: PROCESSED,
    MailStatus.IGNORED: REJECTED,
    MailStatus.REJECTED: REJECTED,
    MailStatus.QUARANTINED: QUARANTINE,
}
"""Where a mail goes by what became of it."""


def handle_new(work: Workplace) -> tuple[str, ...]:
    """Handle every mail that is stored and new, once each; return what became of each.

    A mistake of the world outside, such as a full disk, is raised when all the others are done.
    """
    became: list[str] = []
    failed: PostalError | None = None
    last = 0
    while (row := _next(work, last)) is not None:
        last = row.id or 0
        try:
            became.append(_handle(work, row))
        except StoreUnavailable:
            _let_go(work, last)
            raise
        except UnreadableGameError as error:
            set_unreadable_aside(work, error)
            _let_go(work, last, work.clock.now() + AGAIN)
        except KeptError:
            _let_go(work, last, work.clock.now() + AGAIN)
        except PostalError as error:
            failed = failed or error
            _let_go(work, last)
    if failed:
        raise failed
    return tuple(became)


def write_outcome(session: Session, row: MailRow, outcome: Outcome, letters: Letters) -> None:
    """Write what a mail came to; OvertakenError where it must be worked out anew."""
    outcome.write(session, row, letters)
    row.owner = row.lease_until = row.next_try_at = None
    row.target = outcome.target or FOLDER_OF[row.status]
    row.moved = row.place == row.target


def _next(work: Workplace, after: int) -> MailRow | None:
    now = work.clock.now()
    with work.database.transaction() as session:
        return lease_mail(session, owner=work.owner, now=now, until=now + LEASE, after=after)


def _handle(work: Workplace, row: MailRow) -> str:
    assert row.id is not None, "a stored mail has an id"
    if row.tries > TRIES:
        return _failed(work, row, "the program ended at it", TRIES)
    try:
        done = _work_out_and_write(work, row.id)
    except PostalError:
        raise
    except Exception as error:  # noqa: BLE001 - one bad mail never stops the batch
        LOG.error("mail in %s: %s, try %s", row.id, whereabouts(error), row.tries)  # noqa: TRY400 - a traceback may quote cards
        return _failed(work, row, type(error).__name__, row.tries)
    if done is None:
        return "gone"
    LOG.info("mail in %s: %s, %s", row.id, done.status.value, done.reason)
    return done.status.value


def _work_out_and_write(work: Workplace, mail_id: int) -> MailRow | None:
    """Return the mail's row as written; None where another process has dealt with it."""
    while True:
        with work.database.reading() as session:
            row = session.get(MailRow, mail_id)
            assert row is not None, "mails are never deleted before they are handled"
            outcome, letters = _copied(session, row) or work_out(session, work, row)
        try:
            with work.database.transaction() as session:
                mine = session.get(MailRow, mail_id, with_for_update=True)
                if mine is None or mine.status is not MailStatus.NEW or mine.owner != work.owner:
                    return None
                write_outcome(session, mine, outcome, letters or Letters(session, work))
                return mine
        except OvertakenError:
            # Somebody else's order came meanwhile: each time this happens one has been filed.
            continue


def _copied(session: Session, row: MailRow) -> tuple[Outcome, None] | None:
    """Return the outcome of a mail that came before with the same bytes, under another UID."""
    earlier = already_handled(session, row)
    if earlier is None:
        return None
    reason = f"a copy of mail {earlier.id}"
    return Outcome(earlier.status, reason, target=earlier.target), None


def _let_go(work: Workplace, mail_id: int, again: datetime | None = None) -> None:
    with suppress(PostalError), work.database.transaction() as session:
        release_mail(session, mail_id, owner=work.owner, counts=False, next_try_at=again)


def _failed(work: Workplace, row: MailRow, what: str, tries: int) -> str:
    assert row.id is not None, "a stored mail has an id"
    if tries < TRIES:
        with work.database.transaction() as session:
            release_mail(session, row.id, owner=work.owner, counts=True)
        return MailStatus.NEW.value
    where = f"was set aside in the folder {QUARANTINE}"
    sentences = (
        f"Mail {row.id} could not be handled in {tries} tries ({what}) and {where}.",
        "It did nothing. Its sender was told nothing; the log has the details.",
    )
    with work.database.reading() as session:
        letters = Letters(session, work)
        letters.notify_gm("a mail was set aside", sentences)
    with work.database.transaction() as session:
        mine = session.get(MailRow, row.id, with_for_update=True)
        if mine is None or mine.status is not MailStatus.NEW or mine.owner != work.owner:
            return "gone"
        outcome = Outcome(MailStatus.QUARANTINED, f"failed {tries} times: {what}")
        write_outcome(session, mine, outcome, letters)
    return MailStatus.QUARANTINED.value
