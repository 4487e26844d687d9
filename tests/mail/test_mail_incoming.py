"""Reading raw mail: no bytes raise, and what can't be read is told as such."""

import base64
import datetime as dt
import random

import pytest

from postal.mail.incoming import read

HEAD = b"From: Ann <Ann@Example.org>\r\nTo: gm+abc@example.org\r\nSubject: orders\r\n"
DEEP = b"".join(
    b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (n, n) for n in range(1100)
)


def test_the_facts_of_a_plain_mail() -> None:
    """Addresses bare and folded, ids with their brackets, the date in UTC, the text as it is."""
    mail = read(
        b"Return-Path: <ann@example.org>\r\nDelivered-To: gm+x@example.org\r\n"
        + HEAD
        + b"Cc: B <bob@example.org>\r\nDate: Tue, 6 May 2031 09:00:00 +0200\r\n"
        b"Message-ID: <1@a>\r\nIn-Reply-To: <0@g>\r\nReferences: <r1@g>\r\n <r2@g>\r\n\r\n"
        b"A: fold\r\n"
    )
    assert mail.senders == ("ann@example.org",)
    assert mail.recipients == ("gm+abc@example.org", "gm+x@example.org", "bob@example.org")
    assert (mail.return_path, mail.message_id) == ("ann@example.org", "<1@a>")
    assert (mail.in_reply_to, mail.references) == (("<0@g>",), ("<r1@g>", "<r2@g>"))
    assert mail.date == dt.datetime(2031, 5, 6, 7, tzinfo=dt.UTC)
    assert mail.texts == ("A: fold\n",)
    assert mail.unreadable == ""


@pytest.mark.parametrize(
    ("content_type", "body", "text"),
    [
        ("text/plain; charset=utf-8", "raise £1".encode(), "raise £1"),
        ("text/plain; charset=iso-8859-1", b"raise \xa31 \x80", "raise £1 €"),
        ("text/plain; charset=windows-1252", b"raise \xa31", "raise £1"),
        ("text/plain; charset=us-ascii", b"raise \xa31", "raise £1"),
        ("text/plain; charset=us-ascii", "raise £1".encode(), "raise £1"),
        ("text/plain; charset=x-no-such", b"raise \xa31", "raise £1"),
        ("text/plain; charset=unicode_escape", b"raise \\x31", "raise \\x31"),
        ("text/plain; charset*=utf-8''iso-8859-1", b"raise \xa31", "raise £1"),
        ("text/plain; name*", b"A: fold", "A: fold"),
        ("text/plain; charset", b"A: fold \x81", "A: fold \x81"),
        ("text/plain; charset=utf-16-le", "A: fold".encode("utf-16-le"), "A: fold"),
        ("nonsense", b"A: fold", "A: fold"),
    ],
)
def test_charsets_as_they_are_really_used(content_type: str, body: bytes, text: str) -> None:
    """The declared one, else utf-8, cp1252, latin-1; an odd parameter breaks nothing."""
    raw = HEAD + b"Content-Type: " + content_type.encode() + b"\r\n"
    raw += b"Content-Transfer-Encoding: base64\r\n\r\n" + base64.encodebytes(body)
    assert read(raw).texts == (text,)


def test_raw_eight_bit_text_with_an_extended_charset_parameter() -> None:
    """The library's own decoding raises here."""
    raw = HEAD + b"Content-Type: text/plain; charset*=utf-8''iso-8859-1\r\n\r\nA: raise \xa31"
    assert read(raw).texts == ("A: raise £1",)


def test_plain_text_is_tried_before_html() -> None:
    """Alternatives give two texts, in this order."""
    mail = read(
        _multi("alternative", _part("text/html", "<p>B: stay"), _part("text/plain", "A: x"))
    )
    assert [text.strip() for text in mail.texts] == ["A: x", "B: stay"]


def test_an_empty_plain_part_leaves_the_html() -> None:
    """Some clients send an empty alternative."""
    mail = read(_multi("alternative", _part("text/plain", " "), _part("text/html", "<p>B: stay")))
    assert [text.strip() for text in mail.texts] == ["B: stay"]


def test_parts_that_follow_one_another_are_one_text() -> None:
    """Apple Mail cuts a text around a picture, and lists add a footer."""
    mail = read(
        _multi(
            "mixed",
            _part("text/plain", "A: fold"),
            b"Content-Type: image/png\r\n\r\nx",
            _part("text/html", "<p>B: stay</p>"),
        )
    )
    assert [line for line in mail.texts[0].splitlines() if line] == ["A: fold", "B: stay"]
    assert mail.hindrance == ""


def test_attached_mails_and_files_are_not_read() -> None:
    """A forwarded mail holds another person's words."""
    mail = read(
        _multi(
            "mixed",
            _part("text/plain", "hello"),
            b"Content-Type: message/rfc822\r\n\r\nSubject: x\r\n\r\nA: fold",
            b"Content-Type: text/plain\r\nContent-Disposition: attachment\r\n\r\nB: fold",
        )
    )
    assert "".join(mail.texts).strip() == "hello"


