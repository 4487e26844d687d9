"""Receipts, and the answers to help, status, orders, resend and rules (ORDERS.md)."""

from __future__ import annotations

from sqlmodel import Session

from postal.engine import bank
from postal.engine.book import Book, committed
from postal.engine.game import due
from postal.engine.rulefile import option_choices
from postal.engine.state import Passed
from postal.engine.view import view
from postal.mail.incoming import Incoming
from postal.reports import OnFile, OptionFact, ReceiptFacts, Rendered
from postal.service.filing import Filing
from postal.service.post import frame_of, queue_to_player
from postal.service.reporting import queue_report_again
from postal.service.work import LoadedGame, Workplace
from postal.store.orders import attendance
from postal.store.rows import PlayerRow

UNAVAILABLE = ("holiday", "resign", "press", "gm")
"""Commands that are read and answered, since this version cannot do them yet."""


def receipt_facts(
    session: Session, loaded: LoadedGame, filing: Filing, player: str
) -> ReceiptFacts:
    """Return what the receipt of a mail tells (ORDERS.md, "The receipt")."""
    reading = filing.reading
    names = [command.name for command in reading.commands]
    nothing = not (reading.lines or reading.commands or reading.problems)
    row = attendance(session, loaded.id, loaded.game.turn, player)
    needed = committed(loaded.game, filing.book, player)
    return ReceiptFacts(
        hands=_on_file(loaded, filing.book, player),
        committed=needed,
        left=bank.cash(loaded.game, player) - needed,
        problems=filing.problems,
        cut=tuple(text for _, text in reading.cut) if nothing else (),
        cancelled=filing.taken.cancelled,
        lost=filing.taken.lost,
        replaced=filing.replaced,
        waiting=row.waiting,
        ready="ready" in names,
        unavailable=tuple(dict.fromkeys(name for name in names if name in UNAVAILABLE)),
        nothing=nothing,
    )


def answer_commands(  # noqa: PLR0913 - the whole of a mail's circumstances
    session: Session,
    work: Workplace,
    loaded: LoadedGame,
    filing: Filing,
    player: PlayerRow,
    incoming: Incoming,
) -> None:
    """Queue the answer to each command of a mail, once each, and the gifts that go by post."""
    for name in dict.fromkeys(command.name for command in filing.reading.commands):
        if name == "resend":
            queue_report_again(session, work, loaded, player, incoming)
            continue
        rendered = _answer(session, work, loaded, filing, player.name, name)
        if rendered is not None:
            queue_to_player(
                session,
                work,
                loaded,
                player,
                kind=name,
                rendered=rendered,
                turn=loaded.game.turn,
                answers=incoming,
            )
    for receiver in dict.fromkeys(gift.receiver for gift in filing.gifts):
        gifts = [
            (gift.table, Passed(gift.giver, gift.cards))
            for gift in filing.gifts
            if gift.receiver == receiver
        ]
        frame = frame_of(work, loaded, receiver)
        seen = view(loaded.game, receiver, filing.book)
        queue_to_player(
            session,
            work,
            loaded,
            loaded.player(receiver),
            kind="gift",
            rendered=work.reports.gift(frame, seen, gifts),
            turn=loaded.game.turn,
        )


def _answer(  # noqa: PLR0913 - the whole of a mail's circumstances
    session: Session,
    work: Workplace,
    loaded: LoadedGame,
    filing: Filing,
    player: str,
    name: str,
) -> Rendered | None:
    frame = frame_of(work, loaded, player)
    seen = view(loaded.game, player, filing.book)
    match name:
        case "help":
            return work.reports.help(frame)
        case "status":
            return work.reports.status(frame, seen)
        case "orders":
            facts = receipt_facts(session, loaded, filing, player)
            return work.reports.orders_on_file(frame, seen, facts)
        case "rules":
            return work.reports.rules(frame, option_facts(loaded))
        case _:
            return None


def option_facts(loaded: LoadedGame) -> tuple[OptionFact, ...]:
    """Return each option of the game with its value and what the game file says of it."""
    said = option_choices(loaded.rules.source)
    return tuple(
        OptionFact(name, value, str(said.get(name, {}).get("says", "")))
        for name, value in loaded.rules.options.items()
    )


def _on_file(loaded: LoadedGame, book: Book, player: str) -> tuple[OnFile, ...]:
    orders = book.of(player)
    owed = set(due(loaded.game))
    return tuple(
        OnFile(
            hand.name,
            (player, hand.name) in owed,
            orders[hand.name].line() if hand.name in orders else None,
        )
        for hand, _ in loaded.game.hands_of(player)
        if not hand.over
    )
