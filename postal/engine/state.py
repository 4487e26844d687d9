"""The state of a game between two turns: frozen values, changed only by making new ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from postal.engine.cards import Card
from postal.engine.rules import Phase, Rules

End = Literal["", "fold", "call", "checks"]
"""How a hand ended (RECORD.md); empty while it is in play."""


@dataclass(frozen=True, slots=True)
class Passed:
    """Cards that went between the holder and ``player`` in a give."""

    player: str
    cards: tuple[Card, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Seat:
    """One player's place in a hand: his cards, and whole pounds paid, won and owed by IOU.

    ``number`` counts from 1 at the table. ``hidden`` are the cards he holds face down, ``shown``
    those face up in the order they were turned. ``named`` are hidden cards that he has named to
    turn up next; None: not yet. ``seen`` are those that were face up in a turn that was taken back
    (RULES.md 10.7).
    """

    number: int
    player: str
    dealt: tuple[Card, ...] = field(repr=False)
    hidden: tuple[Card, ...] = field(repr=False)
    shown: tuple[Card, ...] = field(default=(), repr=False)
    discarded: tuple[Card, ...] = field(default=(), repr=False)
    gave: tuple[Passed, ...] = field(default=(), repr=False)
    got: tuple[Passed, ...] = field(default=(), repr=False)
    named: tuple[Card, ...] | None = field(default=None, repr=False)
    paid: int = 0
    won: int = 0
    iou: int = 0
    folded: bool = False
    seen: tuple[Card, ...] = field(default=(), repr=False)

    @property
    def known(self) -> tuple[Card, ...]:
        """The hidden cards that were seen in a turn that was taken back, as they were turned up."""
        up, hidden = list(self.shown), list(self.hidden)
        found: list[Card] = []
        for card in self.seen:
            if card in up:
                up.remove(card)
            elif card in hidden:
                hidden.remove(card)
                found.append(card)
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Betting:
    """Where a round of betting stands: who acts (index of his seat), and what has been done.

    ``answered`` counts the live players who acted since the last raise, the raiser included;
    ``raises`` counts the raises of this hand and stage, ``checks`` the checks in a row.
    """

    to_act: int
    opened: bool = False
    raises: int = 0
    checks: int = 0
    answered: int = 0


@dataclass(frozen=True, slots=True)
class Hand:
    """One hand at a table, between its seats; ``phase`` is its own place in the rules' phases."""

    name: str
    table: str
    seats: tuple[Seat, ...]
    phase: int
    betting: Betting | None = None
    end: End = ""
    winners: tuple[str, ...] = ()

    @property
    def over(self) -> bool:
        """Whether the hand has ended."""
        return bool(self.end)

    @property
    def staked(self) -> int:
        """Pounds that both have paid into the pot so far, whoever has it now."""
        return sum(seat.paid for seat in self.seats)

    @property
    def pot(self) -> int:
        """Pounds in the pot now; 0 once it is won."""
        return self.staked - sum(seat.won for seat in self.seats)

    @property
    def live(self) -> tuple[int, ...]:
        """The indexes of the seats that have not folded."""
        return tuple(index for index, seat in enumerate(self.seats) if not seat.folded)

    def owed(self, index: int) -> int:
        """Pounds that the seat must add to equal the most that anybody has paid (RULES.md 5.2)."""
        return max(seat.paid for seat in self.seats) - self.seats[index].paid

    def index_of(self, player: str) -> int | None:
        """The index of the player's seat, None where he does not play this hand."""
        for index, seat in enumerate(self.seats):
            if seat.player == player:
                return index
        return None

    def opponents(self, player: str) -> tuple[str, ...]:
        """The names of the others in the hand."""
        return tuple(seat.player for seat in self.seats if seat.player != player)

    def with_seat(self, index: int, **changes: Any) -> Hand:  # noqa: ANN401 - fields of Seat
        """Return the hand with fields of one seat changed."""
        seats = list(self.seats)
        seats[index] = replace(seats[index], **changes)
        return replace(self, seats=tuple(seats))


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its letter, its players by seat from 1, and the rest of its pack."""

    letter: str
    players: tuple[str, ...]
    stock: tuple[Card, ...] = field(repr=False)

    def neighbour(self, player: str, seats_onward: int) -> str:
        """The player so many seats onward; after the last seat comes seat 1 (RULES.md 2.2)."""
        place = self.players.index(player)
        return self.players[(place + seats_onward) % len(self.players)]


@dataclass(frozen=True)
class Game:
    """A game between two turns.

    ``turn`` is the number of the turn that is being played, from 1. ``balances`` are whole
    pounds and may be below zero (RULES.md 8.3). ``missed`` counts a player's turns in a row
    of which nothing was heard, ``dropped`` holds those who are no longer waited for (9.4), and
    ``dropped_in`` the turn whose reports said so, for each who has the next one to come back in.
    """

    rules: Rules
    players: tuple[str, ...]
    tables: tuple[Table, ...]
    hands: tuple[Hand, ...]
    balances: Mapping[str, int]
    turn: int = 1
    deal: int = 1
    missed: Mapping[str, int] = field(default_factory=dict)
    dropped: tuple[str, ...] = ()
    dropped_in: Mapping[str, int] = field(default_factory=dict)

    @property
    def absent(self) -> tuple[str, ...]:
        """Those dropped before this turn: defaults are used for them at once (RULES.md 9.4)."""
        return tuple(one for one in self.dropped if self.dropped_in.get(one, 0) < self.turn)

    @property
    def finished(self) -> bool:
        """Whether every hand is over."""
        return all(hand.over for hand in self.hands)

    @property
    def total(self) -> int:
        """Pounds in all balances and pots: always players x start_money (RULES.md 8.6)."""
        return sum(self.balances.values()) + sum(hand.pot for hand in self.hands)

    def hand(self, name: str) -> Hand:
        """Return the hand of that name; KeyError where there is none."""
        for hand in self.hands:
            if hand.name == name:
                return hand
        raise KeyError(name)

    def hands_of(self, player: str) -> Iterator[tuple[Hand, int]]:
        """Yield the player's hands in order, each with the index of his seat."""
        for hand in self.hands:
            index = hand.index_of(player)
            if index is not None:
                yield hand, index

    def table(self, letter: str) -> Table:
        """Return the table of that letter; KeyError where there is none."""
        for table in self.tables:
            if table.letter == letter:
                return table
        raise KeyError(letter)

    def phase_of(self, hand: Hand) -> Phase | None:
        """Return the phase that the hand is in, None once it is over."""
        return None if hand.over else self.rules.phases[hand.phase]

    def with_hand(self, hand: Hand) -> Game:
        """Return the game with the hand of that name replaced."""
        hands = tuple(hand if old.name == hand.name else old for old in self.hands)
        return replace(self, hands=hands)

    def standings(self) -> tuple[tuple[int, str, int], ...]:
        """Return (place, player, pounds), richest first; equal sums share the place (1.2)."""
        ranked = sorted(self.balances.items(), key=lambda item: -item[1])
        return tuple(
            (1 + sum(other > money for other in self.balances.values()), player, money)
            for player, money in ranked
        )
