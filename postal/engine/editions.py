"""The editions of RULES.md: a game is played, verified and replayed under its own to its end.

The few rulings in which editions differ are fields of ``Rulings``, each named with its clause; the
engine asks the rulings of a game's edition and never the edition itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Rulings:
    """How an edition rules where editions differ.

    ``check_at_the_cap`` (5.3, so 9.2 too): at the raise cap a check stays possible with level sums.
    ``any_mail_is_heard`` (9.4): a mail of any kind ends a player's row of missed turns, not just an
    order on file. ``drop_waits_a_turn`` (9.4): who is dropped has the next turn to come back in,
    and defaults are used at once only after that. ``must_end`` (9.4): a game that might never end
    is refused, as are numbers beyond any sense. ``trouble_by_hand`` (10.6): only a line that was
    meant for a hand that is due holds a turn, for so many hours at most. ``standard`` holds the
    options whose value, where none is named, differs from that of the newest edition: each means
    "as before".
    """

    check_at_the_cap: bool = True
    any_mail_is_heard: bool = True
    drop_waits_a_turn: bool = True
    must_end: bool = True
    trouble_by_hand: bool = True
    standard: Mapping[str, int | str] = field(default_factory=dict)


_RULINGS: Mapping[int, Rulings] = {
    1: Rulings(
        check_at_the_cap=False,
        any_mail_is_heard=False,
        drop_waits_a_turn=False,
        must_end=False,
        trouble_by_hand=False,
        # A drop took effect at once, and trouble held a turn to its deadline: a year is no limit.
        # Nobody was told of "unread_hours" and "unreached", which are the same: they keep anybody
        # from being NMR.
        standard={
            "min_raise": 1_000,
            "drop_notice": 0,
            "trouble_hours": 8_760,
            "unread_hours": 24,
            "unreached": 7,
            "grace": 0,
            "first_grace": 0,
            "holiday": "stay",
            "holiday_days": 0,
            "press": "off",
            "anonymous": False,
            "protest_days": 0,
        },
    ),
    2: Rulings(),
}

EDITIONS = tuple(_RULINGS)
"""Every edition that a game may have begun under. 1: the program up to 0.1.0."""

NEWEST = EDITIONS[-1]
"""The edition that a new game begins under."""


def rulings(edition: int) -> Rulings:
    """Return how an edition rules; KeyError for one that isn't among EDITIONS."""
    return _RULINGS[edition]
