"""Leagues at known points: made once, and copied for each test that wants one."""

import shutil
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from tests.service.people_league import LONELY, OTHER
from tests.service.service_ended import make_ended, opened_ended
from tests.service.service_league import League, open_league


@pytest.fixture(scope="session")
def stages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, datetime]]:
    """Return the database of a game at turn 1, and at turn 3, its first bets."""
    folder = tmp_path_factory.mktemp("stages")
    file, found = folder / "made.db", {}
    league = open_league(f"sqlite:///{file}")
    league.begin()
    for name, turns in (("dealt", 0), ("betting", 2)):
        league.play(turns)
        league.send()
        league.database.close()
        shutil.copy(file, folder / f"{name}.db")
        found[name] = (folder / f"{name}.db", league.clock.now())
        league = open_league(f"sqlite:///{file}", now=league.clock.now())
    league.database.close()
    return found


@pytest.fixture(scope="session")
def finished_game(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, datetime]:
    """Return the database of a game that is over, and when that was."""
    file = tmp_path_factory.mktemp("ended") / "ended.db"
    return file, make_ended(file)


@pytest.fixture
def ended(finished_game: tuple[Path, datetime], tmp_path: Path) -> Iterator[League]:
    """Give a game at the moment of its end."""
    yield from opened_ended(*finished_game, tmp_path)


def opened(stage: tuple[Path, datetime], folder: Path, *, plain: bool = False) -> League:
    """Return a league on a copy of a stage's database."""
    shutil.copy(stage[0], folder / "postal.db")
    return open_league(f"sqlite:///{folder / 'postal.db'}", now=stage[1], plain=plain)


def _given(stage: tuple[Path, datetime], folder: Path, *, plain: bool = False) -> Iterator[League]:
    league = opened(stage, folder, plain=plain)
    yield league
    league.database.close()


@pytest.fixture
def dealt(stages: dict[str, tuple[Path, datetime]], tmp_path: Path) -> Iterator[League]:
    """Give a game at turn 1, all mails sent."""
    yield from _given(stages["dealt"], tmp_path)


@pytest.fixture
def quick(stages: dict[str, tuple[Path, datetime]], tmp_path: Path) -> Iterator[League]:
    """Give a game at turn 1 whose further mails have no layout."""
    yield from _given(stages["dealt"], tmp_path, plain=True)


@pytest.fixture
def betting(stages: dict[str, tuple[Path, datetime]], tmp_path: Path) -> Iterator[League]:
    """Give a game at turn 3, where bets are due."""
    yield from _given(stages["betting"], tmp_path)


@pytest.fixture
def two(quick: League) -> League:
    """Give a league whose six play in two games, all mails sent."""
    quick.begin(OTHER, bytes(32))
    quick.send()
    return quick


@pytest.fixture
def apart(quick: League) -> League:
    """Give a league of two games, where Ann of the one is Annie in the other."""
    quick.begin(OTHER, bytes(32), LONELY)
    quick.send()
    return quick
