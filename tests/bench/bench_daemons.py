"""Compare two daemons on one PostgreSQL database with two that have a database each.

Run it from the repository with ``python tests/bench/bench_daemons.py``; it is left out where
PostgreSQL is missing. All games are due in the same minute: a few really played ones, copied by
SQL. Runs with one database and with two alternate, and of each figure the median counts. Then one
of two is killed at a turn, and at a letter, and the other ends its work. The exit status is 1
where two on one database do less than 0.9 of what two do with one each, a turn takes more than 1.1
times the processors, a statement waits longer than 50 ms for a lock, or a turn or letter isn't
there once, or not within a minute of a killed one's lease.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import psycopg

from tests.postgresql import Cluster, running_cluster
from tests.service.crowd import Outcome, Worker, multiply, plain, play_some, together

PLAYED = (0, 1, 2, 3, 4)
"""How many turns the games have been played of which the others are copies."""

LETTERS = 7
LEAST_WORK, MOST_PROCESSOR = 0.9, 1.1
WAIT = "50ms"
LEASE_SECONDS, GRACE_SECONDS = 10, 60
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Measured:
    """What it took to do all games once, in seconds: by the clock and of the processors."""

    clock: float
    daemons: float
    server: float


class Bench:
    """Databases with crowds of games, copied for each run, and what two daemons make of them."""

    def __init__(self, cluster: Cluster, folder: Path, games: int, *, layout: bool) -> None:
        """Play the games and copy them."""
        self._cluster, self._folder, self.games = cluster, folder, games
        self._layout = layout
        self._runs = 0
        self._crowds: dict[int, str] = {}
        for count in (games, games // 2):
            url = cluster.new_database()
            play_some(url, PLAYED)
            multiply(url, count)
            self._crowds[count] = url

    def database(self, games: int) -> str:
        """Return a fresh copy whose statements tell of long waits for a lock."""
        template = self._crowds[games].rpartition("/test_")[2].partition("?")[0]
        url = self._cluster.new_database(template=f"test_{template}")
        with psycopg.connect(plain(url), autocommit=True) as connection:
            (name,) = connection.execute("SELECT current_database()").fetchone() or ("",)
            for setting in ("log_lock_waits = on", f"deadlock_timeout = '{WAIT}'"):
                connection.execute(f'ALTER DATABASE "{name}" SET {setting}')
        return url

    def workers(self, stack: ExitStack, *urls: str, lease: float = 240) -> list[Worker]:
        """Return a daemon for each of some databases."""
        self._runs += 1
        return [
            stack.enter_context(
                Worker(
                    url,
                    f"daemon-{number}",
                    self._folder / f"{self._runs}-{number}",
                    lease,
                    self._layout,
                )
            )
            for number, url in enumerate(urls)
        ]

    def measure(self, *urls: str) -> Measured:
        """Let two daemons do the games of one database or of two."""
        before = self._server_seconds()
        with ExitStack() as stack:
            workers = self.workers(stack, *urls)
            used = together(workers)
            check(workers, *urls)
        server = self._server_seconds() - before
        clock = max(one["seconds"] for one in used)
        return Measured(clock, sum(one["cpu"] for one in used), server)

    def waits(self) -> int:
        """Return how many statements waited too long for a lock so far."""
        return (self._cluster.folder / "log").read_text().count("still waiting for")

    def _server_seconds(self) -> float:
        """Return what the server's processes that have ended took of the processors."""
        pid = (self._cluster.folder / "data" / "postmaster.pid").read_text().split()[0]
        # Two connections' processes may need a moment to end.
        time.sleep(0.3)
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[13:15])) / TICKS


def check(workers: Sequence[Worker], *urls: str, twice: int = 0) -> None:
    """Fail where a turn wasn't adjudicated once, or a letter is missing or went twice."""
    sent = Counter(name for worker in workers for name in worker.sent())
    games = 0
    for url in set(urls):
        outcome = Outcome.of(url)
        games += len(outcome.adjudicated)
        assert set(outcome.adjudicated.values()) == {1}, "a turn was adjudicated twice"
        assert outcome.lacking == 0, "a report is missing, or there are two"
        assert outcome.letters == {"sent": LETTERS * len(outcome.adjudicated)}, outcome.letters
    assert len(sent) == LETTERS * games, f"{len(sent)} letters of {games} games went"
    assert sum(sent.values()) - len(sent) <= twice, "a letter went twice"


