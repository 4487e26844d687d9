"""The GM's word on deadlines (``postal extend``, ``postal deadline``)."""

from __future__ import annotations

from datetime import datetime, timedelta

from postal.errors import PostalError
from postal.service.loading import LoadedGame, find_game, load_game
from postal.service.turns.deadlines import move
from postal.service.workplace import Workplace
from postal.store.rows import GameStatus, TurnStatus


def turn_in_play(work: Workplace, slug: str) -> LoadedGame:
    """Return a game whose turn is open and has a deadline; PostalError for any other."""
    with work.database.reading() as session:
        loaded = load_game(session, find_game(session, slug))
    turn = loaded.turn
    if loaded.row.status is not GameStatus.RUNNING or turn is None:
        raise PostalError(f"{slug} is over: nothing was done.")
    if loaded.row.hold_since is not None:
        raise PostalError(f"{slug} is on hold: `postal resume {slug}` lets it go on first.")
    if turn.status is not TurnStatus.OPEN or turn.deadline is None:
        raise PostalError(f"Turn {turn.number} of {slug} is not open: nothing was done.")
    return loaded


def extend(work: Workplace, slug: str, by: timedelta) -> datetime:
    """Move the deadline in play by a span; return the new one (UTC). All are told."""
    loaded = turn_in_play(work, slug)
    assert loaded.turn is not None, "it is open"
    assert loaded.turn.deadline is not None, "it has a deadline"
    return set_deadline(work, slug, loaded.turn.deadline + by)


def set_deadline(work: Workplace, slug: str, deadline: datetime) -> datetime:
    """Set the deadline in play (aware UTC), later or earlier; return it. All are told.

    PostalError where it is set so already, is past, or the turn was adjudicated meanwhile.
    """
    loaded = turn_in_play(work, slug)
    assert loaded.turn is not None, "it is open"
    if deadline <= work.clock.now():
        raise PostalError(
            f"That is past: `postal adjudicate {slug}` ends the turn now. Nothing was done."
        )
    if loaded.turn.deadline == deadline:
        raise PostalError(f"That is the deadline of {slug} already: nothing was done.")
    if not move(work, slug, loaded.turn.number, deadline, "gm"):
        raise PostalError(f"Turn {loaded.turn.number} of {slug} is over by now.")
    return deadline
