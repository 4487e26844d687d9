"""Handing mail in to a server that refuses, breaks or stalls at every command."""

from itertools import product

import pytest

from postal.mail.smtp import Sender, SendResult, SmtpSettings
from tests.mail.faulty import AFTER, BYE, DROP, HOST, LOST, STALL, FaultySmtp
from tests.mail.scripted import DROP as CLOSE
from tests.mail.scripted import SMTP, scripted, talk_smtp

RAW = b"Message-ID: <one@example.org>\r\nSubject: report\r\n\r\n.a dot\r\nend\r\n"
CONNECTING = ("GREETING", "EHLO", "AUTH")
MAIL = ("MAIL", "RCPT", "DATA", ".")


def sender(port: int, timeout: float = 5, security: str = "plain") -> Sender:
    """Return a sender that logs in."""
    return Sender(
        SmtpSettings(
            host=HOST,
            port=port,
            user="gm",
            password="s3cret",
            security=security,  # type: ignore[arg-type]  # one of its words
            timeout=timeout,
        )
    )


def send(through: Sender) -> SendResult:
    """Send the one mail."""
    return through.send(RAW, "ann@example.org", "gm@example.org")


def expected(command: str, how: str) -> str:
    """Return what must be said of a mail at which a command went wrong."""
    if how == AFTER and command == ".":
        return "sent"
    if command == "." and how in (DROP, LOST, STALL):
        return "unknown"
    if command == "DATA" and how == AFTER:
        return "unknown"
    return "failed" if how.startswith("5") and command in MAIL[1:] else "retry"


@pytest.mark.parametrize(
    ("command", "how"),
    [
        *product(CONNECTING + MAIL, (DROP, LOST, BYE, AFTER, STALL)),
        *product(CONNECTING + MAIL, ("421 closing", "450 later s3cret", "550 never s3cret")),
        *product(("AUTH",), ("454 later", "535 wrong", "534 weak", "432 change it")),
        *product(("RCPT", "DATA", "."), ("452 full", "552 too big", "571 refused")),
    ],
)
def test_a_fault_at_any_command_is_judged_and_the_next_try_gets_on(command: str, how: str) -> None:
    """Nothing that failed was taken, nothing sent was lost, and no secret is told."""
    with FaultySmtp() as server, sender(server.port, 0.15 if how == STALL else 5) as through:
        server.break_always(command, how)
        result = send(through)
        assert result.state == expected(command, how)
        assert bool(server.taken) is (command == "." and how in (LOST, BYE, AFTER, STALL))
        ours = command in ("MAIL", *CONNECTING) or how[0] not in "45" or "421" in how
        assert result.about_us is (result.state != "sent" and ours)
        # In what comes after MAIL, only what becomes of other mails tells whom it is about.
        later = command in MAIL[1:] or (command, how) == ("MAIL", AFTER)
        open_to_doubt = later and how != BYE and "421" not in how
        assert result.doubtful is (result.state != "sent" and open_to_doubt)
        # What a server says of a mail is for the GM; what it says of a login may repeat it.
        assert command != "AUTH" or "s3cret" not in result.text
        server.mend()
        assert send(through).state == "sent"
        assert server.taken[-1] == ("ann@example.org", RAW)
        assert len(set(server.taken)) == 1


def test_a_login_that_cannot_be_checked_is_not_a_wrong_password() -> None:
    """4xx asks for patience, 5xx for another password."""
    with FaultySmtp() as server, sender(server.port) as through:
        server.break_always("AUTH", "454 database down")
        assert "can't check passwords at present" in send(through).text
        server.break_always("AUTH", "535 wrong")
        assert "check the user name and the password" in send(through).text


@pytest.mark.parametrize(
    "answer", [b"454 later\r\n", b"502 not here\r\n", b"220 go\r\n" + CLOSE, CLOSE]
)
def test_where_starttls_fails_nothing_is_told(answer: bytes) -> None:
    """Neither the password nor the mail goes out in clear."""
    answers = SMTP | {"EHLO": b"250-here\r\n250-STARTTLS\r\n250 AUTH PLAIN\r\n", "STARTTLS": answer}
    with (
        scripted(talk_smtp, answers) as (port, heard),
        sender(port, security="starttls") as through,
    ):
        result = send(through)
    assert (result.state, result.about_us) == ("retry", True)
    assert heard == ["EHLO", "STARTTLS"]


@pytest.mark.parametrize("code", ["450 4.2.0 greylisted", "451 4.7.1 greylisted, come back"])
@pytest.mark.parametrize("command", ["RCPT", "DATA", "."])
def test_greylisting_holds_up_one_mail_and_not_the_connection(command: str, code: str) -> None:
    """The next mail goes over the same one, and the first is taken at a later try."""
    with FaultySmtp() as server, sender(server.port) as through:
        server.break_always(command, code)
        first = send(through)
        assert (first.state, first.about_us) == ("retry", False)
        server.mend()
        assert send(through).state == "sent"
        assert server.heard.count("GREETING") == 1


def test_a_mail_lost_after_its_dot_is_sent_again_the_same() -> None:
    """Its reader knows it by its Message-ID."""
    with FaultySmtp() as server, sender(server.port) as through:
        server.break_always(".", LOST)
        assert send(through).state == "unknown"
        server.mend()
        assert send(through).state == "sent"
        assert server.taken == [("ann@example.org", RAW)] * 2
