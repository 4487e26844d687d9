"""The daemon's ticks go by steady time, whatever somebody sets the machine's clock to."""

import os
import signal
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from typing import ClassVar, Self, cast

import pytest

from postal import daemon
from postal.service.ticks import Rounds

PATIENCE = 60
"""How many seconds the second round may take on a busy machine before the test gives up."""


class Wall(datetime):
    """The machine's clock, as it shows the time to the scheduler."""

    off: ClassVar[timedelta] = timedelta(0)

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        """Return the time, by so much wrong."""
        return super().now(tz) + cls.off


class WallClock:
    """The same clock as postal's own."""

    def now(self) -> datetime:
        """Return the time on the wall."""
        return datetime.now(UTC) + Wall.off

    def steady(self) -> float:
        """Return the monotonic time."""
        return time.monotonic()


class TwoRounds:
    """Rounds of which the first sees the clock set, and the second calls for the end."""

    def __init__(self, off: timedelta) -> None:
        """Take by how much the clock is set."""
        self.off, self.made = off, 0

    def begin(self, *, alone: bool) -> None:
        """Do nothing."""

    def round(self) -> None:
        """Count."""
        self.made += 1
        Wall.off = self.off
        if self.made == 2:
            os.kill(os.getpid(), signal.SIGTERM)

    def leave(self) -> None:
        """Have no command at the mail server to break off."""

    def watch(self, stop: Callable[[], bool]) -> bool:
        """Have nothing to wait on."""
        del stop
        return False

    def close(self) -> None:
        """Do nothing."""


@pytest.mark.parametrize("hours", [-1, 9, -200 * 24])
def test_a_clock_that_is_set_loses_no_round(hours: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next one comes at once, be the clock set back, or forward, or the machine asleep."""
    monkeypatch.setattr("apscheduler.schedulers.base.datetime", Wall)
    monkeypatch.setattr(Wall, "off", timedelta(0))
    monkeypatch.setattr(daemon, "HEART_SECONDS", 0.01)
    rounds = TwoRounds(timedelta(hours=hours))
    kept = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    giving_up = threading.Timer(PATIENCE, os.kill, (os.getpid(), signal.SIGTERM))
    giving_up.start()
    try:
        clock = WallClock()
        daemon.run(cast("Rounds", rounds), 3600, clock.now(), clock=clock)
    finally:
        giving_up.cancel()
        for number, handler in kept.items():
            signal.signal(number, handler)
    assert rounds.made == 2
