"""``postal demo`` plays a whole game with robots, by real mail on this machine alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from postal.errors import PostalError, UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from postal.demo.show import Demo, Scene

_PLAYERS = (6, 8)
_SEEDS_DRAWN = 1_000_000


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(demo)


def demo(
    players: Annotated[int, typer.Option(metavar="NUMBER", help="6 or 8.")] = 6,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER", help="A number; the same one gives the same cards and robots."
        ),
    ] = None,
    into: Annotated[
        Path, typer.Option("--into", metavar="DIR", help="Where mails, database and record go.")
    ] = Path("postal-demo"),
) -> None:
    """Watch a whole game by mail: robots play it, on mail servers inside this program."""
    if players not in _PLAYERS:
        raise UsageError(f"--players {players}: postal Anaconda is for 6 or 8.")
    try:
        from postal.demo.show import play
    except ImportError as error:
        raise PostalError(
            "The demo's mail servers are not installed: pip install 'postal-anaconda[demo]'"
        ) from error
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    from postal.entropy import new_secret

    if seed is None:
        seed = int.from_bytes(new_secret(), "big") % _SEEDS_DRAWN
    console = Console(highlight=False, markup=False, soft_wrap=True)
    console.print(f"{players} robots play by mail; --seed {seed} repeats this game.")
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("hands over, {task.fields[mails]} mails"),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task("Turn 1", total=None, mails=0)

        def watch(scene: Scene) -> None:
            for ending in scene.endings:
                progress.console.print(f"  turn {scene.turn}: {ending}")
            progress.update(
                bar,
                description=f"Turn {scene.turn + 1}",
                total=scene.hands,
                completed=scene.over,
                mails=scene.mails,
            )

        done = play(into, players, seed, watch)
    _print_end(console, done)


def _print_end(console: Console, done: Demo) -> None:
    """Print the final table, and where everything is."""
    from postal.cli.outcome import money
    from postal.cli.tables import print_rows
    from postal.demo.folder import MAIL, RECORD
    from postal.demo.show import GAME

    tempers = {robot.name: robot.temper.name for robot in done.robots}
    balances = {one["name"]: one["balance"] for one in done.facts["players"]}
    console.print(f"\nThe final table, after {done.facts['turn'] - 1} turns:\n")
    print_rows(
        [
            {
                "place": 1 + sum(other > pounds for other in balances.values()),
                "player": name,
                "balance": f"{money(pounds):>12}",
                "plays": tempers[name],
            }
            for name, pounds in sorted(balances.items(), key=lambda item: -item[1])
        ],
        "",
    )
    console.print(
        f"\nTogether {money(sum(balances.values()))}, as at the start."
        f" {done.mails['received']} mails went to the players, {done.mails['sent']} came back."
    )
    console.print(
        f"\nEvery mail      {done.folder / MAIL}/\n"
        f"The record      postal replay {done.folder / RECORD}\n"
        f"Every card      postal game show {GAME} --reveal --data {done.folder}"
    )
