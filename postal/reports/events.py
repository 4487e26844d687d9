"""What happened, one English sentence an event, grouped by hand and then for the whole game.

A player's name never ends a sentence: at the end of a folded paragraph it could pass for an order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from postal.engine import events as engine
from postal.engine.ranking import deciding
from postal.engine.state import End
from postal.reports.display import Sentence, counted, faces, listed, pounds


@dataclass(frozen=True, slots=True)
class EventGroup:
    """What happened at one hand (``A1``), or in the game as a whole (empty), as sentences."""

    hand: str
    sentences: tuple[Sentence, ...] = field(repr=False)


_ENDS: dict[End, str] = {
    "fold": "by a fold",
    "call": "by a call",
    "checks": "by checks in a row, which count as a call",
}


class _Teller:
    """Tells events to one viewer, who is "you" in them; nobody is where ``viewer`` is None.

    ``heard``: a line of his came in the turn. ``further`` has, by hand and player, what the words
    for cards turned up leave unsaid and yet decides.
    """

    def __init__(
        self,
        viewer: str | None,
        *,
        heard: bool = False,
        further: Mapping[tuple[str, str], str] | None = None,
    ) -> None:
        self.viewer, self.heard, self.further = viewer, heard, further or {}

    def who(self, player: str) -> str:
        return "You" if player == self.viewer else player

    def whom(self, player: str) -> str:
        return "you" if player == self.viewer else player

    def have(self, player: str) -> str:
        return "You have" if player == self.viewer else f"{player} has"

    def gave(self, event: engine.Gave) -> Sentence:
        words = f"{self.who(event.player)} passed {self.whom(event.receiver)} these cards: "
        return words, faces(event.cards), "."

    def kept(self, event: engine.Kept) -> Sentence:
        who = self.who(event.player)
        return f"{who} kept ", faces(event.cards), " and discarded ", faces(event.discarded), "."

    def exposed(self, event: engine.Exposed) -> Sentence:
        return f"{self.who(event.player)} turned up ", faces(event.cards), "."

    def anted(self, event: engine.Anted) -> Sentence:
        return (f"{self.who(event.player)} paid the ante of {pounds(event.amount)}.",)

    def bets_first(self, event: engine.BetsFirst) -> Sentence:
        verb = "bet" if event.player == self.viewer else "bets"
        return (f"{self.who(event.player)} {verb} first, going by the cards face up.",)

    def raised(self, event: engine.Raised) -> Sentence:
        who, amount = self.who(event.player), pounds(event.amount)
        if event.equalled:
            return (f"{who} raised, equalling {pounds(event.equalled)} and adding {amount}.",)
        return (f"{who} raised, adding {amount}.",)

    def stayed(self, event: engine.Stayed) -> Sentence:
        return (f"{self.who(event.player)} stayed, paying {pounds(event.amount)}.",)

    def checked(self, event: engine.Checked) -> Sentence:
        return (f"{self.who(event.player)} checked, adding nothing.",)

    def folded(self, event: engine.Folded) -> Sentence:
        return (f"{self.who(event.player)} folded, giving the pot up.",)

    def called(self, event: engine.Called) -> Sentence:
        paid = f"paying {pounds(event.amount)}" if event.amount else "at no cost"
        return (f"{self.who(event.player)} called, {paid}.",)

    def iou_written(self, event: engine.IouWritten) -> Sentence:
        who, to = self.who(event.player), self.whom(event.to)
        return (f"{who} wrote {to} an IOU for {pounds(event.amount)}.",)

    def iou_closed(self, event: engine.IouClosed) -> Sentence:
        to, amount = self.whom(event.to), pounds(event.amount)
        became = "stands as a debt" if event.owed else "is void"
        mine = event.player == self.viewer
        whose = "Your IOU" if mine else f"The IOU that {event.player} wrote"
        return (f"{whose} to {to} for {amount} {became}.",)

    def turned_up(self, event: engine.TurnedUp) -> Sentence:
        then = self.further.get((event.hand, event.player), "")
        worth = f"{event.worth}, then {then}" if then else event.worth
        return f"{self.have(event.player)} ", faces(event.cards), f": {worth}."

    def hand_over(self, event: engine.HandOver) -> Sentence:
        names = [self.who(winner) for winner in event.winners]
        how = _ENDS[event.end]
        if len(names) > 1:
            share = pounds(event.share)
            both = f"{listed(names)} divide the pot of {pounds(event.pot)}, {share} each"
            return (f"The hand ended {how}. The hands are equal. {both}.",)
        took = "take" if event.winners[0] == self.viewer else "takes"
        return (f"The hand ended {how}. {names[0]} {took} the pot of {pounds(event.pot)}.",)

    def nmr(self, event: engine.Nmr) -> Sentence:
        # Of another it is not said whether he wrote at all: nobody may learn that (10.3).
        silent = event.player == self.viewer and not self.heard
        what, whom = "no order" if silent else "no good order", self.whom(event.player)
        return (f'NMR: {what} from {whom}, so the default "{event.used}" was used.',)

    def dropped(self, event: engine.Dropped) -> Sentence:
        turns, mine = counted(event.missed, "turn"), event.player == self.viewer
        waited = "You are" if mine else f"{event.player} is"
        if event.resigned:
            return (self._resigned(event, waited, mine=mine),)
        if not event.notice:
            return (f"{waited} no longer waited for, after {turns} in a row without orders.",)
        whom = self.whom(event.player)
        when = f"not sooner than {counted(event.notice, 'hour')} from now"
        told = (
            f"{waited} no longer waited for, after {turns} in a row without a mail.",
            f"The next turn goes on without {whom}, {when}.",
            "Any answer brings you back." if mine else f"A mail brings {whom} back.",
        )
        return (" ".join(told),)

    def _resigned(self, event: engine.Dropped, waited: str, *, mine: bool) -> str:
        whom = self.whom(event.player)
        who = "You have" if mine else f"{event.player} has"
        when = f", not sooner than {counted(event.notice, 'hour')} from now" if event.notice else ""
        back = "Any answer brings you" if mine else f"A mail brings {whom}"
        return (
            f"{who} resigned, so {waited[0].lower() if mine else waited[0]}{waited[1:]} no longer"
            f" waited for. The next turn goes on without {whom}{when}. {back} back, until somebody"
            " else has the seat."
        )

    def returned(self, event: engine.Returned) -> Sentence:
        back = "You are" if event.player == self.viewer else f"{event.player} is"
        return (f"{back} back and waited for again.",)

    def game_over(self, event: engine.GameOver) -> Sentence:
        first = [self.who(player) for place, player, _ in event.standings if place == 1]
        if len(first) > 1:
            return (f"Every hand is over. {listed(first)} share the first place.",)
        won = "have won" if first[0] == "You" else "has won"
        return (f"Every hand is over. {first[0]} {won} the game.",)


_TELLS: dict[type[engine.Event], Callable[[_Teller, Any], Sentence]] = {
    engine.Gave: _Teller.gave,
    engine.Kept: _Teller.kept,
    engine.Exposed: _Teller.exposed,
    engine.Anted: _Teller.anted,
    engine.BetsFirst: _Teller.bets_first,
    engine.Raised: _Teller.raised,
    engine.Stayed: _Teller.stayed,
    engine.Checked: _Teller.checked,
    engine.Folded: _Teller.folded,
    engine.Called: _Teller.called,
    engine.IouWritten: _Teller.iou_written,
    engine.IouClosed: _Teller.iou_closed,
    engine.TurnedUp: _Teller.turned_up,
    engine.HandOver: _Teller.hand_over,
    engine.Nmr: _Teller.nmr,
    engine.Dropped: _Teller.dropped,
    engine.Returned: _Teller.returned,
    engine.GameOver: _Teller.game_over,
}


def told(event: engine.Event, viewer: str | None) -> Sentence:
    """Return one event as a sentence for the viewer; None is an onlooker."""
    return _TELLS[type(event)](_Teller(viewer), event)


def grouped(
    events: Sequence[engine.Event],
    viewer: str | None,
    hands: Mapping[str, str],
    *,
    heard: bool = False,
    double_ace_flush: bool = False,
) -> tuple[EventGroup, ...]:
    """Return what the viewer may know of the events, by hand in order, then game-wide (10.3).

    ``hands`` names the viewer's own hand at each table: a gift to him belongs there. ``heard``
    says that a line of his came in the turn, ``double_ace_flush`` how flushes compare (7.3).
    """
    seen = [event for event in events if event.seen_by(viewer)]
    further = _further(seen, double_ace_flush=double_ace_flush)
    teller = _Teller(viewer, heard=heard, further=further)
    groups: dict[str, list[Sentence]] = {}
    for event in seen:
        hand = event.hand
        if isinstance(event, engine.Gave) and event.receiver == viewer:
            hand = hands.get(hand.rstrip("0123456789"), hand)
        groups.setdefault(hand, []).append(_TELLS[type(event)](teller, event))
    named = sorted(hand for hand in groups if hand)
    order = [*named, *([""] if "" in groups else [])]
    return tuple(EventGroup(hand, tuple(groups[hand])) for hand in order)


def _further(
    events: Sequence[engine.Event], *, double_ace_flush: bool
) -> dict[tuple[str, str], str]:
    """Return what decides between cards turned up in one hand that the same words tell.

    It is told here, since the words in an event are evidence that stays as it was stored.
    """
    turned = [event for event in events if isinstance(event, engine.TurnedUp)]
    alike = Counter((event.hand, event.worth) for event in turned)
    found: dict[tuple[str, str], str] = {}
    for (hand, worth), number in alike.items():
        if number > 1:
            equals = [event for event in turned if (event.hand, event.worth) == (hand, worth)]
            words = deciding([event.cards for event in equals], double_ace_flush=double_ace_flush)
            found |= {(hand, event.player): said for event, said in zip(equals, words, strict=True)}
    return found
