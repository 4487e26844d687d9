"""Delivery failures: matched to the mail that they are about and told to the GM (RFC 3464)."""

from __future__ import annotations

from sqlmodel import Session, col, select

from postal.mail.failure import DeliveryReport
from postal.mail.incoming import Incoming
from postal.mail.tokens import candidates
from postal.service.post import notify_gm
from postal.service.work import Workplace
from postal.store.outbox import mark_delayed, mark_failed, message_by_message_id
from postal.store.rows import MailStatus, OutboxRow, OutboxState

_MAX_STATUSES = 5


def note_failure(session: Session, work: Workplace, incoming: Incoming) -> tuple[MailStatus, str]:
    """Note at the mail concerned what a server says of it; no player is told.

    A final failure is told to the GM, once, who can send the mail again; a delay is noted for
    ``postal outbox list``. A report about a mail that is none of ours, or of a delivery that
    came off, changes nothing.
    """
    report = incoming.report
    if report is None:
        return MailStatus.IGNORED, "no report"
    message = _message(session, incoming, report)
    if message is None or message.id is None:
        return MailStatus.IGNORED, "a delivery report of no mail of ours"
    status = ", ".join(dict.fromkeys(report.statuses[:_MAX_STATUSES])) or "no status given"
    if report.failed:
        # Of a mail that failed the GM knows; one that he queued again is still to go.
        again = message.state is OutboxState.QUEUED and message.tries > 0
        if message.state is not OutboxState.FAILED and not again:
            mark_failed(session, message.id, code=None, text=f"came back: {status}")
            _tell_gm(session, work, message, status)
        return MailStatus.IGNORED, f"mail {message.id} came back"
    if report.delayed:
        if message.state is OutboxState.SENT:
            mark_delayed(session, message.id, text=f"delayed: {status}")
        return MailStatus.IGNORED, f"mail {message.id} is delayed"
    return MailStatus.IGNORED, f"mail {message.id} arrived"


def _message(session: Session, incoming: Incoming, report: DeliveryReport) -> OutboxRow | None:
    """Return the mail that a report is about: by its Message-ID, else by the token in it."""
    for message_id in report.message_ids:
        message = message_by_message_id(session, message_id)
        if message is not None:
            return message
    for token in candidates(incoming):
        statement = select(OutboxRow).where(
            col(OutboxRow.message_id).startswith(f"<postal.{token}.")
        )
        rows = session.exec(statement.order_by(col(OutboxRow.id).desc())).all()
        named = [row for row in rows if row.recipient.casefold() in report.recipients]
        if named or rows:
            return (*named, *rows)[0]
    return None


def _tell_gm(session: Session, work: Workplace, message: OutboxRow, status: str) -> None:
    if message.kind == "gm":
        return
    sentences = (
        f"The mail {message.subject!r} to {message.recipient} came back: {status}.",
        f"`postal outbox retry {message.id}` sends it again.",
    )
    notify_gm(session, work, "a mail came back", sentences)
