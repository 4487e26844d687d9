"""Who is dropped for his silence, and who comes back (RULES.md 9.4)."""

from __future__ import annotations

from dataclasses import replace

from postal.engine.book import Book
from postal.engine.events import Dropped, Event, Returned
from postal.engine.state import Game


def welcome_back(game: Game, book: Book) -> tuple[Game, list[Event]]:
    """Take back whoever was dropped and was heard of: he is waited for again (9.4)."""
    back = [player for player in game.dropped if player in book.heard]
    missed = {**game.missed, **dict.fromkeys(back, 0)}
    dropped = tuple(player for player in game.dropped if player not in back)
    since = {player: turn for player, turn in game.dropped_in.items() if player not in back}
    events: list[Event] = [Returned(player=player, audience=None) for player in back]
    return replace(game, missed=missed, dropped=dropped, dropped_in=since), events


def count_missed(
    game: Game, asked: set[str], heard: frozenset[str], resigned: frozenset[str] = frozenset()
) -> tuple[Game, list[Event]]:
    """Count the turns in a row in which something was due and nothing heard, and drop (9.4).

    Whoever was heard of begins anew, whether or not something was due; whoever has ``resigned`` is
    dropped at once.
    """
    limit, waits = game.rules.number("nmr_limit"), game.rules.rulings.drop_waits_a_turn
    notice = game.rules.number("drop_notice") if waits else 0
    events: list[Event] = []
    missed, dropped, since = dict(game.missed), list(game.dropped), dict(game.dropped_in)
    for player in game.players:
        if player in heard:
            missed[player] = 0
        elif player in asked:
            missed[player] += 1
        goes = player in resigned or (limit and missed[player] >= limit)
        # After the last turn there is nothing left to be dropped from.
        if player in dropped or not goes or (waits and game.finished):
            continue
        dropped.append(player)
        if waits:
            since[player] = game.turn
        events.append(
            Dropped(
                player=player,
                missed=missed[player],
                notice=notice,
                resigned=player in resigned,
                audience=None,
            )
        )
    return replace(game, missed=missed, dropped=tuple(dropped), dropped_in=since), events
