"""Builds games with given cards, and plays them turn by turn, for the tests of the engine."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, get_args

from postal.engine import offers
from postal.engine.book import Book, Submission, submit
from postal.engine.cards import Card, full_pack, parse_cards
from postal.engine.editions import NEWEST
from postal.engine.events import Event
from postal.engine.game import TableSetup, adjudicate, start
from postal.engine.orders import (
    Bet,
    Cancel,
    Discard,
    Expose,
    Gift,
    Give,
    Keep,
    LimitRaise,
    Line,
    Order,
)
from postal.engine.problems import Problem
from postal.engine.rulefile import read_rules
from postal.engine.rules import Rules
from postal.engine.state import Game, Hand, Seat
from postal.engine.view import GameView, view
from postal.engine.words import Verb
from postal.reports.problems import problem_hint, problem_sentence

E = TypeVar("E", bound=Event)

PLAYERS = ("Ann", "Bob", "Cat", "Dan", "Eve", "Fay", "Gus", "Hal")
SMITH = Path(__file__).parents[2] / "games" / "smith.toml"


def smith_file() -> dict[str, Any]:
    """Return the game file of Smith's game as parsed, fresh so that a test may change it."""
    return tomllib.loads(SMITH.read_text(encoding="utf-8"))


def smith(players: int = 6, edition: int = NEWEST, **options: Any) -> Rules:
    """Return the rules of Smith's game with these options, and a least raise of 1,000."""
    rules = read_rules(smith_file(), {"min_raise": 1_000, **options}, players, edition)
    assert isinstance(rules, Rules), rules
    return rules


def order(text: str) -> Order | Cancel:
    """Return the order of a canonical line, such as ``A: raise 40000 expose 9C``."""
    if text.startswith("cancel "):
        return Cancel(text.removeprefix("cancel "))
    table, _, rest = text.partition(": ")
    verb, _, rest = rest.partition(" ")
    if verb == "give":
        ways = {"next": 1, "previous": -1}
        parts = [part.rsplit(" ", 1) for part in rest.split(", ")]
        return Give(table, tuple(Gift(ways[to], parse_cards(cards)) for cards, to in parts))
    if verb == "expose":
        return Expose(table, parse_cards(rest))
    cards, _, exposed = f" {rest}".partition(" expose ")
    if verb in ("keep", "discard"):
        kind = Keep if verb == "keep" else Discard
        return kind(table, parse_cards(cards), parse_cards(exposed))
    if cards.strip() in ("max", "min"):
        return LimitRaise(table, "max" if cards.strip() == "max" else "min", parse_cards(exposed))
    known: Verb = next(known for known in get_args(Verb) if known == verb)
    return Bet(table, known, int(cards.strip() or 0), parse_cards(exposed))


def lines(*texts: str) -> list[Line]:
    """Return canonical lines as one mail."""
    return [Line(text, number, order(text)) for number, text in enumerate(texts, 1)]


def codes(submission: Submission) -> list[str]:
    """Return the problems of a mail as ``code hand``."""
    return [f"{problem.code} {problem.hand}".strip() for problem in submission.problems]


def taught(game: Game, book: Book, player: str, problem: Problem) -> Problem:
    """Return a problem with what may be copied, canonical lines being read as they are."""

    def accepts(text: str) -> bool:
        return not submit(game, book, player, lines(*text.split("\n"))).problems

    return offers.taught(game, book, player, problem, accepts)


def told(problem: Problem) -> str:
    """Return a problem as its player is told of it, examples included."""
    hint, examples = problem_hint(problem)
    return " ".join((problem_sentence(problem), hint, *examples))


class Play:
    """A game under way: sends mails, plays turns and keeps what happened in the last of them."""

    def __init__(self, game: Game) -> None:
        """Begin with nothing on file."""
        self.game = game
        self.book = Book()
        self.events: tuple[Event, ...] = ()

    def mail(self, player: str, *texts: str) -> Submission:
        """Send canonical lines as one mail."""
        return self.send(player, lines(*texts))

    def send(self, player: str, mail: Sequence[Line]) -> Submission:
        """Send lines as one mail."""
        taken = submit(self.game, self.book, player, mail)
        self.book = taken.book
        return taken

    def answer(self, player: str, *texts: str) -> tuple[Problem, ...]:
        """Send canonical lines as one mail, and return its problems as their player is told."""
        taken = self.mail(player, *texts)
        return tuple(taught(self.game, self.book, player, one) for one in taken.problems)

    def good(self, player: str, *texts: str) -> None:
        """Send a mail that must meet no problem."""
        taken = self.mail(player, *texts)
        assert not taken.problems, list(map(problem_sentence, taken.problems))

    def turn(self, **mails: str) -> tuple[Event, ...]:
        """Play a turn, with a mail (lines parted by ``;``) of each player named."""
        for player, text in mails.items():
            self.good(player, *text.split("; "))
        self.game, self.events = adjudicate(self.game, self.book)
        self.book = Book()
        return self.events

    def on_file(self, player: str) -> list[str]:
        """Return the lines that are on file for a player, in the order of the hands."""
        return [order.line() for _, order in sorted(self.book.of(player).items())]

    def told(self, kind: type[E], hand: str = "") -> list[E]:
        """Return the events of a kind of the last turn, of one hand or of all."""
        return [
            event for event in self.events if isinstance(event, kind) and hand in ("", event.hand)
        ]

    def hand(self, name: str = "A1") -> Hand:
        """Return a hand."""
        return self.game.hand(name)

    def seat(self, player: str, name: str = "A1") -> Seat:
        """Return a player's seat in a hand."""
        return next(seat for seat in self.hand(name).seats if seat.player == player)

    def net(self, player: str, name: str = "A1") -> int:
        """Return what a hand brought a player, in pounds."""
        seat = self.seat(player, name)
        return seat.won - seat.paid

    def view(self, player: str | None) -> GameView:
        """Return what a player may know now."""
        return view(self.game, player, self.book)

    def set_balances(self, **balances: int) -> None:
        """Give players other balances; what that takes or leaves, the last player makes up."""
        changed = {**self.game.balances, **balances}
        last = self.game.players[-1]
        assert last not in balances
        changed[last] += sum(self.game.balances.values()) - sum(changed.values())
        self.game = replace(self.game, balances=changed)


