"""Deadlines that were told as a time of day, when the clocks of their zone get other rules."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta

from postal.clock import at_wall
from postal.service.loading import UnreadableGameError
from postal.service.turns.calendar import wall_text
from postal.service.turns.deadlines import move
from postal.service.workplace import Workplace
from postal.store.rows import GameRow, JournalRow, TurnRow
from postal.store.turns import set_wall, told_turns

_LEAST = timedelta(days=1)
"""No deadline moves to a time nearer than that, unless it is later than the one told."""


def follow_zones(work: Workplace) -> int:
    """Move each deadline that its zone's clocks no longer show as it was told; return how many.

    Rules come with a new version of the zones' data, and so with a new start of the program: this
    is for then. A deadline that would come too soon stays, and so does one that is past.
    """
    with work.database.reading() as session:
        turns = told_turns(session)
    moved = 0
    for row, turn in turns:
        # A game that can't be read is set aside when its turn is due.
        with suppress(UnreadableGameError):
            moved += _follow(work, row, turn)
    return moved


def _follow(work: Workplace, row: GameRow, turn: TurnRow) -> bool:
    now, before = work.clock.now(), turn.deadline
    if before is None or turn.wall is None or before <= now:
        return False
    after = at_wall(datetime.fromisoformat(turn.wall), turn.zone)
    if after == before:
        return False
    if after < before and after < now + _LEAST:
        _keep(work, row, turn)
        return False
    return move(work, row.slug, turn.number, after, "zone")


def _keep(work: Workplace, row: GameRow, turn: TurnRow) -> None:
    """Leave a deadline as it is, though clocks show another time then than was told."""
    assert turn.deadline is not None, "it has a deadline to keep"
    entry = JournalRow(
        at=work.clock.now(),
        game_id=row.id,
        turn=turn.number,
        what="zone",
        sentence=f"The deadline stays at {turn.deadline.isoformat()}, which is too near to move it"
        f" with the new rules of {turn.zone}.",
    )
    with work.database.transaction() as session:
        if set_wall(session, turn, wall_text(turn.deadline, turn.zone)):
            session.add(entry)
