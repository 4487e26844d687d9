"""An SMTP server that keeps what it took, and asks the breaker at each command it hears."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from io import BufferedIOBase

from tests.faults.faults_breaker import SMTP, Breaker
from tests.faults.faults_servers import Gone, Server

SMTP_ANSWERS = {
    "421": b"421 4.3.2 closing\r\n",
    "451": b"451 4.7.1 later\r\n",
    "550": b"550 5.1.1 no such mailbox\r\n",
    "550 limit": b"550 5.4.5 Daily user sending limit exceeded\r\n",
    "552": b"552 5.2.2 mailbox full\r\n",
    "554": b"554 5.7.1 refused\r\n",
    "535": b"535 5.7.8 bad credentials\r\n",
    "garbage": b"hello \xff there\r\n",
    "250": b"250 fine\r\n",
}
"""Answers of an SMTP server that does nothing. After 421 it hangs up."""


class SmtpServer(Server):
    """A submission server that keeps what it took: when, for whom, and the mail."""

    place = SMTP

    def __init__(self, breaker: Breaker, took: Callable[[str, bytes], None]) -> None:
        """Take a free port; ``took`` is told of each mail."""
        super().__init__(breaker)
        self.taken: list[tuple[datetime, str, bytes]] = []
        self._took = took

    def talk(self, reader: BufferedIOBase, writer: BufferedIOBase) -> None:
        """Speak SMTP."""
        if not self._say(writer, "GREETING", "", b"220 here\r\n"):
            return
        about = ""
        while line := reader.readline():
            text = line.decode("latin-1").strip()
            name = text.partition(" ")[0].upper()
            address = re.sub(r"[^<]*<|>.*", "", text)
            about = address.partition("@")[0] if name == "RCPT" else about
            if name == "MAIL":
                about = ""
            done = self._say(writer, name, about, _SAID.get(name, b"250 fine\r\n"))
            if name == "RCPT":
                recipient = address
            if name == "DATA" and done:
                self._data(reader, writer, recipient, about)
            if name == "QUIT":
                return

    def _data(
        self, reader: BufferedIOBase, writer: BufferedIOBase, recipient: str, about: str
    ) -> None:
        lines: list[bytes] = []
        while (line := reader.readline()) not in (b".\r\n", b""):
            lines.append(line.removeprefix(b"."))
        if not line:
            raise Gone

        def take() -> bytes:
            raw = b"".join(lines)
            self.taken.append((self.breaker.clock.now(), recipient, raw))
            self._took(recipient, raw)
            return b"250 taken\r\n"

        self.step(writer, ".", about, take, SMTP_ANSWERS.get)

    def _say(self, writer: BufferedIOBase, name: str, about: str, answer: bytes) -> bool:
        return self.step(writer, name, about, lambda: answer, SMTP_ANSWERS.get)


_SAID = {
    "EHLO": b"250-here\r\n250 8BITMIME\r\n",
    "DATA": b"354 go on\r\n",
    "QUIT": b"221 bye\r\n",
}
