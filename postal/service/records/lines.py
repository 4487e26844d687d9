"""The lines of a turn as its record has them: noted down mail by mail, and put together again."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from sqlmodel import Session

from postal.engine.book import Book
from postal.engine.state import Game
from postal.ordertext import Context, Reading, read_record_line
from postal.service.loading import LoadedGame
from postal.service.records.play import RecordLine, take_lines
from postal.store.codec import decode_book
from postal.store.orders import mails_read
from postal.store.rows import OrderHistoryRow, TurnRow

MOST_REFUSED = 50
"""The most lines of one mail that are noted down though they are no orders."""

_SIGNS = ("wait", "ready")


def note(reading: Reading, context: Context) -> str:
    """Return all lines of a mail that mean to be orders, as a record has them, or nothing.

    Orders are in their canonical form, what was no order is as it was written. Left out is what
    was none only for where it stood in the mail: in a record it would be one. Of very many the
    rest is, too, since nothing hangs on it.
    """
    found = [(line.number, line.order.line()) for line in reading.lines]
    found += [(one.number, one.name) for one in reading.commands if one.name in _SIGNS]
    for problem in reading.problems[:MOST_REFUSED]:
        again = read_record_line(problem.line, context)
        if again.problems and not again.lines and problem.line.strip():
            found.append((problem.number, problem.line))
    return "\n".join(text for _, text in sorted(found, key=lambda line: line[0]))


def written_lines(
    session: Session, loaded: LoadedGame, turn: TurnRow, game: Game
) -> Sequence[RecordLine]:
    """Return the lines of a turn that was adjudicated; ``game`` is the one before it.

    They are those of its mails in the order in which these were handled, each with its mail's
    number, refused ones too. Where those don't come to the orders that were used, as in a turn
    whose mails were not noted down, they are these orders.
    """
    used = decode_book(turn.orders or "")
    mails = mails_read(session, turn.id or 0)
    noted = list(_noted(loaded, mails))
    ready = {line[0] for line in noted if line[1] == "ready"}
    lines = [*noted, *_signs_of_life(used, len(mails), ready)]
    book, _ = take_lines(game, lines, unheard_in(used))
    same = book.heard == used.heard and book.resigned == used.resigned
    if same and set(book.filed) == set(used.filed):
        return lines
    return book_lines(used)


def unheard_in(book: Book) -> frozenset[str]:
    """Return whose orders on file are no sign of life of his: the GM put them in, or they stood."""
    return frozenset(entry.player for entry in book.filed) - book.heard - book.resigned


def book_lines(book: Book) -> Sequence[RecordLine]:
    """Return lines that give a book again: its orders as accepted, then signs of life (9.4)."""
    orders: list[RecordLine] = [
        (entry.player, entry.order.line(), number) for number, entry in enumerate(book.filed, 1)
    ]
    lines = [*orders, *_signs_of_life(book, len(orders))]
    gone = enumerate(sorted(book.resigned), len(lines) + 1)
    return [*lines, *((player, "resign", number) for number, player in gone)]


def _noted(loaded: LoadedGame, mails: Sequence[OrderHistoryRow]) -> Iterator[RecordLine]:
    for number, row in enumerate(mails, 1):
        player = loaded.seat_by_id(row.seat_id).name
        for text in row.line.split("\n"):
            yield player, text, number


def _signs_of_life(book: Book, mails: int, but: Collection[str] = ()) -> Iterator[RecordLine]:
    """Yield ``ready`` for whoever was heard of and has no order on file, but for some."""
    silent = sorted(book.heard - {entry.player for entry in book.filed} - set(but))
    for number, player in enumerate(silent, mails + 1):
        yield player, "ready", number
