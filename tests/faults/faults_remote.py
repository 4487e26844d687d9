"""A daemon in a process of its own, which a fault can kill or let stand still in a step."""

from __future__ import annotations

import os
import select
import signal
import socket
from collections.abc import Callable

from tests.faults.faults_breaker import DYING, Breaker
from tests.faults.faults_play import EndedError, Runs

_BEGIN, _ROUND, _DONE = b"b", b"r", b"."
_SLICE_SECONDS = 0.01
_FAILED = 70


class Remote:
    """Passes on what a daemon is to do to the process that it lives in."""

    def __init__(self, make: Callable[[], Runs], breaker: Breaker) -> None:
        """Fork it; ``make`` makes it there."""
        self._breaker = breaker
        self.overtake: Callable[[], None] = lambda: None
        self.status = 0
        self._here, there = socket.socketpair()
        self.process = os.fork()
        if not self.process:
            self._here.close()
            _work(make, there)
        there.close()
        breaker.victim = self.process

    def begin(self) -> None:
        """Let it take up what another left."""
        self._ask(_BEGIN)

    def round(self) -> None:
        """Let it make a round."""
        self._ask(_ROUND)

    def end(self) -> None:
        """Kill it, where it is still there."""
        if self.process:
            os.kill(self.process, signal.SIGKILL)
            self._reap()

    def _ask(self, what: bytes) -> None:
        if not self.process:
            raise EndedError
        answer = b""
        try:
            self._here.sendall(what)
            while not select.select([self._here], [], [], _SLICE_SECONDS)[0]:
                if self._breaker.paused.is_set() and not self._breaker.go_on.is_set():
                    self.overtake()
                    self._breaker.go_on.set()
            answer = self._here.recv(1)
        except OSError:
            answer = b""
        if answer != _DONE:
            self._reap()
            raise EndedError

    def _reap(self) -> None:
        _, self.status = os.waitpid(self.process, 0)
        self.process = 0
        self._here.close()

    @property
    def failed(self) -> bool:
        """Whether it ended by a mistake of its own, not by the fault."""
        ended = os.waitstatus_to_exitcode(self.status)
        return ended not in (0, DYING, -signal.SIGKILL, -signal.SIGXFSZ)


def _work(make: Callable[[], Runs], asked: socket.socket) -> None:
    """Do what is asked until the end."""
    signal.alarm(120)
    try:
        daemon = make()
        while what := asked.recv(1):
            if what == _BEGIN:
                daemon.begin()
            else:
                daemon.round()
            asked.sendall(_DONE)
    except BaseException:
        os._exit(_FAILED)
        raise
    os._exit(0)
