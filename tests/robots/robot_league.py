"""A game whose reports are rendered without a post room: what robots' tests read and answer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from postal.engine.book import Book, submit
from postal.engine.game import adjudicate, due
from postal.engine.orders import Order
from postal.engine.problems import Problem
from postal.engine.state import Game
from postal.engine.view import view
from postal.mail.incoming import read
from postal.mail.message import Automatic, Outgoing, build
from postal.mail.tokens import plus_address
from postal.ordertext import Reading, read_mail
from postal.reports import Frame, OnFile, ReceiptFacts, Rendered, Reports
from postal.resources import games_folder, templates_folder
from postal.robots import Robot
from postal.service.gamefiles import load_game_file, make_rules
from postal.service.records.dealing import deal
from postal.service.records.play import order_context

NAMES = ("Joe", "Puke", "Mary Ann", "Jean-Luc", "Dr. Wagner", "O'Hara")
MAILBOX = plus_address("games@example.org", "abcdefghijklmnop")
NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)


def address(name: str) -> str:
    """Return a player's address."""
    return f"p{NAMES.index(name)}@example.org"


@dataclass
class Table:
    """A game for six, its reports, and what is on file in its turn."""

    game: Game
    reports: Reports
    book: Book = field(default_factory=Book)
    problems: tuple[Problem, ...] = ()

    def report(self, name: str) -> bytes:
        """Return the report that a player is mailed now."""
        rendered = self.reports.report(self._frame(), view(self.game, name))
        return self._mail(name, rendered, f"report{self.game.turn}", "auto-generated")

    def receipt(self, name: str, answered: str) -> bytes:
        """Return the receipt for the mail with that Message-ID, as the book stands."""
        orders = self.book.of(name)
        owed = set(due(self.game))
        hands = tuple(
            OnFile(
                hand.name,
                (name, hand.name) in owed,
                orders[hand.name].line() if hand.name in orders else None,
            )
            for hand, _ in self.game.hands_of(name)
            if not hand.over
        )
        facts = ReceiptFacts(hands, 0, 0, problems=self.problems)
        seen = view(self.game, name, self.book)
        rendered = self.reports.receipt(self._frame(), seen, facts)
        return self._mail(name, rendered, f"receipt{len(answered)}", "auto-replied", answered)

    def take(self, name: str, raw: bytes) -> Reading:
        """Read a mail as the post room does, file its orders, and return the reading."""
        reading = reading_of(self.game, name, raw)
        taken = submit(self.game, self.book, name, reading.lines)
        self.book = taken.book
        self.problems = (*reading.problems, *taken.problems)
        return reading

    def adjudicate(self) -> None:
        """End the turn."""
        self.game, _ = adjudicate(self.game, self.book)
        self.book, self.problems = Book(), ()

    def _frame(self) -> Frame:
        deadline = NOW + timedelta(days=7)
        return Frame(
            "demo",
            "Anaconda",
            "Gemma",
            "gemma@home.example",
            MAILBOX,
            deadline,
            "Europe/London",
            "ab",
            NOW,
        )

    def _mail(
        self, name: str, rendered: Rendered, number: str, kind: Automatic, answered: str = ""
    ) -> bytes:
        return build(
            Outgoing(
                sender="games@example.org",
                sender_name="Gemma",
                recipient=address(name),
                recipient_name=name,
                subject=rendered.subject,
                text=rendered.text,
                html=rendered.html,
                message_id=f"<postal.abcdefghijklmnop.{number}@example.org>",
                date=NOW,
                reply_to=MAILBOX,
                in_reply_to=answered,
                automatic=kind,
            )
        )


def new_table(seed: int) -> Table:
    """Return a game just dealt."""
    rules = make_rules(load_game_file("smith", [games_folder()]), {}, len(NAMES))
    game = deal(rules, "demo", NAMES, bytes([seed]) * 32)
    return Table(game, Reports([Path(templates_folder())]))


def reading_of(game: Game, name: str, raw: bytes) -> Reading:
    """Return what a mail says: of its first text that gives orders or commands."""
    context = order_context(game, name)
    readings = [read_mail(text, context) for text in read(raw).texts]
    return next((one for one in readings if one.lines or one.commands), readings[0])


def ordered(game: Game, name: str, reading: Reading) -> dict[str, Order]:
    """Return what is on file of a player after one mail alone, by hand."""
    return dict(submit(game, Book(), name, reading.lines).book.of(name))


def robot(name: str, **settings: object) -> Robot:
    """Return a robot with a seed of its own."""
    return Robot(name, address(name), rng=Random(f"test {name}"), **settings)  # type: ignore[arg-type]  # handed through


def alike(one: Mapping[str, Order], other: Mapping[str, Order]) -> bool:
    """Whether two sets of orders are the same, cards in whatever order."""
    return {hand: sorted(order.line().split()) for hand, order in one.items()} == {
        hand: sorted(order.line().split()) for hand, order in other.items()
    }
