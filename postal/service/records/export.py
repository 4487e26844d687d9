"""Writes the record of a stored game, from the orders that its turns were adjudicated with."""

from __future__ import annotations

from collections.abc import Sequence

from postal.engine.book import Book
from postal.engine.state import Game
from postal.errors import PostalError
from postal.service.loading import find_game, load_game
from postal.service.records.record import write_record
from postal.service.workplace import Workplace
from postal.store.codec import decode_book, decode_game
from postal.store.rows import TurnStatus
from postal.store.turns import turns_of


def export_game(work: Workplace, slug: str, *, sealed: bool = False) -> str:
    """Return the record of a game as JSON text (RECORD.md).

    It opens every card, so a game that is still in play, or whose cards are never opened (10.4),
    needs ``sealed``: PostalError otherwise.
    """
    with work.database.reading() as session:
        loaded = load_game(session, find_game(session, slug))
        turns = turns_of(session, loaded.id)
    if not sealed and not loaded.game.finished:
        raise PostalError(
            f"{slug} is still in play and its record opens every card: --sealed writes it for you."
        )
    if not sealed and loaded.rules.choice("reveal") == "never":
        raise PostalError(
            f"The cards of {slug} are never opened (reveal): --sealed writes its record for you."
        )
    done = [turn for turn in turns if turn.status == TurnStatus.DONE]
    dealt: Game = decode_game(done[0].state or "", loaded.rules)
    books = [decode_book(turn.orders or "") for turn in done[1:]]
    return write_record(dealt, [book_lines(book) for book in books], loaded.row.engine_version)


def book_lines(book: Book) -> Sequence[tuple[str, str]]:
    """Return the lines that give a book again: orders as accepted, then signs of life (9.4)."""
    orders = [(entry.player, entry.order.line()) for entry in book.filed]
    silent = sorted(book.heard - {player for player, _ in orders})
    return [*orders, *((player, "ready") for player in silent)]