@pytest.mark.parametrize(
    ("part", "unread"),
    [
        (b"Content-Type: image/jpeg\r\n\r\nx", True),
        (b"Content-Type: application/pdf; name=orders.pdf\r\n\r\nx", True),
        (b"Content-Type: application/ms-tnef; name=winmail.dat\r\n\r\nx", True),
        (b"Content-Type: message/rfc822\r\n\r\nSubject: x\r\n\r\nA: fold", True),
        (b"Content-Type: text/plain; name=orders.txt\r\n\r\nA: fold", False),
        (b"Content-Type: text/vcard; name=me.vcf\r\n\r\nx", False),
        (b"Content-Type: application/pgp-signature\r\n\r\nx", False),
    ],
)
def test_files_beside_the_text_that_nobody_reads(part: bytes, unread: bool) -> None:  # noqa: FBT001 - a row
    """Orders may stand in them; not in a card or a signature."""
    assert read(_multi("mixed", _part("text/plain", "see there"), part)).files_unread == unread
    assert not read(_multi("mixed", _part("text/plain", "A: fold"))).files_unread


def test_a_clear_signed_mail_is_read() -> None:
    """Only the signed part counts."""
    mail = read(
        _multi(
            "signed",
            _part("text/plain", "A: fold"),
            b"Content-Type: application/pkcs7-signature\r\n\r\nx",
        )
    )
    assert (mail.texts, mail.unreadable) == (("A: fold",), "")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"Content-Type: application/ms-tnef; name=winmail.dat\r\n\r\nx", "tnef"),
        (b"Content-Type: application/octet-stream; name=winmail.dat\r\n\r\nx", "tnef"),
        (b"Content-Type: application/pkcs7-mime; smime-type=signed-data\r\n\r\nx", "smime"),
        (b"Content-Type: application/x-pkcs7-mime; name=smime.p7m\r\n\r\nx", "smime"),
        (b"Content-Type: application/pkcs7-mime; smime-type=enveloped-data\r\n\r\nx", "encrypted"),
        (
            b"Content-Type: multipart/encrypted; boundary=b\r\n\r\n--b\r\n\r\nx\r\n--b--",
            "encrypted",
        ),
        (b"\r\n-----BEGIN PGP MESSAGE-----\r\n\r\nx", "encrypted"),
        (b"Content-Type: image/jpeg\r\n\r\nx", "attachment-only"),
        (b"Content-Type: application/pdf\r\n\r\nx", "attachment-only"),
        (b"Content-Type: message/rfc822\r\n\r\nSubject: x\r\n\r\nA: fold", "attachment-only"),
        (b"\r\n" + b"A: fold\r\n" * 40_000, "too-long"),
        (b"Content-Type: text/html\r\n\r\n" + b"<p>A: fold" * 40_000, "too-long"),
        (b"Content-Type: text/html\r\n\r\n" + b"<div>" * 20_000 + b"A: fold", "too-complex"),
        (b"Content-Transfer-Encoding: base64\r\n\r\nQTogZm9sZ", "damaged"),
        (b"\r\n \r\n", "empty"),
        (b"", "empty"),
        (DEEP, "too-complex"),
        (DEEP[:4000], "too-complex"),
        (b"Content-Type: message/rfc822\r\n\r\n" * 1100, "too-complex"),
        (
            b"Content-Type: multipart/mixed; boundary=b\r\n\r\n" + b"--b\r\n\r\nx\r\n" * 9000,
            "too-complex",
        ),
        (b"Content-Type: text/plain; " + b"a=b;" * 60_000 + b"\r\n\r\nA: fold", "too-complex"),
        (b"X: y\r\n" * 50_000 + b"\r\nA: fold", "too-complex"),
    ],
)
def test_unreadable_mail_says_why_and_whose_it_is(body: bytes, reason: str) -> None:
    """It is never "no orders", and the sender is known, so that he can be told."""
    mail = read(HEAD + body)
    assert mail.unreadable == reason
    assert mail.texts == ()
    assert mail.senders == ("ann@example.org",)


def test_winmail_beside_a_text_hides_nothing() -> None:
    """The text is read, and that something was left out is told."""
    mail = read(
        _multi(
            "mixed", _part("text/plain", "A: fold"), b"Content-Type: application/ms-tnef\r\n\r\nx"
        )
    )
    assert (mail.texts, mail.unreadable, mail.hindrance) == (("A: fold",), "", "tnef")


def test_a_part_too_long_spoils_the_whole_but_not_its_alternative() -> None:
    """Half of the orders is worse than a question; another form of the same is fine."""
    long = _part("text/plain", "A: fold\r\n" * 40_000)
    assert read(_multi("mixed", _part("text/plain", "B: stay"), long)).unreadable == "too-long"
    mail = read(_multi("alternative", long, _part("text/html", "<p>B: stay")))
    assert [text.strip() for text in mail.texts] == ["B: stay"]
    assert mail.hindrance == "too-long"


