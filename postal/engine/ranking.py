"""The worth of five cards and of exposed cards, jokers wild (RULES.md 4.3 and 7)."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from postal.engine.ranking_tables import (
    ACE,
    CARD_KEYS,
    FIVE,
    HandClass,
    grouped_worth,
    key_rater,
    unpacked,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from postal.engine.cards import Card

__all__ = [
    "HandClass",
    "best_five",
    "card_key",
    "deciding",
    "describe",
    "describe_showing",
    "hand_class",
    "key_rater",
    "showing",
    "strength",
]

_MOST_SHOWN = 4
_TWO_SAID = frozenset({HandClass.TWO_PAIRS, HandClass.FULL_HOUSE})
"""The classes whose words name two ranks; those of the others name one."""
_RANK_WORDS = (
    *("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("jack", "queen", "king", "ace"),
)


def strength(cards: Sequence[Card], *, double_ace_flush: bool = False) -> int:
    """Return the worth of five cards: the higher the better, equal for equal hands (RULES.md 7).

    ``double_ace_flush`` is the house rule of 7.3. Raises ValueError for any other number of cards,
    and where no pack of 52 cards and four jokers holds the hand, as far as that is noticed.

    >>> from postal.engine.cards import parse_cards
    >>> strength(parse_cards("JKR JKR AS 2S 3H")) < strength(parse_cards("2C 3D 4H 5S 6C"))
    True
    """
    if len(cards) != FIVE:
        raise ValueError(f"a hand is five cards, not {len(cards)}")
    a, b, c, d, e = cards
    keys = CARD_KEYS
    try:
        return key_rater(double_ace_flush=double_ace_flush)(
            keys[a.index], keys[b.index], keys[c.index], keys[d.index], keys[e.index]
        )
    except KeyError:
        # The cards stay out of the text, and out of the chain of errors (RULES.md 10.3).
        raise ValueError("no pack holds these five cards") from None


def card_key(card: Card) -> int:
    """Return the key of a card for the function that ``key_rater`` returns.

    Whoever rates many hands takes the key of each card once: the worth that the function returns is
    that of ``strength``.
    """
    return CARD_KEYS[card.index]


def hand_class(worth: int) -> HandClass:
    """Return the class of a worth that ``strength`` or ``showing`` has returned."""
    return unpacked(worth)[0]


def showing(cards: Sequence[Card]) -> int:
    """Return the worth of one to four exposed cards, the higher the better (RULES.md 4.3).

    Only worths of equal numbers of cards can be compared. Raises ValueError for other numbers.

    >>> from postal.engine.cards import parse_cards
    >>> showing(parse_cards("AS QS JKR")) > showing(parse_cards("KS KH QH"))
    True
    """
    if not 1 <= len(cards) <= _MOST_SHOWN:
        raise ValueError(f"one to four cards are exposed, not {len(cards)}")
    ranks = [card.rank for card in cards if not card.is_joker]
    return grouped_worth(ranks, len(cards) - len(ranks))


def best_five(cards: Iterable[Card], *, double_ace_flush: bool = False) -> tuple[Card, ...]:
    """Return the best five of five or more cards, lowest first (RULES.md 9.2).

    Of equal ones they are those that, lowest first, come first in the order of cards. Raises
    ValueError for fewer than five cards.
    """
    held = sorted(cards)
    if len(held) < FIVE:
        raise ValueError(f"the best five need at least five cards, not {len(held)}")
    # Sorted cards give their fives in the order of cards, and max returns the first of equals.
    return max(
        combinations(held, FIVE),
        key=lambda five: strength(five, double_ace_flush=double_ace_flush),
    )


def describe(cards: Sequence[Card], *, double_ace_flush: bool = False) -> str:
    """Return a hand of five cards in words, as they count with jokers; ValueError as ``strength``.

    >>> from postal.engine.cards import parse_cards
    >>> describe(parse_cards("JKR JKR JKR KS QS"))
    'a royal flush'
    """
    return _in_words(strength(cards, double_ace_flush=double_ace_flush))


def deciding(hands: Sequence[Sequence[Card]], *, double_ace_flush: bool = False) -> tuple[str, ...]:
    """Return for each of some hands of five cards what its words leave unsaid and yet decides.

    These are the ranks behind those that ``describe`` names, as far as they part the hand from
    the others of the same words; of equal hands all of them, and nothing where its words are its
    own. ValueError as ``strength``.

    >>> from postal.engine.cards import parse_cards
    >>> deciding([parse_cards("AS AH KC 9D 4S"), parse_cards("AD AC KH 8S 7C")])
    ('king, nine', 'king, eight')
    """
    worths = [unpacked(strength(hand, double_ace_flush=double_ace_flush)) for hand in hands]
    return tuple(
        _unsaid(worth, [other for at, other in enumerate(worths) if at != place])
        for place, worth in enumerate(worths)
    )


def describe_showing(cards: Sequence[Card]) -> str:
    """Return exposed cards in words, such as ``three aces``; ValueError as ``showing``."""
    return _in_words(showing(cards))


def _unsaid(
    worth: tuple[HandClass, tuple[int, ...]], others: Sequence[tuple[HandClass, tuple[int, ...]]]
) -> str:
    kind, ranks = worth
    said = 2 if kind in _TWO_SAID else 1
    same = [other for which, other in others if (which, other[:said]) == (kind, ranks[:said])]
    # Up to and with the first rank that differs; all of them where none does.
    deep = [
        next((at + 1 for at, rank in enumerate(ranks) if rank != other[at]), len(ranks))
        for other in same
    ]
    return ", ".join(map(_word, ranks[said : max(deep, default=0)]))


def _in_words(worth: int) -> str:
    kind, ranks = unpacked(worth)
    high = _word(ranks[0])
    if kind is HandClass.STRAIGHT_FLUSH and ranks[0] == ACE:
        return "a royal flush"
    next_many = _many(ranks[1]) if len(ranks) > 1 else ""
    return {
        HandClass.HIGH_CARD: f"{high} high",
        HandClass.PAIR: f"a pair of {_many(ranks[0])}",
        HandClass.TWO_PAIRS: f"two pairs, {_many(ranks[0])} and {next_many}",
        HandClass.THREE_OF_A_KIND: f"three {_many(ranks[0])}",
        HandClass.STRAIGHT: f"a straight to the {high}",
        HandClass.FLUSH: f"a flush, {high} high",
        HandClass.FULL_HOUSE: f"a full house, {_many(ranks[0])} over {next_many}",
        HandClass.FOUR_OF_A_KIND: f"four {_many(ranks[0])}",
        HandClass.STRAIGHT_FLUSH: f"a straight flush to the {high}",
        HandClass.FIVE_OF_A_KIND: f"five {_many(ranks[0])}",
    }[kind]


def _word(rank: int) -> str:
    return _RANK_WORDS[rank - 2]


def _many(rank: int) -> str:
    return "sixes" if rank == 6 else f"{_word(rank)}s"  # noqa: PLR2004 the one odd plural
