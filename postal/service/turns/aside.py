"""Setting a turn aside where it can't be adjudicated, and telling the GM once what to do."""

from __future__ import annotations

import logging

from postal.service.loading import LoadedGame, UnreadableGameError
from postal.service.outbound.letters import Letters
from postal.service.workplace import Workplace
from postal.store.rows import TurnRow
from postal.store.turns import set_game_aside, set_turn_aside

LOG = logging.getLogger("postal")


def set_aside(work: Workplace, loaded: LoadedGame, turn: TurnRow, token: str, what: str) -> None:
    """Set a claimed turn aside with all its orders; ``what`` is the kind of error that it met."""
    slug = loaded.row.slug
    sentences = (
        f"Turn {turn.number} of {slug} could not be adjudicated ({what}).",
        "It is set aside with all its orders, and nothing was mailed; the log has the details.",
        "Until it is back in play its mail is kept and waits.",
        (
            f"Once fixed, run `postal adjudicate {slug}`: it puts the turn back in play, and"
            " adjudicates it only if it is due."
        ),
    )
    with work.database.reading() as session:
        letters = Letters(session, work)
        letters.notify_gm(f"turn {turn.number} is set aside", sentences, loaded, turn.number)
    with work.database.transaction() as session:
        if set_turn_aside(session, turn.id or 0, token=token):
            letters.queue(session)


def set_unreadable_aside(work: Workplace, error: UnreadableGameError) -> None:
    """Set the turn in play of a game aside that can't be read; its mails are kept until it can."""
    slug, game_id = error.game.slug, error.game.id or 0
    sentences = (
        str(error),
        "Until then its mail is kept and waits, and nothing is adjudicated; other games go on.",
    )
    with work.database.reading() as session:
        letters = Letters(session, work)
        letters.notify_gm(f"{slug} is set aside", sentences)
    with work.database.transaction() as session:
        if set_game_aside(session, game_id):
            LOG.error("%s", error)
            letters.queue(session)
