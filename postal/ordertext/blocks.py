"""Gathers the text of ``press:`` and ``gm:`` up to its line ``end`` (ORDERS.md, Commands)."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from typing import Literal

from postal.engine.orders import Problem
from postal.ordertext.lines import as_problem
from postal.ordertext.types import Command, Refusal


@dataclass(slots=True)
class Block:
    """A block that is being read: its name, where it began and its lines so far."""

    name: Literal["press", "gm"]
    number: int
    text: str = field(repr=False)
    lines: list[str] = field(repr=False)

    @classmethod
    def opened(cls, name: Literal["press", "gm"], raw: str, number: int) -> Block:
        """Return the block that a raw line opens, with the words behind its colon."""
        colon = next(
            (at for at, c in enumerate(raw) if unicodedata.normalize("NFKC", c) == ":"), len(raw)
        )
        opening = raw.lstrip(" \t-+•")
        emphasis = opening[: len(opening) - len(opening.lstrip("*_`"))]
        first = raw[colon + 1 :].removeprefix(emphasis[::-1]).lstrip()
        return cls(name, number, raw.strip(), [first])

    def closed(self) -> Command | Problem:
        """Return the command of a block that has its ``end``; without any text it is none."""
        body = "\n".join(line.rstrip() for line in self.lines).strip("\n")
        if body.strip():
            return Command(self.name, body, self.number, self.text)
        refusal = Refusal(
            f"The {self.name} holds no text.",
            f"Write {self.name}: then the text, and a line end below it.",
        )
        return as_problem(refusal, self.text, self.number)

    def unclosed(self) -> Problem:
        """Return the problem of a block that has no ``end``.

        It is not guessed where it ends: what lies below may be orders, or quoted cards that
        nobody else may see.
        """
        refusal = Refusal(
            f"The {self.name} has no line end, so it was not taken, nor what stands below it.",
            "Put a line that says end, and nothing else, below the text; write the orders again.",
        )
        return as_problem(refusal, self.text, self.number)
