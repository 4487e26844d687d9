"""Says where a bug showed itself without its text, which may quote cards or tokens."""

from __future__ import annotations

import traceback


def whereabouts(error: BaseException) -> str:
    """Return an error's kind and the last places it passed, innermost last, never its text."""
    frames = traceback.extract_tb(error.__traceback__)[-4:]
    places = " < ".join(f"{frame.name}:{frame.lineno}" for frame in reversed(frames))
    return f"{type(error).__name__} at {places}"
