"""The small game with a fixed deal that the samples of the mails are taken from."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from postal.engine.book import Book, submit
from postal.engine.deal import draw_pack, draw_seats
from postal.engine.events import Event
from postal.engine.game import TableSetup, adjudicate, due_of, start
from postal.engine.orders import Bet, Expose, Line, Order
from postal.engine.phases import ACTIONS
from postal.engine.rulefile import read_rules
from postal.engine.rules import BettingPhase, ExposePhase, Rules
from postal.engine.state import Game, Hand
from postal.engine.words import Verb
from postal.resources import games_folder

PLAYERS = ("Ann", "Bob", "Cat", "Dan", "Eve", "Fay")
SLUG = "sample"
SECRET = bytes(32)
_SILENT = "Fay"
_OPTIONS: Mapping[str, object] = {"exchange": "post"}
_RAISE = 5_000
_SHOWDOWN_TURN = 6
_CALLED = "C"
"""The table at which a raise in the showdown is called; at the others all check."""


@dataclass(frozen=True, slots=True)
class SampleTurn:
    """A turn of the sample game: the game before and after it, what was on file, what happened."""

    before: Game = field(repr=False)
    book: Book = field(repr=False)
    after: Game = field(repr=False)
    events: tuple[Event, ...] = field(repr=False)


def sample_rules() -> Rules:
    """Return the rules of the sample game: the packed ones, with gifts by post."""
    source = tomllib.loads((games_folder() / "smith.toml").read_text("utf-8"))
    rules = read_rules(source, _OPTIONS, len(PLAYERS))
    assert isinstance(rules, Rules), "the packed game file is right"
    return rules


def played_turns(rules: Rules) -> Iterator[SampleTurn]:
    """Play the game to its end: one player is silent, one has no money left in the showdown."""
    tables = [
        TableSetup(
            letter,
            draw_seats(SECRET, SLUG, 1, letter, PLAYERS),
            draw_pack(SECRET, SLUG, 1, letter, rules.jokers),
        )
        for letter in "ABC"[: rules.tables]
    ]
    game = start(rules, PLAYERS, tables)
    while not game.finished:
        if game.turn == _SHOWDOWN_TURN:
            game = _impoverished(game)
        book = Book()
        for player in game.players:
            if player != _SILENT:
                book = submit(game, book, player, list(_lines(game, player))).book
        after, events = adjudicate(game, book)
        yield SampleTurn(game, book, after, events)
        game = after


def _impoverished(game: Game) -> Game:
    """Return the game with the money of one player given away who will have to call."""
    hand = next(hand for hand in game.hands if hand.table == _CALLED and not hand.over)
    (first,) = due_of(game, hand)
    rich, poor = hand.seats[first].player, hand.opponents(hand.seats[first].player)[0]
    money = {**game.balances, rich: game.balances[rich] + game.balances[poor], poor: 0}
    return replace(game, balances=money)


def _lines(game: Game, player: str) -> Iterator[Line]:
    for hand, index in game.hands_of(player):
        if index in due_of(game, hand):
            order = _order(game, hand, index)
            yield Line(order.line(), 1, order)


def _order(game: Game, hand: Hand, index: int) -> Order:
    phase, seat = game.phase_of(hand), hand.seats[index]
    assert phase is not None, "something is due"
    if isinstance(phase, ExposePhase):
        return Expose(hand.table, tuple(sorted(seat.hidden)[: phase.cards]))
    if not isinstance(phase, BettingPhase):
        return ACTIONS[type(phase)].default(game, hand, index)[0]
    verb = _verb(game, hand, index, phase)
    ahead = tuple(sorted(seat.hidden)[:1]) if verb == "raise" and "stay" in phase.closes else ()
    return Bet(hand.table, verb, _RAISE if verb == "raise" else 0, ahead)


def _verb(game: Game, hand: Hand, index: int, phase: BettingPhase) -> Verb:
    """Return a bet: a raise and its answer, checks at one table, a fold where money is short."""
    if hand.owed(index):
        return "call" if "call" in phase.answer else "stay"
    showdown = "check" in phase.open
    if showdown and hand.table != _CALLED:
        return "check"
    return "raise" if game.balances[hand.seats[index].player] >= _RAISE else "fold"
