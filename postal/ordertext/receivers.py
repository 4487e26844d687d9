"""Finds the neighbour that a name in an order means: whole, without accents, or the first name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from postal.ordertext.folding import fold, unaccented
from postal.ordertext.types import Context


@dataclass(frozen=True, slots=True)
class Named:
    """A neighbour: the folded words of his name and his seat onward.

    ``to`` is None for other players of the game, who are known so that nobody else's name is
    taken for a neighbour's.
    """

    words: tuple[str, ...]
    to: int | None


def named_at(table: str, context: Context) -> tuple[Named, ...]:
    """Return everybody whom an order at a table could name."""
    neighbours = context.neighbours.get(table, {})
    others = sorted(context.players - set(neighbours))
    seated = [Named(tuple(fold(name).split()), to) for name, to in neighbours.items()]
    return (*seated, *(Named(tuple(fold(name).split()), None) for name in others))


def name_at(words: list[str], at: int, names: Sequence[Named]) -> tuple[int, set[int]] | None:
    """Return how many words at a place name a player, and the seats of those who can be meant.

    A name as it is written comes before one without its accents, and that before a first name;
    of a player who is no neighbour the seats are empty. None where no name stands there.
    """
    longest = sorted(names, key=lambda named: -len(named.words))
    for form in (_whole, _plain):
        for named in longest:
            if form(words, at, named.words):
                same = [one for one in names if form(words, at, one.words)]
                most = max(len(one.words) for one in same)
                return most, _seats([one for one in same if len(one.words) == most])
    first = [one for one in names if _plain(words, at, one.words[:1])]
    neighbours = [one for one in first if one.to is not None]
    return (1, _seats(neighbours)) if neighbours else None


def _seats(found: Sequence[Named]) -> set[int]:
    """Return the seats of those found, one of each player."""
    seats: dict[tuple[str, ...], int] = {}
    for one in found:
        if one.to is not None:
            seats.setdefault(one.words, one.to)
    return set(seats.values())


def _whole(words: list[str], at: int, name: tuple[str, ...]) -> bool:
    found = tuple(words[at : at + len(name)])
    # A name's own last point may have gone with the punctuation that ends a line.
    return found == name or (found[:-1] == name[:-1] and _bare(found) == _bare(name))


def _plain(words: list[str], at: int, name: tuple[str, ...]) -> bool:
    found = tuple(map(unaccented, words[at : at + len(name)]))
    plain = tuple(map(unaccented, name))
    return found == plain or (found[:-1] == plain[:-1] and _bare(found) == _bare(plain))


def _bare(words: tuple[str, ...]) -> list[str]:
    return [word.rstrip(".':") for word in words[-1:]]
