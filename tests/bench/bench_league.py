"""Measure whether the work for a game stays the same however many games there are.

Run it from the repository with ``python tests/bench/bench_league.py``. Leagues of 10, 100 and 1,000
running games, eleven turns old, and as many finished ones are made of a few that are really played,
on SQLite and, where it is installed, on PostgreSQL. In each by turns a few games get the mails of
a turn. Measured are: storing a mail and finding whose it is, handling it, a round in which nothing
is to be done, and adjudicating the turn. Statements are those sent to the database; the CPU time
is this process's.

The exit status is 1 where a figure of the largest league is more than a fifth above that of the
smallest, where an idle round takes 20 ms or the process 300 MB, or where SQLite reads a whole
table for a statement.
"""

from __future__ import annotations

import logging
import random
import resource
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from postal.service.inbound.intake import put_away
from postal.service.inbound.queue import handle_new
from postal.service.inbound.taking import take_in
from postal.service.ticks import Rounds
from tests.bench.league_rows import SETTLED, fill, order, play_games, running_games
from tests.bench.say import say
from tests.bench.statements import Statements
from tests.postgresql import running_cluster
from tests.service.service_league import REPORTS, SIX, League, Post, open_league

SIZES = (10, 100, 1000)
TURNS = 8
IDLE_ROUNDS = 10
GROWTH = 1.2
ROUND_SECONDS = 0.020
MEGABYTES = 300

MAIL, HANDLED, ROUND, TURN = "whose a mail is", "handling it", "idle round", "a turn"


@dataclass
class Sized:
    """A league of so many running games, what was measured in it and what was sent to its base."""

    league: League
    games: int
    wall: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    cpu: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    statements: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    sent: Statements = field(default_factory=Statements)
    rounds: list[Rounds] = field(default_factory=list)

    @contextmanager
    def measured(self, what: str) -> Iterator[None]:
        """Measure what is done in the block."""
        count, wall, cpu = self.sent.count, perf_counter(), process_time()
        yield
        self.cpu[what].append(process_time() - cpu)
        self.wall[what].append(perf_counter() - wall)
        self.statements[what].append(self.sent.count - count)

    def post(self, slug: str, player: str, pick: random.Random) -> None:
        """Let a player of a game order by mail."""
        work, post = self.league.work, self.league.post
        if order(self.league, slug, pick, (player,)):
            with self.measured(MAIL):
                take_in(work, post)
            with self.measured(HANDLED):
                handle_new(work)
            put_away(work, post)
            self.league.send()

    def rest(self) -> None:
        """Make a round with nothing to do; the first connects."""
        if not self.rounds:
            self.rounds.append(Rounds(self.league.work, lambda: self.league.post, self.league.post))
            self.rounds[0].round()
        with self.measured(ROUND):
            self.rounds[0].round()

    def turn(self, slug: str) -> None:
        """Adjudicate the turn of a game, whose orders are all in, once it is due."""
        self.league.clock.advance(SETTLED)
        with self.measured(TURN):
            done = self.league.due()
        assert [one.slug for one in done] == [slug], "the turn of this game alone was due"
        self.league.send()


def measure(leagues: Sequence[Sized], turns: int) -> None:
    """Play a turn of some games in each league, step by step, so that all meet the same machine."""
    chosen = [running_games(one.league.work, turns) for one in leagues]
    for one in leagues:
        one.sent.listen(one.league.database)
    for number in range(turns):
        games = [(one, slugs[number]) for one, slugs in zip(leagues, chosen, strict=True)]
        for player in SIX:
            for one, slug in games:
                one.post(slug, player, random.Random(f"{number} {player}"))
        for _ in range(IDLE_ROUNDS):
            for one, _slug in games:
                one.rest()
        for one, slug in games:
            one.turn(slug)


def table(name: str, leagues: Sequence[Sized]) -> list[str]:
    """Print what was measured; return what is not as it has to be."""
    bad: list[str] = []
    sizes = "".join(f"{one.games:>9,} games" for one in leagues)
    say(f"\n{name:32}{sizes}   largest/smallest")
    for what in (MAIL, HANDLED, ROUND, TURN):
        kinds = (("statements", 1, 0), ("ms CPU", 1000, 2), ("ms in all", 1000, 2))
        columns = [
            [median(kind[what]) for kind in (one.statements, one.cpu, one.wall)] for one in leagues
        ]
        for number, (unit, factor, digits) in enumerate(kinds):
            figures = [column[number] for column in columns]
            ratio = figures[-1] / figures[0]
            # How long it took in all is for the reader: other programs run too.
            wrong = ratio > GROWTH and number < 2
            bad += [f"{name}: {what}, {unit}"] if wrong else []
            shown = "".join(f"{factor * figure:15,.{digits}f}" for figure in figures)
            say(f"{what + ', ' + unit:32}{shown}{ratio:12.2f}{' !' * wrong}")
    # The least of all: another program can only add to it.
    least = min(leagues[-1].wall[ROUND])
    say(f"An idle round of {leagues[-1].games:,} games takes {1000 * least:.1f} ms at the least.")
    if least >= ROUND_SECONDS:
        bad.append(f"{name}: an idle round takes {1000 * least:.0f} ms")
    return bad


def main(sizes: Sequence[int] = SIZES, turns: int = TURNS) -> int:
    """Make the leagues, measure and print."""
    logging.getLogger("postal").setLevel(logging.ERROR)
    bad: list[str] = []
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        played = open_league(f"sqlite:///{folder / 'played.db'}", plain=True)
        stack.callback(played.database.close)
        play_games(played)
        leagues = [_sized(played, f"sqlite:///{folder / f'{games}.db'}", games) for games in sizes]
        measure(leagues, turns)
        bad += table("SQLite", leagues)
        for found in leagues[-1].sent.whole_tables(leagues[-1].league.database):
            bad.append("SQLite: a whole table is read")
            say(found)
        for one in leagues:
            one.league.database.close()
        try:
            cluster = stack.enter_context(running_cluster())
        except BaseException as error:  # noqa: BLE001  # pytest's own word for a test left out
            say(f"\nPostgreSQL: left out, {error}")
        else:
            leagues = [_sized(played, cluster.new_database(), games) for games in sizes]
            measure(leagues, turns)
            bad += table("PostgreSQL", leagues)
            for one in leagues:
                one.league.database.close()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    say(f"\nThe process took at most {memory:.0f} MB.")
    bad += ["the process took too much"] if memory >= MEGABYTES else []
    say(f"{len(bad)} not as they have to be{': ' if bad else ''}{'; '.join(bad)}")
    return int(bool(bad))


def _sized(played: League, url: str, games: int) -> Sized:
    """Return a league of so many running games, made of those that were played."""
    league = open_league(url, now=played.clock.now())
    fill(league.database, played.database, games)
    # It goes on with names that no mail of those that were played has.
    league.post, league._serial = Post(league.clock, uidvalidity=99), played._serial
    league.work = replace(
        played.work, database=league.database, clock=league.clock, reports=REPORTS
    )
    return Sized(league, games)


if __name__ == "__main__":
    sys.exit(main())
