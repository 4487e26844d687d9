"""What happened in a turn: each event names its audience, nobody unless it says so."""

from __future__ import annotations

from dataclasses import dataclass, field

from postal.engine.cards import Card
from postal.engine.state import End

Audience = tuple[str, ...] | None
"""The players who may know of an event; None: everybody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened; ``hand`` is empty where it concerns the game as a whole."""

    hand: str = ""
    player: str = ""
    audience: Audience = ()

    def seen_by(self, player: str | None) -> bool:
        """Whether the player may know of it; None asks for an onlooker."""
        return self.audience is None or (player is not None and player in self.audience)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gave(Event):
    """``player`` gave ``cards`` to ``receiver`` (RULES.md 2.3, 2.5)."""

    receiver: str
    cards: tuple[Card, ...] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept(Event):
    """``player`` kept ``cards`` and discarded ``discarded`` (3.1)."""

    cards: tuple[Card, ...] = field(repr=False)
    discarded: tuple[Card, ...] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposed(Event):
    """``player`` turned up ``cards`` (3.3, 5.4)."""

    cards: tuple[Card, ...] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Anted(Event):
    """``player`` paid the ante of ``amount`` pounds (4.1)."""

    amount: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BetsFirst(Event):
    """``player`` bets first in the hand's next stage (4.2, 6.1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised(Event):
    """``player`` equalled ``equalled`` pounds and added ``amount`` (5.3, 6.2)."""

    equalled: int
    amount: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Stayed(Event):
    """``player`` equalled ``amount`` pounds (5.2, 6.4)."""

    amount: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked(Event):
    """``player`` passed the turn without a raise (6.3)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded(Event):
    """``player`` gave the hand up (5.5, 6.6)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Called(Event):
    """``player`` equalled ``amount`` pounds and had the cards turned up (6.5)."""

    amount: int


@dataclass(frozen=True, slots=True, kw_only=True)
class IouWritten(Event):
    """``player`` wrote an IOU of ``amount`` pounds to ``to`` (8.3)."""

    to: str
    amount: int


@dataclass(frozen=True, slots=True, kw_only=True)
class IouClosed(Event):
    """What became of ``player``'s IOU: ``owed`` where he lost, else it is void (8.3)."""

    to: str
    amount: int
    owed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnedUp(Event):
    """``player``'s five cards were turned up at the showdown (6.5); ``worth`` in words."""

    cards: tuple[Card, ...] = field(repr=False)
    worth: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class HandOver(Event):
    """The hand ended: ``winners`` take ``pot`` pounds, ``share`` each (5.5, 6.5, 6.8)."""

    end: End
    winners: tuple[str, ...]
    pot: int
    share: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Nmr(Event):
    """No order of ``player`` was there, ``used`` was used: the default's verb (9.2, 9.3).

    ``wrote``: a mail of his came, and no good order in it.
    """

    used: str
    wrote: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped(Event):
    """``player`` missed ``missed`` turns in a row and is no longer waited for (9.4).

    ``notice``: the next turn goes on without him so many hours from now at the earliest; 0: at
    once. ``resigned``: he gave his seat up, however many he missed.
    """

    missed: int
    notice: int = 0
    resigned: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned(Event):
    """``player`` was dropped and is back (9.4)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameOver(Event):
    """Every hand is over: ``standings`` are (place, player, pounds), richest first (1.2)."""

    standings: tuple[tuple[int, str, int], ...]
