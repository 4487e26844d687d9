"""Reads raise, stay, fold, check and call with what belongs to them (ORDERS.md, "bet")."""

from __future__ import annotations

from typing import cast

from postal.engine.orders import Bet
from postal.engine.problems import Fault, Figures
from postal.engine.words import RAISE_WORDS, Verb
from postal.ordertext.cards import read_cards
from postal.ordertext.folding import key
from postal.ordertext.money import read_money, refuse_sum
from postal.ordertext.types import Refusal
from postal.ordertext.words import (
    expose_length,
    is_all_in,
    without_condition,
    without_links,
)


def read_bet(table: str, words: list[str]) -> Bet | Refusal:
    """Return the bet that folded words from the verb on mean at a table (or ALL_TABLES)."""
    if is_all_in(words):
        return refuse_all_in(table)
    before, shown = _at_expose(words[1:])
    verb = "raise" if key(words[0]) in RAISE_WORDS else key(words[0])
    amount = _amount(table, before) if verb == "raise" else _no_amount(table, verb, before)
    if isinstance(amount, Refusal):
        return amount
    if shown is None:
        return Bet(table, cast("Verb", verb), amount)
    cards = read_cards(shown)
    if isinstance(cards, Refusal):
        return cards
    return Bet(table, cast("Verb", verb), amount, cards)


def refuse_all_in(table: str) -> Refusal:
    """Return the answer to ``all in``: a raise is a sum."""
    return refuse_sum(Fault.ALL_IN, table)


def _at_expose(words: list[str]) -> tuple[list[str], list[str] | None]:
    """Part words at ``expose``, dropping ``and`` and ``if stayed`` beside it."""
    for at in range(len(words)):
        length = expose_length(words, at)
        if length:
            before = without_links(without_condition(without_links(words[:at])))
            return before, without_links(without_condition(words[at + length :]))
    return without_links(words), None


def _amount(table: str, words: list[str]) -> int | Refusal:
    if words and key(words[0]) == "by":
        words = words[1:]
    if not words:
        return refuse_sum(Fault.NO_SUM, table)
    if is_all_in(words):
        return refuse_all_in(table)
    if key(words[0]) == "to":
        return refuse_sum(Fault.RAISE_TO, table)
    return read_money(" ".join(words), table)


def _no_amount(table: str, verb: str, words: list[str]) -> int | Refusal:
    if not words:
        return 0
    text = " ".join(words)
    sum_named = not isinstance(read_money(text, table), Refusal)
    fault = Fault.SUM_NOT_TAKEN if sum_named else Fault.WORDS_AFTER_VERB
    return Refusal(fault, Figures(table=table, verb=verb, text=text), (f"{table}: {verb}",))
