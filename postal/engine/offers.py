"""What is offered to a player as lines ready to copy: by his cards and his money (RULES.md 8.2).

Each is accepted as it stands. For a choice of cards it is a form to fill in, with the cards in the
order in which they came: what is best is the player's own affair (ORDERS.md, "The receipt").
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from postal.engine import bank
from postal.engine.cards import Card
from postal.engine.orders import Bet, Expose, Gift, Give, Keep, Order
from postal.engine.phases import betting
from postal.engine.problems import Fault, Problem
from postal.engine.rules import BettingPhase, ExposePhase, GivePhase, KeepPhase, Phase
from postal.engine.state import Game, Hand, Seat
from postal.engine.words import Verb

_SUMS = frozenset({Fault.OVER_LIMIT, Fault.UNDER_LIMIT, Fault.NOT_COVERED})
_TAUGHT = _SUMS | {
    Fault.OTHER_KIND_DUE,
    Fault.KEEP_MISSING,
    Fault.WRONG_GIFTS,
    Fault.WRONG_NUMBER,
    Fault.WRONG_EXPOSURE,
    Fault.NOT_HELD,
    Fault.EXPOSED_NOT_KEPT,
}
"""The faults of a line for a hand for which something else is due, or due in another form."""


@dataclass(frozen=True, slots=True)
class Reach:
    """How far a player's money reaches for a bet; pounds are whole.

    ``verbs`` are the bets that he can make, ``most`` is the most that a raise can add (0: he can
    make none), and of each of ``on_iou`` an IOU would pay a part (RULES.md 8.3, 8.4).
    """

    verbs: tuple[Verb, ...]
    most: int
    on_iou: tuple[Verb, ...]


def reach(game: Game, hand: Hand, index: int, left: int) -> Reach:
    """Return how far ``left`` pounds reach for the bet that is due from a seat (8.2, 8.5)."""
    phase, owed = betting.phase_of(game, hand), hand.owed(index)
    bets = [_least(hand, phase, verb) for verb in betting.allowed(game, hand)]
    payable = [bet for bet in bets if betting.price(game, hand, index, bet) <= left]
    verbs = tuple(bet.verb for bet in payable)
    return Reach(
        verbs=verbs,
        most=min(phase.max_raise, left - owed) if "raise" in verbs else 0,
        on_iou=tuple(
            bet.verb for bet in payable if owed > left and betting.by_iou(game, hand, bet)
        ),
    )


def exposed_ahead(game: Game, hand: Hand) -> int:
    """Return how many cards may be named beside a raise or a stay of the hand's betting (5.4)."""
    following: tuple[Phase, ...] = game.rules.phases[hand.phase + 1 : hand.phase + 2]
    return following[0].cards if following and isinstance(following[0], ExposePhase) else 0


def offered(game: Game, hand: Hand, index: int, left: int) -> tuple[Order, ...]:
    """Return orders for what is due from a seat, each good as it stands.

    ``left`` are the pounds that the player has for this hand. Of the bets those are offered that
    he can pay, a raise with the least that there is.
    """
    cards, phase = as_dealt(hand.seats[index]), game.phase_of(hand)
    match phase:
        case GivePhase(gifts=rules):
            gifts: list[Gift] = []
            for rule in rules:
                gifts.append(Gift(rule.to, cards[: rule.cards]))
                cards = cards[rule.cards :]
            return (Give(hand.table, tuple(gifts)),)
        case KeepPhase(cards=count, expose=expose):
            return (Keep(hand.table, cards[:count], cards[:expose]),)
        case ExposePhase(cards=1):
            return tuple(Expose(hand.table, (card,)) for card in dict.fromkeys(cards))
        case ExposePhase(cards=count):
            return (Expose(hand.table, cards[:count]),)
        case BettingPhase():
            return _bets(game, hand, index, left)
        case _:
            raise TypeError(f"nothing is due in {type(phase).__name__}")


def as_dealt(seat: Seat) -> tuple[Card, ...]:
    """Return the cards that a seat holds face down in the order in which they came to it."""
    left = list(seat.hidden)
    came: list[Card] = []
    for card in (*seat.dealt, *(card for gift in seat.got for card in gift.cards)):
        if card in left:
            left.remove(card)
            came.append(card)
    return (*came, *left)


def taught(game: Game, hand: Hand, index: int, problem: Problem, left: int) -> Problem:
    """Return a problem with what its player may write instead, as ``left`` pounds can pay it.

    It is never a fold, which nobody is taught who did not write it: where no more is left the
    figures say so, as they name the bets that can be made wherever the words name any.
    """
    is_bet = isinstance(game.phase_of(hand), BettingPhase)
    if problem.fault not in _TAUGHT and not (is_bet and problem.figures.verbs):
        return problem
    if not is_bet:
        return replace(problem, examples=(offered(game, hand, index, left)[0].line(),))
    within = reach(game, hand, index, left)
    figures = replace(
        problem.figures,
        verbs=within.verbs,
        most=within.most,
        on_iou=within.on_iou,
        elsewhere=bank.cash(game, hand.seats[index].player) - left,
    )
    examples: tuple[Bet, ...] = ()
    if problem.fault in _TAUGHT:
        phase = betting.phase_of(game, hand)
        bets = tuple(_least(hand, phase, verb) for verb in within.verbs if verb != "fold")
        low = problem.fault is Fault.UNDER_LIMIT
        sums = (Bet(hand.table, "raise", phase.min_raise if low else within.most),)
        examples = sums if within.most and problem.fault in _SUMS else bets
    return replace(problem, figures=figures, examples=tuple(bet.line() for bet in examples))


def _bets(game: Game, hand: Hand, index: int, left: int) -> tuple[Bet, ...]:
    """Return the bets that can be paid, and one with a card named ahead of time (5.4)."""
    phase = betting.phase_of(game, hand)
    bets = {verb: _least(hand, phase, verb) for verb in reach(game, hand, index, left).verbs}
    before = bets.get("stay") or bets.get("raise")
    count = exposed_ahead(game, hand)
    cards = as_dealt(hand.seats[index])[:count]
    if before is None or not count or len(cards) < count:
        return tuple(bets.values())
    return (*bets.values(), replace(before, expose=cards))


def _least(hand: Hand, phase: BettingPhase, verb: Verb) -> Bet:
    return Bet(hand.table, verb, phase.min_raise if verb == "raise" else 0)
