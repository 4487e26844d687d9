"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from postal.resources import default_data_folder

Data = Annotated[
    Path,
    typer.Option(
        "--data",
        envvar="POSTAL_DATA",
        metavar="FOLDER",
        default_factory=default_data_folder,
        show_default="your user data folder",
        help="The data folder: config, database, own games and templates.",
    ),
]
"""The data folder of a command; needs no default in the function's signature."""

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
"""Whether to print JSON instead of text; give it the default False."""
