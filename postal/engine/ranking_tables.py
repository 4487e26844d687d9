"""Additive card keys and the two tables behind them, which rate five cards with jokers wild."""

from __future__ import annotations

from collections import Counter
from enum import IntEnum
from functools import cache
from itertools import combinations, combinations_with_replacement
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

ACE = 14
FIVE = 5
_RANKS = range(2, ACE + 1)
_MOST_JOKERS = 4

# The sum of any five rank keys (of one rank four at most) belongs to one set of ranks only; found
# by a greedy search, each key the least that works. The last is the joker's.
_RANK_KEYS = (
    *(0, 1, 5, 22, 94, 312, 992, 2422, 5624, 12522, 19998, 43258, 79415),
    148432,
)
# A sum of up to five of these, all alike, is no sum of up to five that are not all alike; a joker
# adds nothing. So the sum tells a flush, whatever the jokers; no set of lower numbers does.
_SUIT_KEYS = (5, 6, 30, 31)
_SUIT_BITS = 8

CARD_KEYS = (
    *(rank << _SUIT_BITS | suit for rank in _RANK_KEYS[:-1] for suit in _SUIT_KEYS),
    _RANK_KEYS[-1] << _SUIT_BITS,
)
"""The additive key of each card, by ``Card.index``; the joker's is the last."""

# The ranks of each straight by its highest, best first; the ace is low in the last (RULES.md 7.4).
_STRAIGHTS = {
    high: frozenset(rank if rank > 1 else ACE for rank in range(high - 4, high + 1))
    for high in range(ACE, FIVE - 1, -1)
}


class HandClass(IntEnum):
    """The classes of hands, worst to best (RULES.md 7.1); exposed cards use some (4.3)."""

    HIGH_CARD = 0
    PAIR = 1
    TWO_PAIRS = 2
    THREE_OF_A_KIND = 3
    STRAIGHT = 4
    FLUSH = 5
    FULL_HOUSE = 6
    FOUR_OF_A_KIND = 7
    STRAIGHT_FLUSH = 8
    FIVE_OF_A_KIND = 9


def packed(kind: HandClass, ranks: Iterable[int]) -> int:
    """Return a worth as one int: the class, then up to five ranks of four bits, first first."""
    worth = int(kind) << 20
    for place, rank in enumerate(ranks):
        worth |= rank << (16 - 4 * place)
    return worth


def unpacked(worth: int) -> tuple[HandClass, tuple[int, ...]]:
    """Return the class and the ranks of a worth, as given to ``packed``."""
    ranks = (worth >> shift & 15 for shift in (16, 12, 8, 4, 0))
    return HandClass(worth >> 20), tuple(rank for rank in ranks if rank)


def grouped_worth(ranks: Iterable[int], jokers: int) -> int:
    """Return the worth of one to five cards by their groups alone (RULES.md 4.3 and 7.2).

    ``ranks`` are those of the cards that are no jokers. Jokers go to the greatest group, of equal
    ones the highest, for nothing else makes a better hand of groups; alone they are aces.
    """
    groups = sorted(((size, rank) for rank, size in Counter(ranks).items()), reverse=True)
    first, rank = groups[0] if groups else (0, ACE)
    groups[:1] = [(first + jokers, rank)]
    kind = {
        (5, 0): HandClass.FIVE_OF_A_KIND,
        (4, 0): HandClass.FOUR_OF_A_KIND,
        (4, 1): HandClass.FOUR_OF_A_KIND,
        (3, 2): HandClass.FULL_HOUSE,
        (3, 1): HandClass.THREE_OF_A_KIND,
        (3, 0): HandClass.THREE_OF_A_KIND,
        (2, 2): HandClass.TWO_PAIRS,
        (2, 1): HandClass.PAIR,
        (2, 0): HandClass.PAIR,
        (1, 1): HandClass.HIGH_CARD,
        (1, 0): HandClass.HIGH_CARD,
    }[groups[0][0], groups[1][0] if len(groups) > 1 else 0]
    return packed(kind, (rank for _, rank in groups))


def _straight_to(ranks: Sequence[int]) -> int | None:
    """Return the highest rank of the best straight that jokers make of ``ranks``, if any."""
    different = set(ranks)
    if len(different) < len(ranks):
        return None
    return next((high for high, run in _STRAIGHTS.items() if different <= run), None)


def _flush_ranks(ranks: Sequence[int], jokers: int, *, double_ace: bool) -> list[int]:
    """Return the ranks of a flush, highest first, its jokers filled in (RULES.md 7.3)."""
    free = [rank for rank in reversed(_RANKS) if rank not in ranks]
    filled = [ACE] * jokers if double_ace else free[:jokers]
    return sorted([*ranks, *filled], reverse=True)


@cache
def _unsuited_table() -> dict[int, int]:
    """Return the worth of every set of five ranks and jokers that is no flush, by its key sum."""
    table: dict[int, int] = {}
    for jokers in range(_MOST_JOKERS + 1):
        for ranks in combinations_with_replacement(_RANKS, FIVE - jokers):
            if ranks[0] == ranks[-1] and not jokers:
                continue  # five natural cards of one rank are in no pack
            worth = grouped_worth(ranks, jokers)
            high = _straight_to(ranks)
            if high is not None:
                worth = max(worth, packed(HandClass.STRAIGHT, [high]))
            table[_rank_sum(ranks, jokers)] = worth
    return table


def _suited_table(*, double_ace: bool) -> dict[int, int]:
    """Return the worth of all ranks whose natural cards are of one suit, by their key sum."""
    unsuited = _unsuited_table()
    table: dict[int, int] = {}
    for jokers in range(_MOST_JOKERS + 1):
        for ranks in combinations(_RANKS, FIVE - jokers):
            high = _straight_to(ranks)
            if high is None:
                filled = _flush_ranks(ranks, jokers, double_ace=double_ace)
                worth = packed(HandClass.FLUSH, filled)
            else:
                worth = packed(HandClass.STRAIGHT_FLUSH, [high])
            key = _rank_sum(ranks, jokers)
            table[key] = max(worth, unsuited[key])  # three jokers make more than a flush
    return table


def _rank_sum(ranks: Iterable[int], jokers: int) -> int:
    return sum(_RANK_KEYS[rank - 2] for rank in ranks) + jokers * _RANK_KEYS[-1]


@cache
def key_rater(*, double_ace_flush: bool = False) -> Callable[[int, int, int, int, int], int]:
    """Return the function that rates five cards by their ``CARD_KEYS``, in any order.

    The tables are built at the first call, not at import. The function raises KeyError for most
    hands that no pack of 52 cards and four jokers holds, and checks nothing else.
    """
    unsuited, suited = _unsuited_table(), _suited_table(double_ace=double_ace_flush)
    flushes = {suit * number for suit in _SUIT_KEYS for number in range(1, FIVE + 1)}
    by_suits = [
        suited if suits in flushes else unsuited for suits in range(max(_SUIT_KEYS) * FIVE + 1)
    ]

    def rate(a: int, b: int, c: int, d: int, e: int) -> int:
        total = a + b + c + d + e
        return by_suits[total & 255][total >> 8]  # _SUIT_BITS, written out for speed

    return rate
