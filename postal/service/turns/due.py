"""Why a turn is to be adjudicated now, and when it will be (RULES.md 9.1, 10.5, 10.6)."""

from __future__ import annotations

from typing import Literal

from sqlmodel import Session

from postal.service.loading import LoadedGame, TurnFile
from postal.service.workplace import Workplace
from postal.store.mails import waits_for_mail, whole_poll_began_at
from postal.store.rows import TurnStatus

Why = Literal["deadline", "complete", "claimed", "forced"]
"""Why a turn is adjudicated: its deadline, all orders in, a claim left over, or the GM's word."""


def why_due(session: Session, work: Workplace, loaded: LoadedGame, file: TurnFile) -> Why | None:
    """Return why the turn in play is to be adjudicated now, None where it isn't."""
    turn, now = loaded.turn, work.clock.now()
    if turn is None or turn.status is TurnStatus.SET_ASIDE or not loaded.goes_on:
        return None
    if turn.status is TurnStatus.CLAIMED:
        return "claimed"
    due_at = file.due_at(loaded)
    if due_at is None or due_at > now or waits_for_mail(session, loaded.id, now):
        return None
    if turn.deadline is None or turn.deadline > now:
        return "complete"
    # Its deadline, or the grace after it: all that was there by then must have been read.
    began = whole_poll_began_at(session, work.account, work.folder)
    return "deadline" if began is not None and began >= max(turn.deadline, due_at) else None
