"""A data folder with mail servers in memory, for the tests of commands."""

from pathlib import Path

from typer.testing import CliRunner, Result

from postal.cli import app
from postal.config import DATABASE_NAME
from postal.demo.servers import HOST, MailServers
from postal.errors import PostalError
from tests.fresh import fresh

GM = "gm@example.org"
PASSWORD = "hunter2"
SIX = ("Ann", "Bob", "Cat", "Dan", "Eve", "Fay")

CONFIG = """
[gm]
name = "Gemma"
address = "{gm}"
[imap]
host = "{host}"
port = {imap}
security = "plain"
user = "{gm}"
password = "{password}"
[smtp]
host = "{host}"
port = {smtp}
security = "plain"
[mail]
plus_addressing = true
"""


def postal(folder: Path, *arguments: str) -> Result:
    """Run a command on a data folder; a PostalError is in the result's exception."""
    return CliRunner().invoke(app, [*arguments, "--data", str(folder)])


def refusal(result: Result) -> tuple[int, str]:
    """Return exit code and sentence of a command that failed, which must be one line."""
    error = result.exception
    assert isinstance(error, PostalError), result.output
    sentence = str(error)
    assert len(sentence.splitlines()) == 1, sentence
    assert not result.stdout
    return error.exit_code, sentence


def make_folder(folder: Path, servers: MailServers | None = None) -> Path:
    """Write the config of a data folder."""
    text = CONFIG.format(
        gm=GM,
        host=HOST,
        password=PASSWORD,
        imap=servers.imap_port if servers else 9,
        smtp=servers.smtp_port if servers else 9,
    )
    (folder / "config.toml").write_text(text, encoding="utf-8")
    (folder / "config.toml").chmod(0o600)
    return folder


def new_game(
    folder: Path, *more: str, name: str = "smith-1", players: tuple[str, ...] = SIX
) -> Result:
    """Start a game."""
    people = [
        part for one in players for part in ("--player", f"{one} <{one.lower()}@example.org>")
    ]
    if "[database]" not in (folder / "config.toml").read_text("utf-8"):
        fresh(f"sqlite:///{folder / DATABASE_NAME}")
    return postal(folder, "game", "new", name, *people, *more)
