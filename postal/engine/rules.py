"""A game's rules as a frozen, checked value: its phases in order and its options (GAMES.md)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from postal.engine.editions import NEWEST, Rulings, rulings
from postal.engine.words import Verb

OptionValue = int | bool | str
"""The value of an option: pounds, a count, yes or no, or one of its choices."""

STANDARD_OPTIONS: Mapping[str, OptionValue] = {
    "start_money": 1_000_000,
    "ante": 20_000,
    "min_raise": 5_000,
    "max_raise": 50_000,
    "max_showdown_raise": 200_000,
    "raise_cap": 0,
    "check_limit": 4,
    "iou": "call",
    "double_ace_flush": False,
    "exposed_to": "all",
    "exchange": "orders",
    "first_on_tie": "lower-seat",
    "nmr_limit": 2,
    "reveal": "end",
    "settle": 30,
    "drop_notice": 48,
    "trouble_hours": 24,
    "unread_hours": 24,
    "unreached": 7,
    "grace": 0,
    "first_grace": 7,
    "holiday": "move",
    "holiday_days": 21,
    "press": "public",
    "anonymous": False,
    "protest_days": 3,
}
"""What is taken where a game file does not name the option (RULES.md, newest edition)."""

_MOST_MONEY = 1_000_000_000
_A_FORTNIGHT = 336

STANDARD_LIMITS: Mapping[str, int] = {
    "start_money": _MOST_MONEY,
    "ante": _MOST_MONEY,
    "min_raise": _MOST_MONEY,
    "max_raise": _MOST_MONEY,
    "max_showdown_raise": _MOST_MONEY,
    "raise_cap": 1_000,
    "check_limit": 100,
    "nmr_limit": 100,
    "settle": 10_080,
    "drop_notice": _A_FORTNIGHT,
    "trouble_hours": _A_FORTNIGHT,
    "unread_hours": _A_FORTNIGHT,
    "unreached": 60,
    "grace": _A_FORTNIGHT,
    "first_grace": 60,
    "holiday_days": 366,
    "protest_days": 60,
}
"""The most that an option may be, whatever a game file says: pounds, counts, or a span of time."""

STANDARD_WORDS: Mapping[str, str] = {
    "drop_notice": "hours from the report that says a player is dropped until a turn goes on"
    " without him",
    "trouble_hours": "hours that a line which was refused or not understood holds the turn at most",
    "unread_hours": "hours after the deadline that a mail which can't be read holds the turn"
    " at most",
    "grace": "hours after the deadline in which orders still count, before anybody is NMR",
    "first_grace": "days that the first turn waits longer for a player who was never heard of",
    "holiday": "whether a deadline in a player's holiday moves past it or stays",
    "holiday_days": "days of holiday that count for each player in this game",
    "press": "whether players may write in the reports: to all, to named players too, or not at"
    " all",
    "anonymous": "whether press is printed without its writer's name",
    "protest_days": "days that a protest holds the game at most; 0: it holds nothing",
    "unreached": "days after the deadline that the turn waits for a player whom the report did not"
    " reach",
}
"""What those options that belong to every game say, where a game file does not name them."""

STANDARD_CHOICES: Mapping[str, tuple[str, ...]] = {
    "iou": ("call", "stay-and-call"),
    "exposed_to": ("all", "opponent"),
    "exchange": ("orders", "post"),
    "first_on_tie": ("lower-seat", "higher-seat"),
    "reveal": ("end", "never"),
    "holiday": ("move", "stay"),
    "press": ("public", "private", "off"),
}
"""What the engine knows for each option that is a choice; a game file may offer fewer."""


@dataclass(frozen=True, slots=True)
class GiftRule:
    """``cards`` cards go ``to`` seats onward; negative: backward (RULES.md 2.2)."""

    to: int
    cards: int


@dataclass(frozen=True, slots=True)
class HandsPhase:
    """Who plays whom: every ``size`` seats make a hand; 0: all of a table (RULES.md 1.4)."""

    size: int


@dataclass(frozen=True, slots=True)
class DealPhase:
    """Deal ``cards`` to each player, one at a time, seat 1 first (RULES.md 2.1)."""

    cards: int


@dataclass(frozen=True, slots=True)
class GivePhase:
    """Give cards to other seats of the table, or of the hand's live players (RULES.md 2.2)."""

    among: Literal["table", "hand"]
    gifts: tuple[GiftRule, ...]

    @property
    def cards(self) -> int:
        """How many cards each player gives away in all."""
        return sum(gift.cards for gift in self.gifts)


