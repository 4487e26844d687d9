"""Deals a game from its secret: what starts one, and what verifying one repeats."""

from __future__ import annotations

from collections.abc import Sequence

from postal.engine.deal import draw_pack, draw_seats
from postal.engine.game import TableSetup, start
from postal.engine.rules import Rules
from postal.engine.state import Game


def deal(rules: Rules, slug: str, players: Sequence[str], secret: bytes, deal: int = 1) -> Game:
    """Draw seats and packs from the secret and deal (RULES.md 1.3, 2.1, DESIGN.md "The deal")."""
    letters = [chr(ord("A") + place) for place in range(rules.tables)]
    tables = [
        TableSetup(
            letter,
            draw_seats(secret, slug, deal, letter, players),
            draw_pack(secret, slug, deal, letter, rules.jokers),
        )
        for letter in letters
    ]
    return start(rules, players, tables, deal=deal)
