"""Sends the outbox, tries again what was not taken, and tells the GM what failed (MAIL.md, Out)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from sqlmodel import Session

from postal.errors import PostalError
from postal.mail.smtp import SendResult
from postal.service.outbound.holding import hold, probe, released, tell, try_now
from postal.service.outbound.judging import Judge, Verdict, pause_after
from postal.service.outbound.kinds import ASKING
from postal.service.outbound.notices import notice_of, untell
from postal.service.workplace import LEASE, Workplace
from postal.store.holding import mark_held, mark_ours, outbox_hold
from postal.store.outbox import (
    due_message,
    lease_message,
    mark_failed,
    mark_for_retry,
    mark_sent,
    messages_in_state,
    recover_sending,
)
from postal.store.people import may_go_to
from postal.store.rows import Hindrance, OutboxRow, OutboxState

LOG = logging.getLogger("postal")

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


def try_at_once(work: Workplace) -> None:
    """End the pause in which no mail goes, if there is one: the next try is made now."""
    now = work.clock.now()
    with work.database.reading() as session:
        held = outbox_hold(session)
    if held is not None and held.until > now:
        with work.database.transaction() as session:
            try_now(session, held, now)


@dataclass(frozen=True, slots=True)
class Requeued:
    """How many mails go again, and why each of some others can't, by its number."""

    count: int
    hindered: Mapping[int, str] = field(default_factory=dict)


def requeue(work: Workplace, numbers: Sequence[int] = ()) -> Requeued:
    """Queue mails again, those of the numbers or all that are not sent; the next try is at once.

    What is to go out at a set time later is left to it, and so is what is being sent. Raises
    PostalError for a number that is no failed or waiting mail's, and for one that can't go.
    """
    now = work.clock.now()
    with work.database.transaction() as session:
        rows = [_waiting(session, number) for number in numbers] if numbers else _unsent(session)
        hindered = {row.id or 0: why for row in rows if (why := _hindrance(session, row))}
        going = [row for row in rows if row.id not in hindered]
        for row in going:
            ours = row.hindrance is Hindrance.OURS
            mark_for_retry(
                session,
                row.id or 0,
                next_try_at=None,
                code=None,
                text="queued again",
                hindrance=Hindrance.OURS if ours else Hindrance.NONE,
                unknown=row.state is OutboxState.UNKNOWN,
            )
        try_now(session, outbox_hold(session), now)
    return Requeued(len(going), hindered)


def _unsent(session: Session) -> list[OutboxRow]:
    """Return all that isn't sent and isn't merely waiting for its time."""
    states = (OutboxState.QUEUED, OutboxState.UNKNOWN, OutboxState.FAILED)
    rows = [row for state in states for row in messages_in_state(session, state)]
    return [row for row in rows if row.tries or row.hindrance or row.next_try_at is None]


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
    """Send everything that is due, oldest first, until the server takes nothing from us.

    A mail is marked as being sent before it goes, so that one of which nobody knows whether it
    went is sent again under its Message-ID. While all mail is held one is tried at the end of each
    pause. ``stop``, asked before each, leaves the rest for later.
    """
    sent = retried = failed = 0
    judge = Judge(work.clock.now)
    while not stop() and (message := _next(work, judge)) is not None:
        verdict, text = _send_one(work, sender, judge, message)
        sent += verdict is Verdict.SENT
        failed += verdict is Verdict.FAILED
        retried += verdict in (Verdict.LATER, Verdict.OURS)
        if verdict is Verdict.OURS:
            return Delivered(sent, retried, failed, text)
    return Delivered(sent, retried, failed)


def _next(work: Workplace, judge: Judge) -> OutboxRow | None:
    """Take the mail that is tried next; None where none is due, or all are held."""
    now = work.clock.now()
    with work.database.transaction() as session:
        message = due_message(session, now, though_held=judge.probing is not None)
        if message is None:
            return None
        if not judge.begun:
            judge.begun, held = True, outbox_hold(session)
            if held is not None:
                if not probe(session, held, now):
                    return None
                judge.probing = held
                message = due_message(session, now, though_held=True) or message
        return lease_message(session, owner=work.owner, now=now, until=now + LEASE, message=message)


def _send_one(
    work: Workplace, sender: Sending, judge: Judge, message: OutboxRow
) -> tuple[Verdict, str]:
    """Send a mail and note what became of it; return that, and what was said."""
    raw, held = message.raw, judge.probing
    result = (
        SendResult("failed", 0, NOT_KEPT)
        if raw is None
        else sender.send(raw, message.recipient, work.identity.mailbox)
    )
    with work.database.reading() as session:
        verdict = judge.of(session, message, result)
    text = result.text
    if verdict is Verdict.FAILED and result.state != "failed":
        text = f"given up: {text}"
    notice = None if raw is None else notice_of(work, message, verdict, text)
    over = released(work, held) if held and verdict is Verdict.SENT else None
    with work.database.transaction() as session:
        # Where that took longer than the lease, another sends it, and notes what became of it.
        noted = _note(session, work, message, result, verdict, text)
        if verdict is Verdict.OURS:
            mark_ours(session, judge.alike)
            for number in judge.alike:
                untell(session, number)
            hold(session, work.clock.now(), result.sentence, held.since if held else None)
            mark_held(session, work.clock.now())
        if over is not None:
            over(session)
            judge.probing = None
        if noted and notice is not None:
            notice.queue(session)
    if verdict is Verdict.OURS and held is not None:
        tell(work, held.since)
    LOG.info("mail %s (%s) %s %s", message.id, message.kind, result.state, result.code or "")
    return verdict, result.sentence


def _note(  # noqa: PLR0913 - the whole of what became of a mail
    session: Session,
    work: Workplace,
    message: OutboxRow,
    result: SendResult,
    verdict: Verdict,
    text: str,
) -> bool:
    """Note what became of a mail; False where it isn't ours to send any more."""
    assert message.id is not None, "a stored mail has an id"
    now, mine, code = work.clock.now(), work.owner, result.code or None
    again: datetime | None = None
    match verdict:
        case Verdict.SENT:
            return mark_sent(session, message.id, now=now, code=result.code, text=text, owner=mine)
        case Verdict.FAILED:
            whose = Hindrance.NONE if message.raw is None else Hindrance.HIS
            return mark_failed(
                session, message.id, code=result.code, text=text, hindrance=whose, owner=mine
            )
        case Verdict.LATER:
            # A report that our side held up stays marked so, until that is reckoned with.
            ours = message.hindrance is Hindrance.OURS and message.kind in ASKING
            again, tries = now + pause_after(message.tries), message.tries
            whose = Hindrance.OURS if ours else Hindrance.HIS
        case _:
            # What may be its own fault counts: another is tried at the end of the pause.
            blameless = result.about_us and not result.doubtful
            tries, whose = message.tries - blameless, Hindrance.OURS
    return mark_for_retry(
        session,
        message.id,
        next_try_at=again,
        code=code,
        text=text,
        hindrance=whose,
        tries=tries,
        unknown=result.state == "unknown",
        owner=mine,
    )