def deal(
    rules: Rules,
    dealt: Mapping[str, Mapping[str, str]] | None = None,
    seats: Mapping[str, Sequence[str]] | None = None,
) -> Play:
    """Deal a game: ``dealt`` holds the first cards of players by table, the rest are the lowest.

    ``seats`` names players from seat 1 by table; else they sit in alphabetical order.
    """
    players = PLAYERS[: rules.players]
    tables = []
    for letter in "ABCD"[: rules.tables]:
        seated = tuple((seats or {}).get(letter, players))
        wished = {
            player: parse_cards(text) for player, text in (dealt or {}).get(letter, {}).items()
        }
        tables.append(TableSetup(letter, seated, _pack(rules, seated, wished)))
    return Play(start(rules, players, tables))


def _pack(
    rules: Rules, seated: Sequence[str], wished: Mapping[str, tuple[Card, ...]]
) -> tuple[Card, ...]:
    rest = list(full_pack(rules.jokers))
    for cards in wished.values():
        for card in cards:
            rest.remove(card)
    hands: list[list[Card]] = []
    for player in seated:
        hand = list(wished.get(player, ()))
        while len(hand) < rules.dealt:
            hand.append(rest.pop(0))
        hands.append(hand)
    return (*(hand[place] for place in range(rules.dealt) for hand in hands), *rest)


def betting(
    fives: Mapping[str, Mapping[str, str]] | None = None,
    seats: Mapping[str, Sequence[str]] | None = None,
    rules: Rules | None = None,
) -> Play:
    """Play a game up to turn 3: ``fives`` holds players' cards by table, as ``AS AD AH | KC QD``.

    Before the bar are the exposed cards, behind it the two hidden ones. All give and keep as it
    takes to come to that.
    """
    rules = rules or smith(nmr_limit=0)
    players = PLAYERS[: rules.players]
    dealt: dict[str, dict[str, str]] = {}
    for letter, wished in (fives or {}).items():
        seated = tuple((seats or {}).get(letter, players))
        fillers = _fillers(rules, wished.values())
        hands = {player: _five(wished.get(player), fillers) for player in seated}
        dealt[letter] = {}
        for place, player in enumerate(seated):
            received = hands[seated[(place + 1) % len(seated)]][4]
            gifts = f"{received} {fillers.pop()} {fillers.pop()}"
            dealt[letter][player] = f"{gifts} {' '.join(hands[player][:4])}"
    play = deal(rules, dealt, seats)
    for player in players:
        for hand, index in tuple(play.game.hands_of(player)):
            a, b, c, *_ = hand.seats[index].hidden
            play.good(player, f"{hand.table}: give {a} {b} next, {c} previous")
    play.turn()
    for player in players:
        for hand, index in tuple(play.game.hands_of(player)):
            # Four cards of his own are left, and the first got is from the seat before his.
            seat = hand.seats[index]
            before = play.game.table(hand.table).neighbour(player, -1)
            got = next(passed.cards[0] for passed in seat.got if passed.player == before)
            keep = [*seat.hidden[:4], got]
            shown = " ".join(map(str, keep[:3]))
            kept = " ".join(map(str, keep))
            play.good(player, f"{hand.table}: keep {kept} expose {shown}")
    play.turn()
    return play


def _five(text: str | None, fillers: list[Card]) -> list[str]:
    if text is None:
        return [str(fillers.pop()) for _ in range(5)]
    return text.replace("|", " ").split()


def _fillers(rules: Rules, taken: Iterable[str]) -> list[Card]:
    left = list(full_pack(rules.jokers))
    for text in taken:
        for card in parse_cards(text.replace("|", " ")):
            left.remove(card)
    return left[::-1]


def showdown(
    fives: Mapping[str, Mapping[str, str]] | None = None,
    rules: Rules | None = None,
    tables: str = "A",
) -> Play:
    """Play on until A1 (and hand 1 of the other tables named) is at its showdown, the rest over.

    The first player raises the least there is, the other stays; both name their first hidden card.
    """
    play = betting(fives, rules=rules)
    for _ in range(2):
        for letter in tables:
            hand = play.hand(f"{letter}1")
            assert hand.betting is not None
            seat = hand.seats[hand.betting.to_act]
            verb = "stay" if hand.betting.opened else "raise 1000"
            play.good(seat.player, f"{letter}: {verb} expose {seat.hidden[0]}")
        play.turn()
    return play
