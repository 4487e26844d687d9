"""Delivery failures: which of our mails a bounce is about (RFC 3464), so that the GM is told."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from flufl.bounce import all_failures

from postal.mail import headers as fields
from postal.mail.parts import children

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from email.message import Message

# It logs what breaks it, with words of the mail.
logging.getLogger("flufl.bounce").setLevel(logging.CRITICAL)

_MAX_PARTS = 50
_MAX_TEXT = 100_000
_MESSAGE_ID_LINE = re.compile(
    r"^[> \t]*message-id:[ \t]*\n?([^\n]{1,600})$", re.IGNORECASE | re.MULTILINE
)
_OF_DELIVERY = frozenset({"delivery-status", ""})
"""Report types that tell of a delivery; a few servers name none."""

_STATUS = re.compile(r"[245]\.\d{1,3}\.\d{1,3}")
_ADDRESS_TYPE = re.compile(r"^\s*rfc822\s*;", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DeliveryReport:
    """What a mail server says of a mail of ours.

    ``actions`` are RFC 3464's words: failed, delayed, delivered, relayed, expanded. ``statuses``
    are codes such as 5.1.1. ``message_ids`` name the mail that it is about, with angle brackets;
    ``recipients`` are folded addresses.
    """

    message_ids: tuple[str, ...] = field(default=(), repr=False)  # ours hold a token
    recipients: tuple[str, ...] = field(default=(), repr=False)
    actions: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether the mail didn't arrive and no more tries will be made."""
        return "failed" in self.actions or not (self.actions or self._only("24"))

    @property
    def delayed(self) -> bool:
        """Whether the mail didn't arrive yet and more tries will be made."""
        hinted = not self.actions and self._only("24") and not self._only("2")
        return not self.failed and ("delayed" in self.actions or hinted)

    def _only(self, classes: str) -> bool:
        """Whether the codes, if there are any, are all of some classes (RFC 3463, 3.1)."""
        return bool(self.statuses) and all(code[0] in classes for code in self.statuses)


def delivery_report(message: Message) -> DeliveryReport | None:
    """Return what a ``multipart/report; report-type=delivery-status`` says, or None for others."""
    report_type = str(message.get_param("report-type", "")).casefold()
    if message.get_content_type() != "multipart/report" or report_type not in _OF_DELIVERY:
        return None
    parts = (children(message) or [])[:_MAX_PARTS]
    statuses = [part for part in parts if part.get_content_type() == "message/delivery-status"]
    if not statuses and not report_type:
        return None
    blocks = [
        fields.collect(one) for part in statuses for one in (children(part) or [])[:_MAX_PARTS]
    ]
    ids = _returned_ids(parts)
    recipients = [
        address
        for block in blocks
        for name in ("final-recipient", "original-recipient")
        for address in fields.addresses(_ADDRESS_TYPE.sub("", v) for v in block.get(name, ()))
    ]
    return DeliveryReport(
        tuple(dict.fromkeys(ids)),
        tuple(dict.fromkeys(recipients)),
        tuple(word for block in blocks for word in _first_word(fields.first(block, "action"))),
        tuple(code for block in blocks for code in _STATUS.findall(fields.first(block, "status"))),
    )


def odd_report(message: Message, texts: Sequence[str]) -> DeliveryReport | None:
    """Return what a bounce in a mail server's own words says, or None for what is none.

    flufl.bounce knows the forms of many servers that keep to no standard. ``texts`` are the
    mail's own: they may quote our mail's header, where its Message-ID stands. The message must
    be cut to some lines, over each of which the library goes many times.
    """
    try:
        temporary, permanent = all_failures(message)
    except Exception:  # noqa: BLE001 - a stranger's bytes: what breaks the library is no bounce
        return None
    lost, waiting = _plain(permanent), _plain(temporary)
    if not lost and not waiting:
        return None
    quoted = [one for text in texts for one in _quoted_ids(text)]
    return DeliveryReport(
        tuple(dict.fromkeys((*_returned_ids((children(message) or [])[:_MAX_PARTS]), *quoted))),
        tuple(dict.fromkeys((*lost, *waiting))),
        ("failed",) if lost else ("delayed",),
    )


def _returned_ids(parts: Iterable[Message]) -> list[str]:
    """Return the Message-IDs of the mails that a report returns, whole or by their headers."""
    ids: list[str] = []
    for part in parts:
        if part.get_content_type() == "message/rfc822":
            for original in (children(part) or [])[:1]:
                ids += fields.message_ids(fields.collect(original).get("message-id", ()))
        elif part.get_content_type() == "text/rfc822-headers":
            data = part.get_payload(decode=True)
            ids += _quoted_ids(data.decode("latin-1") if isinstance(data, bytes) else "")
    return ids


def _first_word(value: str) -> list[str]:
    """Return an action without the comment that may follow it, in a list; [] for none."""
    return value.casefold().partition("(")[0].split()[:1]


def _quoted_ids(text: str) -> list[str]:
    """Return the Message-IDs that header lines in a text name."""
    lines = _MESSAGE_ID_LINE.findall(text[:_MAX_TEXT])
    return [one for line in lines for one in fields.message_ids([line])]


def _plain(addresses: Iterable[object]) -> list[str]:
    """Return the addresses as folded text; the library gives some as bytes."""
    words = (one.decode("latin-1") if isinstance(one, bytes) else str(one) for one in addresses)
    return sorted(word.strip("<> ").casefold() for word in words)
