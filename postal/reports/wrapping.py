"""Lays text out in 76 columns so that no line of it can be read as an order (ORDERS.md).

Lines ready to copy start with ``:: ``, other people's words with ``| ``. All else is prose: where
a word that could begin an order follows a space, that space is made one that never breaks, so
that neither our wrapping nor a mail client's puts the word at the start of a line.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Iterator
from functools import lru_cache
from html import escape as html_escape

from postal.engine.words import FIRST_WORDS, MARKER

COLUMNS = 76
ORDER_MARK = ":: "
QUOTE_MARK = "| "
MOST_TOGETHER = 5
"""The longest list of cards that is never broken."""

_QUOTED_COLUMNS = 54
_NO_BREAK = "\u00a0"
_NO_BREAK_MARK = "\u2060"

_WORDS = "|".join(sorted(FIRST_WORDS | {"order"}))
_RISKY = rf"(?:(?:{_WORDS})(?!\w)|\w\d{{0,2}}(?!\w)|\d{{1,3}}[.)](?!\w)|[^\w\s£|:(]+(?!\S))"
_BEFORE_RISKY = re.compile(rf"(?<=\S) +(?={_RISKY})", re.IGNORECASE)
_HYPHEN_BEFORE_RISKY = re.compile(
    rf"(?<=\w)-(?=(?:(?:{_WORDS})|[^\W\d]\d{{0,2}})(?!\w))", re.IGNORECASE
)
_CARD = r"(?:JKR|(?:10|[2-9TJQKA])[CDHS])"
_CARDS = re.compile(rf"(?<!\w){_CARD}(?: {_CARD})+(?!\w)")
_BEFORE_SUM = re.compile(r"(?<=\S) (?=-?£\d)")
_INDENT = re.compile(r" *(?:- )?")
_TEXT_NODE = re.compile(r">([^<]+)<")


def glue(prose: str, names: Collection[str] = ()) -> str:
    """Return prose in which no line break can come before a word that could begin an order.

    Nor can one come before or within one of ``names``, which their owners chose, before a sum,
    or within a few cards: they read better together.
    """
    return _glued(prose, tuple(names))


# The mails of a turn say much the same to everybody.
@lru_cache(maxsize=4096)
def _glued(prose: str, names: tuple[str, ...]) -> str:
    glued = _CARDS.sub(_keep_cards_together, _BEFORE_SUM.sub(_NO_BREAK, prose))
    if names:
        glued = _at_names(names).sub(_keep_together, glued)
    glued = _BEFORE_RISKY.sub(lambda gap: _NO_BREAK * len(gap.group()), glued)
    return _HYPHEN_BEFORE_RISKY.sub(f"-{_NO_BREAK_MARK}", glued)


@lru_cache(maxsize=64)
def _at_names(names: tuple[str, ...]) -> re.Pattern[str]:
    """Return what finds any of the names and the space before it, the same for a whole game."""
    longest_first = sorted(names, key=len, reverse=True)
    return re.compile(rf"(?:(?<=\S) |(?<!\w))(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")


def _keep_together(found: re.Match[str]) -> str:
    return found.group().replace(" ", _NO_BREAK)


def _keep_cards_together(found: re.Match[str]) -> str:
    """Return a list of cards, which may be broken where it is long."""
    few = found.group().count(" ") < MOST_TOGETHER
    return _keep_together(found) if few else found.group()


def glue_html(html: str, names: Collection[str] = ()) -> str:
    """Return HTML whose text is glued; tags and lines ready to copy stay as they were."""
    written = tuple(html_escape(name, quote=False) for name in names)
    return _TEXT_NODE.sub(lambda node: _glue_node(node, written), html)


def lay_out(text: str, names: Collection[str] = ()) -> str:
    """Return a rendered text template as the body of a mail.

    Each line of it is a paragraph, folded at 76 columns below its own indent; lines that start
    with ``:: `` stay as they are, with an empty line between them, so that a client that joins
    lines can't free one. Empty lines are never more than one.
    """
    laid: list[str] = []
    for line in text.splitlines():
        stripped = line.rstrip()
        if stripped.startswith((ORDER_MARK, QUOTE_MARK)) and laid and laid[-1]:
            laid.append("")
        laid += _paragraph(stripped, names)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(laid)).strip("\n") + "\n"


def quoted(words: str) -> tuple[str, ...]:
    """Return another person's words as short pieces, each for a line that starts with ``| ``.

    Control characters and odd spaces become plain ones; a piece can't be broken again.
    """
    plain = " ".join("".join(char if char.isprintable() else " " for char in words).split())
    pieces = textwrap.wrap(plain, _QUOTED_COLUMNS, break_on_hyphens=False) or [""]
    return tuple(piece.replace(" ", _NO_BREAK) for piece in pieces)


def _glue_node(node: re.Match[str], names: Collection[str]) -> str:
    text = node.group(1)
    if text.isspace():
        return node.group()
    marked = text.lstrip().startswith((ORDER_MARK, QUOTE_MARK))
    return node.group() if marked else f">{glue(text, names)}<"


def _paragraph(line: str, names: Collection[str]) -> Iterator[str]:
    # A headline is short and stands alone: it is never folded.
    if not line or line.startswith((ORDER_MARK, QUOTE_MARK, MARKER)) or line.isupper():
        yield line
        return
    found = _INDENT.match(line)
    indent = found.group() if found else ""
    glued = glue(line[len(indent) :], names)
    if len(indent) + len(glued) <= COLUMNS and "\t" not in glued:
        yield indent + glued
        return
    yield from textwrap.wrap(
        glued,
        COLUMNS,
        initial_indent=indent,
        subsequent_indent=" " * len(indent),
        break_long_words=False,
        break_on_hyphens=False,
    )
