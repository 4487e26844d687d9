"""How robots play: from what is asked of a seat to orders, by temper and chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random

from postal.engine.cards import Card, full_pack, without
from postal.engine.orders import Bet, Expose, Gift, Give, Keep, Order
from postal.engine.ranking import best_five, showing, strength
from postal.engine.words import Verb
from postal.service.deciding.position import Asked, Held, Position

_JOKERS = 4
_HAND = 5
_SAMPLES = 40
_LAST_SHOWN = 4
_CURIOSITY = 0.75
_STEP = 5_000


@dataclass(frozen=True, slots=True)
class Temper:
    """How somebody plays.

    Chances run from 0 to 1: he folds where he thinks to win less often than ``folds_below``,
    raises above ``raises_above``, bluffs with chance ``bluffs`` and forgets a whole turn with
    chance ``forgets``. ``enough`` is what he will pay into one hand, in pounds, before he stops
    raising. ``bold`` shows his best cards and hides the rest.
    """

    name: str
    folds_below: float
    raises_above: float
    bluffs: float
    enough: int
    bold: bool = False
    forgets: float = 0.0


TEMPERS = {
    temper.name: temper
    for temper in (
        Temper("tight", 0.20, 0.55, 0.02, 400_000),
        Temper("loose", 0.04, 0.35, 0.10, 800_000, bold=True),
        Temper("bluffing", 0.10, 0.45, 0.30, 600_000, bold=True),
        Temper("absent-minded", 0.12, 0.50, 0.08, 450_000, forgets=0.15),
    )
}
"""The tempers by name."""


def decide(position: Position, temper: Temper, rng: Random) -> dict[str, Order]:
    """Return an order for each hand that something is asked for, by the hand's name.

    Raises and stays are covered by his money together (RULES.md 8.2); a call may need an IOU.
    """
    orders: dict[str, Order] = {}
    cash = position.cash
    for asked in position.asked:
        held = position.hands[asked.hand]
        match asked.kind:
            case "give":
                orders[asked.hand] = _give(asked, held)
            case "keep":
                orders[asked.hand] = _keep(asked, held, temper)
            case "expose":
                orders[asked.hand] = Expose(asked.table, (_turned_up(held, temper),))
            case "bet":
                bet = _bet(asked, held, cash, temper, rng)
                cash -= cost(bet, asked)
                orders[asked.hand] = bet
    return orders


def cost(bet: Bet, asked: Asked) -> int:
    """Return the pounds of cash that a bet needs: none for a call, which an IOU can pay."""
    return asked.owed + bet.amount if bet.verb in ("raise", "stay") else 0


def _give(asked: Asked, held: Held) -> Give:
    """Give the cards that leave the best four."""
    sides = asked.examples[0].partition(" give ")[2].split(",")
    ways = [(1 if side.endswith("next") else -1, len(side.split()) - 1) for side in sides]
    given = sum(count for _, count in ways)
    kept = max(
        combinations(sorted(held.hidden), len(held.hidden) - given),
        key=lambda cards: (showing(cards), _suited(cards), sum(card.rank for card in cards)),
    )
    loose = list(without(held.hidden, kept) or ())
    gifts = []
    for to, count in ways:
        gifts.append(Gift(to, tuple(loose[:count])))
        loose = loose[count:]
    return Give(asked.table, tuple(gifts))


def _suited(cards: Sequence[Card]) -> int:
    return max(sum(other.suit == card.suit for other in cards) for card in cards)


def _keep(asked: Asked, held: Held, temper: Temper) -> Keep:
    """Keep the best five; the bold show the best of them, the others the least."""
    five = best_five(held.hidden)
    count = len(asked.examples[0].partition(" expose ")[2].split())
    choose = max if temper.bold else min
    return Keep(asked.table, five, choose(combinations(five, count), key=showing))


def _turned_up(held: Held, temper: Temper) -> Card:
    choose = max if temper.bold else min
    return choose(held.hidden, key=lambda card: showing((*held.shown, card)))


def _bet(asked: Asked, held: Held, cash: int, temper: Temper, rng: Random) -> Bet:
    hope = chance_to_win(held, rng)
    bluff = rng.random() < temper.bluffs
    verb = _verb(asked, held, cash, temper, rng, hope=1.0 if bluff else hope)
    amount = _amount(asked, cash, hope, rng) if verb == "raise" else 0
    named = asked.may_expose and verb in ("raise", "stay") and rng.random() < 0.5  # noqa: PLR2004 - a coin
    return Bet(asked.table, verb, amount, (_turned_up(held, temper),) if named else ())


def _verb(  # noqa: PLR0913 - all that a bet depends on
    asked: Asked, held: Held, cash: int, temper: Temper, rng: Random, *, hope: float
) -> Verb:
    """Choose among what is allowed: first whether to fold, then whether to raise."""
    can_raise = "raise" in asked.verbs and cash >= asked.owed + asked.least
    # Before the showdown it is cheap to see one more card.
    curious = len(held.shown) < _LAST_SHOWN and rng.random() < _CURIOSITY
    if asked.owed and hope < temper.folds_below and not curious:
        return "fold"
    if not {"stay", "check", "call"} & set(asked.verbs):  # he bets first: raise or fold (5.1)
        return "raise" if can_raise and (curious or hope >= temper.folds_below / 2) else "fold"
    eager = hope > temper.raises_above and held.paid + asked.owed < temper.enough
    if can_raise and eager and rng.random() < 0.8:  # noqa: PLR2004 - a mood
        return "raise"
    if not asked.owed and "check" in asked.verbs:
        sure = hope > temper.raises_above and "call" in asked.verbs
        return "call" if sure and rng.random() < 0.5 else "check"  # noqa: PLR2004 - a coin
    if "call" in asked.verbs and (cash < asked.owed or rng.random() < 0.7):  # noqa: PLR2004 - a mood
        return "call"
    return "stay" if "stay" in asked.verbs and cash >= asked.owed else "fold"


def _amount(asked: Asked, cash: int, hope: float, rng: Random) -> int:
    """Return a round sum, the more the better he thinks to stand, that his cash covers."""
    wish = asked.most * min(1.0, max(0.15, hope * rng.uniform(0.6, 1.4)))
    rounded = max(asked.least, round(wish / _STEP) * _STEP)
    return max(asked.least, min(rounded, asked.most, cash - asked.owed))


def chance_to_win(held: Held, rng: Random) -> float:
    """Return how often his hand would win against what the opponent could hold, 0 to 1.

    The opponent kept the best of what he had, so he is given two cards more than he hides.
    """
    own = strength((*held.shown, *held.hidden))
    seen = (*held.shown, *held.hidden, *held.against)
    unseen = without(full_pack(_JOKERS), seen) or ()
    missing = _HAND - len(held.against)
    won = 0.0
    for _ in range(_SAMPLES):
        drawn = rng.sample(unseen, missing + 2)
        best = max(strength((*held.against, *some)) for some in combinations(drawn, missing))
        won += 1.0 if own > best else 0.5 if own == best else 0.0
    return won / _SAMPLES
