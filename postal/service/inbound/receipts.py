"""The facts of a receipt, and of what is on file (ORDERS.md, "The receipt")."""

from __future__ import annotations

from postal.engine import bank
from postal.engine.book import Book, committed, final
from postal.engine.game import due
from postal.reports import OnFile, ReceiptFacts
from postal.service.inbound.filing import Filing
from postal.service.loading import LoadedGame

UNAVAILABLE = ("holiday", "resign", "press", "gm")
"""Commands that are read and answered, since this version cannot do them yet."""


def receipt_facts(loaded: LoadedGame, filing: Filing) -> ReceiptFacts:
    """Return what the receipt of a mail tells."""
    reading, player = filing.reading, filing.player
    names = [command.name for command in reading.commands]
    nothing = not (reading.lines or reading.commands or reading.problems)
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
        waiting=filing.presence.waiting,
        ready="ready" in names,
        unavailable=tuple(dict.fromkeys(name for name in names if name in UNAVAILABLE)),
        nothing=nothing,
    )


def _on_file(loaded: LoadedGame, book: Book, player: str) -> tuple[OnFile, ...]:
    orders = book.of(player)
    owed = set(due(loaded.game))
    return tuple(
        OnFile(
            hand.name,
            (player, hand.name) in owed,
            orders[hand.name].line() if hand.name in orders else None,
            final(loaded.game, book, player, hand),
        )
        for hand, _ in loaded.game.hands_of(player)
        if not hand.over
    )
