"""What mail servers do wrong: dropped connections, BYE, stalls, NIL bodies, odd codes."""

import base64
from dataclasses import replace

import pytest

from postal.errors import PostalError
from postal.mail.connection import MailboxUnavailable, SubmissionUnavailable
from postal.mail.imap import PROCESSED, ImapSettings, Mailbox
from postal.mail.smtp import Sender, SmtpSettings
from tests.mail.scripted import DROP, HOST, IMAP, SMTP, STALL, scripted, talk_imap, talk_smtp

RAW = b"Subject: report\r\n\r\n.a dot\r\nend"


def _imap(port: int, timeout: float = 5) -> ImapSettings:
    return ImapSettings(
        host=HOST, port=port, user="gm", password="s3cret", security="plain", timeout=timeout
    )


def _smtp(port: int, user: str = "gm", timeout: float = 5) -> SmtpSettings:
    return SmtpSettings(
        host=HOST, port=port, user=user, password="s3cret", security="plain", timeout=timeout
    )


def _use_everything(settings: ImapSettings) -> None:
    with Mailbox(settings) as mailbox:
        for uid in mailbox.new_uids():
            mailbox.fetch(uid)
            mailbox.move([uid], PROCESSED)
        mailbox.idle(0)


@pytest.mark.parametrize("command", sorted(set(IMAP) - {"LOGOUT", "AUTHENTICATE", "RESPONSE"}))
@pytest.mark.parametrize("fault", [DROP, b"* BYE going down\r\n" + DROP])
def test_a_connection_lost_at_any_command_is_one_exception(command: str, fault: bytes) -> None:
    """Whatever was asked when the server went, the mailbox is unavailable and no secret is told."""
    with (
        scripted(talk_imap, IMAP | {command: fault}) as (port, heard),
        pytest.raises(MailboxUnavailable) as caught,
    ):
        _use_everything(_imap(port))
    assert heard[-1] == command
    assert "s3cret" not in str(caught.value)
    if fault == DROP:
        assert "was lost" in str(caught.value)


@pytest.mark.parametrize("command", ["LOGIN", "UID FETCH BODY"])
def test_a_stalled_server_is_given_up_after_the_timeout(command: str) -> None:
    """There is always a timeout."""
    with (
        scripted(talk_imap, IMAP | {command: STALL}) as (port, _),
        pytest.raises(MailboxUnavailable, match=r"didn't answer within 0\.2 seconds|was lost"),
    ):
        _use_everything(_imap(port, timeout=0.2))


NOOP = {"NOOP": b"%s OK nothing new\r\n"}
"""What is asked beside, where a mail is refused: another connection may have moved it."""


@pytest.mark.parametrize(
    "answer", [b"%s NO no\r\n", b"%s BAD x\r\n", b"* 1 FETCH (UID\r\n%s OK x\r\n"]
)
def test_nonsense_is_one_exception_too(answer: bytes) -> None:
    """Refusals and what can't be parsed are told as a lost connection is."""
    with (
        scripted(talk_imap, IMAP | NOOP | {"UID FETCH SIZE": answer}) as (port, _),
        pytest.raises(MailboxUnavailable, match="Unexpected answer"),
    ):
        _use_everything(_imap(port))


def test_servers_without_move_copy_delete_and_expunge() -> None:
    """The three commands come in this order."""
    with scripted(talk_imap, IMAP) as (port, heard), Mailbox(_imap(port)) as mailbox:
        mailbox.move([5], PROCESSED)
    assert [c for c in heard if c in ("UID COPY", "UID STORE", "EXPUNGE")] == [
        "UID COPY",
        "UID STORE",
        "EXPUNGE",
    ]


def test_a_login_that_cannot_be_checked_is_not_a_wrong_password() -> None:
    """[UNAVAILABLE] asks for patience, not for another password."""
    answers = IMAP | {"LOGIN": b"%s NO [UNAVAILABLE] s3cret later\r\n"}
    with (
        scripted(talk_imap, answers) as (port, _),
        pytest.raises(MailboxUnavailable, match="at present") as caught,
    ):
        _use_everything(_imap(port))
    assert "s3cret" not in f"{caught.value} {caught.value.__cause__}"


def test_after_a_fault_the_mailbox_is_closed() -> None:
    """It says so, and doesn't touch the dead connection again."""
    answers = IMAP | {"UID SEARCH": DROP}
    with scripted(talk_imap, answers) as (port, _), Mailbox(_imap(port)) as mailbox:
        with pytest.raises(MailboxUnavailable):
            mailbox.new_uids()
        with pytest.raises(MailboxUnavailable, match="is closed"):
            mailbox.new_uids()


def test_what_is_sent_is_dotted_and_ends_its_last_line() -> None:
    """A line that begins with a dot arrives with two."""
    with scripted(talk_smtp, SMTP) as (port, heard), Sender(_smtp(port)) as sender:
        result = sender.send(RAW, "ann@example.org", "gm@example.org")
        assert (result.state, result.code, result.text) == ("sent", 250, "taken")
    assert heard[heard.index("DATA") + 1 :] == [
        "Subject: report",
        "",
        "..a dot",
        "end",
        ".",
        "QUIT",
    ]


