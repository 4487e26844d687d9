"""Turns: ``postal orders`` tells who is in, ``postal adjudicate`` forces a turn."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from postal.cli.mailroom import recover_alone
from postal.cli.options import Data, Json

if TYPE_CHECKING:
    from postal.bootstrap import Office

GameName = Annotated[str, typer.Argument(metavar="GAME", help="The game's name.")]
Reveal = Annotated[bool, typer.Option("--reveal", help="Show hidden cards and orders too.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    app.command()(orders)
    app.command()(adjudicate)


def orders(game: GameName, data: Data, reveal: Reveal = False, as_json: Json = False) -> None:
    """Tell whose orders are in for the turn in play, and whose aren't."""
    from postal.bootstrap import open_office
    from postal.cli.tables import print_rows, when
    from postal.service.desk.overview import show_orders

    with open_office(data) as office:
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


def adjudicate(
    game: GameName,
    data: Data,
    turn: Annotated[
        int | None, typer.Option(help="Only this turn: nothing is done if the game is past it.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say how much would be done; change nothing.")
    ] = False,
    reveal: Reveal = False,
) -> None:
    """Poll the inbox once more, then force the turn, with defaults for missing orders."""
    from postal.bootstrap import open_office
    from postal.reports.display import counted

    with open_office(data) as office:
        meant = _meant(office, game, turn)
        if meant is None:
            return
        if dry_run:
            _preview(office, game, reveal)
            return
        rounds = office.rounds()
        try:
            recover_alone(office, rounds)
            rounds.poll()
            # A daemon may have adjudicated it meanwhile: the next turn is not to be forced.
            if _meant(office, game, meant) is None:
                return
            _force(office, game, meant)
            sent = rounds.send()
        finally:
            rounds.close()
    mails = counted(sent.sent, "mail")
    typer.echo(f"{mails} sent, {sent.retried} to be tried again, {sent.failed} failed.")


def _meant(office: Office, game: str, turn: int | None) -> int | None:
    """Return the turn to adjudicate; None where the game is past it or over, which is said."""
    from postal.service.desk.adjudicate import turn_meant

    meant = turn_meant(office.work, game, turn)
    if isinstance(meant, str):
        typer.echo(meant)
        return None
    return meant


def _force(office: Office, game: str, turn: int) -> None:
    from postal.service.desk.adjudicate import force_turn

    done = force_turn(office.work, game, turn)
    typer.echo(f"{game}: turn {done.turn} is adjudicated{'; the game is over' * done.finished}.")


def _preview(office: Office, game: str, reveal: bool) -> None:
    """Print how much would be done; who would be NMR and what would happen only with ``reveal``."""
    from postal.engine.events import Nmr
    from postal.engine.game import due
    from postal.reports.display import counted
    from postal.reports.events import told
    from postal.service.desk.adjudicate import preview

    before, _, events = preview(office.work, game)
    missing: dict[str, list[str]] = {}
    for event in events:
        if isinstance(event, Nmr):
            missing.setdefault(event.player, []).append(event.hand)
    if not reveal:
        owed = due(before)
        hands = counted(len({hand for _, hand in owed}), "hand")
        orders = counted(len(owed), "order")
        lacking = sum(len(set(hands)) for hands in missing.values())
        typer.echo(
            f"{game}: turn {before.turn} would be adjudicated ({orders} due at {hands},"
            f" {lacking} missing); nothing is changed or mailed. --reveal shows the rest."
        )
        return
    typer.echo(f"{game}: turn {before.turn} as its orders stand; nothing is changed or mailed.")
    names = [f"{player} ({', '.join(dict.fromkeys(hands))})" for player, hands in missing.items()]
    typer.echo(f"NMR: {'; '.join(names) or 'nobody'}")
    for event in events:
        if event.seen_by(None) and not isinstance(event, Nmr):
            pieces = (
                piece if isinstance(piece, str) else " ".join(face.text for face in piece)
                for piece in told(event, None)
            )
            typer.echo(f"{event.hand or '-'}: {''.join(pieces)}")
