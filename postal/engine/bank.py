"""The bank: money moves between a balance and a pot, and every movement balances (RULES.md 8)."""

from __future__ import annotations

from dataclasses import replace

from postal.engine.state import Game, Hand


def cash(game: Game, player: str) -> int:
    """Return the pounds a player can pay now: his balance, or nothing below zero (8.5)."""
    return max(game.balances[player], 0)


def pay(game: Game, hand: Hand, index: int, amount: int) -> tuple[Game, int]:
    """Move ``amount`` pounds from the seat's balance to the pot (8.1).

    Returns the game and the pounds of it that his cash did not cover: an IOU, which takes his
    balance below zero (8.3). ValueError where the amount is negative.
    """
    if amount < 0:
        raise ValueError("money is never taken out of a pot by paying")
    seat = hand.seats[index]
    iou = amount - min(amount, cash(game, seat.player))
    paid = hand.with_seat(index, paid=seat.paid + amount, iou=seat.iou + iou)
    return _credit(game, seat.player, -amount).with_hand(paid), iou


def award(game: Game, hand: Hand, winners: tuple[int, ...]) -> tuple[Game, int]:
    """Give the pot to the winning seats in equal shares (6.8); returns the game and one share.

    An odd pound, which two equal payers never leave, goes to the winners of the lowest seats.
    """
    share, odd = divmod(hand.pot, len(winners))
    for place, index in enumerate(winners):
        seat, won = hand.seats[index], share + (place < odd)
        game, hand = _credit(game, seat.player, won), hand.with_seat(index, won=won)
    return game.with_hand(hand), share


def _credit(game: Game, player: str, amount: int) -> Game:
    return replace(game, balances={**game.balances, player: game.balances[player] + amount})
