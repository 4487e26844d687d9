"""Who plays in the demo: names, tempers and ways of writing, seeded."""

from __future__ import annotations

import hashlib
import re
from random import Random

from postal.robots import STYLES, TEMPERS, Robot
from postal.robots.styles import Ring, Rota

DOMAIN = "example.org"
GAMES = f"games@{DOMAIN}"
GM = f"gm@{DOMAIN}"

_CAST = (
    ("Joe", "loose", ("en",)),
    ("Puke", "bluffing", ("en",)),
    ("Mary Ann", "tight", ("en", "sv", "nl")),
    ("Jean-Luc", "loose", ("fr", "es", "it", "pt")),
    ("Dr. Wagner", "absent-minded", ("de", "nl", "pl", "sv")),
    ("O'Hara", "bluffing", ("en",)),
    ("Olga", "tight", ("pl", "de")),
    ("Big Ted", "loose", ("en",)),
)
"""Who they are: name, temper, and the languages that their mail programs speak first."""


def robots(players: int, seed: int) -> list[Robot]:
    """Return six or eight robots who go through all styles together.

    The same seed gives robots that decide and write the same.
    """
    ring = Ring(STYLES.values())
    return [
        Robot(
            name=name,
            address=address(name),
            styles=Rota(ring, languages),
            rng=Random(f"{seed}/{name}"),  # noqa: S311 - robots must repeat; nothing is kept secret
            temper=TEMPERS[temper],
        )
        for name, temper, languages in _CAST[:players]
    ]


def address(name: str) -> str:
    """Return the address of a player: ``dr.wagner@example.org``."""
    return f"{'.'.join(re.findall('[a-z-]+', name.lower()))}@{DOMAIN}"


def secret_of(seed: int) -> bytes:
    """Return the deal's secret that a seed stands for: the SHA-256 of its digits."""
    return hashlib.sha256(str(seed).encode("ascii")).digest()
