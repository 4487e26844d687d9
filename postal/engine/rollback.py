"""Playing a turn again that was taken back: what was seen stays seen (RULES.md 10.7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from postal.engine.book import Book
from postal.engine.cards import Card
from postal.engine.events import Event, Exposed, Kept, TurnedUp
from postal.engine.game import due
from postal.engine.orders import Keep
from postal.engine.rules import KeepPhase
from postal.engine.state import Game, Hand, Seat

Void = tuple[int, Sequence[Event]]
"""A turn that was taken back: its number, and what happened in it."""


def with_seen(game: Game, voids: Sequence[Void]) -> Game:
    """Return a game, as it is before a turn, with what was seen in void turns from that one on.

    ``voids`` are in the order in which they were adjudicated; none may be earlier than the turn
    that is played again. Cards that were turned up in them stay face up for those who saw them.
    """
    hands = [_with_seen(hand, voids) for hand in game.hands]
    return replace(game, hands=tuple(hands))


def opened_everything(game: Game) -> bool:
    """Whether the reports of a turn that has led to this opened every card (10.4)."""
    return game.finished and game.rules.choice("reveal") == "end"


def on_file_again(game: Game, book: Book, may_change: Callable[[str, str], bool]) -> Book:
    """Return what is on file when a turn is played again: its orders, as they were.

    ``may_change`` says of a player and a table whether the GM has opened his order there. The
    others' stand, missing ones too; and so does every keep, since cards of it were exposed.
    """
    fixed = {
        (player, name)
        for player, name in due(game)
        if isinstance(game.phase_of(game.hand(name)), KeepPhase)
        or not may_change(player, game.hand(name).table)
    }
    return replace(book, fixed=frozenset(fixed))


def keeps_again(game: Game, book: Book, events: Sequence[Event]) -> Book:
    """Return what is on file from the start in a later turn that is played again: its keeps.

    ``book`` and ``events`` are those of the void turn. Where a player's cards are the same as
    then, cards of his keep were exposed, so that it stands.
    """
    fixed = {
        (event.player, event.hand)
        for event in events
        if isinstance(event, Kept) and _same_cards(game, event)
    }
    filed = tuple(
        entry
        for entry in book.filed
        if (entry.player, entry.hand) in fixed and isinstance(entry.order, Keep)
    )
    return Book(filed, fixed=frozenset(fixed))


def _same_cards(game: Game, event: Kept) -> bool:
    hand = game.hand(event.hand)
    index = hand.index_of(event.player)
    if index is None or not isinstance(game.phase_of(hand), KeepPhase):
        return False
    return Counter(hand.seats[index].hidden) == Counter((*event.cards, *event.discarded))


def _with_seen(hand: Hand, voids: Sequence[Void]) -> Hand:
    for index, seat in enumerate(hand.seats):
        seen = seat.seen
        for timeline in _timelines(voids):
            seen = _joined(seen, _seen_in(seat, hand.name, timeline))
        if seen != seat.seen:
            hand = hand.with_seat(index, seen=seen)
    return hand


def _timelines(voids: Sequence[Void]) -> Iterator[list[Event]]:
    """Yield what happened in void turns that followed each other, taken together."""
    together: list[Event] = []
    before = 0
    for number, events in voids:
        if number <= before:
            yield together
            together = []
        together += events
        before = number
    if together:
        yield together


def _seen_in(seat: Seat, hand: str, events: Sequence[Event]) -> tuple[Card, ...]:
    """Return all cards of a seat that were face up when these events were over."""
    up = seat.shown
    for event in events:
        if event.player != seat.player or event.hand != hand:
            continue
        if isinstance(event, Exposed):
            up = (*up, *event.cards)
        elif isinstance(event, TurnedUp):
            up = _joined(up, event.cards)
    return up if up != seat.shown else ()


def _joined(cards: tuple[Card, ...], others: tuple[Card, ...]) -> tuple[Card, ...]:
    """Return some cards with those of others that are not among them: jokers are alike."""
    left = Counter(cards)
    more: list[Card] = []
    for card in others:
        if left[card]:
            left[card] -= 1
        else:
            more.append(card)
    return (*cards, *more)
