"""Words of people to each other, as facts for the mails that tell of them or hold them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

SaidKind = Literal[
    "passed-on",
    "kept-back",
    "press",
    "press-off",
    "press-over",
    "press-public-only",
    "press-unknown",
    "press-long",
    "press-order",
    "press-back",
    "press-none",
    "protest",
    "protest-words",
    "protest-twice",
    "protest-again",
    "protest-many",
    "protest-hand",
    "protest-over",
    "protest-back",
    "protest-none",
    "observe",
    "observe-off",
    "observe-none",
]
"""What became of a player's words to others, named for the sentence that tells it."""


@dataclass(frozen=True, slots=True)
class Said:
    """What became of words in a mail to the GM or to other players.

    ``names`` are those whom press goes to or could go to, a protest's hand, a game; ``limit`` is
    the most that there may be: mails a day, characters, or protests; ``until`` (aware UTC) is when
    a protest's hold ends at the latest.
    """

    kind: SaidKind
    names: tuple[str, ...] = ()
    limit: int = 0
    until: datetime | None = None
    anonymous: bool = False


@dataclass(frozen=True, slots=True)
class Press:
    """Words for a report, of the player ``by``, or where that is empty of the GM.

    ``to`` names the players who alone get them, empty: all do. ``anonymous``: others than ``by``
    are not told whose they are. ``before``: the reader holds the seat of ``by`` now, and did not
    when they were written.
    """

    text: str = field(repr=False)
    by: str = field(default="", repr=False)
    to: tuple[str, ...] = ()
    anonymous: bool = False
    before: bool = False


@dataclass(frozen=True, slots=True)
class PressContext:
    """Words in a report: who says them to whom, and the words in pieces for lines of their own."""

    heading: str
    pieces: tuple[str, ...] = field(repr=False)
