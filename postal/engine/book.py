"""The orders on file for a turn, and what taking a mail's lines makes of them (RULES.md 8.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from postal.engine import bank
from postal.engine.cards import Card
from postal.engine.orders import Bet, Cancel, Expose, Give, LimitRaise, Line, Order
from postal.engine.phases import ACTIONS, ORDERS, betting, give
from postal.engine.phases.base import Checked, refuse
from postal.engine.problems import Fault, Figures, Kind, Problem
from postal.engine.rules import BettingPhase, ExposePhase, GivePhase, KeepPhase, Phase
from postal.engine.state import Game, Hand
from postal.engine.words import ALL_TABLES


@dataclass(frozen=True, slots=True)
class Filed:
    """An order on file: whose, for which hand, and the order in its canonical form."""

    player: str
    hand: str
    order: Order = field(repr=False)


@dataclass(frozen=True, slots=True)
class Book:
    """What is on file for one turn, in the order of acceptance, and who was heard at all.

    ``heard`` brings back whoever was dropped (RULES.md 9.4): any line of his puts him there.
    ``fixed`` are (player, hand) for which nothing may change where a turn is played again (10.7).
    ``resigned`` are those who gave their seats up and were not heard of since.
    """

    filed: tuple[Filed, ...] = ()
    heard: frozenset[str] = frozenset()
    fixed: frozenset[tuple[str, str]] = frozenset()
    resigned: frozenset[str] = frozenset()

    def of(self, player: str) -> dict[str, Order]:
        """Return the player's orders by hand."""
        return {entry.hand: entry.order for entry in self.filed if entry.player == player}

    def hear(self, player: str) -> Book:
        """Return the book with a sign of life of the player noted."""
        return replace(self, heard=self.heard | {player}, resigned=self.resigned - {player})

    def resign(self, player: str) -> Book:
        """Return the book with it noted that the player gives his seat up."""
        return replace(self, heard=self.heard - {player}, resigned=self.resigned | {player})


@dataclass(frozen=True, slots=True)
class Submission:
    """What became of one mail's lines: the new book, what was filed, what was not and why.

    ``cancelled`` names the hands whose order on file was taken back; ``withdrawn`` holds the good
    lines of the same mail that were, each hand's last; ``lost`` names those whose earlier
    order is no longer covered and is gone too (8.2); ``repeated`` those for which an earlier good
    line of the same mail gave way to a later one.
    """

    book: Book
    accepted: tuple[Filed, ...] = ()
    problems: tuple[Problem, ...] = ()
    cancelled: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()
    withdrawn: tuple[Filed, ...] = ()


@dataclass(frozen=True, slots=True)
class SentGift:
    """A gift that goes out before the turn's end, where cards go by post (RULES.md 2.4)."""

    giver: str
    receiver: str
    table: str
    cards: tuple[Card, ...] = field(repr=False)


_KINDS: dict[type[Phase], Kind] = {
    GivePhase: "give",
    KeepPhase: "keep",
    ExposePhase: "expose",
    BettingPhase: "bet",
}


def check(game: Game, hand: Hand, index: int, order: Order) -> Checked:
    """Hold one order of a seat against the rules, money at hand left aside."""
    phase = game.phase_of(hand)
    if phase is None:
        return refuse(hand, Fault.HAND_OVER)
    due = ACTIONS[type(phase)].due(game, hand)
    others = tuple(hand.seats[other].player for other in due)
    if not isinstance(order, ORDERS[type(phase)]):
        if isinstance(phase, KeepPhase) and isinstance(order, Expose):
            return refuse(hand, Fault.KEEP_MISSING)
        fault = Fault.OTHER_KIND_DUE if index in due else Fault.OTHER_KIND_DUE_FROM_OTHERS
        return refuse(hand, fault, Figures(kind=_KINDS[type(phase)], players=others))
    if index not in due:
        return refuse(hand, Fault.OTHERS_MOVE, Figures(players=others))
    return ACTIONS[type(phase)].check(game, hand, index, order)


