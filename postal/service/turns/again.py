"""What is on file from the start in a turn that is opened once more (RULES.md 10.7)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sqlmodel import Session

from postal.engine.book import Book
from postal.engine.rollback import keeps_again, on_file_again
from postal.engine.state import Game
from postal.service.loading import LoadedGame, fixed_text
from postal.store.codec import decode_book, decode_events
from postal.store.holders import seats_held_since
from postal.store.orders import orders_on_file
from postal.store.rows import AttendanceRow, OrderRow, TurnRow
from postal.store.voidturns import attempts_at, void_turns


@dataclass(frozen=True, slots=True)
class Again:
    """What is on file in a turn from its start, as a book and as the rows to be stored for it."""

    book: Book = field(default=Book(), repr=False)
    orders: tuple[OrderRow, ...] = field(default=(), repr=False)
    attendance: tuple[AttendanceRow, ...] = ()

    def store(self, session: Session, turn: TurnRow) -> None:
        """Store it for a turn that was just stored."""
        for row in (*self.orders, *self.attendance):
            row.turn_id = turn.id or 0
        session.add_all([*self.orders, *self.attendance])
        session.flush()


def opened_again(session: Session, loaded: LoadedGame, game: Game, turn: TurnRow) -> Again:
    """Return what is on file from the start in a turn that just follows; ``turn`` is told of it.

    It is nothing where the turn never was played, else the keeps whose cards were exposed in it.
    """
    turn.attempt = attempts_at(session, loaded.id, turn.number) + 1
    before = [row for row in void_turns(session, loaded.id, turn.number) if _same(row, turn)]
    if not before:
        return Again()
    book, orders = Book(), list[OrderRow]()
    # Cards that differ from those of the last time may be those of a time before.
    for void in reversed(before):
        keeps = keeps_again(
            game, decode_book(void.orders or ""), decode_events(void.events or "[]")
        )
        new = keeps.fixed - book.fixed
        filed = tuple(one for one in keeps.filed if (one.player, one.hand) in new)
        orders += _copied(session, loaded, void, Book(filed))
        book = Book((*book.filed, *filed), fixed=book.fixed | new)
    turn.fixed = fixed_text(loaded, book)
    return Again(book, tuple(orders))


def played_again(
    session: Session,
    loaded: LoadedGame,
    void: TurnRow,
    turn: TurnRow,
    may_change: Callable[[str, str], bool],
) -> Again:
    """Return what is on file in the turn that the game goes back to; ``turn`` is told of it.

    ``loaded`` is the game as it was before it, ``void`` the turn's row so far: its orders are on
    file as they were. ``may_change`` says of a player and a table whether he may change them.
    """
    turn.attempt = attempts_at(session, loaded.id, turn.number) + 1
    book = on_file_again(loaded.game, decode_book(void.orders or ""), may_change)
    for player in _come_since(session, loaded, void):
        # His seat is not empty, whatever its former holder did or left undone (9.4).
        book = book.hear(player)
    turn.fixed = fixed_text(loaded, book)
    heard = [
        AttendanceRow(turn_id=0, seat_id=loaded.seat(player).id, heard=True)
        for player in sorted(book.heard)
    ]
    gone = [
        AttendanceRow(turn_id=0, seat_id=loaded.seat(player).id, resigned=True)
        for player in sorted(book.resigned)
    ]
    return Again(book, _copied(session, loaded, void, book), (*heard, *gone))


def _come_since(session: Session, loaded: LoadedGame, void: TurnRow) -> tuple[str, ...]:
    """Return the seats that went to another holder after a turn was adjudicated."""
    begun, until = (
        seats_held_since(session, [seat.id for seat in loaded.seats]),
        void.adjudicated_at,
    )
    return tuple(seat.name for seat in loaded.seats if until and begun[seat.id] >= until)


def _same(row: TurnRow, turn: TurnRow) -> bool:
    return row.number == turn.number


def _copied(
    session: Session, loaded: LoadedGame, void: TurnRow, book: Book
) -> tuple[OrderRow, ...]:
    """Return the rows of a book's orders anew, as they were accepted in the void turn."""
    wanted = {(loaded.seat(entry.player).id, entry.hand) for entry in book.filed}
    return tuple(
        OrderRow(**{**row.model_dump(), "id": None, "turn_id": 0})
        for row in orders_on_file(session, void.id or 0)
        if (row.seat_id, row.hand) in wanted
    )
