"""What the GM is told of a mail that doesn't reach its person: that it failed, or is put off."""

from __future__ import annotations

import logging
from datetime import timedelta

from sqlmodel import Session

from postal.reports.display import utc_time
from postal.service.outbound.judging import Verdict
from postal.service.outbound.kinds import ASKING, LetterKind
from postal.service.outbound.letters import Letters
from postal.service.workplace import Workplace
from postal.store.outbox import drop_unsent
from postal.store.rows import OutboxRow

LOG = logging.getLogger("postal")

TOLD_AFTER = timedelta(hours=24)
"""How long a report that asks for orders is put off before the GM is told of it."""

_PATIENT_TRIES = 2
"""From this try on the log tells of a mail to the GM: one is often put off once at first."""


def notice_of(work: Workplace, message: OutboxRow, verdict: Verdict, text: str) -> Letters | None:
    """Return the word to the GM of what became of a mail, None where he needs none.

    ``text`` is what was said of it. Of his own mail he is told by the log alone.
    """
    if message.kind == LetterKind.GM:
        late = verdict is Verdict.LATER and message.tries == _PATIENT_TRIES
        if late or verdict is Verdict.FAILED:
            LOG.warning("mail %s to the GM is not taken: %s", message.id, text)
        return None
    if verdict is Verdict.FAILED:
        return _failed(work, message, text)
    waited = work.clock.now() - message.created_at
    if verdict is Verdict.LATER and message.kind in ASKING and waited >= TOLD_AFTER:
        return _put_off(work, message, text)
    return None


def untell(session: Session, number: int) -> None:
    """Delete the notice that a mail failed, which was never taken: the mail is tried on."""
    message = session.get(OutboxRow, number)
    if message is not None:
        drop_unsent(session, _once(message))


def _failed(work: Workplace, message: OutboxRow, text: str) -> Letters:
    sentences = (
        f"The mail {message.subject!r} to {message.recipient} failed for good: {text}",
        f"`postal outbox retry {message.id}` sends it again.",
    )
    return _written(work, "a mail could not be delivered", sentences, _once(message))


def _put_off(work: Workplace, message: OutboxRow, text: str) -> Letters:
    """Return the word that a player has not got the report that asks for his orders, once."""
    since = utc_time(message.created_at)
    sentences = (
        f"The mail {message.subject!r} to {message.recipient} is put off since {since}: {text}",
        "It is tried again every few hours, for days. Is there another way to reach him?",
        "`postal player set-address` writes to a new address.",
    )
    return _written(work, "a report is put off", sentences, f"put-off/{message.id}")


def _written(work: Workplace, subject: str, sentences: tuple[str, ...], once: str) -> Letters:
    with work.database.reading() as session:
        letters = Letters(session, work)
        letters.notify_gm(subject, sentences, once=once)
    return letters


def _once(message: OutboxRow) -> str:
    """Return the key of the notice that a mail failed at its latest try."""
    return f"failed/{message.id}/{message.tries}"
