"""Standbys: the commands of ``postal standby``."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from postal.cli.asking import Yes, ask
from postal.cli.commands import Group
from postal.cli.options import Data, Json
from postal.cli.turns import GameName

standbys = Group(no_args_is_help=True, help="Manage who may take over a seat that falls free.")


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    app.add_typer(standbys, name="standby")


@standbys.command("add")
def add(
    game: GameName,
    who: Annotated[
        str, typer.Argument(metavar="PERSON", help="Name and address: 'Gus <gus@example.org>'.")
    ],
    data: Data,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """List a standby, who gets a mail on how to sign up.

    When a player is dropped or resigns, standbys are asked in the order they signed up.
    """
    from postal.bootstrap import open_office
    from postal.service.desk.newgame import parse_player
    from postal.service.desk.standbys import add_standby

    name, address = parse_player(who, "")
    with open_office(data) as office:
        ask(f"List {name} ({address}) as a standby of {game} and write to them?", yes=yes)
        add_standby(office.work, game, name, address)
    _tell(as_json, f"{name} is a standby of {game} once they have answered the mail.", game, name)


@standbys.command("remove")
def remove(
    game: GameName,
    who: Annotated[str, typer.Argument(metavar="PERSON", help="A name or an address.")],
    data: Data,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Take a standby off the list; they are told."""
    from postal.bootstrap import open_office
    from postal.service.desk.standbys import remove_standby

    with open_office(data) as office:
        ask(f"Take {who} off the standbys of {game}?", yes=yes)
        remove_standby(office.work, game, who)
    _tell(as_json, f"{who} is no longer a standby of {game}.", game, who)


@standbys.command("list")
def list_(game: GameName, data: Data, as_json: Json = False) -> None:
    """Show who is listed, in the order in which they are asked."""
    from postal.bootstrap import open_office
    from postal.cli.tables import print_rows, when
    from postal.service.desk.standbys import list_standbys

    with open_office(data, look=True) as office:
        rows = list_standbys(office.work, game)
    if as_json:
        typer.echo(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    shown = [row | {key: when(row[key]) for key in ("signed_up", "asked")} for row in rows]
    print_rows(shown, f"{game} has no standbys: `postal standby add {game} PERSON` lists one.")


def _tell(as_json: bool, said: str, game: str, name: str) -> None:
    typer.echo(json.dumps({"game": game, "name": name}) if as_json else said)
