"""Bytes of a text part to text: charsets as they are really used, and format=flowed undone."""

from __future__ import annotations

import codecs
import re

from postal.engine.words import ALL_TABLES, END_WORD, PLAIN_COMMANDS, VERB_WORDS

_FALLBACKS = ("utf-8", "cp1252", "latin-1")
# What is labelled latin-1 or ASCII is in truth often cp1252, which differs in unused codes only.
_READ_AS = {"iso8859-1": "cp1252", "ascii": "utf-8"}
# Under these names UTF-8 is often sent. Text in them is never UTF-8 by chance, and a separator
# whose letters are garbled would not be known for one: what is quoted below it would be read.
_WESTERN = frozenset({"cp1252", "iso8859-15", "cp1250", "iso8859-2"})
# Codecs of Python that are no charsets of mail; some are slow or warn on an enemy's bytes.
_NO_CHARSETS = frozenset({"unicode_escape", "raw_unicode_escape", "idna", "punycode", "undefined"})
_QUOTES = re.compile(r">+")
_SIGNATURE = "-- "
_ODD_NAME = re.compile(r"[^a-z0-9]+")
_FAMILY = re.compile(r"(?:windows|win|cp|ansi)(\d{3,4})|iso(8859)(\d{1,2})[ei]?")
# A line that begins as an order does is one by itself: some clients put a space at each line's end
# and declare that it flows.
_ORDER = re.compile(
    rf"[\s*_•-]*(?:(?:table|hand)\s+)?(?:[a-z]\d{{0,2}}|{ALL_TABLES})"
    rf"(?:\s*[:)]|[\s*-]+(?:{'|'.join(sorted(VERB_WORDS))})\b)",
    re.IGNORECASE,
)
_ALONE = PLAIN_COMMANDS | {END_WORD}
_CANCEL = re.compile(rf"[\s*_•-]*cancel\s+(?:[a-z]\d{{0,2}}|{ALL_TABLES})[\s.!*]*", re.IGNORECASE)


def decode(data: bytes, charset: str | None) -> str:
    """Return text: the declared charset, then utf-8, cp1252 and latin-1, which takes all bytes.

    What is valid UTF-8 is UTF-8 even where a Western charset of one byte is declared.
    """
    known = _known(charset)
    first = ("utf-8", known) if known in _WESTERN else (known,)
    for candidate in (*first, *_FALLBACKS):
        if candidate is None:
            continue
        try:
            text = data.decode(candidate)
        except (LookupError, ValueError):
            continue
        return text.removeprefix("\ufeff").replace("\0", "")
    raise AssertionError("latin-1 takes all bytes")


def unflow(text: str, *, delete_space: bool = False) -> str:
    """Return format=flowed text with its paragraphs on one line each (RFC 3676).

    Quoted lines keep their ``>``. A line stuffed with a space is the writer's own even where it
    goes on with ``>``: the mark is taken off, so that it isn't taken for a quote later. A line
    that begins as an order does stays one by itself, and so does a command below an order.
    """
    ordered = False
    done: list[list[str]] = []  # paragraphs, in pieces
    open_depth = -1  # quote depth of the last line if it flows on into the next, else -1
    for line in text.splitlines():
        quoted = _QUOTES.match(line)
        depth = quoted.end() if quoted else 0
        content = line[depth:]
        if content.startswith(" "):
            content = content[1:] if depth else content[1:].lstrip(">")
        flows = content.endswith(" ") and content != _SIGNATURE
        if flows and delete_space:
            content = content[:-1]
        begins = not depth and _begins(content, ordered=ordered)
        if depth == open_depth and content != _SIGNATURE and not begins:
            done[-1].append(content)
        else:
            done.append([f"{'>' * depth} {content}" if depth else content])
            ordered = begins
        open_depth = depth if flows else -1
    return "\n".join(map("".join, done))


def _begins(content: str, *, ordered: bool) -> bool:
    """Whether a line begins an order, or is a command below one (``ordered``)."""
    if _ORDER.match(content[:80]) or _CANCEL.fullmatch(content[:80]):
        return True
    return ordered and content.strip(" .!*").casefold() in _ALONE


def _known(charset: str | None) -> str | None:
    """Return Python's name of a declared charset, or None where it is none that mail uses."""
    named = (charset or "").strip("'\" ;,.")
    try:
        name = codecs.lookup(named).name
    except (LookupError, ValueError):
        try:
            name = codecs.lookup(_meant(named)).name
        except (LookupError, ValueError):
            return None
    name = _READ_AS.get(name, name)
    return None if name.replace("-", "_") in _NO_CHARSETS else name


def _meant(named: str) -> str:
    """Return the name of a charset without its slips: ``utf 8``, ``win-1251``, ``ISO 8859-1``."""
    squeezed = _ODD_NAME.sub("", named.casefold()[:100])
    if "utf8" in squeezed:
        return "utf-8"
    found = _FAMILY.search(squeezed)
    if found is None:
        return squeezed
    return f"cp{found[1]}" if found[1] else f"iso8859-{found[3]}"
