"""Says what is wrong with a template by its file, line and kind, never by a value it was given.

The text of an error raised while a template is filled in may hold a card or a token: Jinja puts
the key that was looked up, or the template that was to be included, into it. Said instead is what
stands in the template's own source.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path

import jinja2

_LONGEST_LINE = 120


def source_mistake(error: jinja2.TemplateSyntaxError) -> str:
    """Return the sentence for a template that can't be compiled: all of it is source."""
    return f"{error.filename or error.name}, line {error.lineno}: {error.message}"


class Mistakes:
    """Tells the mistakes of templates that lie in some folders."""

    def __init__(self, folders: Sequence[Path]) -> None:
        """Take the folders of the templates."""
        self._folders = [folder.absolute() for folder in folders]

    def told(self, name: str, error: Exception) -> str | None:
        """Return the sentence for what was raised while the template ``name`` was filled in.

        None where no template is at fault.
        """
        here = _here(self._steps(error), name)
        if here is None:
            return None
        path, line, hidden = here
        text = _source_line(path, line)
        quoted = f": {text}" if text else ""
        kind = "a template that it includes fails" if hidden else _kind(error)
        return f"{path}, line {line}: {kind}{quoted}"

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
        known.setdefault(step, _source(path))
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
        (jinja2.TemplateSyntaxError, "can't be compiled"),
    )
    found = (says for kind, says in kinds if isinstance(error, kind))
    return next(found, f"fails with {type(error).__name__}")


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
