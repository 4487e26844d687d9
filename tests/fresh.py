"""Databases for tests that are copied from one made once, since to make one takes a while."""

import atexit
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

from sqlalchemy.engine import URL, make_url

from postal.store.database import open_database

Maker = Callable[[str], object]
"""What makes a database at a URL, the same each time."""


def fresh(url: str) -> str:
    """Put what ``open_database`` makes where there is no database yet; return the URL.

    One that is there, a file or a server's with tables, is left alone.
    """
    parsed = make_url(url)
    there = _file(parsed).exists() if _is_file(parsed) else _has_tables(parsed)
    return url if there else copied(url, _new)


def copied(url: str, make: Maker) -> str:
    """Put a copy of what ``make`` makes there; return the URL.

    A server's database is replaced: nobody may be connected to it.
    """
    parsed = make_url(url)
    if _is_file(parsed):
        _file(parsed).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(_made_file(make), _file(parsed))
        _file(parsed).chmod(0o600)
        return url
    server = parsed.set(database="postgres")
    template = _made_template(server, make)
    _run(server, f'DROP DATABASE "{parsed.database}"')
    _run(server, f'CREATE DATABASE "{parsed.database}" TEMPLATE "{template}"')
    return url


def _new(url: str) -> None:
    open_database(url).close()


@cache
def _made_file(make: Maker) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="postal-made-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    make(f"sqlite:///{folder}/made.db")
    return folder / "made.db"


@cache
def _made_template(server: URL, make: Maker) -> str:
    name = f"made{make.__name__}"
    _run(server, f"CREATE DATABASE \"{name}\" TEMPLATE template0 ENCODING 'UTF8'")
    make(_text(server.set(database=name)))
    return name


def _is_file(url: URL) -> bool:
    return url.get_backend_name() == "sqlite"


def _file(url: URL) -> Path:
    return Path(url.database or "")


def _has_tables(url: URL) -> bool:
    found = _run(url, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")
    return found != [(0,)]


def _run(url: URL, statement: str) -> list[tuple[object, ...]]:
    """Run a statement on a server, outside of any transaction; return what it gives."""
    import psycopg  # noqa: PLC0415 - it may not be installed

    with psycopg.connect(_text(url), autocommit=True) as connection:
        done = connection.execute(statement.encode())
        return done.fetchall() if done.description else []


def _text(url: URL) -> str:
    return url.set(drivername="postgresql").render_as_string(hide_password=False)
