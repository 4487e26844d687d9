"""Lets every step of a turn fail in every way, and compares what comes of it with a good run.

Run it with ``make faults``, or ``python tests/faults/run.py --sample 100``. A turn is played from
the reports that ask for its orders to those that tell of it: players, GM and daemon in simulated
time, over an IMAP and an SMTP server of its own. Enumerated are the database's statements and
commits, the writes to its file and both servers' commands; at each the daemon is killed, or the
step is refused, dropped, not answered or answered wrongly, once or for hours to weeks. PostgreSQL,
with a second daemon beside, is left out where it is missing.

Printed is a table of step, fault and outcome, and for each that ends badly the words that repeat
it. The exit status is 1 where one ends in an order lost, in a ruling against somebody whose mail
was there in time or who was not written to, in two contents under one Message-ID, in a mail that is
missing or there twice, or in silence towards the GM.
"""

from __future__ import annotations

import argparse
import os
import pickle
import random
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.faults.faults_breaker import Fault  # noqa: E402 - found by the path above
from tests.faults.faults_case import Verdict, tried, undisturbed  # noqa: E402 - as above
from tests.faults.faults_database import FRAME  # noqa: E402 - as above
from tests.faults.faults_judge import BAD, BROKEN, HUNG, Facts  # noqa: E402 - as above
from tests.faults.faults_list import SETTINGS, faults  # noqa: E402 - as above
from tests.faults.faults_stage import (  # noqa: E402 - as above
    POSTGRESQL,
    Setting,
    Stage,
    make_stage,
)
from tests.postgresql import running_cluster  # noqa: E402 - as above

MOST_ALIKE = 5
"""At how many of the steps that have the same name a fault is tried, unless all are asked for."""

MOST_SECONDS = 90
"""After so long a case hangs, whatever it waits for."""


@dataclass(frozen=True)
class Case:
    """A fault on a setting."""

    setting: Setting
    fault: Fault

    def __str__(self) -> str:
        """Return its name."""
        return f"{self.setting}, {self.fault}"


@dataclass
class Runner:
    """Forks a process for each case, so many at once."""

    folder: Path
    jobs: int
    count: int = 0

    def run(self, deeds: Sequence[tuple[object, ...]]) -> Iterator[tuple[int, Verdict, float]]:
        """Do deeds, each a function and its arguments; yield their places as they end."""
        running: dict[int, tuple[int, Path, float]] = {}
        waiting = list(enumerate(deeds))[::-1]
        while waiting or running:
            while waiting and len(running) < self.jobs:
                place, (deed, *arguments) = waiting.pop()
                self.count += 1
                folder = self.folder / f"{os.getpid()}_{self.count}"
                running[_forked(deed, arguments, folder)] = (place, folder, time.monotonic())
            pid, status = os.wait()
            if pid in running:
                place, folder, began = running.pop(pid)
                yield place, _result(folder, status), time.monotonic() - began


def _forked(deed: object, arguments: list[object], folder: Path) -> int:
    pid = os.fork()
    if pid:
        return pid
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(MOST_SECONDS)
    try:
        verdict = deed(*arguments, folder)  # type: ignore[operator]  # a function, as ``run`` says
    except BaseException as error:  # noqa: BLE001 - it is printed among the outcomes
        verdict = Verdict(BROKEN, repr(error), tuple(traceback.format_exc(limit=-6).splitlines()))
    part = folder.with_suffix(".part")
    part.write_bytes(pickle.dumps(verdict))
    part.rename(folder.with_suffix(".done"))
    os._exit(0)


def _result(folder: Path, status: int) -> Verdict:
    done = folder.with_suffix(".done")
    if not done.exists():
        return Verdict(HUNG, f"status {status}")
    found: Verdict = pickle.loads(done.read_bytes())
    done.unlink()
    return found


@dataclass
class Table:
    """Counts outcomes by setting, step, fault and span, and keeps what ended badly."""

    rows: dict[tuple[str, str, str, str], Counter[str]]
    bad: list[tuple[Case, Verdict]]
    outcomes: Counter[str]

    def add(self, case: Case, verdict: Verdict) -> None:
        """Count a case."""
        fault = case.fault
        step = f"{fault.place} {fault.name}"
        row = (str(case.setting), step, fault.how, fault.span)
        self.rows[row][verdict.outcome] += 1
        self.outcomes[verdict.outcome] += 1
        if verdict.outcome in BAD:
            self.bad.append((case, verdict))

    def show(self, *, log: bool) -> None:
        """Print all."""
        for row in sorted(self.rows):
            told = ", ".join(f"{count} {name}" for name, count in self.rows[row].most_common())
            say(f"{row[0]:28} {row[1]:26} {row[2]:13} {row[3]:24} {told}")
        say()
        for case, verdict in self.bad:
            say(f"{verdict.outcome}: {case}")
            say(f"    {verdict.why}")
            for line in verdict.log if log else ():
                say(f"    log: {line}")
        total = sum(self.outcomes.values())
        told = ", ".join(f"{count} {name}" for name, count in self.outcomes.most_common())
        say(f"{total} faults: {told}")


