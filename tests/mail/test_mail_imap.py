"""Fetching and putting away, against the embedded server and Dovecot."""

import datetime as dt
import threading
from dataclasses import replace

import pytest

from postal.demo.servers import MailServers
from postal.mail.connection import MailboxUnavailable
from postal.mail.imap import FOLDERS, PROCESSED, REJECTED, ImapSettings, Mailbox
from tests.mail.conftest import DELIVERED, GM, House
from tests.servers import dovecot

RAW = b"From: ann@example.org\r\nSubject: orders\r\n\r\nA: fold\r\n"


def test_mail_comes_whole_in_order_of_arrival(house: House) -> None:
    """UIDs rise, the raw bytes are the server's, and the +detail is kept in Delivered-To."""
    for number in range(3):
        house.deliver(
            RAW + b"%d\r\n" % number, "gm+abcdefghabcdefgh@example.org", "ann@example.org"
        )
    with Mailbox(house.settings) as mailbox:
        uids = mailbox.new_uids()
        mails = [mailbox.fetch(uid) for uid in uids]
    assert len(uids) == 3
    assert list(uids) == sorted(uids)
    for number, mail in enumerate(mails):
        assert mail is not None
        assert mail.raw is not None
        assert mail.raw.endswith(b"A: fold\r\n%d\r\n" % number)
        assert b"Delivered-To: gm+abcdefghabcdefgh@example.org" in mail.raw
        assert b"Return-Path: <ann@example.org>" in mail.raw
        assert mail.size == len(mail.raw)
        assert mail.uidvalidity == mailbox.uidvalidity > 0
        assert mail.internal_date is not None
        assert mail.internal_date.utcoffset() == dt.timedelta(0)


def test_internaldate_is_the_servers(servers: MailServers) -> None:
    """The time of arrival is the injected one, aware and in UTC."""
    servers.deliver(RAW, GM)
    with Mailbox(_plain(servers)) as mailbox:
        mail = mailbox.fetch(mailbox.new_uids()[0])
    assert mail is not None
    assert mail.internal_date == DELIVERED


def test_a_mail_over_the_limit_is_not_fetched(house: House) -> None:
    """Its size is told and its bytes are left where they are."""
    house.deliver(RAW + b"x" * 5000, GM, "")
    with Mailbox(house.settings) as mailbox:
        (uid,) = mailbox.new_uids()
        mail = mailbox.fetch(uid, max_bytes=5000)
        assert mailbox.size(uid) == mail.size if mail else None
    assert mail is not None
    assert mail.raw is None
    assert mail.size > 5000


def test_moved_mail_is_in_its_folder_and_no_longer_new(house: House) -> None:
    """What is handled is out of the inbox, and can be found in the folder."""
    house.deliver(RAW, GM, "")
    house.deliver(RAW, GM, "")
    with Mailbox(house.settings) as mailbox:
        mailbox.ensure_folders()
        mailbox.ensure_folders()
        first, second = mailbox.new_uids()
        mailbox.move([first], PROCESSED)
        mailbox.move([second], REJECTED)
        assert mailbox.new_uids() == ()
        assert mailbox.fetch(first) is None
        assert mailbox.size(first) is None
        mailbox.move([first], PROCESSED)  # gone already: no fault
    for folder in (PROCESSED, REJECTED):
        with Mailbox(replace(house.settings, folder=folder)) as mailbox:
            assert len(mailbox.new_uids()) == 1


@pytest.mark.parametrize("without", [(), (b"MOVE",), (b"MOVE", b"UIDPLUS")])
def test_a_mail_that_another_connection_moved_first_is_no_fault(
    house: House, without: tuple[bytes, ...]
) -> None:
    """Whichever commands the server has: `postal poll` beside a daemon does that."""
    for _ in range(2):
        house.deliver(RAW, GM, "")
    with Mailbox(house.settings) as mailbox, Mailbox(house.settings) as other:
        mailbox.ensure_folders()
        assert mailbox.new_uids() == other.new_uids()
        first, second = mailbox.new_uids()
        other.move([first], PROCESSED)
        client = mailbox._client
        assert client is not None
        client._cached_capabilities = tuple(set(client.capabilities()) - set(without))
        assert mailbox.fetch(first) is None
        mailbox.move([first], PROCESSED)
        mailbox.move([first, second], PROCESSED)
        assert mailbox.new_uids() == ()
    with Mailbox(replace(house.settings, folder=PROCESSED)) as mailbox:
        assert len(mailbox.new_uids()) == 2


