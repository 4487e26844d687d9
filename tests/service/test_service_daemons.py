"""Daemons that are processes of their own on one PostgreSQL database, one of them killed."""

import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.postgresql import postgresql_cluster, postgresql_url
from tests.service.crowd import Outcome, Worker, multiply, play_some, together

__all__ = ["postgresql_cluster", "postgresql_url"]

pytestmark = pytest.mark.postgresql

GAMES = 12
PATIENCE = 60


@pytest.fixture
def crowd(postgresql_url: str) -> str:
    """Give a database with a few games, all due in the same minute."""
    play_some(postgresql_url, (1, 2, 3))
    multiply(postgresql_url, GAMES)
    return postgresql_url


def check(url: str) -> None:
    """Each turn was adjudicated once, and each letter of it went."""
    outcome = Outcome.of(url)
    assert set(outcome.adjudicated.values()) == {1}
    assert len(outcome.adjudicated) == GAMES
    assert outcome.lacking == 0
    assert outcome.letters == {"sent": 7 * GAMES}


def test_two_share_the_work(crowd: str, tmp_path: Path) -> None:
    """Each turn is adjudicated by one of them, and each letter sent by one."""
    with ExitStack() as stack:
        workers = [
            stack.enter_context(Worker(crowd, name, tmp_path / name)) for name in ("one", "two")
        ]
        together(workers)
        sent = [worker.sent() for worker in workers]
    check(crowd)
    assert all(sent), "both had a share"
    assert set(Counter(name for names in sent for name in names).values()) == {1}


def test_one_of_them_is_killed(crowd: str, tmp_path: Path) -> None:
    """The other ends its work; what it was sending at that moment may come twice, as one mail."""
    with ExitStack() as stack:
        workers = [
            stack.enter_context(Worker(crowd, name, tmp_path / name, lease=2))
            for name in ("one", "two")
        ]
        for worker in workers:
            worker.begin()
        until = time.monotonic() + PATIENCE
        while len(Outcome.of(crowd).adjudicated) < GAMES // 3:
            assert time.monotonic() < until
        workers[0].kill()
        workers[1].end()
        sent = Counter(name for worker in workers for name in worker.sent())
    check(crowd)
    assert len(sent) == 7 * GAMES
    assert sum(sent.values()) - len(sent) <= 1
