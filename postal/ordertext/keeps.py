"""Reads keep, discard and expose (ORDERS.md, "keep" and "expose")."""

from __future__ import annotations

from postal.engine.cards import Card
from postal.engine.orders import Discard, Expose, Keep
from postal.engine.problems import Fault, Figures
from postal.engine.words import KEEP_WORDS
from postal.ordertext.cards import read_cards, spaced
from postal.ordertext.folding import key
from postal.ordertext.types import Refusal
from postal.ordertext.words import expose_length, without_links


def read_keep(table: str, words: list[str]) -> Keep | Discard | Expose | Refusal:
    """Return the keep, discard or expose that folded words, a verb first, mean at a table."""
    sections = _sections(words)
    if sections is None or {"keep", "discard"} <= set(sections):
        return Refusal(Fault.VERB_TWICE, Figures(table=table))
    kind = next((name for name in ("keep", "discard") if name in sections), None)
    if kind and "expose" not in sections:
        return Refusal(Fault.EXPOSE_MISSING, Figures(table=table, verb=kind))
    cards = _cards(sections, table)
    if isinstance(cards, Refusal):
        return cards
    if kind == "keep":
        return Keep(table, cards["keep"], cards["expose"])
    if kind == "discard":
        return Discard(table, cards["discard"], cards["expose"])
    return Expose(table, cards["expose"])


def _cards(sections: dict[str, list[str]], table: str) -> dict[str, tuple[Card, ...]] | Refusal:
    """Return the cards of each verb; each must have some."""
    cards: dict[str, tuple[Card, ...]] = {}
    for name, written in sections.items():
        if not written:
            return Refusal(Fault.CARDS_MISSING, Figures(table=table, verb=name))
        read = read_cards(written)
        if isinstance(read, Refusal):
            return read
        cards[name] = read
    return cards


def _sections(words: list[str]) -> dict[str, list[str]] | None:
    """Return the words after each verb, or None where one verb stands twice."""
    sections: dict[str, list[str]] = {}
    name = ""
    at = 0
    while at < len(words):
        length = expose_length(words, at)
        word = key(words[at])
        if length or word in KEEP_WORDS:
            name = "expose" if length else word
            if name in sections:
                return None
            sections[name] = []
            at += length or 1
        else:
            sections[name].append(words[at])
            at += 1
    return {
        verb: without_links(spaced(" ".join(written).lstrip(":")))
        for verb, written in sections.items()
    }
