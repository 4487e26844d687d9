"""Holds the lines that an answer offers to copy to the very reader and book (ORDERS.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from postal.engine.book import Book, submit
from postal.engine.offers import taught
from postal.engine.problems import Problem
from postal.engine.state import Game
from postal.ordertext import read_mail
from postal.service.records.play import order_context


@dataclass(frozen=True, slots=True)
class Offers:
    """What may be offered to a player with a game's orders as they are after his mail."""

    game: Game
    book: Book
    player: str

    def mended(self, problems: Sequence[Problem]) -> tuple[Problem, ...]:
        """Return problems with what may be copied, of which every line would be taken."""
        return tuple(
            taught(self.game, self.book, self.player, problem, self.accepted)
            for problem in problems
        )

    def accepted(self, text: str) -> bool:
        """Whether a mail with this text alone would be taken without a problem."""
        reading = read_mail(text, order_context(self.game, self.player))
        if reading.problems or not (reading.lines or reading.commands):
            return False
        return not submit(self.game, self.book, self.player, reading.lines).problems
