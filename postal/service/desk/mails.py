"""The GM's view of the mail that came: what needs him, and one mail as it was read."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from datetime import timedelta
from typing import Any
from unicodedata import category

from postal.mail.headers import decoded
from postal.mail.incoming import Incoming, read
from postal.mail.tokens import masked
from postal.ordertext import mask_cards
from postal.service.desk.mails_again import NOT_KEPT, find_mail, is_gone
from postal.service.workplace import Workplace
from postal.store.mails import mails_with_status
from postal.store.rows import GameRow, MailRow, MailStatus, SeatRow
from postal.store.tokens import KnownTokens

_ASKED_FOR = (
    MailStatus.NEW, MailStatus.UNREAD, MailStatus.QUARANTINED, MailStatus.REJECTED,
)  # fmt: skip

LATELY = timedelta(weeks=3)
"""How long a mail without a token is listed unasked."""

_HEAD_BYTES = 64 * 1024
_LINE_END = re.compile(rb"\r?\n\r?\n")
_ENCODED = re.compile(r"=\?[^?\s]*\?[bq]\?[^?]*(?:\?=)?", re.IGNORECASE)
_MOST_SHOWN = 4_000
_HEADERS = (
    "return-path", "from", "to", "delivered-to", "reply-to", "date", "message-id", "in-reply-to",
    "auto-submitted", "precedence", "list-id", "authentication-results",
)  # fmt: skip
"""What tells the GM who wrote and which rule a mail fell under."""


def list_mails(
    work: Workplace, statuses: Sequence[str] = (), *, reveal: bool = False
) -> list[dict[str, Any]]:
    """Return the mails of some statuses, or those that need the GM, in their order of arrival.

    The latter are those that the server keeps back, those that fail when they are handled, those in
    quarantine and, of the last weeks, those without a token and those with one that are not as
    people's mail is. Times are UTC. Tokens are masked in every text, and cards
    too but for ``reveal``.
    """
    with work.database.reading() as session:
        known = KnownTokens(session)
        chosen = [MailStatus(status) for status in statuses]
        rows = [
            row
            for status in chosen or _ASKED_FOR
            for row in mails_with_status(session, status)
            if chosen or _needs_gm(work, row)
        ]
        return [
            _summary(row, known, reveal=reveal) for row in sorted(rows, key=lambda row: row.id or 0)
        ]


def show_mail(work: Workplace, number: int, *, reveal: bool = False) -> dict[str, Any]:
    """Return one mail: its summary, its headers and, with ``reveal``, the texts as read.

    Of a mail that is no longer kept ``unreadable`` says so. Tokens are masked everywhere. Raises
    PostalError where there is no such mail.
    """
    with work.database.reading() as session:
        row = find_mail(session, number)
        known = KnownTokens(session)
        incoming = read(row.raw or b"")
        shown: dict[str, Any] = _summary(row, known, reveal=reveal)
        game = session.get(GameRow, row.game_id) if row.game_id else None
        seat = session.get(SeatRow, row.seat_id) if row.seat_id else None
        shown |= {
            "game": game and game.slug,
            "player": seat and seat.name,
            "turn": row.turn,
            "tries": row.tries,
            "folder": row.place,
            "unreadable": NOT_KEPT if is_gone(row) else incoming.unreadable or incoming.hindrance,
            "headers": {
                name: [
                    _plain(decoded(value, _MOST_SHOWN), known, reveal=reveal)
                    for value in incoming.headers[name]
                ]
                for name in _HEADERS
                if name in incoming.headers
            },
        }
        if reveal:
            shown["texts"] = [masked(text, known) for text in incoming.texts]
        return shown


def _needs_gm(work: Workplace, row: MailRow) -> bool:
    if row.status in (MailStatus.QUARANTINED, MailStatus.UNREAD):
        return True
    if row.status is MailStatus.NEW:
        return row.tries > 0
    # Of those that were rejected only one that is filed under no seat waits to be looked at.
    recent = row.received_at > work.clock.now() - LATELY
    return recent and row.status is MailStatus.REJECTED and row.seat_id is None


def _summary(row: MailRow, known: Container[str], *, reveal: bool) -> dict[str, Any]:
    incoming = _head(row)
    return {
        "id": row.id,
        "arrived": row.internal_date.isoformat(),
        "from": _plain(
            " ".join(incoming.senders) or decoded(incoming.header("from")) or row.sender_key,
            known,
            reveal=reveal,
        ),
        "subject": _plain(incoming.subject, known, reveal=reveal),
        "size": row.size,
        "status": row.status.value,
        "reason": _plain(_reason(row), known, reveal=reveal),
    }


def _reason(row: MailRow) -> str:
    """Return what became of a mail; of one that waits, since when, after how many tries and why."""
    if row.status not in (MailStatus.NEW, MailStatus.UNREAD) or not row.tries:
        return row.reason
    tries = "1 try" if row.tries == 1 else f"{row.tries} tries"
    since = f"since {row.received_at:%d %B %Y %H:%M} UTC, {tries}"
    what = "not handed over" if row.status is MailStatus.UNREAD else "not handled"
    return f"{what} {since}: {row.reason or 'the program ended at it'}"


def _head(row: MailRow) -> Incoming:
    """Return a mail by its header alone: a list needs no more."""
    head = (row.raw or b"")[:_HEAD_BYTES]
    return read(_LINE_END.split(head, 1)[0] + b"\n\n")


def _plain(text: str, known: Container[str], *, reveal: bool) -> str:
    """Return a stranger's words without tokens, cards and what could steer a terminal.

    Without ``reveal`` what is still encoded (RFC 2047) after one decoding is left out as well.
    """
    text = masked("".join(char for char in text if category(char) != "Cf"), known)
    if not reveal:
        text = mask_cards(_ENCODED.sub("(encoded)", text))
    return "".join(char if char.isprintable() else "\ufffd" for char in text)
