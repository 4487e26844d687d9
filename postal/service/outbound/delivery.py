"""Sends the outbox, tries again what was not taken, and tells the GM what failed (MAIL.md, Out)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from sqlmodel import Session

from postal.errors import PostalError
from postal.mail.smtp import SendResult
from postal.service.outbound.kinds import LetterKind
from postal.service.outbound.letters import Letters
from postal.service.workplace import LEASE, Workplace
from postal.store.outbox import (
    lease_message,
    mark_failed,
    mark_for_retry,
    mark_sent,
    messages_in_state,
    recover_sending,
)
from postal.store.people import may_go_to
from postal.store.rows import OutboxRow, OutboxState

LOG = logging.getLogger("postal")

BACKOFF = (1, 5, 15, 60, 240)
"""Minutes before each further try; the last holds for all that follow."""

GIVE_UP = timedelta(days=5)
"""How long a mail that is never taken is tried, as mail servers do (RFC 5321, 4.5.4.1)."""


ABOUT_US = frozenset({0, 421, 454, 530, 534, 535, 538})
"""Answers that concern the connection or the login, not the mail: all others would fare alike,
and a login tried once for each mail would soon be locked (RFC 4954, 6). 0 is no answer."""


NOT_KEPT = "its text is no longer kept"
"""Why a mail doesn't go whose body was let go (``[keep]`` in the config)."""


class Sending(Protocol):
    """What sends one mail: ``postal.mail.smtp.Sender``, or a stand-in."""

    def send(self, raw: bytes, recipient: str, envelope_from: str) -> SendResult:
        """Send one mail to one person and say what became of it."""
        ...


@dataclass(frozen=True, slots=True)
class Delivered:
    """What a round of sending came to; ``trouble`` is what ended it before all was tried."""

    sent: int = 0
    retried: int = 0
    failed: int = 0
    trouble: str = ""


def recover(work: Workplace, *, alone: bool = True) -> int:
    """Note as unknown what was being sent when the program ended; return how many.

    ``alone``: no other process sends on this database, so all that stands there is left over.
    """
    with work.database.transaction() as session:
        return recover_sending(session, None if alone else work.owner)


def requeue(work: Workplace, numbers: Sequence[int] = ()) -> int:
    """Queue mails again that failed, those of the numbers or all that can go; return how many.

    Raises PostalError for a number that is no failed or waiting mail's, and for one that can't go.
    """
    with work.database.transaction() as session:
        chosen = [_waiting(session, number) for number in numbers]
        failed = () if numbers else messages_in_state(session, OutboxState.FAILED)
        rows = chosen or [row for row in failed if not _hindrance(session, row)]
        for row in rows:
            mark_for_retry(
                session, row.id or 0, next_try_at=work.clock.now(), code=None, text="queued again"
            )
    return len(rows)


def _waiting(session: Session, number: int) -> OutboxRow:
    # Held until the end, so that no daemon takes it meanwhile.
    row = session.get(OutboxRow, number, with_for_update=True)
    if row is None or row.state in (OutboxState.SENT, OutboxState.SENDING):
        raise PostalError(f"Mail {number} is not waiting: see `postal outbox list`.")
    if hindrance := _hindrance(session, row):
        raise PostalError(f"Mail {number} can't be sent again: {hindrance}.")
    return row


def _hindrance(session: Session, row: OutboxRow) -> str:
    """Return why a mail must not go again, where that is so: what it holds is for one person."""
    if row.raw is None:
        return NOT_KEPT
    if row.seat_id is not None and not may_go_to(session, row.seat_id, row.recipient):
        return f"{row.recipient} is no longer that player's address"
    return ""


def send_outbox(
    work: Workplace, sender: Sending, stop: Callable[[], bool] = lambda: False
) -> Delivered:
    """Send everything that is due, oldest first, until the server can't be reached.

    A mail is marked as being sent before it goes, so that one of which nobody knows whether it
    went is sent again under its Message-ID. ``stop``, asked before each, leaves the rest for later.
    """
    sent = retried = failed = 0
    while not stop() and (message := _next(work)) is not None:
        result = _send_one(work, sender, message)
        sent += result.state == "sent"
        failed += result.state == "failed"
        if result.state in ("retry", "unknown"):
            retried += 1
            if result.about_us or result.code in ABOUT_US:
                return Delivered(sent, retried, failed, result.text)
    return Delivered(sent, retried, failed)


def _next(work: Workplace) -> OutboxRow | None:
    now = work.clock.now()
    with work.database.transaction() as session:
        return lease_message(session, owner=work.owner, now=now, until=now + LEASE)


def _send_one(work: Workplace, sender: Sending, message: OutboxRow) -> SendResult:
    assert message.id is not None, "a stored mail has an id"
    raw = message.raw
    result = (
        SendResult("failed", 0, NOT_KEPT)
        if raw is None
        else sender.send(raw, message.recipient, work.identity.mailbox)
    )
    now = work.clock.now()
    if result.state in ("retry", "unknown") and now - message.created_at > GIVE_UP:
        result = SendResult("failed", result.code, f"given up: {result.text}")
    told = result.state == "failed" and raw is not None and message.kind != LetterKind.GM
    notice = _notice(work, message, result) if told else None
    with work.database.transaction() as session:
        # Where that took longer than the lease, another sends it, and notes what became of it.
        if _note(session, work, message, result) and notice is not None:
            notice.queue(session)
    LOG.info("mail %s (%s) %s %s", message.id, message.kind, result.state, result.code or "")
    return result


def _note(session: Session, work: Workplace, message: OutboxRow, result: SendResult) -> bool:
    """Note what became of a mail; False where it isn't ours to send any more."""
    assert message.id is not None, "a stored mail has an id"
    now, mine, said = work.clock.now(), work.owner, result.text
    match result.state:
        case "sent":
            return mark_sent(session, message.id, now=now, code=result.code, text=said, owner=mine)
        case "failed":
            return mark_failed(session, message.id, code=result.code, text=said, owner=mine)
        case _:
            step = BACKOFF[min(message.tries, len(BACKOFF)) - 1]
            return mark_for_retry(
                session,
                message.id,
                next_try_at=now + timedelta(minutes=step),
                code=result.code or None,
                text=said,
                unknown=result.state == "unknown",
                owner=mine,
            )


def _notice(work: Workplace, message: OutboxRow, result: SendResult) -> Letters:
    """Return the word to the GM that a mail will not go."""
    what = f"The mail {message.subject!r} to {message.recipient} failed for good"
    sentences = (
        f"{what}: {result.text}",
        f"`postal outbox retry {message.id}` sends it again.",
    )
    with work.database.reading() as session:
        letters = Letters(session, work)
        letters.notify_gm("a mail could not be delivered", sentences)
    return letters
