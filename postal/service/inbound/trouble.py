"""Which mail holds a turn whose orders are all in, and until when (RULES.md 10.6)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from postal.engine.book import Submission
from postal.engine.game import due
from postal.engine.orders import Cancel
from postal.engine.problems import Fault, Problem
from postal.engine.state import Game
from postal.engine.words import ALL_TABLES
from postal.ordertext import Reading
from postal.service.loading import LoadedGame, Presence

_OF_NO_HAND = frozenset(
    {
        Fault.COMMAND_QUESTION,
        Fault.COMMAND_BESIDE_OTHERS,
        Fault.HOLIDAY_DAYS_MISSING,
        Fault.HOLIDAY_NOT_DATES,
        Fault.HOLIDAY_BACKWARDS,
        Fault.BLOCK_WITHOUT_COLON,
        Fault.BLOCK_EMPTY,
        Fault.LATER_STANDS,
        Fault.STANDS_AS_IT_WAS,
    }
)
"""What is wrong with a command, which is meant for no hand, or with an order of no account."""

_TABLE = re.compile(r"(?<![\w'])(?:([A-Z])\d?|([a-z])(?=\d?\s*[:)=]))(?![\w'])")
"""A table's letter within a line: a capital by itself, or a small one that heads an order."""

_HEAD = re.compile(r"\W*([A-Za-z])\d?\s*[:)=]")
"""A line that begins with a table's letter, whether or not there is such a table."""

_ALL = re.compile(rf"\b{ALL_TABLES}\b", re.IGNORECASE)

_Place = tuple[int, int]
"""Where something stands in a mail: its line, and which of the mail's orders it is."""

_NOWHERE: _Place = (-1, -1)


@dataclass(frozen=True, slots=True)
class Lines:
    """What a mail of a player says, and what of it was taken."""

    game: Game = field(repr=False)
    player: str
    reading: Reading = field(repr=False)
    taken: Submission = field(repr=False)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """All that was not taken."""
        return (*self.reading.problems, *self.taken.problems)

    def holds(self) -> bool:
        """Whether the mail holds the turn: a line for a hand that is due was not taken.

        A good line for that hand later in the mail puts it right. A line that names no hand is
        meant for one of those due, whichever it is. What concerns no hand, or one where nothing is
        due from him, holds nothing.
        """
        owed, good = _owed(self.game, self.player), dict(self._good())
        for problem in self.problems if owed else ():
            if problem.fault in _OF_NO_HAND or self._swallowed_nothing(problem):
                continue
            place = self._place(problem)
            right = {hand for hand in owed if good.get(hand, _NOWHERE) >= place}
            meant = self._meant(problem)
            if (meant & owed) - right if meant else not right:
                return True
        return False

    def _swallowed_nothing(self, problem: Problem) -> bool:
        """Whether a block without its end has nothing below it that would be an order."""
        if problem.fault is not Fault.BLOCK_UNCLOSED:
            return False
        return all(number < problem.number for number, _ in self.reading.cut)

    def frees(self) -> bool:
        """Whether a mail that doesn't hold the turn itself ends what an earlier one did.

        That is a line of his own for a hand that is due, and ``ready``; a question is neither.
        """
        owed = _owed(self.game, self.player)
        tables = {self.game.hand(name).table for name in owed} | {ALL_TABLES}
        ordered = any(line.order.table in tables for line in self.reading.lines) and bool(owed)
        return ordered or any(one.name in ("ready", "wait") for one in self.reading.commands)

    @property
    def _hands(self) -> dict[str, str]:
        """His hands by their tables."""
        return {hand.table: hand.name for hand, _ in self.game.hands_of(self.player)}

    def _good(self) -> Iterator[tuple[str, _Place]]:
        """Yield each hand with a good line for it and where that stands, the last one last."""
        bad = {
            (problem.number, problem.line, problem.hand)
            for problem in self.taken.problems
            if problem.code != "expose-dropped"
        }
        for index, line in enumerate(self.reading.lines):
            table = line.order.table
            if isinstance(line.order, Cancel):
                continue
            for hand in self._hands.values() if table == ALL_TABLES else (self._hands.get(table),):
                if hand and (line.number, line.text, hand) not in bad:
                    yield hand, (line.number, index)

    def _place(self, problem: Problem) -> _Place:
        for index, line in enumerate(self.reading.lines):
            if (line.number, line.text) == (problem.number, problem.line):
                # Where part of a good line was dropped the rest of it stands.
                return problem.number, index
        return problem.number, -1

    def _meant(self, problem: Problem) -> set[str]:
        """Return the hands that a line is meant for as far as it says so, empty where it doesn't.

        A table that is none of his stands for itself: nothing is due there.
        """
        if problem.hands:
            return set(problem.hands)
        hands = self._hands
        if _ALL.search(problem.line):
            return set(hands.values())
        letters = {(first or second).upper() for first, second in _TABLE.findall(problem.line)}
        named = {hands[letter] for letter in letters if letter in hands}
        head = _HEAD.match(problem.line)
        return named or ({head.group(1)} if head else set())


def troubles(loaded: LoadedGame, lines: Lines) -> bool:
    """Whether a mail holds the turn: under the first edition by any line that isn't taken."""
    return lines.holds() if loaded.rules.rulings.trouble_by_hand else bool(lines.problems)


def presence_after(
    loaded: LoadedGame, before: Presence, lines: Lines, arrived: datetime
) -> tuple[bool, datetime | None]:
    """Return whether a player has trouble after a mail of his, and until when.

    Under the first edition every mail without a trouble ends an earlier one.
    """
    if troubles(loaded, lines):
        return True, ends(loaded, arrived)
    if not loaded.rules.rulings.trouble_by_hand:
        return False, None
    return (False, None) if lines.frees() else (before.troubled, before.troubled_until)


def ends(loaded: LoadedGame, arrived: datetime) -> datetime | None:
    """Return when a trouble ends that began with a mail of that time; None: at the deadline."""
    if not loaded.rules.rulings.trouble_by_hand:
        return None
    return arrived + timedelta(hours=loaded.rules.number("trouble_hours"))


def owes(game: Game, player: str) -> bool:
    """Whether something is due from a player this turn."""
    return bool(_owed(game, player))


def _owed(game: Game, player: str) -> set[str]:
    return {hand for one, hand in due(game) if one == player}
