"""How plain values look to a reader: cards, pounds, dates and lists of words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from postal.engine.cards import RANKS, Card

_SUIT_SYMBOLS = ("\u2663", "\u2666", "\u2665", "\u2660")
_AS_TEXT = "\ufe0e"
"""Asks for the plain sign: phones would show suits as coloured pictures otherwise (MAIL.md)."""
_RED_SUITS = (1, 2)

_HOUR = 3600
_MINUTE = 60


@dataclass(frozen=True, slots=True)
class CardFace:
    """One card for a template: ``10H`` as text, ``10♥︎`` as symbol, and whether it is red."""

    text: str = field(repr=False)
    symbol: str = field(repr=False)
    red: bool = field(repr=False)


Cards = tuple[CardFace, ...]
"""Cards in the order in which they are to be shown."""

Sentence = tuple[str | Cards, ...]
"""A sentence in pieces, words and cards by turns, so that each form of mail shows its own cards."""


def card_face(card: Card) -> CardFace:
    """Return how a card is shown; a joker has no suit."""
    if card.is_joker:
        return CardFace(str(card), "Joker", red=False)
    rank = RANKS[card.rank - 2].replace("T", "10")
    symbol = f"{rank}{_SUIT_SYMBOLS[card.suit]}{_AS_TEXT}"
    return CardFace(str(card), symbol, red=card.suit in _RED_SUITS)


def faces(cards: Iterable[Card]) -> Cards:
    """Return how cards are shown, in the order given."""
    return tuple(card_face(card) for card in cards)


def sorted_faces(cards: Iterable[Card]) -> Cards:
    """Return how cards held face down are shown, the highest first."""
    return faces(sorted(cards, reverse=True))


def pounds(amount: int) -> str:
    """Return whole pounds as ``£40,000`` or ``-£150,000``."""
    return f"{'-' if amount < 0 else ''}£{abs(amount):,}"


def listed(words: Sequence[str], link: str = "and") -> str:
    """Return words as ``a, b and c``."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {link} {words[-1]}"


def shown_name(seat: str, holders: Mapping[str, str]) -> str:
    """Return a seat's name as readers are shown it: ``Sue, for Joe`` where Sue holds Joe's seat.

    ``holders`` has the holder's name of each seat that is not held under its own.
    """
    return f"{holders[seat]}, for {seat}" if seat in holders else seat


def prose(sentence: str) -> str:
    """Return a sentence on one line, without semicolons: they part orders (ORDERS.md)."""
    return " ".join(sentence.replace(";", ",").split())


def counted(number: int, noun: str) -> str:
    """Return ``1 card`` or ``2 cards``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def zone_mark(moment: datetime) -> str:
    """Return the zone's mark on the clock, ``GMT`` or, where it has no letters, ``UTC+03``."""
    name = moment.tzname() or "UTC"
    return f"UTC{name}" if name[:1] in "+-" else name


def short_time(moment: datetime, zone: str) -> str:
    """Return a UTC time in a zone for a subject: ``Sun 6 Dec 20:00 GMT``."""
    local = moment.astimezone(ZoneInfo(zone))
    return f"{local:%a} {local.day} {local:%b} {local:%H:%M} {zone_mark(local)}"


def long_time(moment: datetime, zone: str) -> str:
    """Return a UTC time in a zone: ``Sunday 6 December 2026, 20:00 GMT (Europe/London)``."""
    local = moment.astimezone(ZoneInfo(zone))
    return f"{local:%A} {local.day} {local:%B %Y, %H:%M} {_marked(local, zone)}"


def long_day(day: date) -> str:
    """Return a day: ``Sunday 6 December 2026``."""
    return f"{day:%A} {day.day} {day:%B %Y}"


def second_time(moment: datetime, zone: str, other: str) -> str:
    """Return a time in a second zone, to stand beside the same in ``zone``: ``19:00 UTC``.

    It is empty where clocks show the same there, and has its date where that is another.
    """
    here, there = moment.astimezone(ZoneInfo(zone)), moment.astimezone(ZoneInfo(other))
    if here.utcoffset() == there.utcoffset():
        return ""
    if here.date() == there.date():
        return f"{there:%H:%M} {_marked(there, other)}"
    return long_time(moment, other)


def utc_time(moment: datetime) -> str:
    """Return a time in UTC: ``Sunday 6 December 2026, 20:00 UTC``."""
    return long_time(moment, "UTC")


def _marked(local: datetime, zone: str) -> str:
    """Return the zone's mark and its name: ``GMT (Europe/London)``, but ``UTC`` alone."""
    mark = zone_mark(local)
    return mark if mark == zone else f"{mark} ({zone})"


def time_left(span: timedelta) -> str:
    """Return how long it is until then: ``6 days and 23 hours``; empty where it is past."""
    seconds = int(span.total_seconds())
    if seconds < _MINUTE:
        return ""
    days, rest = divmod(seconds, 24 * _HOUR)
    hours, minutes = rest // _HOUR, rest % _HOUR // _MINUTE
    units = ((days, "day"), (hours, "hour"), (0 if days else minutes, "minute"))
    return listed([counted(number, noun) for number, noun in units if number])
