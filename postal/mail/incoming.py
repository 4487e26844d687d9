"""A raw mail to the facts that the league needs of it; no bytes whatever make it raise."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from email.parser import BytesParser
from typing import TYPE_CHECKING

from postal.mail import headers as fields
from postal.mail.calendar import is_calendar_reply
from postal.mail.failure import DeliveryReport, delivery_report, odd_report, unknown_report
from postal.mail.mending import MENDING
from postal.mail.parts import Body, Unreadable, body

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from email.message import Message

RECIPIENT_FIELDS = (
    "to", "delivered-to", "x-original-to", "x-gm-original-to", "envelope-to", "cc",
)  # fmt: skip
"""Where the address that a mail was sent to may stand, the likeliest first."""

# Limits that no player's mail comes near; beyond them the parser itself gets slow or gives up.
_SERVERS = frozenset({"mailer-daemon", "postmaster"})
_MAX_HEAD_BYTES = 256 * 1024
_MAX_HEAD_LINES = 2_000
_MAX_BOUNDARIES = 40
_MAX_DASH_LINES = 2_000
_MAX_BOUNCE_LINES, _MAX_BOUNCE_BYTES = 1_000, 64 * 1024
_MAX_LOOKS = 1_500_000  # each line is looked at for each boundary that is open
_LINE_END = re.compile(rb"\r\n?")
_NO_HEAD_YET = re.compile(rb"\A(?:\xef\xbb\xbf|[ \t]*\n)+")
"""Blank lines and byte order marks above the header, which would make all of it a text."""
_LONG_PARAMETERS = re.compile(
    rb"^content-(?:type|disposition):(?:[^\n]|\n[ \t]){4000}", re.IGNORECASE | re.MULTILINE
)
_BOUNDARY = re.compile(rb"boundary(?:\*\d*\*?)?\s*=|content-type:\s*message/", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Incoming:
    """One mail as read; addresses are bare and lower-case, header texts are on one line.

    ``senders`` are the addresses in From: anything but exactly one is suspect, and even one proves
    nothing. ``recipients`` are those of RECIPIENT_FIELDS. ``return_path`` is None where the mail
    has none, "" for ``<>``. ``date`` is the sender's word, aware UTC. ``texts`` are to be tried
    for orders in turn, the next only where the one before gives none; where there are none,
    ``unreadable`` says why. ``hindrance`` is why some part was left out though others were read.
    ``attached``, ``struck``, ``dropped``, ``two_forms`` and ``files_unread`` are as in Body.
    ``report`` is set where a mail server tells what became of a mail of ours, ``calendar_reply``
    where a calendar answers an event by itself.
    """

    senders: tuple[str, ...] = ()
    recipients: tuple[str, ...] = field(default=(), repr=False)
    return_path: str | None = field(default=None, repr=False)
    message_id: str = ""
    in_reply_to: tuple[str, ...] = field(default=(), repr=False)
    references: tuple[str, ...] = field(default=(), repr=False)
    subject: str = field(default="", repr=False)
    date: datetime | None = None
    texts: tuple[str, ...] = field(default=(), repr=False)
    unreadable: Unreadable = "empty"
    hindrance: Unreadable = ""
    attached: tuple[str, ...] = field(default=(), repr=False)
    struck: str = field(default="", repr=False)
    dropped: str = field(default="", repr=False)
    two_forms: bool = False
    files_unread: bool = False
    report: DeliveryReport | None = field(default=None, repr=False)
    calendar_reply: bool = False
    headers: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)

    def header(self, name: str) -> str:
        """Return the first value of a header field by its lower-case name, or ""."""
        return fields.first(self.headers, name)


def read(raw: bytes) -> Incoming:
    """Return what a raw mail says; it never raises, and what can't be read is told as such."""
    raw = _NO_HEAD_YET.sub(b"", _LINE_END.sub(b"\n", raw))
    try:
        if _is_too_complex(raw):
            head = BytesParser(policy=MENDING).parsebytes(_head(raw), headersonly=True)
            return _incoming(head, Body(hindrance="too-complex"))
        message = BytesParser(policy=MENDING).parsebytes(raw)
    except Exception:  # noqa: BLE001  # a mail that breaks the parser must not stop the batch
        return Incoming(unreadable="damaged", hindrance="damaged")
    try:
        content = body(message)
    except Exception:  # noqa: BLE001  # as above; the headers still tell whom to answer
        content = Body(hindrance="damaged")
    try:
        return _incoming(message, content, raw)
    except Exception:  # noqa: BLE001  # as above
        return Incoming(unreadable="damaged", hindrance="damaged")


