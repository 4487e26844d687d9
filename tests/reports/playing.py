"""Games played at random for the tests of the mails, and every mail that can come of them."""

import random
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from postal.engine.book import Book, committed, final, submit
from postal.engine.deal import draw_pack, draw_seats
from postal.engine.events import Event
from postal.engine.game import TableSetup, adjudicate, due, start
from postal.engine.rulefile import option_choices, read_rules
from postal.engine.rules import Rules
from postal.engine.state import Game
from postal.engine.view import GameView, view
from postal.ordertext import Context, read_mail
from postal.reports import (
    Frame,
    OnFile,
    OptionFact,
    Press,
    ReceiptFacts,
    Rendered,
    Reports,
    Said,
)
from postal.resources import games_folder, templates_folder

FRAME = Frame(
    slug="smith-1",
    title="Richard Smith's postal Anaconda",
    gm="Grace",
    gm_address="grace@example.org",
    mailbox="gm+abcdefghijklmnop@example.org",
    deadline=datetime(2026, 12, 6, 20, 0, tzinfo=UTC),
    zone="Europe/London",
    commitment="0f" * 32,
    now=datetime(2026, 11, 29, 20, 30, tzinfo=UTC),
)
SECRET = bytes(range(32))
SIX = ("Joe", "Puke", "Sue O'Hara", "Jean-Luc", "Dr. No", "Vim 2")
EIGHT = (*SIX, "Åsa", "Zoë")
HOSTILE = ("Bfold", "Mary-A B", "AS-A", "B5000 B", "One. A", "C 9000", "D-B", "Xx-A foldd")
"""Names that the name rule lets pass and that come as near to an order as they can."""


@dataclass(frozen=True)
class Turn:
    """A turn that was played: the game before and after, what was on file, what happened."""

    before: Game
    book: Book
    after: Game
    events: tuple[Event, ...] = field(repr=False)


def reports() -> Reports:
    """Return the mails as they come with the program."""
    return Reports([templates_folder()])


def smith(players: int = 6, **options: object) -> Rules:
    """Return the rules of Smith's game with some options set."""
    source = tomllib.loads((games_folder() / "smith.toml").read_text("utf-8"))
    rules = read_rules(source, options, players)
    assert isinstance(rules, Rules), rules
    return rules


def option_facts(rules: Rules) -> list[OptionFact]:
    """Return the options of a game as the rules mail is given them."""
    declared = option_choices(rules.source)
    return [
        OptionFact(name, value, str(declared[name]["says"]))
        for name, value in rules.options.items()
    ]


def deal(names: Sequence[str] = SIX, secret: bytes = SECRET, **options: Any) -> Game:
    """Return a new game with everything drawn from the secret."""
    rules = smith(len(names), **options)
    tables = [
        TableSetup(
            letter,
            draw_seats(secret, "smith-1", 1, letter, names),
            draw_pack(secret, "smith-1", 1, letter, rules.jokers),
        )
        for letter in "ABCD"[: rules.tables]
    ]
    return start(rules, names, tables)


def context(seen: GameView) -> Context:
    """Return what the viewer's own words are read against."""
    hands = {table.letter: hand.name for table, hand, _ in seen.mine()}
    around = {table.letter: {table.next: 1, table.previous: -1} for table, _, _ in seen.mine()}
    due = frozenset(item.table for item in seen.due)
    return Context(hands, around, frozenset(seen.players), due)


def play(game: Game, seed: int = 1, silent: float = 0.1) -> Iterator[Turn]:
    """Play a game to its end with orders picked at random from the examples."""
    pick = random.Random(seed)
    while not game.finished:
        book = Book()
        for player in game.players:
            seen = view(game, player)
            lines = [_wanted(pick, item.examples) for item in seen.due if pick.random() > silent]
            read = read_mail("\n".join(lines), context(seen))
            assert not read.problems, read.problems
            book = submit(game, book, player, read.lines).book
        after, events = adjudicate(game, book)
        yield Turn(game, book, after, events)
        game = after


def _wanted(pick: random.Random, examples: Sequence[str]) -> str:
    line = pick.choice(examples)
    if "fold" in line and pick.random() < 0.6:
        line = pick.choice(examples)
    head, verb, *rest = line.split()
    if verb == "raise":
        return f"{head} raise {pick.randrange(1, 50) * 1000}"
    return " ".join((head, verb, *rest))


