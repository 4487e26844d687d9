"""Plays whole games with random orders, legal, illegal and missing, for the engine's laws."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from postal.engine.book import Book, Submission, submit
from postal.engine.cards import Card, full_pack
from postal.engine.deal import draw_pack, draw_seats
from postal.engine.editions import EDITIONS
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
    Line,
    Order,
)
from postal.engine.rules import Rules
from postal.engine.state import Game
from postal.engine.view import Due, SeatLine, view
from postal.engine.words import VERBS
from tests.engine.engine_games import PLAYERS

CLOSING_TURN = 14
"""From this turn on everybody who plays legally folds or calls, so that games end."""

OPTIONS: dict[str, st.SearchStrategy[Any]] = {
    "edition": st.sampled_from(EDITIONS),
    "start_money": st.sampled_from([80_000, 150_000, 1_000_000]),
    "max_raise": st.sampled_from([10_000, 50_000]),
    "raise_cap": st.sampled_from([0, 1, 3]),
    "check_limit": st.sampled_from([0, 2, 3, 4]),
    "iou": st.sampled_from(["call", "stay-and-call"]),
    "double_ace_flush": st.booleans(),
    "exposed_to": st.sampled_from(["all", "opponent"]),
    "exchange": st.sampled_from(["orders", "post"]),
    "first_on_tie": st.sampled_from(["lower-seat", "higher-seat"]),
    "nmr_limit": st.sampled_from([0, 1, 2, 3]),
    "reveal": st.sampled_from(["end", "never"]),
}

Mails = tuple[tuple[str, tuple[Line, ...]], ...]


@dataclass
class Turn:
    """One turn of a game as it was played: the mails, what became of them, and what happened."""

    before: Game
    mails: Mails = ()
    taken: list[Submission] = field(default_factory=list)
    book: Book = field(default_factory=Book)
    after: Game | None = None
    events: tuple[Event, ...] = ()


def setups(rules: Rules, seed: int) -> list[TableSetup]:
    """Return tables drawn from a secret that the seed stands for."""
    secret = seed.to_bytes(32, "big")
    players = PLAYERS[: rules.players]
    return [
        TableSetup(
            letter,
            draw_seats(secret, "laws", 1, letter, players),
            draw_pack(secret, "laws", 1, letter, rules.jokers),
        )
        for letter in "ABCD"[: rules.tables]
    ]


def played(rules: Rules, seed: int, *, tidy: bool) -> Iterator[Turn]:
    """Play a game turn by turn; ``tidy`` players order all that is due and nothing illegal."""
    rng = random.Random(seed)
    game = start(rules, PLAYERS[: rules.players], setups(rules, seed))
    while not game.finished:
        turn = Turn(game)
        for player in rng.sample(game.players, len(game.players)):
            mails = _tidy(rng, turn, player) if tidy else _wild(rng, game, player)
            for mail in mails:
                _send(turn, player, mail)
        yield _adjudicated(turn)
        assert turn.after is not None
        game = turn.after


def replayed(game: Game, turns: list[Mails]) -> Iterator[Turn]:
    """Play the mails of a game again, from its start."""
    for mails in turns:
        turn = Turn(game)
        for player, mail in mails:
            _send(turn, player, mail)
        yield _adjudicated(turn)
        assert turn.after is not None
        game = turn.after


def _send(turn: Turn, player: str, mail: tuple[Line, ...]) -> Submission:
    taken = submit(turn.before, turn.book, player, mail)
    turn.book = taken.book
    turn.taken.append(taken)
    turn.mails += ((player, mail),)
    return taken


def _adjudicated(turn: Turn) -> Turn:
    turn.after, turn.events = adjudicate(turn.before, turn.book)
    return turn


def _line(order: Order | Discard | Cancel) -> Line:
    return Line(order.line(), 1, order)


def _tidy(rng: random.Random, turn: Turn, player: str) -> Iterator[tuple[Line, ...]]:
    """Yield mails of one legal order each for all that is due."""
    seen = view(turn.before, player)
    seats = {hand.name: seat for _, hand, seat in seen.mine()}
    for item in seen.due:
        for order in legal(rng, item, seats[item.hand], closing=seen.turn >= CLOSING_TURN):
            taken = submit(turn.before, turn.book, player, [_line(order)])
            if not taken.problems:
                yield (_line(order),)
                break


def _wild(rng: random.Random, game: Game, player: str) -> Iterator[tuple[Line, ...]]:
    """Yield mails with legal orders, nonsense or nothing; later on only what ends the game."""
    seen = view(game, player)
    seats = {hand.name: seat for _, hand, seat in seen.mine()}
    closing = seen.turn >= CLOSING_TURN
    for _ in range(1 if closing else rng.choice((0, 1, 1, 1, 2))):
        mail: list[Order | Discard | Cancel] = [
            next(legal(rng, item, seats[item.hand], closing=closing))
            for item in seen.due
            if rng.random() < 0.9
        ]
        if not closing and rng.random() < 0.5:
            mail.append(nonsense(rng))
            rng.shuffle(mail)
        yield tuple(map(_line, mail))


def legal(rng: random.Random, item: Due, seat: SeatLine, *, closing: bool) -> Iterator[Order]:
    """Yield orders for what is due, the last of them surely covered."""
    assert seat.hidden is not None
    cards = rng.sample(seat.hidden, len(seat.hidden))
    if item.kind == "give":
        yield Give(item.table, (Gift(-1, tuple(cards[:1])), Gift(1, tuple(cards[1:3]))))
    elif item.kind == "keep":
        shown = tuple(cards[: item.expose])
        if rng.random() < 0.5:
            yield Keep(item.table, tuple(cards[: item.keep]), shown)
        yield Keep(item.table, tuple(cards[item.keep - 1 :: -1]), shown)
    elif item.kind == "expose":
        yield Expose(item.table, tuple(cards[:1]))
    else:
        amount = rng.randint(item.min_raise, item.max_raise)
        expose = tuple(cards[:1]) if item.may_expose and rng.random() < 0.6 else ()
        verbs = rng.choices(item.verbs, [1 if verb == "fold" else 4 for verb in item.verbs], k=3)
        if closing:
            verbs = ["call"] if "call" in item.verbs else ["fold"]
        for verb in verbs:
            named = expose if verb in ("raise", "stay") else ()
            yield Bet(item.table, verb, amount if verb == "raise" else 0, named)
        yield Bet(item.table, "fold")


def nonsense(rng: random.Random) -> Order | Cancel:
    """Return an order that is hardly ever legal."""
    pack = full_pack(4)
    table = rng.choice(("A", "B", "C", "D", "E", "all"))

    def some(most: int) -> tuple[Card, ...]:
        return tuple(rng.choice(pack) for _ in range(rng.randint(0, most)))

    return rng.choice(
        (
            Cancel(table),
            Give(table, (Gift(1, some(3)), Gift(rng.choice((-1, 1, 2)), some(2)))),
            Keep(table, some(6), some(4)),
            Expose(table, some(2)),
            Bet(table, rng.choice(VERBS), rng.randint(-5, 300_000), some(2)),
        )
    )
