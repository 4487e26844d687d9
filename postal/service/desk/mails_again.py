"""Handling a mail again on the GM's word: after a repair, or because he vouches for its sender."""

from __future__ import annotations

import logging

from sqlmodel import Session

from postal.engine.problems import Fault
from postal.errors import PostalError
from postal.service.blame import whereabouts
from postal.service.inbound.handling import work_out
from postal.service.inbound.outcome import Outcome
from postal.service.inbound.queue import FOLDER_OF, write_outcome
from postal.service.inbound.telling import tell_over
from postal.service.outbound.letters import Letters
from postal.service.overtaken import OvertakenError
from postal.service.workplace import Workplace
from postal.store.mails import mails_like
from postal.store.orders import taken_after, taken_of_mails
from postal.store.rows import MailRow, MailStatus

LOG = logging.getLogger("postal")

NOT_KEPT = "its text is no longer kept"
"""Why nothing can be made of a mail whose bytes were let go (``[keep]`` in the config)."""


def handle_again(work: Workplace, number: int) -> str:
    """Handle a mail as if it had just come; return what became of it, as a sentence.

    The rules are the same: its turn must be open, and orders that came later stand. Raises
    PostalError where it was done already or that does not come off; nothing has changed then.
    """
    return _handle(work, number)


def release(work: Workplace, number: int) -> str:
    """Handle a mail that is held or was not read, the GM vouching for it; return what became."""
    with work.database.reading() as session:
        _held(work, find_mail(session, number))
    return _handle(work, number, vouched=True)


def set_done(work: Workplace, number: int) -> str:
    """Mark a mail as dealt with by the GM, and return so; nothing else is done for it."""
    with work.database.transaction() as session:
        row = _held(work, find_mail(session, number, hold=True), MailStatus.REJECTED)
        row.status, row.reason = MailStatus.DONE, "the GM dealt with it"
        _let_go(row)
        _aim(row)
        _share_fate(session, row)
    tell_over(work, row, "The GM dealt with it.")
    return f"Mail {number} is marked as dealt with."


def discard(work: Workplace, number: int) -> str:
    """Let a mail go that was not read or not handled: it holds no turn any more; return so."""
    with work.database.transaction() as session:
        row = _held(work, find_mail(session, number, hold=True))
        if row.status is MailStatus.UNREAD:
            # To move it might fail as its reading does.
            row.status, row.target, row.moved = MailStatus.IGNORED, row.place, True
        else:
            row.status = MailStatus.REJECTED
            _aim(row)
        row.reason = "the GM discarded it"
        _let_go(row)
    tell_over(work, row, "The GM discarded it.")
    return f"Mail {number} is discarded: it does nothing, and no turn waits for it."


def find_mail(session: Session, number: int, *, hold: bool = False) -> MailRow:
    """Return a mail that came, held for this transaction if asked; PostalError without one."""
    row = session.get(MailRow, number, with_for_update=hold or None)
    if row is None:
        raise PostalError(f"There is no mail {number}: `postal inbox list` shows those there are.")
    return row


def is_gone(row: MailRow) -> bool:
    """Whether a mail's bytes were let go; of one too large to fetch there never were any."""
    return row.raw is None and row.sha256 is not None


def _refuse_gone(row: MailRow) -> None:
    if is_gone(row):
        raise PostalError(f"Mail {row.id} can't be handled again: {NOT_KEPT}.")


def _handle(work: Workplace, number: int, *, vouched: bool = False) -> str:
    try:
        while True:
            with work.database.reading() as session:
                row = find_mail(session, number)
                _refuse_done(session, work, row)
                _refuse_gone(row)
                outcome, letters = work_out(session, work, row, vouched=vouched)
            try:
                _write(work, number, outcome, letters, vouched=vouched)
            except OvertakenError:
                continue
            break
    except PostalError:
        raise
    except Exception as error:  # noqa: BLE001 - told as a sentence, whatever it is
        LOG.error("mail in %s, handled again: %s", number, whereabouts(error))  # noqa: TRY400 - a traceback may quote cards
        raise PostalError(
            f"Mail {number} could not be handled ({type(error).__name__}): it stays as it was,"
            " and the log has the details."
        ) from None
    status, reason = outcome.status.value, outcome.reason
    LOG.info("mail in %s, handled again: %s, %s", number, status, reason)
    tell_over(work, row, "It was handled.")
    return f"Mail {number}: {status}, {reason}."


def _write(
    work: Workplace, number: int, outcome: Outcome, letters: Letters, *, vouched: bool
) -> None:
    with work.database.transaction() as session:
        row = find_mail(session, number, hold=True)
        if vouched:
            # Another command may have dealt with it meanwhile.
            _held(work, row)
        _refuse_done(session, work, row)
        if row.status not in (MailStatus.UNREAD, MailStatus.NEW):
            _refuse_overtaken(session, row, outcome)
        row.tries, row.singled_at = 1, None
        write_outcome(session, row, outcome, letters)
        _share_fate(session, row)


def _share_fate(session: Session, row: MailRow) -> None:
    """Set what became of a mail at its copies too; each is moved to where it belongs now."""
    for number in mails_like(session, row):
        copy = session.get(MailRow, number)
        if copy is not None and copy.id != row.id and copy.status is not MailStatus.NEW:
            copy.status, copy.reason = row.status, f"a copy of mail {row.id}"
            _aim(copy)


def _aim(row: MailRow) -> None:
    row.target = FOLDER_OF[row.status]
    row.moved = row.place == row.target


def _let_go(row: MailRow) -> None:
    row.owner = row.lease_until = row.next_try_at = row.singled_at = None


def _refuse_waiting(work: Workplace, row: MailRow) -> None:
    """Leave a mail to the next poll that waits to be handled, but for one that failed before."""
    handled_now = row.lease_until is not None and row.lease_until > work.clock.now()
    if row.status == MailStatus.NEW and (row.next_try_at is None or handled_now):
        raise PostalError(f"Mail {row.id} waits to be handled: the next poll takes it.")


def _refuse_done(session: Session, work: Workplace, row: MailRow) -> None:
    _refuse_waiting(work, row)
    taken = taken_of_mails(session, mails_like(session, row))
    if taken:
        raise PostalError(
            f"Mail {row.id} was handled: what it orders was taken on {taken[0].at:%d %B %Y} at"
            f" {taken[0].at:%H:%M} UTC. Nothing was done."
        )


def _refuse_overtaken(session: Session, row: MailRow, outcome: Outcome) -> None:
    """Let no older order take the place of a newer one."""
    if outcome.turn is None or row.id is None:
        return
    overtaken = any(line.code == Fault.LATER_STANDS.code for line in outcome.turn.log)
    if not (outcome.orders_something or overtaken):
        return
    later = taken_after(session, outcome.turn.turn.id or 0, outcome.turn.seat_id, row.id)
    if later is not None and outcome.whose is not None:
        raise PostalError(
            f"{outcome.whose.seat.name} has ordered since, in mail {later.mail_id}, which would be"
            f" undone by mail {row.id}: nothing was done. Ask for the orders anew."
        )


def _held(work: Workplace, row: MailRow, *others: MailStatus) -> MailRow:
    _refuse_waiting(work, row)
    if row.status not in (MailStatus.QUARANTINED, MailStatus.UNREAD, MailStatus.NEW, *others):
        raise PostalError(
            f"Mail {row.id} is not held: it is {row.status.value}, {row.reason}."
            f" `postal inbox reparse {row.id}` would handle it again."
        )
    return row