def submit(game: Game, book: Book, player: str, lines: Sequence[Line]) -> Submission:
    """Take the order lines of one mail (RULES.md 8.2, ORDERS.md).

    For each hand the last good line stands. Coverage is reckoned first for what is on file for
    hands that the mail has no good line for, then for the new orders in the order of the
    hands. What is refused leaves the earlier order of that hand standing where it is covered.
    """
    if lines:
        book = book.hear(player)
    read = _Lines(game, book, player)
    for line in lines:
        read.take(line)
    standing = {name: order for name, order in read.filed.items() if name not in read.new}
    left = bank.cash(game, player) - _committed(game, player, standing)
    accepted: list[Filed] = []
    lost: list[str] = []
    repeated: list[str] = []
    problems = list(read.problems)
    for hand, index in game.hands_of(player):
        if hand.name not in read.new:
            continue
        earlier = read.filed.get(hand.name)
        goods = read.new[hand.name]
        choice, refusals = _covered(game, hand, index, goods, left)
        for good, refusal in refusals:
            # What was told of a bet that stands no longer holds.
            told = {id(problem) for problem in good.told}
            problems = [problem for problem in problems if id(problem) not in told]
            problems.append(refusal)
        if choice is not None:
            left -= _price(game, hand, index, choice.order)
            accepted.append(Filed(player, hand.name, choice.order))
            repeated += [hand.name] if choice.line is not goods[0].line else []
        elif earlier is not None and _price(game, hand, index, earlier) <= left:
            left -= _price(game, hand, index, earlier)
            standing[hand.name] = earlier
        elif earlier is not None:
            lost.append(hand.name)
    kept = tuple(entry for entry in book.filed if entry.player != player or entry.hand in standing)
    book = replace(book, filed=(*kept, *accepted))
    return Submission(
        book,
        tuple(accepted),
        tuple(problems),
        tuple(read.cancelled),
        tuple(lost),
        tuple(repeated),
        tuple(
            Filed(player, name, order)
            for name, order in read.withdrawn.items()
            if name not in read.new
        ),
    )


@dataclass(frozen=True, slots=True)
class _Good:
    """A good line for a hand: its order, and what was told of a part of it that was dropped."""

    line: Line
    order: Order
    told: tuple[Problem, ...]


class _Lines:
    """What a mail's lines come to, taken one after the other, money left aside."""

    def __init__(self, game: Game, book: Book, player: str) -> None:
        self.game, self.book, self.player = game, book, player
        self.filed = book.of(player)
        self.new: dict[str, list[_Good]] = {}
        self.problems: list[Problem] = []
        self.cancelled: list[str] = []
        self.withdrawn: dict[str, Order] = {}

    def take(self, line: Line) -> None:
        if isinstance(line.order, Cancel):
            self._cancel(line, line.order)
            return
        for name, checked in _checked(self.game, self.book, self.player, line.order):
            told = tuple(line.problem(problem) for problem in checked.problems)
            self.problems += told
            if checked.order is not None:
                self.new.setdefault(name, []).append(_Good(line, checked.order, told))

    def _cancel(self, line: Line, order: Cancel) -> None:
        for name, problem in _cancel(self.game, self.book, self.player, order):
            if problem:
                self.problems.append(line.problem(problem))
                continue
            if gone := self.new.pop(name, None):
                self.withdrawn[name] = gone[-1].order
            if self.filed.pop(name, None):
                self.cancelled.append(name)


def committed(game: Game, book: Book, player: str) -> int:
    """Return the pounds of cash that the player's orders on file need (8.2)."""
    return _committed(game, player, book.of(player))


def spare(game: Game, book: Book, player: str, hand: Hand) -> int:
    """Return the pounds that the player has for a hand beside his orders for the others (8.2)."""
    others = {name: order for name, order in book.of(player).items() if name != hand.name}
    return bank.cash(game, player) - _committed(game, player, others)


def final(game: Game, book: Book, player: str, hand: Hand) -> bool:
    """Whether the player's order for a hand can no longer change (2.4, 10.7)."""
    if (player, hand.name) in book.fixed:
        return True
    if game.rules.choice("exchange") != "post" or not isinstance(game.phase_of(hand), GivePhase):
        return False
    givers = _givers(book, hand.table)
    return player in givers and any(
        partner in givers for partner in give.partners(game, hand, player)
    )


