"""Reads one part of a line: an order, something meant as one, or prose."""

from __future__ import annotations

import re
from collections.abc import Mapping

from postal.engine.orders import Bet, Give, Order
from postal.engine.problems import Fault, Figures
from postal.engine.words import (
    ALL_TABLES,
    BET_WORDS,
    DIRECTION_WORDS,
    EXPOSE_WORDS,
    GIVE_WORDS,
    KEEP_WORDS,
)
from postal.ordertext.bets import read_bet, refuse_all_in
from postal.ordertext.cards import is_card, spaced
from postal.ordertext.folding import key
from postal.ordertext.gifts import read_give
from postal.ordertext.heads import Head, no_such_hand, read_head
from postal.ordertext.keeps import read_keep
from postal.ordertext.likeness import begins_with_verb, looks_like_order
from postal.ordertext.types import Context, Refusal
from postal.ordertext.words import expose_length, is_all_in

_OPENERS = frozenset(
    {"i", "i'll", "i'd", "i'm", "am", "will", "please", "pls", "and", "then", "also", "ok", "going"}
)
_LABEL = re.compile(r"[^:=, ]{1,20}(?: [^:=, ]{1,20})? ?[:=,] ?")
_TABLES = re.compile(r"(?:[^\W\d_][0-9]?,? ?(?:,|&|\band\b) ?){1,8}(?=[^\W\d_][0-9]?[ :)])")
_OPENING_MARKS = "([{<"
_DOUBTFUL = frozenset("?([{<>}]")


def read_order(
    folded: str, context: Context, *, letterless: bool = True
) -> tuple[Order | Refusal | None, str]:
    """Return what one folded part means and the name of the hand that it is for.

    None is prose. ``letterless`` is whether a game of one table lets the letter be left out.
    """
    found, hand = _direct(folded, context, letterless=letterless)
    if found is not None and not isinstance(found, Refusal):
        return _doubtful(folded, found) or found, hand
    if found is not None:
        return found, hand
    inner = _behind_opening(folded)
    if inner and _direct(inner, context, letterless=True)[0] is not None:
        example = f"{_table(context)}: fold"
        return Refusal(Fault.WORDS_BEFORE_ORDER, examples=(example,)), ""
    return None, ""


def _doubtful(folded: str, order: Order) -> Refusal | None:
    """Refuse an order that is put as a question or stands partly in brackets."""
    mark = next((char for char in folded if char in _DOUBTFUL), None)
    if mark is None:
        return None
    fault = Fault.QUESTION if mark == "?" else Fault.DOUBTFUL_MARK
    return Refusal(fault, Figures(table=order.table, text=mark), (order.line(),))


def _direct(
    folded: str, context: Context, *, letterless: bool
) -> tuple[Order | Refusal | None, str]:
    """Read a part as it stands, from its first character."""
    head = read_head(folded, context)
    if head is not None and not is_all_in(folded.split()):
        return _headed(head, context)
    words = folded.split()
    table = context.only_table if letterless else None
    if table is not None:
        order = _arguments(table, folded, context.neighbours.get(table, {}))
        if not isinstance(order, Refusal) or looks_like_order(words, (), headed=False):
            return order, context.hands[table]
        return None, ""
    if not looks_like_order(words, _letters(context), headed=False):
        return None, ""
    if is_all_in(words):
        return refuse_all_in(_table(context)), ""
    return _nameless(folded, context), ""


def _headed(head: Head, context: Context) -> tuple[Order | Refusal | None, str]:
    """Read a part that begins with a table, his or not."""
    words = head.rest.split()
    letters = _letters(context)
    if head.table == ALL_TABLES:
        return _for_all(head, letters), ""
    if not head.known:
        meant = looks_like_order(words, letters, headed=head.colon or head.worded)
        meant = meant or (head.colon and (bool(head.hand) or begins_with_verb(words)))
        if not meant and (head.number or head.worded):
            order = _arguments(head.table, head.rest, context.neighbours.get(head.table, {}))
            meant = not isinstance(order, Refusal)
        if head.table == "I" and not (head.colon or head.worded or head.number):
            return (_nameless(head.rest, context) if meant else None), ""
        return (no_such_hand(head, context) if meant else None), ""
    order = _arguments(head.table, head.rest, context.neighbours.get(head.table, {}))
    if isinstance(order, Refusal):
        meant = head.colon or looks_like_order(words, letters, headed=True)
        return (order if meant else None), head.hand
    return order, head.hand


def _nameless(text: str, context: Context) -> Refusal:
    table = _table(context)
    order = _arguments(table, text, context.neighbours.get(table, {}))
    example = f"{table}: fold" if isinstance(order, Refusal) else order.line()
    return Refusal(Fault.NO_TABLE_FIRST, examples=(example,))


def _for_all(head: Head, letters: list[str]) -> Order | Refusal | None:
    """Read what stands after ``all``, which takes bets only."""
    words = head.rest.split()
    order = _arguments(ALL_TABLES, head.rest, {})
    if isinstance(order, Bet):
        return order
    if isinstance(order, Refusal):
        meant = looks_like_order(words, letters, headed=True)
        if not (meant or (head.colon and begins_with_verb(words))):
            return None
        if key(words[0]) not in KEEP_WORDS | GIVE_WORDS | EXPOSE_WORDS:
            return order
    return Refusal(Fault.NOT_FOR_ALL, examples=("A: give 2C 5D next, 9H previous",))


def _arguments(table: str, text: str, neighbours: Mapping[str, int]) -> Order | Refusal:
    """Read a verb and what follows it; a give may leave its verb out."""
    words = text.split()
    verb = key(words[0]) if words else ""
    if verb in GIVE_WORDS:
        return read_give(table, text[len(words[0]) :].lstrip(" :"), neighbours)
    if verb in KEEP_WORDS or (words and expose_length(words, 0)):
        return read_keep(table, words)
    if verb in BET_WORDS or is_all_in(words):
        return read_bet(table, words)
    if "/" in text or "to" in words or any(key(word) in DIRECTION_WORDS for word in words):
        give = read_give(table, text, neighbours)
        if isinstance(give, Give) or any(is_card(word) for word in spaced(text)):
            return give
    return _no_verb(table, words)


def _no_verb(table: str, words: list[str]) -> Refusal:
    figures = Figures(table=table, text=" ".join(words))
    if words and key(words[0]) == "cancel":
        return Refusal(Fault.CANCEL_AFTER_TABLE, figures, (f"cancel {table}",))
    examples = (f"{table}: raise 40000", f"{table}: stay", f"{table}: fold")
    return Refusal(Fault.NO_VERB if words else Fault.NOTHING_AFTER_TABLE, figures, examples)


def _behind_opening(folded: str) -> str:
    """Return what follows a bracket, ``Please``, ``I'll``, ``Puke:`` or ``A, B``; else nothing.

    ``A> fold`` is put right.
    """
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
        label = _TABLES.match(folded) or _LABEL.match(folded)
        inner = folded[label.end() :] if label else folded
    return "" if inner == folded else inner.rstrip(")]}> ")


def _letters(context: Context) -> list[str]:
    return [letter.lower() for letter in context.hands]


def _table(context: Context) -> str:
    return min(context.hands, default="A")
