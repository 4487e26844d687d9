"""What the parts of a mail are read as: their kinds as they are meant, and plain texts undone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from postal.mail.plaintext import unflow

if TYPE_CHECKING:
    from email.message import Message

_HTML_KINDS = frozenset({"text/html", "text/htm", "text/xhtml", "application/xhtml+xml"})
# Texts in a form of their own, which say nothing to be read, or say the same again. Every other
# text is plain text, however it is called (RFC 2046, 4.1.4).
_OWN_FORMS = frozenset({
    "text/calendar", "text/vcard", "text/x-vcard", "text/directory", "text/css", "text/javascript",
    "text/ecmascript", "text/rtf", "text/xml", "text/x-amp-html", "text/watch-html",
    "text/rfc822-headers",
})  # fmt: skip
_TAGGED = frozenset({"text/enriched", "text/richtext"})  # RFC 1896
_TAG = re.compile(r"<(?:param>[^<>]{0,200}</param|/?[a-z0-9-]{1,60})>", re.IGNORECASE)
_TEXT_FILE = re.compile(r".+\.(?:txt|text|md|asc|log)", re.IGNORECASE)
_MAYBE_TEXT = frozenset({"application/octet-stream", "application/text", "application/x-text"})


def kind_of(part: Message) -> str:
    """Return what a part is read as: unknown texts are ``text/plain``, and so on."""
    kind = part.get_content_type()
    if kind in _HTML_KINDS:
        return "text/html"
    return "text/plain" if kind.startswith("text/") and kind not in _OWN_FORMS else kind


def disposition(part: Message) -> str:
    """Return a part's disposition, as ``attachment``, "" where it has none."""
    return part.get_content_disposition() or ""


def is_text_file(part: Message, kind: str) -> bool:
    """Whether a part that is declared to be no text is a text by its file's name."""
    return kind in _MAYBE_TEXT and _TEXT_FILE.fullmatch(part.get_filename() or "") is not None


def from_plain(part: Message, text: str) -> str:
    """Return the text of a plain part without its tags (RFC 1896) and with its lines undone."""
    if part.get_content_type() in _TAGGED:
        return _TAG.sub("", text).replace("<<", "<")
    if str(part.get_param("format", "")).casefold() == "flowed":
        delete_space = str(part.get_param("delsp", "")).casefold() == "yes"
        return unflow(text, delete_space=delete_space)
    return text
