"""Players: ``postal player add-address`` and ``postal token revoke``."""

from __future__ import annotations

from typing import Annotated

import typer

from postal.cli.options import Data

players = typer.Typer(no_args_is_help=True, help="See to players.")
tokens = typer.Typer(no_args_is_help=True, help="See to the tokens that say who wrote a mail.")

Name = Annotated[str, typer.Argument(metavar="PLAYER", help="The player's name.")]
Game = Annotated[
    str | None, typer.Option("--game", metavar="GAME", help="Which game, where several have him.")
]


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    app.add_typer(players, name="player")
    app.add_typer(tokens, name="token")


@players.command("add-address")
def add_address(
    player: Name,
    address: Annotated[
        str, typer.Argument(metavar="ADDRESS", help="The address that he writes from too.")
    ],
    data: Data,
    game: Game = None,
) -> None:
    """Give a player a second address, once it is confirmed by an answer to a mail sent there."""
    from postal.bootstrap import open_office
    from postal.service.desk.players import add_address as add

    with open_office(data) as office:
        slug = add(office.work, player, address, game)
    typer.echo(
        f"{slug}: {player} and {address} each get a mail at the next round; the address counts"
        " when the one sent to it is answered."
    )


@tokens.command("revoke")
def revoke(player: Name, data: Data, game: Game = None) -> None:
    """Make a player's tokens worthless and send him his report again with a new one."""
    from postal.bootstrap import open_office
    from postal.service.desk.players import revoke_tokens

    with open_office(data) as office:
        slug = revoke_tokens(office.work, player, game)
    typer.echo(f"{slug}: {player}'s old tokens are worthless; a report with a new one is queued.")
