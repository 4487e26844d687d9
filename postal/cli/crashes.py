"""What is written down of a crash: where it happened, never an exception's text or a value."""

from __future__ import annotations

import platform
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, TracebackType

from postal import __version__

_MOST_FRAMES = 60
_MOST_ERRORS = 50
_NO_FILE = "(a template, or code made at run time)"
_PACKAGE = Path(__file__).parents[1]


def describe(error: BaseException) -> str:
    """Return an error and all that led to it as lines: kinds of errors, files, lines, functions.

    The texts of exceptions are left out, and so are lines of source: both may quote a card, a
    token or a password. A file is named relative to its package.
    """
    about = f"postal {__version__}, Python {platform.python_version()}, {platform.platform()}"
    return "\n".join((about, *_told(error, "", set()))) + "\n"


def _told(error: BaseException, how: str, seen: set[int]) -> Iterator[str]:
    """Yield an error's lines, then those of its causes, contexts and members, each once."""
    if id(error) in seen or len(seen) >= _MOST_ERRORS:
        return
    seen.add(id(error))
    kind = type(error)
    yield f"{how}{kind.__module__}.{kind.__qualname__}"
    yield from _frames(error.__traceback__)
    if error.__cause__ is not None:
        yield from _told(error.__cause__, "caused by ", seen)
    if error.__context__ is not None:
        yield from _told(error.__context__, "while handling ", seen)
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            yield from _told(one, "one of the group: ", seen)


def _frames(trace: TracebackType | None) -> Iterator[str]:
    lines = [f"  {_place(frame.f_code, line)}" for frame, line in traceback.walk_tb(trace)]
    left_out = len(lines) - _MOST_FRAMES
    if left_out > 0:
        lines[_MOST_FRAMES // 2 : -(_MOST_FRAMES // 2)] = [f"  ... {left_out} more ..."]
    yield from lines


def _place(code: CodeType, line: int) -> str:
    """Return a place by file and function; a template's name may be made from a card."""
    name = code.co_filename
    return f"{_file(name)}, line {line}, {code.co_qualname}" if name[-3:] == ".py" else _NO_FILE


def _file(name: str) -> str:
    """Return a source file's name from its package on."""
    path = Path(name)
    roots = (_PACKAGE.parent, *(Path(entry) for entry in sys.path if entry))
    inside = [path.relative_to(root) for root in roots if path.is_relative_to(root)]
    return min(map(str, inside), key=len, default=path.name)
