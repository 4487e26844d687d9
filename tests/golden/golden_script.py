"""Reads the script of a golden conversation: pages of steps, each a line and what is indented.

::

    config
        [mail]
        plus_addressing = true
    at 2026-03-02 12:00
    == 01-welcome
    # Six sit down to play.
    $ game new club --player 'Ann <ann@example.org>' …
    round
    after 3 hours
    mail from Ann answering "turn 1"
        + X-Mailer: Pigeon
        A: give 2C 5D next, 9H previous

A line that begins with ``$`` is a command of the GM's, ``#`` a remark for the reader, ``==`` begins
a page, which is a file of what is expected. ``golden_play`` has all the other steps.
"""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

SCRIPT = "script.txt"
_INDENT = "    "


@dataclass
class Step:
    """A line of a script, and the lines indented below it."""

    line: str
    body: list[str] = field(default_factory=list)

    @property
    def words(self) -> list[str]:
        """The words of the line, a quoted text as one."""
        return shlex.split(self.line)

    def echo(self) -> Iterator[str]:
        """Yield the step as it stands in the script."""
        yield self.line
        yield from (f"{_INDENT}{line}".rstrip() for line in self.body)


@dataclass
class Page:
    """Some steps of a conversation; the first page, without a name, sets the stage."""

    name: str
    steps: list[Step] = field(default_factory=list)


def read_script(folder: Path) -> list[Page]:
    """Return the pages of a conversation's script."""
    pages = [Page("")]
    blanks = 0
    for line in (folder / SCRIPT).read_text("utf-8").splitlines():
        if line.startswith(_INDENT):
            body = pages[-1].steps[-1].body
            # A blank line belongs to a mail where the mail goes on below it.
            body += [""] * (blanks if body else 0)
            body.append(line.removeprefix(_INDENT))
        elif line.startswith("=="):
            pages.append(Page(line.strip("= ")))
        elif line.strip():
            pages[-1].steps.append(Step(line.strip()))
        blanks = 0 if line.strip() else blanks + 1
    return pages
