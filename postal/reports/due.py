"""What a player must order now, in sentences and as lines ready to edit."""

from __future__ import annotations

from postal.engine.view import Due, GameView, HandView, SeatLine, TableView
from postal.engine.words import DIRECTIONS
from postal.reports.contexts import DueContext, ExampleContext, Frame
from postal.reports.display import counted, listed, pounds
from postal.reports.mailto import mailto

_AS_DEALT = "The line has cards in the order dealt: put in those of your choice."


def due_contexts(frame: Frame, view: GameView) -> tuple[DueContext, ...]:
    """Return what the viewer owes, hand by hand; nothing for an onlooker."""
    places = {hand.name: (table, hand, seat) for table, hand, seat in view.mine()}
    return tuple(_due(frame, view, due, *places[due.hand]) for due in view.due)


def _due(  # noqa: PLR0913 - one hand is three values of the view
    frame: Frame, view: GameView, due: Due, table: TableView, hand: HandView, seat: SeatLine
) -> DueContext:
    opponents = tuple(other.player for other in hand.seats if other is not seat)
    return DueContext(
        hand=due.hand,
        table=due.table,
        kind=due.kind,
        opponents=opponents,
        sentences=tuple(_sentences(view, due, table, seat, opponents)),
        examples=tuple(
            ExampleContext(line, mailto(frame.mailbox, frame.reply_subject, [line]))
            for line in due.examples
        ),
    )


def _sentences(
    view: GameView, due: Due, table: TableView, seat: SeatLine, opponents: tuple[str, ...]
) -> list[str]:
    if due.fixed:
        return ["What you ordered here in the turn that was taken back, or didn't, stands."]
    match due.kind:
        case "give" if due.final:
            return ["Your gifts at this table are on their way and can no longer be changed."]
        case "give":
            gifts = [_gift(table, to, count) for to, count in due.give]
            return [f"Choose {listed(gifts)}.", _AS_DEALT]
        case "keep":
            held = counted(len(seat.hidden or ()), "card")
            choice = f"Choose {due.keep} of your {held} to keep, {due.expose} of them to expose."
            return [choice, _AS_DEALT]
        case "expose":
            return [f"Choose {due.expose} of your hidden cards to turn up."]
        case _:
            return _bet(view, due, opponents)


def _gift(table: TableView, to: int, count: int) -> str:
    cards, way = counted(count, "card"), DIRECTIONS.get(to, f"{to} seats onward")
    name = {1: table.next, -1: table.previous}.get(to, "")
    return f"{cards} for {name} ({way})" if name else f"{cards} for the player {way}"


def _bet(view: GameView, due: Due, opponents: tuple[str, ...]) -> list[str]:
    if due.owed:
        ahead = listed(opponents, "or")
        found = [f"{ahead} is {pounds(due.owed)} ahead, which is the price of equalling."]
    else:
        found = ["The sums are level, so nothing has to be equalled."]
    reach, bets = due.reach, sum(other.kind == "bet" for other in view.due)
    short = [verb for verb in due.verbs if verb not in reach.verbs]
    if short:
        beside = ", beside what your orders for other tables need" if due.elsewhere else ""
        found.append(
            f"You have {pounds(due.left)} left for it{beside}, which is not enough"
            f" to {listed(short, 'or')}."
        )
    only = "only " if len(reach.verbs) == 1 else ""
    found.append(f"You may {only}{listed(reach.verbs, 'or')} now.")
    limited = 0 < reach.most < due.max_raise
    if reach.most:
        bounds = f"from {pounds(due.min_raise)} to {pounds(reach.most)}"
        allows = ", the most that your money allows" if limited else ""
        found.append(f"A raise adds {bounds}{allows}.")
    if (short or limited) and bets > 1:
        found.append("Your money has to cover your bets at all tables together.")
    if due.may_expose and {"raise", "stay"} & set(reach.verbs):
        found.append(
            "Name a hidden card with it if you like: it is turned up only"
            " if a stay follows at once."
        )
    if reach.on_iou:
        paid = listed([f"a {verb}" for verb in reach.on_iou], "or")
        found.append(f"Your money does not reach: the rest of {paid} is paid with an IOU.")
    return found
