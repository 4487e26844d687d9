"""Answers what is meant as an order and is none from end to end (ORDERS.md, "An order line")."""

from __future__ import annotations

import re
from dataclasses import replace

from postal.engine.orders import Order
from postal.engine.problems import NO_FIGURES, Fault, Figures
from postal.engine.words import BET_WORDS, VERB_WORDS
from postal.ordertext.arguments import read_arguments
from postal.ordertext.folding import key, without_prefixes
from postal.ordertext.headed import Said, letters_of, read_direct, unnamed_tables
from postal.ordertext.heads import read_head
from postal.ordertext.likeness import looks_like_order
from postal.ordertext.mending import own_lines
from postal.ordertext.sentences import all_but, ends, meant_verb, tables_named
from postal.ordertext.types import Context, Refusal
from postal.ordertext.words import CONDITION_WORDS

_OPENERS = frozenset(
    {"i", "i'll", "i'd", "i'm", "am", "will", "please", "pls", "and", "then", "also", "ok", "going"}
)
_LABEL = re.compile(r"[^:=, ]{1,20}(?: [^:=, ]{1,20})? ?[:=,] ?")
_SEVERAL = re.compile(
    r"(?:(?:at|on|in|for) )?(?:both )?(?:(?:tables?|hands?) )?"
    r"(?P<tables>[^\W\d_][0-9]{0,2}(?:(?: ?(?:,|/|&|\+|,? and) ?| )[^\W\d_][0-9]{0,2})+)"
    r"(?=[ :,)]) ?[:,)\-]* ?"
)
_TABLE = re.compile(r"(?<![^\W_])([^\W\d_])[0-9]{0,2}(?![^\W_])")
_AT = r"(?:table |hand )?[^\W\d_][0-9]{0,2}"
_NEXT_ORDER = re.compile(
    rf"(?: ?(?:[,/.|&+•]|-+)| and| then|,? and then) (?={_AT}[ :)\-])"
    rf"|[,/|&+](?={_AT}[:)])"
    rf"| (?=(?:[0-9]{{1,2}}[.)] ?)?{_AT}[:)])"
    rf"| (?={_AT} (?:{'|'.join(sorted(word for word in VERB_WORDS if len(word) > 1))})\b)"
)
_RUN_TOGETHER = re.compile(r"(?P<tables>[a-z]{2,8}) ?: ?")
_JOINS = re.compile(r" ?(?:[,;/.]|,? and then|,? and|,? then) ")
_NEGATION = re.compile(r"(?:please )?(?:don't|dont|do not|never|no) ")
_PAST = frozenset({"was", "were", "did", "had"})
_COPYRIGHT = re.compile(r"\(c\) ?(?:19|20)[0-9]{2}\b")
_OPENING_MARKS = "([{<"
_MOST_ORDERS = 8


def several_tables(said: Said) -> Refusal | None:
    """Refuse ``A/B fold``: a line is for one table."""
    found = _SEVERAL.match(said.text) or _RUN_TOGETHER.match(said.text)
    if found is None:
        return None
    named = found["tables"]
    tables = _own_tables(" ".join(named) if named.isalpha() else named, said.context)
    if named.isalpha() and len(tables) < len(named):
        return None
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
    texts = [text for part in parts if (text := without_prefixes(part.strip(" ,;")))]
    good: list[Order] = []
    for text in texts:
        order = read_direct(replace(said, text=text, letterless=False))
        if order is None or isinstance(order, Refusal):
            return None
        good.append(order)
    if len(good) == 1:
        return None
    lines = tuple(order.line() for order in good)
    tables = tuple(dict.fromkeys(order.table for order in good))
    figures = Figures(text=texts[1])
    return Refusal(Fault.SECOND_ORDER, figures, lines, said.context.hands_at(tables))


def turned_orders(said: Said) -> Refusal | None:
    """Refuse ``Fold A, stay B``: each with its table, which stands behind."""
    parts = _JOINS.split(said.text, maxsplit=_MOST_ORDERS)
    meant: dict[str, None] = {}
    tables: dict[str, None] = {}
    for part in parts if len(parts) > 1 else ():
        words = _verb_on(part.split())
        table = _one_table(part, words, said) if words else ""
        if not table:
            return None
        tables[table] = None
        meant |= dict.fromkeys(own_lines(" ".join(words), [table], said.context))
    if not meant:
        return None
    figures = Figures(text=parts[1].strip(" ,"))
    return Refusal(Fault.SECOND_ORDER, figures, tuple(meant), said.context.hands_at(tables))


def _verb_on(words: list[str]) -> list[str]:
    """Return words from their verb on, behind ``I'll`` and the like; none without a bet."""
    while words and key(words[0]) in _OPENERS:
        words = words[1:]
    return words if words and key(words[0]) in BET_WORDS and len(key(words[0])) > 1 else []


def _one_table(part: str, order: list[str], said: Said) -> str:
    """Return the one table that a part names, if its words from the verb on look like an order."""
    tables = tables_named(part.split(), said.context, capital=said.capital)
    meant = len(tables) == 1 and looks_like_order(order, letters_of(said.context), headed=False)
    return tables[0] if meant else ""


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
    within = replace(said, text=inner, letterless=True)
    if read_direct(within) is None:
        return None
    several = several_orders(within) or turned_orders(within)
    if several is not None:
        return several
    head = read_head(inner, said.context)
    tables = (head.table,) if head and head.known else within.tables()
    return said.refused(Fault.WORDS_BEFORE_ORDER, inner, tables)


def _opened(folded: str) -> str:
    """Return what follows an opening; ``A> fold`` is put right. Empty where there is none."""
    if folded[1:2] == ">":
        return f"{folded[0]}:{folded[2:]}"
    if _COPYRIGHT.match(folded):
        return ""
    inner = folded.lstrip(_OPENING_MARKS)
    words = inner.split()
    start = 0
    while start < len(words) and words[start].rstrip(",") in _OPENERS:
        start += 1
    if start:
        inner = " ".join(words[start:])
    elif inner == folded:
        label = _LABEL.match(folded)
        told = label is not None and _PAST.intersection(label[0].split())
        inner = folded[label.end() :] if label and not told else folded
    return "" if inner == folded else inner.rstrip(")]}> ")


def order_at_end(said: Said) -> Refusal | None:
    """Answer a sentence that ends in an order from end to end, ``if Cleo raises, A: fold``."""
    for end in ends(said.text, said.context, capital=said.capital):
        order = read_direct(replace(said, text=end, letterless=False))
        if isinstance(order, Refusal):
            if order.fault is Fault.RAISE_TO and order.examples:
                return order
            continue
        if order is None:
            continue
        if ":" not in end and _PAST.intersection(said.words):
            continue  # "my A was a fold, B a stay"
        conditional = key(said.words[0]) in CONDITION_WORDS
        fault = Fault.CONDITION if conditional else Fault.WORDS_BEFORE_ORDER
        others = all_but(said.words, said.context, capital=said.capital)
        return said.refused(fault, end, others or (order.table,))
    return None


def mentioned(said: Said) -> Refusal | None:
    """Answer a sentence in which he names a table and says what he does there."""
    if not tables_named(said.words, said.context, capital=said.capital):
        return None
    at = meant_verb(said.words, said.context)
    if at is None:
        return None
    text = " ".join(said.words[at:])
    return said.refused(Fault.NOT_END_TO_END, text)
