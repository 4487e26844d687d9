"""Players: the commands of ``postal player``, and ``postal token revoke``."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated, Any

import typer

from postal.cli.asking import Yes, ask
from postal.cli.commands import Group
from postal.cli.options import Data, Json
from postal.errors import UsageError

players = Group(no_args_is_help=True, help="Manage players.")
tokens = Group(no_args_is_help=True, help="Manage players' reply tokens.")

Name = Annotated[str, typer.Argument(metavar="PLAYER", help="The player's name.")]
Game = Annotated[
    str | None, typer.Option("--game", metavar="GAME", help="Which game, where several have them.")
]
_WHO = "A name, an address, or a number from `postal player list`."
Person = Annotated[str, typer.Argument(metavar="PERSON", help=_WHO)]


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    app.add_typer(players, name="player")
    app.add_typer(tokens, name="token")


@players.command("list")
def list_(data: Data, as_json: Json = False) -> None:
    """List everybody: their games in play, and when their last mail came."""
    from postal.bootstrap import open_office
    from postal.cli.tables import print_rows, when
    from postal.service.desk.people import list_people

    with open_office(data, look=True) as office:
        rows = list_people(office.work)
    if as_json:
        _print_json(rows)
        return
    shown = [row | {"last_heard": when(row["last_heard"])} for row in rows]
    print_rows(shown, "There is nobody yet: `postal game new` starts a game.")


@players.command("show")
def show(person: Person, data: Data, as_json: Json = False) -> None:
    """Show one person: addresses, zone, seats, and the mail that did not arrive."""
    from postal.bootstrap import open_office
    from postal.service.desk.people import show_person

    with open_office(data, look=True) as office:
        facts = show_person(office.work, person)
    if as_json:
        _print_json(facts)
    else:
        _print_person(facts)


@players.command("add-address")
def add_address(
    player: Name,
    address: Annotated[
        str, typer.Argument(metavar="ADDRESS", help="The address that they write from too.")
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


@players.command("set-address")
def set_address(
    person: Person,
    address: Annotated[
        str, typer.Argument(metavar="ADDRESS", help="Where their reports go from now on.")
    ],
    data: Data,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Replace a player's address, because it was mistyped or is gone.

    The report of each game goes to the new address at once, with a new token. Mail from the old
    address and the old tokens no longer count, and nothing more is sent there.
    """
    from postal.bootstrap import open_office
    from postal.service.desk.newaddress import set_address as replace
    from postal.service.desk.people import show_person

    with open_office(data) as office:
        facts = show_person(office.work, person)
        ask(f"Send the reports of {_told(facts)} to {address} from now on?", yes=yes)
        done = replace(office.work, _number(facts), address)
    if as_json:
        _print_json(asdict(done))
        return
    typer.echo(f"{done.name}'s reports go to {address} from now on; the old tokens are void.")
    if done.games:
        typer.echo(f"A report with a new token is queued for {', '.join(done.games)}.")
    for slug in done.unreadable:
        typer.echo(
            f"{slug} can't be read, so no report was made of it: once it is put right,"
            f" `postal token revoke PLAYER --game {slug}` sends one."
        )


