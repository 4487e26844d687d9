"""Play robots against players who always send the cheapest line, and compare what each ends with.

Run it from the repository with ``python tests/bench/bench_robots.py [GAMES]`` (200 for want of a
number). For each temper so many games of six are played from fixed secrets, three seats by robots
of that temper and three by players whose every order is the one that costs the least now: a check
or a fold. Then the same against players who never fold and pay the least for that. The seats change
from game to game. What counts is the mean of what each ends with, in pounds. The exit status is 1
where a temper's robots end with less than the others, else 0.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from postal.engine.book import Book, submit
from postal.engine.game import adjudicate
from postal.engine.orders import Line, Order
from postal.engine.state import Game
from postal.engine.view import Due, view
from postal.ordertext import read_mail
from postal.resources import games_folder
from postal.service.deciding.position import seen
from postal.service.deciding.tempers import TEMPERS, Temper, decide
from postal.service.gamefiles import load_game_file, make_rules
from postal.service.records.dealing import deal
from postal.service.records.play import order_context
from tests.bench.say import say

if TYPE_CHECKING:
    from collections.abc import Sequence

GAMES = 200
_NAMES = ("Ann", "Bob", "Cat", "Dan", "Eve", "Fay")
_MOST_TURNS = 200


CHEAPEST = ("check", "fold")
"""The verbs of a player who always sends the cheapest line, those he likes best first."""

STAYING = ("check", "stay", "call", "raise")
"""Those of one who always stays in as cheaply as that can be had."""


@dataclass(frozen=True)
class Result:
    """What the robots and the others ended with on average, in whole pounds."""

    robots: int
    others: int


def compete(temper: Temper, verbs: Sequence[str], games: int) -> Result:
    """Play so many games against players who send the first line offered with such a verb."""
    rules = make_rules(load_game_file("smith", [games_folder()]), {}, len(_NAMES))
    mine = theirs = 0
    for number in range(games):
        game = deal(rules, "robots", _NAMES, number.to_bytes(32))
        robots = {name for at, name in enumerate(_NAMES) if (at + number) % 2}
        rng = Random(f"{temper.name} {number}")
        while not game.finished and game.turn < _MOST_TURNS:
            game = _turn(game, temper, verbs, robots, rng)
        for name, pounds in game.balances.items():
            mine += pounds if name in robots else 0
            theirs += 0 if name in robots else pounds
    half = games * len(_NAMES) // 2
    return Result(mine // half, theirs // half)


def _line(due: Due, verbs: Sequence[str]) -> str:
    found = (line for verb in verbs for line in due.examples if line.split()[1] == verb)
    return next(found, due.examples[-1])


def _turn(game: Game, temper: Temper, verbs: Sequence[str], robots: set[str], rng: Random) -> Game:
    book = Book()
    for name in game.players:
        position = view(game, name)
        if name in robots:
            orders: list[Order] = list(decide(seen(position), temper, rng).values())
            lines = [Line(order.line(), at, order) for at, order in enumerate(orders, 1)]
        else:
            text = "\n".join(_line(due, verbs) for due in position.due if due.examples)
            lines = list(read_mail(text, order_context(game, name)).lines)
        book = submit(game, book, name, lines).book
    return adjudicate(game, book)[0]


def main() -> int:
    """Print a line for each temper; return the exit status."""
    games = int(sys.argv[1]) if sys.argv[1:] else GAMES
    behind = False
    for name, verbs in (("the cheapest line", CHEAPEST), ("staying in cheaply", STAYING)):
        for temper in TEMPERS.values():
            found = compete(temper, verbs, games)
            behind = behind or found.robots <= found.others
            say(f"{temper.name}: £{found.robots:,}, against £{found.others:,} by {name}")
    return int(behind)


if __name__ == "__main__":
    sys.exit(main())
