"""The public report, for those who look on and hold no seat."""

from __future__ import annotations

from collections.abc import Sequence

from postal.engine.events import Event
from postal.engine.view import view
from postal.reports import Press
from postal.service.loading import LoadedGame
from postal.service.outbound.kinds import LetterKind
from postal.service.outbound.letters import Letters
from postal.store.observers import observers_of


def write_to_observers(
    letters: Letters, loaded: LoadedGame, events: Sequence[Event], press: Sequence[Press]
) -> None:
    """Write a turn's public report to everybody on the game's list who has not stopped it.

    It holds what is public and no more, and no token (RULES.md 10.3).
    """
    seen = view(loaded.game, None)
    for row, person, address in observers_of(letters.session, loaded.id):
        if row.stopped_at is None:
            frame = letters.frame(loaded)
            rendered = letters.work.reports.observer(
                frame, seen, person.name, "report", events, press
            )
            letters.to_person(loaded, address.address, person.name, rendered, LetterKind.OBSERVER)
