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

_OURS = re.compile(r"<postal\.[a-z2-7]{16}\.[^<>\s]{1,300}>", re.IGNORECASE)
_RETURNED = re.compile(
    r"^[> \t]*(?:received|return-path|from|message-id|mime-version):", re.IGNORECASE | re.MULTILINE
)
"""Where a mail begins that a server returns: above it stand the server's own words."""

_MOST_WORDS = 4_000
_MOST_TOLD = 300
_MAX_RECIPIENTS = 20
_BARE_ADDRESS = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-][\w.-]{0,200}\w")
_STATUS_IN_TEXT = re.compile(r"(?<![\w.])[245]\.\d{1,3}\.\d{1,3}(?![\w.])")
# The library takes old servers' warnings of a delay for failures.
_STILL_TRYING = re.compile(
    r"warning (?:message )?only|not need to resend|(?:keep|still) trying|transient non-fatal"
    r"|still (?:being )?(?:retried|undeliv)|will (?:be retried|retry|continue)|\bdelayed\b"
    r"|attempts will continue|not yet been delivered|verzögert|weiter(?:hin)? versucht"
    r"|noch nicht zugestellt|retardé|différé|pas encore|retrasad|demorad|seguirá intentando"
    r"|in ritardo|ritardat|vertraag|opóźni|atrasad|adiad|fördröj|försena|forsink|viiväst|zpožd"
    r"|odlož|задерж|отложен|gecik|késleltet|遅延|再試行|延迟|延遲|重试"
)
_GIVEN_UP = re.compile(
    r"permanent (?:error|fail|fatal)|giv(?:en|ing) up|will not be retried|endgültig"
    r"|no (?:more|further) attempts|following address\(es\) failed|échec définitif"
    r"|[^\d.]5\.[0-7]\.\d"
)
_SERVERS = frozenset({"mailer-daemon", "postmaster", "mail-daemon", "mailerdaemon", "mdaemon"})
_ANSWERED = ("x-autoreply", "x-autorespond", "x-autoresponder", "x-autoreply-from")


@dataclass(frozen=True, slots=True)
class DeliveryReport:
    """What a mail server says of a mail of ours.

    ``actions`` are RFC 3464's words: failed, delayed, delivered, relayed, expanded. ``statuses``
    are codes such as 5.1.1. ``message_ids`` name the mail that it is about, with angle brackets;
    ``recipients`` are folded addresses. ``guessed``: its form is unknown, and that it is a report
    follows from what it returns; then ``words`` are the server's own, at most 300 characters.
    """

    message_ids: tuple[str, ...] = field(default=(), repr=False)  # ours hold a token
    recipients: tuple[str, ...] = field(default=(), repr=False)
    actions: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    guessed: bool = False
    words: str = field(default="", repr=False)

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


def odd_report(message: Message, subject: str, texts: Sequence[str]) -> DeliveryReport | None:
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
    failed = bool(lost) and not _is_delay(subject, texts)
    return DeliveryReport(
        _ids(message, texts),
        tuple(dict.fromkeys((*lost, *waiting))),
        ("failed",) if failed else ("delayed",),
    )


def unknown_report(
    message: Message, senders: Sequence[str], texts: Sequence[str]
) -> DeliveryReport | None:
    """Return what a mail without an envelope sender says that returns a mail of ours, else None.

    It is a bounce in words that nobody knows: what names a Message-ID of ours in its text, or
    returns the mail, was written by a mail server. An automatic answer of a person's names it in
    its header alone.
    """
    if str(message.get_param("report-type", "")).casefold() not in _OF_DELIVERY:
        return None
    ids = _ids(message, texts)
    named = [one for text in texts for one in _OURS.findall(text[:_MAX_TEXT])]
    ours = [one for one in (*ids, *named) if _OURS.fullmatch(one)]
    if not ours or (_is_answer(message) and not _SERVERS & {_local(one) for one in senders}):
        return None
    words = " ".join(_own_words(texts).split())
    found = (one.casefold() for one in _BARE_ADDRESS.findall(words))
    recipients = [one for one in dict.fromkeys(found) if one not in senders][:_MAX_RECIPIENTS]
    statuses = tuple(_STATUS_IN_TEXT.findall(words))
    delayed = ("delayed",) if _is_delay("", texts) else ()
    return DeliveryReport(
        tuple(dict.fromkeys(ours)),
        tuple(recipients),
        delayed,
        statuses,
        guessed=True,
        words=words[:_MOST_TOLD],
    )


def _ids(message: Message, texts: Sequence[str]) -> tuple[str, ...]:
    quoted = [one for text in texts for one in _quoted_ids(text)]
    return tuple(dict.fromkeys((*_returned_ids((children(message) or [])[:_MAX_PARTS]), *quoted)))


def _is_answer(message: Message) -> bool:
    """Whether a mail says that a program of a person's wrote it (RFC 3834)."""
    found = fields.collect(message)
    replied = fields.first(found, "auto-submitted").casefold().startswith("auto-replied")
    return (replied and "in-reply-to" in found) or any(name in found for name in _ANSWERED)


def _is_delay(subject: str, texts: Sequence[str]) -> bool:
    """Whether a server says that it goes on trying, and not that it gave up."""
    words = f"{subject}\n{_own_words(texts)}".casefold()
    return _STILL_TRYING.search(words) is not None and _GIVEN_UP.search(words) is None


def _own_words(texts: Sequence[str]) -> str:
    """Return what a server says above the mail that it returns."""
    text = next(iter(texts), "")[:_MOST_WORDS]
    returned = _RETURNED.search(text)
    return text[: returned.start()] if returned else text


def _local(address: str) -> str:
    return address.partition("@")[0]


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
