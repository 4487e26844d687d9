"""Why a server refuses a login, in its own words: on one line, and without what was sent to it."""

from base64 import b64encode

import pytest

from postal.mail.connection import MailServerUnavailable, ServerSettings, login_words
from postal.mail.imap import ImapSettings, Mailbox
from postal.mail.smtp import Sender, SmtpSettings
from tests.mail.scripted import HOST, IMAP, SMTP, scripted, talk_imap, talk_smtp

USER, PASSWORD, TOKEN = "gm@example.org", 's3"cr\\et', "ya29.token"

WORDS = (
    "[ALERT] Too many simultaneous connections. (Failure)",
    "5.7.139 Authentication unsuccessful, basic authentication is disabled.",
    "[ALERT] Application-specific password required: https://support.example.org/?p=1",
    'it\'s "wrong"',
)


def encoded(text: str) -> str:
    """Return a text in base64."""
    return b64encode(text.encode()).decode()


def smtp_says(words: bytes, **login: object) -> str:
    """Return the sentence that an SMTP server's refusal comes to."""
    answers = SMTP | {"EHLO": b"250-here\r\n250 AUTH PLAIN XOAUTH2\r\n", "AUTH": words}
    with scripted(talk_smtp, answers) as (port, _):
        settings = SmtpSettings(host=HOST, port=port, user=USER, security="plain", **login)  # type: ignore[arg-type]  # as named
        with Sender(settings) as sender, pytest.raises(MailServerUnavailable) as caught:
            sender.check()
    return str(caught.value)


def imap_says(words: bytes, **login: object) -> str:
    """Return the sentence that an IMAP server's refusal comes to."""
    answer = b"%s NO " + words + b"\r\n"
    with scripted(talk_imap, IMAP | {"LOGIN": answer, "RESPONSE": answer}) as (port, _):
        settings = ImapSettings(host=HOST, port=port, user=USER, security="plain", **login)  # type: ignore[arg-type]  # as named
        with pytest.raises(MailServerUnavailable) as caught, Mailbox(settings):
            pass
    return str(caught.value)


@pytest.mark.parametrize("words", WORDS)
def test_the_servers_reason_is_passed_on(words: str) -> None:
    """As it is, in one sentence."""
    smtp = smtp_says(f"535 {words}\r\n".encode(), password=PASSWORD)
    imap = imap_says(words.encode(), password=PASSWORD)
    for said, code in ((smtp, "535 "), (imap, "")):
        assert f"refused the login of {USER} ({code}{words}): check the user name" in said
        assert "b'" not in said
        assert 'b"' not in said
        assert "\\" not in said


def test_several_lines_are_one() -> None:
    """With the codes left out, as they stand in each."""
    said = smtp_says(b"535-5.7.8 not accepted.\r\n535 5.7.8 Learn more\r\n", password=PASSWORD)
    assert "(535 5.7.8 not accepted. 5.7.8 Learn more)" in said


@pytest.mark.parametrize(
    "secret",
    [
        PASSWORD,
        's3\\"cr\\\\et',
        encoded(PASSWORD),
        encoded(f"\0{USER}\0{PASSWORD}"),
        encoded(PASSWORD).rstrip("="),
        USER,
        USER.upper(),
        encoded(USER),
    ],
)
def test_what_was_sent_is_struck_out(secret: str) -> None:
    """In clear, quoted as IMAP has it, or in base64."""
    for said in (
        smtp_says(f"535 5.7.8 <{secret}> is wrong\r\n".encode(), password=PASSWORD),
        imap_says(f"[AUTHENTICATIONFAILED] {secret}: wrong".encode(), password=PASSWORD),
    ):
        words = said.replace(f"login of {USER}", "")
        assert secret not in words
        assert "wrong" in words
        assert "(password)" in words or "(user)" in words


@pytest.mark.parametrize(
    "secret", [TOKEN, encoded(TOKEN), encoded(f"user={USER}\1auth=Bearer {TOKEN}\1\1")]
)
def test_a_token_is_struck_out(secret: str) -> None:
    """That of XOAUTH2, as it was at this login."""
    for said in (
        smtp_says(f"535 5.7.3 {secret} expired\r\n".encode(), token=lambda: TOKEN),
        imap_says(f"{secret} expired".encode(), token=lambda: TOKEN),
    ):
        assert secret not in said
        assert "(password) expired" in said


def test_a_short_name_is_no_part_of_a_word() -> None:
    """It is struck out by itself alone."""
    settings = ServerSettings(host=HOST, port=1, user="in", password="pw")
    assert login_words(settings, "in vain: in@example.org") == "(user) vain: in@example.org"


def test_a_login_that_cannot_be_checked_says_why() -> None:
    """It asks for patience, not for another password."""
    smtp = smtp_says(b"454 4.7.0 Temporary failure\r\n", password=PASSWORD)
    assert "can't check passwords at present (454 4.7.0 Temporary failure)" in smtp
    imap = imap_says(b"[UNAVAILABLE] Backend down", password=PASSWORD)
    assert "can't check passwords at present ([UNAVAILABLE] Backend down)" in imap


@pytest.mark.parametrize("command", ["GREETING", "EHLO", "MAIL"])
def test_no_sentence_shows_how_python_writes_an_answer(command: str) -> None:
    """Neither a tuple nor bytes."""
    answers = SMTP | {
        command: b"554-5.7.1 it's not\r\n554 5.7.1 for you\r\n",
        "HELO": b"554 no\r\n",
    }
    with scripted(talk_smtp, answers) as (port, _):
        settings = SmtpSettings(host=HOST, port=port, security="plain")
        with Sender(settings) as sender:
            text = sender.send(b"x\r\n", "ann@example.org", "gm@example.org").sentence
    assert "554" in text
    assert "b'" not in text
    assert "(554," not in text
    assert f"{HOST}:" in text
