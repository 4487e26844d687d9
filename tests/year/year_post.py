"""The mail servers of the simulated year: in memory, and away when the year says so."""

from dataclasses import dataclass, field

from postal.mail.connection import MailboxUnavailable
from postal.mail.smtp import SendResult
from tests.service.service_league import Post

DOWN = SendResult("retry", 0, "No SMTP server answers", about_us=True)
NOBODY = SendResult("failed", 550, "5.1.1 no such user")


@dataclass
class YearPost(Post):
    """A mailbox and a submission server; ``gone`` are the addresses that nobody has."""

    gone: set[str] = field(default_factory=set)
    no_smtp: bool = False

    def send(self, raw: bytes, recipient: str, envelope_from: str) -> SendResult:
        """Take a mail, unless this server is away or the address is nobody's."""
        if self.no_smtp:
            return DOWN
        if recipient in self.gone:
            return NOBODY
        return super().send(raw, recipient, envelope_from)

    def no_imap(self, *, away: bool) -> None:
        """Let the mailbox be away, or back."""
        for point in ("enter", "new_uids"):
            if away:
                self.fails[point] = MailboxUnavailable("The server is away")
            else:
                self.fails.pop(point, None)
