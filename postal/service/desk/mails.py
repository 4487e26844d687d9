"""The GM's view of the mail that came: what needs him, as it was read, and handling it again."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from unicodedata import category

from sqlmodel import Session

from postal.errors import PostalError
from postal.mail.headers import decoded
from postal.mail.incoming import Incoming, read
from postal.mail.tokens import masked
from postal.ordertext import mask_cards
from postal.service.answers import answer_mail
from postal.service.blame import whereabouts
from postal.service.intake import FOLDER_OF
from postal.service.work import Workplace
from postal.store.games import all_games, players_of
from postal.store.mails import mails_like, mails_with_status
from postal.store.orders import taken_after, taken_of_mails
from postal.store.rows import MailRow, MailStatus
from postal.store.turns import current_turn

LOG = logging.getLogger("postal")

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

    The latter are those in quarantine and, of the last weeks, those without a token. Times are
    UTC. Tokens are masked in every text, and cards too but for ``reveal``.
    """
    with work.database.reading() as session:
        known = _tokens(session, work)
        chosen = [MailStatus(status) for status in statuses]
        rows = [
            row
            for status in chosen or (MailStatus.QUARANTINED, MailStatus.REJECTED)
            for row in mails_with_status(session, status)
            if chosen or _needs_gm(work, row)
        ]
        return [
            _summary(row, known, reveal=reveal) for row in sorted(rows, key=lambda row: row.id or 0)
        ]


