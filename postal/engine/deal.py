"""The deal: seats and packs drawn from a game's secret by a labelled stream (DESIGN.md)."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterator, Sequence
from typing import TypeVar

from postal.engine.cards import Card, full_pack

T = TypeVar("T")

SECRET_BYTES = 32


def stream(secret: bytes, slug: str, deal: int, table: str, purpose: str) -> Iterator[int]:
    """Yield the bytes of the labelled stream: HMAC-SHA256(secret, label + counter), for ever.

    The label is the JSON array [slug, deal, table, purpose] without spaces, in UTF-8; the
    counter has eight bytes, the highest first, and starts at 0.
    """
    label = json.dumps([slug, deal, table, purpose], separators=(",", ":"), ensure_ascii=False)
    counter = 0
    while True:
        block = label.encode() + counter.to_bytes(8, "big")
        yield from hmac.new(secret, block, hashlib.sha256).digest()
        counter += 1


def below(limit: int, source: Iterator[int]) -> int:
    """Return a number from 0 to limit - 1, each equally likely, by rejection sampling.

    As many bytes are read as limit - 1 fills, surplus high bits are cleared, and a number that
    is too large is thrown away: never a modulo, which would favour the low numbers.
    """
    bits = (limit - 1).bit_length()
    while True:
        number = 0
        for _ in range((bits + 7) // 8):
            number = number << 8 | next(source)
        number &= (1 << bits) - 1
        if number < limit:
            return number


def shuffled(items: Sequence[T], source: Iterator[int]) -> tuple[T, ...]:
    """Return the items in a random order: Fisher-Yates from the last one down."""
    mixed = list(items)
    for last in range(len(mixed) - 1, 0, -1):
        pick = below(last + 1, source)
        mixed[last], mixed[pick] = mixed[pick], mixed[last]
    return tuple(mixed)


def draw_seats(
    secret: bytes, slug: str, deal: int, table: str, players: Sequence[str]
) -> tuple[str, ...]:
    """Return the players by seat at a table, drawn for each table on its own (RULES.md 1.3)."""
    return shuffled(players, stream(secret, slug, deal, table, "seats"))


def draw_pack(secret: bytes, slug: str, deal: int, table: str, jokers: int) -> tuple[Card, ...]:
    """Return a table's pack in the order it is dealt (RULES.md 1.5)."""
    return shuffled(full_pack(jokers), stream(secret, slug, deal, table, "pack"))


def commitment(secret: bytes, committed: str) -> str:
    """Return what the first report prints of the deal: SHA-256 of secret and rules, in hex.

    ``committed`` is the text of the rules as it is stored when the game begins: whatever the
    program makes of rules later, it is never reckoned anew. Published before the first card is
    played, it shows at the end that nothing was changed.
    """
    return hashlib.sha256(secret + committed.encode()).hexdigest()
