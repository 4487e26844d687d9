"""Bringing an earlier database up to date: a copy first, all or nothing, and only when asked."""

import logging
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from postal.store.database import open_database, outstanding_revisions
from postal.store.migrate import revisions
from postal.store.problems import DatabaseTooNew, StoreUnavailable
from tests.store.earlier import (
    content,
    dump,
    earlier_database,
    empty_earlier_database,
    file_of,
    found,
    revision,
    run,
    shape,
)
from tests.store.test_store_database import small_disk


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """Return the URL of a SQLite file that isn't there yet."""
    return f"sqlite:///{tmp_path}/postal.sqlite3"


def copies(url: str) -> list[str]:
    """Return the names of what lies beside a SQLite file, but what SQLite itself keeps there."""
    file = file_of(url)
    own = {file.name, f"{file.name}-wal", f"{file.name}-shm"}
    return sorted(path.name for path in file.parent.iterdir() if path.name not in own)


NEWEST = revisions()[-1]


# The copy


def test_a_file_is_copied_before_it_is_changed(
    sqlite_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The copy is the database as it was, its owner's alone, and the log says where it is."""
    earlier_database(sqlite_url)
    file = file_of(sqlite_url)
    before = dump(file)
    with caplog.at_level(logging.WARNING, "postal"):
        open_database(sqlite_url).close()
    copy = file.with_name(f"postal.sqlite3.before-{NEWEST}")
    assert copies(sqlite_url) == [copy.name]
    assert copy.stat().st_mode & 0o777 == 0o600
    assert dump(copy) == before != dump(file)
    (record,) = [one for one in caplog.records if one.name == "postal"]
    assert str(copy) in record.getMessage()


def test_what_is_in_the_log_of_a_file_is_copied_too(sqlite_url: str) -> None:
    """A daemon that was killed leaves its last transactions in the -wal."""
    earlier_database(sqlite_url)
    write = (
        "import os, sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None);"
        "c.execute('PRAGMA journal_mode = WAL');"
        "c.execute(\"INSERT INTO settings VALUES ('last', 'words')\"); os._exit(9)"
    )
    killed = subprocess.run([sys.executable, "-c", write, str(file_of(sqlite_url))], check=False)
    assert killed.returncode == 9
    assert file_of(sqlite_url).with_name("postal.sqlite3-wal").stat().st_size > 0
    open_database(sqlite_url).close()
    for one in (sqlite_url, f"{sqlite_url}.before-{NEWEST}"):
        assert found(one, "SELECT value FROM settings WHERE key = 'last'") == [("words",)]


def test_no_copy_takes_an_earlier_one_s_place(sqlite_url: str) -> None:
    """Nor does one that was never finished stand in the way."""
    earlier_database(sqlite_url)
    for name in (f"before-{NEWEST}", f"before-{NEWEST}-2", f"before-{NEWEST}.part"):
        file_of(sqlite_url).with_name(f"postal.sqlite3.{name}").write_text(name)
    open_database(sqlite_url).close()
    names = [f"postal.sqlite3.before-{NEWEST}{end}" for end in ("", "-2", "-3")]
    assert copies(sqlite_url) == names
    first, second = (file_of(sqlite_url).with_name(name) for name in names[:2])
    assert (first.read_text(), second.read_text()) == (f"before-{NEWEST}", f"before-{NEWEST}-2")


def test_a_new_or_an_up_to_date_database_is_not_copied(sqlite_url: str) -> None:
    """There is nothing to keep."""
    open_database(sqlite_url).close()
    open_database(sqlite_url).close()
    assert copies(sqlite_url) == []


LETTER = (
    "INSERT INTO outbox (created_at, player, recipient, kind, subject, message_id, raw, state,"
    " tries, last_text) VALUES ('2026-01-01 00:00:00.000000', '', '', 'gm', '', '',"
    " CAST(substr(:words, 1, 240000) AS BLOB), 'queued', 0, '')"
)


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ("INSERT INTO settings VALUES ('large', :words)", "copied to .*: there is no room"),
        (
            LETTER,
            "disk is full",
        ),
    ],
    ids=["for the copy", "for the rest"],
)
def test_a_disk_without_room_is_told_and_nothing_is_changed(
    tmp_path: Path, rows: str, says: str
) -> None:
    """Neither the database, nor is half a copy left; with room it goes on."""
    with small_disk(tmp_path / "disk") as disk:
        url = empty_earlier_database(f"sqlite:///{disk}/postal.db")
        run(url, (rows, {"words": "x" * 500_000}))
        before = content(url)
        with pytest.raises(StoreUnavailable, match=says):
            open_database(url)
        assert content(url) == before
        assert revision(url) == "0002"
        assert copies(url) == []
        elsewhere = f"sqlite:///{tmp_path}/postal.db"
        with closing(sqlite3.connect(file_of(url))) as connection:
            connection.execute("VACUUM INTO ?", (str(file_of(elsewhere)),))
    open_database(elsewhere).close()
    assert revision(elsewhere) == NEWEST


