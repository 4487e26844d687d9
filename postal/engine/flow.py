"""How a hand goes on from phase to phase, and how it ends (RULES.md 4.1, 5.4, 5.5, 6.5)."""

from __future__ import annotations

from dataclasses import replace

from postal.engine import bank
from postal.engine.events import Anted, Event, HandOver, IouClosed, TurnedUp
from postal.engine.phases import betting, expose
from postal.engine.phases.base import the_pair_or_all
from postal.engine.ranking import describe, strength
from postal.engine.rules import AntePhase, BettingPhase, ExposePhase, GivePhase, KeepPhase
from postal.engine.state import End, Game, Hand


def go_on(game: Game, name: str) -> tuple[Game, list[Event]]:
    """Take a hand whose phase is done to the next that waits for players, or to its end."""
    events: list[Event] = []
    hand = game.hand(name)
    if len(hand.live) == 1:
        return _end(game, hand, "fold", hand.live)
    checked = bool(hand.betting and hand.betting.checks)
    while True:
        hand = replace(game.hand(name), phase=game.hand(name).phase + 1, betting=None)
        game = game.with_hand(hand)
        if hand.phase == len(game.rules.phases):
            game, shown = _showdown(game, hand, "checks" if checked else "call")
            return game, events + shown
        match game.rules.phases[hand.phase]:
            case GivePhase() | KeepPhase():
                return game, events
            case BettingPhase():
                game, begun = betting.start(game, hand)
                return game, events + begun
            case AntePhase(amount=amount):
                game, paid = _ante(game, hand, amount)
                events += paid
            case ExposePhase():
                if expose.due(game, hand):
                    return game, events
                game, turned = expose.turn_up(game, hand)
                events += turned
            case _:
                continue


def _ante(game: Game, hand: Hand, amount: int) -> tuple[Game, list[Event]]:
    events: list[Event] = []
    for index in hand.live:
        game, _ = bank.pay(game, game.hand(hand.name), index, amount)
        player = hand.seats[index].player
        events.append(Anted(hand=hand.name, player=player, amount=amount, audience=None))
    return game, events


def _showdown(game: Game, hand: Hand, end: End) -> tuple[Game, list[Event]]:
    """Turn up all cards of those still in, and give the pot to the best hand (6.5, 6.8)."""
    double = game.rules.double_ace_flush
    events: list[Event] = []
    worth: dict[int, int] = {}
    audience = the_pair_or_all(game, hand)
    for index in hand.live:
        seat = hand.seats[index]
        cards = seat.shown + tuple(sorted(seat.hidden, reverse=True))
        worth[index] = strength(cards, double_ace_flush=double)
        words = describe(cards, double_ace_flush=double)
        hand = hand.with_seat(index, hidden=(), shown=cards)
        events.append(
            TurnedUp(
                hand=hand.name, player=seat.player, cards=cards, worth=words, audience=audience
            )
        )
    best = max(worth.values())
    winners = tuple(index for index in worth if worth[index] == best)
    game, ended = _end(game.with_hand(hand), hand, end, winners)
    return game, events + ended


def _end(game: Game, hand: Hand, end: End, winners: tuple[int, ...]) -> tuple[Game, list[Event]]:
    names = tuple(hand.seats[index].player for index in winners)
    over = replace(hand, end=end, winners=names, betting=None)
    game, share = bank.award(game, over, winners)
    events: list[Event] = [
        HandOver(
            hand=hand.name, end=end, winners=names, pot=hand.staked, share=share, audience=None
        )
    ]
    events += [
        IouClosed(
            hand=hand.name,
            player=seat.player,
            to=hand.opponents(seat.player)[0],
            amount=seat.iou,
            owed=seat.player not in names,
            audience=None,
        )
        for seat in hand.seats
        if seat.iou
    ]
    return game, events
