"""Protests as the GM sees them, and the evidence: a hand's record so far (RULES.md 10.8)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from postal.engine.view import view
from postal.errors import PostalError
from postal.reports.display import Cards
from postal.reports.events import told
from postal.service.desk.looks import look
from postal.service.loading import LoadedGame, find_game, load_game
from postal.service.workplace import Workplace
from postal.store.codec import decode_book, decode_events
from postal.store.rows import GameStatus, TurnRow
from postal.store.voidturns import done_turns
from postal.store.words import protests_of


def list_protests(work: Workplace, slug: str) -> list[dict[str, Any]]:
    """Return the protests of a game, oldest first; times are UTC in ISO form."""
    with work.database.reading() as session:
        loaded = load_game(session, find_game(session, slug))
        rows = protests_of(session, loaded.id)
    names = {seat.id: seat.name for seat in loaded.seats}
    running = loaded.row.status is GameStatus.RUNNING
    return [
        {
            "at": row.at.isoformat(),
            "turn": row.turn,
            "who": names[row.seat_id],
            "hand": row.hand,
            "state": "open" if running and row.ruled_at is None else "over",
            "words": row.text,
        }
        for row in rows
    ]


def evidence(work: Workplace, slug: str, hand: str) -> list[dict[str, Any]]:
    """Return what happened in a hand up to the last adjudicated turn, oldest first.

    It holds the orders used, which others may not know, and no order on file: the look is noted.
    PostalError where nobody has protested about that hand.
    """
    with work.database.reading() as session:
        loaded = load_game(session, find_game(session, slug))
        about = {row.hand for row in protests_of(session, loaded.id)}
        name = _meant(loaded, hand)
        if name not in about:
            shown = f"`postal protest list {slug}` shows the protests there are."
            raise PostalError(f"Nobody has protested about hand {hand} in {slug}: {shown}")
        turns = [turn for turn in done_turns(session, loaded.id) if turn.void_at is None]
        found = [entry for turn in turns if turn.number for entry in _of_turn(turn, name)]
    look(work, slug, f"the record of hand {name} (`postal protest show`)")
    return found


def _meant(loaded: LoadedGame, hand: str) -> str:
    hands = [one.name for table in view(loaded.game, None).tables for one in table.hands]
    return next((one for one in hands if one.casefold() == hand.casefold()), "")


def _of_turn(turn: TurnRow, hand: str) -> Iterator[dict[str, Any]]:
    for filed in decode_book(turn.orders).filed if turn.orders else ():
        if filed.hand == hand:
            line = filed.order.line()
            yield {"turn": turn.number, "what": "order", "more": f"{filed.player}: {line}"}
    for event in decode_events(turn.events) if turn.events else ():
        if event.hand == hand and event.seen_by(None):
            parts = told(event, None)
            said = "".join(one if isinstance(one, str) else _cards(one) for one in parts)
            yield {"turn": turn.number, "what": "event", "more": said}


def _cards(cards: Cards) -> str:
    return " ".join(card.text for card in cards)
