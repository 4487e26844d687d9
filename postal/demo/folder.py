"""The demo's folder: made or taken over, its config, and every mail as a file of its own."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from email.parser import BytesHeaderParser
from email.policy import default
from pathlib import Path

from postal.config import CONFIG_NAME
from postal.demo.servers import HOST
from postal.errors import UsageError
from postal.store.lock import LOCK_NAME

RECORD = "game.json"
LOG = "postal.log"
MAIL = "mail"
_NOTE = "README.txt"
_FIRST = "This folder was made by `postal demo`."
DATABASE = "postal.sqlite3"
_MADE = (CONFIG_NAME, RECORD, LOG, _NOTE, DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm")

_README = f"""{_FIRST} The next demo replaces what is in it.

mail/           every mail, by mailbox and in order; open one with a mail program
{RECORD}       the record of the game: `postal replay {RECORD}` plays it again
{DATABASE} the database, and {CONFIG_NAME} the config of the demo's servers, which are gone:
                `postal game show demo --reveal --data .` shows every card
{LOG}      what `postal run` would have logged
"""

_CONFIG = """[gm]
name = "Gemma Master"
address = "{gm}"

[imap]
host = "{host}"
port = {imap}
security = "plain"
user = "{games}"
password = "{password}"

[smtp]
host = "{host}"
port = {smtp}
security = "plain"
from = "{games}"

[mail]
plus_addressing = true

[daemon]
outage_after = 0
"""


def take_folder(folder: Path) -> None:
    """Refuse a folder that holds anything but an earlier demo, or no folder at all: UsageError."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is no folder: name another with --into.")
    there = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    if there - {LOCK_NAME} and not _is_demo(folder):
        raise UsageError(
            f"{folder} holds something else than an earlier demo: name another with --into."
        )


def clear_folder(folder: Path) -> None:
    """Remove what an earlier demo made and nothing else; note whose the folder is."""
    shutil.rmtree(folder / MAIL, ignore_errors=True)
    for name in _MADE:
        (folder / name).unlink(missing_ok=True)
    (folder / _NOTE).write_text(_README, "utf-8")
    (folder / MAIL).mkdir()


def write_config(folder: Path, gm: str, games: str, password: str, ports: tuple[int, int]) -> None:
    """Write the config of the demo's servers; ``ports`` are those of IMAP and SMTP."""
    file = folder / CONFIG_NAME
    file.touch(0o600)
    text = _CONFIG.format(
        gm=gm, games=games, password=password, host=HOST, imap=ports[0], smtp=ports[1]
    )
    file.write_text(text, "utf-8")


def _is_demo(folder: Path) -> bool:
    note = folder / _NOTE
    return note.is_file() and note.read_text("utf-8", "replace").startswith(_FIRST)


class MailFiles:
    """Writes mails as ``mail/BOX/001-received-subject.eml``, each mailbox counted by itself."""

    def __init__(self, folder: Path) -> None:
        """Write below the demo's folder."""
        self._folder = folder / MAIL
        self._count: Counter[str] = Counter()

    def keep(self, box: str, what: str, raw: bytes) -> Path:
        """Write one mail of a mailbox and return its file; ``what`` is a word for its name."""
        self._count[box] += 1
        subject = BytesHeaderParser(policy=default).parsebytes(raw)["Subject"] or "no subject"
        number = f"{self._count[box]:03}"
        file = self._folder / readable(box) / f"{number}-{what}-{readable(str(subject))}.eml"
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(raw)
        return file


def readable(text: str) -> str:
    """Return a text as a file's name: lower case, words joined by hyphens, not too long."""
    return re.sub(r"[^a-z0-9]+", "-", text.casefold()).strip("-")[:60].rstrip("-") or "x"
