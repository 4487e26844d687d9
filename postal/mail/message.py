"""Building the mail that the league sends: one person each, the same bytes for the same values."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from typing import TYPE_CHECKING, Literal

from postal.mail.gate import LOOP_HEADER

if TYPE_CHECKING:
    from datetime import datetime

Automatic = Literal["auto-generated", "auto-replied", "no"]

# The default of 78 has long message-ids encoded as words, which breaks threads.
_POLICY = SMTP.clone(max_line_length=998)
_MAX_SUBJECT = 200
_MAX_REFERENCES = 900


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """A mail to be built. Addresses are bare; names may be any text, or empty.

    ``message_id`` and ``references`` have their angle brackets; ``message_id`` stays the same when
    a mail is sent again. ``date`` is aware. ``reply_to`` is where answers go, with the token where
    the mailbox takes plus addresses. ``automatic`` is "auto-generated" for reports, "auto-replied"
    for receipts (RFC 3834), "no" for a person's mail, which has no loop tag either. ``html`` is
    offered beside ``text``, which is complete by itself.
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
    automatic: Automatic = "auto-generated"


def build(mail: Outgoing) -> bytes:
    """Return the message as bytes with CRLF, all ASCII; ValueError for an address that is none."""
    message = EmailMessage(policy=_POLICY)
    message["From"] = _address(mail.sender_name, mail.sender)
    message["To"] = _address(mail.recipient_name, mail.recipient)
    if mail.reply_to:
        message["Reply-To"] = _address(mail.sender_name, mail.reply_to)
    message["Subject"] = _one_line(mail.subject)[:_MAX_SUBJECT]
    message["Date"] = format_datetime(mail.date)
    message["Message-ID"] = mail.message_id
    if mail.in_reply_to.isascii() and mail.in_reply_to:
        message["In-Reply-To"] = _one_line(mail.in_reply_to)
    if references := _references(mail.references):
        message["References"] = references
    if mail.list_id:
        message["List-Id"] = _one_line(mail.list_id)
    if mail.automatic != "no":
        message["Auto-Submitted"] = mail.automatic
        message["X-Auto-Response-Suppress"] = "All"
        message[LOOP_HEADER] = mail.sender
    # Quoted-printable keeps £ and the suits legible in the source and every line short enough.
    message.set_content(mail.text, charset="utf-8", cte="quoted-printable")
    if mail.html is not None:
        message.add_alternative(mail.html, subtype="html", charset="utf-8", cte="quoted-printable")
        # The library draws boundaries at random. "=_" can't stand in quoted-printable text.
        message.set_boundary("=_" + hashlib.sha256(mail.message_id.encode()).hexdigest()[:32])
    return message.as_bytes()


def _address(name: str, address: str) -> Address:
    try:
        return Address(_one_line(name), addr_spec=address)
    except Exception as error:  # the library raises IndexError and more on odd addresses
        raise ValueError("This is no mail address") from error


def _references(ids: tuple[str, ...]) -> str:
    """Return the References field: the first of the thread and as many of the last as fit."""
    legible = [one for one in ids if one.isascii() and _one_line(one) == one]
    kept: list[str] = []
    room = _MAX_REFERENCES - len(legible[0]) if legible else 0
    for one in reversed(legible[1:]):
        room -= len(one) + 1
        if room < 0:
            break
        kept.insert(0, one)
    return " ".join([*legible[:1], *kept])


def _one_line(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
