"""Reads one line, which may hold several orders parted by ``;``."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field

from postal.engine.orders import Cancel, Line
from postal.engine.problems import NO_FIGURES, Fault, Figures, Problem
from postal.engine.words import BET_WORDS
from postal.ordertext.commands import Word, read_command
from postal.ordertext.folding import fold, fold_part, key, without_prefixes
from postal.ordertext.headed import unnamed_tables
from postal.ordertext.heads import read_head
from postal.ordertext.mending import goes_on, goes_on_to_limit, own_lines
from postal.ordertext.orders import read_order
from postal.ordertext.sentences import capital_a, tables_named
from postal.ordertext.types import Command, Context, Refusal

LONGEST_LINE = 500
"""Characters of a line that are read; longer ones are told where they hold an order."""

_NAMELESS = frozenset({Fault.NO_TABLE_FIRST, Fault.TWO_ORDERS, Fault.SPLIT_ORDER})
"""Faults of what is an order for a hand, though it may not be said for which."""
_NUMBERED = re.compile(r"[^\w(]*\(?[0-9]{1,3}[.):]")
_BESIDE_ORDERS = frozenset({"wait", "ready"})
_RESIGN = "resign"

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
    """Read one part by itself.

    Where there are several tables a number may count them, so a line that one stands before needs
    its table.
    """
    folded = fold_part(text)
    letterless = letterless and (context.only_table is not None or not _NUMBERED.match(fold(text)))
    command = read_command(folded, context, letterless=letterless)
    if isinstance(command, Word):
        return Part(text, Command(command.name, command.argument, number, text))
    if isinstance(command, Cancel):
        assumed = folded == "cancel" and context.only_table is None
        return Part(text, Line(text, number, command, assumed))
    if isinstance(command, Refusal):
        return Part(text, as_problem(command, text, number))
    order, assumed = read_order(
        folded, context, letterless=letterless, capital=capital_a(without_prefixes(text))
    )
    if order is None:
        return Part(text, None)
    if isinstance(order, Refusal):
        return Part(text, as_problem(order, text, number))
    return Part(text, Line(text, number, order, assumed))


def read_line(raw: str, number: int, context: Context, *, letterless: bool = True) -> list[Found]:
    """Return what a line of a mail holds; empty where it is prose from end to end."""
    # A part without a letter or a figure is a smiley's rest: "A: fold ;-)".
    texts = [text for text in split_parts(raw[:LONGEST_LINE]) if any(map(str.isalnum, text))]
    parts = _read_parts(texts, number, context, letterless=letterless)
    if not any(part.found for part in parts):
        return []
    if len(raw) > LONGEST_LINE:
        return [_too_long(raw, number)]
    if len(parts) == 1:
        return [part.found for part in parts if part.found]
    if parts[0].found is None:
        parts = _with_table(parts, number, context)
        return [_within_prose(part, number, context) for part in parts if part.found]
    return [_beside_others(part, number) for part in parts]


def bare_table(raw: str, context: Context) -> str:
    """Return the table of a line that is nothing but its letter, ``Table A:``; else nothing."""
    head = read_head(fold_part(raw), context)
    return head.table if head and head.known and not head.rest else ""


def below_table(found: list[Found], raw: str, table: str, context: Context) -> list[Found]:
    """Return what stands below a line that is nothing but a table, meant for that if for any.

    It is refused, where it has no table of its own, with the line to copy.
    """
    if table == context.unnamed_table or not found or read_head(fold_part(raw), context):
        return found
    one, number = found[0], found[0].number
    nameless = isinstance(one, Problem) and one.fault is Fault.NO_TABLE_FIRST
    if len(found) > 1 or not (nameless or (isinstance(one, Line) and one.assumed)):
        return found
    line = read_part(f"{table}: {raw.strip()}", number, context).found
    if isinstance(line, Command) or line is None:
        return found
    lines = (line.order.line(),) if isinstance(line, Line) else line.examples
    hands = context.hands_at([table])
    return [
        as_problem(Refusal(Fault.NO_TABLE_FIRST, NO_FIGURES, lines, hands), raw.strip(), number)
    ]


def read_record_parts(raw: str, number: int, context: Context) -> list[Found]:
    """Return what a line of a game record holds: every part is something (RECORD.md)."""
    if len(raw) > LONGEST_LINE:
        return [_too_long(raw, number)]
    texts = [text for text in split_parts(raw) if text] or [raw]
    parts = _read_parts(texts, number, context, letterless=True)
    alone = parts[0].found
    if len(parts) == 1 and isinstance(alone, Command) and alone.name == _RESIGN:
        return [alone]
    return [_beside_others(part, number) for part in parts]


def as_problem(refusal: Refusal, text: str, number: int) -> Problem:
    """Return a refusal as the problem of a line."""
    hand, further = refusal.hands[:1], refusal.hands[1:]
    return Problem(
        refusal.fault,
        refusal.figures,
        refusal.examples,
        hand[0] if hand else "",
        text,
        number,
        further,
    )


def _read_parts(texts: list[str], number: int, context: Context, *, letterless: bool) -> list[Part]:
    """Read the parts of a line; those that a ``;`` has cut off their order are one part with it.

    Behind a ``;`` an order names its table, in a game of one table too (ORDERS.md).
    """
    parts: list[Part] = []
    for text in texts:
        part = read_part(text, number, context, letterless=letterless and not parts)
        before = parts[-1] if parts else None
        if before and _for_a_hand(before.found) and _belongs(part, text, context):
            parts[-1] = _refused_together(before, text, number, context)
        else:
            parts.append(part)
    return parts


def _for_a_hand(found: Found | None) -> bool:
    if isinstance(found, Line):
        return not isinstance(found.order, Cancel)
    return isinstance(found, Problem) and (bool(found.hands) or found.fault in _NAMELESS)


def _belongs(part: Part, text: str, context: Context) -> bool:
    """Whether what stands behind a ``;`` is more of the order before it."""
    if part.found is not None and not isinstance(part.found, Problem):
        return False
    folded = fold_part(text)
    words = folded.split()
    if read_head(folded, context) is not None or not goes_on(folded):
        return False
    # "fold A; stay B" are two orders, though each has its table behind it.
    of_its_own = key(words[0]) in BET_WORDS and tables_named(words, context, capital=False)
    return not of_its_own


def _refused_together(before: Part, text: str, number: int, context: Context) -> Part:
    """Return an order and what a ``;`` cut off it as refused, with the line in commas to copy."""
    whole = f"{before.text}; {text}"
    joined = ", ".join(fold_part(part) for part in split_parts(whole))
    line = read_part(joined, number, context).found
    found = before.found
    hands = found.hands if isinstance(found, Problem) else ()
    table = ""
    if isinstance(found, Line) and not isinstance(found.order, Cancel):
        table = found.order.table
        hands = context.hands_at([table])
    named = [name for name, hand in context.hands.items() if hand in hands]
    at = [table] if table else named or unnamed_tables(context)
    lines = (line.order.line(),) if isinstance(line, Line) else own_lines(joined, at, context)
    if not isinstance(line, Line) and goes_on_to_limit(fold_part(text)):
        lines = ()
    fault = Fault.SPLIT_ORDER if len(lines) <= len(at) else Fault.TWO_ORDERS
    return Part(whole, as_problem(Refusal(fault, NO_FIGURES, lines, hands), whole, number))


def _beside_others(part: Part, number: int) -> Found:
    """Return what a part among others is: prose is not passed over, nor is a command."""
    if part.found is None:
        refusal = Refusal(Fault.NOT_AN_ORDER, Figures(text=part.text))
        return as_problem(refusal, part.text, number)
    if isinstance(part.found, Command) and part.found.name not in _BESIDE_ORDERS:
        refusal = Refusal(Fault.COMMAND_BESIDE_OTHERS, Figures(verb=part.found.name))
        return as_problem(refusal, part.text, number)
    return part.found


def _with_table(parts: list[Part], number: int, context: Context) -> list[Part]:
    """Read what a ``;`` parts from nothing but its table, ``A; fold``, as meant for that."""
    table = bare_table(parts[0].text, context)
    if not table:
        return parts
    return [parts[0], read_part(f"{table}: {parts[1].text}", number, context), *parts[2:]]


def _within_prose(part: Part, number: int, context: Context) -> Problem:
    if isinstance(part.found, Problem):
        return part.found
    lines = (part.found.order.line(),) if isinstance(part.found, Line) else ()
    hands = context.hands_at([part.found.order.table]) if isinstance(part.found, Line) else ()
    return as_problem(Refusal(Fault.BEHIND_WORDS, NO_FIGURES, lines, hands), part.text, number)


def _too_long(raw: str, number: int) -> Problem:
    refusal = Refusal(Fault.LINE_TOO_LONG, Figures(needed=LONGEST_LINE))
    return as_problem(refusal, raw[:LONGEST_LINE], number)
