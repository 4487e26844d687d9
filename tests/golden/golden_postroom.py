"""The mail servers of a golden conversation: IMAP and SMTP in memory that keep what was sent."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from email import message_from_bytes
from email.message import Message
from imaplib import IMAP4
from typing import Any

from pymap.parsing.message import AppendMessage

from postal.demo.servers import HOST, MailServers

GM_BOX, PASSWORD = "gm@example.org", "hunter2"
FOLDERS = ("INBOX", "Processed", "Rejected", "Quarantine")


@dataclass(frozen=True)
class Sent:
    """A mail as the submission server took it, with its envelope."""

    sender: str
    recipient: str
    raw: bytes

    @property
    def message(self) -> Message:
        """The mail as the library reads it."""
        return message_from_bytes(self.raw)

    def header(self, name: str) -> str:
        """Return a header field, "" where there is none."""
        return str(self.message.get(name, ""))


@dataclass
class PostRoom(MailServers):
    """The GM's mailbox, and a submission server that sends nothing on.

    ``sent`` are the mails that it took; ``refusals`` has the answer that an address gets instead.
    """

    sent: list[Sent] = field(default_factory=list)
    refusals: dict[str, str] = field(default_factory=dict)

    async def handle_RCPT(  # noqa: N802 - aiosmtpd finds its hooks by these names
        self, _server: Any, _session: Any, envelope: Any, address: str, _options: list[str]
    ) -> str:
        """Take every address but those that are refused (aiosmtpd's hook)."""
        if address in self.refusals:
            return self.refusals[address]
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 recipient fine"

    async def handle_DATA(  # noqa: N802 - as above
        self, _server: Any, _session: Any, envelope: Any
    ) -> str:
        """Keep the mail (aiosmtpd's hook)."""
        sender = (envelope.mail_from or "").strip("<>")
        self.sent += [Sent(sender, to, envelope.original_content) for to in envelope.rcpt_tos]
        return "250 2.0.0 taken"

    def put(self, raw: bytes, arrived: datetime) -> None:
        """Put a mail into the GM's mailbox as it stands, with this INTERNALDATE."""
        self._thread.call(self._boxes[GM_BOX].append(AppendMessage(raw, arrived)))

    def counts(self) -> Iterator[tuple[str, int]]:
        """Yield each folder of the GM's with the number of its mails, those that are there."""
        with IMAP4(HOST, self.imap_port) as client:
            client.login(GM_BOX, PASSWORD)
            for folder in FOLDERS:
                answer, found = client.select(folder, readonly=True)
                if answer == "OK":
                    yield folder, int(found[0] or 0)
