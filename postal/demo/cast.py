"""Who plays in the demo: names, tempers and ways of writing, seeded."""

from __future__ import annotations

import hashlib
import re
from random import Random

from postal.robots import STYLES, TEMPERS, Robot

DOMAIN = "example.org"
GAMES = f"games@{DOMAIN}"
GM = f"gm@{DOMAIN}"

_CAST = (
    ("Joe", "loose", ("canonical", "iphone", "windows-1252", "hasty", "curious")),
    ("Puke", "bluffing", ("lower-case", "one-line", "bullets", "clumsy", "html-only")),
    ("Mary Ann", "tight", ("chatty", "gmail", "inline", "hesitant", "flowed")),
    ("Jean-Luc", "loose", ("french", "bottom-posted", "outlook", "inline")),
    ("Dr. Wagner", "absent-minded", ("outlook-german", "german", "flowed", "scatterbrained")),
    ("O'Hara", "bluffing", ("html-only", "iphone", "scatterbrained", "chatty", "bullets")),
    ("Olga", "tight", ("bullets", "one-line", "curious", "windows-1252")),
    ("Big Ted", "loose", ("outlook", "gmail", "clumsy", "lower-case")),
)


def robots(players: int, seed: int) -> list[Robot]:
    """Return six or eight robots; the same seed gives robots that decide the same."""
    return [
        Robot(
            name=name,
            address=address(name),
            styles=tuple(STYLES[style] for style in styles),
            rng=Random(f"{seed}/{name}"),  # noqa: S311 - robots must repeat; nothing is kept secret
            temper=TEMPERS[temper],
        )
        for name, temper, styles in _CAST[:players]
    ]


def address(name: str) -> str:
    """Return the address of a player: ``dr.wagner@example.org``."""
    return f"{'.'.join(re.findall('[a-z-]+', name.lower()))}@{DOMAIN}"


def secret_of(seed: int) -> bytes:
    """Return the deal's secret that a seed stands for: the SHA-256 of its digits."""
    return hashlib.sha256(str(seed).encode("ascii")).digest()
