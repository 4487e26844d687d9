"""Building the mail that the league sends: one person each, the same bytes for the same values."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from typing import TYPE_CHECKING, Literal

from postal.mail.calendar import FILE, METHOD
from postal.mail.gate import LOOP_HEADER
from postal.mail.identifiers import echoed
from postal.mail.readback import unlike

if TYPE_CHECKING:
    from datetime import datetime

LOG = logging.getLogger("postal")

Automatic = Literal["auto-generated", "auto-replied", "no"]

# The default of 78 has long message-ids encoded as words, which breaks threads.
_POLICY = SMTP.clone(max_line_length=998)
_OF_THE_TEXT = ("MIME-Version", "Content-Type", "Content-Transfer-Encoding")
_MAX_SUBJECT = 200
_MAX_REFERENCES = 900


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """A mail to be built. Addresses are bare; names may be any text, or empty.

    ``message_id`` and ``references`` have their angle brackets; ``message_id`` stays the same when
    a mail is sent again. ``date`` is aware. ``reply_to`` is where answers go, with the token where
    the mailbox takes plus addresses. ``automatic`` is "auto-generated" for reports, "auto-replied"
    for receipts (RFC 3834), "no" for a person's mail, which has no loop tag either. ``html`` is
    offered beside ``text``, which is complete by itself. ``calendar`` is the text of a calendar
    file that comes with it, empty for none.
    """

    sender: str
    sender_name: str = ""
    recipient: str
    recipient_name: str = ""
    subject: str = field(repr=False)
    text: str = field(repr=False)
    html: str | None = field(default=None, repr=False)
    message_id: str = field(repr=False)
    date: datetime
    reply_to: str = field(default="", repr=False)
    in_reply_to: str = field(default="", repr=False)
    references: tuple[str, ...] = field(default=(), repr=False)
    list_id: str = ""
    calendar: str = ""
    automatic: Automatic = "auto-generated"


def build(mail: Outgoing) -> bytes:
    """Return the message as bytes with CRLF, all ASCII; ValueError for an address that is none.

    Identifiers of other people's mails are repeated in a strict form alone. The header block is
    read back: should it not be what was meant, that is a bug, which is logged without any
    value, and the letter goes without them.
    """
    for tried in _ever_plainer(mail):
        raw, wrong = _built(tried)
        if not wrong:
            return raw
        LOG.error("A header block was not what was meant, please report it: %s", ", ".join(wrong))
    raise ValueError("This letter has no header that can be trusted")


def _ever_plainer(mail: Outgoing) -> Iterator[Outgoing]:
    """Yield the letter as it is meant, without what it echoes, and at last without any name."""
    yield mail
    silent = replace(mail, in_reply_to="", references=())
    yield silent
    subject = "".join(char for char in mail.subject if char.isascii() and char not in "=?")
    yield replace(silent, sender_name="", recipient_name="", list_id="", subject=subject)


def _built(mail: Outgoing) -> tuple[bytes, tuple[str, ...]]:
    """Return the bytes of a letter, and the header fields that don't say what they were to."""
    message = EmailMessage(policy=_POLICY)
    meant: list[tuple[str, str, str]] = []
    people = [("From", mail.sender_name, mail.sender), ("To", mail.recipient_name, mail.recipient)]
    if mail.reply_to:
        people.append(("Reply-To", mail.sender_name, mail.reply_to))
    for field_name, name, address in people:
        message[field_name] = _address(name, address)
        words = _one_line(name)
        meant.append((field_name, words, f"<{address}>" if words else address))
    for field_name, words, rest in _plain_fields(mail):
        message[field_name] = words or rest
        meant.append((field_name, words, rest))
    # Quoted-printable keeps £ and the suits legible in the source and every line short enough.
    message.set_content(mail.text, charset="utf-8", cte="quoted-printable")
    if mail.html is not None:
        message.add_alternative(mail.html, subtype="html", charset="utf-8", cte="quoted-printable")
        message.set_boundary(_boundary(mail, "bodies"))
    if mail.calendar:
        message.add_attachment(
            mail.calendar.replace("\r\n", "\n"),
            subtype="calendar",
            charset="utf-8",
            cte="quoted-printable",
            filename=FILE,
            params={"method": METHOD},
        )
        message.set_boundary(_boundary(mail, "calendar"))
    raw = message.as_bytes()
    return raw, unlike(raw, meant, [name for name in _OF_THE_TEXT if name in message])


def _boundary(mail: Outgoing, parts: str) -> str:
    """Return what parts a mail's parts: the library draws it at random.

    "=_" can't stand in quoted-printable text.
    """
    return "=_" + hashlib.sha256(f"{parts} {mail.message_id}".encode()).hexdigest()[:32]


def _plain_fields(mail: Outgoing) -> Iterator[tuple[str, str, str]]:
    """Yield each field but those with addresses as (name, words, or the value as it is)."""
    yield "Subject", _one_line(mail.subject)[:_MAX_SUBJECT].rstrip(), ""
    yield "Date", "", format_datetime(mail.date)
    yield "Message-ID", "", mail.message_id
    for identifier in echoed([mail.in_reply_to]):
        yield "In-Reply-To", "", identifier
    if references := _references(echoed(mail.references)):
        yield "References", "", references
    if mail.list_id:
        yield "List-Id", _one_line(mail.list_id), ""
    if mail.automatic != "no":
        yield "Auto-Submitted", "", mail.automatic
        yield "X-Auto-Response-Suppress", "", "All"
        yield LOOP_HEADER, "", mail.sender


def _address(name: str, address: str) -> Address:
    try:
        return Address(_one_line(name), addr_spec=address)
    except Exception as error:  # the library raises IndexError and more on odd addresses
        raise ValueError("This is no mail address") from error


def _references(ids: tuple[str, ...]) -> str:
    """Return the References field: the first of the thread and as many of the last as fit."""
    kept: list[str] = []
    room = _MAX_REFERENCES - len(ids[0]) if ids else 0
    for one in reversed(ids[1:]):
        room -= len(one) + 1
        if room < 0:
            break
        kept.insert(0, one)
    return " ".join([*ids[:1], *kept])


def _one_line(text: str) -> str:
    """Return words on one line, in which no library finds an encoded word to decode."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line.replace("=?", "= ?")
