"""Answers what is meant as an order and is none from end to end (ORDERS.md, "An order line")."""

from __future__ import annotations

import re
from dataclasses import replace

from postal.engine.problems import NO_FIGURES, Fault, Figures
from postal.engine.words import BET_WORDS
from postal.ordertext.arguments import read_arguments
from postal.ordertext.folding import key
from postal.ordertext.headed import Said, letters_of, read_direct, unnamed_tables
from postal.ordertext.heads import read_head
from postal.ordertext.likeness import looks_like_order
from postal.ordertext.sentences import ends, meant_verb, tables_named
from postal.ordertext.types import Context, Refusal
from postal.ordertext.words import CONDITION_WORDS

_OPENERS = frozenset(
    {"i", "i'll", "i'd", "i'm", "am", "will", "please", "pls", "and", "then", "also", "ok", "going"}
)
_LABEL = re.compile(r"[^:=, ]{1,20}(?: [^:=, ]{1,20})? ?[:=,] ?")
_SEVERAL = re.compile(
    r"(?:(?:at|on|in|for) )?(?:both )?(?:(?:tables?|hands?) )?"
    r"(?P<tables>[^\W\d_][0-9]{0,2}(?: ?(?:,|/|&|\+|,? and) ?[^\W\d_][0-9]{0,2})+)"
    r"(?=[ :,)]) ?[:,)\-]* ?"
)
_TABLE = re.compile(r"(?<![^\W_])([^\W\d_])[0-9]{0,2}(?![^\W_])")
_NEXT_ORDER = re.compile(
    r"(?:,|/|\.| and| then|,? and then) (?=(?:table |hand )?[^\W\d_][0-9]{0,2}[ :)\-])"
    r"| (?=(?:table |hand )?[^\W\d_][0-9]{0,2}[:)])"
)
_NEGATION = re.compile(r"(?:please )?(?:don't|dont|do not|never|no) ")
_OPENING_MARKS = "([{<"
_MOST_ORDERS = 8


def several_tables(said: Said) -> Refusal | None:
    """Refuse ``A/B fold``: a line is for one table."""
    found = _SEVERAL.match(said.text)
    if found is None:
        return None
    tables = _own_tables(found["tables"], said.context)
    rest = said.text[found.end() :]
    words = rest.split()
    if len(tables) < 2 or not words:  # noqa: PLR2004 - several
        return None
    order = read_arguments(tables[0], rest, said.context)
    meant = not isinstance(order, Refusal) or looks_like_order(words, (), headed=True)
    return said.refused(Fault.SEVERAL_TABLES, rest, tables) if meant else None


def _own_tables(text: str, context: Context) -> list[str]:
    letters = [letter.upper() for letter in _TABLE.findall(text)]
    return [letter for letter in dict.fromkeys(letters) if letter in context.hands]


def several_orders(said: Said) -> Refusal | None:
    """Refuse ``A - fold, B - stay``: a line is one order, but for those behind a ``;``."""
    parts = _NEXT_ORDER.split(said.text, maxsplit=_MOST_ORDERS)
    if len(parts) == 1:
        return None
    orders = [read_direct(replace(said, text=part.strip(" ,"), letterless=False)) for part in parts]
    good = [order for order in orders if order is not None and not isinstance(order, Refusal)]
    if len(good) < len(parts):
        return None
    lines = tuple(order.line() for order in good)
    tables = tuple(dict.fromkeys(order.table for order in good))
    figures = Figures(text=parts[1].strip(" ,"))
    return Refusal(Fault.SECOND_ORDER, figures, lines, said.context.hands_at(tables))


def negated(said: Said) -> Refusal | None:
    """Answer ``don't fold A``: no order says what not to do."""
    head = read_head(said.text, said.context)
    rest = head.rest if head and head.known else said.text
    found = _NEGATION.match(rest)
    words = rest[found.end() :].split() if found else []
    if not (words and key(words[0]) in BET_WORDS and len(key(words[0])) > 1):
        return None
    letters = [*letters_of(said.context), "yet", "now", "please", "after", "my", "this", "anything"]
    if not looks_like_order(words, letters, headed=False):
        return None
    tables = (head.table,) if head and head.known else said.tables()
    lines = tuple(f"cancel {table}" for table in tables or unnamed_tables(said.context))
    return Refusal(Fault.NEGATED, NO_FIGURES, lines, said.context.hands_at(tables))


def behind_opening(said: Said) -> Refusal | None:
    """Answer an order behind a bracket, ``Please``, ``I'll``, ``Puke:`` or ``A,``."""
    inner = _opened(said.text)
    if not inner:
        return None
    if read_direct(replace(said, text=inner, letterless=True)) is None:
        return None
    head = read_head(inner, said.context)
    tables = (head.table,) if head and head.known else ()
    return said.refused(Fault.WORDS_BEFORE_ORDER, inner, tables)


def _opened(folded: str) -> str:
    """Return what follows an opening; ``A> fold`` is put right. Empty where there is none."""
    if folded[1:2] == ">":
        return f"{folded[0]}:{folded[2:]}"
    inner = folded.lstrip(_OPENING_MARKS)
    words = inner.split()
    start = 0
    while start < len(words) and words[start].rstrip(",") in _OPENERS:
        start += 1
    if start:
        inner = " ".join(words[start:])
    elif inner == folded:
        label = _LABEL.match(folded)
        inner = folded[label.end() :] if label else folded
    return "" if inner == folded else inner.rstrip(")]}> ")


def order_at_end(said: Said) -> Refusal | None:
    """Answer a sentence that ends in an order from end to end, ``if Cleo raises, A: fold``."""
    for end in ends(said.text, said.context, capital=said.capital):
        order = read_direct(replace(said, text=end, letterless=False))
        if isinstance(order, Refusal):
            if order.fault is Fault.RAISE_TO and order.examples:
                return order
        elif order is not None:
            conditional = key(said.words[0]) in CONDITION_WORDS
            fault = Fault.CONDITION if conditional else Fault.WORDS_BEFORE_ORDER
            return said.refused(fault, end, (order.table,))
    return None


def mentioned(said: Said) -> Refusal | None:
    """Answer a sentence in which he names a table and says what he does there."""
    tables = tables_named(said.words, said.context, capital=said.capital)
    if not tables:
        return None
    at = meant_verb(said.words)
    if at is None:
        return None
    text = " ".join(said.words[at:])
    return said.refused(Fault.NOT_END_TO_END, text, tables)
