"""What time the mail server has: asked by a mail that is put into a folder without a date."""

from datetime import UTC, datetime, timedelta

import pytest

from postal.mail.connection import MailboxUnavailable
from postal.mail.imap import PROCESSED, ImapSettings, Mailbox
from tests.mail.conftest import DELIVERED, GM, House
from tests.mail.scripted import DROP, HOST, IMAP, scripted, talk_imap

RAW = b"From: ann@example.org\r\nSubject: orders\r\n\r\nA: fold\r\n"
SECOND = timedelta(seconds=1)
TOLD = {
    "APPEND": b"%s OK done\r\n",
    "UID FETCH SIZE": b'* 1 FETCH (UID 5 INTERNALDATE "06-May-2031 09:08:09 +0200")'
    b"\r\n%s OK done\r\n",
}


def test_the_servers_time_is_told_and_nothing_is_left_behind(house: House) -> None:
    """Neither in the folder that was used nor in the one that is read, which stays open."""
    house.deliver(RAW, GM, "ann@example.org")
    with Mailbox(house.settings) as mailbox:
        mailbox.ensure_folders()
        before = datetime.now(UTC)
        told = mailbox.server_time()
        after = datetime.now(UTC)
        assert told is not None
        assert before - SECOND <= told <= after + SECOND
        assert len(mailbox.new_uids()) == 1
        with mailbox._guarded() as client:
            assert client.select_folder(mailbox._prefix + PROCESSED)[b"EXISTS"] == 0


def test_the_last_arrival_is_told(house: House) -> None:
    """None where the folder is empty."""
    with Mailbox(house.settings) as mailbox:
        assert mailbox.newest_arrival() is None
        house.deliver(RAW, GM, "ann@example.org")
        (uid,) = mailbox.new_uids()
        mail = mailbox.fetch(uid)
        assert mail is not None
        assert mailbox.newest_arrival() == mail.internal_date


@pytest.mark.parametrize(
    "answers",
    [
        {"APPEND": b"%s NO [OVERQUOTA] full\r\n"},
        {"APPEND": b"%s BAD what\r\n"},
        {"UID SEARCH": b"* SEARCH\r\n%s OK done\r\n"},
        {"UID FETCH SIZE": b"%s OK done\r\n"},
        {"UID FETCH SIZE": b"%s NO not now\r\n"},
        {"UID FETCH SIZE": b"* 1 FETCH (UID 5 INTERNALDATE NIL)\r\n%s OK done\r\n"},
        {
            "UID FETCH SIZE": b'* 1 FETCH (UID 5 INTERNALDATE "00-Jan-0000 00:00:00 +0000")'
            b"\r\n%s OK done\r\n"
        },
    ],
)
def test_a_server_that_cannot_tell_is_no_fault(answers: dict[str, bytes]) -> None:
    """The connection goes on."""
    script = {**IMAP, **TOLD, **answers}
    with scripted(talk_imap, script) as (port, _), Mailbox(_settings(port)) as mailbox:
        assert mailbox.server_time() is None
        assert mailbox.server_time() is None


def test_what_it_tells_is_utc() -> None:
    """Whatever zone it writes in."""
    with scripted(talk_imap, {**IMAP, **TOLD}) as (port, _), Mailbox(_settings(port)) as mailbox:
        assert mailbox.server_time() == DELIVERED


def test_a_lost_connection_is_one() -> None:
    """It is no answer."""
    with (
        scripted(talk_imap, {**IMAP, **TOLD, "APPEND": DROP}) as (port, _),
        Mailbox(_settings(port)) as mailbox,
        pytest.raises(MailboxUnavailable),
    ):
        mailbox.server_time()


def _settings(port: int) -> ImapSettings:
    return ImapSettings(
        host=HOST, port=port, user=GM, password="secret", security="plain", timeout=5
    )
