"""The command line: one module a command group, gathered here.

A group's module defines its commands as functions and a ``register(app)`` that adds them; what is
heavy (the store, mail, templates, the config) is imported inside the functions, so that
``postal --help`` is quick.
"""

import io
import sys
from typing import Annotated

import typer

from postal import __version__
from postal.cli import (
    accidents,
    demo,
    desk,
    forcing,
    forget,
    game,
    inbox,
    mailroom,
    migrate,
    observer,
    player,
    protest,
    purge,
    record,
    setup,
    standby,
    turns,
)
from postal.cli.commands import Group
from postal.cli.failures import guarded
from postal.cli.logs import keep_quiet

app = Group(
    name="postal",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"postal {__version__}")
        raise typer.Exit


@app.callback()
def postal(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Run a postal card league, Richard Smith's postal Anaconda, from one mailbox.

    Begin with `postal init`, or watch a game with `postal demo`.
    """


setup.register(app)
migrate.register(app)
game.register(app)
turns.register(app)
forcing.register(app)
desk.register(app)
protest.register(app)
observer.register(app)
accidents.register(app)
mailroom.register(app)
inbox.register(app)
player.register(app)
standby.register(app)
forget.register(player.players)
purge.register(app)
record.register(app)
demo.register(app)


def main() -> None:
    """Run the command that was typed; every failure is one sentence and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal without a £ or a suit gets a question mark, not an error.
            stream.reconfigure(errors="replace")
    keep_quiet()
    try:
        guarded(app)
    finally:
        keep_quiet()  # Typer puts a hook of its own in place