@pytest.mark.parametrize(
    ("command", "answer", "state"),
    [
        ("MAIL", b"451 later\r\n", "retry"),
        ("RCPT", b"450 greylisted\r\n", "retry"),
        ("RCPT", b"550 no such user\r\n", "failed"),
        ("RCPT", b"530 log in first\r\n", "retry"),
        ("DATA", b"554 no\r\n", "failed"),
        ("DATA", b"250 odd\r\n", "retry"),
        (".", b"452 full\r\n", "retry"),
        (".", b"552 too big\r\n", "failed"),
        (".", b"421 closing\r\n" + DROP, "retry"),
        ("MAIL", DROP, "retry"),
        ("RCPT", DROP, "retry"),
        ("DATA", DROP, "retry"),
        (".", DROP, "unknown"),
        (".", STALL, "unknown"),
        ("DATA", STALL, "retry"),
        ("GREETING", DROP, "retry"),
        ("GREETING", b"554 go away\r\n", "retry"),
        ("EHLO", DROP, "retry"),
        ("AUTH", b"535 wrong s3cret\r\n", "retry"),
    ],
)
def test_what_became_of_a_mail_is_judged_by_the_code(
    command: str, answer: bytes, state: str
) -> None:
    """4xx is tried again, 5xx is final, and only a loss after the last dot is unknown."""
    with (
        scripted(talk_smtp, SMTP | {command: answer}) as (port, _),
        Sender(_smtp(port, timeout=0.3 if answer == STALL else 5)) as sender,
    ):
        result = sender.send(RAW, "ann@example.org", "gm@example.org")
    assert result.state == state
    if command != "GREETING" and answer[:1].isdigit():
        assert result.code == int(answer[:3])
    assert "s3cret" not in result.text


def test_a_refused_mail_leaves_the_connection_good_for_the_next() -> None:
    """RSET, and on with the same connection."""
    answers = SMTP | {"RCPT": b"550 no\r\n"}
    with scripted(talk_smtp, answers) as (port, heard), Sender(_smtp(port)) as sender:
        assert sender.send(RAW, "ann@example.org", "gm@example.org").state == "failed"
        assert sender.send(RAW, "bob@example.org", "gm@example.org").state == "failed"
    assert heard.count("EHLO") == 1
    assert heard.count("RSET") == 2


def test_a_connection_that_died_meanwhile_is_made_anew() -> None:
    """An idle connection that the server closed costs nothing but a new one."""
    answers = SMTP | {"NOOP": DROP}
    with scripted(talk_smtp, answers) as (port, heard), Sender(_smtp(port)) as sender:
        assert sender.send(RAW, "ann@example.org", "gm@example.org").state == "sent"
        assert sender.send(RAW, "ann@example.org", "gm@example.org").state == "sent"
    assert heard.count("EHLO") == 2


def test_the_envelope_senders_token_stays_out_of_the_text() -> None:
    """Servers like to repeat addresses, and ours may hold a token."""
    said = b"550 GM+abcdefghabcdefgh@example.org may not send\r\n"
    with (
        scripted(talk_smtp, SMTP | {"MAIL": said}) as (port, _),
        Sender(_smtp(port)) as sender,
    ):
        result = sender.send(RAW, "ann@example.org", "gm+abcdefghabcdefgh@example.org")
    assert result.text == "(sender) may not send"


def test_an_address_beyond_ascii_fails_instead_of_raising() -> None:
    """A server without SMTPUTF8 can't take it."""
    with scripted(talk_smtp, SMTP) as (port, _), Sender(_smtp(port)) as sender:
        assert sender.send(RAW, "zoë@example.org", "gm@example.org").state == "failed"


XOAUTH2 = base64.b64encode(b"user=gm\x01auth=Bearer t0ken\x01\x01").decode()


def test_imap_logs_in_with_a_fresh_access_token() -> None:
    """The token is asked for at each login, and the password is not used."""
    fresh = iter(["stale", "t0ken"])
    with scripted(talk_imap, IMAP) as (port, heard):
        settings = replace(_imap(port), token=lambda: next(fresh))
        for _ in range(2):
            with Mailbox(settings):
                pass
    assert XOAUTH2 in heard
    assert heard.count("AUTHENTICATE") == 2
    assert "LOGIN" not in heard
    refused = IMAP | {"RESPONSE": b"%s NO t0ken is bad\r\n"}
    with (
        scripted(talk_imap, refused) as (port, _),
        pytest.raises(MailboxUnavailable, match="refused the login of gm") as caught,
    ):
        Mailbox(replace(_imap(port), token=lambda: "t0ken")).__enter__()
    assert "t0ken" not in str(caught.value)


def test_smtp_logs_in_with_an_access_token() -> None:
    """XOAUTH2 goes out with AUTH; a refusal comes as a challenge and is a failed login."""
    with scripted(talk_smtp, SMTP) as (port, heard):
        settings = replace(_smtp(port), token=lambda: "t0ken")
        with Sender(settings) as sender:
            assert "logged in as gm" in sender.check()
    assert "AUTH" in heard
    refused = SMTP | {"AUTH": b"334 e30=\r\n", "RESPONSE": b"535 t0ken is bad\r\n"}
    with (
        scripted(talk_smtp, refused) as (port, _),
        pytest.raises(SubmissionUnavailable, match="refused the login of gm") as caught,
    ):
        Sender(replace(_smtp(port), token=lambda: "t0ken")).check()
    assert "t0ken" not in str(caught.value)


def test_a_token_command_that_fails_is_told_as_it_is() -> None:
    """Its own sentence reaches the GM."""

    def fail() -> str:
        raise PostalError("imap.token_command gave nothing.")

    with (
        scripted(talk_imap, IMAP) as (port, _),
        pytest.raises(MailboxUnavailable, match=r"^imap\.token_command gave nothing\.$"),
    ):
        Mailbox(replace(_imap(port), token=fail)).__enter__()


def test_check_says_why_a_login_fails() -> None:
    """The sentence is for the GM and holds no password."""
    with (
        scripted(talk_smtp, SMTP | {"AUTH": b"535 no\r\n"}) as (port, _),
        pytest.raises(SubmissionUnavailable, match="refused the login of gm"),
    ):
        Sender(_smtp(port)).check()
