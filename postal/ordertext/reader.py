"""Reads a whole mail, or one line of a game record, in one pass over its lines (ORDERS.md)."""

from __future__ import annotations

from dataclasses import dataclass, field

from postal.engine.orders import Line
from postal.engine.problems import Fault, Figures, Problem
from postal.ordertext import older, quoting
from postal.ordertext.blocks import Block
from postal.ordertext.commands import is_end, opens_block
from postal.ordertext.folding import fold, fold_part
from postal.ordertext.lines import (
    LONGEST_LINE,
    Found,
    as_problem,
    bare_table,
    below_table,
    count_separators,
    read_line,
    read_record_parts,
)
from postal.ordertext.types import Command, Context, Reading, Refusal
from postal.ordertext.words import may_order

MOST_LINES = 2000
"""Lines of a mail that are read; where there are more the player is told."""

MOST_PARTS = 5000
"""Parts of its lines that are read, and as many of the quoted ones: a line may hold hundreds."""

_OURS = ("::", "|")
_HANGING = "|"


def read_mail(text: str, context: Context) -> Reading:
    """Return the orders, commands and problems of a mail's text; raises nothing on any text.

    ``text`` is the decoded body, format=flowed undone, without the HTML. What is quoted, below
    the marker, a client's header block or a signature is not read; lines there that would have
    been orders are in ``cut``.
    """
    scan = _Scan(context, text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    scan.run()
    return scan.reading()


def read_quoted(text: str, context: Context) -> tuple[tuple[int, str], ...]:
    """Return the lines of a text that would be orders, all of it being quoted.

    Lines of ours, with ``::`` or ``|`` in front, are none of them.
    """
    scan = _Scan(context, text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    scan.stopped = True
    scan.run()
    return tuple(scan.cut)


def read_record_line(text: str, context: Context) -> Reading:
    """Return what one line of a game record means: each part is an order or a problem.

    ``cancel``, ``wait``, ``ready`` and ``resign`` may stand there too. Nothing is quoted and
    nothing is prose in a record (RECORD.md).
    """
    scan = _Scan(context, [text])
    scan.sort(read_record_parts(text, 1, context))
    return scan.reading()


@dataclass(slots=True)
class _Scan:
    """One pass over the lines of a mail and what was found so far."""

    context: Context
    texts: list[str] = field(repr=False)
    lines: list[Line] = field(default_factory=list)
    commands: list[Command] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    cut: list[tuple[int, str]] = field(default_factory=list, repr=False)
    below: list[tuple[tuple[int, str], frozenset[str]]] = field(default_factory=list, repr=False)
    """Those of ``cut`` below the head of an older mail or in a block, with their orders."""

    guarded: list[tuple[int, str]] = field(default_factory=list, repr=False)
    prose: int = 0
    block: Block | None = None
    stopped: bool = False
    older: bool = False
    """Whether what stopped the reading is the head of an older mail."""

    folded: list[str] = field(default_factory=list, repr=False)
    heads: dict[int, bool] = field(default_factory=dict)
    """Where header blocks begin by their shape, and whether they are surely some."""

    parts: int = 0
    quoted_parts: int = 0
    above: str = ""
    """The line of ours just above: ``::``, or ``|`` where a mark hangs at its end; else empty."""

    table: str = ""
    """The table that the line just above is, and nothing else."""

    def reading(self) -> Reading:
        own = {line.order.line() for line in self.lines}
        return Reading(
            tuple(self.lines),
            tuple(self.commands),
            tuple(sorted(self.problems, key=lambda problem: problem.number)),
            tuple(self.cut),
            tuple(line for line, orders in self.below if not orders <= own),
            tuple(self.guarded),
            self.prose,
        )

    def sort(self, found: list[Found]) -> None:
        """Put what a line holds where it belongs."""
        for one in found:
            if isinstance(one, Line):
                self.lines.append(one)
            elif isinstance(one, Command):
                self.commands.append(one)
            else:
                self.problems.append(one)

    def run(self) -> None:
        """Read the lines up to the end, or to what stops the reading."""
        folded = [fold(raw[: LONGEST_LINE + 1]) for raw in self.texts[:MOST_LINES]]
        following = self._following(folded)
        self.folded = folded
        self.heads = older.blocks_by_shape(folded)
        for at, raw in enumerate(self.texts[:MOST_LINES]):
            if self._take(raw, at + 1, folded[at], following[at]):
                return
        if self.block:
            self.problems.append(self.block.unclosed())
        if not self.stopped and any(raw.strip() for raw in self.texts[MOST_LINES:]):
            refusal = Refusal(Fault.TOO_MANY_LINES, Figures(needed=MOST_LINES))
            self.problems.append(as_problem(refusal, "", MOST_LINES + 1))

    @staticmethod
    def _following(folded: list[str]) -> list[str]:
        """Return for each line the next one that is not empty."""
        following = [""] * len(folded)
        for at in range(len(folded) - 2, -1, -1):
            following[at] = folded[at + 1] or following[at + 1]
        return following

    def _take(self, raw: str, number: int, folded: str, following: str) -> bool:
        """Take one line; true where ``end`` says that nothing below is read."""
        mark = "" if self.stopped else quoting.quote_mark(folded)
        if self.stopped or mark:
            self._cut(raw, number, folded)
            self._remember(mark, folded)
            return False
        if self.parts > MOST_PARTS:
            self._give_up(number)
            return True
        marker = quoting.is_marker(folded, following)
        self.older = not marker and self._is_head(number, folded, following)
        if marker or self.older or quoting.is_signature(raw):
            before, edge, _ = raw.partition(quoting.MARKER_EDGE)
            if marker and edge and not self.block:
                self._read(before, number)
            self._stop()
            return False
        if self.block and not opens_block(fold_part(raw)):
            self._in_block(self.block, raw, number, folded)
            return False
        if is_end(fold_part(raw)):
            return True
        self._open_or_read(raw, number, folded)
        return False

    def _give_up(self, number: int) -> None:
        refusal = Refusal(Fault.TOO_MANY_PARTS, Figures(needed=MOST_PARTS))
        self.problems.append(as_problem(refusal, "", number))

    def _is_head(self, number: int, folded: str, following: str) -> bool:
        """Whether an older mail begins with a line, all of it being quoted without marks.

        In a block less is taken for it: people write there who wrote what.
        """
        if older.is_original_line(folded) or quoting.is_block_start(folded, following):
            return True
        if number - 1 in self.heads:
            return self.heads[number - 1] or not self.block
        if not following or quoting.quote_mark(following):
            return False
        above = self.folded[number - 2] if number > 1 else ""
        if self.block:
            return older.is_sure_attribution(folded, above)
        return older.is_attribution(folded, above)

    def _stop(self) -> None:
        self.stopped = True
        if self.block:
            self.problems.append(self.block.unclosed())
            self.block = None

    def _in_block(self, block: Block, raw: str, number: int, folded: str) -> None:
        if is_end(fold_part(raw)):
            self.sort([block.closed()])
            self.block = None
            return
        block.lines.append(raw)
        self._cut(raw, number, folded, in_block=True)

    def _open_or_read(self, raw: str, number: int, folded: str) -> None:
        opening = opens_block(fold_part(raw))
        if opening is None:
            if not older.is_attribution(folded):
                self._read(raw, number)
            return
        if self.block:
            self.problems.append(self.block.unclosed())
        self.block = Block.opened(opening, raw, number)

    def _read(self, raw: str, number: int) -> None:
        """Read a line of the player's own; the rest of a line of ours is not taken for one.

        A client that wraps our lines anew can leave an order behind without its mark: below a
        mark that hangs at a line's end nothing is taken, below ``::`` nothing without a table.
        """
        self.parts += 1 + count_separators(raw)
        found = read_line(raw, number, self.context, letterless=not self.above)
        if self.table:
            found = below_table(found, raw, self.table, self.context)
        self.table = bare_table(raw, self.context) if raw.strip() else self.table
        if self.above == _HANGING:
            found = [
                one if isinstance(one, Problem) else self._behind_mark(one, number) for one in found
            ]
        self.above = ""
        self.prose += 0 if found else len(raw.strip())
        self.sort(found)

    def _behind_mark(self, one: Line | Command, number: int) -> Problem:
        hands = self.context.hands_at([one.order.table]) if isinstance(one, Line) else ()
        return as_problem(Refusal(Fault.BEHIND_MARK, hands=hands), one.text, number)

    def _remember(self, mark: str, folded: str) -> None:
        hanging = mark in _OURS and folded.endswith(_OURS)
        self.above = _HANGING if hanging else mark if mark == "::" else ""

    def _cut(self, raw: str, number: int, folded: str, *, in_block: bool = False) -> None:
        """Note a line that is not read, if it would have been orders, or may be one of ours."""
        guarded = quoting.guard(raw[:LONGEST_LINE])
        if guarded:
            self.guarded.append((number, guarded))
            return
        if not may_order(folded):
            return
        text = quoting.unquoted(raw[:LONGEST_LINE])
        self.quoted_parts += 1 + count_separators(text)
        if self.quoted_parts > MOST_PARTS:
            return
        found = read_line(text, number, self.context, letterless=False)
        orders = frozenset(one.order.line() for one in found if isinstance(one, Line))
        if orders:
            self.cut.append((number, raw.strip()[:LONGEST_LINE]))
            if self.older or in_block:
                self.below.append((self.cut[-1], orders))
