"""Tells a player's own lines from what his mail client quotes, heads and signs (ORDERS.md)."""

from __future__ import annotations

import re

from postal.engine.words import MARKER, VERB_WORDS
from postal.ordertext.folding import key, without_prefixes

MARKER_EDGE, _MARKER_WORD = MARKER.casefold().split()[:2]

_SENDER = "from von de da van od från"
_DATE = "sent date gesendet datum envoyé enviado fecha data inviato verzonden wysłano skickat"
_DATE_LONG = ("envoyé le", "enviado el", "enviado em", "enviada em", "skickat den", "gesendet am")
_RECEIVER = "to an à para aan do till cc kopie kopia cci dw"
_SUBJECT = "subject betreff objet asunto oggetto onderwerp temat assunto ämne"
_HEADERS = {
    **dict.fromkeys(_SENDER.split(), "from"),
    **dict.fromkeys(_DATE.split(), "date"),
    **dict.fromkeys(_DATE_LONG, "date"),
    **dict.fromkeys(_RECEIVER.split(), "to"),
    **dict.fromkeys(_SUBJECT.split(), "subject"),
}
_LONGEST_HEADER = 12
_ORIGINALS = (
    "original message",
    "ursprüngliche nachricht",
    "originalnachricht",
    "message d'origine",
    "mensaje original",
    "messaggio originale",
    "oorspronkelijk bericht",
    "wiadomość oryginalna",
    "oryginalna wiadomość",
    "mensagem original",
    "ursprungligt meddelande",
    "forwarded message",
)
_WROTE = (
    "wrote",
    "schrieb",
    "a écrit",
    "escribió",
    "ha scritto",
    "schreef",
    "napisał",
    "napisał(a)",
    "napisała",
    "escreveu",
    "skrev",
)
QUOTE_MARKS = (">", "|", "::")
_INITIALS = re.compile(r"[^\W\d_]{1,4}>+ ?")
"""Some clients put the writer's initials before the mark: ``R> hello``."""


def quote_mark(folded: str) -> str:
    """Return the mark that makes a folded line quoted, ``>``, ``|`` or ``::``; else nothing.

    A bullet before the mark, as a list in HTML leaves it, changes nothing.
    """
    start = without_prefixes(folded)
    initials = _INITIALS.match(start)
    # "A> raise 5000" is an order gone wrong, which is answered.
    if initials and key(start[initials.end() :].partition(" ")[0]) not in VERB_WORDS:
        return ">"
    return next((mark for mark in QUOTE_MARKS if start.startswith(mark)), "")


def guard(raw: str) -> str:
    """Return a raw line from its ``::`` or ``|`` on, "" where it has none in front.

    Quote marks and bullets before it change nothing.
    """
    bare = raw.lstrip(_BEFORE_GUARD)
    return bare.rstrip() if bare.startswith(("::", "|")) else ""


_BEFORE_GUARD = " \t\u00a0\ufeff>-•*"


def unquoted(raw: str) -> str:
    """Return a raw line without the marks that quote it."""
    initials = _INITIALS.match(raw)
    raw = raw[initials.end() :] if initials else raw
    return raw.lstrip(" \t\u00a0>|:-•*")


def is_marker(folded: str, following: str) -> bool:
    """Whether a folded line that is not quoted holds the marker, or its beginning.

    A client that wraps lines anew may have left ``Reply`` for the following line.
    """
    if f"{MARKER_EDGE} {_MARKER_WORD}" in folded:
        return True
    return folded.endswith(MARKER_EDGE) and following.startswith(_MARKER_WORD)


def is_signature(raw: str) -> bool:
    """Whether a line is the separator before a signature, ``--`` and nothing else.

    PGP's clear text puts ``- `` before a line that begins with a dash.
    """
    return raw.strip() in ("--", "- --")


def header_kind(folded: str) -> str | None:
    """Return which header a folded line is (from, date, to, subject), None where it is none.

    The Italian ``A:`` is left out, since it is a table too.
    """
    name, colon, _ = folded[: _LONGEST_HEADER + 2].partition(":")
    return _HEADERS.get(name.strip()) if colon else None


def is_block_start(folded: str, following: str) -> bool:
    """Whether two folded lines, next to each other, begin a mail client's header block."""
    first, second = header_kind(folded), header_kind(following)
    return first is not None and second is not None and first != second


def is_original_line(folded: str) -> bool:
    """Whether a folded line is ``-----Original Message-----`` in one of the usual languages."""
    return folded.startswith("--") and folded.strip("- ").removeprefix("begin ") in _ORIGINALS


def is_attribution(folded: str) -> bool:
    """Whether a folded line ends as ``On Monday Joe wrote:`` does."""
    if not folded.endswith(":"):
        return False
    said = folded.rstrip(": ")
    # German puts the writer behind the verb: "Am Montag schrieb Joe:".
    return said.endswith(_WROTE) or " schrieb " in said or " schreef " in said
