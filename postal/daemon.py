"""The daemon: APScheduler's ticks around rounds of the post room, and a clean end on SIGTERM."""

from __future__ import annotations

import logging
import signal
from datetime import datetime
from queue import SimpleQueue
from types import FrameType

from apscheduler.schedulers.background import BackgroundScheduler

from postal.service.rounds import Rounds

LOG = logging.getLogger("postal")


def run(rounds: Rounds, poll_seconds: int, start: datetime) -> None:
    """Make a round every ``poll_seconds`` seconds from ``start`` (UTC) until SIGTERM or SIGINT.

    The round in hand is ended first. One job in one thread: a mailbox connection belongs to a
    thread, and rounds never overlap.
    """
    # It would warn of every tick that a long round leaves out, which is just what is wanted.
    logging.getLogger("apscheduler").setLevel(logging.ERROR)
    scheduler = BackgroundScheduler(
        timezone="UTC", executors={"default": {"type": "threadpool", "max_workers": 1}}
    )
    scheduler.add_job(
        rounds.round,
        "interval",
        seconds=poll_seconds,
        next_run_time=start,
        misfire_grace_time=None,
        coalesce=True,
        max_instances=1,
    )
    # Its put may interrupt its get, which no lock of threading's would bear in one thread.
    signals: SimpleQueue[int] = SimpleQueue()

    def stop(number: int, _frame: FrameType | None) -> None:
        signals.put(number)

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    rounds.begin()
    LOG.info("running: a round every %s seconds", poll_seconds)
    scheduler.start()
    try:
        LOG.info("stopping: %s", signal.Signals(signals.get()).name)
        scheduler.shutdown(wait=True)
    finally:
        rounds.close()
    LOG.info("stopped")