def sent_gifts(game: Game, book: Book) -> tuple[SentGift, ...]:
    """Return the gifts that are on their way: giver and receiver have both put down (2.4)."""
    if game.rules.choice("exchange") != "post":
        return ()
    gifts: list[SentGift] = []
    for entry in book.filed:
        if not isinstance(entry.order, Give):
            continue
        hand = game.hand(entry.hand)
        for gift in entry.order.gifts:
            receiver = give.receiver(game, hand, entry.player, gift.to)
            if receiver in _givers(book, hand.table):
                gifts.append(SentGift(entry.player, receiver, hand.table, gift.cards))
    return tuple(gifts)


def _givers(book: Book, table: str) -> set[str]:
    return {
        entry.player
        for entry in book.filed
        if isinstance(entry.order, Give) and entry.order.table == table
    }


def _hand_at(game: Game, player: str, table: str) -> tuple[Hand, int] | None:
    found = [(hand, index) for hand, index in game.hands_of(player) if hand.table == table]
    return found[0] if found else None


def _cancel(
    game: Game, book: Book, player: str, order: Cancel
) -> Iterator[tuple[str, Problem | None]]:
    hands = [hand for hand, _ in game.hands_of(player) if order.table in (ALL_TABLES, hand.table)]
    if not hands:
        yield "", _no_table(order.table)
    for hand in hands:
        if final(game, book, player, hand):
            yield hand.name, _final(book, player, hand)
        else:
            yield hand.name, None


def _no_table(table: str) -> Problem:
    return Problem(Fault.NO_SUCH_TABLE, Figures(table=table))


def _final(book: Book, player: str, hand: Hand) -> Problem:
    if (player, hand.name) in book.fixed:
        return Problem(Fault.STANDS_AS_IT_WAS, hand=hand.name)
    return Problem(Fault.GIFTS_SENT, Figures(table=hand.table), hand=hand.name)


def _checked(game: Game, book: Book, player: str, order: Order) -> Iterator[tuple[str, Checked]]:
    """Yield what becomes of an order for each hand that it is meant for."""
    if order.table == ALL_TABLES:
        bets = [
            (hand, index)
            for hand, index in game.hands_of(player)
            if isinstance(game.phase_of(hand), BettingPhase)
        ]
        places = [(hand, index) for hand, index in bets if index in betting.due(game, hand)]
        if not places:
            yield "", Checked(None, (Problem(Fault.NO_BET_DUE if bets else Fault.NO_BET_STAGE),))
    else:
        place = _hand_at(game, player, order.table)
        places = [place] if place else []
        if not place:
            yield "", Checked(None, (_no_table(order.table),))
    for hand, index in places:
        fixed = (player, hand.name) in book.fixed
        if fixed or (isinstance(order, Give) and final(game, book, player, hand)):
            yield hand.name, Checked(None, (_final(book, player, hand),))
        else:
            yield hand.name, check(game, hand, index, order)


def _covered(
    game: Game, hand: Hand, index: int, goods: list[_Good], left: int
) -> tuple[_Good | None, list[tuple[_Good, Problem]]]:
    """Return the last of a hand's good lines that is covered, and the refusals of later ones."""
    refusals: list[tuple[_Good, Problem]] = []
    for good in reversed(goods):
        order = good.order
        if isinstance(good.line.order, LimitRaise) and good.line.order.limit == "max":
            # The other orders of the mail, and those on file, take their part first.
            order = betting.within(game, hand, index, cast(Bet, order), left)
        price = _price(game, hand, index, order)
        if price <= left:
            return replace(good, order=order), refusals
        figures = Figures(amount=price, limit=left)
        problem = Problem(Fault.NOT_COVERED, figures, hand=hand.name)
        refusals.append((good, good.line.problem(problem)))
    return None, refusals


def _price(game: Game, hand: Hand, index: int, order: Order) -> int:
    return betting.price(game, hand, index, order) if isinstance(order, Bet) else 0


def _committed(game: Game, player: str, orders: dict[str, Order]) -> int:
    return sum(
        _price(game, hand, index, orders[hand.name])
        for hand, index in game.hands_of(player)
        if hand.name in orders
    )
