"""Reads the spellings of cards (ORDERS.md, Cards)."""

from __future__ import annotations

import re

from postal.engine.cards import JOKER, Card
from postal.engine.problems import Fault, Figures
from postal.ordertext.types import Refusal

_RANK_WORDS = {
    "deuce": 2,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "jack": 11,
    "knave": 11,
    "queen": 12,
    "king": 13,
    "ace": 14,
}
_SUIT_WORDS = {
    name + plural: suit
    for suit, name in enumerate(("club", "diamond", "heart", "spade"))
    for plural in ("", "s")
}
JOKER_WORDS = frozenset({"joker", "jkr", "jok"})
CARD_WORDS = frozenset(_RANK_WORDS) | frozenset(_SUIT_WORDS) | JOKER_WORDS
_RANKS = {char: at + 2 for at, char in enumerate("23456789tjqka")}
_SUITS = {char: at % 4 for at, char in enumerate("cdhs♣♦♥♠♧♢♡♤")} | {"❤": 2}
_JOKERS = frozenset("🃏🃟🂿")
_BETWEEN = frozenset({",", "&", "+", "and"})
_SEPARATORS = re.compile(r"([,/&+])")

SYMBOLS = frozenset(char for char in _SUITS if not char.isalnum()) | _JOKERS
"""The characters beside letters and digits that are a card, or half a one."""

Piece = tuple[str, int]
"""Half a card: ("rank", 2 to 14), ("suit", 0 to 3); or ("joker", 0)."""


def spaced(text: str) -> list[str]:
    """Return the words of a folded text, with ``,``, ``/``, ``&`` and ``+`` words of their own."""
    return _SEPARATORS.sub(r" \1 ", text).split()


def _pieces(word: str) -> list[Piece] | None:
    """Return what a word is made of, or None where a character of it belongs to no card."""
    if word in _RANK_WORDS:
        return [("rank", _RANK_WORDS[word])]
    if word in _SUIT_WORDS:
        return [("suit", _SUIT_WORDS[word])]
    if word in JOKER_WORDS:
        return [("joker", 0)]
    found: list[Piece] = []
    at = 0
    while at < len(word):
        char = word[at]
        if word.startswith("10", at):
            found.append(("rank", 10))
            at += 1
        elif char in _RANKS:
            found.append(("rank", _RANKS[char]))
        elif char in _SUITS:
            found.append(("suit", _SUITS[char]))
        elif char in _JOKERS:
            found.append(("joker", 0))
        else:
            return None
        at += 1
    return found


def _card(first: Piece, second: Piece) -> Card | None:
    halves = dict((first, second))
    if set(halves) != {"rank", "suit"}:
        return None
    return Card((halves["rank"] - 2) * 4 + halves["suit"])


def _whole(pieces: list[Piece]) -> tuple[list[Card], Piece | None] | None:
    """Return the cards of one word and the half that is left over, or None where it is none."""
    cards: list[Card] = []
    half: Piece | None = None
    for piece in pieces:
        if half is not None:
            card = _card(half, piece)
            if card is None:
                return None
            cards.append(card)
            half = None
        elif piece[0] == "joker":
            cards.append(JOKER)
        else:
            half = piece
    return None if cards and half else (cards, half)


def read_cards(words: list[str]) -> tuple[Card, ...] | Refusal:
    """Return the cards that folded words name, in the order written; at least one.

    A card may be one word (``as``, ``h10``, ``♠a``), two halves or ``ace of spades``; ``,``,
    ``&``, ``+`` and ``and`` part cards.
    """
    cards: list[Card] = []
    half: Piece | None = None
    written = ""
    linked = False
    for word in words:
        if word == "of" and half and half[0] == "rank" and not linked:
            linked, written = True, f"{written} of"
            continue
        if half is None and (word in _BETWEEN or word == "the"):
            continue
        pieces = _pieces(word)
        found: tuple[list[Card], Piece | None] | None = None
        if pieces and half is not None and len(pieces) == 1:
            card = _card(half, pieces[0])
            found = ([card], None) if card else None
        elif pieces and half is None:
            found = _whole(pieces)
        if found is None:
            return _no_card(f"{written} {word}".strip())
        cards += found[0]
        half, linked = found[1], False
        written = word if half else ""
    if half is not None:
        return _no_card(written)
    if not cards:
        return Refusal(Fault.NO_CARD)
    return tuple(cards)


def _no_card(text: str) -> Refusal:
    return Refusal(Fault.NOT_A_CARD, Figures(text=text))


def halves(word: str) -> frozenset[str]:
    """Return which halves of cards, ``rank`` and ``suit``, a folded word is made of; else none.

    A ``joker`` counts as both. The word need not be whole cards: ``ak`` is two ranks.
    """
    kinds = {kind for kind, _ in _pieces(word) or ()}
    return frozenset({"rank", "suit"} if "joker" in kinds else kinds)


def is_half(word: str) -> bool:
    """Whether one folded word is a rank or a suit alone, which a second word makes a card."""
    return len(_pieces(word) or ()) == 1 and len(halves(word)) == 1


def is_card(word: str) -> bool:
    """Whether one folded word by itself is a card, or several without a space."""
    pieces = _pieces(word)
    found = _whole(pieces) if pieces else None
    return found is not None and found[1] is None
