"""Every test of the store runs on SQLite and on PostgreSQL."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from postal.store.database import Database, open_database
from postal.store.seats import seats_of
from tests.fresh import fresh
from tests.postgresql import postgresql_cluster, postgresql_url
from tests.store.store_league import NOON, number_of, store_game, store_person, turn_by_number

__all__ = ["postgresql_cluster", "postgresql_url"]


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the URL of an empty database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/postal.db"
    return str(request.getfixturevalue("postgresql_url"))


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """Open an empty database."""
    opened = open_database(fresh(database_url))
    yield opened
    opened.close()


@pytest.fixture
def postgresql(postgresql_url: str) -> Iterator[Database]:
    """Open an empty database on the server, for what SQLite hasn't: rows that are locked."""
    opened = open_database(fresh(postgresql_url))
    yield opened
    opened.close()


@pytest.fixture
def noon() -> datetime:
    """Return the time at which the tests play."""
    return NOON


@pytest.fixture
def game_id(database: Database) -> int:
    """Store a game with two players, its deal and an open first turn."""
    with database.transaction() as session:
        people = [store_person(session, name, f"{name}@example.org") for name in ("Ann", "Bob")]
        return number_of(store_game(session, "league", *people))


@pytest.fixture
def turn_id(database: Database, game_id: int) -> int:
    """Return the id of the open first turn."""
    with database.reading() as session:
        turn = turn_by_number(session, game_id, 1)
        assert turn is not None
        assert turn.id is not None
        return turn.id


@pytest.fixture
def seats(database: Database, game_id: int) -> dict[str, int]:
    """Return the ids of the game's seats by name."""
    with database.reading() as session:
        return {seat.name: seat.id for seat in seats_of(session, game_id)}
