"""Betting, before the showdown and in it: raise, stay, fold, check and call (RULES.md 5, 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from postal.engine import bank
from postal.engine.cards import Card, without
from postal.engine.events import (
    BetsFirst,
    Called,
    Event,
    Folded,
    IouWritten,
    Raised,
    Stayed,
)
from postal.engine.events import (
    Checked as CheckedEvent,
)
from postal.engine.orders import Bet, LimitRaise, Order
from postal.engine.phases.base import Actions, Checked, Move, Played, refuse
from postal.engine.problems import Fault, Figures, Problem
from postal.engine.ranking import showing
from postal.engine.rules import BettingPhase, ExposePhase
from postal.engine.state import Betting, Game, Hand
from postal.engine.words import Verb


def phase_of(game: Game, hand: Hand) -> BettingPhase:
    """Return the betting that the hand is in."""
    return cast(BettingPhase, game.rules.phases[hand.phase])


def start(game: Game, hand: Hand) -> tuple[Game, list[Event]]:
    """Begin a betting: the better showing bets first, on a tie the lower seat (4.2, 4.4)."""
    tie = 1 if game.rules.choice("first_on_tie") == "higher-seat" else -1
    first = max(hand.live, key=lambda index: (showing(hand.seats[index].shown), tie * index))
    hand = replace(hand, betting=Betting(to_act=first))
    event = BetsFirst(hand=hand.name, player=hand.seats[first].player, audience=None)
    return game.with_hand(hand), [event]


def due(game: Game, hand: Hand) -> tuple[int, ...]:
    """The players act in turn (5.2, 6.1)."""
    del game
    return () if hand.betting is None else (hand.betting.to_act,)


def allowed(game: Game, hand: Hand) -> tuple[Verb, ...]:
    """Return the verbs that the player to act may use, whatever money he has.

    The first bet has its own list (5.1, 6.5); a check needs level sums (6.3), a stay an
    opponent who is ahead (6.4); at the raise cap there is no raise (5.3).
    """
    betting, phase = hand.betting, phase_of(game, hand)
    if betting is None:
        return ()
    verbs = phase.answer if betting.opened else phase.open
    level = hand.owed(betting.to_act) == 0
    capped = bool(phase.raise_cap) and betting.raises >= phase.raise_cap
    barred: set[Verb] = {"stay"} if level else {"check"}
    if capped:
        barred |= {"raise"} if game.rules.rulings.check_at_the_cap else {"raise", "check"}
    return tuple(verb for verb in verbs if verb not in barred)


def by_iou(game: Game, hand: Hand, bet: Bet) -> bool:
    """Whether an IOU can pay what the player has not: a call, or by option a stay (8.3, 8.4).

    Before the showdown, where nobody can call, it pays nothing (8.5).
    """
    if bet.verb == "stay" and game.rules.choice("iou") == "stay-and-call":
        return "call" in phase_of(game, hand).answer
    return bet.verb == "call"


def price(game: Game, hand: Hand, index: int, bet: Bet) -> int:
    """Return the pounds of cash that a bet needs at hand; what an IOU can pay needs none (8.2)."""
    owed = hand.owed(index)
    if bet.verb == "raise":
        return owed + bet.amount
    return owed if bet.verb == "stay" and not by_iou(game, hand, bet) else 0


def default(game: Game, hand: Hand, index: int) -> tuple[Order, str]:
    """Check where it is allowed, else fold (9.2)."""
    del index
    verb: Verb = "check" if "check" in allowed(game, hand) else "fold"
    return Bet(hand.table, verb), verb


def check(game: Game, hand: Hand, index: int, order: Order) -> Checked:
    """Check a bet's verb and amount, and drop an exposure that it cannot have (5.4)."""
    phase, verbs = phase_of(game, hand), allowed(game, hand)
    if isinstance(order, LimitRaise):
        order = _at_limit(game, hand, index, order)
    bet = replace(cast(Bet, order), table=hand.table)
    if bet.verb not in verbs:
        return _barred(hand, index, bet.verb, phase, verbs)
    if bet.verb == "raise":
        low, high = phase.min_raise, phase.max_raise
        if bet.amount > high:
            figures = Figures(amount=bet.amount, limit=high, verbs=verbs)
            return refuse(hand, Fault.OVER_LIMIT, figures)
        if bet.amount < low:
            figures = Figures(amount=bet.amount, limit=low, verbs=verbs)
            return refuse(hand, Fault.UNDER_LIMIT, figures)
    if not bet.expose:
        return Checked(bet)
    return _with_exposure(game, hand, index, bet)


def _at_limit(game: Game, hand: Hand, index: int, order: LimitRaise) -> Bet:
    """Return the raise that the most or the least comes to now (5.3)."""
    phase = phase_of(game, hand)
    amount = phase.max_raise if order.limit == "max" else phase.min_raise
    bet = Bet(hand.table, "raise", amount, order.expose)
    if order.limit == "min":
        return bet
    return within(game, hand, index, bet, bank.cash(game, hand.seats[index].player))


def within(game: Game, hand: Hand, index: int, bet: Bet, left: int) -> Bet:
    """Return a raise cut down to what ``left`` pounds can pay, but never below the least (8.2)."""
    most = max(phase_of(game, hand).min_raise, left - hand.owed(index))
    return replace(bet, amount=min(bet.amount, most))


