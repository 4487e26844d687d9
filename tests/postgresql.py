"""A private PostgreSQL cluster for tests, in a folder of its own and reached by a socket in it."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn
from uuid import uuid4

import pytest

SERVERS = Path("/usr/lib/postgresql")
"""Where Debian keeps its versions, off the PATH."""

SERVER_USER = "postgres"
"""Who runs the server where the tests run as root, which PostgreSQL refuses."""


def missing(reason: str) -> NoReturn:
    """Skip the test with the reason; in CI nothing may be missing, so fail it."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"missing in CI: {reason}", pytrace=False)
    pytest.skip(reason)


OWNER_AND_ENCODING = ("--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-locale")


class Cluster:
    """A running server that makes databases for tests."""

    def __init__(self, folder: Path, programs: Path, user: str | None) -> None:
        """Take an empty folder, the folder of the server's programs and who is to run them."""
        self.folder = folder
        self._programs = programs
        self._user = user

    def start(self) -> None:
        """Make the cluster and start it; what is stored need not outlive the machine."""
        data = str(self.folder / "data")
        self._run("initdb", "--pgdata", data, "--no-sync", *OWNER_AND_ENCODING)
        self.resume()

    def resume(self) -> None:
        """Start it again after ``stop``."""
        data = str(self.folder / "data")
        settings = f"-c fsync=off -c listen_addresses='' -c unix_socket_directories={self.folder}"
        log = str(self.folder / "log")
        self._run("pg_ctl", "--pgdata", data, "--wait", "--log", log, "-o", settings, "start")

    def stop(self) -> None:
        """Stop the server and whatever is still connected."""
        data = str(self.folder / "data")
        self._run("pg_ctl", "--pgdata", data, "--wait", "--mode=immediate", "stop")

    def new_database(self, encoding: str = "UTF8", template: str = "template0") -> str:
        """Return the URL of a new database: empty, or a copy of another that nobody uses."""
        name = f"test_{uuid4().hex}"
        kind = (f"--template={template}", f"--encoding={encoding}")
        self._run("createdb", "--host", str(self.folder), "--username=postgres", *kind, name)
        return f"postgresql://postgres@/{name}?host={self.folder}"

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [self._programs / program, *arguments],
            cwd=self.folder,
            user=self._user,
            group=self._user,
            extra_groups=None if self._user is None else [],
            env={"PATH": os.defpath, "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            # No pipe: the server would inherit it and never close it.
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        if done.returncode != 0:
            log = self.folder / "log"
            told = log.read_text() if log.exists() else "no log"
            pytest.fail(f"{program} failed: {told}", pytrace=False)


def find_programs() -> Path:
    """Return the folder of the newest server's programs, or skip."""
    found = sorted(SERVERS.glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    if on_path is None:
        missing("no PostgreSQL server is installed (Debian: apt install postgresql)")
    return Path(on_path).resolve().parent


@contextmanager
def running_cluster() -> Iterator[Cluster]:
    """Run a cluster; skip or fail where PostgreSQL isn't installed."""
    programs = find_programs()
    try:
        import psycopg  # noqa: F401, PLC0415 - asked for here so that its lack skips these tests
    except ImportError:
        missing("psycopg is not installed (the extra 'postgresql')")
    user: str | None = None
    # A socket's path has about 100 characters, fewer than pytest's own folders take.
    with tempfile.TemporaryDirectory(prefix="pg") as name:
        folder = Path(name)
        if os.geteuid() == 0:
            user = SERVER_USER
            try:
                owner = pwd.getpwnam(user)
            except KeyError:
                missing(f"root can't run PostgreSQL and there is no user {user}")
            os.chown(folder, owner.pw_uid, owner.pw_gid)
        cluster = Cluster(folder, programs, user)
        cluster.start()
        try:
            yield cluster
        finally:
            cluster.stop()


@pytest.fixture(scope="session")
def postgresql_cluster() -> Iterator[Cluster]:
    """Run a cluster for the whole test session."""
    with running_cluster() as cluster:
        yield cluster


@pytest.fixture
def postgresql_url(postgresql_cluster: Cluster) -> str:
    """Return the URL of a new, empty database."""
    return postgresql_cluster.new_database()
