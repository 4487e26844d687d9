"""Every line that a mail offers to copy is taken as it stands, as things stood when it came."""

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from lxml.html import document_fromstring

from postal.engine.book import Book, submit
from postal.engine.state import Game
from postal.engine.view import view
from postal.ordertext import read_mail
from postal.reports import Rendered
from postal.service.inbound.offers import Offers
from tests.engine.engine_random import Turn, played
from tests.reports.playing import FRAME, context, facts, reports, smith

MAIL = reports()
SEEDS = 3
MARK = ":: "
RAISE = re.compile(r"For hand (\w+), (?:(?!For hand).)*? A raise adds from £([\d,]+) to £([\d,]+)")
GAMES: dict[str, dict[str, Any]] = {
    "poor": {"start_money": 80_000},
    "stays on an IOU": {"start_money": 100_000, "iou": "stay-and-call", "raise_cap": 2},
    "by post": {"start_money": 150_000, "exchange": "post"},
    "rich": {"exposed_to": "opponent"},
}


def offers(turn: Turn, player: str) -> Iterator[tuple[str, Rendered, Book]]:
    """Yield the mails that offer lines to a player in a turn, each with what was on file then."""
    game, final = turn.before, turn.book
    yield "report", MAIL.report(FRAME, view(game, player)), Book()
    for (sender, _), taken in zip(turn.mails, turn.taken, strict=True):
        if sender == player:
            told = Offers(game, taken.book, player).mended(taken.problems)
            slip = replace(facts(game, taken.book, player), problems=told)
            receipt = MAIL.receipt(FRAME, view(game, player, taken.book), slip)
            yield "receipt", receipt, taken.book
    seen = view(game, player, final)
    yield "status", MAIL.status(FRAME, seen), final
    yield "late", MAIL.late(FRAME, seen, game.turn - 1), final
    yield "orders", MAIL.orders_on_file(FRAME, seen, facts(game, final, player)), final
    yield "again", MAIL.report(FRAME, seen), final


def marked(mail: Rendered) -> list[str]:
    """Return the lines of a mail that stand behind the mark of orders."""
    return [line[len(MARK) :] for line in mail.text.splitlines() if line.startswith(MARK)]


def bounds(mail: Rendered) -> list[str]:
    """Return the least and the most that a mail says can be raised at each hand, as lines."""
    said = " ".join(mail.text.split())
    found = RAISE.findall(said)
    return [f"{hand[0]}: raise {sum_}" for hand, *sums in found for sum_ in sums]


def pressed(turn: Turn) -> list[str]:
    """Return those whose orders for some hands leave too little for a bet at another."""
    return [
        player
        for player in turn.before.players
        for item in view(turn.before, player, turn.book).due
        if item.elsewhere and item.left < item.owed + item.max_raise
    ]


def fixed(game: Game, book: Book, player: str) -> set[str]:
    """Return what is on file and can no longer be sent: told in a receipt, but not offered."""
    return {hand.line or "" for hand in facts(game, book, player).hands if hand.final}


def check(game: Game, book: Book, player: str, line: str) -> str:
    """Send a line as a mail of its own, and return what it came to."""
    read = read_mail(line, context(view(game, player)))
    assert not read.problems, line
    assert len(read.lines) == 1, line
    taken = submit(game, book, player, read.lines)
    assert not taken.problems, (line, taken.problems)
    assert taken.accepted or taken.cancelled, line
    return "cancelled" if taken.cancelled else "accepted"


@pytest.mark.parametrize("which", GAMES)
def test_every_line_that_a_mail_offers_is_taken(which: str) -> None:
    """Over games of random orders, legal and not: money, cards and what is on file included."""
    pick, came = random.Random(which), list[str]()
    for seed in range(SEEDS):
        for turn in played(smith(**GAMES[which]), seed, tidy=bool(seed % 2)):
            for player in {pick.choice(turn.before.players), *pressed(turn)[:1]}:
                for name, mail, book in offers(turn, player):
                    said = bounds(mail)
                    lines = [*marked(mail), *said]
                    came += [f"{name} bounds"] if said else []
                    came += [
                        f"{name} {check(turn.before, book, player, line)}"
                        for line in dict.fromkeys(lines)
                        if line not in fixed(turn.before, book, player)
                    ]
    for name in ("report", "receipt", "status", "late", "orders", "again"):
        assert f"{name} accepted" in came
    assert "receipt cancelled" in came
    assert {"report bounds", "status bounds", "late bounds"} <= set(came)


def test_the_help_shows_every_way_to_bet() -> None:
    """Each of its lines is read as it stands, in the text and in the HTML alike."""
    turn = next(played(smith(), 3, tidy=False))
    seen = view(turn.before, turn.before.players[0])
    mail = MAIL.help(FRAME)
    shown = marked(mail)
    for line in shown:
        block = "\nWhat a hand!\nend" if line.endswith(":") else ""
        read = read_mail(f"{line}{block}", context(seen))
        assert not read.problems, line
        assert read.lines or read.commands or line == "end", line
    bets = ("raise 40000", "raise max", "raise min", "stay", "fold", "check", "call")
    assert {f"A: {bet}" for bet in bets} <= set(shown)
    paragraphs = document_fromstring(mail.html.encode()).iter("p")
    html = [" ".join(one.text_content().split()) for one in paragraphs]
    assert [one[len(MARK) :] for one in html if one.startswith(MARK)] == shown


def test_the_html_offers_the_same_lines() -> None:
    """Each in a paragraph of its own, and none beside."""
    turn = next(played(smith(), 3, tidy=False))
    for player in turn.before.players:
        for name, mail, _ in offers(turn, player):
            root = document_fromstring(mail.html.encode())
            found = [" ".join(one.text_content().split()) for one in root.iter("p")]
            shown = [one.removesuffix(" write this") for one in found if one.startswith(MARK)]
            assert [one[len(MARK) :] for one in shown] == marked(mail), name
