"""Reminders before a deadline: to those who owe orders, and to the GM of whom they are missing."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence

from sqlmodel import Session

from postal.engine.game import awaited
from postal.engine.view import view
from postal.errors import PostalError
from postal.reports.display import listed, long_time
from postal.service.blame import whereabouts
from postal.service.loading import (
    LoadedGame,
    TurnFile,
    UnreadableGameError,
    load_game,
    load_turn_file,
)
from postal.service.outbound.kinds import LetterKind
from postal.service.outbound.letters import Letter, Letters
from postal.service.overtaken import OvertakenError
from postal.service.workplace import Workplace
from postal.store.mails import whole_poll_began_at
from postal.store.rows import GameRow, TurnRow
from postal.store.turns import look_at_reminder, take_reminder

LOG = logging.getLogger("postal")


def remind_due(work: Workplace, stop: Callable[[], bool] = lambda: False) -> int:
    """Remind of every turn of which it is time to; return of how many.

    All mail that was there by then has been read: nobody is reminded of what he has sent. ``stop``,
    asked before each turn, leaves the rest for later.
    """
    done = 0
    while not stop() and (found := _look(work)) is not None:
        done += _remind(work, *found)
    return done


def missing_orders(loaded: LoadedGame, file: TurnFile) -> dict[str, list[str]]:
    """Return the hands for which orders are waited for and missing, by player."""
    missing: dict[str, list[str]] = {}
    for player, hand in awaited(loaded.game, file.book):
        missing.setdefault(player, []).append(hand)
    return missing


def missing_sentences(missing: Mapping[str, Sequence[str]]) -> list[str]:
    """Return a sentence for the GM on each player whose orders are missing."""
    return [
        f"Of {player}, orders for {listed(hands)} are missing." for player, hands in missing.items()
    ]


def _look(work: Workplace) -> tuple[GameRow, TurnRow] | None:
    now = work.clock.now()
    with work.database.reading() as session:
        polled = whole_poll_began_at(session, work.account, work.folder)
        return look_at_reminder(session, min(now, polled)) if polled else None


def _remind(work: Workplace, row: GameRow, turn: TurnRow) -> bool:
    """Write the reminders of a turn; False where there are none to write."""
    letters: Letters | None = None
    try:
        if turn.deadline is not None and turn.deadline > work.clock.now():
            with work.database.reading() as session:
                letters = _letters(session, work, row, turn)
    except UnreadableGameError as error:
        LOG.error("%s", error)  # noqa: TRY400 - it is set aside when its turn is due
    except PostalError:
        raise
    except Exception as error:  # noqa: BLE001 - a bug must not touch other games
        LOG.error("game %s: no reminder: %s", row.slug, whereabouts(error))  # noqa: TRY400 - a traceback may quote cards
    try:
        with work.database.transaction() as session:
            if not take_reminder(session, turn):
                return False
            if letters is not None:
                letters.queue(session)
    except OvertakenError:
        return False  # tokens were revoked meanwhile: it is looked at once more
    return letters is not None


def _letters(session: Session, work: Workplace, row: GameRow, turn: TurnRow) -> Letters | None:
    loaded = load_game(session, row)
    if loaded.turn is None or loaded.turn.id != turn.id:
        return None
    file = load_turn_file(session, loaded)
    missing = missing_orders(loaded, file)
    if not missing:
        return None
    letters, game = Letters(session, work), loaded.game
    for seat in loaded.seats:
        gone = seat.person.robot or seat.name in file.book.resigned
        if seat.name in missing and not gone:
            seen = view(game, seat.name, file.book)
            rendered = work.reports.reminder(letters.frame(loaded, seat), seen, missing[seat.name])
            letters.to_player(loaded, seat, Letter(LetterKind.REMINDER, rendered, game.turn))
    _tell_gm(letters, loaded, missing)
    return letters


def _tell_gm(letters: Letters, loaded: LoadedGame, missing: Mapping[str, Sequence[str]]) -> None:
    turn = loaded.turn
    assert turn is not None, "a turn in play is reminded of"
    assert turn.deadline is not None, "it is reminded of its deadline"
    sentences = (
        f"Turn {turn.number} of {loaded.row.slug} ends on {long_time(turn.deadline, turn.zone)}.",
        *missing_sentences(missing),
        "They have been reminded by mail.",
        f"`postal orders {loaded.row.slug}` shows how it stands.",
    )
    letters.notify_gm(f"orders are missing, turn {turn.number}", sentences, loaded, turn.number)
