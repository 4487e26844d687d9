"""Plays a turn from lines as players write them: what a record's replay and a test need."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

from postal.engine.book import Book, submit
from postal.engine.events import Event
from postal.engine.game import adjudicate, due
from postal.engine.orders import Line
from postal.engine.problems import Problem
from postal.engine.rules import GivePhase
from postal.engine.state import Game
from postal.ordertext import Context, read_record_line

RecordLine = tuple[str, str] | tuple[str, str, int]
"""A player's name and a line of his, and the number of the mail that it came in (RECORD.md)."""


def order_context(game: Game, player: str) -> Context:
    """Return what reading a player's orders needs to know: who sits where, and what is due."""
    hands = {hand.table: hand.name for hand, _ in game.hands_of(player)}
    seats = {
        gift.to
        for phase in game.rules.phases
        if isinstance(phase, GivePhase)
        for gift in phase.gifts
    }
    neighbours = {
        table.letter: {table.neighbour(player, to): to for to in sorted(seats)}
        for table in game.tables
    }
    owed = {hand for name, hand in due(game) if name == player}
    tables = frozenset(table for table, hand in hands.items() if hand in owed)
    return Context(hands, neighbours, frozenset(game.players), tables)


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    """A turn that was played: the game after it, the orders used, and what was refused."""

    game: Game
    book: Book
    events: tuple[Event, ...]
    problems: tuple[tuple[str, Problem], ...] = field(default=())


def play_lines(
    game: Game, lines: Sequence[RecordLine], unheard: Collection[str] = ()
) -> PlayedTurn:
    """Play one turn with lines in the order of acceptance (RECORD.md, ``turns``).

    Lines of a player with one number are one mail (RULES.md 8.2). All without a number are; while
    cards go by post, all that follow each other without another player's between them, for there
    the order decides what is final (2.4). A problem's ``line`` is the whole line, its ``number``
    the place. ``unheard`` are players whose lines are no sign of life of theirs (9.4).
    """
    book, problems = take_lines(game, lines, unheard)
    after, events = adjudicate(game, book)
    return PlayedTurn(after, book, events, problems)


def take_lines(
    game: Game, lines: Sequence[RecordLine], unheard: Collection[str] = ()
) -> tuple[Book, tuple[tuple[str, Problem], ...]]:
    """Return what a turn's lines put on file, and whose line was refused and why."""
    book = Book()
    problems: list[tuple[str, Problem]] = []
    for player, numbered in _mails(game, lines):
        book = book.hear(player)
        context = order_context(game, player)
        orders: list[Line] = []
        gone = False
        for number, text in numbered:
            reading = read_record_line(text, context)
            found = [*reading.problems]
            problems += [(player, replace(one, line=text, number=number)) for one in found]
            orders += [replace(line, text=text, number=number) for line in reading.lines]
            gone = gone or any(one.name == "resign" for one in reading.commands)
        taken = submit(game, book, player, orders)
        book = taken.book.resign(player) if gone else taken.book
        problems += [(player, problem) for problem in taken.problems]
    problems.sort(key=lambda item: item[1].number)
    return replace(book, heard=book.heard.difference(unheard)), tuple(problems)


def _mails(game: Game, lines: Sequence[RecordLine]) -> Iterator[tuple[str, list[tuple[int, str]]]]:
    """Yield the mails of a turn, each at the place of its first line, with its lines' places."""
    giving = any(isinstance(game.phase_of(hand), GivePhase) for hand in game.hands)
    apart = giving and game.rules.choice("exchange") == "post"
    mails: dict[tuple[str, int, int], list[tuple[int, str]]] = {}
    run, before = 0, ""
    for place, line in enumerate(lines):
        player, mail = line[0], line[2] if len(line) == 3 else 0  # noqa: PLR2004 - a mail's number
        run, before = run + (player != before), player
        key = (player, mail, run if apart and not mail else 0)
        mails.setdefault(key, []).append((place, line[1]))
    for (player, _, _), texts in mails.items():
        yield player, texts
