"""The parts of a mail to the texts that orders may stand in, or the reason why there is none."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from email.errors import InvalidBase64LengthDefect
from email.message import Message
from typing import Literal

from postal.mail.html import UnreadableHtmlError, html_to_text
from postal.mail.plaintext import decode, unflow

Unreadable = Literal[
    "",
    "tnef",  # winmail.dat
    "smime",  # signed opaquely: the text is inside
    "encrypted",
    "attachment-only",
    "too-long",
    "too-complex",  # parts or HTML nested or repeated beyond reason
    "damaged",
    "empty",
]

MAX_TEXT_BYTES = 256 * 1024
_MAX_DEPTH = 30
_MAX_PARTS = 300
_PGP_MESSAGE = "-----BEGIN PGP MESSAGE-----"
_HTML = re.compile(r"\s*(?:<!doctype html|<html)\b", re.IGNORECASE)  # whatever it is declared
_OPAQUE = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime"})
# The most telling reason first, where a mail gives several.
_ORDER: tuple[Unreadable, ...] = (
    "encrypted", "smime", "tnef", "too-long", "too-complex", "damaged", "attachment-only",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Body:
    """The texts to be tried for orders, in order, and what could not be read.

    ``hindrance`` is the reason why some part was left out, "" where all was read; ``unreadable``
    is the reason why there is no text at all.
    """

    texts: tuple[str, ...] = field(default=(), repr=False)
    hindrance: Unreadable = ""

    @property
    def unreadable(self) -> Unreadable:
        """Why there is no text; "" where there is."""
        return "" if self.texts else self.hindrance or "empty"


def children(part: Message) -> list[Message] | None:
    """Return the parts of a part, or None where it is a leaf."""
    if not part.is_multipart():  # on a leaf get_payload would decode, and may raise
        return None
    payload = part.get_payload()
    return [one for one in payload if isinstance(one, Message)] if isinstance(payload, list) else []


def body(message: Message) -> Body:
    """Return the texts of a mail: as plain text where offered, then as HTML where it differs.

    Parts that follow one another make one text. Attachments and attached mails are not read.
    """
    hindrances: set[Unreadable] = set()
    rendered: dict[int, str | None] = {}
    spent: Counter[str] = Counter()
    texts: list[str] = []
    for wanted in ("text/plain", "text/html"):
        text = _Walk(wanted, hindrances, rendered, spent).text(message)
        if text is not None and text.strip() and text not in texts:
            texts.append(text)
    if texts:  # a picture or a file beside the text is nothing to tell
        hindrances.discard("attachment-only")
    hindrance: Unreadable = next((reason for reason in _ORDER if reason in hindrances), "")
    return Body(tuple(texts), hindrance)


class _Walk:
    """One reading of the parts, preferring one kind of text where alternatives are offered."""

    def __init__(
        self,
        wanted: str,
        hindrances: set[Unreadable],
        rendered: dict[int, str | None],
        spent: Counter[str],
    ) -> None:
        self._wanted = wanted
        self._hindrances = hindrances
        self._done = rendered  # by the part's identity, so that no part is rendered twice
        self._spent = spent  # bytes of all parts of a kind, since many small ones cost as much
        self._left = _MAX_PARTS

    def text(self, part: Message, depth: int = 0) -> str | None:
        """Return a part's text; None, with the hindrance noted, where all or some can't be read."""
        self._left -= 1
        if depth > _MAX_DEPTH or self._left < 0:
            self._hindrances.add("too-complex")
            return None
        kind = part.get_content_type()
        if kind == "multipart/encrypted":
            self._hindrances.add("encrypted")
            return ""
        parts = children(part)
        if parts is None:
            return self._leaf(part, kind)
        if part.get_content_maintype() == "message":
            self._hindrances.add("attachment-only")
            return ""
        if kind == "multipart/alternative":
            return self._best(parts, depth + 1)
        if kind in ("multipart/related", "multipart/signed", "multipart/report"):
            parts = parts[:1]
        return self._joined(parts, depth + 1)

    def _joined(self, parts: list[Message], depth: int) -> str | None:
        texts = [self.text(part, depth) for part in parts]
        # One part that can't be read could hold an order: then the whole can't be trusted.
        read = [text for text in texts if text is not None]
        return "\n".join(text for text in read if text) if len(read) == len(texts) else None

    def _best(self, parts: list[Message], depth: int) -> str | None:
        holders = [part for part in parts if _holds(part, self._wanted, _MAX_DEPTH)]
        best: str | None = ""
        for part in [*holders, *(part for part in reversed(parts) if part not in holders)]:
            best = self.text(part, depth)
            if best and best.strip():
                break
        return best

    def _leaf(self, part: Message, kind: str) -> str | None:
        if kind == "application/ms-tnef" or (part.get_filename() or "").lower() == "winmail.dat":
            self._hindrances.add("tnef")
            return ""
        if kind in _OPAQUE:
            enveloped = "enveloped" in str(part.get_param("smime-type", "")).casefold()
            self._hindrances.add("encrypted" if enveloped else "smime")
            return ""
        is_text = kind in ("text/plain", "text/html") or part.get_content_maintype() == "multipart"
        if not is_text or part.get_content_disposition() == "attachment":
            if not kind.endswith("-signature"):
                self._hindrances.add("attachment-only")
            return ""
        if id(part) not in self._done:
            self._done[id(part)] = self._rendered(part, kind)
        return self._done[id(part)]

    def _rendered(self, part: Message, kind: str) -> str | None:
        data = part.get_payload(decode=True)
        data = data if isinstance(data, bytes) else b""
        self._spent[kind] += len(data)
        if self._spent[kind] > MAX_TEXT_BYTES:
            self._hindrances.add("too-long")
            return None
        if any(isinstance(defect, InvalidBase64LengthDefect) for defect in part.defects):
            self._hindrances.add("damaged")
            return None
        text = decode(data, part.get_content_charset())
        if _PGP_MESSAGE in text:
            self._hindrances.add("encrypted")
            return ""
        is_html = kind == "text/html" or _HTML.match(text) is not None
        return self._from_html(text) if is_html else _from_plain(part, text)

    def _from_html(self, text: str) -> str | None:
        try:
            return html_to_text(text)
        except UnreadableHtmlError:
            self._hindrances.add("too-complex")
            return None


def _from_plain(part: Message, text: str) -> str:
    if str(part.get_param("format", "")).casefold() == "flowed":
        delete_space = str(part.get_param("delsp", "")).casefold() == "yes"
        return unflow(text, delete_space=delete_space)
    return text


def _holds(part: Message, kind: str, depth: int) -> bool:
    """Return whether a part is of a kind or holds one that is, attachments apart."""
    parts = children(part)
    if parts is not None and depth:
        return any(_holds(one, kind, depth - 1) for one in parts)
    return part.get_content_type() == kind and part.get_content_disposition() != "attachment"
