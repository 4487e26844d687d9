"""Reads raise, stay, fold, check and call with what belongs to them (ORDERS.md, "bet")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from postal.engine.cards import Card
from postal.engine.orders import Bet, LimitRaise
from postal.engine.problems import Fault, Figures
from postal.engine.words import BET_WORDS, LIMIT_WORDS, RAISE_WORDS, Limit, Verb
from postal.ordertext.cards import read_cards
from postal.ordertext.folding import key
from postal.ordertext.money import read_money, refuse_sum
from postal.ordertext.sums import SUM_WORDS, sum_meant
from postal.ordertext.types import Refusal
from postal.ordertext.words import (
    ALTERNATIVES,
    CONDITION_WORDS,
    LINKS,
    expose_length,
    is_all_in,
    without_condition,
    without_links,
)

_BEFORE_LIMIT = frozenset({"by", "the"})


def read_bet(table: str, words: list[str]) -> Bet | LimitRaise | Refusal:
    """Return the bet that folded words from the verb on mean at a table (or ALL_TABLES)."""
    if is_all_in(words):
        return refuse_all_in(table)
    before, shown = _at_expose(words[1:])
    verb = "raise" if key(words[0]) in RAISE_WORDS else key(words[0])
    amount = _amount(table, before) if verb == "raise" else _no_amount(table, verb, before)
    cards: tuple[Card, ...] | Refusal = ()
    if shown is not None:
        cards = read_cards(shown)
    if isinstance(amount, Refusal):
        return amount if isinstance(cards, Refusal) else _if_added(amount, table, before, cards)
    if isinstance(cards, Refusal):
        return cards
    if isinstance(amount, str):
        return LimitRaise(table, amount, cards)
    return Bet(table, cast("Verb", verb), amount, cards)


def refuse_all_in(table: str) -> Refusal:
    """Return the answer to ``all in``: a raise is a sum."""
    return refuse_sum(Fault.ALL_IN, table)


def second_bet(words: Sequence[str]) -> bool:
    """Whether folded words behind a verb hold another bet, as ``40000, else fold`` does."""
    linked = False
    for word in words:
        if linked and key(word) in BET_WORDS:
            return True
        linked = word in LINKS or key(word) in ALTERNATIVES or word.endswith(",")
    return False


def _at_expose(words: list[str]) -> tuple[list[str], list[str] | None]:
    """Part words at ``expose``, dropping ``and`` and ``if stayed`` beside it."""
    for at in range(len(words)):
        length = expose_length(words, at)
        if length:
            before = without_links(without_condition(without_links(words[:at])))
            return before, without_links(without_condition(words[at + length :]))
    return without_links(words), None


def _amount(table: str, words: list[str]) -> int | Limit | Refusal:
    """Return the sum or the limit of a raise."""
    if words and key(words[0]) == "by":
        words = words[1:]
    fault = _no_sum(words)
    if fault is not None:
        return refuse_sum(fault, table)
    text = " ".join(words)
    limit = limit_named(words)
    if limit:
        return limit[0] if limit[1] == len(words) else refuse_sum(Fault.UNCLEAR_SUM, table, text)
    pounds = read_money(text, table)
    if isinstance(pounds, Refusal) and pounds.fault is Fault.NOT_A_SUM:
        in_words = not SUM_WORDS.isdisjoint(words) and sum_meant(text) is not None
        return refuse_sum(Fault.SUM_IN_WORDS, table, text) if in_words else pounds
    return pounds


def _no_sum(words: list[str]) -> Fault | None:
    """Return why the words behind a raise can be no sum; None where they may be one."""
    if not words:
        return Fault.NO_SUM
    if is_all_in(words):
        return Fault.ALL_IN
    if key(words[0]) == "to":
        return Fault.RAISE_TO
    if second_bet(words):
        return Fault.TWO_ORDERS
    conditional = CONDITION_WORDS.intersection(map(key, words))
    return Fault.CONDITION if conditional and without_condition(words) == words else None


def _if_added(
    refusal: Refusal, table: str, words: Sequence[str], cards: tuple[Card, ...]
) -> Refusal:
    """Return the refusal of ``raise to 60000`` with the raise of that sum, of others as it is.

    They are one only while what a raise adds is all that it comes to: the state of the hand
    decides whether the line may be offered.
    """
    pounds = sum_meant(" ".join(words[1:])) if refusal.fault is Fault.RAISE_TO else None
    if pounds is None:
        return refusal
    return replace(refusal, examples=(Bet(table, "raise", pounds, cards).line(),))


def limit_named(words: Sequence[str]) -> tuple[Limit, int] | None:
    """Return the limit that words begin with, ``the maximum``, and how many words say so."""
    at = 0
    while at < len(words) and words[at] in _BEFORE_LIMIT:
        at += 1
    limit = LIMIT_WORDS.get(key(words[at])) if at < len(words) else None
    return (limit, at + 1) if limit else None


def _no_amount(table: str, verb: str, words: list[str]) -> int | Refusal:
    if not words:
        return 0
    text = " ".join(words)
    figures = Figures(table=table, verb=verb, text=text)
    if not isinstance(read_money(text, table), Refusal):
        return Refusal(Fault.SUM_NOT_TAKEN, figures)
    if key(words[0]) in CONDITION_WORDS:
        return Refusal(Fault.CONDITION, figures)
    if second_bet([",", *words]):
        return Refusal(Fault.TWO_ORDERS, figures)
    return Refusal(Fault.WORDS_AFTER_VERB, figures)
