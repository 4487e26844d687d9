"""What the first paragraph of a report says to whoever sent no orders in time (RULES.md 9.4)."""

from __future__ import annotations

from collections.abc import Sequence

from postal.engine.events import Dropped, Event, Nmr
from postal.engine.view import GameView
from postal.reports.display import counted, listed

_BACK = "Any answer to this mail brings you back."


def absent_sentence(events: Sequence[Event], view: GameView) -> str:
    """Return what the reader missed in a turn, and how he comes back if nobody waits for him.

    Empty where he missed nothing, and once the game is over.
    """
    viewer = view.viewer
    if viewer is None or view.finished:
        return ""
    mine = [event for event in events if event.player == viewer]
    hands = list(dict.fromkeys(event.hand for event in mine if isinstance(event, Nmr)))
    said = []
    if hands:
        said.append(f"No good orders came in time for {_hands(hands)}: you were NMR there.")
    dropped = next((event for event in mine if isinstance(event, Dropped)), None)
    if dropped is not None:
        said += _dropped(dropped)
    elif viewer in view.dropped:
        said.append(f"Nobody waits for your orders at the moment. {_BACK}")
    return " ".join(said)


def _dropped(event: Dropped) -> list[str]:
    if event.resigned:
        why = "You have resigned."
    else:
        why = f"Nothing has come from you for {counted(event.missed, 'turn')}: you are dropped."
    goes_on = (
        f"The next turn goes on without you, not sooner than {counted(event.notice, 'hour')} from"
        " now."
        if event.notice
        else "The next turn goes on without you."
    )
    return [why, goes_on, _BACK]


def _hands(hands: Sequence[str]) -> str:
    return f"{'hand' if len(hands) == 1 else 'hands'} {listed(hands)}"
