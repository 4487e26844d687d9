"""Reads a verb and what follows it, at a table that is known."""

from __future__ import annotations

from postal.engine.orders import Give, Order
from postal.engine.problems import Fault, Figures
from postal.engine.words import BET_WORDS, DIRECTION_WORDS, GIVE_WORDS, KEEP_WORDS
from postal.ordertext.bets import read_bet
from postal.ordertext.cards import is_card, spaced
from postal.ordertext.folding import key
from postal.ordertext.gifts import read_give
from postal.ordertext.keeps import read_keep
from postal.ordertext.sums import bare_sum
from postal.ordertext.types import Context, Refusal
from postal.ordertext.words import expose_length, is_all_in


def read_arguments(table: str, text: str, context: Context) -> Order | Refusal:
    """Return the order that a folded text, from its verb on, means at a table (or ALL_TABLES).

    A give may leave its verb out.
    """
    words = text.split()
    verb = key(words[0]) if words else ""
    if verb in GIVE_WORDS:
        return read_give(table, text[len(words[0]) :].lstrip(" :"), context)
    if verb in KEEP_WORDS or (words and expose_length(words, 0)):
        return read_keep(table, words)
    if verb in BET_WORDS or is_all_in(words):
        return read_bet(table, words)
    if "/" in text or "to" in words or any(key(word) in DIRECTION_WORDS for word in words):
        give = read_give(table, text, context)
        if isinstance(give, Give) or any(is_card(word) for word in spaced(text)):
            return give
    return _no_verb(table, words)


def _no_verb(table: str, words: list[str]) -> Refusal:
    figures = Figures(table=table, text=" ".join(words))
    if not words:
        return Refusal(Fault.NOTHING_AFTER_TABLE, figures)
    if key(words[0]) in ("cancel", "undo") or words == ["take", "back"]:
        return Refusal(Fault.CANCEL_AFTER_TABLE, figures, (f"cancel {table}",))
    if bare_sum(figures.text) is not None:
        return Refusal(Fault.SUM_ALONE, figures)
    return Refusal(Fault.NO_VERB, figures)
