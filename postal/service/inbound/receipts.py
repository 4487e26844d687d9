"""The facts of a receipt, and of what is on file (ORDERS.md, "The receipt")."""

from __future__ import annotations

from datetime import datetime

from postal.engine import bank
from postal.engine.book import Book, committed, final
from postal.engine.game import awaited, due
from postal.reports import Hold, OnFile, ReceiptFacts
from postal.service.inbound.filing import Filing
from postal.service.inbound.offers import Offers
from postal.service.loading import LoadedGame


def receipt_facts(loaded: LoadedGame, filing: Filing, now: datetime) -> ReceiptFacts:
    """Return what the receipt of a mail tells at a time, aware UTC."""
    reading, player = filing.reading, filing.player
    names = [command.name for command in reading.commands]
    needed = committed(loaded.game, filing.book, player)
    return ReceiptFacts(
        hands=_on_file(loaded, filing.book, player),
        committed=needed,
        left=bank.cash(loaded.game, player) - needed,
        problems=Offers(loaded.game, filing.book, player).mended(filing.problems),
        cut=reading.unread,
        taken_back=filing.taken_back,
        lost=filing.taken.lost,
        replaced=filing.replaced,
        hold=_hold(loaded, filing, now),
        ready="ready" in names,
        waits_in_vain="wait" in names and not any(one == player for one, _ in due(loaded.game)),
        assumed=_assumed(filing),
        nothing=reading.nothing,
    )


def file_facts(loaded: LoadedGame, book: Book, player: str) -> ReceiptFacts:
    """Return the facts of what is on file for a player, whatever any mail has said."""
    needed = committed(loaded.game, book, player)
    left = bank.cash(loaded.game, player) - needed
    return ReceiptFacts(_on_file(loaded, book, player), needed, left)


def _hold(loaded: LoadedGame, filing: Filing, now: datetime) -> Hold | None:
    """Return why the turn waits for the player, and until when; None where it doesn't."""
    player, presence = filing.player, filing.presence
    deadline = loaded.turn.deadline if loaded.turn else None
    if any(one == player for one, _ in awaited(loaded.game, filing.book)):
        return Hold("missing", deadline)
    if presence.waiting:
        return Hold("asked", deadline)
    until = min((time for time in (presence.troubled_until, deadline) if time), default=None)
    if not presence.troubled or (until is not None and until <= now):
        return None
    return Hold("trouble" if filing.holds else "earlier", until)


def _assumed(filing: Filing) -> tuple[str, ...]:
    """Return the hands that a line without a table was taken for."""
    tables = {line.order.table for line in filing.reading.lines if line.assumed}
    taken = (*(entry.hand for entry in filing.taken.accepted), *filing.taken.cancelled)
    return tuple(hand for hand in dict.fromkeys(taken) if hand[:1] in tables)


def _on_file(loaded: LoadedGame, book: Book, player: str) -> tuple[OnFile, ...]:
    orders = book.of(player)
    owed = set(due(loaded.game))
    return tuple(
        OnFile(
            hand.name,
            (player, hand.name) in owed,
            orders[hand.name].line() if hand.name in orders else None,
            final(loaded.game, book, player, hand),
            (player, hand.name) in book.fixed,
        )
        for hand, _ in loaded.game.hands_of(player)
        if not hand.over
    )
