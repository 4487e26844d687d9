"""Delivery failures: matched to the mail that they are about and told to the GM (RFC 3464)."""

from __future__ import annotations

from sqlmodel import Session

from postal.mail.incoming import Incoming
from postal.service.post import notify_gm
from postal.service.work import Workplace
from postal.store.outbox import mark_delayed, mark_failed, message_by_message_id
from postal.store.rows import MailStatus


def note_failure(session: Session, work: Workplace, incoming: Incoming) -> tuple[MailStatus, str]:
    """Note at the mail concerned what a server says of it; no player is told.

    A final failure is told to the GM, who can send the mail again; a delay is noted for
    ``postal outbox list``. A report about a mail that is none of ours changes nothing.
    """
    report = incoming.report
    if report is None:
        return MailStatus.IGNORED, "no report"
    for message_id in report.message_ids:
        message = message_by_message_id(session, message_id)
        if message is None or message.id is None:
            continue
        status = ", ".join(report.statuses) or "no status given"
        if not report.failed:
            mark_delayed(session, message.id, text=f"delayed: {status}")
            return MailStatus.IGNORED, f"mail {message.id} is delayed"
        mark_failed(session, message.id, code=None, text=f"came back: {status}")
        if message.kind != "gm":
            sentences = (
                f"The mail {message.subject!r} to {message.recipient} came back: {status}.",
                f"`postal outbox retry {message.id}` sends it again.",
            )
            notify_gm(session, work, "a mail came back", sentences)
        return MailStatus.IGNORED, f"mail {message.id} came back"
    return MailStatus.IGNORED, "a delivery failure of no mail of ours"
