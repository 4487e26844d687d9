"""A robot's mail program: fetches by IMAP what is new and sends the answers by SMTP."""

from __future__ import annotations

import smtplib
import socket
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from types import TracebackType
from typing import Literal, Self

from imapclient import IMAPClient

from postal.robots.players import Robot

Way = Literal["received", "sent"]
Watch = Callable[[Robot, Way, bytes], None]
"""Told of every mail that a robot gets or sends, as raw bytes."""

_SECONDS = 20


@dataclass(frozen=True, slots=True)
class Account:
    """Where a robot's mailbox is and how he logs in; both servers are on ``host``, without TLS."""

    host: str
    imap_port: int
    smtp_port: int
    password: str = field(repr=False)


class Postman:
    """Carries one robot's mail over connections that last; a context manager."""

    def __init__(self, robot: Robot, account: Account, watch: Watch) -> None:
        """Take the robot, where his mail is, and who is told of it."""
        self.robot, self._account, self._watch = robot, account, watch
        self._next, self._there = 1, 0

    def __enter__(self) -> Self:
        """Log in to both servers; OSError or the libraries' errors where that fails."""
        account = self._account
        with ExitStack() as opened:
            self._imap: IMAPClient = opened.enter_context(
                IMAPClient(account.host, account.imap_port, ssl=False, timeout=_SECONDS)
            )
            # IMAPClient sends a command in pieces, and each would wait for the last's receipt.
            self._imap.socket().setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._imap.login(self.robot.address, account.password)
            self._smtp = smtplib.SMTP(account.host, account.smtp_port, timeout=_SECONDS)
            opened.enter_context(self._smtp)
            self._smtp.login(self.robot.address, account.password)
            self._opened = opened.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Log out of both."""
        self._opened.__exit__(kind, error, traceback)

    def deliver(self) -> int:
        """Have the robot read his new mail, oldest first, and send what he answers; how much."""
        sent = 0
        for raw in self._fetch():
            self._watch(self.robot, "received", raw)
            for answer in self.robot.answer(raw):
                self.send(answer)
                sent += 1
        return sent

    def send(self, raw: bytes) -> None:
        """Send one mail to where its To says."""
        recipient = self._recipient(raw)
        self._smtp.sendmail(self.robot.address, [recipient], raw, mail_options=["BODY=8BITMIME"])
        self._watch(self.robot, "sent", raw)

    def _fetch(self) -> list[bytes]:
        # Selecting anew tells how many there are, and none is ever removed.
        there = self._imap.select_folder("INBOX")[b"EXISTS"]
        if there == self._there:
            return []
        self._there = there
        # "n:*" always names the last mail, even where its UID is below n.
        uids = [uid for uid in self._imap.search(["UID", f"{self._next}:*"]) if uid >= self._next]
        if not uids:
            return []
        self._next = max(uids) + 1
        found = self._imap.fetch(uids, ["BODY[]"])
        return [found[uid][b"BODY[]"] for uid in sorted(uids)]

    @staticmethod
    def _recipient(raw: bytes) -> str:
        head = raw.partition(b"\r\n\r\n")[0].decode("ascii", "replace").splitlines()
        return next(line[4:].strip() for line in head if line.startswith("To: "))
