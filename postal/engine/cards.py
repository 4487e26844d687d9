"""Playing cards, their order (RULES.md, preamble) and their short text forms."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

RANKS = "23456789TJQKA"
SUITS = "CDHS"
JOKER_TEXT = "JKR"
JOKER_INDEX = 52


@dataclass(frozen=True, order=True, slots=True)
class Card:
    """One card, ordered by rank, then suit C D H S, jokers highest of all (RULES.md, preamble).

    ``index`` is 0 (2C) to 51 (AS), or 52 for any joker; the four jokers are equal to each other,
    so what somebody holds is a multiset.

    >>> str(Card.parse("TH"))
    '10H'
    >>> Card.parse("2C") < Card.parse("2S") < Card.parse("JKR")
    True
    """

    index: int

    @property
    def is_joker(self) -> bool:
        """Whether this is one of the wild jokers."""
        return self.index == JOKER_INDEX

    @property
    def rank(self) -> int:
        """The rank, 2 to 14 (ace); a joker has none and gives 15, above them all."""
        return self.index // 4 + 2

    @property
    def suit(self) -> int:
        """The suit as 0 to 3 for C D H S; a joker gives 0."""
        return self.index % 4

    def __str__(self) -> str:
        """Canonical text: rank then suit, ten as ``10``, a joker ``JKR``."""
        if self.is_joker:
            return JOKER_TEXT
        rank = RANKS[self.rank - 2]
        return f"{'10' if rank == 'T' else rank}{SUITS[self.suit]}"

    @classmethod
    def parse(cls, text: str) -> Card:
        """Return the card of a canonical text (``AS``, ``10H`` or ``TH``, ``JKR``).

        Raises ValueError where the text is no card; what players write is read by ``ordertext``.
        """
        folded = text.strip().upper()
        if folded == JOKER_TEXT:
            return JOKER
        rank, suit = folded[:-1].replace("10", "T"), folded[-1:]
        if len(rank) != 1 or rank not in RANKS or suit not in SUITS or not suit:
            msg = f"{text!r} is not a card: write rank and suit, such as AS or 10H, or JKR"
            raise ValueError(msg)
        return cls(RANKS.index(rank) * 4 + SUITS.index(suit))


JOKER = Card(JOKER_INDEX)
"""The joker: every joker is equal to it."""


def full_pack(jokers: int) -> tuple[Card, ...]:
    """Return the 52 cards and ``jokers`` jokers, lowest first (RULES.md 1.5)."""
    return tuple(Card(index) for index in range(JOKER_INDEX)) + (JOKER,) * jokers


def parse_cards(text: str) -> tuple[Card, ...]:
    """Return the cards of a text of canonical cards parted by spaces; ValueError as in parse."""
    return tuple(Card.parse(word) for word in text.split())


def cards_text(cards: Iterable[Card]) -> str:
    """Return cards as canonical text parted by spaces, in the order given."""
    return " ".join(str(card) for card in cards)


def without(held: Iterable[Card], taken: Iterable[Card]) -> tuple[Card, ...] | None:
    """Return ``held`` less ``taken`` as multisets, in held order; None where some are not held."""
    left = list(held)
    for card in taken:
        if card not in left:
            return None
        left.remove(card)
    return tuple(left)
