"""``postal purge``: lets go of mail and logs of games that are long over."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from postal.cli.options import Data, Json

Yes = Annotated[bool, typer.Option("--yes", help="Do it; else it is only said.")]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(purge)


def purge(
    data: Data,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would go; change nothing.")
    ] = False,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Let go of raw mail, letters and logs that [keep] in the config keeps no longer.

    `postal run` does it once a day. Orders, events and records stay.
    """
    from postal.bootstrap import open_office
    from postal.cli.tables import print_rows
    from postal.service.desk.keeping import let_go, would_go

    with open_office(data) as office:
        act = let_go if yes and not dry_run else would_go
        shares = act(office.work, office.config.keep, office.config.folder)
    rows = [asdict(share) for share in shares]
    if as_json:
        typer.echo(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    print_rows(rows, "There is nothing that is no longer to be kept.")
    if rows and act is let_go:
        typer.echo("That is gone.")
    elif rows:
        typer.echo("That would go; nothing is changed. `postal purge --yes` lets it go.")
