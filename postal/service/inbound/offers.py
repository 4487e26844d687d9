"""Holds the lines that an answer offers to copy to the rules and to the moment (ORDERS.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from postal.engine.book import Book, submit
from postal.engine.problems import Fault, Problem
from postal.engine.state import Game
from postal.engine.view import view
from postal.ordertext import read_mail
from postal.service.records.play import order_context

_ABOUT_NO_ORDER = frozenset(
    {Fault.BEHIND_WORDS, Fault.BEHIND_MARK, Fault.NOT_AN_ORDER, Fault.NEGATED, Fault.NO_HANDS}
    | {Fault.LINE_TOO_LONG, Fault.TOO_MANY_LINES, Fault.TOO_MANY_PARTS, Fault.FURTHER_LINES}
    | {Fault.COMMAND_QUESTION, Fault.COMMAND_BESIDE_OTHERS, Fault.CANCEL_AFTER_TABLE}
    | {Fault.CANCEL_WITHOUT_TABLE, Fault.CANCEL_UNCLEAR, Fault.HOLIDAY_DAYS_MISSING}
    | {Fault.HOLIDAY_NOT_DATES, Fault.HOLIDAY_BACKWARDS, Fault.BLOCK_WITHOUT_COLON}
    | {Fault.BLOCK_EMPTY, Fault.BLOCK_UNCLOSED}
)
"""Faults that no example of what is due would help with."""
_OF_CARDS = frozenset(
    {Fault.OTHER_KIND_DUE, Fault.KEEP_MISSING, Fault.WRONG_GIFTS, Fault.WRONG_NUMBER}
    | {Fault.WRONG_EXPOSURE, Fault.NOT_HELD, Fault.EXPOSED_NOT_KEPT}
)
"""Faults of a line for which something else is due: a line of that, but never a sum, is offered."""
_NEVER_OFFERED = ("raise", "fold")
"""Nobody is offered a sum, or a fold, that he did not write."""


@dataclass(frozen=True, slots=True)
class Offers:
    """What may be offered to a player with a game's orders as they are after his mail."""

    game: Game
    book: Book
    player: str

    def mended(self, problems: Sequence[Problem]) -> tuple[Problem, ...]:
        """Return problems of which every line to copy would be taken as it stands.

        Where none of the player's own can be made right, one of what is due now takes their
        place: for the hand that he wrote of, else for the first that is due.
        """
        return tuple(map(self._mended, problems))

    def _mended(self, problem: Problem) -> Problem:
        if problem.fault in _OF_CARDS:
            return replace(problem, examples=self._due(problem))
        examples = tuple(line for line in problem.examples if self.accepted(line))
        if examples or not self._is_order(problem):
            return replace(problem, examples=examples)
        return replace(problem, examples=(), instead=self._due(problem))

    @staticmethod
    def _is_order(problem: Problem) -> bool:
        """Whether an order was meant that is due, or could be, but could not be taken."""
        worded = problem.code in ("not-understood", "not-allowed") and not problem.figures.verbs
        return worded and problem.fault not in _ABOUT_NO_ORDER

    def accepted(self, line: str) -> bool:
        """Whether a mail with this one line would be taken without a problem."""
        reading = read_mail(line, order_context(self.game, self.player))
        if reading.problems or not (reading.lines or reading.commands):
            return False
        return not submit(self.game, self.book, self.player, reading.lines).problems

    def _due(self, problem: Problem) -> tuple[str, ...]:
        """Return a line of what is due, as a report offers it; never a sum or a fold."""
        seen = view(self.game, self.player, self.book)
        due = [item for item in seen.due if item.hand in problem.hands] or list(seen.due)
        lines = (line for item in due for line in item.examples)
        plain = (line for line in lines if not line.partition(": ")[2].startswith(_NEVER_OFFERED))
        return tuple(line for line in plain if self.accepted(line))[:1]
