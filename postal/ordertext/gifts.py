"""Reads what is given to which neighbour (ORDERS.md, "give")."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from postal.engine.cards import Card
from postal.engine.orders import Gift, Give
from postal.engine.problems import Fault, Figures
from postal.engine.words import DIRECTION_WORDS
from postal.ordertext.cards import read_cards, spaced
from postal.ordertext.folding import key
from postal.ordertext.receivers import Named, name_at, named_at
from postal.ordertext.types import Context, Refusal
from postal.ordertext.words import without_links

_SEATS = frozenset({"seat", "player", "neighbour", "neighbor"})
_BREAKS = frozenset({",", "/"})


@dataclass(frozen=True, slots=True)
class _Direction:
    """A receiver as written: ``to`` seats onward, or None where nobody there is called so.

    ``several`` says that more than one neighbour could be meant.
    """

    to: int | None
    name: str
    several: bool = False


_Item = str | _Direction


def read_give(table: str, text: str, context: Context) -> Give | Refusal:
    """Return the give that a folded text, without its verb, means at a table."""
    words = spaced(text)
    items = _items(words, named_at(table, context))
    stranger = next((i for i in items if isinstance(i, _Direction) and i.to is None), None)
    if stranger is not None:
        return _refuse_stranger(table, stranger, context.neighbours.get(table, {}))
    found = _groups(items, table)
    if isinstance(found, Refusal):
        return found
    gifts: dict[int, tuple[Card, ...]] = {}
    for to, written in found:
        if to in gifts:
            return _refuse(Fault.NEIGHBOUR_TWICE, table)
        cards = read_cards(written)
        if isinstance(cards, Refusal):
            return cards
        gifts[to] = cards
    return Give(table, tuple(Gift(to, gifts[to]) for to in sorted(gifts, reverse=True)))


def _refuse(fault: Fault, table: str) -> Refusal:
    return Refusal(fault, Figures(table=table))


def _items(words: list[str], names: Sequence[Named]) -> list[_Item]:
    """Return the words with every receiver, ``next`` or ``to Puke``, as one item."""
    items: list[_Item] = []
    at = 0
    while at < len(words):
        found = _direction(words, at, names)
        if found is None:
            items.append(words[at])
            at += 1
        else:
            items.append(found[0])
            at = found[1]
    return items


def _direction(words: list[str], at: int, names: Sequence[Named]) -> tuple[_Direction, int] | None:
    """Return the receiver at a place and the place after it, or None where none stands there."""
    start = at + 1 if words[at] == "to" else at
    if start > at:
        named = name_at(words, start, names)
        if named:
            length, seats = named
            to = next(iter(seats)) if len(seats) == 1 else None
            name = " ".join(words[start : start + length])
            return _Direction(to, name, several=len(seats) > 1), start + length
    place = start
    while place < len(words) and words[place] in {"the", "my"}:
        place += 1
    to_side = DIRECTION_WORDS.get(key(words[place])) if place < len(words) else None
    if to_side is not None:
        after = place + 1
        if after < len(words) and key(words[after]) in _SEATS:
            after += 1
        return _Direction(to_side, words[place]), after
    if start == at:
        return None
    end = start
    while end < len(words) and words[end] not in _BREAKS:
        end += 1
    return _Direction(None, " ".join(words[start:end])), end


def _groups(items: list[_Item], table: str) -> list[tuple[int, list[str]]] | Refusal:
    """Return the cards' words for each receiver, whichever of the two comes first."""
    if not any(isinstance(item, _Direction) for item in items):
        return _two_sides([item for item in items if isinstance(item, str)], table)
    ahead = isinstance(next((i for i in items if i not in _BREAKS), None), _Direction)
    groups: list[tuple[int, list[str]]] = []
    written: list[str] = []
    for item in reversed(items) if ahead else items:
        if isinstance(item, str):
            written.append(item)
            continue
        words = _trimmed(written[::-1] if ahead else written)
        if "/" in words:
            return _refuse(Fault.RECEIVER_MISSING, table)
        if not words:
            return _refuse(Fault.RECEIVER_WITHOUT_CARD, table)
        assert item.to is not None
        groups.append((item.to, words))
        written = []
    if _trimmed(written):
        return _refuse(Fault.RECEIVER_MISSING, table)
    return groups[::-1] if ahead else groups


def _trimmed(words: list[str]) -> list[str]:
    """Return words without what parts one gift from another at their ends."""
    start, end = 0, len(words)
    while start < end and words[start] in {*_BREAKS, "and", ":", "-"}:
        start += 1
    while end > start and words[end - 1] in {*_BREAKS, "and", ":", "-"}:
        end -= 1
    return words[start:end]


def _two_sides(words: list[str], table: str) -> list[tuple[int, list[str]]] | Refusal:
    """Return ``2C 5D / 9H`` as the gifts for the next and the previous seat."""
    if words.count("/") != 1:
        return _refuse(Fault.RECEIVERS_UNSAID, table)
    at = words.index("/")
    sides = without_links(words[:at]), without_links(words[at + 1 :])
    if not all(sides):
        return _refuse(Fault.SIDE_WITHOUT_CARD, table)
    return [(1, sides[0]), (-1, sides[1])]


def _refuse_stranger(table: str, written: _Direction, neighbours: Mapping[str, int]) -> Refusal:
    known = tuple(sorted(neighbours.items(), key=lambda named: -named[1]))
    figures = Figures(table=table, neighbours=known, text=written.name)
    if written.several:
        return Refusal(Fault.NAME_UNCLEAR, figures)
    return Refusal(Fault.NOT_A_NEIGHBOUR if written.name else Fault.NOBODY_NAMED, figures)
