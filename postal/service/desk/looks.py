"""Notes every look at hidden things: the final report counts them (`--reveal`, `--sealed`)."""

from __future__ import annotations

from postal.service.loading import find_game
from postal.service.workplace import Workplace
from postal.store.rows import GameStatus, JournalRow


def look(work: Workplace, slug: str | None, what: str) -> None:
    """Note that the GM looked at hidden things of a game in play; None: of no known game.

    Once a game is over there is nothing hidden in it any more, and nothing is noted. Nor is it in a
    copy that can't be written: whoever has made one has the cards.
    """
    if work.database.read_only:
        return
    with work.database.transaction() as session:
        game = find_game(session, slug) if slug else None
        if game is not None and game.status is not GameStatus.RUNNING:
            return
        session.add(
            JournalRow(
                at=work.clock.now(),
                game_id=game.id if game else None,
                who="GM",
                what="look",
                sentence=f"The GM looked at {what}.",
            )
        )
