"""The demo's servers and the way from SMTP to IMAP, embedded and through Dovecot."""

import pytest

from postal.demo.servers import MailServers
from postal.mail.imap import ImapSettings, Mailbox
from postal.mail.smtp import Sender, SmtpSettings
from tests.mail.conftest import ANN, DELIVERED, GM, PASSWORDS
from tests.servers import dovecot, submission

RAW = b"From: ann@example.org\r\nSubject: orders\r\n\r\n.A: fold\r\n"
PLUS = "GM+abcdefghabcdefgh@example.org"


def test_what_is_sent_arrives_with_envelope_and_clock(servers: MailServers) -> None:
    """Plus addresses reach the mailbox, strangers are refused, and time is the injected one."""
    outgoing = SmtpSettings(
        host="127.0.0.1",
        port=servers.smtp_port,
        user=ANN,
        password=PASSWORDS[ANN],
        security="plain",
    )
    with Sender(outgoing) as sender:
        assert PASSWORDS[ANN] not in sender.check()
        assert sender.send(RAW, PLUS, ANN).state == "sent"
        assert sender.send(RAW, "stranger@example.org", ANN).state == "failed"
        assert sender.send(RAW, ANN, "").state == "sent"
    assert servers.delivered == 2
    mailboxes = {}
    for user in (GM, ANN):
        settings = ImapSettings(
            host="127.0.0.1",
            port=servers.imap_port,
            user=user,
            password=PASSWORDS[user],
            security="plain",
        )
        with Mailbox(settings) as mailbox:
            (uid,) = mailbox.new_uids()
            mailboxes[user] = mailbox.fetch(uid)
    mail = mailboxes[GM]
    assert mail is not None
    assert mail.internal_date == DELIVERED
    assert mail.raw == f"Return-Path: <{ANN}>\r\nDelivered-To: {PLUS}\r\n".encode() + RAW
    bounced = mailboxes[ANN]
    assert bounced is not None
    assert bounced.raw is not None
    assert bounced.raw.startswith(b"Return-Path: <>\r\n")


def test_no_password_is_shown(servers: MailServers) -> None:
    """The repr has ports and a count."""
    assert not any(password in repr(servers) for password in PASSWORDS.values())


def test_a_thousand_mails_are_no_burden(servers: MailServers) -> None:
    """Deliveries in the process are counted and all there."""
    for _ in range(1000):
        servers.deliver(RAW, GM)
    settings = ImapSettings(
        host="127.0.0.1",
        port=servers.imap_port,
        user=GM,
        password=PASSWORDS[GM],
        security="plain",
    )
    with Mailbox(settings) as mailbox:
        assert len(mailbox.new_uids()) == servers.delivered == 1000


@pytest.mark.dovecot
def test_submission_with_starttls_and_login_reaches_dovecot() -> None:
    """STARTTLS, AUTH, LMTP: the mail arrives as it was sent, and a refusal is passed back."""
    with dovecot(PASSWORDS) as real, submission(real) as port:
        outgoing = SmtpSettings(
            host="localhost",
            port=port,
            user=ANN,
            password=PASSWORDS[ANN],
            security="starttls",
            ca_file=real.certificate.cert,
        )
        with Sender(outgoing) as sender:
            assert sender.send(RAW, PLUS, ANN).state == "sent"
            refused = sender.send(RAW, "stranger@example.org", ANN)
            assert (refused.state, refused.code) == ("failed", 550)
        incoming = ImapSettings(
            host="localhost",
            port=real.imaps_port,
            user=GM,
            password=PASSWORDS[GM],
            ca_file=real.certificate.cert,
        )
        with Mailbox(incoming) as mailbox:
            (uid,) = mailbox.new_uids()
            mail = mailbox.fetch(uid)
        assert mail is not None
        assert mail.raw is not None
        assert mail.raw.endswith(RAW.partition(b"\r\n\r\n")[2])
        assert f"Delivered-To: {PLUS}".casefold().encode() in mail.raw.lower()
