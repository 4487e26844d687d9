"""Adjudicates a stored game again from its deal and says where the evidence differs."""

from __future__ import annotations

import json

from postal.engine.deal import commitment
from postal.engine.game import adjudicate
from postal.engine.rules import Rules
from postal.service.loading import find_game, load_game
from postal.service.records.course import Course
from postal.service.records.dealing import deal
from postal.service.workplace import Workplace
from postal.store.codec import decode_book, decode_events, decode_game
from postal.store.voidturns import done_turns


def verify_game(work: Workplace, slug: str) -> tuple[int, tuple[str, ...]]:
    """Return how many turns were checked, and a sentence for each thing that differs.

    Checked are the commitment, made over the text that was stored when the game began, the deal
    from its secret, and for each turn, void ones too, the events and the state that its orders give
    under the present program (DESIGN.md, "State and evidence"). Values are compared, not texts.
    """
    with work.database.reading() as session:
        loaded = load_game(session, find_game(session, slug))
        turns = done_turns(session, loaded.id)
    found: list[str] = []
    row, rules = loaded.row, loaded.rules
    if commitment(row.secret, row.committed) != row.commitment:
        found.append("The commitment is not that of the game's secret and rules.")
    if not _plays_by(row.committed, json.loads(row.rules), rules):
        found.append("The rules are not those that the commitment was made over.")
    game = deal(rules, row.slug, loaded.game.players, row.secret, row.deal)
    if game != decode_game(turns[0].state or "", rules):
        found.append("The deal is not the one that the game's secret gives.")
    course = Course(game)
    for turn in turns[1:]:
        number, which = turn.number, f"Turn {turn.number}{', a void one,' if turn.void_at else ''}"
        game, events = adjudicate(course.before(number), decode_book(turn.orders or ""))
        course.went_on(number, game, events)
        if game != decode_game(turn.state or "", rules):
            found.append(f"{which} gives another state than the one that was stored.")
        if events != decode_events(turn.events or ""):
            found.append(f"{which} gives other events than those that were reported.")
    return len(turns) - 1, tuple(found)


def _plays_by(committed: str, source: object, rules: Rules) -> bool:
    """Whether a game's rules and edition are those of the text.

    An option that came later is no difference; a text that names no edition is of the first.
    """
    try:
        text = json.loads(committed)
        known = text["options"].items()
    except (ValueError, KeyError, AttributeError, TypeError):
        return False
    same = text["rules"] == source and text.get("edition", 1) == rules.edition
    return bool(same) and all(rules.options.get(name) == value for name, value in known)
