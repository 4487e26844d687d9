"""Mails that the server lists and does not hand over: each is told, and none is taken for gone."""

from datetime import UTC, datetime

import pytest

from postal.mail.connection import MailboxUnavailable
from postal.mail.fetching import NotHandedOver
from postal.mail.imap import ImapSettings, Mailbox
from tests.mail.scripted import DROP, HOST, IMAP, STALL, scripted, talk_imap

NOOP = {"NOOP": b"%s OK nothing new\r\n"}
GONE = {"UID SEARCH": b"* SEARCH\r\n%s OK done\r\n"}
AT = datetime(2031, 5, 6, 7, 8, 9, tzinfo=UTC)

KEPT_BACK = {
    "refused": {"UID FETCH BODY": b"%s NO [SERVERBUG] can't open it\r\n"},
    "refused at its size": {"UID FETCH SIZE": b"%s BAD what?\r\n"},
    "nothing": {"UID FETCH BODY": b"%s OK done\r\n"},
    "nothing of its size": {"UID FETCH SIZE": b"%s OK done\r\n"},
    "NIL": {"UID FETCH BODY": b"* 1 FETCH (UID 5 BODY[] NIL)\r\n%s OK done\r\n"},
    "another's": {"UID FETCH BODY": b"* 1 FETCH (UID 6 BODY[] {2}\r\nhi)\r\n%s OK done\r\n"},
    "no bytes": {"UID FETCH BODY": b"* 1 FETCH (UID 5 BODY[] {0}\r\n)\r\n%s OK done\r\n"},
    "too few": {"UID FETCH BODY": b"* 1 FETCH (UID 5 BODY[] {1}\r\nh)\r\n%s OK done\r\n"},
    "too many": {"UID FETCH BODY": b"* 1 FETCH (UID 5 BODY[] {3}\r\nhih)\r\n%s OK done\r\n"},
}
LOST = {
    "dropped": {"UID FETCH BODY": DROP},
    "dropped in its bytes": {"UID FETCH BODY": b"* 1 FETCH (UID 5 BODY[] {2}\r\nh" + DROP},
    "no answer": {"UID FETCH BODY": STALL},
    "nonsense": {"UID FETCH BODY": b"* 1 FETCH (UID\r\n%s OK x\r\n"},
}


def imap(port: int) -> ImapSettings:
    """Return how to reach a scripted server."""
    return ImapSettings(
        host=HOST, port=port, user="gm", password="s3cret", security="plain", timeout=0.3
    )


@pytest.mark.parametrize("how", KEPT_BACK)
def test_a_mail_that_is_listed_and_not_given_is_told(how: str) -> None:
    """The connection lasts: other mails can be asked for."""
    answers = IMAP | NOOP | KEPT_BACK[how]
    with scripted(talk_imap, answers) as (port, _), Mailbox(imap(port)) as mailbox:
        with pytest.raises(NotHandedOver) as caught:
            mailbox.fetch(5)
        assert not caught.value.lost
        assert mailbox.new_uids() == (5,)
        if "size" not in how:
            assert (caught.value.facts.size, caught.value.facts.internal_date) == (2, AT)
        if how == "refused":
            assert "[SERVERBUG] can't open it" in str(caught.value)


@pytest.mark.parametrize("how", LOST)
def test_a_mail_that_costs_the_connection_is_told_and_it_can_be_made_anew(how: str) -> None:
    """With what the server said of it before."""
    with scripted(talk_imap, IMAP | NOOP | LOST[how]) as (port, _), Mailbox(imap(port)) as mailbox:
        with pytest.raises(NotHandedOver) as caught:
            mailbox.fetch(5)
        assert caught.value.lost
        assert caught.value.facts.size == 2
        with pytest.raises(MailboxUnavailable, match="closed"):
            mailbox.fetch(5)
        mailbox.reopen()
        assert mailbox.new_uids() == (5,)


@pytest.mark.parametrize("how", ["refused", "nothing", "NIL"])
def test_a_mail_that_is_listed_no_more_is_gone(how: str) -> None:
    """Another connection has moved it away: that is no failure."""
    answers = IMAP | NOOP | KEPT_BACK[how] | GONE
    with scripted(talk_imap, answers) as (port, _), Mailbox(imap(port)) as mailbox:
        assert mailbox.fetch(5) is None


@pytest.mark.parametrize("date", [b"NIL", b'"00-Jan-0000 00:00:00 +0000"', b'"soon"', None])
def test_a_mail_without_a_time_is_handed_over_without_one(date: bytes | None) -> None:
    """When it was seen first is what counts then."""
    told = b" INTERNALDATE " + date if date else b""
    answers = IMAP | {"UID FETCH SIZE": b"* 1 FETCH (UID 5 RFC822.SIZE 2%b)\r\n%%s OK x\r\n" % told}
    with scripted(talk_imap, answers) as (port, _), Mailbox(imap(port)) as mailbox:
        mail = mailbox.fetch(5)
        assert mail is not None
        assert (mail.raw, mail.internal_date) == (b"hi", None)


@pytest.mark.parametrize("listed", [b"* SEARCH\r\n", b"", b"* SEARCH 5 7\r\n"])
def test_a_server_that_lists_less_than_there_is_can_t_be_used(listed: bytes) -> None:
    """Or what it doesn't list would be passed over in silence."""
    answers = IMAP | {
        "SELECT": b"* 6 EXISTS\r\n* OK [UIDVALIDITY 7] valid\r\n%s OK [READ-WRITE] done\r\n",
        "UID SEARCH": listed + b"%s OK done\r\n",
    }
    with scripted(talk_imap, answers) as (port, heard), Mailbox(imap(port)) as mailbox:
        with pytest.raises(MailboxUnavailable, match=r"there are 6 mails in INBOX, and lists [02]"):
            mailbox.new_uids()
        assert heard.count("UID SEARCH") == 2


def test_a_header_is_had_where_the_rest_is_not() -> None:
    """Of a mail whose bytes are kept back."""
    head = b"Subject: hi\r\n\r\n"
    answer = b"* 1 FETCH (UID 5 BODY[HEADER]<0> {%d}\r\n%b)\r\n%%s OK x\r\n" % (len(head), head)
    answers = IMAP | {"UID FETCH BODY": answer}
    with scripted(talk_imap, answers) as (port, _), Mailbox(imap(port)) as mailbox:
        assert mailbox.header(5) == head
        assert mailbox.header(6) is None
