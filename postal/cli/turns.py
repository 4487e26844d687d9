"""``postal orders`` tells whose orders are in for the turn in play."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from postal.cli.options import Data, Json

GameName = Annotated[str, typer.Argument(metavar="GAME", help="The game's name.")]
Reveal = Annotated[bool, typer.Option("--reveal", help="Show hidden cards and orders too.")]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(orders)


def orders(game: GameName, data: Data, reveal: Reveal = False, as_json: Json = False) -> None:
    """Tell whose orders are in for the turn in play, and whose aren't."""
    from postal.bootstrap import open_office
    from postal.cli.tables import print_rows, when
    from postal.service.desk.looks import look
    from postal.service.desk.overview import show_orders

    with open_office(data, look=True) as office:
        if reveal:
            look(office.work, game, "the orders on file (`postal orders --reveal`)")
        facts = show_orders(office.work, game, reveal=reveal)
    if as_json:
        typer.echo(json.dumps(facts, indent=2, ensure_ascii=False))
        return
    state = "all orders are in" if facts["complete"] else "orders are missing"
    typer.echo(f"{game}: turn {facts['turn']}, deadline {when(facts['deadline'])}: {state}")
    if facts["expected"]:
        typer.echo(f"The next report is expected at {when(facts['expected'])}.")
    rows = [
        {**row, "until": when(row["until"]) if row["until"] else ""} for row in facts["players"]
    ]
    print_rows(rows, "")
