"""An IMAP connection that takes no more bytes, and no more time, for one answer than is decent.

The library reads as many bytes as a server announces, and waits anew after each that comes.
"""

from __future__ import annotations

import imaplib
import time
from typing import TYPE_CHECKING

from imapclient import IMAPClient
from imapclient.imap4 import IMAP4WithTimeout
from imapclient.tls import IMAP4_TLS

if TYPE_CHECKING:
    from socket import socket

MOST_BYTES = 4 * 1024 * 1024
"""The most bytes of an answer: twice the largest mail that is fetched."""

MOST_TIMEOUTS = 4
"""For how many times the timeout an answer may take in all."""

_MOST_IN_LINE = 1_000_000
_PIECE = 64 * 1024


class TooMuch(Exception):  # noqa: N818  # a state of the other side
    """A server sends more, or longer, than is decent; the text says which."""


class _Bounded:
    """Reads of a socket by itself, so that the bytes and the time of an answer are counted."""

    sock: socket

    def __init__(self, seconds: float, *arguments: object) -> None:
        self._held = bytearray()
        self._held_of: socket | None = None
        self._seconds = seconds
        self._begin()
        super().__init__(*arguments)

    def send(self, data: bytes) -> None:
        """Send a command or a part of it; what is answered is counted from here."""
        self._begin()
        super().send(data)  # type: ignore[misc]  # imaplib's

    def read(self, size: int) -> bytes:
        """Return so many bytes, fewer where the connection ends; TooMuch before memory fills."""
        if size > self._bytes_left + len(self._held):
            raise TooMuch(f"sends {size:,} bytes at once")
        while len(self._held) < size and self._more():
            pass
        return self._cut(size)

    def readline(self) -> bytes:
        """Return a line, what there is of it where the connection ends."""
        while (end := self._buffer().find(b"\n")) < 0:
            if len(self._held) > _MOST_IN_LINE:
                raise TooMuch(f"sends a line of more than {_MOST_IN_LINE:,} bytes")
            if not self._more():
                return self._cut(len(self._held))
        return self._cut(end + 1)

    def has_line(self) -> bool:
        """Whether a whole line was received and not read so far."""
        return b"\n" in self._buffer()

    def _begin(self) -> None:
        self._bytes_left = MOST_BYTES
        self._until = time.monotonic() + self._seconds

    def _buffer(self) -> bytearray:
        """Return what was received; nothing that came before TLS began is taken for of it."""
        if self._held_of is not self.sock:
            self._held.clear()
            self._held_of = self.sock
        return self._held

    def _more(self) -> bool:
        """Receive a piece; False where the connection ends."""
        # While we idle the socket doesn't block, and the server may be silent for as long.
        if self.sock.gettimeout() != 0 and time.monotonic() > self._until:
            raise TooMuch(f"takes more than {self._seconds:g} seconds for one answer")
        piece = self.sock.recv(_PIECE)
        self._bytes_left -= len(piece)
        if self._bytes_left < 0:
            raise TooMuch(f"sends more than {MOST_BYTES:,} bytes for one answer")
        self._buffer().extend(piece)
        return bool(piece)

    def _cut(self, size: int) -> bytes:
        cut = bytes(self._held[:size])
        del self._held[:size]
        return cut


class _Plain(_Bounded, IMAP4WithTimeout):  # type: ignore[misc]  # untyped
    """A connection without TLS, or where it begins by STARTTLS."""


class _Tls(_Bounded, IMAP4_TLS):  # type: ignore[misc]  # untyped
    """A connection with TLS from its beginning."""


class BoundedClient(IMAPClient):  # type: ignore[misc]  # untyped
    """An IMAPClient whose server can neither fill the memory nor keep us for ever."""

    def begin_idle(self) -> list[bytes] | None:
        """Begin IDLE; return what is told before and with the go-ahead, None where it is refused.

        imapclient's own gives up where anything is told before, such as of a mail that just came.
        """
        imap = self._imap
        self._idle_tag = tag = imap._command("IDLE")  # noqa: SLF001  # as imapclient begins it
        told: list[bytes] = []
        while not (line := imap._get_line()).startswith(b"+"):  # noqa: SLF001  # as above
            if line.startswith(tag + b" "):
                imap.tagged_commands.pop(tag, None)
                return None
            told.append(line)
        while imap.has_line():
            told.append(imap._get_line())  # noqa: SLF001  # as above
        return told

    def _create_IMAP4(self) -> imaplib.IMAP4:  # noqa: N802  # imapclient's name
        seconds = MOST_TIMEOUTS * self._timeout.read
        if self.ssl:
            return _Tls(seconds, self.host, self.port, self.ssl_context, self._timeout.connect)
        return _Plain(seconds, self.host, self.port, self._timeout.connect)
