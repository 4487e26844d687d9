"""The give: cards go to other seats, all at the same moment (RULES.md 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from postal.engine.cards import cards_text, without
from postal.engine.events import Event, Gave
from postal.engine.orders import Gift, Give, Order
from postal.engine.phases.base import Actions, Checked, Move, Played, not_held, refuse
from postal.engine.problems import Fault, Figures
from postal.engine.rules import GivePhase
from postal.engine.state import Game, Hand, Passed
from postal.engine.words import DIRECTIONS


def phase_of(game: Game, hand: Hand) -> GivePhase:
    """Return the give phase that the hand is in."""
    return cast(GivePhase, game.rules.phases[hand.phase])


def receiver(game: Game, hand: Hand, player: str, to: int) -> str:
    """Return who gets what the player gives ``to`` seats onward."""
    if phase_of(game, hand).among == "table":
        return game.table(hand.table).neighbour(player, to)
    circle = [hand.seats[index].player for index in hand.live]
    return circle[(circle.index(player) + to) % len(circle)]


def partners(game: Game, hand: Hand, player: str) -> tuple[str, ...]:
    """Return those with whom the player exchanges cards: they give to him or he to them."""
    gifts = phase_of(game, hand).gifts
    return tuple(
        dict.fromkeys(
            receiver(game, hand, player, sign * gift.to) for gift in gifts for sign in (1, -1)
        )
    )


def due(game: Game, hand: Hand) -> tuple[int, ...]:
    """Everybody in the hand gives (2.2)."""
    del game
    return hand.live


def default(game: Game, hand: Hand, index: int) -> tuple[Order, str]:
    """Give the three lowest cards, the two lowest of them to the next seat (9.2)."""
    cards = sorted(hand.seats[index].hidden)
    gifts: list[Gift] = []
    for rule in phase_of(game, hand).gifts:
        gifts.append(Gift(rule.to, tuple(cards[: rule.cards])))
        cards = cards[rule.cards :]
    return Give(hand.table, tuple(gifts)), "give"


def check(game: Game, hand: Hand, index: int, order: Order) -> Checked:
    """Check how many cards go where, and that the seat holds them (2.2)."""
    give, seat, rules = cast(Give, order), hand.seats[index], phase_of(game, hand).gifts
    wanted = {rule.to: rule.cards for rule in rules}
    given = {gift.to: gift.cards for gift in give.gifts}
    counts = {to: len(cards) for to, cards in given.items()}
    if counts != wanted or len(given) != len(give.gifts):
        needs = Figures(gifts=tuple((rule.cards, rule.to) for rule in rules))
        return refuse(hand, Fault.WRONG_GIFTS, needs)
    ordered = Give(hand.table, tuple(Gift(rule.to, given[rule.to]) for rule in rules))
    cards = [card for gift in ordered.gifts for card in gift.cards]
    return not_held(seat, cards, hand) or Checked(ordered)


def apply(game: Game, moves: Sequence[Move]) -> Played:
    """Let all gifts change hands at once (2.3)."""
    events: list[Event] = []
    got: dict[tuple[str, str], list[Passed]] = {}
    for move in moves:
        hand = game.hand(move.hand)
        seat, gave = hand.seats[move.index], list[Passed]()
        for gift in cast(Give, move.order).gifts:
            to = receiver(game, hand, seat.player, gift.to)
            gave.append(Passed(to, gift.cards))
            got.setdefault((hand.table, to), []).append(Passed(seat.player, gift.cards))
            events.append(
                Gave(
                    hand=hand.name,
                    player=seat.player,
                    receiver=to,
                    cards=gift.cards,
                    audience=(seat.player, to),
                )
            )
        kept = without(seat.hidden, [card for passed in gave for card in passed.cards])
        assert kept is not None, f"{hand.name}: unchecked give"
        game = game.with_hand(hand.with_seat(move.index, hidden=kept, gave=tuple(gave)))
    hands = tuple(_received(hand, got) for hand in game.hands)
    done = tuple(dict.fromkeys(move.hand for move in moves))
    return Played(replace(game, hands=hands), tuple(events), done)


def _received(hand: Hand, got: dict[tuple[str, str], list[Passed]]) -> Hand:
    for index, seat in enumerate(hand.seats):
        gifts = got.get((hand.table, seat.player), [])
        cards = tuple(card for passed in gifts for card in passed.cards)
        if gifts:
            hand = hand.with_seat(index, hidden=seat.hidden + cards, got=tuple(gifts))
    return hand


def words(give: Give) -> str:
    """Return what is given as words for a report, without the table's letter."""
    return ", ".join(
        f"{cards_text(gift.cards)} {DIRECTIONS.get(gift.to, str(gift.to))}" for gift in give.gifts
    )


ACTIONS = Actions(due, check, default, apply)
