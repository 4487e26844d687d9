"""Writes the record of a stored game, from the orders that its turns were adjudicated with."""

from __future__ import annotations

from postal.errors import PostalError
from postal.service.loading import find_game, load_game
from postal.service.records.course import Course
from postal.service.records.lines import unheard_in, written_lines
from postal.service.records.record import write_record
from postal.service.workplace import Workplace
from postal.store.codec import decode_book, decode_events, decode_game
from postal.store.voidturns import done_turns


def export_game(work: Workplace, slug: str, *, sealed: bool = False) -> str:
    """Return the record of a game as JSON text (RECORD.md).

    It opens every card, so a game that is still in play, or whose cards are never opened (10.4),
    needs ``sealed``: PostalError otherwise.
    """
    with work.database.reading() as session:
        loaded = load_game(session, find_game(session, slug))
        dealt, *turns = done_turns(session, loaded.id)
        game = decode_game(dealt.state or "", loaded.rules)
        course, lines = Course(game), []
        unheard = [unheard_in(decode_book(turn.orders or "")) for turn in turns]
        for turn in turns:
            lines.append(written_lines(session, loaded, turn, course.before(turn.number)))
            after = decode_game(turn.state or "", loaded.rules)
            course.went_on(turn.number, after, decode_events(turn.events or "[]"))
    if not sealed and not loaded.game.finished:
        raise PostalError(
            f"{slug} is still in play and its record opens every card: --sealed writes it for you."
        )
    if not sealed and loaded.rules.choice("reveal") == "never":
        raise PostalError(
            f"The cards of {slug} are never opened (reveal): --sealed writes its record for you."
        )
    places = [(turn.number, turn.void_at is not None) for turn in turns]
    return write_record(game, lines, loaded.row.engine_version, places, unheard)
