"""What is told of a server's answer or a library's error: no token, password or mail in it."""

import imaplib
import smtplib

import pytest
from imapclient.exceptions import InvalidCriteriaError, ProtocolError

from postal.mail.connection import ServerSettings, sentence
from postal.mail.smtp import Sender, SmtpSettings
from tests.mail.faulty import HOST, FaultySmtp

TOKEN = "abcdefgh234567zz"
ANSWER = f"bad: gm+{TOKEN}@example.org, <postal.{TOKEN}.x1@example.org> [postal {TOKEN}] s3cret"
SETTINGS = ServerSettings(host="mail.example.org", port=1, user="gm", password="s3cret")


@pytest.mark.parametrize(
    "error",
    [
        ProtocolError(f"no literal: A: give 2C 5D next {ANSWER}"),
        InvalidCriteriaError(f"2C {ANSWER}"),
        ValueError(f"2C {ANSWER}"),
        KeyError(f"2C {ANSWER}"),
        smtplib.SMTPException(f"2C {ANSWER}"),
        UnicodeEncodeError("ascii", f"2C {ANSWER}", 0, 1, f"2C {ANSWER}"),
    ],
)
def test_no_text_of_a_librarys_error_is_told(error: Exception) -> None:
    """Its kind alone: it may quote a mail that was fetched."""
    assert sentence(SETTINGS, "IMAP", error) == (
        f"Unexpected answer from the IMAP server mail.example.org:1 ({type(error).__name__})"
    )


@pytest.mark.parametrize(
    "error",
    [
        imaplib.IMAP4.error(f"select failed: {ANSWER}"),
        smtplib.SMTPResponseException(550, f"failed: {ANSWER}".encode()),
        smtplib.SMTPConnectError(550, f"failed: {'x' * 150} {ANSWER}".encode()),
    ],
)
def test_a_servers_answer_is_told_without_tokens_and_the_password(error: Exception) -> None:
    """Where it is cut, too."""
    said = sentence(SETTINGS, "IMAP", error)
    assert "failed: " in said
    assert "abcd" not in said
    assert "s3c" not in said


@pytest.mark.parametrize("command", ["MAIL", "RCPT", "DATA", "."])
def test_an_answer_about_a_mail_is_told_so_too(command: str) -> None:
    """It goes to the GM by mail and into the outbox."""
    with FaultySmtp() as server:
        settings = SmtpSettings(
            host=HOST, port=server.port, user="gm", password="s3cret", security="plain"
        )
        server.break_always(command, f"550 {ANSWER}")
        with Sender(settings) as sender:
            result = sender.send(b"Subject: x\r\n\r\nx\r\n", "ann@example.org", "gm@example.org")
    # What is said to MAIL concerns us: nothing fails by it.
    assert result.state == ("retry" if command == "MAIL" else "failed")
    assert "gm+(token)@example.org" in result.text
    assert "(password)" in result.text
    assert TOKEN not in result.text
    assert "s3cret" not in result.text
