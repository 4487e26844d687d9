"""Why a turn is to be adjudicated now, and when it will be (RULES.md 9.1, 10.5, 10.6)."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from sqlmodel import Session

from postal.clock import deadline_after
from postal.engine.book import Book
from postal.engine.game import on_notice
from postal.engine.state import Game
from postal.service.loading import LoadedGame, TurnFile, notice_ends
from postal.service.workplace import Workplace
from postal.store.mails import waits_for_mail, whole_poll_began_at
from postal.store.rows import GameRow, TurnStatus

Why = Literal["deadline", "complete", "claimed", "forced"]
"""Why a turn is adjudicated: its deadline, all orders in, a claim left over, or the GM's word."""


def next_deadline(row: GameRow, game: Game, opened_at: datetime) -> datetime:
    """Return the deadline of a turn that opens now, as UTC (9.1).

    In a game of short turns it is later by as many days as it takes, where somebody was just
    dropped: he has his notice (9.4), and all are told one deadline that holds.
    """
    days = row.turn_length
    deadline = deadline_after(opened_at, days, row.hour, row.zone)
    if on_notice(game, Book()):
        while deadline < notice_ends(game.rules, opened_at):
            days += 1
            deadline = deadline_after(opened_at, days, row.hour, row.zone)
    return deadline


def why_due(session: Session, work: Workplace, loaded: LoadedGame, file: TurnFile) -> Why | None:
    """Return why the turn in play is to be adjudicated now, None where it isn't."""
    turn, now = loaded.turn, work.clock.now()
    if turn is None or turn.status is TurnStatus.SET_ASIDE:
        return None
    if turn.status is TurnStatus.CLAIMED:
        return "claimed"
    due_at = file.due_at(loaded)
    if due_at is None or due_at > now or waits_for_mail(session, loaded.id, now):
        return None
    if turn.deadline is None or turn.deadline > now:
        return "complete"
    # Its deadline: all that was there by then must have been read.
    began = whole_poll_began_at(session, work.account, work.folder)
    return "deadline" if began is not None and began >= turn.deadline else None