def say(line: str = "") -> None:
    """Print a line."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def prepared(stack: ExitStack, folder: Path, *, shared: bool) -> dict[Setting, Stage]:
    """Return the stage of each setting; PostgreSQL's only where it is there and asked for."""
    cluster = None
    if shared:
        try:
            cluster = stack.enter_context(running_cluster())
        except BaseException as error:  # noqa: BLE001  # pytest's own word for a test left out
            say(f"PostgreSQL is left out: {error}")
    stages: dict[Setting, Stage] = {}
    for number, setting in enumerate(SETTINGS):
        alike = replace(setting, moves=True)
        if alike in stages:
            stages[setting] = replace(stages[alike], setting=setting)
        elif cluster or setting.database != POSTGRESQL:
            of = cluster if setting.database == POSTGRESQL else None
            stages[setting] = make_stage(setting, folder / f"stage{number}", of)
    return stages


def listed(runner: Runner, stages: dict[Setting, Stage]) -> tuple[dict[Setting, Facts], list[Case]]:
    """Play each setting undisturbed; return what came of it, and all faults that there are."""
    settings = list(stages)
    bases: dict[Setting, Facts] = {}
    cases: dict[Setting, list[Case]] = {}
    for place, verdict, _ in runner.run([(undisturbed, stages[one]) for one in settings]):
        setting, facts = settings[place], verdict.facts
        if facts is None or not facts.quiet or verdict.log:
            raise SystemExit(f"{setting}: the undisturbed turn fails: {verdict}")
        bases[setting] = facts
        found = faults(setting, verdict.steps, facts.written // FRAME)
        cases[setting] = [Case(setting, fault) for fault in found]
    return bases, [case for setting in settings for case in cases[setting]]


def thinned(cases: Sequence[Case]) -> list[Case]:
    """Return of those that are alike but for the step's number the first, the last, and some."""
    alike: dict[object, list[Case]] = defaultdict(list)
    for case in cases:
        number = case.fault.number if case.fault.lasting else 0
        alike[case.setting, replace(case.fault, number=number)].append(case)
    kept = set[Case]()
    for same in alike.values():
        steps = min(MOST_ALIKE, len(same))
        kept |= {same[place * (len(same) - 1) // max(1, steps - 1)] for place in range(steps)}
    return [case for case in cases if case in kept]


def chosen(cases: Sequence[Case], only: str, sample: int, seed: int) -> list[Case]:
    """Return those cases whose name holds a text, and of them a sample, kinds taken in turn."""
    found = [case for case in cases if only in str(case)]
    if not sample or sample >= len(found):
        return found
    pick = random.Random(seed)
    kinds: dict[object, list[Case]] = defaultdict(list)
    for case in found:
        fault = case.fault
        kinds[case.setting, fault.place, fault.how, fault.lasting].append(case)
    for kind in kinds.values():
        pick.shuffle(kind)
    names = sorted(kinds, key=str)
    pick.shuffle(names)
    taken: list[Case] = []
    while len(taken) < sample:
        taken += [kinds[name].pop() for name in names if kinds[name]]
    return taken[:sample]


def main() -> int:
    """Run the faults that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sample", type=int, default=0, help="so many of them, of all kinds")
    parser.add_argument("--seed", type=int, default=1, help="which sample")
    parser.add_argument("--only", default="", help="those whose name holds this text")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="so many at once")
    parser.add_argument("--all", action="store_true", help="each at each step, 8,500 in all")
    parser.add_argument("--list", action="store_true", help="name them and do nothing")
    parser.add_argument("--log", action="store_true", help="with what the log said of bad ones")
    parser.add_argument("--sqlite", action="store_true", help="without PostgreSQL")
    asked = parser.parse_args()
    table = Table(defaultdict(Counter), [], Counter())
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="faults-")))
        stages = prepared(stack, folder, shared=not asked.sqlite)
        runner = Runner(folder, asked.jobs)
        bases, cases = listed(runner, stages)
        cases = cases if asked.all or asked.only else thinned(cases)
        cases = chosen(cases, asked.only, asked.sample, asked.seed)
        if asked.list:
            for case in cases:
                say(str(case))
            say(f"{len(cases)} faults")
            return 0
        began = time.monotonic()
        deeds = [(tried, stages[one.setting], bases[one.setting], one.fault) for one in cases]
        with suppress(KeyboardInterrupt):  # so that a long run shows what it came to so far
            for done, (place, verdict, took) in enumerate(runner.run(deeds), 1):
                table.add(cases[place], verdict)
                if asked.log and len(cases) < 40:
                    say(f"{took:5.2f} s  {verdict.outcome}: {cases[place]}  {verdict.why}")
                if verdict.outcome in BAD:
                    sys.stderr.write(f"{verdict.outcome}: {cases[place]}  {verdict.why}\n")
                if done % 25 == 0:
                    sys.stderr.write(f"{done} of {len(cases)}, {time.monotonic() - began:.0f} s\n")
        table.show(log=asked.log)
    return 1 if table.bad else 0


if __name__ == "__main__":
    sys.exit(main())
