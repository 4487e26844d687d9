"""Delivery failures: matched to the mail that they are about and told to the GM (RFC 3464)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from sqlmodel import Session

from postal.mail.failure import DeliveryReport
from postal.mail.incoming import Incoming
from postal.mail.tokens import candidates, masked
from postal.ordertext import mask_cards
from postal.service.inbound.case import Case
from postal.service.inbound.outcome import Outcome
from postal.service.outbound.kinds import LetterKind
from postal.store.outbox import (
    mark_delayed,
    mark_failed,
    message_by_message_id,
    messages_to_seat,
)
from postal.store.rows import MailStatus, OutboxRow, OutboxState
from postal.store.tokens import known_tokens

_MAX_STATUSES = 5


def delivery_report(case: Case) -> Outcome | None:
    """Note at the mail concerned what a server says of it; no player is told.

    A final failure is told to the GM, once, who can send the mail again; a delay is noted for
    ``postal outbox list``. A report about a mail that is none of ours, or of a delivery that
    came off, changes nothing.
    """
    report = case.incoming.report
    if report is None:
        return None
    message = _message(case.session, case.incoming, report)
    if report.guessed and (
        message is None or message.recipient.casefold() in case.incoming.senders
    ):
        return None  # no mail of ours, or an answer by a program of his: the gate judges it
    if message is None or message.id is None:
        return Outcome(MailStatus.IGNORED, "a delivery report of no mail of ours")
    status = ", ".join(dict.fromkeys(report.statuses[:_MAX_STATUSES])) or "no status given"
    what = f"mail {message.id} arrived"
    mark: Callable[..., object] | None = None
    if report.failed:
        what = f"mail {message.id} came back"
        # Of a mail that failed the GM knows; one that he queued again is still to go.
        again = message.state is OutboxState.QUEUED and message.tries > 0
        if message.state is not OutboxState.FAILED and not again:
            _tell_gm(case, message, status, report.words)
            mark = partial(mark_failed, code=None, text=f"came back: {status}")
    elif report.delayed:
        what = f"mail {message.id} is delayed"
        if message.state is OutboxState.SENT:
            mark = partial(mark_delayed, text=f"delayed: {status}")
    changes = (partial(mark, message_id=message.id),) if mark else ()
    return Outcome(MailStatus.IGNORED, what, changes=changes)


def _message(session: Session, incoming: Incoming, report: DeliveryReport) -> OutboxRow | None:
    """Return the mail that a report is about: by its Message-ID, else by the token in it."""
    for message_id in report.message_ids:
        message = message_by_message_id(session, message_id)
        if message is not None:
            return message
    found = candidates(incoming)
    known = known_tokens(session, found)
    for token in found:
        row = known.get(token)
        if row is None or row.seat_id is None or row.turn is None:
            continue
        written = messages_to_seat(session, row.seat_id, row.turn)
        rows = [one for one in written if one.message_id.startswith(f"<postal.{token}.")]
        named = [one for one in rows if one.recipient.casefold() in report.recipients]
        if rows:
            return (*named, *rows)[0]
    return None


def _tell_gm(case: Case, message: OutboxRow, status: str, words: str) -> None:
    if message.kind == LetterKind.GM:
        return
    said = (f'The server says: "{masked(mask_cards(words))}"',) if words else ()
    sentences = (
        f"The mail {message.subject!r} to {message.recipient} came back: {status}.",
        *said,
        f"`postal outbox retry {message.id}` sends it again.",
    )
    case.letters.notify_gm("a mail came back", sentences)