def show_mail(work: Workplace, number: int, *, reveal: bool = False) -> dict[str, Any]:
    """Return one mail: its summary, its headers and, with ``reveal``, the texts as read.

    Tokens are masked everywhere. Raises PostalError where there is no such mail.
    """
    with work.database.reading() as session:
        row = _found(session, number)
        known = _tokens(session, work)
        incoming = read(row.raw or b"")
        shown: dict[str, Any] = _summary(row, known, reveal=reveal)
        shown |= {
            "game": row.game_id and _slug(session, row.game_id),
            "player": row.player,
            "turn": row.turn,
            "tries": row.tries,
            "folder": row.target if row.moved else row.folder,
            "unreadable": incoming.unreadable or incoming.hindrance,
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


def handle_again(work: Workplace, number: int) -> str:
    """Handle a mail as if it had just come; return what became of it, as a sentence.

    The rules are the same: its turn must be open, and orders that came later stand. Raises
    PostalError where it was done already or that does not come off; nothing has changed then.
    """
    return _handle(work, number)


def release(work: Workplace, number: int) -> str:
    """Handle a mail in quarantine again, the GM vouching for its sender; return what became."""
    with work.database.reading() as session:
        _held(_found(session, number))
    return _handle(work, number, vouched=True)


def set_done(work: Workplace, number: int) -> str:
    """Mark a mail as dealt with by the GM, and return so; nothing else is done for it."""
    with work.database.transaction() as session:
        row = _held(_found(session, number, hold=True), MailStatus.REJECTED)
        _become(session, row, MailStatus.DONE, "the GM dealt with it")
        return f"Mail {number} is marked as dealt with."


def _handle(work: Workplace, number: int, *, vouched: bool = False) -> str:
    try:
        with work.database.transaction() as session:
            row = _found(session, number, hold=True)
            _refuse_done(session, row)
            before = (row.target, row.moved)
            row.status, row.reason, row.target, row.tries = MailStatus.NEW, "", "", 1
            row.game_id = row.player = row.turn = None
            answer_mail(session, work, row, vouched=vouched)
            _refuse_overtaken(session, row)
            target, (row.target, row.moved) = row.target, before
            if target == row.folder and not row.moved:
                row.target, row.moved = target, True
            status, reason = row.status, row.reason
            _become(session, row, status, reason)
    except PostalError:
        raise
    except Exception as error:  # noqa: BLE001 - told as a sentence, whatever it is
        LOG.error("mail in %s, handled again: %s", number, whereabouts(error))  # noqa: TRY400 - a traceback may quote cards
        raise PostalError(
            f"Mail {number} could not be handled ({type(error).__name__}): it stays as it was,"
            " and the log has the details."
        ) from None
    LOG.info("mail in %s, handled again: %s, %s", number, status.value, reason)
    return f"Mail {number}: {status.value}, {reason}."


def _become(session: Session, row: MailRow, status: MailStatus, reason: str) -> None:
    """Set what became of a mail, and of its copies that shared its fate.

    One that was moved stays noted where it lies: the next poll finds that it belongs elsewhere.
    """
    for number in mails_like(session, row):
        copy = session.get(MailRow, number)
        if copy is not None and copy.id != row.id and copy.status != MailStatus.NEW:
            copy.status, copy.reason = status, f"the same mail as {row.id}"
            _aim(copy)
    row.status, row.reason = status, reason
    _aim(row)


def _aim(row: MailRow) -> None:
    if not row.moved:
        row.target = FOLDER_OF[row.status]


def _refuse_done(session: Session, row: MailRow) -> None:
    if row.status == MailStatus.NEW:
        raise PostalError(f"Mail {row.id} waits to be handled: the next poll takes it.")
    taken = taken_of_mails(session, mails_like(session, row))
    if taken:
        raise PostalError(
            f"Mail {row.id} was handled: what it orders was taken on {taken[0].at:%d %B %Y} at"
            f" {taken[0].at:%H:%M} UTC. Nothing was done."
        )


def _refuse_overtaken(session: Session, row: MailRow) -> None:
    """Let no older order take the place of a newer one."""
    if row.game_id is None or row.turn is None or row.player is None or row.id is None:
        return
    later = taken_after(session, row.game_id, row.turn, row.player, row.id)
    if later and taken_of_mails(session, [row.id]):
        raise PostalError(
            f"{row.player} has ordered since, in mail {later.mail_id}, which would be undone by"
            f" mail {row.id}: nothing was done. Ask for the orders anew."
        )


def _held(row: MailRow, *others: MailStatus) -> MailRow:
    if row.status == MailStatus.NEW:
        raise PostalError(f"Mail {row.id} waits to be handled: the next poll takes it.")
    if row.status not in (MailStatus.QUARANTINED, *others):
        raise PostalError(
            f"Mail {row.id} is not held: it is {row.status.value}, {row.reason}."
            f" `postal inbox reparse {row.id}` would handle it again."
        )
    return row


def _found(session: Session, number: int, *, hold: bool = False) -> MailRow:
    row = session.get(MailRow, number, with_for_update=hold or None)
    if row is None:
        raise PostalError(f"There is no mail {number}: `postal inbox list` shows those there are.")
    return row


def _needs_gm(work: Workplace, row: MailRow) -> bool:
    if row.status == MailStatus.QUARANTINED:
        return True
    recent = row.received_at > work.clock.now() - LATELY
    return recent and row.reason.startswith("no token")


def _summary(row: MailRow, known: frozenset[str], *, reveal: bool) -> dict[str, Any]:
    incoming = _head(row)
    return {
        "id": row.id,
        "arrived": row.internal_date.isoformat(),
        "from": _plain(
            " ".join(incoming.senders) or decoded(incoming.header("from")), known, reveal=reveal
        ),
        "subject": _plain(incoming.subject, known, reveal=reveal),
        "size": row.size,
        "status": row.status.value,
        "reason": _plain(row.reason, known, reveal=reveal),
    }


def _head(row: MailRow) -> Incoming:
    """Return a mail by its header alone: a list needs no more."""
    head = (row.raw or b"")[:_HEAD_BYTES]
    return read(_LINE_END.split(head, 1)[0] + b"\n\n")


def _plain(text: str, known: frozenset[str], *, reveal: bool) -> str:
    """Return a stranger's words without tokens, cards and what could steer a terminal.

    Without ``reveal`` what is still encoded (RFC 2047) after one decoding is left out as well.
    """
    text = masked("".join(char for char in text if category(char) != "Cf"), known)
    if not reveal:
        text = mask_cards(_ENCODED.sub("(encoded)", text))
    return "".join(char if char.isprintable() else "\ufffd" for char in text)


def _slug(session: Session, game_id: int) -> str:
    return next(game.slug for game in all_games(session) if game.id == game_id)


def _tokens(session: Session, work: Workplace) -> frozenset[str]:
    """Return every token that is good for something, so that not even a bare one is shown."""
    found: set[str] = set()
    for game in all_games(session):
        assert game.id is not None, "a stored game has an id"
        turn = current_turn(session, game.id)
        for player in players_of(session, game.id):
            for number in range((turn.number if turn else 0) + 2):
                found.add(work.token(game, number, player.name, player.token_serial))
    return frozenset(found)
