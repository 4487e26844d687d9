"""Gathers the text of ``press:``, ``gm:`` or ``protest A:`` up to ``end`` (ORDERS.md)."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field

from postal.engine.problems import Fault, Figures, Problem
from postal.ordertext.commands import Opening
from postal.ordertext.lines import as_problem
from postal.ordertext.types import Command, Refusal


@dataclass(slots=True)
class Block:
    """A block that is being read: what opened it, where it began and its lines so far."""

    opening: Opening
    number: int
    text: str = field(repr=False)
    lines: list[str] = field(repr=False)

    @classmethod
    def opened(cls, opening: Opening, raw: str, number: int) -> Block:
        """Return the block that a raw line opens, with the words behind its colon."""
        colon = next(
            (at for at, c in enumerate(raw) if unicodedata.normalize("NFKC", c) == ":"), len(raw)
        )
        start = raw.lstrip(" \t-+•")
        emphasis = start[: len(start) - len(start.lstrip("*_`"))]
        first = raw[colon + 1 :].removeprefix(emphasis[::-1]).lstrip()
        return cls(opening, number, raw.strip(), [first])

    def closed(self) -> Command | Problem:
        """Return the command of a block that has its ``end``; without any text it is none."""
        body = "\n".join(line.rstrip() for line in self.lines).strip("\n")
        if body.strip():
            name, about = self.opening.name, self.opening.about
            return Command(name, body, self.number, self.text, about)
        return self._problem(Fault.BLOCK_EMPTY)

    def unclosed(self) -> Problem:
        """Return the problem of a block that has no ``end``.

        It is not guessed where it ends: what lies below may be orders, or quoted cards that
        nobody else may see.
        """
        return self._problem(Fault.BLOCK_UNCLOSED)

    def _problem(self, fault: Fault) -> Problem:
        return as_problem(Refusal(fault, Figures(verb=self.opening.name)), self.text, self.number)
