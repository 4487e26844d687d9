"""Groups of commands whose help says ``GAME`` where something is to be given, without brackets."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import typer
from typer.core import TyperCommand

_BRACES = re.compile(r"[{}]")
_TYPE = re.compile(r" <[^>]*>$")


class Command(TyperCommand):
    """A command; brackets in its usage stand only around what may be left out."""

    def collect_usage_pieces(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]  # the same class by another name
        """Return the parts of the usage line."""
        return [_BRACES.sub("", piece) for piece in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]  # noqa: ANN401 - as above; typer hides that type
        """Write the arguments by their names alone, and the options with what they take."""
        sections: dict[str, list[tuple[str, str]]] = {"argument": [], "option": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                sections[parameter.param_type_name].append(record)
        names = [(_TYPE.sub("", name), says) for name, says in sections["argument"]]
        for title, rows in (("Arguments", names), ("Options", sections["option"])):
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


class Group(typer.Typer):
    """A group of such commands."""

    def command(  # type: ignore[override]  # two of many parameters are all that is used here
        self,
        name: str | None = None,
        **more: Any,  # noqa: ANN401 - typer's own parameters
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Return a decorator that adds a command."""
        return super().command(name, cls=Command, **more)
