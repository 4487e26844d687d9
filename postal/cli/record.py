"""Game records (RECORD.md): ``postal export``, ``postal replay``, and ``postal verify``."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated

import typer

from postal.cli.options import Data, Json
from postal.errors import UsageError

_OWNER_ALONE = 0o600


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    app.command()(export)
    app.command()(replay)
    app.command()(verify)


def export(
    game: Annotated[str, typer.Argument(metavar="GAME", help="The game's name.")],
    data: Data,
    sealed: Annotated[
        bool, typer.Option("--sealed", help="Also a game in play: it opens every card.")
    ] = False,
    to: Annotated[
        Path | None, typer.Option("--to", metavar="FILE", help="Write to a file, not the screen.")
    ] = None,
) -> None:
    """Write a game's record: enough to play it again anywhere and get the same result."""
    from postal.bootstrap import open_office
    from postal.service.desk.looks import look
    from postal.service.records.export import export_game

    with open_office(data, look=True) as office:
        if sealed:
            look(office.work, game, "every card (`postal export --sealed`)")
        text = export_game(office.work, game, sealed=sealed)
    if to is None:
        typer.echo(text, nl=False)
    else:
        _write(to, text)
        typer.echo(f"The record of {game} is in {to}.")


def _write(file: Path, text: str) -> None:
    """Write a record, which may open cards still in play, for nobody else to read."""
    try:
        handle = os.open(file, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, _OWNER_ALONE)
        with os.fdopen(handle, "w", encoding="utf-8") as record:
            record.write(text)
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError) as error:
        raise UsageError(f"--to {file}: {error.strerror}; choose another file.") from error


def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A game record.")],
    data: Data,
    as_json: Json = False,
) -> None:
    """Play a record again and print its outcome.

    Ends with 1 where the file holds another outcome than the replay gives, saying where they
    differ, and with 2 where the file is no game record.
    """
    from postal.resources import games_path
    from postal.service.records.record import differences, load_record
    from postal.service.records.record import replay as play_again

    record = load_record(file, games_path(data))
    outcome = play_again(record).outcome
    if as_json:
        typer.echo(json.dumps(outcome, indent=1, ensure_ascii=False))
    else:
        from postal.cli.outcome import print_outcome

        print_outcome(outcome)
    unlike = differences(record.outcome, outcome) if record.outcome is not None else ()
    for line in unlike:
        typer.echo(line, err=True)
    if unlike:
        raise typer.Exit(1)


def verify(
    game: Annotated[str, typer.Argument(metavar="GAME", help="The game's name.")], data: Data
) -> None:
    """Adjudicate a game again from its deal, and compare with what was stored and reported.

    Ends with 1 where anything differs, saying what.
    """
    from postal.bootstrap import open_office
    from postal.reports.display import counted
    from postal.service.records.verify import verify_game

    with open_office(data, look=True) as office:
        turns, found = verify_game(office.work, game)
    for sentence in found:
        typer.echo(sentence, err=True)
    if found:
        raise typer.Exit(1)
    typer.echo(
        f"{game}: the deal and {counted(turns, 'turn')} are as they were stored and reported."
    )