def _barred(
    hand: Hand, index: int, verb: Verb, phase: BettingPhase, verbs: tuple[Verb, ...]
) -> Checked:
    """Return why a bet of that verb can't be made now, and which can."""
    opened, owed = bool(hand.betting and hand.betting.opened), hand.owed(index)
    figures = Figures(verb=verb, verbs=verbs)
    if verb == "raise":
        return refuse(hand, Fault.RAISE_CAP, replace(figures, needed=phase.raise_cap))
    if verb == "stay" and owed == 0:
        return refuse(hand, Fault.NOTHING_TO_EQUAL, figures)
    if verb == "check" and owed > 0:
        return refuse(hand, Fault.BEHIND_OPPONENT, replace(figures, amount=owed))
    if verb == "call" and not opened and verb in phase.answer:
        return refuse(hand, Fault.CALL_FIRST, figures)
    return refuse(hand, Fault.BET_BARRED, figures)


def _with_exposure(game: Game, hand: Hand, index: int, bet: Bet) -> Checked:
    """Return a bet with the cards to expose after it, or without those it cannot have (5.4)."""
    following = game.rules.phases[hand.phase + 1 : hand.phase + 2]
    seat, needed, seen = hand.seats[index], 0, cast(tuple[Card, ...], ())
    if not following or not isinstance(following[0], ExposePhase):
        fault = Fault.EXPOSE_NOT_NEXT
    elif bet.verb not in ("raise", "stay"):
        fault = Fault.EXPOSE_NOT_WITH_BET
    elif len(bet.expose) != following[0].cards:
        fault, needed = Fault.EXPOSE_WRONG_NUMBER, following[0].cards
    elif without(seat.hidden, bet.expose) is None:
        fault = Fault.EXPOSE_NOT_HELD
    elif without(bet.expose, seat.known[: following[0].cards]) is None:
        fault, seen = Fault.EXPOSE_SEEN, seat.known[: following[0].cards]
    else:
        return Checked(bet)
    figures = Figures(verb=bet.verb, needed=needed, given=len(bet.expose), cards=seen)
    problem = Problem(fault, figures, hand=hand.name)
    return Checked(replace(bet, expose=()), (problem,))


def apply(game: Game, moves: Sequence[Move]) -> Played:
    """Carry out bets one by one, in the order in which the moves stand."""
    events: list[Event] = []
    done: list[str] = []
    for move in moves:
        hand, bet = game.hand(move.hand), cast(Bet, move.order)
        game, happened = _PLAYS[bet.verb](game, hand, move.index, bet)
        events += happened
        hand = _pass_turn(game.hand(move.hand), move.index, bet)
        closed = _closed(game, hand, bet)
        game = game.with_hand(hand)
        if closed:
            done.append(hand.name)
    return Played(game, tuple(events), tuple(done))


def _equal(game: Game, hand: Hand, index: int, amount: int) -> tuple[Game, list[Event]]:
    player = hand.seats[index].player
    game, iou = bank.pay(game, hand, index, amount)
    if not iou:
        return game, []
    to = hand.opponents(player)[0]
    written = IouWritten(hand=hand.name, player=player, to=to, amount=iou, audience=None)
    return game, [written]


def _raise(game: Game, hand: Hand, index: int, bet: Bet) -> tuple[Game, list[Event]]:
    owed, player = hand.owed(index), hand.seats[index].player
    for other in hand.live:
        # An exposure named with an earlier raise belonged to that raise (5.4).
        hand = hand.with_seat(other, named=(bet.expose or None) if other == index else None)
    game, iou = _equal(game, hand, index, owed + bet.amount)
    raised = Raised(hand=hand.name, player=player, equalled=owed, amount=bet.amount, audience=None)
    return game, [raised, *iou]


def _stay(game: Game, hand: Hand, index: int, bet: Bet) -> tuple[Game, list[Event]]:
    owed, player = hand.owed(index), hand.seats[index].player
    hand = hand.with_seat(index, named=bet.expose or None)
    game, iou = _equal(game, hand, index, owed)
    return game, [Stayed(hand=hand.name, player=player, amount=owed, audience=None), *iou]


def _call(game: Game, hand: Hand, index: int, bet: Bet) -> tuple[Game, list[Event]]:
    del bet
    owed, player = hand.owed(index), hand.seats[index].player
    game, iou = _equal(game, hand, index, owed)
    return game, [Called(hand=hand.name, player=player, amount=owed, audience=None), *iou]


def _check(game: Game, hand: Hand, index: int, bet: Bet) -> tuple[Game, list[Event]]:
    del bet
    return game, [CheckedEvent(hand=hand.name, player=hand.seats[index].player, audience=None)]


def _fold(game: Game, hand: Hand, index: int, bet: Bet) -> tuple[Game, list[Event]]:
    del bet
    event = Folded(hand=hand.name, player=hand.seats[index].player, audience=None)
    return game.with_hand(hand.with_seat(index, folded=True, named=None)), [event]


_PLAYS = {"raise": _raise, "stay": _stay, "call": _call, "check": _check, "fold": _fold}


def _pass_turn(hand: Hand, index: int, bet: Bet) -> Hand:
    """Count the bet and hand the move on to the next live seat."""
    betting = hand.betting
    assert betting is not None, f"{hand.name}: no betting"
    raised = bet.verb == "raise"
    others = [other for other in hand.live if other != index]
    after = [other for other in others if other > index] or others
    return replace(
        hand,
        betting=replace(
            betting,
            opened=True,
            to_act=after[0] if after else index,
            raises=betting.raises + raised,
            checks=betting.checks + 1 if bet.verb == "check" else 0,
            answered=1 if raised else betting.answered + (bet.verb != "fold"),
        ),
    )


def _closed(game: Game, hand: Hand, bet: Bet) -> bool:
    phase, betting = phase_of(game, hand), hand.betting
    assert betting is not None, f"{hand.name}: no betting"
    if len(hand.live) == 1 or bet.verb in phase.closes:
        return True
    if phase.check_limit and betting.checks >= phase.check_limit:
        return True
    return not phase.closes and betting.answered >= len(hand.live)


ACTIONS = Actions(due, check, default, apply)
