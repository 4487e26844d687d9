"""One daemon on the same data, and no lock left behind by one that was killed."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from postal.store.lock import only_one
from postal.store.problems import AlreadyRunning, StoreUnavailable

HOLDER = """
import sys
from pathlib import Path
from postal.store.lock import only_one
with only_one(sys.argv[1], Path(sys.argv[2])):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def another_process(url: str, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Run a process that holds the lock until it is killed or the block ends."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, url, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


def test_a_second_process_is_refused(database_url: str, tmp_path: Path) -> None:
    """On the same folder and database."""
    with (
        another_process(database_url, tmp_path),
        pytest.raises(AlreadyRunning, match="Another postal"),
        only_one(database_url, tmp_path),
    ):
        pass


def test_a_second_process_is_refused_from_another_folder(tmp_path: Path) -> None:
    """The file of the database is the data, wherever the rest lies."""
    url = f"sqlite:///{tmp_path}/postal.db"
    with (
        another_process(url, tmp_path / "one"),
        pytest.raises(AlreadyRunning),
        only_one(url, tmp_path / "two"),
    ):
        pass


def test_a_server_s_database_is_locked_by_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It hands work out to any number of daemons; where they were started says nothing."""
    (tmp_path / "started-in").mkdir()
    monkeypatch.chdir(tmp_path / "started-in")
    url = "postgresql://gm@localhost/postal"
    with another_process(url, tmp_path / "one"), only_one(url, tmp_path / "two"):
        pass
    assert list(Path.cwd().iterdir()) == []


def test_a_killed_process_leaves_no_lock(database_url: str, tmp_path: Path) -> None:
    """Not even by SIGKILL."""
    with another_process(database_url, tmp_path) as process:
        process.kill()
        process.wait()
        with only_one(database_url, tmp_path):
            pass


def test_the_lock_is_free_after_its_block(database_url: str, tmp_path: Path) -> None:
    """Also where the block failed."""
    with pytest.raises(ZeroDivisionError), only_one(database_url, tmp_path):
        raise ZeroDivisionError
    with only_one(database_url, tmp_path):
        pass


def test_other_data_can_be_worked_on_at_the_same_time(tmp_path: Path) -> None:
    """Two leagues on one machine."""
    one, two = tmp_path / "one", tmp_path / "two"
    with only_one(f"sqlite:///{one}/postal.db", one), only_one(f"sqlite:///{two}/postal.db", two):
        pass


def test_a_folder_that_can_not_be_made_is_told(tmp_path: Path) -> None:
    """With its name and the reason."""
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / "folder"
    with (
        pytest.raises(StoreUnavailable, match="can't be made"),
        only_one(f"sqlite:///{folder}/postal.db", folder),
    ):
        pass
