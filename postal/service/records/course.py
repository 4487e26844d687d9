"""The course of a game in which turns were taken back and played again (RULES.md 10.7)."""

from __future__ import annotations

from collections.abc import Sequence

from postal.engine.events import Event
from postal.engine.rollback import Void, with_seen
from postal.engine.state import Game


class Course:
    """A game turn by turn in the order in which they were adjudicated, void ones too."""

    def __init__(self, dealt: Game) -> None:
        """Take the game as dealt."""
        self._before: dict[int, Game] = {dealt.turn: dealt}
        self._past: list[Void] = []

    def before(self, number: int) -> Game:
        """Return the game as it was before a turn of that number, the last to have it.

        Where a turn from that on was adjudicated just before, the game went back to it: what was
        seen since is known then. KeyError where the game never came to that turn.
        """
        game = self._before[number]
        if self._past and self._past[-1][0] >= number:
            return with_seen(game, [void for void in self._past if void[0] >= number])
        return game

    def went_on(self, number: int, game: Game, events: Sequence[Event]) -> None:
        """Take down what came of a turn of that number."""
        self._before[number + 1] = game
        self._past.append((number, events))
