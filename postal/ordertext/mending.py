"""Makes a player's own order right: the lines to copy, from his verb, his sum and his cards."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import cast

from postal.engine.orders import Bet, LimitRaise, Order
from postal.engine.words import (
    ALL_TABLES,
    BET_WORDS,
    DIRECTION_WORDS,
    LIMIT_WORDS,
    RAISE_WORDS,
    Verb,
)
from postal.ordertext.arguments import read_arguments
from postal.ordertext.bets import limit_named
from postal.ordertext.cards import is_card
from postal.ordertext.folding import key
from postal.ordertext.likeness import (
    adds_to,
    glued_raise,
    misspelt_verb,
    raise_at_end,
    verbs_within,
)
from postal.ordertext.sums import bare_sum, sum_meant
from postal.ordertext.types import Context, Refusal
from postal.ordertext.words import ALTERNATIVES, COURTESY, expose_length, is_all_in, is_verb

MOST_LINES = 4
"""Lines to copy that are made for one that was refused."""

_MOST_SUM_WORDS = 8
_BEFORE_SUM = frozenset({"by", "of", "a", "an", "another", "it", "extra", "further"})
_MOST = re.compile(rf"(?:at )?(?:{'|'.join(LIMIT_WORDS)})\b|not? more than\b")


def own_lines(text: str, tables: Sequence[str], context: Context) -> tuple[str, ...]:
    """Return a folded text's own orders, each as its canonical line at each of the tables.

    Nothing is made up: no verb, sum or card that isn't written. Empty where nothing can be made
    out, and where what is no bet is meant for all tables; of several bets that stand as
    alternatives each is one.
    """
    lines = [
        order.line()
        for table in tables
        for part in _alternatives(text.split())
        if (order := _order(table, part, context)) is not None
        and (table != ALL_TABLES or isinstance(order, Bet | LimitRaise))
    ]
    return tuple(dict.fromkeys(lines))[:MOST_LINES]


def _alternatives(words: list[str]) -> Iterator[list[str]]:
    """Yield the parts of ``raise 20000, else fold`` or ``check/fold``, each with its verb."""
    start = 0
    apart = _slashed(words)
    for at in range(1, len(apart)):
        before = apart[at - 1]
        linked = key(before) in ALTERNATIVES or before.endswith((",", "/", ";"))
        if linked and key(apart[at]) in BET_WORDS:
            yield apart[start:at]
            start = at
    yield apart[start:]


def _slashed(words: list[str]) -> list[str]:
    """Return words with ``check/fold`` taken apart; cards and sums stay as they are."""
    apart: list[str] = []
    for word in words:
        sides = verbs_within(word)
        if len(sides) > 1:
            apart += [*(f"{side}/" for side in sides[:-1]), sides[-1]]
        else:
            apart.append(word)
    return apart


def _order(table: str, words: list[str], context: Context) -> Order | None:
    """Return the first order that words hold from one of them on, right or made right."""
    ends = len(words)
    while ends and key(words[ends - 1]) in COURTESY | ALTERNATIVES | {""}:
        ends -= 1
    words = words[:ends]
    if turned := raise_at_end(words):
        return _raise(table, turned)
    start = next((at for at in range(len(words)) if _begins(words[at:])), None)
    if start is None:
        return _without_verb(table, words, context)
    words = words[start:]
    words[-1] = words[-1].rstrip(",/.!?")
    right = read_arguments(table, " ".join(words), context)
    return _mended(table, words, context) if isinstance(right, Refusal) else right


def _mended(table: str, words: list[str], context: Context) -> Order | None:
    """Return the order that words from their verb on, be it misspelt, mean but don't say."""
    glued = glued_raise(words[0])
    if glued or is_all_in(words):
        return _raise(table, [glued] if glued else words)
    if adds_to(words):
        return _raise(table, words[1:])
    verbs = [key(words[0])] if is_verb(words) else _misspelt(words[0])
    if len(verbs) != 1:
        return None
    if verbs[0] in RAISE_WORDS:
        return _raise(table, words[1:])
    if verbs[0] in BET_WORDS:
        return Bet(table, cast("Verb", verbs[0]))
    mended = read_arguments(table, " ".join((verbs[0], *words[1:])), context)
    return None if isinstance(mended, Refusal) else mended


def _begins(words: list[str]) -> bool:
    odd = glued_raise(words[0]) or _misspelt(words[0]) or adds_to(words)
    return is_verb(words) or bool(odd)


def _misspelt(word: str) -> tuple[str, ...]:
    """Return the verbs that a word may be a slip of: "all" is none of "call"."""
    bare = key(word)
    return () if bare == ALL_TABLES else misspelt_verb(bare)


def _raise(table: str, words: list[str]) -> Order | None:
    """Return the raise of the sum or the limit that words begin with."""
    while words and key(words[0]) in _BEFORE_SUM:
        words = words[1:]
    limit = limit_named(words)
    if limit and any(sum_meant(word) is not None for word in words[limit[1] :]):
        return None
    if limit:
        return LimitRaise(table, limit[0])
    if is_all_in(words):
        return LimitRaise(table, "max")
    for end in range(min(len(words), _MOST_SUM_WORDS), 0, -1):
        pounds = sum_meant(" ".join(words[:end]))
        if pounds is not None:
            return None if _goes_on_in_figures(words[end:]) else Bet(table, "raise", pounds)
    return None


def _goes_on_in_figures(words: list[str]) -> bool:
    """Whether a sum's words are followed by more of it, or by another: neither is the one meant."""
    if words and key(words[0]) == "or":
        words = words[1:]
    return bool(words) and any(char.isdigit() for char in words[0]) and not is_card(key(words[0]))


def _without_verb(table: str, words: list[str], context: Context) -> Order | None:
    """Return a sum alone as the raise, or cards with their receivers as the give."""
    text = " ".join(words)
    pounds = bare_sum(text)
    if pounds is not None:
        return Bet(table, "raise", pounds)
    given = read_arguments(table, text, context)
    return None if isinstance(given, Refusal) else given


def goes_on(folded: str) -> bool:
    """Whether folded words go on with an order: a further bet, an exposure, a further gift."""
    words = folded.split()
    while words and key(words[0]) in ALTERNATIVES:
        words = words[1:]
    if not words:
        return False
    if key(words[0]) in BET_WORDS or expose_length(words, 0) or key(words[0]) == "up":
        return True
    if goes_on_to_limit(folded):
        return True
    directed = "to" in words or any(key(word) in DIRECTION_WORDS for word in words)
    return directed and any(is_card(key(word)) for word in words)


def goes_on_to_limit(folded: str) -> bool:
    """Whether folded words say how far a bet goes at most: ``max 60000``."""
    return _MOST.match(folded) is not None and any(char.isdigit() for char in folded)