@dataclass(frozen=True, slots=True)
class KeepPhase:
    """Keep ``cards`` cards and expose ``expose`` of them (RULES.md 3)."""

    cards: int
    expose: int


@dataclass(frozen=True, slots=True)
class AntePhase:
    """Pay ``amount`` pounds into the pot of each hand (RULES.md 4.1)."""

    amount: int


@dataclass(frozen=True, slots=True)
class BettingPhase:
    """A round of betting (RULES.md 5 and 6): money in pounds; a limit of 0 is none.

    ``closes`` holds the verbs that end it; where it is empty it ends when every live player has
    answered the last raise.
    """

    open: tuple[Verb, ...]
    answer: tuple[Verb, ...]
    closes: tuple[Verb, ...]
    min_raise: int
    max_raise: int
    raise_cap: int
    check_limit: int


@dataclass(frozen=True, slots=True)
class ExposePhase:
    """Each live player turns up ``cards`` of his hidden cards at once (RULES.md 5.4)."""

    cards: int


Phase = HandsPhase | DealPhase | GivePhase | KeepPhase | AntePhase | BettingPhase | ExposePhase


@dataclass(frozen=True)
class Rules:
    """The rules of one game, checked: phases with their figures, and the options' values.

    ``source`` is the game file as read, kept for the record; ``options`` holds every option;
    ``edition`` is that of RULES.md under which the game is played to its end.
    """

    name: str
    players: int
    tables: int
    jokers: int
    phases: tuple[Phase, ...]
    options: Mapping[str, OptionValue]
    source: Mapping[str, Any] = field(repr=False)
    edition: int = NEWEST

    @property
    def rulings(self) -> Rulings:
        """How the game's edition rules where editions differ."""
        return rulings(self.edition)

    @property
    def told_options(self) -> Mapping[str, OptionValue]:
        """The options that people are told of: none that came after the game's edition."""
        declared, later = self.source.get("options", {}), self.rulings.standard
        return {
            name: value
            for name, value in self.options.items()
            if name in declared or not (name in STANDARD_WORDS and name in later)
        }

    def number(self, option: str) -> int:
        """Return an option that is a number."""
        return int(self.options[option])

    def choice(self, option: str) -> str:
        """Return an option that is a choice."""
        return str(self.options[option])

    @property
    def start_money(self) -> int:
        """Pounds each player starts with (RULES.md 1.2)."""
        return self.number("start_money")

    @property
    def double_ace_flush(self) -> bool:
        """Whether a joker in a flush may double a card (RULES.md 7.3)."""
        return bool(self.options["double_ace_flush"])

    @property
    def hand_size(self) -> int:
        """How many players one hand has."""
        size = next(phase.size for phase in self.phases if isinstance(phase, HandsPhase))
        return size or self.players

    @property
    def dealt(self) -> int:
        """How many cards each player is dealt at each table."""
        return next(phase.cards for phase in self.phases if isinstance(phase, DealPhase))

    def canonical(self) -> str:
        """Return file, options and edition as canonical JSON: what the commitment is made over.

        The first edition is not named: texts of its time don't have it.
        """
        edition = {"edition": self.edition} if self.edition > 1 else {}
        return json.dumps(
            {"rules": self.source, "options": dict(self.options), **edition},
            sort_keys=True,
            separators=(",", ":"),
            ensure_ascii=False,
        )
