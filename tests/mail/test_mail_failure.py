"""Delivery failures: what servers write, in the standard's form and in their own."""

import pytest

from postal.mail.incoming import read
from postal.mail.tokens import candidates

TOKEN = "abcdefgh234567zz"
ID = f"<postal.{TOKEN}.00000000000000000001@example.org>"
ORIGINAL = f"From: Grace <gm@example.org>\nTo: ann@example.net\nSubject: s\nMessage-ID: {ID}\n"
HEAD = "Return-Path: <>\nFrom: Mail Delivery System <MAILER-DAEMON@mx.example.net>\n"

POSTFIX = f"""{HEAD}Subject: Undelivered Mail Returned to Sender
Content-Type: multipart/mixed; boundary="b"

--b
Content-Description: Notification
Content-Type: text/plain

This is the Postfix program at host mx.example.net.

I'm sorry to have to inform you that your message could not be
be delivered to one or more recipients. It's attached below.

\t\t\tThe Postfix program

<ann@example.net>: host mail.example.net said: 550 5.1.1 No such user

--b
Content-Description: Undelivered Message Headers
Content-Type: text/rfc822-headers

{ORIGINAL}
--b--
"""
QMAIL = f"""{HEAD}Subject: failure notice

Hi. This is the qmail-send program at mx.example.net.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

<ann@example.net>:
Sorry, no mailbox here by that name. (#5.1.1)

--- Below this line is a copy of the message.

{ORIGINAL}
"""
EXIM = f"""{HEAD}X-Failed-Recipients: ann@example.net
Subject: Mail delivery failed: returning message to sender

This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  ann@example.net
    SMTP error from remote mail server after RCPT TO:<ann@example.net>:
    550 Unknown user

------ This is a copy of the message, including all the headers. ------

{ORIGINAL.replace("Message-ID: ", "Message-ID:" + chr(10) + " ")}
"""
EXCHANGE = f"""{HEAD}Subject: Undeliverable: s
Content-Type: multipart/mixed; boundary="b"

--b
Content-Type: text/plain

Your message

  To:      ann@example.net
  Subject: s
  Sent:    Mon, 2 Mar 2026 12:00:00 -0000

did not reach the following recipient(s):

ann@example.net on Mon, 2 Mar 2026 12:00:05 -0000
    The recipient name is not recognized
\tThe MTS-ID of the original message is: c=US;a= ;p=X;l=Y

--b
Content-Type: message/rfc822

{ORIGINAL}
hello
--b--
"""
ODD = {"postfix": POSTFIX, "qmail": QMAIL, "exim": EXIM, "exchange": EXCHANGE}


@pytest.mark.parametrize("server", ODD)
def test_a_failure_in_a_servers_own_words_is_understood(server: str) -> None:
    """Whom it is about, that it is final, and which mail of ours it returns."""
    report = read(ODD[server].encode()).report
    assert report is not None
    assert (report.failed, report.delayed) == (True, False)
    assert report.recipients == ("ann@example.net",)
    assert report.message_ids == (ID,)


@pytest.mark.parametrize("server", ODD)
def test_a_person_who_quotes_a_failure_reports_none(server: str) -> None:
    """Only what a mail server wrote counts: an empty envelope sender, or its name."""
    raw = ODD[server].replace(HEAD, "From: ann@example.net\nReturn-Path: <ann@example.net>\n")
    assert read(raw.encode()).report is None


DELAYS = {
    "sendmail": """Warning: could not send message for past 4 hours

    **      THIS IS A WARNING MESSAGE ONLY      **

   ----- The following addresses had transient non-fatal errors -----
<ann@example.net>

   ----- Transcript of session follows -----
<ann@example.net>... Deferred: Connection timed out
Will keep trying until message is 5 days old""",
    "exim": """Warning: message delayed 24 hours

A message that you sent has not yet been delivered:

  ann@example.net
    Delay reason: Connection timed out

No action is required on your part.""",
    "postfix": """Delayed Mail (still being retried)

This is the Postfix program at host mx.example.net.

It will be retried until it is 5.0 days old.

<ann@example.net>: Connection timed out""",
    "qmail": """notice

Hi. This is the qmail-send program at mx.example.net.
I'm still trying to deliver your message.

<ann@example.net>:
not yet""",
    "in Swedish": """Meddelande

Brevet till ann@example.net är försenat.""",
}


@pytest.mark.parametrize("server", DELAYS)
def test_a_warning_of_a_delay_is_no_failure(server: str) -> None:
    """Though the library takes it for one."""
    report = read(f"{HEAD}Subject: {DELAYS[server]}\n\n{ORIGINAL}".encode()).report
    assert report is not None
    assert (report.failed, report.delayed) == (False, True)
    assert report.message_ids == (ID,)


