"""A game from the deal to its end: what is due, checking orders, adjudicating a turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from postal.engine.absence import count_missed, welcome_back
from postal.engine.book import Book
from postal.engine.cards import Card
from postal.engine.events import Event, GameOver, Nmr
from postal.engine.flow import go_on
from postal.engine.orders import Bet, Order
from postal.engine.phases import ACTIONS, betting
from postal.engine.phases.base import Move
from postal.engine.rules import (
    BettingPhase,
    DealPhase,
    ExposePhase,
    GivePhase,
    KeepPhase,
    Phase,
    Rules,
)
from postal.engine.state import Game, Hand, Seat, Table

ABSENT_CHECKS = 4
"""Checks in a row after which a hand of dropped players alone counts as called where the game
has no limit of its own: else nobody would ever end it (RULES.md 6.7, 9.4)."""

STEP_ORDER: tuple[type[Phase], ...] = (GivePhase, KeepPhase, ExposePhase, BettingPhase)
"""The order of a turn: gifts, keeps, exposures, then bets (RULES.md 10.1)."""


@dataclass(frozen=True, slots=True)
class TableSetup:
    """A table as it is drawn: its letter, players from seat 1, and the pack as it is dealt."""

    letter: str
    players: tuple[str, ...]
    pack: tuple[Card, ...] = field(repr=False)


def start(
    rules: Rules, players: Sequence[str], tables: Sequence[TableSetup], *, deal: int = 1
) -> Game:
    """Deal a new game (RULES.md 1.2 to 1.5, 2.1): cards one at a time, seat 1 first.

    ``deal`` counts the deals of a game. ``players`` and ``tables`` must fit the rules, and each
    pack must hold enough cards: ValueError where they don't.
    """
    if len(players) != rules.players or len(tables) != rules.tables:
        raise ValueError(f"needs {rules.players} players and {rules.tables} tables")
    size, dealt = rules.hand_size, rules.dealt
    deal_phase = next(i for i, phase in enumerate(rules.phases) if isinstance(phase, DealPhase))
    hands: list[Hand] = []
    stocks: list[Table] = []
    for table in tables:
        count = len(table.players)
        if sorted(table.players) != sorted(players):
            raise ValueError(f"table {table.letter} must seat every player once")
        if len(table.pack) < count * dealt:
            raise ValueError(f"table {table.letter} needs {count * dealt} cards")
        seats = [
            Seat(place + 1, player, cards, cards)
            for place, player in enumerate(table.players)
            for cards in [table.pack[place : count * dealt : count]]
        ]
        stocks.append(Table(table.letter, table.players, table.pack[count * dealt :]))
        hands += [
            Hand(
                name=f"{table.letter}{first // size + 1}",
                table=table.letter,
                seats=tuple(seats[first : first + size]),
                phase=deal_phase,
            )
            for first in range(0, count, size)
        ]
    game = Game(
        rules=rules,
        players=tuple(players),
        tables=tuple(stocks),
        hands=tuple(hands),
        balances=dict.fromkeys(players, rules.start_money),
        deal=deal,
        missed=dict.fromkeys(players, 0),
    )
    for hand in hands:
        game, _ = go_on(game, hand.name)
    return game


def due_of(game: Game, hand: Hand) -> tuple[int, ...]:
    """Return the indexes of the seats that may act in a hand now; none where it is over."""
    phase = game.phase_of(hand)
    return ACTIONS[type(phase)].due(game, hand) if phase is not None else ()


def due(game: Game) -> tuple[tuple[str, str], ...]:
    """Return (player, hand) for everything that is due this turn, in the order of the hands."""
    return tuple(
        (hand.seats[index].player, hand.name) for hand in game.hands for index in due_of(game, hand)
    )


def awaited(game: Game, book: Book) -> tuple[tuple[str, str], ...]:
    """Return what is due and not on file, of players who are waited for (RULES.md 9.1, 9.4).

    Whoever was dropped isn't, from the next turn on, unless he was heard of; nor is an order that
    was missing in a turn that is played again, and may not be put in now (10.7).
    """
    absent = set(game.absent) - book.heard
    filed = {(entry.player, entry.hand) for entry in book.filed} | book.fixed
    return tuple(item for item in due(game) if item not in filed and item[0] not in absent)


def on_notice(game: Game, book: Book) -> tuple[str, ...]:
    """Return who was dropped in the last turn's reports, still plays and was not heard of (9.4).

    For their sake the turn is not adjudicated sooner than ``drop_notice`` hours after those, unless
    it is its deadline: with it their hands begin to be played without them.
    """
    last = {player for player, turn in game.dropped_in.items() if turn == game.turn - 1}
    playing = {seat.player for hand in game.hands if not hand.over for seat in hand.seats}
    return tuple(one for one in game.dropped if one in (last & playing) - book.heard)


def adjudicate(game: Game, book: Book) -> tuple[Game, tuple[Event, ...]]:
    """Play one turn with the orders on file, and the defaults of 9.2 where none are (10.1).

    Returns the game at its next turn and what happened. Money adds up before and after, and
    the same game and book always give the same result (8.6, 10.2).
    """
    if game.finished:
        return game, ()
    game, events = welcome_back(game, book)
    asked = {player for player, _ in due(game)}
    orders = {(entry.player, entry.hand): entry.order for entry in book.filed}
    ordered = {player for player, _ in set(orders) & set(due(game))}
    any_mail = game.rules.rulings.any_mail_is_heard
    heard = (book.heard | ordered if any_mail else frozenset(ordered)) - book.resigned
    wrote = heard if any_mail else frozenset()
    game, happened = _step(game, [hand for hand in game.hands if not hand.over], orders, wrote)
    events += happened
    game, dropped = count_missed(game, asked, heard, book.resigned)
    events += dropped
    game, happened = _play_absent(game)
    events += happened
    game = replace(game, turn=game.turn + 1)
    if game.finished:
        events.append(GameOver(standings=game.standings(), audience=None))
    assert game.total == game.rules.start_money * len(game.players), "money does not add up"
    return game, tuple(events)


def _play_absent(game: Game) -> tuple[Game, list[Event]]:
    """Play on at once where only absent players are due, so that nobody waits (9.4).

    An exposure that the other still owes is left until it can be played together with his.
    """
    events: list[Event] = []
    while True:
        alone = [hand for hand in game.hands if _only_absent(game, hand)]
        if not alone:
            return game, events
        game, happened = _step(game, alone, {}, frozenset())
        events += happened
        for hand in alone:
            game, happened = _end_checking(game, game.hand(hand.name))
            events += happened


def _only_absent(game: Game, hand: Hand) -> bool:
    phase = game.phase_of(hand)
    if isinstance(phase, GivePhase) and phase.among == "table":
        at_table = [other for other in game.hands if other.table == hand.table]
        players = {seat.player for other in at_table for seat in other.seats}
    else:
        players = {hand.seats[index].player for index in due_of(game, hand)}
    return bool(players) and players <= set(game.absent)


def _end_checking(game: Game, hand: Hand) -> tuple[Game, list[Event]]:
    phase, betting = game.phase_of(hand), hand.betting
    if not isinstance(phase, BettingPhase) or betting is None or phase.check_limit:
        return game, []
    absent = all(hand.seats[index].player in game.absent for index in hand.live)
    if not absent or betting.checks < ABSENT_CHECKS:
        return game, []
    return go_on(game, hand.name)


def _step(
    game: Game,
    hands: Sequence[Hand],
    orders: dict[tuple[str, str], Order],
    wrote: frozenset[str],
) -> tuple[Game, list[Event]]:
    """Take each of the hands one step: orders, or defaults where there are none.

    ``wrote`` are those of whom a default says that a mail came, and no good order.
    """
    events: list[Event] = []
    moves: dict[type[Phase], list[Move]] = {kind: [] for kind in STEP_ORDER}
    for hand in hands:
        phase = game.phase_of(hand)
        assert phase is not None, f"{hand.name} is over"
        for index in due_of(game, hand):
            player = hand.seats[index].player
            order = orders.get((player, hand.name))
            if order is None:
                order, used = ACTIONS[type(phase)].default(game, hand, index)
                events.append(
                    Nmr(
                        hand=hand.name,
                        player=player,
                        used=used,
                        wrote=player in wrote,
                        audience=None,
                    )
                )
            moves[type(phase)].append(Move(hand.name, index, order))
    moves[BettingPhase].sort(key=lambda move: _pays_last(game, move))
    for kind in STEP_ORDER:
        # Calls are settled one by one: a pot won is cash for a later call (8.3).
        batches = [[move] for move in moves[kind]] if kind is BettingPhase else [moves[kind]]
        for batch in batches:
            played = ACTIONS[kind].apply(game, batch)
            game = played.game
            events += played.events
            for name in played.done:
                game, happened = go_on(game, name)
                events += happened
    return game, events


def _pays_last(game: Game, move: Move) -> bool:
    """Whether a bet may be paid by IOU and so comes after the others (8.3, 8.4)."""
    return betting.by_iou(game, game.hand(move.hand), cast(Bet, move.order))
