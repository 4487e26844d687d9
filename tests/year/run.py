"""Play a simulated year of a league and print what it came to: ``make year``.

Three games of six and eight are always in play; robots write by mail, the daemon makes its rounds,
and everything in ``year_accidents`` happens again and again. The exit status is 1 where a law of
``year_laws`` is broken.
"""

from __future__ import annotations

import argparse
import logging
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.year.year_accidents import ACCIDENTS
from tests.year.year_laws import broken, counts
from tests.year.year_world import BEGIN, World, open_world

DAYS = 365
TIMES = 5
"""How often each kind of accident happens in a year."""


def play(folder: Path, *, days: int, times: int, seed: int) -> World:
    """Play so many days, in which each kind of accident happens so often, and return the league."""
    world = open_world(folder, seed)
    kinds = [name for name in ACCIDENTS for _ in range(times)]
    world.pick.shuffle(kinds)
    pause = timedelta(days=days) / (len(kinds) + 1)
    for number, name in enumerate(kinds, 1):
        planned = BEGIN + pause * number * world.pick.uniform(0.9, 1.0)
        world.run(max(planned, world.now + timedelta(days=1)))
        ACCIDENTS[name](world)
        world.happened[name] += 1
    world.run(BEGIN + timedelta(days=days))
    return world


def table(world: World) -> str:
    """Return the counts as lines."""
    rows = [*sorted(counts(world).items()), *sorted(world.happened.items())]
    return "\n".join(f"{name:28}{count:>7,}" for name, count in rows)


def main() -> int:
    """Play what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--days", type=int, default=DAYS, help="how long it lasts")
    parser.add_argument("--times", type=int, default=TIMES, help="how often each accident happens")
    parser.add_argument("--seed", type=int, default=1, help="which year")
    asked = parser.parse_args()
    logging.getLogger("postal").setLevel(logging.CRITICAL)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="year-") as folder:
        world = play(Path(folder), days=asked.days, times=asked.times, seed=asked.seed)
        found = broken(world)
        sys.stdout.write(f"{table(world)}\n")
        world.league.database.close()
    for sentence in found:
        sys.stdout.write(f"BROKEN: {sentence}\n")
    sys.stdout.write(f"{len(found)} laws broken, {time.monotonic() - began:.0f} s\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
