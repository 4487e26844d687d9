"""How the daemon begins: cleanly away at SIGTERM, patient with a database that is hindered."""

from __future__ import annotations

import logging
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

LOG = logging.getLogger("postal")

FIRST_PAUSE, LONGEST_PAUSE = 2.0, 60.0
"""Seconds before the database is tried again, at first and at most."""


@contextmanager
def leaving_at_sigterm() -> Iterator[None]:
    """End the process with 0 at SIGTERM while the block runs, or until it sets another handler."""

    def leave(_number: int, _frame: FrameType | None) -> None:
        sys.exit(0)

    kept = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, kept)


def patiently(begin: Callable[[], object], wait: Callable[[float], object] | None = None) -> None:
    """Do what begins with the database, again and again while that is busy, full or away.

    Each reason is told in the log once. Whatever else is wrong with it passes.
    """
    from postal.store.problems import ServerUnreachable, StoreHindered

    wait = wait or threading.Event().wait
    told, pause = "", FIRST_PAUSE
    while True:
        try:
            begin()
        except (StoreHindered, ServerUnreachable) as error:
            if str(error) != told:
                LOG.warning("database: %s It is tried again.", error)
                told = str(error)
        else:
            return
        wait(pause)
        pause = min(pause * 2, LONGEST_PAUSE)
