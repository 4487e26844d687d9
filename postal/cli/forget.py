"""``postal player forget``: a person's addresses and mails go, and another name takes his place."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from postal.cli.options import Data, Json
from postal.cli.purge import Yes


def register(players: typer.Typer) -> None:
    """Add the command to the group of those that see to players."""
    players.command("forget")(forget)


def forget(
    person: Annotated[
        str, typer.Argument(metavar="PERSON", help="Who: a name, an address, or #number.")
    ],
    name: Annotated[
        str, typer.Option("--as", metavar="NAME", help="What he is called from now on.")
    ],
    data: Data,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Forget a person whose games are over: his addresses, his mails, the letters to him.

    NAME takes his name's place, also in what was played; records that are exported later show it.
    """
    from postal.bootstrap import open_office
    from postal.reports.display import counted
    from postal.service.desk.forget import OUT_OF_REACH, would_forget
    from postal.service.desk.forget import forget as forget_person

    with open_office(data) as office:
        act = forget_person if yes else would_forget
        done = act(office.work, person, name)
    if as_json:
        facts = asdict(done) | {"done": yes, "out_of_reach": OUT_OF_REACH}
        typer.echo(json.dumps(facts, indent=2, ensure_ascii=False))
        return
    addresses = f"{done.addresses} {'address' if done.addresses == 1 else 'addresses'}"
    typer.echo(
        f"{person} {'is' if yes else 'would be'} {done.name} {'now' if yes else 'then'}:"
        f" {addresses}, {counted(done.mails, 'mail')} from him and"
        f" {counted(done.letters, 'letter')} to him {'are' if yes else 'would be'} gone;"
        f" the name is another in {counted(len(done.games), 'game')}"
        f" ({', '.join(done.games) or 'none'}): {counted(done.turns, 'turn')} and"
        f" {counted(done.lines, 'line')} of orders."
    )
    typer.echo("Out of reach, and yours to see to:")
    for one in OUT_OF_REACH:
        typer.echo(f"- {one}")
    if not yes:
        typer.echo("Nothing is changed. With --yes it is done, and can't be undone.")
