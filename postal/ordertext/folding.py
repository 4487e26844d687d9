"""Brings text to one plain form, so that phones, clients and lists make no difference."""

from __future__ import annotations

import re
import unicodedata
from itertools import groupby

BULLETS = frozenset("-+#•◦▪▫‣\u2043∙·●○■□►▸➢➤→✓✔")
_LOOK_LIKE_DIGITS = ("<super>", "<sub>", "<fraction>")
_ACUTE = "\u00b4"
_KEYCAP = "\u20e3"
_JOINER = "\u034f"

_MARKS = '"“”„‟″«»\u2039\u203a*_`'
"""Emphasis and quotation marks, which vanish at a word's edges; inside they stand."""

_PLAIN = {
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b\u2032\u02bc"), "'"),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"), "-"),
    **dict.fromkeys(map(ord, "\u2236\ua789\u02d0"), ":"),
}
_STROKES = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "\u0131": "i", "æ": "ae", "œ": "oe", "ð": "d"}
)
_MARK_SET = frozenset(_MARKS)
_NO_MARKS = dict.fromkeys(map(ord, _MARKS), None)
_BESIDE = re.compile(rf"([:;/()\[\]{{}}<>=→])[{re.escape(_MARKS)}]+")
_BESIDE_TOO = re.compile(rf"[{re.escape(_MARKS)}]+([:;/()\[\]{{}}<>=→])")


def _kept(char: str) -> str:
    """Return a character as it goes into NFKC: invisible ones vanish."""
    if unicodedata.category(char) == "Cf" or char == _JOINER or _is_variation(char):
        return ""
    if char == _ACUTE:
        return "'"
    return "." if char == _KEYCAP else char


def _stays(char: str) -> bool:
    """Whether a character is left out of NFKC, as raised digits and fractions are.

    It would make 4000² into 40002, and a sum must never be guessed at.
    """
    return unicodedata.decomposition(char).startswith(_LOOK_LIKE_DIGITS)


def _composed(text: str) -> str:
    runs = (("".join(run), stays) for stays, run in groupby(text, _stays))
    return "".join(run if stays else unicodedata.normalize("NFKC", run) for run, stays in runs)


def _is_variation(char: str) -> bool:
    return "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"


def fold(text: str) -> str:
    """Return text in NFKC, without case, emphasis or invisible characters, spaces single.

    >>> fold("**A:**  Raise £40,000")
    'a: raise £40,000'
    """
    return " ".join(filter(None, map(_without_marks, _unified(text).split())))


def _without_marks(word: str) -> str:
    """Return a word without the marks at its edges, or beside a bracket, a colon or a slash.

    Inside a word they stand, so that ``2*5000`` is never taken for a sum made of its pieces.
    """
    if not _MARK_SET.intersection(word):
        return word
    start, end = 0, len(word)
    while start < end and not word[start].isalnum():
        start += 1
    while end > start and not word[end - 1].isalnum():
        end -= 1
    inner = _BESIDE.sub(r"\1", _BESIDE_TOO.sub(r"\1", word[start:end]))
    return f"{word[:start].translate(_NO_MARKS)}{inner}{word[end:].translate(_NO_MARKS)}"


def _unified(text: str) -> str:
    if not text.isascii():
        text = _composed("".join(map(_kept, text)))
    text = text.casefold()
    if not text.isascii():
        text = _composed(text)
    return text.translate(_PLAIN)


def fold_char(char: str) -> str:
    """Return what one character by itself folds to: empty for what vanishes, spaces kept.

    What ``fold`` joins of several characters (a letter and its accent) is still apart here.
    """
    return "".join(" " if one.isspace() else one for one in _unified(char).translate(_NO_MARKS))


def vanishes(char: str) -> bool:
    """Whether a character is invisible by itself, and no part of what is written.

    >>> vanishes("\u200b"), vanishes("*")
    (True, False)
    """
    return not char.isascii() and not _kept(char)


def without_prefixes(folded: str) -> str:
    """Return a folded line without the bullets and numbers that clients and lists put first.

    >>> without_prefixes("- 1. a: fold")
    'a: fold'
    """
    at = 0
    while at < len(folded):
        if (folded[at] in BULLETS and not folded.startswith("->", at)) or folded[at] == " ":
            at += 1
            continue
        after = at + 2 if folded.startswith("->", at) else _after_numbering(folded, at)
        if after == at:
            break
        at = after
    return folded[at:]


def _after_numbering(folded: str, at: int) -> int:
    """Return the place after ``1.``, ``1)`` or ``(1)``, or ``at`` where none stands there."""
    start = at + (folded[at] == "(")
    end = start
    while end < len(folded) and end < start + 3 and folded[end] in "0123456789":
        end += 1
    closers = ")" if start > at else ".)"
    if end == start or folded[end : end + 1] not in tuple(closers):
        return at
    following = folded[end + 1 : end + 2]
    return at if following.isdigit() else end + 1


def fold_part(text: str) -> str:
    """Return one order's text, folded, without list prefixes and closing punctuation."""
    return without_prefixes(fold(text)).strip("' ").rstrip(" .!,;'")


def unaccented(folded: str) -> str:
    """Return a folded text without accents, so that Zoë is found where Zoe was written.

    >>> unaccented("zoë łuczak")
    'zoe luczak'
    """
    if folded.isascii():
        return folded
    apart = unicodedata.normalize("NFD", folded)
    return "".join(c for c in apart if unicodedata.category(c) != "Mn").translate(_STROKES)


def key(word: str) -> str:
    """Return a folded word without the punctuation around it."""
    return word.strip(",.:!?()'")