def held(url: str, name: str) -> int:
    """Return how many turns and letters a daemon has."""
    with psycopg.connect(plain(url)) as connection:
        (count,) = connection.execute(
            "SELECT (SELECT count(*) FROM turns WHERE claim_token LIKE %s)"
            " + (SELECT count(*) FROM outbox WHERE owner = %s)",
            [f"{name} %", name],
        ).fetchone() or (0,)
    return int(count)


def kill_one(bench: Bench, far: Callable[[Outcome], bool]) -> tuple[int, float]:
    """Kill one of two daemons; return what it had, and how long that took to be done."""
    url = bench.database(bench.games)
    with ExitStack() as stack:
        workers = bench.workers(stack, url, url, lease=LEASE_SECONDS)
        for worker in workers:
            worker.begin()
        while not far(Outcome.of(url)):
            time.sleep(0.05)
        workers[0].kill()
        began = time.monotonic()
        left = held(url, workers[0].name)
        while held(url, workers[0].name):
            time.sleep(0.1)
        took = time.monotonic() - began
        workers[1].end()
        check(workers, url, twice=1)
    return left, took


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def run(bench: Bench, rounds: int) -> bool:
    """Measure and print; return whether all is good."""
    games, good = bench.games, True
    one: list[Measured] = []
    each: list[Measured] = []
    for _ in range(rounds):
        shared = bench.database(games)
        one.append(bench.measure(shared, shared))
        each.append(bench.measure(bench.database(games // 2), bench.database(games // 2)))
    for name, measured in (("one database", one), ("a database each", each)):
        clock, daemons, server = (
            median(getattr(run, field) for run in measured)
            for field in ("clock", "daemons", "server")
        )
        _say(
            f"two daemons, {name}: {games} turns in {clock:.1f} s; of the processors a turn took"
            f" {1000 * daemons / games:.1f} ms in the daemons, {1000 * server / games:.1f} ms in"
            " the server"
        )
    pairs = list(zip(one, each, strict=True))
    work = median(b.clock / a.clock for a, b in pairs)
    processor = median((a.daemons + a.server) / (b.daemons + b.server) for a, b in pairs)
    waits = bench.waits()
    _say(f"one database to one each: {work:.2f} of the work, {processor:.2f} of the processors")
    good &= work >= LEAST_WORK and processor <= MOST_PROCESSOR and waits == 0
    for what, far in (
        ("turn", lambda outcome: len(outcome.adjudicated) > games // 2),
        ("letter", lambda outcome: outcome.letters.get("sent", 0) > LETTERS * games // 2),
    ):
        left, took = kill_one(bench, far)
        _say(
            f"one killed at a {what}: {left} left behind, done by the other {took:.1f} s later,"
            f" with a lease of {LEASE_SECONDS} s"
        )
        good &= took <= LEASE_SECONDS + GRACE_SECONDS
    _say(f"statements that waited longer than {WAIT} for a lock: {bench.waits()}")
    return good and bench.waits() == 0


def main() -> int:
    """Run the bench, or say why not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1000, help="how many games (even)")
    parser.add_argument("--rounds", type=int, default=5, help="how often each is measured")
    parser.add_argument(
        "--plain", action="store_true", help="mails without layout: all the harder on the database"
    )
    arguments, _ = parser.parse_known_args()
    with ExitStack() as stack:
        try:
            cluster = stack.enter_context(running_cluster())
        except BaseException as error:  # noqa: BLE001  # pytest's own word for a test left out
            _say(f"daemons: left out, {error}")
            return 0
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        bench = Bench(cluster, folder, arguments.games, layout=not arguments.plain)
        return 0 if run(bench, arguments.rounds) else 1


if __name__ == "__main__":
    sys.exit(main())
