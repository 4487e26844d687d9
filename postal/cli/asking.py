"""Asks the GM before what is hard to undo, where there is somebody to ask."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from postal.errors import PostalError

Yes = Annotated[bool, typer.Option("--yes", "-y", help="Don't ask, do it.")]
"""Whether not to ask; give it the default False."""


def on_terminal() -> bool:
    """Return whether a person sits at the other end."""
    return sys.stdin.isatty()


def ask(question: str, *, yes: bool) -> None:
    """Ask on a terminal, unless ``yes``; PostalError where the answer is no."""
    if not yes and on_terminal() and not typer.confirm(question, err=True):
        raise PostalError("Nothing was changed.")
