"""A game's log (``postal log``): who did what when, the history of every order included."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlmodel import Session, col, select

from postal.service.desk.looks import look
from postal.service.loading import find_game
from postal.service.workplace import Workplace
from postal.store.rows import (
    HolderRow,
    JournalRow,
    OrderAction,
    OrderHistoryRow,
    PersonRow,
    SeatRow,
    TurnRow,
    TurnStatus,
)
from postal.store.troubles import journal_of

_DONE = {
    OrderAction.FILED: "order filed",
    OrderAction.REFUSED: "line refused",
    OrderAction.CANCELLED: "order taken back",
    OrderAction.REPLACED: "order replaced",
    OrderAction.WAIT: "asked to wait",
    OrderAction.READY: "said ready",
}
"""What became of a line, in words; what a mail ordered before that is no event of its own."""


def game_log(work: Workplace, slug: str, *, reveal: bool = False) -> list[dict[str, Any]]:
    """Return what happened to a game beside its play, oldest first; times are UTC in ISO form.

    With ``reveal`` orders are shown with their lines and what was said of them, which is noted in
    the log itself: the GM saw hidden things. Without it the log says who sent something and when.
    """
    if reveal:
        look(work, slug, "the lines of all orders (`postal log --reveal`)")
    with work.database.reading() as session:
        game = find_game(session, slug)
        game_id = game.id or 0
        entries = [_entry(row) for row in journal_of(session, game_id)]
        entries += _turns(session, game_id)
        entries += _orders(session, game_id, reveal=reveal)
    started = {
        "at": game.created_at.isoformat(),
        "turn": 0,
        "who": "GM",
        "what": "begun",
        "more": "",
    }
    return [started, *sorted(entries, key=lambda entry: str(entry["at"]))]


def _entry(row: JournalRow) -> dict[str, Any]:
    return {
        "at": row.at.isoformat(),
        "turn": row.turn,
        "who": row.who,
        "what": row.what,
        "more": row.sentence,
    }


def _turns(session: Session, game_id: int) -> list[dict[str, Any]]:
    statement = select(TurnRow).where(
        TurnRow.game_id == game_id, TurnRow.status == TurnStatus.DONE, col(TurnRow.number) > 0
    )
    return [
        {
            "at": row.adjudicated_at.isoformat() if row.adjudicated_at else "",
            "turn": row.number,
            "who": "GM" if row.forced else "postal",
            "what": "adjudicated",
            "more": ", ".join(["forced"] * row.forced + ["void by now"] * bool(row.void_at)),
        }
        for row in session.exec(statement.order_by(col(TurnRow.id))).all()
    ]


def _orders(session: Session, game_id: int, *, reveal: bool) -> list[dict[str, Any]]:
    statement = (
        select(OrderHistoryRow, TurnRow.number, SeatRow.name)
        .join(TurnRow, col(TurnRow.id) == OrderHistoryRow.turn_id)
        .join(SeatRow, col(SeatRow.id) == OrderHistoryRow.seat_id)
        .where(TurnRow.game_id == game_id, OrderHistoryRow.action != OrderAction.READ)
        .order_by(col(OrderHistoryRow.id))
    )
    found: list[dict[str, Any]] = []
    robots = _robots(session, game_id)
    for row, number, name in session.exec(statement).all():
        by = "by the robot" if _held_by(robots, row) else "by the GM"
        mail = f"mail {row.mail_id}" if row.mail_id else by
        shown = (row.hand, row.line, row.sentence) if reveal else (row.code,)
        more = "; ".join(part for part in (*shown, mail) if part)
        entry = {"at": row.at.isoformat(), "turn": number, "who": name}
        found.append({**entry, "what": _DONE[row.action], "more": more})
    return found


def _robots(session: Session, game_id: int) -> Sequence[HolderRow]:
    """Return when robots held seats of a game."""
    statement = select(HolderRow).where(
        col(SeatRow.id) == HolderRow.seat_id,
        SeatRow.game_id == game_id,
        col(PersonRow.id) == HolderRow.person_id,
        col(PersonRow.robot).is_(True),
    )
    return session.exec(statement).all()


def _held_by(holders: Sequence[HolderRow], row: OrderHistoryRow) -> bool:
    """Whether one of some holders had the seat when a line was taken."""
    return any(
        one.seat_id == row.seat_id
        and one.since <= row.at
        and (one.until is None or row.at < one.until)
        for one in holders
    )
