"""Builds the template contract from what a viewer may know, by pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta

from postal.engine.state import Passed
from postal.engine.view import GameView, HandView, SeatLine, TableView
from postal.reports.contexts import (
    Frame,
    FrameContext,
    GameContext,
    HandContext,
    IouContext,
    MineContext,
    PassedContext,
    PlayerContext,
    SeatContext,
    TableContext,
)
from postal.reports.display import (
    counted,
    faces,
    listed,
    long_time,
    pounds,
    second_time,
    short_time,
    shown_name,
    sorted_faces,
    time_left,
    utc_time,
)
from postal.reports.due import due_contexts
from postal.reports.mailto import mailto

_DUE_IN = {
    "give": "gifts are due",
    "keep": "the choice of cards is due",
    "expose": "a card to turn up is due",
}
_ENDED = {"fold": "over by a fold", "call": "over by a call", "checks": "over after checks"}


def frame_context(frame: Frame) -> FrameContext:
    """Return a frame in words; what concerns the deadline is empty where there is none."""
    deadline, zone = frame.deadline, frame.reader_zone
    other = frame.zone if frame.own_zone else "UTC"
    return FrameContext(
        slug=frame.slug,
        title=frame.title,
        gm=frame.gm,
        gm_address=frame.gm_address,
        mailbox=frame.mailbox,
        mailto=mailto(frame.mailbox, frame.reply_subject),
        deadline_short=short_time(deadline, zone) if deadline and not frame.on_hold else "",
        deadline=long_time(deadline, zone) if deadline else "",
        deadline_also=second_time(deadline, zone, other) if deadline else "",
        left=time_left(deadline - frame.now) if deadline else "",
        commitment=frame.commitment,
        mailed=utc_time(frame.now),
        hold=_hold(frame),
        reader_zone=zone,
        expected=_expected(frame),
    )


def _expected(frame: Frame) -> str:
    if frame.settle is None:
        return ""
    settled = time_left(timedelta(minutes=frame.settle))
    early = f"{settled} after the last order is in" if settled else "once the last order is in"
    late = (
        f"when the {counted(frame.grace, 'hour')} of grace after the deadline are over"
        if frame.grace
        else "soon after the deadline"
    )
    otherwise = f", or else {late}" if frame.deadline else ""
    return f"The next report is expected {early}{otherwise}."


def game_context(frame: Frame, view: GameView) -> GameContext:
    """Return what a template may know of a game: what ``view`` holds, and no more (10.3)."""
    dropped, viewer = set(view.dropped), view.viewer or ""
    tables = tuple(_table(table, viewer) for table in view.tables)
    hands = {hand.name: hand for table in tables for hand in table.hands}
    return GameContext(
        viewer=frame.holders.get(viewer, viewer),
        turn=view.turn,
        reported=view.turn - 1,
        finished=view.finished,
        opened=view.opened,
        balance=view.balance,
        pots=sum(hand.pot for hand in hands.values()),
        players=tuple(
            PlayerContext(
                place, shown_name(name, frame.holders), name == viewer, money, name in dropped
            )
            for place, name, money in view.standings
        ),
        tables=tables,
        mine=tuple(_mine(view, table, hands[hand.name], viewer) for table, hand, _ in view.mine()),
        due=due_contexts(frame, view),
        ious=tuple(_ious(view)),
    )


def _hold(frame: Frame) -> str:
    if not frame.on_hold:
        return ""
    until = f" until {long_time(frame.hold_until, frame.zone)}" if frame.hold_until else ""
    return (
        f"The game is on hold{until}: its deadline stands still, and orders are taken meanwhile. "
        "A mail will tell the new deadline when it goes on."
    )


def passed_contexts(gifts: Iterable[Passed]) -> tuple[PassedContext, ...]:
    """Return gifts for a template."""
    return tuple(PassedContext(gift.player, sorted_faces(gift.cards)) for gift in gifts)


def _table(table: TableView, viewer: str) -> TableContext:
    hands = tuple(_hand(hand, viewer) for hand in table.hands)
    return TableContext(table.letter, table.players, hands)


def _hand(hand: HandView, viewer: str) -> HandContext:
    return HandContext(
        name=hand.name,
        table=hand.table,
        stage=hand.stage,
        mine=any(seat.player == viewer for seat in hand.seats),
        over=hand.over,
        pot=hand.pot,
        staked=hand.staked,
        state=_state(hand, viewer),
        seats=tuple(_seat(seat, viewer) for seat in hand.seats),
    )


def _seat(seat: SeatLine, viewer: str) -> SeatContext:
    return SeatContext(
        number=seat.number,
        player=seat.player,
        you=seat.player == viewer,
        paid=seat.paid,
        won=seat.won,
        iou=seat.iou,
        folded=seat.folded,
        shown=None if seat.shown is None else faces(seat.shown),
        hidden=None if seat.hidden is None else sorted_faces(seat.hidden),
        discarded=None if seat.discarded is None else sorted_faces(seat.discarded),
        dealt=None if seat.dealt is None else sorted_faces(seat.dealt),
        gave=passed_contexts(seat.gave),
        got=passed_contexts(seat.got),
        named=None if seat.named is None else faces(seat.named),
        known=faces(seat.known),
    )


def _mine(view: GameView, table: TableView, hand: HandContext, viewer: str) -> MineContext:
    return MineContext(
        table=table.letter,
        next=table.next,
        previous=table.previous,
        hand=hand,
        me=next(seat for seat in hand.seats if seat.player == viewer),
        opponents=tuple(seat for seat in hand.seats if seat.player != viewer),
        arrived=passed_contexts(gift for letter, gift in view.arrived if letter == table.letter),
    )


def _state(hand: HandView, viewer: str) -> str:
    """Return where a hand stands; whoever is named is followed by another word."""
    if hand.over:
        won = [(_you(winner, viewer), winner == viewer) for winner in hand.winners]
        names, pot = [name for name, _ in won], pounds(hand.staked)
        if len(names) > 1:
            return f"{_ENDED[hand.end]}, {listed(names)} divided {pot}"
        return f"{_ENDED[hand.end]}, {names[0]} took {pot}"
    pot = f", pot {pounds(hand.pot)}" if hand.pot else ""
    if hand.stage in ("give", "keep"):
        return f"{_DUE_IN[hand.stage]}{pot}"
    names = [_you(player, viewer) for player in hand.to_act]
    are = "are" if len(names) > 1 or viewer in hand.to_act else "is"
    if hand.stage == "expose":
        owe = "owe" if are == "are" else "owes"
        return f"{listed(names)} {owe} a card to turn up{pot}"
    stage = "showdown" if hand.stage == "showdown" else "betting"
    return f"{listed(names, 'or')} {are} to move in the {stage}{pot}"


def _you(player: str, viewer: str) -> str:
    return "you" if player == viewer else player


def _ious(view: GameView) -> Iterable[IouContext]:
    balances = dict(view.balances)
    for table in view.tables:
        for hand in table.hands:
            for seat in hand.seats:
                if seat.iou:
                    others = _others(hand.seats, seat)
                    became = _became(hand, seat, balances[seat.player])
                    yield IouContext(hand.name, seat.player, others, seat.iou, became)


def _others(seats: Sequence[SeatLine], seat: SeatLine) -> tuple[str, ...]:
    return tuple(other.player for other in seats if other is not seat)


def _became(hand: HandView, seat: SeatLine, balance: int) -> str:
    """Return what became of an IOU: a balance below zero is the debt (RULES.md 8.3)."""
    if not hand.over:
        return "open until the hand ends"
    if seat.player in hand.winners:
        return "void, since the hand was not lost"
    if balance < 0:
        return f"a debt, and the balance is {pounds(balance)}"
    return "lost, and paid off since"