UNKNOWN = (
    "Return-Path: <>\nFrom: Post <post@mx.example.net>\n\nNie dostarczono: ann@example.net\n\n"
)


def test_a_bounce_in_words_that_nobody_knows() -> None:
    """What returns a mail of ours without an envelope sender is one."""
    report = read(f"{UNKNOWN}{ORIGINAL}".encode()).report
    assert report is not None
    assert (report.failed, report.guessed, report.message_ids) == (True, True, (ID,))
    assert (report.recipients, report.words) == (
        ("ann@example.net",), "Nie dostarczono: ann@example.net"
    )  # fmt: skip
    assert TOKEN not in repr(report)


@pytest.mark.parametrize(
    "raw",
    [
        f"{UNKNOWN}{ORIGINAL}".replace("Return-Path: <>", "Return-Path: <post@mx.example.net>"),
        f"{UNKNOWN}{ORIGINAL}".replace(ID, "<other@example.org>"),
        f"X-Autoreply: yes\n{UNKNOWN}{ORIGINAL}",
        f"Auto-Submitted: auto-replied\nIn-Reply-To: {ID}\n{UNKNOWN}{ORIGINAL}",
        f"In-Reply-To: {ID}\n{UNKNOWN}",
    ],
)
def test_what_is_no_bounce(raw: str) -> None:
    """A person's mail, one that returns none of ours, and what a program of a person's answers."""
    assert read(raw.encode()).report is None


def dsn(*fields: str, kind: str = "multipart/report; report-type=delivery-status") -> bytes:
    """Return a report in the standard's form (RFC 3464) with such fields of the recipient."""
    status = "\n".join(("Final-Recipient: rfc822; Ann@example.net", *fields))
    return (
        f'{HEAD}Content-Type: {kind}; boundary="b"\n\n--b\n\nSorry.\n'
        f"--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx\n\n{status}\n\n"
        f"--b\nContent-Type: text/rfc822-headers\n\n{ORIGINAL}\n--b--\n"
    ).encode()


@pytest.mark.parametrize(
    ("fields", "failed", "delayed"),
    [
        (("Action: failed", "Status: 5.1.1"), True, False),
        (("Action: Failed (no such user)", "Status: 5.1.1 (unknown)"), True, False),
        (("Action: delayed", "Status: 4.4.1"), False, True),
        (("Action: DELAYED",), False, True),
        (("Status: 4.2.2",), False, True),
        (("Status: 5.2.2",), True, False),
        ((), True, False),
        (("Action: delivered", "Status: 2.1.5"), False, False),
        (("Action: relayed", "Status: 2.0.0"), False, False),
        (("Action: expanded",), False, False),
        (("Status: 2.0.0",), False, False),
    ],
)
def test_final_temporary_and_good_news_are_told_apart(
    fields: tuple[str, ...], *, failed: bool, delayed: bool
) -> None:
    """By the action, and where a server names none by the codes (RFC 3464, 2.3.3 and 2.3.4)."""
    report = read(dsn(*fields)).report
    assert report is not None
    assert (report.failed, report.delayed) == (failed, delayed)
    assert report.recipients == ("ann@example.net",)
    assert report.message_ids == (ID,)


def test_a_report_type_may_be_missing_but_not_another() -> None:
    """A receipt that a mail was read tells of no delivery (RFC 8098)."""
    assert read(dsn("Action: failed", kind="multipart/report")).report is not None
    read_receipt = dsn(kind="multipart/report; report-type=disposition-notification")
    read_receipt = read_receipt.replace(b"delivery-status", b"disposition-notification")
    assert read(read_receipt).report is None


def test_a_report_that_garbles_the_message_id_still_holds_the_token() -> None:
    """In the answer address or the subject of the mail that it returns."""
    raw = QMAIL.replace(f"Message-ID: {ID}", f"Reply-To: <gm+{TOKEN}@example.org>")
    incoming = read(raw.encode())
    assert incoming.report is not None
    assert incoming.report.message_ids == ()
    assert candidates(incoming) == (TOKEN,)


@pytest.mark.parametrize("filler", ["\n", "a b <x@example.net>: c\n", "<", "  x@y.example\n"])
def test_the_recipient_is_found_above_any_amount_of_text(filler: str) -> None:
    """The library is given no more than the top of a mail, since it is slow over many lines."""
    report = read((QMAIL + filler * (400_000 // len(filler))).encode()).report
    assert report is not None
    assert "ann@example.net" in report.recipients


def test_nothing_about_a_token_is_in_a_repr() -> None:
    """Nor an address."""
    shown = repr(read(QMAIL.encode()).report)
    assert TOKEN not in shown
    assert "ann" not in shown
