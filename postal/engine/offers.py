"""What is offered to a player as lines ready to copy: by his cards and his money (RULES.md 8.2).

Here alone it is decided: for what is due from him, and for a line of his that was not taken. Each
is accepted as it stands. For a choice of cards it is a form to fill in, with the cards in the
order in which they came: what is best is the player's own affair (ORDERS.md, "The receipt").
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from postal.engine import bank
from postal.engine.book import Book, final, spare
from postal.engine.cards import Card, without
from postal.engine.game import due_of
from postal.engine.orders import Bet, Expose, Gift, Give, Keep, LimitRaise, Order
from postal.engine.phases import betting
from postal.engine.problems import Fault, Problem
from postal.engine.rules import BettingPhase, ExposePhase, GivePhase, KeepPhase, Phase
from postal.engine.state import Game, Hand, Seat
from postal.engine.words import Verb

Accepts = Callable[[str], bool]
"""Whether a mail of these lines would be taken without a problem, as things stand."""

_SUMS = frozenset({Fault.OVER_LIMIT, Fault.UNDER_LIMIT, Fault.NOT_COVERED})
_OTHER_DUE = frozenset(
    {Fault.OTHER_KIND_DUE, Fault.KEEP_MISSING, Fault.WRONG_GIFTS, Fault.WRONG_NUMBER}
    | {Fault.WRONG_EXPOSURE, Fault.EXPOSURE_SEEN, Fault.NOT_HELD, Fault.EXPOSED_NOT_KEPT}
)
"""The faults of a line for a hand for which something else is due, or due in another form."""
_EACH_MEANT = frozenset({Fault.SEVERAL_TABLES, Fault.SECOND_ORDER})
"""The faults of a line whose orders are all meant: what is offered for it is paid together."""
_ABOUT_NO_ORDER = frozenset(
    {Fault.BEHIND_WORDS, Fault.BEHIND_MARK, Fault.NOT_AN_ORDER, Fault.NEGATED, Fault.NO_HANDS}
    | {Fault.LINE_TOO_LONG, Fault.TOO_MANY_LINES, Fault.TOO_MANY_PARTS, Fault.FURTHER_LINES}
    | {Fault.COMMAND_QUESTION, Fault.COMMAND_BESIDE_OTHERS, Fault.CANCEL_AFTER_TABLE}
    | {Fault.CANCEL_WITHOUT_TABLE, Fault.CANCEL_UNCLEAR, Fault.HOLIDAY_DAYS_MISSING}
    | {Fault.HOLIDAY_NOT_DATES, Fault.HOLIDAY_BACKWARDS, Fault.BLOCK_WITHOUT_COLON}
    | {Fault.BLOCK_EMPTY, Fault.BLOCK_UNCLOSED}
)
"""The faults that no example of what is due would help with."""
_ORDER_CODES = ("not-understood", "not-allowed")


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
        case ExposePhase(cards=count) if seen := hand.seats[index].known[:count]:
            # Seen in a turn that was taken back: they are exposed again (10.7).
            rest = without(cards, seen) or ()
            return (Expose(hand.table, (*seen, *rest)[:count]),)
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


def taught(game: Game, book: Book, player: str, problem: Problem, accepts: Accepts) -> Problem:
    """Return a problem with the lines that its player may copy, as ``book`` has his orders.

    His own order made right is in ``examples``; where there is none, one of what is due from him
    takes its place: for the hand that he wrote of, else for the first that is due. It is never a
    fold or a sum that he did not write, but for the limit that his sum went beyond: where only a
    fold is left the figures say so, as they name the bets that can be made.
    """
    place = next((at for at in _open(game, book, player) if at[0].name == problem.hand), None)
    if place is not None and isinstance(game.phase_of(place[0]), BettingPhase):
        problem = _with_reach(game, problem, place, spare(game, book, player, place[0]))
    own: list[str] = []
    for line in _own(game, problem, place):
        beside = own if problem.fault in _EACH_MEANT else ()
        own += [line] if accepts("\n".join((*beside, line))) else []
    if own:
        return replace(problem, examples=tuple(own))
    due = tuple(islice(filter(accepts, _due(game, book, player, problem)), 1))
    otherwise = problem.fault in _SUMS | _OTHER_DUE
    if otherwise and place is not None:
        return replace(problem, examples=due)
    worded = problem.code in _ORDER_CODES and not problem.figures.verbs
    helps = otherwise or (worded and problem.fault not in _ABOUT_NO_ORDER)
    return replace(problem, examples=(), instead=due if helps else ())


def _open(game: Game, book: Book, player: str) -> Iterator[tuple[Hand, int]]:
    """Yield the hands for which something is due from a player that he can still send."""
    for hand, index in game.hands_of(player):
        if index in due_of(game, hand) and not final(game, book, player, hand):
            yield hand, index


def _with_reach(game: Game, problem: Problem, place: tuple[Hand, int], left: int) -> Problem:
    """Return the problem of a bet with those that ``left`` pounds can pay among its figures."""
    if not problem.figures.verbs and problem.fault not in _SUMS | _OTHER_DUE:
        return problem
    hand, index = place
    within = reach(game, hand, index, left)
    figures = replace(
        problem.figures,
        verbs=within.verbs,
        most=within.most,
        on_iou=within.on_iou,
        elsewhere=bank.cash(game, hand.seats[index].player) - left,
    )
    return replace(problem, figures=figures)


def _own(game: Game, problem: Problem, place: tuple[Hand, int] | None) -> tuple[str, ...]:
    """Return the player's own order made right, where that takes no guess."""
    match problem.fault:
        case Fault.OVER_LIMIT | Fault.UNDER_LIMIT | Fault.NOT_COVERED if place is not None:
            hand, most = place[0], problem.figures.most
            low = problem.fault is Fault.UNDER_LIMIT
            amount = betting.phase_of(game, hand).min_raise if low else most
            return (Bet(hand.table, "raise", amount).line(),) if most else ()
        case Fault.RAISE_TO:
            # Before a first raise what a bet adds and what it comes to are one sum.
            bets = place[0].betting if place is not None else None
            return problem.examples if bets is not None and not bets.raises else ()
        case fault:
            return () if fault in _OTHER_DUE else problem.examples


def _due(game: Game, book: Book, player: str, problem: Problem) -> Iterator[str]:
    """Yield lines of what is due, a raise without a sum; for the hands of a problem if any is."""
    places = list(_open(game, book, player))
    for hand, index in [at for at in places if at[0].name in problem.hands] or places:
        orders = offered(game, hand, index, spare(game, book, player, hand))
        bets = [order.verb for order in orders if isinstance(order, Bet)]
        for order in orders:
            if not (isinstance(order, Bet) and order.verb in ("raise", "fold")):
                yield order.line()
        if "raise" in bets:
            yield LimitRaise(hand.table, "min").line()


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