@players.command("merge")
def merge(
    kept: Annotated[
        str, typer.Argument(metavar="KEPT", help=f"Whose name and address stay. {_WHO}")
    ],
    other: Annotated[str, typer.Argument(metavar="OTHER", help="Who is the same person.")],
    data: Data,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Make one person of two: KEPT gets the games and the addresses of OTHER.

    Both are told. The reports of all games go to KEPT's address from now on.
    """
    from postal.bootstrap import open_office
    from postal.service.desk.merging import merge_people
    from postal.service.desk.people import show_person

    with open_office(data) as office:
        first, second = show_person(office.work, kept), show_person(office.work, other)
        ask(f"Make one person of {_told(first)} and {_told(second)}?", yes=yes)
        done = merge_people(office.work, _number(first), _number(second))
    if as_json:
        _print_json(asdict(done))
        return
    playing = f" in {', '.join(done.games)}" if done.games else ""
    typer.echo(f"{done.name} (number {done.person_id}) is one person now{playing}.")
    told = " and ".join(done.told) or "Nobody"
    typer.echo(f"{told} will get a mail about it at the next round.")


@players.command("replace")
def replace(
    game: Annotated[str, typer.Argument(metavar="GAME", help="The game's name.")],
    old: Annotated[str, typer.Argument(metavar="OLD", help="Whose seat it is.")],
    new: Annotated[
        str, typer.Argument(metavar="NEW", help="Who plays on: 'Sue <sue@example.org>'.")
    ],
    data: Data,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Give a player's seat to somebody else, who gets all that the seat may know.

    The orders on file and the tokens of the former holder are void, and all players are told.
    """
    from postal.bootstrap import open_office
    from postal.service.desk.newgame import parse_player
    from postal.service.desk.replacing import replace_player

    name, address = parse_player(new, "")
    with open_office(data) as office:
        ask(f"Give the seat of {old} in {game} to {name} and tell all its players?", yes=yes)
        done = replace_player(office.work, game, old, name, address)
    if as_json:
        _print_json(asdict(done))
    else:
        typer.echo(f"{done.holder} plays for {done.seat} in {game} now; all get a mail about it.")


@players.command("robot")
def robot(
    game: Annotated[str, typer.Argument(metavar="GAME", help="The game's name.")],
    seat: Annotated[str, typer.Argument(metavar="SEAT", help="Whose seat it is.")],
    data: Data,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Let a robot play for a player from now on; `postal player replace` ends that.

    It sees what the seat may see, and all players are told that it sits there.
    """
    from postal.bootstrap import open_office
    from postal.service.desk.replacing import seat_robot

    with open_office(data) as office:
        ask(f"Let a robot play for {seat} in {game} and tell all its players?", yes=yes)
        done = seat_robot(office.work, game, seat)
    if as_json:
        _print_json(asdict(done))
    else:
        typer.echo(f"A robot plays for {done.seat} in {game} now; all get a mail about it.")


@players.command("holiday")
def holiday(
    person: Person,
    data: Data,
    first: Annotated[
        str | None, typer.Argument(metavar="FIRST", help="The first day: 2026-12-20.")
    ] = None,
    last: Annotated[
        str | None, typer.Argument(metavar="LAST", help="The last day: 2027-01-03.")
    ] = None,
    cancel: Annotated[bool, typer.Option("--cancel", help="Take back what is noted.")] = False,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Note that a person is on holiday, in all their games; deadlines move past it.

    By each game's options; everybody is told a moved deadline, and nobody for whom it is.
    """
    from postal.bootstrap import open_office
    from postal.service.desk.holidays import cancel_holidays, note_holiday

    if cancel == bool(first or last) or bool(first) != bool(last):
        raise UsageError("Give the first and the last day, or --cancel.")
    with open_office(data) as office:
        if first and last:
            ask(f"Note that {person} is on holiday from {first} to {last}?", yes=yes)
            done = note_holiday(office.work, person, first, last)
            facts = asdict(done)
            said = f"{done.name} is on holiday from {first} to {last} and gets a mail about it."
            more = f" Deadlines moved: {done.moved}."
        else:
            ask(f"Take back the holidays of {person}?", yes=yes)
            name = cancel_holidays(office.work, person)
            facts, more = {"name": name, "cancelled": True}, ""
            said = f"{name} is no longer on holiday and gets a mail about it."
    if as_json:
        _print_json(facts)
    else:
        typer.echo(said + more)


@tokens.command("revoke")
def revoke(player: Name, data: Data, game: Game = None) -> None:
    """Revoke a player's tokens and resend the report with a new one."""
    from postal.bootstrap import open_office
    from postal.service.desk.players import revoke_tokens

    with open_office(data) as office:
        slug = revoke_tokens(office.work, player, game)
    typer.echo(f"{slug}: {player}'s old tokens are worthless; a report with a new one is queued.")


def _number(facts: dict[str, Any]) -> str:
    """Return the words that name the person who was shown, whatever others are called."""
    return f"#{facts['id']}"


def _told(facts: dict[str, Any]) -> str:
    """Return a person for a question: ``Joe (number 3, joe@example.org, in autumn)``."""
    reports = [row["address"] for row in facts["addresses"] if row["reports"]]
    games = [seat["game"] for seat in facts["seats"] if seat["status"] == "running"]
    parts = [f"number {facts['id']}", *reports, f"in {', '.join(games)}" if games else "no game"]
    return f"{facts['name']} ({', '.join(parts)})"


def _print_json(facts: object) -> None:
    typer.echo(json.dumps(facts, indent=2, ensure_ascii=False))


def _print_person(facts: dict[str, Any]) -> None:
    from postal.cli.tables import when

    lines = [("", f"{facts['name']}, number {facts['id']}")]
    for row in facts["addresses"]:
        label = "reports to" if row["reports"] else "writes from" if row["confirmed"] else "asked"
        lines.append((label, row["address"] + ("" if row["confirmed"] else " (not confirmed)")))
    for seat in facts["seats"]:
        name = "" if seat["seat"] == facts["name"] else f", as {seat['seat']}"
        lines.append((seat["status"], f"{seat['game']}{name}"))
    lines.append(("last heard", when(facts["last_heard"])))
    for key in ("zone", "language"):
        lines += [(key, facts[key])] if facts[key] else []
    lines += [("mails", "text only")] if facts["text_only"] else []
    for mail in facts["undelivered"]:
        what = f"mail {mail['mail']} to {mail['to']}, {mail['subject']!r}: {mail['why']}"
        lines.append(("undelivered", what))
    for label, text in lines:
        safe = "".join(char if char.isprintable() else "\ufffd" for char in text)
        typer.echo(f"{label + ':':13}{safe}" if label else safe)
