"""Use cases worked out while nothing is locked: overtaken by another, they are worked out anew."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from postal.errors import PostalError

_TRIES = 5
_Done = TypeVar("_Done")


class OvertakenError(Exception):
    """What a use case was worked out from has changed since: work it out anew."""


def until_written(deed: Callable[[], _Done]) -> _Done:
    """Return what a deed of the GM's comes to, which is done again where it was overtaken.

    Raises PostalError where that happens time after time.
    """
    for _ in range(_TRIES):
        try:
            return deed()
        except OvertakenError:
            continue
    raise PostalError("The games change too fast at the moment: try again in a minute.")
