"""Databases that aren't as they should be: read-only, gone, another's, damaged; a sentence each."""

import json
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from postal.bootstrap import open_office
from postal.store.problems import ANOTHERS, DAMAGED_ROW
from tests.cli.cli_league import make_folder, new_game, postal, refusal
from tests.postgresql import missing

LOOKS = (
    ("game", "list"),
    ("game", "show", "smith-1"),
    ("orders", "smith-1"),
    ("export", "smith-1", "--sealed"),
    ("verify", "smith-1"),
    ("inbox", "list"),
    ("outbox", "list"),
    ("player", "list"),
    ("player", "show", "Ann"),
)
NAME = "postal.sqlite3"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a data folder with a game."""
    folder = tmp_path / "data"
    folder.mkdir()
    make_folder(folder)
    assert new_game(folder).exit_code == 0
    return folder


@contextmanager
def read_only(copy: Path, original: Path) -> Iterator[Path]:
    """Copy a data folder to where nothing can be written; root needs a disk of its own for it."""
    if os.geteuid() == 0:
        copy.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(copy)]
        if subprocess.run(mount, check=False, capture_output=True).returncode != 0:
            missing("this system lets nobody mount a small disk")
        try:
            shutil.copytree(original, copy, dirs_exist_ok=True)
            subprocess.run(["mount", "-o", "remount,ro", copy], check=True)
            yield copy
        finally:
            subprocess.run(["umount", copy], check=True)
        return
    shutil.copytree(original, copy)
    (copy / NAME).chmod(0o400)
    copy.chmod(0o500)
    try:
        yield copy
    finally:
        copy.chmod(0o700)


def test_a_read_only_copy_can_be_looked_at(folder: Path, tmp_path: Path) -> None:
    """By every command that only shows something; what would store something is refused."""
    with read_only(tmp_path / "copy", folder) as copy:
        for command in LOOKS:
            result = postal(copy, *command)
            assert result.exit_code == 0, (command, result.output, result.exception)
        assert "smith-1" in postal(copy, "game", "list").output
        code, sentence = refusal(postal(copy, "outbox", "retry"))
    assert (code, "write" in sentence) == (1, True)


def test_a_copy_of_a_database_in_use_is_whole(folder: Path, tmp_path: Path) -> None:
    """What SQLite keeps beside the file is looked at too."""
    with open_office(folder) as office, office.work.database.transaction():
        pass
    with closing(sqlite3.connect(folder / NAME)) as used:
        used.execute("PRAGMA wal_autocheckpoint = 0")
        used.execute("UPDATE addresses SET address = 'anna@example.org' WHERE id = 1")
        used.commit()
        assert (folder / f"{NAME}-wal").stat().st_size
        with read_only(tmp_path / "copy", folder) as copy:
            facts = json.loads(postal(copy, "game", "show", "smith-1", "--json").stdout)
    assert facts["players"][0]["address"] == "anna@example.org"


def test_a_read_only_copy_of_an_earlier_version_is_refused(folder: Path, tmp_path: Path) -> None:
    """It would have to be changed first."""
    with closing(sqlite3.connect(folder / NAME)) as database:
        database.execute("UPDATE alembic_version SET version_num = '0003'")
        database.commit()
    with read_only(tmp_path / "copy", folder) as copy:
        code, sentence = refusal(postal(copy, "game", "list"))
    assert (code, "copy the data folder" in sentence) == (1, True)


@pytest.mark.parametrize("also", ["", "CREATE TABLE alembic_version (version_num TEXT)"])
def test_another_programs_database_is_left_alone(folder: Path, also: str) -> None:
    """Whether or not that program keeps its versions as postal does."""
    file = folder / NAME
    file.unlink()
    with closing(sqlite3.connect(file)) as database:
        database.executescript(f"CREATE TABLE songs (name TEXT); {also};")
        if also:
            database.execute("INSERT INTO alembic_version VALUES ('ab12')")
        database.commit()
    assert refusal(postal(folder, "game", "list")) == (1, ANOTHERS)
    with closing(sqlite3.connect(file)) as database:
        names = {name for (name,) in database.execute("SELECT name FROM sqlite_master")}
    assert names == {"songs", *(["alembic_version"] if also else [])}


@pytest.mark.parametrize("replaced", [False, True])
def test_a_file_that_goes_while_it_is_open_is_told(folder: Path, *, replaced: bool) -> None:
    """Nothing is written to what has no name any more; the daemon ends with 1."""
    with open_office(folder) as office:
        rounds = office.rounds()
        rounds.begin()
        (folder / NAME).rename(folder / "away")
        if replaced:
            shutil.copy(folder / "away", folder / NAME)
        with pytest.raises(Exception, match="deleted or replaced") as caught:
            rounds.round()
        rounds.close()
    assert getattr(caught.value, "exit_code", None) == 1


@pytest.mark.parametrize(
    ("table", "damage", "command"),
    [
        ("games", "status = 'lost'", ("game", "list")),
        ("outbox", "created_at = 'noon'", ("outbox", "list")),
    ],
)
def test_a_damaged_row_is_told_and_found(
    folder: Path, table: str, damage: str, command: tuple[str, ...]
) -> None:
    """By a sentence that quotes no value; ``postal check`` says which row it is."""
    with closing(sqlite3.connect(folder / NAME)) as database:
        database.execute(f"UPDATE {table} SET {damage} WHERE id = 1")
        database.commit()
    assert refusal(postal(folder, *command)) == (1, DAMAGED_ROW)
    result = postal(folder, "check", "--json")
    (found,) = [one for one in json.loads(result.stdout) if one["check"] == "database"]
    assert not found["ok"]
    assert f"row 1 of the table {table} is damaged" in found["says"]


def test_a_damaged_page_is_found(folder: Path) -> None:
    """Where no command has met with it yet."""
    with closing(sqlite3.connect(folder / NAME)) as database:
        page = database.execute("PRAGMA page_size").fetchone()[0]
        query = "SELECT rootpage FROM sqlite_master WHERE name = 'ix_troubles_open'"
        root = database.execute(query).fetchone()[0]
    with (folder / NAME).open("r+b") as file:
        file.seek((root - 1) * page)
        file.write(b"\xff" * page)
    result = postal(folder, "check", "--json")
    (found,) = [one for one in json.loads(result.stdout) if one["check"] == "database"]
    assert (found["ok"], "last good copy" in found["says"]) == (False, True)
