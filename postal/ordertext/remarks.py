"""Takes a remark in brackets off the end of an order (ORDERS.md, "An order line")."""

from __future__ import annotations

import re

from postal.engine.words import DIRECTION_WORDS, LIMIT_WORDS, VERB_WORDS
from postal.ordertext.cards import is_card
from postal.ordertext.folding import key
from postal.ordertext.sums import SUM_WORDS
from postal.ordertext.types import Context
from postal.ordertext.words import CONDITION_WORDS

_REMARK = re.compile(r"(?P<order>[^()]*[^() ]) ?\((?P<remark>[^()]*)\)")
_CHANGES = VERB_WORDS | CONDITION_WORDS | SUM_WORDS | frozenset({*DIRECTION_WORDS, *LIMIT_WORDS})
_TURNS = frozenset({"not", "or", "else", "otherwise", "instead", "no", "but", "don't", "maybe"})
"""Words that would make another order of it, or none."""


def without_remark(folded: str) -> tuple[str, str] | None:
    """Return what stands before a remark in brackets at the end, and the remark; else None."""
    found = _REMARK.fullmatch(folded)
    return (found["order"], found["remark"]) if found else None


def is_harmless(remark: str, context: Context) -> bool:
    """Whether a folded remark leaves the order as it is: it names no verb, card, sum or table."""
    if "?" in remark or any(char.isdigit() for char in remark):
        return False
    words = [key(word) for word in remark.split()]
    if any(word in _CHANGES or word in _TURNS or is_card(word) for word in words):
        return False
    return not any(word.upper() in context.hands and word != "a" for word in words)
