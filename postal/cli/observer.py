"""Observers: the commands of ``postal observer``."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from postal.cli.asking import Yes, ask
from postal.cli.commands import Group
from postal.cli.options import Data, Json
from postal.cli.turns import GameName

observers = Group(no_args_is_help=True, help="Manage who gets a game's public reports.")


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    app.add_typer(observers, name="observer")


@observers.command("add")
def add(
    game: GameName,
    who: Annotated[
        str, typer.Argument(metavar="PERSON", help="Name and address: 'Gus <gus@example.org>'.")
    ],
    data: Data,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Send somebody the public reports of a game, which hold no hidden card."""
    from postal.bootstrap import open_office
    from postal.service.desk.newgame import parse_player
    from postal.service.desk.observers import add_observer

    name, address = parse_player(who, "")
    with open_office(data) as office:
        ask(f"Send {name} ({address}) the public reports of {game}?", yes=yes)
        add_observer(office.work, game, name, address)
    _tell(as_json, f"{name} gets the public reports of {game} from now on.", game, name)


@observers.command("remove")
def remove(
    game: GameName,
    who: Annotated[str, typer.Argument(metavar="PERSON", help="A name or an address.")],
    data: Data,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Send somebody no more reports of a game; they are told."""
    from postal.bootstrap import open_office
    from postal.service.desk.observers import remove_observer

    with open_office(data) as office:
        ask(f"Send {who} no more reports of {game}?", yes=yes)
        name = remove_observer(office.work, game, who)
    _tell(as_json, f"{name} gets no more reports of {game}.", game, name)


@observers.command("list")
def list_(game: GameName, data: Data, as_json: Json = False) -> None:
    """Show who gets the public reports of a game, and who has stopped them."""
    from postal.bootstrap import open_office
    from postal.cli.tables import print_rows, when
    from postal.service.desk.observers import list_observers

    with open_office(data, look=True) as office:
        rows = list_observers(office.work, game)
    if as_json:
        typer.echo(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    shown = [row | {key: when(row[key]) for key in ("since", "stopped")} for row in rows]
    print_rows(shown, f"Nobody looks on: `postal observer add {game} PERSON` lists somebody.")


def _tell(as_json: bool, said: str, game: str, name: str) -> None:
    facts = {"game": game, "name": name}
    typer.echo(json.dumps(facts, ensure_ascii=False) if as_json else said)
