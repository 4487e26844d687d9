"""The parts of a mail to the texts that orders may stand in, or the reason why there is none."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from email.errors import InvalidBase64LengthDefect
from email.message import Message
from typing import Literal

from postal.mail.html import UnreadableHtmlError, read_html
from postal.mail.kinds import disposition, from_plain, is_text_file, kind_of
from postal.mail.mending import payload
from postal.mail.plaintext import decode

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
_MOST_ATTACHED = 5
_OPAQUE = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime"})
_LOCKED: frozenset[Unreadable] = frozenset({"tnef", "smime", "encrypted"})
# The most telling reason first, where a mail gives several.
_ORDER: tuple[Unreadable, ...] = (
    "encrypted", "smime", "tnef", "too-long", "too-complex", "damaged", "attachment-only",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Body:
    """The texts to be tried for orders, in order, and what could not be read.

    ``hindrance`` is the reason why some part was left out, "" where all was read; ``unreadable``
    is the reason why there is no text at all. ``attached`` are texts in attached files.
    ``struck`` and ``dropped`` are what HTML says beside the writer's own text: that with what he
    struck out put back, and what it quotes. ``two_forms``: there is HTML beside a plain text; it
    is the second text, or says nothing where there is none. ``files_unread``: there are pictures
    or files beside the text, in which orders might stand.
    """

    texts: tuple[str, ...] = field(default=(), repr=False)
    hindrance: Unreadable = ""
    attached: tuple[str, ...] = field(default=(), repr=False)
    struck: str = field(default="", repr=False)
    dropped: str = field(default="", repr=False)
    two_forms: bool = False
    files_unread: bool = False

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

    Parts that follow one another make one text. Attachments and attached mails are not read, but
    for attached texts, which stand by themselves. A text under a file's name is one of these,
    unless it is all the text there is.
    """
    found = _Found()
    texts = _texts(message, found)
    if not texts and any(disposition(part) != "attachment" for part in found.attached):
        found.named_too = True
        found.attached.clear()
        texts = _texts(message, found)
    attached = [_attached(part) for part in found.attached[:_MOST_ATTACHED]]
    if texts:  # a picture or a file beside the text is nothing to tell
        found.hindrances.discard("attachment-only")
    hindrance: Unreadable = next((reason for reason in _ORDER if reason in found.hindrances), "")
    return Body(
        tuple(texts),
        hindrance,
        tuple(text for text in attached if text.strip()),
        "\n".join(found.struck),
        "\n".join(found.dropped),
        len(texts) > 1 or (found.kinds == {"text/plain", "text/html"} and found.blank_html),
        found.files_unread or not found.hindrances.isdisjoint(_LOCKED),
    )


@dataclass(slots=True)
class _Found:
    """What the readings of a mail's parts have in common."""

    named_too: bool = False
    """Whether a text under a file's name counts as the mail's own."""

    hindrances: set[Unreadable] = field(default_factory=set)
    rendered: dict[int, str | None] = field(default_factory=dict)
    """By the part's identity, so that no part is rendered twice."""

    spent: Counter[str] = field(default_factory=Counter)
    """Bytes of all parts of a kind, since many small ones cost as much."""

    attached: list[Message] = field(default_factory=list)
    struck: list[str] = field(default_factory=list, repr=False)
    dropped: list[str] = field(default_factory=list, repr=False)
    kinds: set[str] = field(default_factory=set)
    blank_html: bool = False
    files_unread: bool = False


def _texts(message: Message, found: _Found) -> list[str]:
    texts: list[str] = []
    for wanted in ("text/plain", "text/html"):
        text = _Walk(wanted, found).text(message)
        if text is not None and _says(text) and text not in texts:
            texts.append(text)
    return texts


def _says(text: str) -> bool:
    """Whether a text says anything: the traces of dropped quotes are nothing."""
    return any(line.strip() not in ("", ">") for line in text.splitlines())


