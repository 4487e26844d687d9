"""How the words of orders are met in a line: ``turn up``, ``all in``, links and conditions."""

from __future__ import annotations

import re

from postal.engine.words import DIRECTION_WORDS, EXPOSE_WORDS, TURN_WORDS, VERB_WORDS
from postal.ordertext.folding import key

_ORDERING = re.compile(
    rf"\b(?:{'|'.join(sorted(VERB_WORDS | TURN_WORDS | set(DIRECTION_WORDS)))}|to|cancel)\b|/"
)

_CONDITIONS = (
    ("if", "stayed"),
    ("if", "he", "stays"),
    ("if", "she", "stays"),
    ("if", "they", "stay"),
    ("on", "a", "stay"),
)
LINKS = frozenset({"and", "then", "&", "+", ","})
"""What may stand between the parts of an order."""

ALTERNATIVES = frozenset({"or", "else", "otherwise", "then", "and", "also"})
"""What stands before a further part of a bet, or before another bet."""

CONDITION_WORDS = frozenset({"if", "unless", "when", "until", "provided", "only", "should", "once"})
"""What makes an order depend on something, which none can."""


def _forms() -> dict[str, str]:
    """Return ``raising`` and ``bets`` with the verbs that they are forms of.

    What was done is told by others: "folded" is none.
    """
    forms: dict[str, str] = {}
    for verb in VERB_WORDS - {"exposing", "showing", "r"}:
        stem = "bett" if verb == "bet" else verb.removesuffix("e")
        forms |= dict.fromkeys((f"{stem}ing", f"{verb}s"), verb)
    return {form: verb for form, verb in forms.items() if form not in VERB_WORDS}


FORMS = _forms()
"""Other forms of the verbs, which are no orders though meant as some: ``A: raising 40000``."""

_ALL_IN = frozenset({"all-in", "allin"})

COURTESY = frozenset({"please", "pls", "thanks", "cheers", "sorry", "ta"})
"""What is written beside an order and means nothing."""


def expose_length(words: list[str], at: int) -> int:
    """Return how many words at a place mean ``expose``: 0, 1, or 2 for ``turn up``."""
    word = key(words[at])
    if word in EXPOSE_WORDS:
        return 1
    following = key(words[at + 1]) if at + 1 < len(words) else ""
    return 2 if word in TURN_WORDS and following == "up" else 0


def without_links(words: list[str]) -> list[str]:
    """Return words without ``and``, ``then`` and punctuation at either end."""
    start, end = 0, len(words)
    while start < end and words[start] in LINKS:
        start += 1
    while end > start and words[end - 1] in LINKS:
        end -= 1
    return [*words[start : end - 1], words[end - 1].rstrip(",:.")] if end > start else []


def without_condition(words: list[str]) -> list[str]:
    """Return words without ``if stayed`` at the end, which says what an expose means anyway."""
    for condition in _CONDITIONS:
        if tuple(map(key, words[-len(condition) :])) == condition:
            return words[: -len(condition)]
    return words


def may_order(folded: str) -> bool:
    """Whether a folded line holds a word without which it is no order and no cancel; quick."""
    return _ORDERING.search(folded) is not None


def is_verb(words: list[str]) -> bool:
    """Whether folded words begin with a verb of an order."""
    if not words:
        return False
    return key(words[0]) in VERB_WORDS or expose_length(words, 0) > 0 or is_all_in(words)


def is_all_in(words: list[str]) -> bool:
    """Whether folded words begin with ``all in``, which is no order but is meant as one."""
    return all_in_length(words) > 0


def all_in_length(words: list[str]) -> int:
    """Return how many of the first words say ``all in``: 0, 1 for ``all-in``, or 2."""
    keys = [key(word) for word in words[:2]]
    return 1 if keys and keys[0] in _ALL_IN else 2 if keys == ["all", "in"] else 0
