"""The first turn waits once more for those who were never heard of (RULES.md 9.7)."""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import Session

from postal.engine.game import awaited
from postal.reports.display import counted, listed, long_time
from postal.service.loading import LoadedGame, TurnFile
from postal.service.outbound.letters import Letters
from postal.service.turns.calendar import later_deadline
from postal.service.turns.deadlines import move
from postal.service.workplace import Workplace
from postal.store.rows import JournalRow
from postal.store.seats import HeldSeat
from postal.store.troubles import was_done

_WHAT = "first-grace"
"""How the journal calls it that the first turn waits once more."""


def wait_for_first(work: Workplace, loaded: LoadedGame, file: TurnFile) -> bool:
    """Move the deadline of turn 1, if somebody who owes was never heard of; whether it was moved.

    It is done once in a game, at the deadline (and the grace after it), by ``first_grace`` days.
    """
    turn, days = loaded.turn, loaded.rules.number("first_grace")
    if turn is None or turn.number != 1 or turn.deadline is None or not days:
        return False
    unheard = _unheard(loaded, file)
    if not unheard:
        return False
    with work.database.reading() as session:
        if was_done(session, loaded.id, _WHAT):
            return False
    deadline = later_deadline(loaded.row, turn.deadline, work.clock.now(), days)

    def note(session: Session) -> None:
        session.add(
            JournalRow(
                at=work.clock.now(),
                game_id=loaded.id,
                turn=1,
                what=_WHAT,
                sentence=f"The first turn waits {counted(days, 'day')} more (9.7).",
            )
        )

    return move(
        work,
        loaded.row.slug,
        1,
        deadline,
        "first",
        note,
        unheard=[seat.name for seat in unheard],
        more=lambda letters, moved: _tell_gm(letters, moved, unheard),
    )


def _unheard(loaded: LoadedGame, file: TurnFile) -> tuple[HeldSeat, ...]:
    """Return who owes orders and never wrote; whoever has resigned did write."""
    owing = {player for player, _ in awaited(loaded.game, file.book)}
    silent = owing - file.book.heard - file.book.resigned
    return tuple(seat for seat in loaded.seats if seat.name in silent and not seat.person.robot)


def _tell_gm(letters: Letters, moved: LoadedGame, unheard: Sequence[HeldSeat]) -> None:
    turn, slug = moved.turn, moved.row.slug
    assert turn is not None, "a turn in play was moved"
    assert turn.deadline is not None, "it has a new deadline"
    names = listed([f"{seat.name} ({seat.address or 'no address'})" for seat in unheard])
    sentences = (
        f"Nothing has come yet from {names}.",
        "Is an address wrong? `postal player set-address` corrects it. Or ask them another way.",
        f"The deadline of turn 1 is moved to {long_time(turn.deadline, turn.zone)}, once.",
        "They are reminded, and the others are told the new deadline and no name.",
        f"`postal adjudicate {slug}` goes on without them.",
    )
    letters.notify_gm("not everybody has been heard of", sentences, moved, 1)
