"""Brings a database's tables up to date by the migrations inside this package."""

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, text

from postal.store.problems import DatabaseTooNew, StoreUnavailable, no_tables

MIGRATION_LOCK = 0x706F_7374_6D69_6772
"""The PostgreSQL advisory lock under which tables are changed (it reads "postmigr")."""

TOO_NEW = (
    "A newer version of postal has changed this database: install that version again, "
    "or put back the copy of the database that was made before."
)


def configuration(connection: Connection | None = None) -> Config:
    """Return Alembic's configuration for the migrations as they are installed."""
    config = Config()
    config.set_main_option("script_location", "postal.store:migrations")
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


def require_tables(engine: Engine) -> None:
    """Raise StoreUnavailable where no postal tables were ever made."""
    with engine.connect().execution_options(postal_begin="read") as connection:
        if not _heads(connection):
            raise StoreUnavailable(no_tables(engine.url))


def require_unicode(engine: Engine) -> None:
    """Raise StoreUnavailable where a PostgreSQL database can't hold every character."""
    if engine.dialect.name != "postgresql":
        return
    with engine.connect() as connection:
        encoding = connection.scalar(text("SHOW server_encoding"))
    # SQL_ASCII keeps the bytes it is given, and the driver is told to give it UTF-8.
    if encoding not in {"UTF8", "SQL_ASCII"}:
        raise StoreUnavailable(
            f"The PostgreSQL database is encoded as {encoding}, which lacks \u2660 and the like: "
            "make it anew with createdb --encoding=UTF8 --template=template0."
        )


def migrate(engine: Engine) -> None:
    """Run the migrations that are missing, all or none, one process at a time.

    Raises DatabaseTooNew, changing nothing, where the database has a migration unknown here.
    """
    config = configuration()
    script = ScriptDirectory.from_config(config)
    with engine.connect().execution_options(postal_begin="read") as connection:
        if not _missing(script, connection):
            return
    with (
        engine.connect().execution_options(postal_begin="migrate") as connection,
        connection.begin(),
    ):
        if connection.dialect.name == "postgresql":
            lock = text("SELECT pg_advisory_xact_lock(:key)")
            connection.execute(lock, {"key": MIGRATION_LOCK})
        # Another process may have been faster.
        if _missing(script, connection):
            command.upgrade(configuration(connection), "head")
        _check_foreign_keys(connection)


def _heads(connection: Connection) -> set[str]:
    return set(MigrationContext.configure(connection).get_current_heads())


def _missing(script: ScriptDirectory, connection: Connection) -> bool:
    present = _heads(connection)
    if present - {revision.revision for revision in script.walk_revisions()}:
        raise DatabaseTooNew(TOO_NEW)
    return present != set(script.get_heads())


def _check_foreign_keys(connection: Connection) -> None:
    if connection.dialect.name != "sqlite":
        return
    if connection.exec_driver_sql("PRAGMA foreign_key_check").first() is not None:
        raise StoreUnavailable(
            "The database can't be brought up to date, since some of its rows refer to others "
            "that are missing: put the last good copy back. Nothing was changed."
        )
