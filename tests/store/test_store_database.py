"""Opening, migrating and using a database, and what is said when that can't be done."""

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import inspect, text
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, select

from postal.store.database import Database, make_engine, open_database
from postal.store.migrate import configuration, revisions
from postal.store.problems import DatabaseTooNew, StoreUnavailable
from postal.store.rows import METADATA, SettingRow
from postal.store.settings import setting_or
from tests.postgresql import Cluster, missing


def set_setting(session: Session, key: str, value: str) -> None:
    """Store a row of the smallest table there is."""
    session.merge(SettingRow(key=key, value=value))


def setting(session: Session, key: str) -> str | None:
    """Return what such a row holds, None where there is none."""
    row = session.get(SettingRow, key)
    return row.value if row else None


def test_migrations_make_what_the_rows_say(database_url: str) -> None:
    """The migrated tables and the row classes are the same."""
    open_database(database_url).close()
    engine = make_engine(database_url)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection)
        differences = compare_metadata(context, METADATA)
    engine.dispose()
    assert differences == []


def test_there_is_no_way_back_but_the_copy(database_url: str) -> None:
    """The tables of before can't hold what is in these."""
    open_database(database_url).close()
    engine = make_engine(database_url)
    with (
        pytest.raises(StoreUnavailable, match="put back the copy"),
        engine.connect() as connection,
        connection.begin(),
    ):
        command.downgrade(configuration(connection), "base")
    with engine.connect() as connection:
        assert inspect(connection).has_table("people")
    engine.dispose()
    open_database(database_url, create=False).close()


def test_opening_again_keeps_what_is_there(database_url: str) -> None:
    """Opening an up-to-date database changes nothing."""
    first = open_database(database_url)
    with first.transaction() as session:
        set_setting(session, "key", "kept")
    first.close()
    second = open_database(database_url, create=False)
    with second.reading() as session:
        assert setting(session, "key") == "kept"
    second.close()


def test_a_newer_database_is_refused_and_left_alone(database_url: str) -> None:
    """A revision unknown here means a later version of postal."""
    database = open_database(database_url)
    with database.transaction() as session:
        session.connection().execute(text("UPDATE alembic_version SET version_num = '9999'"))
    database.close()
    with pytest.raises(DatabaseTooNew, match="newer version of postal"):
        open_database(database_url)
    engine = make_engine(database_url)
    with engine.connect() as connection:
        assert connection.scalar(text("SELECT version_num FROM alembic_version")) == "9999"
    engine.dispose()


def test_nothing_is_made_unless_asked(database_url: str, tmp_path: Path) -> None:
    """Without ``create`` a database that isn't there is told, not made."""
    with pytest.raises(StoreUnavailable, match="There is no postal database"):
        open_database(database_url, create=False)
    assert list(tmp_path.iterdir()) == []


def test_a_transaction_commits_at_its_end(database: Database) -> None:
    """What a block stored is there for the next."""
    with database.transaction() as session:
        session.add(SettingRow(key="key", value="value"))
    with database.reading() as session:
        assert session.exec(select(SettingRow.value)).all() == ["value"]


def test_a_transaction_rolls_back_on_an_error(database: Database) -> None:
    """All of a block or nothing; the error itself passes on."""
    with pytest.raises(ZeroDivisionError), database.transaction() as session:  # noqa: PT012 - the error has to come inside the block
        set_setting(session, "key", "value")
        session.flush()
        raise ZeroDivisionError
    with database.reading() as session:
        assert setting(session, "key") is None


def test_a_broken_constraint_is_a_bug_and_passes_as_it_is(database: Database) -> None:
    """Only a database that can't be used becomes StoreUnavailable."""
    with pytest.raises(IntegrityError), database.transaction() as session:
        session.add_all([SettingRow(key="a", value="1"), SettingRow(key="a", value="hidden")])


def test_a_commit_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    """SQLite keeps such a transaction open: the next one must not find it, nor another its lock."""
    database = open_database(f"sqlite:///{tmp_path / 'postal.db'}")
    broken = "INSERT INTO holders (seat_id, person_id, since) VALUES (99, 99, '2026-03-02')"
    with pytest.raises(IntegrityError, match="FOREIGN KEY"), database.transaction() as session:  # noqa: PT012 - the error comes at the block's end
        for statement in ("PRAGMA defer_foreign_keys = ON", broken):
            session.execute(text(statement))
    with database.transaction() as session:
        set_setting(session, "a", "1")
    with database.reading() as session:
        assert setting(session, "a") == "1"
    database.close()


