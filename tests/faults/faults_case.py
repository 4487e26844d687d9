"""One case: a fault at a step of a turn, from the copy of the game to the verdict."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path

from tests.faults.faults_breaker import (
    DATABASE,
    FILE,
    HANG,
    Breaker,
    Fault,
    SharedClock,
)
from tests.faults.faults_database import BOTH, limit_files, unlimit_files
from tests.faults.faults_judge import BROKEN, UNMET, Facts, Judge, gather
from tests.faults.faults_play import PATIENT, QUICK, House, Runs
from tests.faults.faults_remote import Remote
from tests.faults.faults_stage import POSTGRESQL, Stage, copied, removed

FIRST, SECOND = "a", "b"
"""The names of two daemons."""

_BEFORE = timedelta(hours=1)


@dataclass(frozen=True)
class Verdict:
    """How a fault ended, what shows it, and what the log said."""

    outcome: str
    why: str = ""
    log: tuple[str, ...] = ()
    steps: tuple[tuple[str, str, str], ...] = ()
    facts: Facts | None = None


def undisturbed(stage: Stage, folder: Path) -> Verdict:
    """Return what comes of a turn without a fault, and its steps."""
    return _played(stage, folder, Breaker(SharedClock(stage.now)), lambda _facts: ("", ""), None)


def tried(stage: Stage, base: Facts, fault: Fault, folder: Path) -> Verdict:
    """Return how a fault ends."""
    begins = stage.deadline - _BEFORE if fault.late else stage.now
    judge = Judge(stage.setting, base, stage.deadline)
    breaker = Breaker(SharedClock(stage.now), fault, begins)
    expected = frozenset(base.subjects)
    return _played(
        stage, folder, breaker, lambda facts: judge.judge(fault, begins, facts), expected
    )


def _played(
    stage: Stage,
    folder: Path,
    breaker: Breaker,
    judge: Callable[[Facts], tuple[str, str]],
    expected: frozenset[str] | None,
) -> Verdict:
    folder.mkdir()
    try:
        house = House(stage, copied(stage, folder), folder, breaker, expected)
        return _lived(house, breaker.fault, judge)
    finally:
        removed(stage, folder)


def _lived(house: House, fault: Fault | None, judge: Callable[[Facts], tuple[str, str]]) -> Verdict:
    breaker = house.breaker
    patience = QUICK if fault and fault.how == HANG else PATIENT

    def first() -> Runs:
        if fault and fault.place == FILE:
            limit_files(fault)
        return house.daemon(FIRST, patience, hooked=True)

    def another() -> Runs:
        return house.daemon(SECOND, patience, hooked=fault is not None and fault.whose == BOTH)

    gc.freeze()
    # Before there are threads, of which a forked process has none.
    remote = Remote(first, breaker) if fault and fault.kills else None
    house.open()
    daemons = [remote or first()]
    if house.stage.setting.database == POSTGRESQL and remote is None:
        daemons.append(another())
    if remote is not None:
        remote.overtake = partial(_overtake, house, daemons, another)
    quiet = house.live(daemons, another, unlimit_files)
    if remote is not None:
        remote.end()
    facts = gather(house, quiet=quiet)
    log = tuple(dict.fromkeys(facts.log))
    if fault is None:
        return Verdict("", "", log, tuple(breaker.steps), facts)
    outcome, why = judge(facts)
    if remote is not None and remote.failed:
        return Verdict(BROKEN, f"the daemon ended with {remote.status}", log)
    if not fault.lasting and not _met(fault, breaker, remote):
        return Verdict(UNMET, f"{outcome} {why}", log)
    return Verdict(outcome, why, log)


def _overtake(house: House, daemons: list[Runs], another: Callable[[], Runs]) -> None:
    """Let ten minutes pass in which another daemon works, the first standing still."""
    second = another()
    second.begin()
    for _ in range(2):
        house.clock.advance(timedelta(minutes=5))
        second.round()
    daemons.append(second)


def _met(fault: Fault, breaker: Breaker, remote: Remote | None) -> bool:
    """Whether the fault's step came."""
    if remote is not None and fault.place in (DATABASE, FILE):
        return remote.status != 0
    return fault.place == FILE or breaker.struck > 0
