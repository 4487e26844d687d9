"""Setting up: ``postal init`` makes a data folder, ``postal check`` tries everything out."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from postal.cli.options import Data, Json
from postal.errors import PostalError, UsageError
from postal.resources import default_data_folder, example_config

if TYPE_CHECKING:
    from postal.config import Config

_NEXT = """\
{folder} is ready. What to do next:
  1. Fill in {config}: your name, the mailbox, the password.
  2. postal check{data}
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


@dataclass(frozen=True)
class Finding:
    """What came of one check: its name, whether all is well, and a sentence for the GM."""

    check: str
    ok: bool
    says: str


def check(data: Data, as_json: Json = False) -> None:
    """Try out the config, both mail servers and the database.

    Prints one line each, saying what to do where it fails, and ends with 1 if any fails. It makes
    the mailbox's folders and the database's tables where they are missing; it sends no mail.
    """
    failed = False
    findings = []
    for finding in _findings(data):
        findings.append(asdict(finding))
        failed |= not finding.ok
        if not as_json:
            typer.echo(f"{'ok  ' if finding.ok else 'FAIL'}  {finding.check:<8}  {finding.says}")
    if as_json:
        typer.echo(json.dumps(findings, indent=2, ensure_ascii=False))
    if failed:
        raise typer.Exit(1)


def _findings(data: Path) -> Iterator[Finding]:
    """Check one thing after the other; what depends on a failed one is left out."""
    from postal.config import CONFIG_NAME, ConfigError, load_config

    try:
        config = load_config(data)
    except ConfigError as error:
        yield from (Finding("config", False, line) for line in str(error).splitlines())
        return
    file = config.folder / CONFIG_NAME
    advice = f"; others may read it: chmod 600 {file}" if file.stat().st_mode & 0o077 else ""
    yield Finding("config", True, f"{file} is in order{advice}{_answers_elsewhere(config)}.")
    yield from _mailbox(config)
    yield _tried("smtp", _submission, config)
    yield _tried("database", _database, config)


def _answers_elsewhere(config: Config) -> str:
    """Return what to do where players would answer to another address than the mailbox's."""
    from postal.mail.gate import base_address

    mailbox = config.imap.user
    if "@" not in mailbox or base_address(mailbox) == base_address(config.sender):
        return ""
    return (
        f"; but players will answer to {config.sender}: unless its mail comes to {mailbox},"
        f' set from = "{mailbox}" in [smtp]'
    )


def _tried(check: str, work: Callable[[Config], str], config: Config) -> Finding:
    """Do one check; a failure of the world outside is a finding."""
    from postal.mail.connection import MailServerUnavailable

    try:
        return Finding(check, True, _ended(work(config)))
    except (MailServerUnavailable, PostalError) as error:
        return Finding(check, False, _ended(error))


def _mailbox(config: Config) -> Iterator[Finding]:
    """Log in to the mailbox, then see to its folders."""
    from postal.bootstrap import imap_settings
    from postal.mail.connection import MailServerUnavailable
    from postal.mail.imap import FOLDERS, Mailbox

    step = "imap"
    try:
        with Mailbox(imap_settings(config)) as mailbox:
            place = f"{config.imap.host}:{config.imap.port_used()}"
            yield Finding(step, True, f"{place}: logged in as {config.imap.user}.")
            step = "folders"
            mailbox.ensure_folders()
            count = len(mailbox.new_uids())
            says = f"{', '.join(FOLDERS)} are there; {count} to read in {config.imap.folder}."
            yield Finding(step, True, says)
    except (MailServerUnavailable, PostalError) as error:
        yield Finding(step, False, _ended(error))


def _submission(config: Config) -> str:
    """Log in to the SMTP server."""
    from postal.bootstrap import smtp_settings
    from postal.mail.smtp import Sender

    settings = smtp_settings(config)
    with Sender(settings) as sender:
        sender.check()
    return f"{settings.place}: {f'logged in as {settings.user}' if settings.user else 'no login'}"


def _database(config: Config) -> str:
    """Open the database and bring its tables up to date."""
    from postal.store.database import open_database

    open_database(config.database_url).close()
    kind = config.database_url.partition(":")[0].partition("+")[0]
    return f"{'SQLite' if kind == 'sqlite' else 'PostgreSQL'} opened, its tables up to date"


def _ended(says: object) -> str:
    """Return a sentence with its full stop, or question mark."""
    text = str(says).rstrip(".")
    return text if text.endswith("?") else f"{text}."
