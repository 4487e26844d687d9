"""`postal migrate`: an earlier postal's database is brought up to date, and said to be."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import text

from postal.errors import PostalError
from postal.store.database import make_engine, open_database
from postal.store.lock import only_one
from postal.store.migrate import EARLIER_DAEMON, revisions
from tests.cli.cli_league import make_folder, postal, refusal
from tests.postgresql import postgresql_cluster, postgresql_url
from tests.store.earlier import earlier_database, revision

__all__ = ["postgresql_cluster", "postgresql_url"]

NEWEST = revisions()[-1]


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def league(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str]:
    """Return a data folder whose database is of an earlier postal, and that one's URL."""
    folder = make_folder(tmp_path)
    if request.param == "sqlite":
        return folder, earlier_database(f"sqlite:///{folder}/postal.sqlite3")
    url = str(request.getfixturevalue("postgresql_url"))
    with (folder / "config.toml").open("a", encoding="utf-8") as config:
        config.write(f'[database]\nurl = "{url}"\n')
    return folder, earlier_database(url)


def test_migrate_says_what_it_would_do(league: tuple[Path, str]) -> None:
    """And does it when told to, once."""
    folder, url = league
    asked = postal(folder, "migrate")
    assert asked.exit_code == 1
    assert (
        f"`postal migrate --yes` brings its tables up to date (revision {NEWEST})" in asked.stdout
    )
    assert ("pg_dump" in asked.stdout) == url.startswith("postgresql")
    assert revision(url) == "0002"
    done = postal(folder, "migrate", "--yes")
    assert (done.exit_code, done.stdout) == (0, f"The database is up to date: revision {NEWEST}.\n")
    assert revision(url) == NEWEST
    for again in (postal(folder, "migrate"), postal(folder, "migrate", "--yes")):
        said = "The database is up to date: there is nothing to do.\n"
        assert (again.exit_code, again.stdout) == (0, said)


def test_migrate_waits_for_a_daemon_to_be_stopped(league: tuple[Path, str]) -> None:
    """It would go on with tables that are no more."""
    folder, url = league
    with earlier_daemon(folder, url):
        code, says = refusal(postal(folder, "migrate", "--yes"))
    assert (code, revision(url)) == (1, "0002")
    assert "stop that one first" in says


@contextmanager
def earlier_daemon(folder: Path, url: str) -> Iterator[None]:
    """Hold what a daemon of postal 0.1 holds while it runs."""
    if url.startswith("sqlite"):
        with only_one(url, folder):
            yield
        return
    engine = make_engine(url)
    with engine.connect() as connection:
        connection.execute(text("SELECT pg_advisory_lock(:key)"), {"key": EARLIER_DAEMON})
        yield
        connection.invalidate()
    engine.dispose()


def test_migrate_where_there_is_no_database(tmp_path: Path) -> None:
    """There is nothing to bring up to date."""
    _, says = refusal(postal(make_folder(tmp_path), "migrate", "--yes"))
    assert "There is no postal database" in says


def test_check_tells_of_a_server_s_earlier_database(league: tuple[Path, str]) -> None:
    """A file is brought up to date by every command."""
    folder, url = league
    result = postal(folder, "check")
    if url.startswith("postgresql"):
        assert "`postal migrate --yes`" in result.stdout
        with pytest.raises(PostalError):
            open_database(url)
    else:
        assert revision(url) == NEWEST
