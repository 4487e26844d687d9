"""Reads one line, which may hold several orders parted by ``;``."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field

from postal.engine.orders import Cancel, Line
from postal.engine.problems import Fault, Figures, Problem
from postal.ordertext.commands import Word, read_command
from postal.ordertext.folding import fold_part
from postal.ordertext.orders import read_order
from postal.ordertext.types import Command, Context, Refusal

LONGEST_LINE = 500
"""Characters of a line that are read; longer ones are told where they hold an order."""

_EXAMPLES = ("A: raise 40000", "A: stay", "A: fold")
_BESIDE_ORDERS = frozenset({"wait", "ready"})

Found = Line | Command | Problem


@dataclass(slots=True)
class Part:
    """One part of a line: its text and what it was read as; None is prose."""

    text: str = field(repr=False)
    found: Found | None


def count_separators(raw: str) -> int:
    """Return how many semicolons part what is read of a line."""
    return len(split_parts(raw[:LONGEST_LINE])) - 1


def split_parts(raw: str) -> list[str]:
    """Return the parts of a line between its semicolons, of whatever alphabet."""
    if not raw.isascii():
        raw = "".join(";" if unicodedata.normalize("NFKC", c) == ";" else c for c in raw)
    return [part.strip() for part in raw.split(";")]


def read_part(text: str, number: int, context: Context, *, letterless: bool = True) -> Part:
    """Read one part by itself."""
    folded = fold_part(text)
    command = read_command(folded, context)
    if isinstance(command, Word):
        return Part(text, Command(command.name, command.argument, number, text))
    if isinstance(command, Cancel):
        return Part(text, Line(text, number, command))
    if isinstance(command, Refusal):
        return Part(text, as_problem(command, text, number))
    order, hand = read_order(folded, context, letterless=letterless)
    if order is None:
        return Part(text, None)
    if isinstance(order, Refusal):
        return Part(text, as_problem(order, text, number, hand))
    return Part(text, Line(text, number, order))


def read_line(raw: str, number: int, context: Context, *, letterless: bool = True) -> list[Found]:
    """Return what a line of a mail holds; empty where it is prose from end to end."""
    texts = [text for text in split_parts(raw[:LONGEST_LINE]) if text]
    parts = [read_part(text, number, context, letterless=letterless) for text in texts]
    if not any(part.found for part in parts):
        return []
    if len(raw) > LONGEST_LINE:
        return [_too_long(raw, number)]
    if len(parts) == 1:
        return [part.found for part in parts if part.found]
    if parts[0].found is None:
        return [_within_prose(part, number) for part in parts if part.found]
    return [_beside_others(part, number) for part in parts]


def read_record_parts(raw: str, number: int, context: Context) -> list[Found]:
    """Return what a line of a game record holds: every part is something (RECORD.md)."""
    if len(raw) > LONGEST_LINE:
        return [_too_long(raw, number)]
    texts = [text for text in split_parts(raw) if text] or [raw]
    return [_beside_others(read_part(text, number, context), number) for text in texts]


def as_problem(refusal: Refusal, text: str, number: int, hand: str = "") -> Problem:
    """Return a refusal as the problem of a line."""
    return Problem(refusal.fault, refusal.figures, refusal.examples, hand, text, number)


def _beside_others(part: Part, number: int) -> Found:
    """Return what a part among others is: prose is not passed over, nor is a command."""
    if part.found is None:
        refusal = Refusal(Fault.NOT_AN_ORDER, Figures(text=part.text), _EXAMPLES)
        return as_problem(refusal, part.text, number)
    if isinstance(part.found, Command) and part.found.name not in _BESIDE_ORDERS:
        refusal = Refusal(Fault.COMMAND_BESIDE_OTHERS, Figures(verb=part.found.name))
        return as_problem(refusal, part.text, number)
    return part.found


def _within_prose(part: Part, number: int) -> Problem:
    if isinstance(part.found, Problem):
        return part.found
    return as_problem(Refusal(Fault.BEHIND_WORDS), part.text, number)


def _too_long(raw: str, number: int) -> Problem:
    refusal = Refusal(Fault.LINE_TOO_LONG, Figures(needed=LONGEST_LINE))
    return as_problem(refusal, raw[:LONGEST_LINE], number)