def test_errors_show_no_values(database: Database) -> None:
    """Neither does their text hold what was to be stored."""
    with pytest.raises(IntegrityError) as caught, database.transaction() as session:
        session.connection().execute(
            text("INSERT INTO settings (key, value) VALUES (:key, :value)"),
            [{"key": "a", "value": "AS JKR"}, {"key": "a", "value": "AS JKR"}],
        )
    assert "JKR" not in str(caught.value)


def test_a_reader_can_not_write(database: Database) -> None:
    """A session for reading refuses to store anything."""
    with pytest.raises(StoreUnavailable), database.reading() as session:
        setting_or(session, "key", "value")
    with database.transaction() as session:
        set_setting(session, "key", "value")


def test_a_reader_sees_one_moment(database: Database) -> None:
    """What is committed while it reads doesn't change what it sees."""
    with database.reading() as reader:
        assert setting(reader, "key") is None
        with database.transaction() as writer:
            set_setting(writer, "key", "value")
        assert reader.exec(select(SettingRow.value)).all() == []


def test_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    """The database holds every card, so others can't read it or what lies beside it."""
    database = open_database(f"sqlite:///{tmp_path}/new/postal.db")
    with database.transaction() as session:
        set_setting(session, "key", "value")
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.rglob("*.db*")}
    database.close()
    assert modes == {"postal.db": 0o600, "postal.db-wal": 0o600, "postal.db-shm": 0o600}


def test_sqlite_is_set_up_to_lose_nothing(tmp_path: Path) -> None:
    """WAL, synchronous FULL (2), foreign keys, and a writer holds the lock from the start."""
    database = open_database(f"sqlite:///{tmp_path}/postal.db")
    with database.transaction() as session:
        connection = session.connection()
        names = ("journal_mode", "synchronous", "foreign_keys")
        found = [connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in names]
        other = make_engine(f"sqlite:///{tmp_path}/postal.db")
        raw = other.raw_connection()
        raw.cursor().execute("PRAGMA busy_timeout = 0")
        with pytest.raises(Exception, match="locked"):
            raw.cursor().execute("BEGIN IMMEDIATE")
        raw.close()
        other.dispose()
    database.close()
    assert found == ["wal", 2, 1]


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("nonsense with hidden", "can't be read"),
        ("mysql://gm:hidden@localhost/postal", "SQLite or PostgreSQL, not on mysql"),
        ("sqlite://", "names no file"),
        ("postgresql://gm:hidden@127.0.0.1:1/postal", "can't be reached"),
        # A password with an @ in it that was not written as %40: the rest is taken for the host.
        ("postgresql://gm:pass@hidden.invalid@127.0.0.1:1/postal", "host"),
    ],
)
def test_an_address_that_does_not_work_is_told_without_its_password(url: str, says: str) -> None:
    """The sentence says what is wrong and never holds the password."""
    with pytest.raises(StoreUnavailable, match=says) as caught:
        open_database(url)
    assert "hidden" not in str(caught.value)


@pytest.mark.postgresql
def test_a_server_that_lacks_the_database_is_told(postgresql_url: str) -> None:
    """With what to do, in postal's own words."""
    with pytest.raises(StoreUnavailable, match="no database of that name: make it with createdb"):
        open_database(postgresql_url.replace("/test_", "/none_"))


@pytest.mark.postgresql
def test_a_server_s_database_must_hold_every_character(postgresql_cluster: Cluster) -> None:
    """Latin-1 has no card suits: told at the start, not in the midst of a game."""
    with pytest.raises(StoreUnavailable, match="encoded as LATIN1"):
        open_database(postgresql_cluster.new_database("LATIN1"))
    database = open_database(postgresql_cluster.new_database("SQL_ASCII"))
    with database.transaction() as session:
        set_setting(session, "key", "♠ £")
    with database.reading() as session:
        assert setting(session, "key") == "♠ £"
    database.close()


@pytest.mark.postgresql
def test_a_server_that_goes_away_is_told_and_used_again_when_back(postgresql_url: str) -> None:
    """What was under way is lost whole; the next transaction connects anew."""
    database = open_database(postgresql_url)
    with pytest.raises(StoreUnavailable, match="went away"):  # noqa: SIM117, PT012 - it goes away in the midst of the block
        with database.transaction() as session:
            set_setting(session, "key", "lost")
            session.flush()
            end_all_sessions(postgresql_url)
    with database.transaction() as session:
        assert setting(session, "key") is None
    end_all_sessions(postgresql_url)
    with database.transaction() as session:
        set_setting(session, "key", "kept")
    database.close()


