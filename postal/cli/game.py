"""Games: ``postal game new`` starts one, ``list`` and ``show`` tell how they stand."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from postal.cli.asking import Yes, ask
from postal.cli.commands import Group
from postal.cli.options import Data, Json
from postal.errors import UsageError

if TYPE_CHECKING:
    from postal.config.sections import Game

games = Group(no_args_is_help=True, help="Start games and see how they stand.")

Name = Annotated[str, typer.Argument(metavar="GAME", help="The game's name.")]
Reveal = Annotated[bool, typer.Option("--reveal", help="Show hidden cards too.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    app.add_typer(games, name="game")


@games.command("new")
def new(
    name: Annotated[
        str,
        typer.Argument(metavar="GAME", help="A short name: lower-case letters, digits and '-'."),
    ],
    player: Annotated[
        list[str],
        typer.Option(
            "--player",
            metavar="'NAME <ADDRESS>'",
            help="'Joe <joe@example.org>'; one for each player.",
        ),
    ],
    data: Data,
    rules: Annotated[str, typer.Option(metavar="NAME", help="The game file.")] = "smith",
    option: Annotated[
        list[str] | None, typer.Option("--option", metavar="KEY=VALUE", help="A rule's option.")
    ] = None,
    secret_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="A file with the deal's secret, 64 hex digits (for tests)."
        ),
    ] = None,
    turn_length: Annotated[
        str | None,
        typer.Option(metavar="DAYS", help="Days a turn lasts, or 7,7,3: to give, keep and bet."),
    ] = None,
    every: Annotated[
        str | None,
        typer.Option(metavar="DAYS", help="Instead: weekdays of the deadlines, such as tue,fri."),
    ] = None,
    hour: Annotated[
        int | None, typer.Option(metavar="HOUR", help="The hour of the deadline, 0 to 23.")
    ] = None,
    minute: Annotated[
        int | None, typer.Option(metavar="MINUTE", help="The minute of the deadline.")
    ] = None,
    zone: Annotated[
        str | None, typer.Option(metavar="ZONE", help="The deadline's time zone.")
    ] = None,
    min_hours: Annotated[
        int | None,
        typer.Option(metavar="HOURS", help="Least hours between a report and the next deadline."),
    ] = None,
    quiet: Annotated[
        str | None,
        typer.Option(metavar="DAYS", help="Days without a deadline, such as 'sun, 12-25'."),
    ] = None,
    grace: Annotated[
        int | None,
        typer.Option(metavar="HOURS", help="Hours after the deadline when orders still count."),
    ] = None,
    remind: Annotated[
        int | None,
        typer.Option(
            metavar="HOURS", help="Hours before the deadline to remind players; 0: never."
        ),
    ] = None,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Start a game for six or eight players: deal, and mail each his cards at the next round."""
    from postal.bootstrap import open_office
    from postal.entropy import new_secret
    from postal.resources import games_path
    from postal.service.desk.newgame import NewGame, check_game, create_game, parse_player
    from postal.service.turns.calendar import of_settings

    players = [parse_player(text) for text in player]
    options = _options(option or ())
    secret = _secret(secret_file) if secret_file else new_secret()
    given = {
        "turn_length": turn_length,
        "every": every,
        "hour": hour,
        "minute": minute,
        "zone": zone,
        "min_hours": min_hours,
        "quiet": quiet,
        "grace": grace,
        "remind": remind,
    }
    with open_office(data) as office:
        chosen = _chosen(office.config.game, given)
        calendar = of_settings(chosen)
        for key in ("settle", "grace"):
            options.setdefault(key, str(getattr(chosen, key)))
        wanted = NewGame(name, players, rules, options, calendar, secret)
        games = games_path(office.config.folder)
        for one, address in check_game(office.work, wanted, games) if not as_json else ():
            typer.echo(f"{one:30} {address}")
        ask(f"Is every name and address right, and is {name} to begin?", yes=yes)
        loaded = create_game(office.work, wanted, games)
    deadline = loaded.turn.deadline if loaded.turn else None
    if as_json:
        facts = {"game": name, "deadline": deadline and deadline.isoformat()}
        typer.echo(json.dumps(facts | {"players": dict(players)}, ensure_ascii=False))
        return
    typer.echo(
        f"{name} has begun with {len(players)} players; turn 1 is due"
        f" {deadline:%Y-%m-%d %H:%M} UTC."
    )
    typer.echo(f"Turns end {calendar.words()}.")
    typer.echo("The welcomes are in the outbox: `postal run` sends them.")


