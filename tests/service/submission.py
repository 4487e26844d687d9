"""A submission server for a league, which answers by the address, or as a test has it."""

from collections.abc import Callable

from postal.mail.smtp import SendResult
from tests.service.service_league import League

Answers = Callable[[str, bytes], SendResult | None]


class Submission:
    """A submission server that answers by the address, and notes what it was offered and took."""

    def __init__(self, league: League) -> None:
        """Stand in for the league's."""
        self.refuses: Answers = lambda _to, _raw: None
        self.offered: list[str] = []
        self.taken: list[tuple[str, bytes]] = []
        league.post.send = self.send  # type: ignore[method-assign]  # its stand-in

    def send(self, raw: bytes, recipient: str, envelope_from: str) -> SendResult:
        """Take a mail or not."""
        del envelope_from
        name = recipient.partition("@")[0].capitalize()
        self.offered.append(name)
        result = self.refuses(name, raw) or SendResult("sent", 250, "ok")
        if result.state in ("sent", "unknown"):
            self.taken.append((name, raw))
        return result
