"""Finds game files and makes Rules of them; a mistake is told with file and key (GAMES.md)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from postal.engine.editions import NEWEST
from postal.engine.rulefile import read_rules
from postal.engine.rules import Rules
from postal.errors import UsageError, toml_place


class RulesError(UsageError):
    """A game file, an option or a number of players that won't do."""


def game_names(folders: Sequence[Path]) -> tuple[str, ...]:
    """Return the names of the game files in the folders, without doubles."""
    return tuple(
        sorted(
            {path.stem for folder in folders if folder.is_dir() for path in folder.glob("*.toml")}
        )
    )


def load_game_file(name: str, folders: Sequence[Path]) -> Mapping[str, Any]:
    """Return the game file of that name, looked for in the folders in turn.

    Raises RulesError where there is none, or where it is no TOML.
    """
    for folder in folders:
        path = folder / f"{name}.toml"
        if name in game_names([folder]):
            try:
                return tomllib.loads(path.read_text("utf-8"))
            except UnicodeDecodeError:
                raise RulesError(f"{path}: no TOML: it is not UTF-8 text.") from None
            except tomllib.TOMLDecodeError as error:
                raise RulesError(f"{path}: no TOML at {toml_place(error)}.") from None
            except OSError as error:
                raise RulesError(f"{path}: {error.strerror}") from error
    there = ", ".join(game_names(folders)) or "none"
    raise RulesError(f"There is no game file {name!r}; there are: {there}.")


def make_rules(
    source: Mapping[str, Any],
    options: Mapping[str, Any],
    players: int,
    where: str = "",
    edition: int = NEWEST,
) -> Rules:
    """Return checked rules; RulesError with every mistake, one a line, where they won't do.

    ``edition`` is that of RULES.md under which the game is played.
    """
    rules = read_rules(source, options, players, edition)
    if isinstance(rules, Rules):
        return rules
    prefix = f"{where}: " if where else ""
    raise RulesError("\n".join(f"{prefix}{problem}" for problem in rules))
