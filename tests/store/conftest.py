"""Every test of the store runs on SQLite and on PostgreSQL."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from postal.store.database import Database, open_database
from postal.store.rows import GameRow, PlayerRow, TurnRow, TurnStatus
from tests.postgresql import postgresql_cluster, postgresql_url

__all__ = ["postgresql_cluster", "postgresql_url"]

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the URL of an empty database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/postal.db"
    return str(request.getfixturevalue("postgresql_url"))


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """Open an empty database."""
    opened = open_database(database_url)
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
        game = GameRow(
            slug="league",
            rules="{}",
            engine_version="1",
            secret=b"hidden-secret",
            commitment="c",
            turn_length=7,
            hour=20,
            zone="Europe/London",
            created_at=NOON,
        )
        session.add(game)
        session.flush()
        assert game.id is not None
        for position, name in enumerate(["Ann", "Bob"]):
            address = f"{name}@example.org"
            session.add(PlayerRow(game_id=game.id, position=position, name=name, address=address))
        session.add(
            TurnRow(
                game_id=game.id,
                number=0,
                status=TurnStatus.DONE,
                opened_at=NOON,
                zone="UTC",
                state='"dealt"',
            )
        )
        session.add(TurnRow(game_id=game.id, number=1, opened_at=NOON, zone="Europe/London"))
        return game.id
