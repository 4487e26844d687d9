"""Where things are: what comes with postal, in a checkout or the wheel, and the GM's data."""

import os
from pathlib import Path

import platformdirs

_PACKAGE = Path(__file__).resolve().parent


def _home() -> Path:
    """Return the folder that holds ``games``, ``templates`` and ``config.example.toml``."""
    packed = _PACKAGE / "_data"
    return packed if packed.is_dir() else _PACKAGE.parent


def games_folder() -> Path:
    """Return the folder of the game files that come with postal (GAMES.md)."""
    return _home() / "games"


def templates_folder() -> Path:
    """Return the folder of the templates that come with postal."""
    return _home() / "templates"


def example_config() -> Path:
    """Return the path of the example config, every key explained."""
    return _home() / "config.example.toml"


def games_path(data_folder: Path) -> list[Path]:
    """Return where to look for game files, the GM's own ``games`` folder first."""
    return [data_folder / "games", games_folder()]


def templates_path(data_folder: Path) -> list[Path]:
    """Return where to look for templates, the GM's own ``templates`` folder first."""
    return [data_folder / "templates", templates_folder()]


CRASH = "crash-%Y%m%dT%H%M%SZ-"
"""How the name of a file about a crash begins, by the time in UTC; it ends in ``.txt``."""


def default_data_folder() -> Path:
    """Return the data folder for want of ``--data``: ``POSTAL_DATA``, or the system's place."""
    named = os.environ.get("POSTAL_DATA")
    return Path(named) if named else platformdirs.user_data_path("postal", appauthor=False)