def end_all_sessions(url: str) -> None:
    """End every other connection to a database, as a server does that is stopped."""
    engine = make_engine(url)
    end = "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
    where = "WHERE pid <> pg_backend_pid() AND datname = current_database()"
    with engine.connect() as connection:
        connection.execute(text(f"{end} {where}"))
    engine.dispose()


def test_a_file_that_is_no_database_is_told(tmp_path: Path) -> None:
    """A damaged file gives a sentence."""
    (tmp_path / "postal.db").write_bytes(b"no database " * 1000)
    with pytest.raises(StoreUnavailable, match="damaged or is none"):
        open_database(f"sqlite:///{tmp_path}/postal.db")


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """Mount a disk of one megabyte on a folder."""
    if os.geteuid() != 0:
        missing("only root can mount a small disk")
    folder.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], check=False, capture_output=True
    )
    if made.returncode != 0:
        missing("this system lets nobody mount a small disk")
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


def test_a_full_disk_is_told_and_loses_nothing(tmp_path: Path) -> None:
    """The transaction that doesn't fit is gone whole, the one before is there, and work goes on."""
    with small_disk(tmp_path / "disk") as disk:
        database = open_database(f"sqlite:///{disk}/postal.db")
        with database.transaction() as session:
            set_setting(session, "before", "value")
        with (
            pytest.raises(StoreUnavailable, match="disk is full"),
            database.transaction() as session,
        ):
            set_setting(session, "large", "x" * 2_000_000)
        with database.transaction() as session:
            assert setting(session, "before") == "value"
            assert setting(session, "large") is None
            set_setting(session, "after", "value")
        database.close()


def test_no_room_for_a_new_database_is_told(tmp_path: Path) -> None:
    """A disk that is full from the start gives the same sentence."""
    with small_disk(tmp_path / "disk") as disk:
        with pytest.raises(OSError, match="space"):
            (disk / "filler").write_bytes(bytes(2_000_000))
        with pytest.raises(StoreUnavailable, match="disk is full"):
            open_database(f"sqlite:///{disk}/postal.db")


@pytest.mark.parametrize("there", [False, True], ids=["new", "old"])
def test_a_read_only_folder_is_told(tmp_path: Path, *, there: bool) -> None:
    """Both where the database has to be made and where it is there already."""
    folder = tmp_path / "folder"
    url = f"sqlite:///{folder}/postal.db"
    with read_only(folder, url if there else None), pytest.raises(StoreUnavailable) as caught:
        with_database(url)
    assert "write" in str(caught.value)


def with_database(url: str) -> None:
    """Open a database and store something."""
    database = open_database(url)
    try:
        with database.transaction() as session:
            set_setting(session, "key", "value")
    finally:
        database.close()


@contextmanager
def read_only(folder: Path, url: str | None) -> Iterator[None]:
    """Make a folder, perhaps with a database, that can't be written; root needs a mount for it."""
    if os.geteuid() == 0:
        with small_disk(folder):
            if url:
                with_database(url)
            subprocess.run(["mount", "-o", "remount,ro", folder], check=True)
            yield
        return
    folder.mkdir()
    if url:
        with_database(url)
        (folder / "postal.db").chmod(0o400)
    folder.chmod(0o500)
    try:
        yield
    finally:
        folder.chmod(0o700)


def test_processes_that_open_a_new_database_together_all_can(database_url: str) -> None:
    """One of them makes the tables, the others wait."""
    program = "import sys; from postal.store.database import open_database as o; o(sys.argv[1])"
    together = [
        subprocess.Popen([sys.executable, "-c", program, database_url], stderr=subprocess.PIPE)
        for _ in range(3)
    ]
    results = [(process.communicate()[1], process.returncode) for process in together]
    assert results == [(b"", 0)] * 3


def test_the_names_of_migrations_are_their_revisions() -> None:
    """So what is missing can be told without loading Alembic."""
    script = ScriptDirectory.from_config(configuration())
    walked = [revision.revision for revision in script.walk_revisions()]
    assert revisions() == tuple(reversed(walked))
    assert script.get_heads() == [revisions()[-1]]
