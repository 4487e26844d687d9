"""Robots that hold seats: their orders, put in at each turn as a player's would be (9.8)."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from itertools import islice
from random import Random

from postal.engine.deal import below, stream
from postal.engine.game import due
from postal.engine.view import view
from postal.errors import PostalError
from postal.ordertext import read_mail
from postal.service.blame import whereabouts
from postal.service.deciding.position import seen
from postal.service.deciding.tempers import TEMPERS, Temper, decide
from postal.service.inbound.commands import send_gifts
from postal.service.inbound.filing import Filing, take, turn_change
from postal.service.loading import (
    LoadedGame,
    TurnFile,
    UnreadableGameError,
    load_game,
    load_turn_file,
)
from postal.service.outbound.letters import Letters
from postal.service.overtaken import OvertakenError
from postal.service.records.play import order_context
from postal.service.workplace import Workplace
from postal.store.robots import robots_to_play
from postal.store.rows import GameRow, TurnStatus

LOG = logging.getLogger("postal")

_STEADY = tuple(temper for temper in TEMPERS.values() if not temper.forgets)
_SEED_BYTES = 32


def play_robots(work: Workplace) -> int:
    """Put in the orders of every robot that has not ordered in a turn in play; return of how many.

    A robot decides from what its seat may see and nothing else, and its chance comes from the
    game's secret: the same game is played the same way again.
    """
    with work.database.reading() as session:
        waiting = robots_to_play(session)
    done = 0
    for row, seat_id in waiting:
        # A game that can't be read is set aside when its turn is due; what changed is tried again.
        try:
            with suppress(UnreadableGameError, OvertakenError):
                done += _play(work, row, seat_id)
        except PostalError:
            raise
        except Exception as error:  # noqa: BLE001 - a bug must not touch other games
            LOG.error("game %s: its robot failed: %s", row.slug, whereabouts(error))  # noqa: TRY400 - a traceback may quote cards
    return done


def _play(work: Workplace, row: GameRow, seat_id: int) -> bool:
    now = work.clock.now()
    with work.database.reading() as session:
        loaded = load_game(session, row)
        turn = loaded.turn
        if turn is None or turn.status is not TurnStatus.OPEN:
            return False
        seat, file = loaded.seat_by_id(seat_id), load_turn_file(session, loaded)
        filing = _filing(loaded, file, seat.name, now)
        if filing.presence.last_order_at is None:
            # It owes nothing, and is seen to all the same, so that it isn't looked at again.
            after = filing.file.with_presence(seat.name, last_order_at=turn.opened_at)
            filing = replace(filing, file=after)
        letters = Letters(session, work)
        send_gifts(letters, loaded, filing)
        change = turn_change(loaded, seat, None, filing, now)
    with work.database.transaction() as session:
        change.write(session)
        letters.queue(session)
    LOG.info("game %s: the robot of seat %s has ordered", row.slug, seat_id)
    return True


def _filing(loaded: LoadedGame, file: TurnFile, player: str, now: datetime) -> Filing:
    """Return what a robot's lines come to; where one was not taken, what is offered instead."""
    rng = Random(_seed(loaded, player))  # noqa: S311 - the chance is the secret's, the rest is plain
    orders = decide(seen(view(loaded.game, player, file.book)), _temper(loaded, player), rng)
    lines = [order.line() for order in orders.values()]
    filing = _taken(loaded, file, player, lines, now)
    owed = {hand for name, hand in due(loaded.game) if name == player}
    fixed = {hand for name, hand in filing.book.fixed if name == player}
    missing = owed - set(filing.book.of(player)) - fixed
    if not missing:
        return filing
    offers = view(loaded.game, player, filing.book).due
    lines += [one.examples[-1] for one in offers if one.hand in missing and one.examples]
    return _taken(loaded, file, player, lines, now)


def _taken(
    loaded: LoadedGame, file: TurnFile, player: str, lines: Sequence[str], now: datetime
) -> Filing:
    reading = read_mail("\n".join(lines), order_context(loaded.game, player))
    return take(loaded, file, player, reading, now)


def _temper(loaded: LoadedGame, player: str) -> Temper:
    """Return how the robot of a seat plays, the whole game long."""
    source = stream(loaded.row.secret, loaded.row.slug, loaded.row.deal, "", f"temper {player}")
    return _STEADY[below(len(_STEADY), source)]


def _seed(loaded: LoadedGame, player: str) -> int:
    """Return the number that a robot's chance in a turn begins with."""
    row = loaded.row
    source = stream(row.secret, row.slug, row.deal, "", f"robot {player} {loaded.game.turn}")
    return int.from_bytes(bytes(islice(source, _SEED_BYTES)))
