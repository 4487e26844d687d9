"""The daemon: APScheduler's ticks around rounds of the post room, and a clean end on SIGTERM."""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from queue import SimpleQueue
from types import FrameType

from apscheduler.schedulers.background import BackgroundScheduler

from postal.clock import Clock, ClockWatch, SystemClock
from postal.service.lease import BEAT_SECONDS, MailboxLease
from postal.service.ticks import Rounds

LOG = logging.getLogger("postal")

TICK = 0
"""A call for a round; any other is the number of the signal that calls for the end."""

HEART_SECONDS = 5.0
"""How often it is looked whether somebody has set the clock, which the scheduler goes by."""

JUMP = timedelta(seconds=2)
"""By less a clock is only slewed."""


def run(
    rounds: Rounds,
    poll_seconds: int,
    start: datetime,
    lease: MailboxLease | None = None,
    clock: Clock | None = None,
) -> None:
    """Make a round every ``poll_seconds`` seconds from ``start`` (UTC) until SIGTERM or SIGINT.

    When the machine's ``clock`` is set, or the machine wakes from sleep, there is a round at once,
    and the next ones are reckoned from there.

    Where several daemons share a database, ``lease`` says which of them has the mailbox: it is
    renewed, or tried for, beside the rounds, and the one that gets it makes a round at once.

    Between two, mail that the server tells of by itself calls for a round at once. The round in
    hand is ended first. All of them are made in this thread, the main one: a mailbox connection
    belongs to a thread, and rounds never overlap.
    """
    # It would warn of every tick that comes late, which a log of postal's own is not for.
    logging.getLogger("apscheduler").setLevel(logging.ERROR)
    # Its put may interrupt its get, which no lock of threading's would bear in one thread.
    calls: SimpleQueue[int] = SimpleQueue()
    scheduler = BackgroundScheduler(timezone="UTC")
    scheduler.add_job(
        calls.put,
        "interval",
        args=[TICK],
        seconds=poll_seconds,
        next_run_time=start,
        misfire_grace_time=None,
        coalesce=True,
        max_instances=1,
    )

    def beat(lease: MailboxLease) -> None:
        if lease.beat():
            calls.put(TICK)

    if lease is not None:
        scheduler.add_job(
            beat, "interval", args=[lease], seconds=BEAT_SECONDS, next_run_time=start,
            misfire_grace_time=None, coalesce=True, max_instances=1,
        )  # fmt: skip

    def stop(number: int, _frame: FrameType | None) -> None:
        calls.put(number)
        rounds.leave()

    # Before that is done whoever called this has to see to the signals.
    rounds.begin(alone=lease is None)
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    LOG.info("running: a round every %s seconds", poll_seconds)
    scheduler.start()
    try:
        with _minded(scheduler, clock or SystemClock()):
            while (called := _next_call(calls)) == TICK:
                rounds.round()
                while rounds.watch(lambda: not calls.empty()):
                    rounds.round()
        LOG.info("stopping: %s", signal.Signals(called).name)
    finally:
        # First, or a last beat might take the mailbox again.
        scheduler.shutdown(wait=True)
        rounds.close()
        if lease is not None:
            lease.leave()
    LOG.info("stopped")


def _next_call(calls: SimpleQueue[int]) -> int:
    """Wait for a call; the ticks that a long round missed are one, and a signal goes before."""
    called = calls.get()
    while called == TICK and not calls.empty():
        called = calls.get()
    return called


@contextmanager
def _minded(scheduler: BackgroundScheduler, clock: Clock) -> Iterator[None]:
    """Have every job run at once whenever the clock is set, in a thread that lasts for the block.

    The scheduler waits for a time on the wall, which may be an hour further off by then.
    """
    ended, watch = threading.Event(), ClockWatch(clock)

    def mind() -> None:
        while not ended.wait(HEART_SECONDS):
            if abs(watch.jump()) >= JUMP:
                for job in scheduler.get_jobs():
                    job.modify(next_run_time=clock.now())

    thread = threading.Thread(target=mind, name="clock", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
