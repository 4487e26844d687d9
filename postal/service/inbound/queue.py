"""The queue of mails: each is leased, worked out while nothing is locked, and written once."""

from __future__ import annotations

import logging
from contextlib import suppress
from datetime import datetime, timedelta

from sqlmodel import Session

from postal.errors import PostalError
from postal.mail.imap import PROCESSED, QUARANTINE, REJECTED
from postal.mail.incoming import read
from postal.service.blame import whereabouts
from postal.service.inbound.handling import work_out
from postal.service.inbound.late import AtWorkError, KeptError
from postal.service.inbound.outcome import Outcome
from postal.service.inbound.taking import pause_after
from postal.service.inbound.telling import game_of, tell_failing, tell_over, unread_hours
from postal.service.inbound.whose import named_in
from postal.service.loading import UnreadableGameError
from postal.service.outbound.letters import Letters
from postal.service.overtaken import OvertakenError
from postal.service.turns.aside import set_unreadable_aside
from postal.service.workplace import LEASE, Workplace
from postal.store.mails import (
    PATIENT_TRIES,
    already_handled,
    lease_mail,
    leased_mail,
    release_mail,
)
from postal.store.problems import StoreUnavailable
from postal.store.rows import MailRow, MailStatus
from postal.store.unread import single_failing

LOG = logging.getLogger("postal")

ENDED = "the program ended at it"
"""What a mail failed at of whose tries nothing was noted."""

AGAIN = timedelta(minutes=15)
"""When the mail of a game that can't be read, or of a turn set aside, is looked at again."""

SOON = timedelta(minutes=1)
"""When a mail is looked at again that has to wait for a turn that is being adjudicated."""

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
    fresh = _Pass(work, failed=False)
    fresh.run()
    if fresh.became:
        # What fails while others are handled is itself to blame, not the program as a whole.
        with work.database.transaction() as session:
            single_failing(session, work.clock.now())
    again = _Pass(work, failed=True)
    again.run()
    if failed := fresh.failed or again.failed:
        raise failed
    return (*fresh.became, *again.became)


class _Pass:
    """One go through the mails that wait: through those never tried, or those that failed."""

    def __init__(self, work: Workplace, *, failed: bool) -> None:
        self._work, self._of_failed = work, failed
        self.became: list[str] = []
        self.failed: PostalError | None = None

    def run(self) -> None:
        work, last = self._work, 0
        while (row := self._next(last)) is not None:
            last = row.id or 0
            try:
                self.became.append(_handle(work, row))
            except StoreUnavailable:
                _let_go(work, last)
                raise
            except UnreadableGameError as error:
                set_unreadable_aside(work, error)
                _let_go(work, last, work.clock.now() + AGAIN)
            except AtWorkError:
                _let_go(work, last, work.clock.now() + SOON)
            except KeptError:
                _let_go(work, last, work.clock.now() + AGAIN)
            except PostalError as error:
                self.failed = self.failed or error
                _let_go(work, last)

    def _next(self, after: int) -> MailRow | None:
        work, now = self._work, self._work.clock.now()
        with work.database.transaction() as session:
            return lease_mail(
                session,
                owner=work.owner,
                now=now,
                until=now + LEASE,
                after=after,
                failed=self._of_failed,
                pause=pause_after,
            )


def write_outcome(session: Session, row: MailRow, outcome: Outcome, letters: Letters) -> None:
    """Write what a mail came to; OvertakenError where it must be worked out anew."""
    row.owner = row.lease_until = row.next_try_at = None
    row.target = outcome.target or FOLDER_OF[outcome.status]
    row.moved = row.place == row.target
    outcome.write(session, row, letters)


def _handle(work: Workplace, row: MailRow) -> str:
    assert row.id is not None, "a stored mail has an id"
    if row.tries > PATIENT_TRIES and not row.reason:
        # Nothing was noted of the tries before: the program ended at it.
        if _is_hopeless(work, row):
            return _set_aside(work, row, ENDED)
        tell_failing(work, row, ENDED)
    try:
        done = _work_out_and_write(work, row)
    except PostalError:
        raise
    except Exception as error:  # noqa: BLE001 - one bad mail never stops the batch
        LOG.error("mail in %s: %s, try %s", row.id, whereabouts(error), row.tries)  # noqa: TRY400 - a traceback may quote cards
        return _failed(work, row, type(error).__name__)
    if done is None:
        return "gone"
    if row.tries > 1:
        tell_over(work, row, "It was handled.")
    LOG.info("mail in %s: %s, %s", row.id, done.status.value, done.reason)
    return done.status.value


def _work_out_and_write(work: Workplace, row: MailRow) -> MailRow | None:
    """Return the mail's row as written; None where another process has dealt with it."""
    while True:
        with work.database.reading() as session:
            outcome, letters = _copied(session, row) or work_out(session, work, row)
        try:
            with work.database.transaction() as session:
                mine = leased_mail(session, row.id or 0, work.owner)
                if mine is None:
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


def _failed(work: Workplace, row: MailRow, what: str) -> str:
    """Note that a mail failed when it was handled: it is tried again, alone, at longer intervals.

    It is set aside only once others were handled meanwhile and many hours have passed.
    """
    assert row.id is not None, "a stored mail has an id"
    if _is_hopeless(work, row):
        return _set_aside(work, row, what)
    again = work.clock.now() + pause_after(row.tries)
    with work.database.transaction() as session:
        mine = leased_mail(session, row.id, work.owner)
        if mine is None:
            return "gone"
        _find_out_whose(session, row, mine)
        release_mail(session, row.id, owner=work.owner, counts=True, next_try_at=again, reason=what)
    if row.tries >= PATIENT_TRIES:
        tell_failing(work, row, what)
    return MailStatus.NEW.value


def _is_hopeless(work: Workplace, row: MailRow) -> bool:
    """Whether others were handled since a mail failed first, and for hours it was not."""
    waited = work.clock.now() - row.received_at
    return row.singled_at is not None and waited >= unread_hours(game_of(work, row))


def _set_aside(work: Workplace, row: MailRow, what: str) -> str:
    """Set a mail aside that fails each time: whose it is stays known, and it is the GM's now."""
    with work.database.transaction() as session:
        mine = leased_mail(session, row.id or 0, work.owner)
        if mine is None:
            return "gone"
        mine.status, mine.reason = MailStatus.QUARANTINED, f"failed {mine.tries} times: {what}"
        mine.owner = mine.lease_until = mine.next_try_at = None
        mine.target, mine.moved = QUARANTINE, mine.place == QUARANTINE
    tell_failing(work, row, what, aside=True)
    return MailStatus.QUARANTINED.value


def _find_out_whose(session: Session, row: MailRow, mine: MailRow) -> None:
    """Note whose a mail is whose token stands in its text, where its header told nobody."""
    if row.seat_id is not None or not row.raw:
        return
    with suppress(Exception):  # it may be this that the mail fails at
        named = named_in(session, read(row.raw))
        if named is not None:
            mine.game_id, mine.seat_id, mine.turn = named
            row.game_id, row.seat_id, row.turn = named
