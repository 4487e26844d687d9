"""Moving a deadline: never without an entry in the journal and a word to everybody."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import datetime
from typing import Literal

from sqlmodel import Session

from postal.engine.view import view
from postal.service.loading import LoadedGame, find_game, load_game, load_turn_file
from postal.service.outbound.kinds import LetterKind
from postal.service.outbound.letters import Letter, Letters
from postal.service.overtaken import OvertakenError
from postal.service.turns.calendar import calendar_of, wall_text
from postal.service.workplace import Workplace
from postal.store.rows import JournalRow, TurnRow, TurnStatus
from postal.store.turns import change_deadline

LOG = logging.getLogger("postal")

Cause = Literal["outgoing", "unreached", "first", "zone", "outage", "gm", "holiday"]
"""Why a deadline moves: the reports could not be sent (10.5), or one player's (9.7), a player was
never heard of (9.7), the zone that it was told in has new rules for its clocks, it lay in an outage
(9.1), the GM's word, a player's holiday (9.1)."""

_SENTENCES: dict[Cause, str] = {
    "outgoing": "the reports that ask for its orders could not be handed to the outgoing server",
    "unreached": "a player was not reached by the report that asks for his orders",
    "gm": "the GM said so",
    "holiday": "it lay in a player's holiday",
    "first": "a player was never heard of, so the first turn waits once more",
    "outage": "it lay in a time in which the program was off, or a mail server away",
    "zone": "the clocks of its zone go by other rules than when it was told",
}


def move(  # noqa: PLR0913 - each is a part of the event, named at the call
    work: Workplace,
    slug: str,
    number: int,
    deadline: datetime,
    why: Cause,
    also: Callable[[Session], object] = lambda _: None,
    unheard: Collection[str] = (),
    more: Callable[[Letters, LoadedGame], object] = lambda *_: None,
    was: datetime | None = None,
) -> bool:
    """Move the deadline of a turn in play to ``deadline`` (aware UTC), telling all of it.

    ``also`` is done in the same transaction. ``unheard`` names the seats that are told it is for
    them; ``more`` writes further letters, given the game as it will be. False, doing nothing, where
    the turn is not open any more, or its deadline is not earlier than that: only with the rules of
    its zone, or the GM's word, it moves back, too. Nor is it done where the deadline is another
    than it ``was``: then somebody has moved it meanwhile.
    """
    while True:
        with work.database.reading() as session:
            loaded = load_game(session, find_game(session, slug))
            turn = loaded.turn
            if turn is None or turn.number != number or turn.status is not TurnStatus.OPEN:
                return False
            if (
                turn.deadline is None
                or turn.deadline == deadline
                or was not in (None, turn.deadline)
            ):
                return False
            if turn.deadline > deadline and why not in ("zone", "gm"):
                return False
            moved = replace(loaded, turn=moved_turn(turn, deadline))
            due_at = load_turn_file(session, loaded).due_at(moved)
            remind_at = calendar_of(loaded.row).remind_at(work.clock.now(), deadline)
            letters = _letters(session, work, moved, turn.deadline, why, unheard)
            more(letters, moved)
        entry = JournalRow(
            at=work.clock.now(),
            game_id=loaded.id,
            turn=number,
            who="GM" if why == "gm" else "postal",
            what="deadline",
            sentence=f"Moved from {turn.deadline.isoformat()} to {deadline.isoformat()}:"
            f" {_SENTENCES[why]}.",
        )
        try:
            with work.database.transaction() as session:
                _write(session, turn, deadline, due_at, remind_at, entry, letters)
                also(session)
        except OvertakenError:
            # An order came meanwhile, or tokens were revoked: it is all reckoned anew.
            continue
        LOG.info("game %s: the deadline of turn %s is moved (%s)", slug, number, why)
        return True


def _write(  # noqa: PLR0913 - the whole of what is written
    session: Session,
    turn: TurnRow,
    deadline: datetime,
    due_at: datetime | None,
    remind_at: datetime | None,
    entry: JournalRow,
    letters: Letters,
) -> None:
    moved = change_deadline(
        session,
        turn,
        deadline,
        due_at,
        wall=wall_text(deadline, turn.zone),
        remind_at=remind_at,
    )
    if not moved:
        raise OvertakenError
    session.add(entry)
    letters.queue(session)


def _letters(  # noqa: PLR0913 - the whole of what is told
    session: Session,
    work: Workplace,
    moved: LoadedGame,
    before: datetime,
    why: Cause,
    unheard: Collection[str],
) -> Letters:
    letters, game = Letters(session, work), moved.game
    for seat in moved.seats:
        seen = view(game, seat.name)
        frame, yours = letters.frame(moved, seat), seat.name in unheard
        rendered = work.reports.deadline(frame, seen, before, why, yours=yours)
        letters.to_player(moved, seat, Letter(LetterKind.DEADLINE, rendered, game.turn))
    return letters


def moved_turn(turn: TurnRow, deadline: datetime) -> TurnRow:
    """Return a turn as it will be with another deadline, in no session."""
    return TurnRow(
        id=turn.id,
        game_id=turn.game_id,
        number=turn.number,
        status=turn.status,
        opened_at=turn.opened_at,
        deadline=deadline,
        version=turn.version,
        zone=turn.zone,
    )
