"""Compare how fast five cards are rated: here, jokers or none, and by four well-known libraries.

Run it from the repository with ``python tests/bench/bench_ranking.py``; the libraries come with the
dependency group ``bench``, and one that is not installed is reported so and left out.

What is compared is one call per hand of five random cards in a plain ``for`` loop, the cards held
in each library's own form, made ready before the clock starts:

- postal: the function of ``key_rater`` on five integer keys. ``strength`` on five ``Card`` objects,
  which the game itself calls, is timed beside it for the reader and decides nothing.
- treys: ``Evaluator().evaluate([], hand)`` on its integers.
- eval7: ``evaluate(hand)`` on its cards (compiled code).
- phevaluator: ``evaluate_5cards`` on the numbers of its cards (compiled code under Python).
- pokerkit: ``StandardLookup().get_entry(hand)`` on its cards.

Everybody rates the same hands without jokers; the turns go round, and of each the fastest counts.
The order that each library gives the hands is checked against ours too. The exit status is 1 where
a library is faster or disagrees, else 0.
"""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from itertools import pairwise
from math import inf
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from postal.engine.cards import Card, full_pack
from postal.engine.ranking import card_key, key_rater, strength

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

HANDS = 50_000
SLOW_HANDS = 2_000
ROUNDS = 15
Hand = tuple[Card, ...]


@dataclass
class Contestant:
    """One way to rate hands: its function, its own form of the hands, and its best time."""

    name: str
    rate: Callable[..., Any]
    hands: Sequence[Any]
    parted: bool
    """Whether the function takes five cards, not a hand."""
    best: float = field(default=inf)

    def run(self) -> None:
        """Rate every hand once, and keep the time where it is the best so far."""
        rate, hands = self.rate, self.hands
        start = perf_counter()
        if self.parted:
            for a, b, c, d, e in hands:
                rate(a, b, c, d, e)
        else:
            for hand in hands:
                rate(hand)
        self.best = min(self.best, perf_counter() - start)

    @property
    def speed(self) -> float:
        """Hands a second."""
        return len(self.hands) / self.best

    def worth(self, index: int) -> Any:
        """Return what the function makes of one hand."""
        hand = self.hands[index]
        return self.rate(*hand) if self.parted else self.rate(hand)


def random_hands(jokers: int) -> list[Hand]:
    """Return random hands with exactly as many jokers."""
    chance = random.Random(jokers)
    natural, wild = full_pack(0), full_pack(4)[52 : 52 + jokers]
    return [(*chance.sample(natural, 5 - jokers), *wild) for _ in range(HANDS)]


def text(card: Card) -> str:
    """Return a card as the libraries write it: ``Th``."""
    written = str(card).replace("10", "T")
    return written[0] + written[1].lower()


def ours(name: str, hands: Sequence[Hand]) -> Contestant:
    """Return our rating by keys."""
    keys = [tuple(card_key(card) for card in hand) for hand in hands]
    return Contestant(name, key_rater(), keys, parted=True)


def treys(hands: Sequence[Hand]) -> Contestant:
    """Return treys's rating."""
    library = import_module("treys")
    evaluate = library.Evaluator().evaluate
    own = [[library.Card.new(text(card)) for card in hand] for hand in hands]
    return Contestant("treys", partial(evaluate, []), own, parted=False)


def eval7(hands: Sequence[Hand]) -> Contestant:
    """Return eval7's rating."""
    library = import_module("eval7")
    own = [[library.Card(text(card)) for card in hand] for hand in hands]
    return Contestant("eval7", library.evaluate, own, parted=False)


def phevaluator(hands: Sequence[Hand]) -> Contestant:
    """Return phevaluator's rating."""
    library = import_module("phevaluator")
    own = [tuple(library.Card(text(card)).id_ for card in hand) for hand in hands]
    return Contestant("phevaluator", library.evaluate_5cards, own, parted=True)


def pokerkit(hands: Sequence[Hand]) -> Contestant:
    """Return pokerkit's rating, of fewer hands because it takes long."""
    library = import_module("pokerkit")
    own = [
        tuple(library.Card.parse("".join(text(card) for card in hand)))
        for hand in hands[:SLOW_HANDS]
    ]
    return Contestant("pokerkit", library.StandardLookup().get_entry, own, parted=False)


def agrees(mine: Contestant, other: Contestant) -> bool:
    """Tell whether both put the hands into one order, whichever end the other calls best."""
    pairs: dict[Any, Any] = {}
    for index in range(min(len(mine.hands), len(other.hands))):
        theirs = other.worth(index)
        if pairs.setdefault(mine.worth(index), theirs) != theirs:
            return False
    in_order = [pairs[worth] for worth in sorted(pairs)]
    rising = all(low < high for low, high in pairwise(in_order))
    falling = all(high < low for low, high in pairwise(in_order))
    return rising or falling


def main() -> int:
    """Run the comparison, print its figures, and return the exit status."""
    write = sys.stdout.write
    natural = random_hands(0)
    by_jokers = [ours("postal", natural)]
    by_jokers += [ours("postal", random_hands(jokers)) for jokers in range(1, 5)]
    cards = Contestant("strength", strength, natural, parted=False)
    others = []
    for contestant in (treys, eval7, phevaluator, pokerkit):
        try:
            others.append(contestant(natural))
        except ImportError:
            write(f"{contestant.__name__:12} not installed\n")
    for _ in range(ROUNDS):
        for contestant_ in (*by_jokers, cards, *others):
            contestant_.run()

    for jokers, mine in enumerate(by_jokers):
        write(f"postal, {jokers} jokers  {mine.speed:12,.0f} hands a second\n")
    write(f"strength(cards)   {cards.speed:12,.0f} hands a second\n")
    mine = by_jokers[0]
    failed = False
    for other in others:
        same = agrees(mine, other)
        failed |= not same or other.speed > mine.speed
        write(
            f"{other.name:17} {other.speed:12,.0f} hands a second: postal is "
            f"{mine.speed / other.speed:.2f} times as fast; "
            f"{'same order' if same else 'ANOTHER ORDER'}\n"
        )
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
