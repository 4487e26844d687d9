"""After an accident: orders put in by the GM, turns taken back, backups and putting one back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from postal.cli.asking import Yes, ask
from postal.cli.options import Data, Json


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    for command in (amend, rollback, backup, restore):
        app.command()(command)


def amend(
    game: Annotated[str, typer.Argument(metavar="GAME", help="The game's name.")],
    lines: Annotated[
        list[str],
        typer.Argument(metavar="LINE...", help="Orders as the player writes them: 'A: fold'."),
    ],
    data: Data,
    player: Annotated[str, typer.Option(metavar="NAME", help="Whose orders they are.")],
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Put orders in for a player, who is told; 'cancel A' and 'cancel all' take some back.

    The player can change them as ever. Where one line won't do, nothing is done.
    """
    from dataclasses import asdict

    from postal.bootstrap import open_office
    from postal.service.desk.amending import amend as put_in
    from postal.service.desk.amending import said_of

    with open_office(data) as office:
        ask(f"Change the orders of {player} in {game} so, and tell {player}?", yes=yes)
        done = put_in(office.work, game, player, lines)
    facts = {"game": game, **asdict(done)}
    typer.echo(json.dumps(facts, ensure_ascii=False) if as_json else said_of(done))


def rollback(
    game: Annotated[str, typer.Argument(metavar="GAME", help="The game's name.")],
    data: Data,
    to_turn: Annotated[
        int, typer.Option("--to-turn", metavar="N", help="The turn that is played again.")
    ],
    opens: Annotated[
        list[str] | None,
        typer.Option(
            "--open",
            metavar="PLAYER[:TABLE]",
            help="Who may change his orders, everywhere or at a table; 'all': everybody.",
        ),
    ] = None,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Take turns back: play turn N again with its orders, of which only the opened may change.

    What was shown to whom since is told before it asks. All players are told.
    """
    from postal.bootstrap import open_office
    from postal.service.desk.rollback import roll_back, what_was_shown

    with open_office(data) as office:
        shown = what_was_shown(office.work, game, to_turn)
        for line in shown.lines if not as_json else ():
            typer.echo(line)
        ask(f"Take {shown.turns} of {game} back and tell all its players?", yes=yes)
        done = roll_back(office.work, shown, opens or ())
    if as_json:
        facts = {
            "game": game,
            "turn": done.turn,
            "attempt": done.attempt,
            "deadline": done.deadline and done.deadline.isoformat(),
            "shown": list(shown.lines),
            "open": [list(one) for one in done.opened],
            "stands": [list(one) for one in done.stands],
        }
        typer.echo(json.dumps(facts, ensure_ascii=False))
        return
    typer.echo(f"{game} is at turn {done.turn} again.")
    if done.opened:
        names = ", ".join(f"{player} ({hand})" for player, hand in done.opened)
        typer.echo(f"May change their orders: {names}.")
    else:
        typer.echo("Nobody may change an order, so it will be adjudicated as it was.")
    for player, hand in done.stands:
        typer.echo(f"{player} can't change the order for {hand}: cards of it were seen.")


def backup(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Where to: a file that isn't there.")
    ],
    data: Data,
    as_json: Json = False,
) -> None:
    """Copy the database, consistent though postal is running; keep it safe: it holds every card."""
    from postal.config import load_config
    from postal.store.backup import back_up

    back_up(load_config(data).database_url, file)
    size = file.stat().st_size
    said = f"The database is copied to {file} ({size:,} bytes)."
    typer.echo(json.dumps({"file": str(file), "bytes": size}) if as_json else said)


def restore(
    data: Data,
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE",
            help="The backup; left out: the database was put back already, as by pg_restore.",
        ),
    ] = None,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Put a backup in the database's place, hold what had gone on since, and read mail again.

    The database as it is now is kept beside it. Stop `postal run` first.
    """
    from postal.bootstrap import open_office
    from postal.config import load_config
    from postal.reports.display import counted, listed
    from postal.service.desk.restoring import after_restore, how_all_stood
    from postal.store.backup import put_back
    from postal.store.lock import only_one

    config = load_config(data)
    url = config.database_url
    with only_one(url, config.folder):
        what = f"Put {file} in the place of the database" if file else "Hold every game in play"
        ask(f"{what} and read mail again that isn't in it?", yes=yes)
        before = how_all_stood(url) if file else None
        aside = put_back(url, file) if file else None
        with open_office(data) as office:
            done = after_restore(office.work, office.mailbox, before)
    facts = {
        "replaced": str(aside) if aside else None,
        "held": list(done.held),
        "missing_games": done.gone,
        "mails": done.mails,
    }
    if as_json:
        typer.echo(json.dumps(facts))
        return
    if aside:
        typer.echo(f"The database as it was is kept as {aside}.")
    for game in done.held:
        typer.echo(f"{game} had gone on or may have: it is on hold until `postal resume {game}`.")
    if done.gone:
        typer.echo(f"Not in the backup, since begun later: {listed(done.gone)}.")
    mails = counted(done.mails, "mail")
    typer.echo(f"To be read again: {mails}. Now start `postal run` again.")
