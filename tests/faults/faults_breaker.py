"""What a fault is, and the breaker that counts the steps of a turn and strikes at one of them."""

from __future__ import annotations

import mmap
import os
import signal
import struct
import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

IMAP, SMTP, DATABASE, FILE = "imap", "smtp", "db", "file"
"""The places of a step: a server's command, a statement of the database, a write to its file."""

KILL, KILL_AFTER, PAUSE = "kill", "kill after", "pause"
"""The daemon is gone before or after the step, or stands still in it for ten minutes."""

DROP, LOST, HANG = "drop", "lost", "hang"
"""The connection is closed before the step is done, or after; it is done and nothing said."""

ONCE = "once"
DYING = 137
"""The exit status of a daemon that was killed at a step of its own."""


@dataclass(frozen=True)
class Fault:
    """What goes wrong: at step ``number`` of a place, or at each step called ``name`` for a while.

    ``whose`` narrows the latter to steps about one player's mail. ``begins`` and ``hours`` are
    counted from the start of the run, or from an hour before the deadline where ``late``.
    """

    place: str
    name: str
    how: str
    number: int = -1
    hours: float = 0
    late: bool = False
    whose: str = ""

    @property
    def lasting(self) -> bool:
        """Whether it is more than one step's."""
        return self.number < 0

    @property
    def kills(self) -> bool:
        """Whether the daemon ends at it, or is overtaken in it: it needs a process of its own."""
        return self.how in (KILL, KILL_AFTER, PAUSE)

    @property
    def span(self) -> str:
        """How long it lasts, in words."""
        if not self.lasting:
            return ONCE
        about = f" about {self.whose}" if self.whose else ""
        if self.late:
            return f"until {_lasting(self.hours - 1)} after the deadline{about}"
        return f"for {_lasting(self.hours)}{about}"

    def __str__(self) -> str:
        """Return its name, which ``--only`` finds it by."""
        step = self.name if self.lasting else f"{self.number:03d} {self.name}"
        return f"{self.place} {step}: {self.how}, {self.span}"


def _lasting(hours: float) -> str:
    if hours < 1:
        return f"{60 * hours:.0f} min"
    return f"{hours:g} h" if hours < 100 else f"{hours / 24:g} days"


class SharedClock:
    """A clock that stands still until it is moved, for processes that were forked apart."""

    def __init__(self, start: datetime) -> None:
        """Stand at ``start``."""
        self._cell = mmap.mmap(-1, 16)
        self.move_to(start)

    def now(self) -> datetime:
        """Return the time it was last moved to, in UTC."""
        (micros,) = struct.unpack_from("q", self._cell)
        return datetime.fromtimestamp(0, UTC) + timedelta(microseconds=micros)

    def move_to(self, moment: datetime) -> datetime:
        """Move on to ``moment``, staying where that is past."""
        micros = (moment - datetime.fromtimestamp(0, UTC)) // timedelta(microseconds=1)
        (before,) = struct.unpack_from("q", self._cell)
        struct.pack_into("q", self._cell, 0, max(before, micros))
        return self.now()

    def advance(self, step: timedelta) -> datetime:
        """Move on by ``step``."""
        return self.move_to(self.now() + step)


@dataclass
class Breaker:
    """Counts the steps of each place as they are met with, and says how one goes wrong.

    ``victim`` is the process that a kill at a server's command ends.
    """

    clock: SharedClock
    fault: Fault | None = None
    begins: datetime | None = None
    victim: int = 0
    struck: int = 0
    steps: list[tuple[str, str, str]] = field(default_factory=list)
    paused: threading.Event = field(default_factory=threading.Event)
    go_on: threading.Event = field(default_factory=threading.Event)
    _counts: dict[str, int] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def meet(self, place: str, name: str, about: str = "") -> str:
        """Note a step and return how it goes wrong, "" where it doesn't."""
        with self._lock:
            number = self._counts.get(place, 0)
            self._counts[place] = number + 1
            self.steps.append((place, name, about))
            if not self._strikes(place, name, about, number):
                return ""
            self.struck += 1
            return self.fault.how if self.fault else ""

    def kill(self) -> None:
        """End the daemon as a power cut would."""
        if self.victim:
            os.kill(self.victim, signal.SIGKILL)
        else:
            os._exit(DYING)

    def hold(self) -> None:
        """Keep the daemon waiting for an answer until others had ten minutes."""
        self.paused.set()
        self.go_on.wait(30)

    def over(self) -> bool:
        """Whether a fault that lasts is past, or one that strikes once has struck."""
        fault = self.fault
        if fault is None or self.begins is None:
            return True
        if not fault.lasting:
            return self.struck > 0
        return self.clock.now() >= self.begins + timedelta(hours=fault.hours)

    def _strikes(self, place: str, name: str, about: str, number: int) -> bool:
        fault = self.fault
        if fault is None or self.begins is None or fault.place != place:
            return False
        if not fault.lasting:
            return number == fault.number
        if fault.name != name or fault.whose not in about:
            return False
        return self.clock.now() >= self.begins and not self.over()
