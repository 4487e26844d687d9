"""Building mail: headers for threads and loops, legible bodies, the same bytes every time."""

import datetime as dt
import email
import email.policy
from dataclasses import replace

import pytest

from postal.mail.gate import refusal
from postal.mail.incoming import read
from postal.mail.message import Outgoing, build

MAIL = Outgoing(
    sender="gm@example.org",
    sender_name="Spring League",
    recipient="ann@example.org",
    recipient_name="Zoë",
    subject="Turn 4: £40,000",
    text="Your cards: A♠\ufe0e\nA: raise £40,000 " + "x" * 1200 + "\n.\n",
    html="<p>Your cards: A♠</p>",
    message_id="<postal.abcdefghabcdefgh.1@example.org>",
    date=dt.datetime(2031, 5, 6, 7, 8, 9, tzinfo=dt.UTC),
    reply_to="gm+abcdefghabcdefgh@example.org",
    in_reply_to="<x@y>",
    references=tuple(f"<{n}.{'r' * 80}@example.org>" for n in range(40)),
    list_id="<spring.example.org>",
)


def test_headers_as_mail_programs_expect_them() -> None:
    """Each field is there, whole, and ids are never encoded."""
    raw = build(MAIL)
    head = raw.partition(b"\r\n\r\n")[0].decode("ascii")
    message = email.message_from_bytes(raw, policy=email.policy.default)
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["X-Auto-Response-Suppress"] == "All"
    assert message["List-Id"] == "<spring.example.org>"
    assert message["X-Postal-Loop"] == "gm@example.org"
    assert message["Date"] == "Tue, 06 May 2031 07:08:09 +0000"
    assert message["Subject"] == "Turn 4: £40,000"
    assert message["To"].addresses[0].display_name == "Zoë"
    assert message["Reply-To"].addresses[0].addr_spec == MAIL.reply_to
    assert "Message-ID: <postal.abcdefghabcdefgh.1@example.org>\r\n" in head
    assert "Cc:" not in head
    assert "Bcc:" not in head
    references = next(line for line in head.split("\r\n") if line.startswith("References:"))
    assert "=?" not in references
    assert references.split()[1] == MAIL.references[0]
    assert references.split()[-1] == MAIL.references[-1]


def test_bytes_are_ascii_with_short_lines_and_crlf() -> None:
    """Every server takes them, and both texts come out whole."""
    raw = build(MAIL)
    assert raw.isascii()
    assert b"\n" not in raw.replace(b"\r\n", b"")
    assert max(map(len, raw.split(b"\r\n"))) <= 998
    plain, html = read(raw).texts
    assert plain == MAIL.text
    assert html.strip() == "Your cards: A♠"


def test_the_same_mail_is_the_same_bytes() -> None:
    """Nothing is drawn at random, boundaries neither."""
    assert build(MAIL) == build(replace(MAIL))
    assert build(replace(MAIL, html=None)) == build(replace(MAIL, html=None))
    assert b"multipart" not in build(replace(MAIL, html=None))


def test_no_value_can_add_a_header() -> None:
    """A line end in a subject or a name is a space."""
    raw = build(
        replace(
            MAIL,
            subject="x\r\nBcc: eve@example.org",
            recipient_name="a\r\nBcc: eve@example.org",
            in_reply_to="<x@y>\r\nBcc: eve@example.org",
        )
    )
    assert b"\r\nBcc:" not in raw
    assert read(raw).subject == "x Bcc: eve@example.org"


@pytest.mark.parametrize("address", ["", "ann", "a@b@c", "ann@example.org\r\nBcc: x@y", "<ann@x>"])
def test_an_address_that_is_none_is_a_value_error(address: str) -> None:
    """One exception, whatever the library raises."""
    with pytest.raises(ValueError, match="no mail address"):
        build(replace(MAIL, recipient=address))


def test_our_own_mail_is_never_answered_and_a_persons_is() -> None:
    """The loop tag and Auto-Submitted stop the gate, even under another address."""
    forged = build(replace(MAIL, sender="ann@example.org"))
    assert refusal(read(forged), ["gm@example.org"]) is not None
    person = build(replace(MAIL, sender="ann@example.org", automatic="no", list_id=""))
    assert refusal(read(person), ["gm@example.org"]) is None


def test_receipts_say_that_they_are_answers() -> None:
    """RFC 3834's word."""
    assert b"Auto-Submitted: auto-replied\r\n" in build(replace(MAIL, automatic="auto-replied"))


def test_the_repr_holds_no_token_and_no_text() -> None:
    """What a log might print of a mail to be sent."""
    assert "abcdefgh" not in repr(MAIL)
    assert "cards" not in repr(MAIL)
