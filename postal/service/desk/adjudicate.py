"""Forcing a turn, taking up one that was set aside, and showing what would be done to it."""

from __future__ import annotations

import logging

from postal.engine.events import Event
from postal.engine.game import adjudicate
from postal.engine.state import Game
from postal.errors import PostalError
from postal.reports.display import long_time
from postal.service.loading import find_game, load_game, load_turn_file
from postal.service.turns.adjudication import Adjudicated, adjudicate_turn
from postal.service.turns.aside import end_aside
from postal.service.workplace import Workplace
from postal.store.kept import try_kept_mail_now
from postal.store.rows import GameRow, GameStatus, TurnRow, TurnStatus
from postal.store.turns import reopen_turn

_TRIES = 20
"""How often a turn is tried for at which orders come in at the same moment."""

_FAILED = (
    "{} could not be adjudicated: another postal is at it, or it failed and is set aside; the log"
    " and your mails say more."
)

LOG = logging.getLogger("postal")


def turn_meant(work: Workplace, slug: str, turn: int | None = None) -> int | str:
    """Return the number of the turn that is to be adjudicated: the one in play, if it is ``turn``.

    Where the game is over or past that turn, a sentence says so. Raises PostalError where the
    game is not yet there.
    """
    with work.database.reading() as session:
        loaded = load_game(session, find_game(session, slug))
    if loaded.turn is None or loaded.row.status is not GameStatus.RUNNING:
        return f"{slug} is over: nothing was done."
    now = loaded.game.turn
    if turn is not None and turn < now:
        return f"{slug} is past turn {turn}, at turn {now}: nothing was done."
    if turn is not None and turn > now:
        raise PostalError(f"{slug} is only at turn {now}: nothing was done.")
    return now


def take_up(work: Workplace, slug: str) -> bool:
    """Put a turn that was set aside back in play, with its orders; False where none was.

    Mail that was kept for it is handled at the next poll: what came before the deadline counts.
    """
    with work.database.transaction() as session:
        loaded = load_game(session, find_game(session, slug))
        turn = loaded.turn
        if turn is None or turn.id is None or loaded.row.status is not GameStatus.RUNNING:
            return False
        if not reopen_turn(session, turn.id):
            return False
        try_kept_mail_now(session, loaded.id)
    LOG.info("game %s: turn %s is back in play", slug, turn.number)
    end_aside(work, slug)
    return True


def go_on(work: Workplace, slug: str, number: int) -> Adjudicated | str:
    """Adjudicate a turn that is back in play where it is due; else a sentence says when it is.

    Nobody loses what he may still order by it. The inbox must have been polled just before.
    Raises PostalError where the turn is set aside again.
    """
    with work.database.reading() as session:
        row = find_game(session, slug)
    done = adjudicate_turn(work, row, number)
    if done is not None:
        return done
    with work.database.reading() as session:
        turn = load_game(session, row).turn
    if turn is None or turn.number != number:
        return f"{slug} is past turn {number}: nothing was done."
    if turn.status is TurnStatus.SET_ASIDE:
        raise PostalError(_FAILED.format(slug))
    when = "once all orders are in"
    if row.hold_since is not None:
        when = f"after `postal resume {slug}`, when it is due"
    elif turn.deadline is not None and turn.deadline <= work.clock.now():
        when = "once all mail that came by its deadline has been read"
    elif turn.deadline is not None:
        when = f"{when}, or at its deadline, {long_time(turn.deadline, row.zone)}"
    return (
        f"{slug}: turn {number} is back in play, with its orders. It will be adjudicated {when}."
        f" To adjudicate it now, run `postal adjudicate {slug}`."
    )


def force_turn(work: Workplace, slug: str, number: int | None = None) -> Adjudicated:
    """Adjudicate a game's turn whatever is missing, one that was set aside too.

    ``number`` is the turn that is meant, the one in play for want of it: if another process
    has adjudicated it meanwhile, the next is left alone. The inbox must have been polled just
    before. Raises PostalError where that does not come off.
    """
    for _ in range(_TRIES):
        with work.database.transaction() as session:
            row = find_game(session, slug)
            turn = load_game(session, row).turn
            if turn is None or turn.id is None or row.status is not GameStatus.RUNNING:
                raise PostalError(f"{slug} is over: nothing was done.")
            if number not in (None, turn.number):
                raise PostalError(f"{slug} is at turn {turn.number} by now: nothing was done.")
            if turn.status is TurnStatus.SET_ASIDE:
                reopen_turn(session, turn.id)
        done = adjudicate_turn(work, row, turn.number, "forced")
        if done is not None:
            return done
        if not _overtaken_by_a_mail(work, row, turn):
            break
    raise PostalError(_FAILED.format(slug))


def _overtaken_by_a_mail(work: Workplace, row: GameRow, turn: TurnRow) -> bool:
    """Whether all that kept a turn from being claimed was an order that came at that moment."""
    with work.database.reading() as session:
        now = load_game(session, row).turn
    return (
        now is not None
        and (now.id, now.status) == (turn.id, TurnStatus.OPEN)
        and now.version != turn.version
    )


def preview(work: Workplace, slug: str) -> tuple[Game, Game, tuple[Event, ...]]:
    """Return the game now, and what adjudicating its turn would make of it; changes nothing."""
    with work.database.reading() as session:
        loaded = load_game(session, find_game(session, slug))
        file = load_turn_file(session, loaded)
    game, events = adjudicate(loaded.game, file.book)
    return loaded.game, game, events
