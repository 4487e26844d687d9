"""The daemon: APScheduler's ticks around rounds of the post room, and a clean end on SIGTERM."""

from __future__ import annotations

import logging
import signal
from datetime import datetime
from queue import SimpleQueue
from types import FrameType

from apscheduler.schedulers.background import BackgroundScheduler

from postal.service.lease import BEAT_SECONDS, MailboxLease
from postal.service.ticks import Rounds

LOG = logging.getLogger("postal")

TICK = 0
"""A call for a round; any other is the number of the signal that calls for the end."""


def run(
    rounds: Rounds, poll_seconds: int, start: datetime, lease: MailboxLease | None = None
) -> None:
    """Make a round every ``poll_seconds`` seconds from ``start`` (UTC) until SIGTERM or SIGINT.

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

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    rounds.begin(alone=lease is None)
    LOG.info("running: a round every %s seconds", poll_seconds)
    scheduler.start()
    try:
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