def _attached(part: Message) -> str:
    """Return an attached text, "" where it is too long, damaged, or no text at all."""
    data = payload(part)
    if len(data) > MAX_TEXT_BYTES or _is_cut_short(part):
        return ""
    text = decode(data, part.get_content_charset())
    if any(char < " " and char not in "\t\n\r\f" for char in text):
        return ""
    if kind_of(part) == "text/html":
        try:
            return read_html(text).own
        except UnreadableHtmlError:
            return ""
    return from_plain(part, text)


def _is_cut_short(part: Message) -> bool:
    return any(isinstance(defect, InvalidBase64LengthDefect) for defect in part.defects)


class _Walk:
    """One reading of the parts, preferring one kind of text where alternatives are offered."""

    def __init__(self, wanted: str, found: _Found) -> None:
        self._wanted = wanted
        self._found = found
        self._left = _MAX_PARTS

    def text(self, part: Message, depth: int = 0) -> str | None:
        """Return a part's text; None, with the hindrance noted, where all or some can't be read."""
        self._left -= 1
        if depth > _MAX_DEPTH or self._left < 0:
            self._found.hindrances.add("too-complex")
            return None
        kind = kind_of(part)
        if kind == "multipart/encrypted":
            self._found.hindrances.add("encrypted")
            return ""
        parts = children(part)
        if parts is None:
            return self._leaf(part, kind)
        if part.get_content_maintype() == "message":
            self._found.hindrances.add("attachment-only")
            self._found.files_unread = True
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
        hindrances = self._found.hindrances
        if kind == "application/ms-tnef" or (part.get_filename() or "").lower() == "winmail.dat":
            hindrances.add("tnef")
            return ""
        if kind in _OPAQUE:
            enveloped = "enveloped" in str(part.get_param("smime-type", "")).casefold()
            hindrances.add("encrypted" if enveloped else "smime")
            return ""
        is_text = kind in ("text/plain", "text/html") or part.get_content_maintype() == "multipart"
        if not is_text or self._is_file(part):
            signature = kind.endswith("-signature")
            if not signature:
                hindrances.add("attachment-only")
            if not (is_text or is_text_file(part, kind)):
                self._found.files_unread |= not kind.startswith("text/") and not signature
            elif part not in self._found.attached:
                self._found.attached.append(part)
            return ""
        if id(part) not in self._found.rendered:
            self._found.rendered[id(part)] = self._rendered(part, kind)
        return self._found.rendered[id(part)]

    def _is_file(self, part: Message) -> bool:
        if disposition(part) == "attachment":
            return True
        return part.get_filename() is not None and not self._found.named_too

    def _rendered(self, part: Message, kind: str) -> str | None:
        data = payload(part)
        self._found.spent[kind] += len(data)
        if self._found.spent[kind] > MAX_TEXT_BYTES:
            self._found.hindrances.add("too-long")
            return None
        if _is_cut_short(part):
            self._found.hindrances.add("damaged")
            return None
        text = decode(data, part.get_content_charset())
        if _PGP_MESSAGE in text:
            self._found.hindrances.add("encrypted")
            return ""
        is_html = kind == "text/html" or _HTML.match(text) is not None
        self._found.kinds.add("text/html" if is_html else "text/plain")
        return self._from_html(text) if is_html else from_plain(part, text)

    def _from_html(self, text: str) -> str | None:
        try:
            said = read_html(text)
        except UnreadableHtmlError:
            self._found.hindrances.add("too-complex")
            return None
        self._found.struck += [said.struck] if said.struck else []
        self._found.dropped += [said.dropped] if said.dropped else []
        self._found.blank_html = self._found.blank_html or not _says(said.own)
        return said.own


def _holds(part: Message, kind: str, depth: int) -> bool:
    """Return whether a part is of a kind or holds one that is, attachments apart."""
    parts = children(part)
    if parts is not None and depth:
        return any(_holds(one, kind, depth - 1) for one in parts)
    return kind_of(part) == kind and disposition(part) != "attachment"
