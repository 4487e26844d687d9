"""Says what is wrong with a template by its file, line and kind, never by a value it was given.

The text of an error raised while a template is filled in may hold a card or a token: Jinja puts
the key that was looked up, or the template that was to be included, into it. Said instead is what
stands in the template's own source.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path

import jinja2

_LONGEST_LINE = 120
_NAMED = re.compile(r"[\"']([^\"']+\.j2)[\"']")


class TooLongError(Exception):
    """A template makes more text than a mail may hold."""


class Mistakes:
    """Tells the mistakes of templates that lie in some folders, the GM's own first."""

    def __init__(self, folders: Sequence[Path]) -> None:
        """Take the folders of the templates."""
        self._folders = [folder.absolute() for folder in folders]

    def told(self, name: str, error: Exception) -> str:
        """Return the sentence for what was raised while ``name`` was compiled or filled in.

        It is on one line and has no full stop, since the template's own words may end it.
        """
        # The name of a folder may hold bytes that are no text.
        said = self._told(name, error).encode(errors="backslashreplace").decode()
        return " ".join(said.split())

    def _told(self, name: str, error: Exception) -> str:
        here = _here(self._steps(error), name)
        if here is None:
            return f"{self._file(name)}: {_kind_of_whole(error)}"
        path, line, hidden = here
        if isinstance(error, jinja2.TemplateSyntaxError) and not hidden:
            # All of such an error's text is source.
            return f"{path}, line {line}: {error.message}"
        text = _source_line(path, line)
        quoted = f": {text}" if text else ""
        kind = "a template that it includes fails" if hidden else _kind(error)
        if mine := self._beside(path):
            return f"{mine}: {kind}, where postal's own templates use it{quoted}"
        return f"{path}, line {line}: {kind}{quoted}"

    def _beside(self, path: Path) -> str:
        """Return the GM's own templates that one of postal's names, where it failed beside them."""
        own = self._folders[0]
        if len(self._folders) == 1 or path.is_relative_to(own):
            return ""
        named = dict.fromkeys(_NAMED.findall(_source(path)))
        return " or ".join(str(own / name) for name in named if (own / name).is_file())

    def _file(self, name: str) -> str:
        """Return where the template of that name lies."""
        found = (folder / name for folder in self._folders if (folder / name).is_file())
        return str(next(found, name))

    def _steps(self, error: Exception) -> Iterator[tuple[str, Path, int]]:
        """Yield the places in templates that an error passed, the innermost last, by name too."""
        for frame, line in traceback.walk_tb(error.__traceback__):
            path = Path(frame.f_code.co_filename).absolute()
            for folder in self._folders:
                if path.is_relative_to(folder) and path.suffix != ".py":
                    yield path.relative_to(folder).as_posix(), path, line
                    break


def _here(steps: Iterator[tuple[str, Path, int]], name: str) -> tuple[Path, int, bool] | None:
    """Return the innermost place that may be named, and whether the error was further in.

    The name of an included template may be made from a card. It may be named if it stands in
    quotes in the source of one that may.
    """
    known: dict[str, str] = {}
    here: tuple[Path, int] | None = None
    hidden = False
    for step, path, line in steps:
        if step not in known and not _may_be_named(step, name, known):
            hidden = True
            continue
        if step not in known:
            known[step] = _source(path)
        here, hidden = (path, line), False
    return None if here is None else (*here, hidden)


def _may_be_named(step: str, name: str, known: dict[str, str]) -> bool:
    return step == name or any(
        f"{mark}{step}{mark}" in source for source in known.values() for mark in "'\""
    )


def _kind(error: Exception) -> str:
    kinds: tuple[tuple[type[Exception], str], ...] = (
        (jinja2.exceptions.SecurityError, "does something unsafe, which the sandbox forbids"),
        (jinja2.UndefinedError, "a name, or a part of one, is undefined"),
        (jinja2.TemplateNotFound, "includes a template that is not there"),
        (UnicodeDecodeError, "includes a template that is not UTF-8 text"),
        (RecursionError, "includes or calls itself without end"),
    )
    found = (says for kind, says in kinds if isinstance(error, kind))
    return next(found, f"fails with {type(error).__name__}")


def _kind_of_whole(error: Exception) -> str:
    """Return what is wrong where it is no line's fault."""
    kinds: tuple[tuple[type[Exception], str], ...] = (
        (jinja2.TemplateNotFound, "there is no such template"),
        (UnicodeDecodeError, "is not UTF-8 text"),
        (UnicodeEncodeError, "makes half a character, which no mail can hold"),
        (TooLongError, "makes more text than a mail may hold"),
        (OSError, "can't be read"),
    )
    found = (says for kind, says in kinds if isinstance(error, kind))
    return next(found, f"can't be used ({type(error).__name__})")


def _source(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeError):
        return ""


def _source_line(path: Path, number: int) -> str:
    """Return a line of the template as the GM wrote it, cut where it is long."""
    lines = _source(path).splitlines()
    text = " ".join(lines[number - 1].split()) if 0 < number <= len(lines) else ""
    return text if len(text) <= _LONGEST_LINE else f"{text[:_LONGEST_LINE]}..."