def test_what_cannot_be_migrated_leaves_no_copy(sqlite_url: str) -> None:
    """Else a program that is started again and again would fill the disk."""
    earlier_database(sqlite_url, "UPDATE orders SET player = 'Nobody' WHERE id = 1")
    before = dump(file_of(sqlite_url))
    for _ in range(2):
        with pytest.raises(StoreUnavailable, match="Nothing was changed"):
            open_database(sqlite_url)
    assert copies(sqlite_url) == []
    assert dump(file_of(sqlite_url)) == before


# All or nothing

KILLED = """
import os, shutil, sys
from alembic import command  # once, and not in each child
from sqlalchemy import Engine, event
from postal.store.database import open_database
kept, folder = sys.argv[1:]

def kill_at(number):
    left = [number]
    def count(*_):
        left[0] -= 1
        if not left[0]:
            os._exit(9)
    event.listen(Engine, "before_cursor_execute", count)

number, ended = -10, False
while not ended:
    number += 11
    child = os.fork()
    if not child:
        file = f"{folder}/{number}.sqlite3"
        shutil.copyfile(kept, file)
        kill_at(number)
        open_database(f"sqlite:///{file}")
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, 9), status
    ended = status == 0
print(number)
"""
"""Brings copies of a database up to date, killed at the first statement, the twelfth and so on.

It prints the number of the first copy at which it got to the end.
"""


@pytest.mark.slow
def test_a_killed_migration_changes_nothing_and_is_made_again(tmp_path: Path) -> None:
    """Whatever statement it was killed at, the database is whole, and the next start goes on."""
    kept = file_of(earlier_database(f"sqlite:///{tmp_path}/kept.sqlite3"))
    before = dump(kept)
    folder = tmp_path / "killed"
    folder.mkdir()
    command = [sys.executable, "-c", KILLED, str(kept), str(folder)]
    killed = subprocess.run(command, check=False, capture_output=True, text=True)
    assert killed.returncode == 0, killed.stderr
    *urls, whole = [
        f"sqlite:///{folder}/{at}.sqlite3" for at in range(1, int(killed.stdout) + 1, 11)
    ]
    after = (content(whole), shape(whole))
    assert len(urls) > 20
    assert revision(whole) == NEWEST
    for url in urls:
        assert dump(file_of(url)) == before, url
        if url in urls[::9] or url == urls[-1]:
            open_database(url).close()
            assert (content(url), shape(url)) == after, url


def test_processes_that_open_an_earlier_database_together_all_can(sqlite_url: str) -> None:
    """One brings it up to date, the others wait; there is one copy."""
    earlier_database(sqlite_url)
    program = "import sys; from postal.store.database import open_database as o; o(sys.argv[1])"
    together = [
        subprocess.Popen([sys.executable, "-c", program, sqlite_url], stderr=subprocess.DEVNULL)
        for _ in range(3)
    ]
    assert [process.wait() for process in together] == [0] * 3
    assert len(copies(sqlite_url)) == 1
    assert revision(sqlite_url) == NEWEST


# Only when asked


@pytest.mark.postgresql
@pytest.mark.parametrize("create", [True, False])
def test_a_server_s_database_is_changed_only_when_asked(
    postgresql_url: str, *, create: bool
) -> None:
    """Else it is told what to do, and left alone."""
    earlier_database(postgresql_url)
    before = content(postgresql_url)
    with pytest.raises(StoreUnavailable, match=r"pg_dump\), then run `postal migrate --yes`"):
        open_database(postgresql_url, create=create)
    assert content(postgresql_url) == before
    open_database(postgresql_url, upgrade=True).close()
    open_database(postgresql_url, create=create).close()
    assert revision(postgresql_url) == NEWEST


def test_a_file_is_left_alone_where_that_is_asked(sqlite_url: str) -> None:
    """The caller decides."""
    earlier_database(sqlite_url)
    with pytest.raises(StoreUnavailable, match="postal migrate --yes"):
        open_database(sqlite_url, upgrade=False)
    assert revision(sqlite_url) == "0002"
    assert copies(sqlite_url) == []


def test_what_a_database_lacks_can_be_asked(database_url: str) -> None:
    """Without changing it."""
    earlier_database(database_url)
    before = content(database_url)
    assert outstanding_revisions(database_url) == revisions()[2:]
    assert content(database_url) == before
    open_database(database_url, upgrade=True).close()
    assert outstanding_revisions(database_url) == ()


def test_where_nothing_was_ever_stored_there_is_nothing_to_ask(database_url: str) -> None:
    """It is told, and no file is made."""
    with pytest.raises(StoreUnavailable, match="no postal database"):
        outstanding_revisions(database_url)


def test_a_newer_database_is_no_earlier_one(database_url: str) -> None:
    """It is refused before anything is copied or changed."""
    earlier_database(database_url, "UPDATE alembic_version SET version_num = '9999'")
    before = content(database_url)
    for ask in (
        lambda: outstanding_revisions(database_url),
        lambda: open_database(database_url, upgrade=True),
    ):
        with pytest.raises(DatabaseTooNew):
            ask()
    assert content(database_url) == before
    if database_url.startswith("sqlite"):
        assert copies(database_url) == []
