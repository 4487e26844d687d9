"""Protests: the commands of ``postal protest``."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from postal.cli.commands import Group
from postal.cli.options import Data, Json

protests = Group(no_args_is_help=True, help="See players' protests; `postal resume` is the ruling.")

_Game = Annotated[str, typer.Argument(metavar="GAME", help="The game's name.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    app.add_typer(protests, name="protest")


@protests.command("list")
def list_(game: _Game, data: Data, as_json: Json = False) -> None:
    """List the protests of a game: from whom, about which hand, and whether they are open."""
    from postal.bootstrap import open_office
    from postal.cli.tables import print_rows, when
    from postal.service.desk.protests import list_protests

    with open_office(data, look=True) as office:
        rows = list_protests(office.work, game)
    if as_json:
        typer.echo(json.dumps(rows, indent=2, ensure_ascii=False))
    else:
        shown = [row | {"at": when(row["at"]), "words": _plain(row["words"])} for row in rows]
        print_rows(shown, f"Nobody has protested in {game}.")


@protests.command("show")
def show(
    game: _Game,
    hand: Annotated[str, typer.Argument(metavar="HAND", help="The hand, such as A1.")],
    data: Data,
    as_json: Json = False,
) -> None:
    """Show what happened so far in a hand about which there is a protest; the log notes the look.

    The orders that were used are shown, and none that is on file now.
    """
    from postal.bootstrap import open_office
    from postal.cli.tables import print_rows
    from postal.service.desk.protests import evidence

    with open_office(data) as office:
        rows = evidence(office.work, game, hand)
    if as_json:
        typer.echo(json.dumps(rows, indent=2, ensure_ascii=False))
    else:
        print_rows(rows, f"No turn has been adjudicated in {game} yet.")


def _plain(words: str) -> str:
    return "".join(char if char.isprintable() else " " for char in words)
