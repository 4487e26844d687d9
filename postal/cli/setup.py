"""Setting up: ``postal init`` makes a data folder, ``postal check`` tries everything out."""

from __future__ import annotations

import json
import os
import shlex
import threading
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from postal.cli.options import Data, Json
from postal.errors import UsageError
from postal.resources import default_data_folder, example_config

if TYPE_CHECKING:
    from postal.config import Config
    from postal.mail.imap import ImapSettings
    from postal.mail.smtp import SmtpSettings

_NEXT = """\
{folder} is ready. What to do next:
  1. Fill in {config}: your name, the mailbox, the password.
  2. postal check --send{data}   (tries it all out, with a mail to itself)
  3. postal game new NAME --player 'Joe <joe@example.org>' …{data}   (six or eight players)
  4. postal run{data}   (leave it running)
The folders games and templates are for your own: a file there stands in for postal's of that name.\
"""


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    app.command()(init)
    app.command()(check)


def init(data: Data) -> None:
    """Make a data folder with a config to fill in."""
    config = data / "config.toml"
    if config.exists():
        raise UsageError(f"{config} is there already: nothing was changed.")
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name in ("games", "templates"):
            (data / name).mkdir(exist_ok=True)
        # It will hold a password: it is never readable by others, not even for a moment.
        handle = os.open(config, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(example_config().read_bytes())
    except (FileExistsError, FileNotFoundError, NotADirectoryError) as error:
        raise UsageError(
            f"{error.filename} can't be made ({error.strerror}): choose a folder with --data."
        ) from error
    option = "" if data == default_data_folder() else f" --data {shlex.quote(str(data))}"
    typer.echo(_NEXT.format(folder=data, config=config, data=option))


def check(
    data: Data,
    send: Annotated[
        bool,
        typer.Option("--send", help="Mail a line to where answers go, and wait until it comes."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Try out the config, both mail servers, the database and the templates.

    Prints one line each, saying what to do where it fails, and ends with 1 if any fails. It makes
    the mailbox's folders and the database's tables where they are missing; it sends no mail unless
    --send asks for one, which waits two minutes at most.
    """
    from postal.bootstrap import imap_settings, smtp_settings
    from postal.clock import SystemClock
    from postal.service.desk.check import check_setup
    from postal.service.desk.roundtrip import send_and_wait

    def sending(config: Config, imap: ImapSettings, smtp: SmtpSettings) -> str:
        return send_and_wait(config, imap, smtp, SystemClock(), threading.Event().wait)

    failed = False
    findings = []
    for finding in check_setup(data, imap_settings, smtp_settings, sending if send else None):
        findings.append(asdict(finding))
        failed |= not finding.ok
        if not as_json:
            typer.echo(f"{'ok  ' if finding.ok else 'FAIL'}  {finding.check:<9}  {finding.says}")
    if as_json:
        typer.echo(json.dumps(findings, indent=2, ensure_ascii=False))
    if failed:
        raise typer.Exit(1)
