"""Adjudicates a stored game again from its deal and says where the evidence differs."""

from __future__ import annotations

from postal.engine.deal import commitment
from postal.engine.game import adjudicate
from postal.service.newgame import deal
from postal.service.work import Workplace, find_game, load_game
from postal.store.codec import decode_book, encode_events, encode_game
from postal.store.rows import TurnStatus
from postal.store.turns import turns_of


def verify_game(work: Workplace, slug: str) -> tuple[int, tuple[str, ...]]:
    """Return how many turns were checked, and a sentence for each thing that differs.

    Checked are the commitment, the deal from its secret, and for each turn the events and the
    state that its orders give under the present program (DESIGN.md, "State and evidence").
    """
    with work.database.reading() as session:
        loaded = load_game(session, find_game(session, slug))
        turns = [turn for turn in turns_of(session, loaded.id) if turn.status == TurnStatus.DONE]
    found: list[str] = []
    row = loaded.row
    if commitment(row.secret, loaded.rules) != row.commitment:
        found.append("The commitment is not that of the game's secret and rules.")
    game = deal(loaded.rules, row.slug, loaded.game.players, row.secret, row.deal)
    if encode_game(game) != turns[0].state:
        found.append("The deal is not the one that the game's secret gives.")
    for turn in turns[1:]:
        game, events = adjudicate(game, decode_book(turn.orders or ""))
        if encode_game(game) != turn.state:
            found.append(f"Turn {turn.number} gives another state than the one that was stored.")
        if encode_events(events) != turn.events:
            found.append(f"Turn {turn.number} gives other events than those that were reported.")
    return len(turns) - 1, tuple(found)