def test_a_move_that_the_server_refuses_is_a_fault(house: House) -> None:
    """Where the mail is still there."""
    house.deliver(RAW, GM, "")
    with Mailbox(house.settings) as mailbox:
        (uid,) = mailbox.new_uids()
        with pytest.raises(MailboxUnavailable):
            mailbox.move([uid], PROCESSED)  # the folder was never made


def test_fetching_marks_nothing_as_seen(house: House) -> None:
    """A mail stays new for the GM's own client."""
    house.deliver(RAW, GM, "")
    with Mailbox(house.settings) as mailbox:
        (uid,) = mailbox.new_uids()
        mailbox.fetch(uid)
        assert mailbox._client is not None
        assert b"\\Seen" not in mailbox._client.get_flags([uid])[uid]


def test_idle_wakes_for_new_mail_and_gives_up_without(house: House) -> None:
    """A delivery ends the wait early; silence ends it in time."""
    with Mailbox(house.settings) as mailbox:
        assert mailbox.can_idle()
        assert not mailbox.idle(0.01)
        delivery = threading.Timer(0.05, house.deliver, (RAW, GM, ""))
        delivery.start()
        assert mailbox.idle(20)
        delivery.join()
        assert len(mailbox.new_uids()) == 1


def test_check_creates_the_folders_and_says_what_it_found(house: House) -> None:
    """The sentence has the place and the count, and never the password."""
    house.deliver(RAW, GM, "")
    with Mailbox(house.settings) as mailbox:
        said = mailbox.check()
        assert mailbox._client is not None
        assert all(mailbox._client.folder_exists(name) for name in FOLDERS)
    assert "1 in INBOX" in said
    assert house.settings.password not in said


def test_wrong_password_is_told_apart_and_kept_secret(house: House) -> None:
    """The sentence names the login and holds no password."""
    wrong = replace(house.settings, password="not-the-one")
    with pytest.raises(MailboxUnavailable, match=r"refused the login of gm@example\.org") as caught:
        Mailbox(wrong).__enter__()
    assert "not-the-one" not in f"{caught.value} {caught.value.__cause__} {wrong!r}"


def test_no_server_is_told_apart(servers: MailServers) -> None:
    """A port without a server gives a sentence of its own."""
    settings = replace(_plain(servers), port=servers.smtp_port)
    with pytest.raises(MailboxUnavailable, match="Unexpected answer from the IMAP server"):
        Mailbox(settings).__enter__()
    with pytest.raises(MailboxUnavailable, match=r"No IMAP server answers at 127\.0\.0\.1:1:"):
        Mailbox(replace(settings, port=1)).__enter__()


@pytest.mark.dovecot
def test_tls_failures_are_told_apart() -> None:
    """An unknown authority, TLS on the wrong port, and no such file: three sentences."""
    with dovecot({GM: "pw"}) as real:
        settings = ImapSettings(
            host="localhost",
            port=real.imaps_port,
            user=GM,
            password="pw",
            ca_file=real.certificate.cert,
        )
        with Mailbox(settings) as mailbox:
            assert mailbox.new_uids() == ()
        with pytest.raises(MailboxUnavailable, match=r"certificate .* can't be trusted"):
            Mailbox(replace(settings, ca_file=None)).__enter__()
        with pytest.raises(MailboxUnavailable, match="is 'tls' the right security"):
            Mailbox(replace(settings, port=real.imap_port)).__enter__()
        with pytest.raises(MailboxUnavailable, match="can't be read"):
            Mailbox(replace(settings, ca_file=real.certificate.cert.with_name("none"))).__enter__()


def test_starttls_is_never_silently_left_out(servers: MailServers) -> None:
    """A server without STARTTLS gets no password."""
    with pytest.raises(MailboxUnavailable, match="no STARTTLS"):
        Mailbox(replace(_plain(servers), security="starttls")).__enter__()


def test_plain_is_for_this_machine_only() -> None:
    """Elsewhere the password isn't sent in clear unless the GM insists."""
    settings = ImapSettings(host="mail.example.org", port=143, user=GM, security="plain")
    with pytest.raises(MailboxUnavailable, match="unencrypted"):
        Mailbox(settings).__enter__()
    assert replace(settings, allow_plain=True).refusal() is None
    assert replace(settings, host="::1").refusal() is None


def _plain(servers: MailServers) -> ImapSettings:
    return ImapSettings(
        host="127.0.0.1",
        port=servers.imap_port,
        user=GM,
        password="gm-secret",
        security="plain",
    )
