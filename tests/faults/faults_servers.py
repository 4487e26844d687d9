"""What the servers share: they listen in this process, and ask the breaker at each command."""

from __future__ import annotations

import contextlib
import socketserver
import threading
from collections.abc import Callable
from io import BufferedIOBase

from tests.faults.faults_breaker import DROP, HANG, KILL, KILL_AFTER, LOST, PAUSE, Breaker

HOST = "127.0.0.1"
CUT = "cut"
"""The answer breaks off in its midst, and so does the connection."""


class Gone(Exception):  # noqa: N818  # it tells of what is so, as real servers' closing does
    """The connection is to be closed."""


class Server:
    """Listens from the start on, and serves once ``serve`` was called."""

    place = ""

    def __init__(self, breaker: Breaker) -> None:
        """Take a free port."""
        server = self
        self.breaker = breaker
        self.lock = threading.RLock()

        class Handler(socketserver.StreamRequestHandler):
            disable_nagle_algorithm = True

            def handle(self) -> None:
                with contextlib.suppress(OSError, Gone, ValueError):
                    server.talk(self.rfile, self.wfile)

        class Listener(socketserver.ThreadingTCPServer):
            daemon_threads = True
            block_on_close = False

        self._listener = Listener((HOST, 0), Handler)
        self.port = int(self._listener.server_address[1])

    def serve(self) -> None:
        """Answer whoever has connected or will."""
        threading.Thread(target=self._listener.serve_forever, args=(0.5,), daemon=True).start()

    def talk(self, reader: BufferedIOBase, writer: BufferedIOBase) -> None:
        """Speak with one client until it or a fault ends it."""
        raise NotImplementedError

    def step(  # noqa: PLR0913 - each is a part of a step
        self,
        writer: BufferedIOBase,
        name: str,
        about: str,
        do: Callable[[], bytes],
        refusal: Callable[[str], bytes | None],
        wrong: Callable[[str], bytes] | None = None,
    ) -> bool:
        """Do a command and answer, or go wrong; return whether it was done.

        ``refusal`` is what a fault says instead of doing anything, ``wrong`` a wrong answer.
        """
        how = self.breaker.meet(self.place, name, about)
        if how == KILL:
            self.breaker.kill()
        if how in (KILL, DROP):
            raise Gone
        if how and (refused := refusal(how)) is not None:
            writer.write(refused)
            if how in ("bye", "421"):
                raise Gone
            return False
        with self.lock:
            answer = wrong(how) if wrong and _is_own(how) else do()
        if how == KILL_AFTER:
            self.breaker.kill()
        if how in (KILL_AFTER, LOST):
            raise Gone
        if how == PAUSE:
            self.breaker.hold()
        if how != HANG:
            writer.write(answer)
        if how == CUT:
            raise Gone
        return True


def _is_own(how: str) -> bool:
    return how not in ("", KILL_AFTER, LOST, PAUSE, HANG)
