"""The GM's desk: how the league stands, holds, deadlines, messages, and a game's log."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from postal.cli.asking import Yes, ask
from postal.cli.options import Data, Json
from postal.cli.turns import GameName
from postal.errors import PostalError, UsageError


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    for command in (status, hold, resume, extend, deadline, message, log):
        app.command()(command)


def status(
    data: Data,
    check: Annotated[
        bool,
        typer.Option(
            "--check", help="Say only what needs you; exit status 1 where something does."
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Show all games in play: what is due, who is late, what failed, and when next."""
    from postal.bootstrap import open_office
    from postal.cli.tables import print_rows, when
    from postal.service.desk.status import league_status

    with open_office(data) as office:
        facts = league_status(office.work)
    problems = facts["problems"]
    if as_json:
        typer.echo(json.dumps(facts, indent=2, ensure_ascii=False))
    elif check:
        typer.echo("\n".join(problems) or "All is well.")
    else:
        rows = [
            row
            | {"deadline": when(row["deadline"]), "next": when(row["next"])}
            | {"missing": ", ".join(row["missing"])}
            for row in facts["games"]
        ]
        print_rows(rows, "There is no game in play: `postal game new` starts one.")
        typer.echo(
            f"Last poll of the mailbox: {when(facts['last_poll'])};"
            f" mails to send: {facts['mails_to_send']}."
        )
        for outage in facts["outages"]:
            typer.echo(outage["sentence"])
        for problem in problems:
            typer.echo(problem)
    if check and problems:
        raise typer.Exit(1)


def hold(
    game: GameName,
    data: Data,
    until: Annotated[
        str | None, typer.Option(metavar="WHEN", help="Go on by itself then: 2026-12-08 20:00, 5d.")
    ] = None,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Stop a game's clock; orders are taken meanwhile, and all players are told."""
    from postal.bootstrap import open_office
    from postal.service.desk.holding import hold as stop
    from postal.service.desk.moments import moment
    from postal.service.loading import find_game

    with open_office(data) as office:
        work = office.work
        with work.database.reading() as session:
            row = find_game(session, game)
        then = moment(until, work.clock.now(), row.zone, row.hour) if until else None
        ask(f"Put {game} on hold and tell all its players?", yes=yes)
        stop(work, game, then)
    said = f" until {then:%Y-%m-%d %H:%M} UTC" if then else f": `postal resume {game}` ends that"
    _tell(as_json, f"{game} is on hold{said}.", game=game, hold_until=then and then.isoformat())


def resume(game: GameName, data: Data, yes: Yes = False, as_json: Json = False) -> None:
    """Let a game go on that is on hold, with as much time left as it had; all are told."""
    from postal.bootstrap import open_office
    from postal.service.desk.holding import resume as go_on
    from postal.service.desk.restoring import seen_since
    from postal.service.loading import find_game

    with open_office(data) as office:
        with office.work.database.reading() as session:
            seen = seen_since(session, find_game(session, game))
        for sentence in seen if not as_json else ():
            typer.echo(sentence)
        ask(f"Let {game} go on and tell all its players?", yes=yes)
        then = go_on(office.work, game)
    due = f"; its deadline is {then:%Y-%m-%d %H:%M} UTC" if then else ""
    facts = {"game": game, "deadline": then and then.isoformat(), "seen": list(seen)}
    _tell(as_json, f"{game} goes on{due}.", **facts)


def extend(
    game: GameName,
    data: Data,
    by: Annotated[str, typer.Option(metavar="SPAN", help="How much later: 2d, 12h or 1d 12h.")],
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Move the deadline of a turn to a later time; all players are told."""
    from postal.bootstrap import open_office
    from postal.service.desk.moments import span
    from postal.service.desk.timing import extend as later

    length = span(by)
    with open_office(data) as office:
        ask(f"Move the deadline of {game} by {by} and tell all its players?", yes=yes)
        then = later(office.work, game, length)
    _tell(
        as_json,
        f"The deadline of {game} is {then:%Y-%m-%d %H:%M} UTC now.",
        game=game,
        deadline=then.isoformat(),
    )


def deadline(
    game: GameName,
    data: Data,
    when: Annotated[
        str,
        typer.Argument(metavar="WHEN", help="2026-12-08 20:00 in the game's zone, a day, or 2d."),
    ],
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Set the deadline of a turn, later or earlier; all players are told."""
    from postal.bootstrap import open_office
    from postal.service.desk.moments import moment
    from postal.service.desk.timing import set_deadline
    from postal.service.loading import find_game

    with open_office(data) as office:
        work = office.work
        with work.database.reading() as session:
            row = find_game(session, game)
        then = moment(when, work.clock.now(), row.zone, row.hour)
        ask(f"Set the deadline of {game} to {then:%Y-%m-%d %H:%M} UTC and tell all?", yes=yes)
        set_deadline(work, game, then)
    _tell(
        as_json,
        f"The deadline of {game} is {then:%Y-%m-%d %H:%M} UTC now.",
        game=game,
        deadline=then.isoformat(),
    )


def message(
    game: GameName,
    data: Data,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What to say.")] = "",
    player: Annotated[
        str | None, typer.Option(metavar="NAME", help="To this player alone.")
    ] = None,
    with_report: Annotated[
        bool, typer.Option("--with-report", help="At the head of the next report, not at once.")
    ] = False,
    cancel: Annotated[
        bool, typer.Option("--cancel", help="Take back what you wrote for the next report.")
    ] = False,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Write to the players of a game, at once or in the next report."""
    from postal.bootstrap import open_office
    from postal.reports.display import counted
    from postal.service.desk.messages import cancel_words
    from postal.service.desk.messages import message as write

    with open_office(data) as office:
        if cancel:
            if text or player or with_report:
                raise UsageError("--cancel takes back all: it goes with the game's name alone.")
            gone = cancel_words(office.work, game)
            said = f"{counted(gone, 'message')} for the next report of {game} taken back."
            _tell(as_json, said, game=game, taken_back=gone)
            return
        ask(f"Send this to {player or 'all players'} of {game}?", yes=yes)
        sent = write(office.work, game, text, player, with_report=with_report)
        if with_report:
            said = f"It will stand in the next report of {game}; --cancel takes it back."
            _tell(as_json, said, game=game, reports=sent)
            return
    if not sent:
        raise PostalError("Nobody has an address: nothing was sent.")
    _tell(as_json, f"{counted(sent, 'mail')} in the outbox.", game=game, mails=sent)


def log(
    game: GameName,
    data: Data,
    reveal: Annotated[
        bool, typer.Option("--reveal", help="With the lines of the orders; the log notes the look.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show who did what when in a game, the history of its orders included."""
    from postal.bootstrap import open_office
    from postal.cli.tables import print_rows, when
    from postal.service.desk.log import game_log

    with open_office(data) as office:
        rows = game_log(office.work, game, reveal=reveal)
    if as_json:
        typer.echo(json.dumps(rows, indent=2, ensure_ascii=False))
    else:
        print_rows([row | {"at": when(row["at"])} for row in rows], "")


def _tell(as_json: bool, sentence: str, **facts: object) -> None:
    typer.echo(json.dumps(facts, ensure_ascii=False) if as_json else sentence)
