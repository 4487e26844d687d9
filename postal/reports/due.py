"""What a player must order now, in sentences and as lines ready to edit."""

from __future__ import annotations

from postal.engine.cards import cards_text
from postal.engine.view import Due, GameView, HandView, SeatLine, TableView
from postal.engine.words import DIRECTIONS
from postal.reports.contexts import DueContext, ExampleContext, Frame
from postal.reports.display import counted, listed, pounds
from postal.reports.mailto import mailto


def due_contexts(frame: Frame, view: GameView) -> tuple[DueContext, ...]:
    """Return what the viewer owes, hand by hand; nothing for an onlooker."""
    places = {hand.name: (table, hand, seat) for table, hand, seat in view.mine()}
    return tuple(_due(frame, view, due, *places[due.hand]) for due in view.due)


def _due(  # noqa: PLR0913 - one hand is three values of the view
    frame: Frame, view: GameView, due: Due, table: TableView, hand: HandView, seat: SeatLine
) -> DueContext:
    opponents = tuple(other.player for other in hand.seats if other is not seat)
    lines = due.examples + _with_expose(due, seat)
    return DueContext(
        hand=due.hand,
        table=due.table,
        kind=due.kind,
        opponents=opponents,
        sentences=tuple(_sentences(view, due, table, seat, opponents)),
        examples=tuple(
            ExampleContext(line, mailto(frame.mailbox, frame.reply_subject, [line]))
            for line in lines
        ),
    )


def _sentences(
    view: GameView, due: Due, table: TableView, seat: SeatLine, opponents: tuple[str, ...]
) -> list[str]:
    match due.kind:
        case "give":
            return [f"Choose {listed([_gift(table, to, count) for to, count in due.give])}."]
        case "keep":
            held = counted(len(seat.hidden or ()), "card")
            return [f"Choose {due.keep} of your {held} to keep, {due.expose} of them to expose."]
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
    found.append(f"You may {listed(due.verbs, 'or')} now.")
    if "raise" in due.verbs:
        least, most = pounds(due.min_raise), pounds(due.max_raise)
        found.append(f"A raise adds from {least} to {most}.")
    if due.may_expose:
        found.append(
            "Name a hidden card with it if you like: it is turned up only"
            " if a stay follows at once."
        )
    if view.balance < due.owed and "call" in due.verbs:
        found.append("Your money does not reach: the rest of a call is paid with an IOU.")
    return found


def _with_expose(due: Due, seat: SeatLine) -> tuple[str, ...]:
    """Return an example that names a card ahead of time, beside the bet that can (5.4)."""
    if not due.may_expose or not seat.hidden:
        return ()
    verb = "stay" if "stay" in due.verbs else "raise"
    before = next((line for line in due.examples if line.split()[1:2] == [verb]), "")
    cards = sorted(seat.hidden)[: due.may_expose]
    return (f"{before} expose {cards_text(cards)}",) if before else ()