@games.command("list")
def list_(data: Data, as_json: Json = False) -> None:
    """List the games."""
    from postal.bootstrap import open_office
    from postal.cli.tables import when
    from postal.service.desk.overview import list_games

    with open_office(data, look=True) as office:
        rows = list_games(office.work)
    if not as_json:
        rows = [row | {"deadline": when(row["deadline"])} for row in rows]
    _print(rows, as_json, "There is no game yet: `postal game new` starts one.")


@games.command("show")
def show(game: Name, data: Data, reveal: Reveal = False, as_json: Json = False) -> None:
    """Show how a game stands; hidden cards only with --reveal."""
    from postal.bootstrap import open_office
    from postal.cli.tables import print_game
    from postal.service.desk.looks import look
    from postal.service.desk.overview import show_game

    with open_office(data, look=True) as office:
        if reveal:
            look(office.work, game, "all hidden cards (`postal game show --reveal`)")
        facts = show_game(office.work, game, reveal=reveal)
    if as_json:
        typer.echo(json.dumps(facts, indent=2, ensure_ascii=False))
    else:
        print_game(facts)


@games.command("abandon")
def abandon(
    game: Name,
    data: Data,
    text: Annotated[
        str, typer.Option("--text", metavar="TEXT", help="What to say to the players.")
    ] = "",
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Give a game up: nothing more is adjudicated, and all its players are told."""
    from postal.bootstrap import open_office
    from postal.service.desk.messages import abandon as give_up

    with open_office(data) as office:
        ask(f"Give {game} up for good and tell all its players?", yes=yes)
        give_up(office.work, game, text)
    said = f"{game} is given up; what was stored stays."
    typer.echo(json.dumps({"game": game, "status": "abandoned"}) if as_json else said)


@games.command("options")
def options(
    data: Data,
    rules: Annotated[str, typer.Option(metavar="NAME", help="The game file.")] = "smith",
    as_json: Json = False,
) -> None:
    """List the options that --option can set for a game of these rules."""
    from postal.engine.rulefile import option_choices
    from postal.resources import games_path
    from postal.service.gamefiles import load_game_file

    declared = option_choices(load_game_file(rules, games_path(data)))
    rows = [
        {
            "option": name,
            "default": entry["default"],
            "choices": list(entry.get("choices", ())),
            "says": entry.get("says", ""),
        }
        for name, entry in declared.items()
    ]
    if not as_json:
        for row in rows:
            row["default"] = json.dumps(row["default"]).strip('"')
            row["choices"] = ", ".join(map(str, row["choices"]))
    _print(rows, as_json, "These rules have no options.")


def _print(rows: list[dict[str, Any]], as_json: bool, nothing: str) -> None:
    from postal.cli.tables import print_rows

    if as_json:
        typer.echo(json.dumps(rows, indent=2, ensure_ascii=False))
    else:
        print_rows(rows, nothing)


def _options(texts: Sequence[str]) -> dict[str, str]:
    options: dict[str, str] = {}
    for key, value in map(_option, texts):
        if options.setdefault(key, value) != value:
            raise UsageError(f"--option {key} is given twice, with different values.")
    return options


def _option(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise UsageError(f"--option {text!r}: write KEY=VALUE, such as check_limit=6.")
    return key.strip(), value.strip()


def _chosen(usual: Game, given: Mapping[str, Any]) -> Game:
    """Return the config's settings with what was given instead, within the config's own limits."""
    from pydantic import ValidationError

    from postal.config.words import sentence

    named = {key: value for key, value in given.items() if value is not None}
    if named.keys() >= {"every", "turn_length"}:
        raise UsageError("Give --turn-length or --every, not both: each says when turns end.")
    if "turn_length" in named:
        named["every"] = ""
    try:
        return type(usual)(**{**usual.model_dump(), **named})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key, _, says = sentence(first, {}).partition(" ")
        raise UsageError(f"--{key.replace('_', '-')} {says}.") from None


def _secret(path: Path) -> bytes:
    try:
        return bytes.fromhex(path.read_text("ascii").strip())
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: the deal's secret must be a file with 64 hex digits.") from error