def test_a_subject_is_one_capped_line() -> None:
    """Encoded words can hold line ends, and be very long."""
    evil = b"=?utf-8?q?Re=3A_orders=0D=0ABcc=3A_x=40example.org?="
    assert read(b"Subject: " + evil + b"\r\n\r\n").subject == "Re: orders Bcc: x@example.org"
    long = b"Subject: =?utf-8?q?" + b"=41" * 200_000 + b"?=\r\n\r\n"
    assert len(read(HEAD.replace(b"Subject: orders\r\n", long)).subject) == 300
    assert len(read(b"Subject: " + b"=?utf-8?q?=41?= " * 9000 + b"\r\n\r\n").subject) <= 300
    assert read(b"Subject: =?utf-8?b?!?= =?x?q?a?=\r\n\r\n").subject
    assert read("Subject: Zoë\r\n\r\n".encode()).subject == "Zoë"


@pytest.mark.parametrize(
    ("line", "senders"),
    [
        (b"From: a@example.org, b@example.org", ("a@example.org", "b@example.org")),
        (b"From: a@example.org\r\nFrom: b@example.org", ("a@example.org", "b@example.org")),
        (b'From: "b@example.org" <a@example.org>', ("a@example.org",)),
        (b"From: nobody", ()),
        (b"From: " + b"(" * 5000, ()),
        (b"X: y", ()),
    ],
)
def test_senders_are_all_addresses_in_from(line: bytes, senders: tuple[str, ...]) -> None:
    """A name that looks like an address is none, and a second From counts."""
    assert read(line + b"\r\n\r\nA: fold").senders == senders


def test_an_empty_return_path_differs_from_none() -> None:
    """The first marks a bounce, the second says nothing."""
    assert read(b"Return-Path: <>\r\n\r\n").return_path == ""
    assert read(b"X: y\r\n\r\n").return_path is None


def test_bracketed_exchange_ids_break_nothing() -> None:
    """The newer policy of the library raises here."""
    assert read(b"Message-ID: <[abc]>\r\nDate: x\r\n\r\n").message_id == "<[abc]>"


def test_a_delivery_report_names_the_mail_and_the_address() -> None:
    """A bounce is matched by our Message-ID, without a word of it in the repr."""
    status = (
        b"Content-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx\r\n\r\n"
        b"Final-Recipient: rfc822; Ann@example.org\r\nAction: failed\r\nStatus: 5.1.1\r\n"
    )
    for original in (
        b"Content-Type: message/rfc822\r\n\r\nMessage-ID: <postal.t.u@example.org>\r\n\r\nx",
        b"Content-Type: text/rfc822-headers\r\n\r\nX: y\r\nMessage-ID: <postal.t.u@example.org>",
    ):
        raw = _multi(
            "report; report-type=delivery-status", _part("text/plain", "No."), status, original
        )
        report = read(raw).report
        assert report is not None
        assert report.failed
        assert report.message_ids == ("<postal.t.u@example.org>",)
        assert report.recipients == ("ann@example.org",)
        assert report.statuses == ("5.1.1",)
        assert "postal.t" not in repr(report)
    assert read(HEAD + b"\r\nx").report is None


def test_a_delay_is_no_failure() -> None:
    """The server goes on trying."""
    status = (
        b"Content-Type: message/delivery-status\r\n\r\nX: y\r\n\r\n"
        b"Final-Recipient: rfc822; a@example.org\r\nAction: delayed\r\nStatus: 4.2.2\r\n"
    )
    report = read(_multi("report; report-type=delivery-status", status)).report
    assert report is not None
    assert not report.failed


def test_no_bytes_whatever_raise() -> None:
    """A thousand mails with bytes changed, cut and doubled at random are all read."""
    chance = random.Random(7)
    seed = _multi(
        "alternative",
        _part("text/plain; format=flowed", "A: fold \r\n> B: stay"),
        _part("text/html", "<html><blockquote>x</blockquote><p id=appendonsend>y<table><td>z"),
    )
    for _ in range(1000):
        raw = bytearray(seed)
        for _ in range(chance.randint(1, 12)):
            at = chance.randrange(len(raw))
            raw[at : at + chance.randint(0, 5)] = chance.randbytes(chance.randint(0, 4))
        mail = read(bytes(raw))
        assert mail.texts or mail.unreadable


def test_the_repr_holds_no_text() -> None:
    """What a log might print of a mail is no card and no token."""
    shown = repr(read(HEAD + b"In-Reply-To: <postal.abcdefghabcdefgh.1@x>\r\n\r\nkeep AS"))
    assert "AS" not in shown
    assert "abcdefgh" not in shown


def _part(content_type: str, text: str) -> bytes:
    return f"Content-Type: {content_type}\r\n\r\n{text}".encode()


def _multi(kind: str, *parts: bytes) -> bytes:
    body = b"".join(b"--b\r\n" + part + b"\r\n" for part in parts)
    return (
        HEAD + f"Content-Type: multipart/{kind}; boundary=b\r\n\r\n".encode() + body + b"--b--\r\n"
    )
