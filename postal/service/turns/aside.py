"""Setting a turn aside where it can't be adjudicated, and telling the GM once what to do."""

from __future__ import annotations

import logging
from contextlib import suppress

from sqlmodel import Session

from postal.errors import PostalError
from postal.service.loading import LoadedGame, UnreadableGameError
from postal.service.outbound.troubles import end_trouble, note_trouble
from postal.service.workplace import Workplace
from postal.store.rows import TroubleKind, TurnRow
from postal.store.turns import set_game_aside, set_turn_aside

LOG = logging.getLogger("postal")


def set_aside(work: Workplace, loaded: LoadedGame, turn: TurnRow, token: str, what: str) -> None:
    """Set a claimed turn aside with all its orders; ``what`` is the kind of error that it met."""
    slug = loaded.row.slug
    note_trouble(
        work,
        TroubleKind.ASIDE,
        f"Turn {turn.number} of {slug} could not be adjudicated ({what}) and is set aside.",
        about=slug,
        advice=(
            "All its orders are kept, and nothing was mailed; the log has the details.",
            "Until it is back in play its mail is kept and waits.",
            (
                f"Once fixed, run `postal adjudicate {slug}`: it puts the turn back in play, and"
                " adjudicates it only if it is due."
            ),
        ),
        together=lambda session: set_turn_aside(session, turn.id or 0, token=token),
    )


def set_unreadable_aside(work: Workplace, error: UnreadableGameError) -> None:
    """Set the turn in play of a game aside that can't be read; its mails are kept until it can."""
    game_id = error.game.id or 0

    def aside(session: Session) -> bool:
        if not set_game_aside(session, game_id):
            return False
        LOG.error("%s", error)
        return True

    note_trouble(
        work,
        TroubleKind.ASIDE,
        str(error),
        about=error.game.slug,
        advice=(
            "Until then its mail is kept and waits, and nothing is adjudicated; other games go on.",
        ),
        together=aside,
    )


def end_aside(work: Workplace, slug: str) -> None:
    """Note that a game goes on whose turn was perhaps set aside."""
    with suppress(PostalError):
        end_trouble(work, TroubleKind.ASIDE, slug, "The game goes on.")
