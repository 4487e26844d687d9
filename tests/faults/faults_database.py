"""Makes a daemon's database go wrong at a statement, a commit or a write to its file."""

from __future__ import annotations

import os
import re
import resource
import signal
import sqlite3
from typing import Any

from sqlalchemy import Engine, event

from tests.faults.faults_breaker import (
    DATABASE,
    DROP,
    DYING,
    KILL,
    KILL_AFTER,
    LOST,
    Breaker,
    Fault,
)

COMMIT, BEGIN, CONNECT = "COMMIT", "BEGIN IMMEDIATE", "CONNECT"

BOTH = "both daemons"
"""Whose connections can't be had: both daemons', not the first's alone."""

SQLITE = {
    "full": ("database or disk is full", "SQLITE_FULL"),
    "busy": ("database is locked", "SQLITE_BUSY"),
    "disk error": ("disk I/O error", "SQLITE_IOERR_WRITE"),
    "read-only": ("attempt to write a readonly database", "SQLITE_READONLY"),
}
"""What SQLite says, and its own name for it."""

POSTGRESQL = {"full": "53100", "busy": "55P03", "serialization": "40001", "refused": "53300"}
"""The SQLSTATE of an error of PostgreSQL's."""

FRAME = 24 + 4096
"""The bytes of one page in SQLite's write-ahead log, with its header."""

_WORDS = re.compile(r"^\s*(\w+)|(?:INTO|UPDATE|FROM)\s+(\w+)", re.IGNORECASE)


def name_of(statement: str) -> str:
    """Return a statement's verb and table."""
    if statement.startswith("BEGIN"):
        return statement
    found = [match[1] or match[2] for match in _WORDS.finditer(statement)]
    return " ".join(found[:2] if found[0].upper() != "UPDATE" else [found[0], statement.split()[1]])


def break_database(engine: Engine, breaker: Breaker) -> None:
    """Ask the breaker at each statement and commit of an engine, and obey it."""

    def execute(cursor: Any, statement: str, _parameters: Any, _context: Any) -> None:
        _statement(breaker, cursor, statement)

    def execute_bare(cursor: Any, statement: str, _context: Any) -> None:
        _statement(breaker, cursor, statement)

    event.listen(engine, "do_execute", execute)
    event.listen(engine, "do_executemany", execute)
    event.listen(engine, "do_execute_no_params", execute_bare)
    commit = engine.dialect.do_commit

    def do_commit(connection: Any) -> None:
        how = breaker.meet(DATABASE, COMMIT)
        if how in (KILL_AFTER, LOST):
            commit(connection)
        _fail(how, connection)
        commit(connection)

    # There is no event for it that could fail.
    vars(engine.dialect)["do_commit"] = do_commit
    if engine.dialect.name == "postgresql":
        _let_be_away(engine, breaker)


def _statement(breaker: Breaker, cursor: Any, statement: str) -> None:
    _fail(breaker.meet(DATABASE, name_of(statement)), cursor.connection)


def _let_be_away(engine: Engine, breaker: Breaker) -> None:
    def connect(_dialect: Any, _record: Any, _arguments: Any, _parameters: Any) -> None:
        if _away(breaker):
            raise _postgresql_error("", "connection to server failed: Connection refused")

    def checkout(connection: Any, _record: Any, _proxy: Any) -> None:
        if _away(breaker):
            connection.close()

    event.listen(engine, "do_connect", connect)
    event.listen(engine, "checkout", checkout)


def _away(breaker: Breaker) -> bool:
    fault = breaker.fault
    return (
        fault is not None
        and (fault.place, fault.name) == (DATABASE, CONNECT)
        and breaker.begins is not None
        and breaker.clock.now() >= breaker.begins
        and not breaker.over()
    )


def _fail(how: str, connection: Any) -> None:
    if how in (KILL, KILL_AFTER):
        os._exit(DYING)
    if how in (DROP, LOST):
        _raw(connection).close()
        raise _postgresql_error("", "server closed the connection unexpectedly")
    if not how:
        return
    if isinstance(_raw(connection), sqlite3.Connection):
        said, name = SQLITE[how]
        error = sqlite3.OperationalError(said)
        error.sqlite_errorname = name
        raise error
    raise _postgresql_error(POSTGRESQL[how], how)


def _raw(connection: Any) -> Any:
    return getattr(connection, "driver_connection", connection) or connection


def _postgresql_error(state: str, text: str) -> Exception:
    import psycopg  # noqa: PLC0415 - only where PostgreSQL is there

    kind = psycopg.errors.lookup(state) if state else psycopg.OperationalError
    return kind(text)


def limit_files(fault: Fault) -> None:
    """Let no file grow beyond write ``fault.number``: the process ends at it, or is refused."""
    if fault.how == KILL:
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # In the midst of a page, so that half of it is written.
    most = 32 + fault.number * FRAME + FRAME // 2
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))


def unlimit_files() -> None:
    """Let files grow again."""
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
