"""``postal migrate``: brings a database of an earlier postal up to date, when asked to."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Annotated

import typer

from postal.cli.options import Data


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(migrate)


def migrate(
    data: Data,
    yes: Annotated[bool, typer.Option("--yes", help="Do it; else it is only said.")] = False,
) -> None:
    """Bring the database of an earlier postal up to date.

    A SQLite file is copied first, by this command and by every other that finds one. A
    PostgreSQL database is changed by this command alone: copy it with pg_dump before.
    """
    from postal.config import load_config
    from postal.store.database import open_database, outstanding_revisions
    from postal.store.lock import only_one

    config = load_config(data)
    url = config.database_url
    missing = outstanding_revisions(url)
    if not missing:
        typer.echo("The database is up to date: there is nothing to do.")
        return
    sqlite = url.startswith("sqlite")
    if not yes:
        before = "A copy is made beside it first" if sqlite else "Make a copy first (pg_dump)"
        typer.echo(
            f"The database was made by an earlier postal: `postal migrate --yes` brings its tables"
            f" up to date (revision {missing[-1]}). {before}."
        )
        raise typer.Exit(1)
    # A daemon of the earlier postal would go on with tables that are no more; the server keeps its
    # own out.
    with only_one(url, config.folder) if sqlite else nullcontext():
        open_database(url, create=False, upgrade=True).close()
    typer.echo(f"The database is up to date: revision {missing[-1]}.")