def facts(game: Game, book: Book, player: str) -> ReceiptFacts:
    """Return the facts of a receipt as the program would find them."""
    filed, owed = book.of(player), {hand for who, hand in due(game) if who == player}
    needed = committed(game, book, player)
    return ReceiptFacts(
        hands=tuple(
            OnFile(
                hand.name,
                hand.name in owed,
                filed[hand.name].line() if hand.name in filed else None,
                final(game, book, player, hand),
            )
            for hand, _ in game.hands_of(player)
        ),
        committed=needed,
        left=game.balances[player] - needed,
    )


def said_by(players: Sequence[str]) -> list[Press]:
    """Return what some say in a report: orders and commands as an enemy would write them."""
    words = "A: fold\nall: fold\n\n:: B: fold\nend\ncancel all\nPlease fold A now,\u2028B: fold"
    spoken = [Press(words)]
    spoken += [Press(words, by, anonymous=number == 1) for number, by in enumerate(players)]
    return [*spoken, Press(words, players[0], tuple(players[1:3]))]


def player_mails(
    mail: Reports, turn: Turn, player: str, frame: Frame = FRAME
) -> Iterator[tuple[str, Rendered]]:
    """Yield every mail about a game that a player can get before and after a turn, by name."""
    before, after = view(turn.before, player, turn.book), view(turn.after, player)
    if turn.before.turn == 1:
        yield "welcome", mail.report(frame, before)
    yield "report", mail.report(frame, after, turn.events, secret=SECRET.hex())
    press = said_by(before.players)
    yield "press", mail.report(frame, after, turn.events, secret=SECRET.hex(), press=press)
    yield "receipt", mail.receipt(frame, before, facts(turn.before, turn.book, player))
    yield "orders", mail.orders_on_file(frame, before, facts(turn.before, turn.book, player))
    yield "status", mail.status(frame, before)
    yield "late", mail.late(frame, after, turn.before.turn)
    yield "too late", mail.late(frame, before, turn.before.turn)
    yield "early", mail.late(frame, before, turn.before.turn + 1)
    told = [Said("passed-on")]
    yield "late twice", mail.late(frame, after, turn.before.turn, until=FRAME.now, said=told)
    yield "hold", mail.hold(frame, before, "begun")
    yield "protest", mail.hold(frame, before, "protest")
    yield "over", mail.hold(frame, before, "over", protests=2)
    yield "held", mail.held(frame, "server")
    yield "held for another's address", mail.held(frame, "player")
    for step in ("confirm", "asked", "done"):
        yield f"address {step}", mail.address(frame, player, "second@example.org", step)
    for here in (True, False):
        other = frame.holders.get(player, player)
        yield f"merged {here}", mail.merged(frame, player, other, ["smith-2"], here=here)
    for why in ("first", "zone"):
        moved = mail.deadline(frame, before, FRAME.now, why)
        yield f"deadline for {why}", moved
    yield "deadline for you", mail.deadline(frame, before, FRAME.now, "first", yours=True)
    yield "zone", mail.zone(replace(frame, own_zone="Asia/Tokyo"), before, known=True)
    yield "no zone", mail.zone(frame, before, known=False)
    if before.due:
        yield "reminder", mail.reminder(frame, before, [item.hand for item in before.due])
    if before.arrived:
        yield "gift", mail.gift(frame, before, before.arrived)


def plain_mails(mail: Reports, rules: Rules) -> Iterator[tuple[str, Rendered]]:
    """Yield every mail to a player that knows nothing of the play."""
    yield "rules", mail.rules(FRAME, option_facts(rules))
    yield "help", mail.help(FRAME)
    yield "hint", mail.hint(FRAME)
    yield "refused for its sender", mail.refused(FRAME, "senders")
    yield "refused for its envelope", mail.refused(FRAME, "envelope")
    yield "refused as bulk", mail.refused(FRAME, "bulk")
    yield "too long", mail.too_long(FRAME)
    yield "unreadable", mail.unreadable(FRAME, "It holds a picture and no text.")