def read_head(raw: bytes) -> Incoming:
    """Return what the header of a raw mail says, its texts left aside; it never raises."""
    raw = _NO_HEAD_YET.sub(b"", _LINE_END.sub(b"\n", raw[: 2 * _MAX_HEAD_BYTES]))
    try:
        head = BytesParser(policy=MENDING).parsebytes(_head(raw), headersonly=True)
        return _incoming(head, Body())
    except Exception:  # noqa: BLE001 - what can't be read names nobody
        return Incoming(unreadable="damaged", hindrance="damaged")


def _incoming(message: Message, content: Body, raw: bytes = b"") -> Incoming:
    found = fields.collect(message)
    ids = fields.message_ids(found.get("message-id", ()))
    return Incoming(
        # Some programs write the bare address in the place of a name, too: that is still one.
        senders=tuple(dict.fromkeys(fields.addresses(found.get("from", ())))),
        recipients=_recipients(found),
        return_path=fields.return_path(found),
        message_id=ids[0] if ids else "",
        in_reply_to=fields.message_ids(found.get("in-reply-to", ())),
        references=fields.message_ids(found.get("references", ())),
        subject=fields.decoded(fields.first(found, "subject")),
        date=fields.date(found),
        texts=content.texts,
        unreadable=content.unreadable,
        hindrance=content.hindrance,
        attached=content.attached,
        struck=content.struck,
        dropped=content.dropped,
        two_forms=content.two_forms,
        files_unread=content.files_unread,
        report=delivery_report(message) or _odd_report(raw, found, content),
        calendar_reply=is_calendar_reply(message),
        headers=found,
    )


def _recipients(found: fields.Headers) -> tuple[str, ...]:
    """Return the addresses of RECIPIENT_FIELDS; one illegible value costs only itself."""
    values = (value for name in RECIPIENT_FIELDS for value in found.get(name, ()))
    return tuple(dict.fromkeys(one for value in values for one in fields.addresses([value])))


def _odd_report(raw: bytes, found: fields.Headers, content: Body) -> DeliveryReport | None:
    """Return the delivery failure that a mail server tells in a form of its own, if it is one."""
    senders = fields.addresses(found.get("from", ()))
    by_server = any(one.partition("@")[0] in _SERVERS for one in senders)
    if not by_server and fields.return_path(found) != "":
        return None
    # What failed stands near the top; the library goes over each line a hundred times.
    top = b"\n".join(raw[:_MAX_BOUNCE_BYTES].split(b"\n", _MAX_BOUNCE_LINES)[:_MAX_BOUNCE_LINES])
    message = BytesParser(policy=MENDING).parsebytes(top)
    known = odd_report(message, fields.decoded(fields.first(found, "subject")), content.texts)
    if known is not None or fields.return_path(found) != "":
        return known
    return unknown_report(message, senders, content.texts)


def _head(raw: bytes) -> bytes:
    """Return the header block, cut to the limits and without the fields that are slow to parse."""
    head = raw.partition(b"\n\n")[0][:_MAX_HEAD_BYTES]
    lines = head.split(b"\n", _MAX_HEAD_LINES)[:_MAX_HEAD_LINES]
    return _LONG_PARAMETERS.sub(b"", b"\n".join(lines))


def _is_too_complex(raw: bytes) -> bool:
    """Return whether parsing would be slow or run out of stack, judged without parsing."""
    head = raw.partition(b"\n\n")[0]
    boundaries = sum(1 for _ in _BOUNDARY.finditer(raw))
    return (
        len(head) > _MAX_HEAD_BYTES
        or head.count(b"\n") > _MAX_HEAD_LINES
        or raw.count(b"\n--") > _MAX_DASH_LINES
        or _LONG_PARAMETERS.search(raw) is not None
        or boundaries > _MAX_BOUNDARIES
        or raw.count(b"\n") * (boundaries + 1) > _MAX_LOOKS
    )
