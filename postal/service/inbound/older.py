"""A mail that is handled after later ones of its sender: what those say of a hand stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from postal.engine.orders import Line
from postal.engine.problems import Fault, Problem
from postal.engine.words import ALL_TABLES
from postal.ordertext import Reading
from postal.service.inbound.case import SeatCase
from postal.service.inbound.filing import Filing
from postal.service.loading import TurnFile
from postal.store.orders import later_lines
from postal.store.rows import OrderAction

_SIGNS = {OrderAction.WAIT: "wait", OrderAction.READY: "ready"}


def without_overtaken(case: SeatCase, reading: Reading) -> tuple[Reading, bool]:
    """Return what a mail still orders, and whether later mails of the player were handled.

    A line for a hand for which one of those has an order, or took one back, is told of and does
    nothing; so does a ``wait`` or ``ready`` where one of those says so, without a word.
    """
    turn = case.loaded.turn
    if turn is None or turn.id is None or case.row.id is None:
        return reading, False
    later = later_lines(case.session, turn.id, case.whose.seat_id, case.row.id)
    if not later:
        return reading, False
    hands = {row.hand for row in later if row.hand}
    signed = any(row.action in _SIGNS for row in later)
    kept: list[Line] = []
    told: list[Problem] = []
    for line in reading.lines:
        kept += _kept(case, line, hands)
        told += _told(case, line, hands)
    commands = [one for one in reading.commands if not (signed and one.name in _SIGNS.values())]
    problems = (*reading.problems, *told)
    return replace(reading, lines=tuple(kept), commands=tuple(commands), problems=problems), True


def holding_no_more(filing: Filing, before: TurnFile) -> Filing:
    """Return what came of such a mail without any change in what holds the turn (10.6).

    His next mail has ended that, and it was handled before.
    """
    was, player = before.of(filing.player), filing.player
    changes = {"troubled": was.troubled, "troubled_until": was.troubled_until}
    return replace(filing, file=filing.file.with_presence(player, **changes))


def _hands(case: SeatCase, line: Line) -> dict[str, str]:
    """Return the player's hands that a line is meant for, by their tables."""
    mine = {hand.table: hand.name for hand, _ in case.loaded.game.hands_of(case.seat.name)}
    table = line.order.table
    return mine if table == ALL_TABLES else {one: mine[one] for one in mine if one == table}


def _kept(case: SeatCase, line: Line, overtaken: set[str]) -> Iterator[Line]:
    """Yield a line as it stands, or that part of one for all tables which is not overtaken."""
    meant = _hands(case, line)
    if not overtaken.intersection(meant.values()):
        yield line
        return
    for table, hand in meant.items():
        if hand not in overtaken:
            yield replace(line, order=replace(line.order, table=table))


def _told(case: SeatCase, line: Line, overtaken: set[str]) -> Iterator[Problem]:
    for hand in _hands(case, line).values():
        if hand in overtaken:
            yield line.problem(Problem(Fault.LATER_STANDS, hand=hand))
