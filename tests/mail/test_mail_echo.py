"""What strangers write comes back in our header only in a form that no library makes more of."""

import email.policy
import logging
from collections.abc import Callable
from dataclasses import replace
from email import message_from_bytes
from email.message import Message
from itertools import islice

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import postal.mail.message as message_module
from postal.mail.headers import message_ids
from postal.mail.identifiers import echoed
from postal.mail.incoming import read
from postal.mail.message import build
from postal.mail.readback import unlike
from tests.mail.disguises import disguised_ids, disguised_words
from tests.mail.test_mail_message import MAIL

PLAIN = replace(MAIL, html=None, in_reply_to="", references=())
ECHO = {"In-Reply-To", "References"}
EVIL = "<=?utf-8?q?a@x=3E=0d=0aReply-To:_evil@evil.test=0d=0a=0d=0aText?=@x>"


def fields_of(raw: bytes) -> list[str]:
    """Return the names of a mail's header fields, folded, as the bytes have them."""
    head = raw.partition(b"\r\n\r\n")[0]
    assert b"\n" not in head.replace(b"\r\n", b"")
    return [line.partition(b":")[0].decode().casefold() for line in head.split(b"\r\n")]


def is_clean(raw: bytes, plain: bytes, *more: str) -> bool:
    """Return whether a mail has the fields and the text of a harmless one, ``more`` beside them."""
    extra = {name.casefold() for name in more}
    fields = [name for name in fields_of(raw) if name not in extra]
    wanted = [name for name in fields_of(plain) if name not in extra]
    body = raw.partition(b"\r\n\r\n")[2]
    evil = any(
        b"evil" in value.encode("utf-8", "replace").lower() and name.casefold() in extra
        for name, value in message_from_bytes(raw).items()
    )
    return fields == wanted and body == plain.partition(b"\r\n\r\n")[2] and not evil


@pytest.mark.parametrize("field", ["in_reply_to", "references"])
def test_no_disguised_identifier_is_repeated(field: str) -> None:
    """Encoded words of any charset, with any line end, in any place of the id."""
    plain, tried = build(PLAIN), 0
    for identifier in disguised_ids():
        value = identifier if field == "in_reply_to" else (identifier,)
        raw = build(replace(PLAIN, **{field: value}))  # type: ignore[arg-type]  # one field by its name
        assert is_clean(raw, plain, *ECHO), identifier
        tried += 1
    assert tried > 1_000


@pytest.mark.parametrize(
    ("place", "change"),
    list(
        enumerate(
            [
                lambda word: {"subject": f"Re: {word} x"},
                lambda word: {"sender_name": word},
                lambda word: {"recipient_name": f"Ann {word}"},
                lambda word: {"list_id": f"{word} <spring.example.org>"},
            ]
        )
    ),
    ids=["subject", "sender", "recipient", "list"],
)
def test_no_disguised_word_is_decoded(place: int, change: Callable[[str], dict[str, str]]) -> None:
    """It is legible as it was written, on its line."""
    plain, tried = build(PLAIN), 0
    for word in islice(disguised_words(), place, None, 4):
        raw = build(replace(PLAIN, **change(word)))  # type: ignore[arg-type]  # one field by its name
        assert is_clean(raw, plain), word
        tried += 1
    assert tried > 300


@given(st.text(max_size=60), st.text(max_size=60), st.text(max_size=60))
@example('"', "\\", "")
@example('""', '"', "x")
@example('"a"', 'a "b" \\ c', "x")
@example("\\", '\\"', "x")
def test_whatever_is_written_adds_no_field(subject: str, name: str, identifier: str) -> None:
    """In any of the fields, whatever the library makes of it."""
    letter = replace(PLAIN, subject=subject, recipient_name=name, sender_name=name)
    raw = build(replace(letter, in_reply_to=identifier, references=(identifier, f"<{identifier}>")))
    names = [name for name in fields_of(raw) if name not in {"in-reply-to", "references"}]
    assert names == fields_of(build(PLAIN))


@pytest.mark.parametrize(
    "words", ['"', '""', '"a"', "\\", '\\"', 'a "b" \\ c', "(c)", "<x@y>", "é"]
)
def test_odd_words_are_as_they_were_meant(words: str, caplog: pytest.LogCaptureFixture) -> None:
    """Quotes and backslashes are read back as what they stand for, and no bug is reported."""
    raw = build(replace(PLAIN, subject=words, recipient_name=words, sender_name=words))
    assert read(raw).subject == words
    assert not caplog.records


@pytest.mark.parametrize(
    "identifier",
    [
        "<CAF+x_y=z@mail.gmail.com>",
        "<1234.5678@example.org>",
        '<"joe.at.home"@example.org>',
        "<A1B2C3@[192.0.2.1]>",
        "<PA4PR01MB1234+x=y@PA4PR01MB1234.eurprd01.prod.exchangelabs.com>",
    ],
)
def test_a_good_identifier_is_repeated_as_it_is(identifier: str) -> None:
    """So that mail programs find the thread."""
    raw = build(replace(PLAIN, in_reply_to=identifier, references=(identifier,)))
    found = message_from_bytes(raw, policy=email.policy.compat32)
    assert (found["In-Reply-To"], found["References"]) == (identifier, identifier)


@pytest.mark.parametrize(
    "identifier",
    [EVIL, "<a b@x>", "<a@x", "a@x", "<>", "<a@b@c>", '<"a b"@x>', '<"a\\"b"@x>', "<é@x>", "<a@>"],
)
def test_a_doubtful_identifier_is_left_out(identifier: str) -> None:
    """The letter goes all the same."""
    assert echoed([identifier]) == ()
    assert fields_of(build(replace(PLAIN, in_reply_to=identifier))) == fields_of(build(PLAIN))
    assert echoed(message_ids([identifier])) == ()


def test_a_header_block_that_is_not_as_meant_goes_without_the_echo(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Should a library yet decode what it is given, that is logged without any value."""
    monkeypatch.setattr(message_module, "EmailMessage", Decoding)
    with caplog.at_level(logging.ERROR, "postal"):
        raw = build(replace(PLAIN, in_reply_to="<good@x>", references=("<good@x>",)))
    assert is_clean(raw, build(PLAIN), *ECHO)
    assert "please report it: " in caplog.text
    assert "evil" not in caplog.text
    assert "good" not in caplog.text


def test_a_letter_whose_names_cannot_be_trusted_goes_without_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A plain subject is better than a stranger's field."""
    monkeypatch.setattr(message_module, "_one_line", lambda text: text)
    raw = build(replace(PLAIN, recipient_name="=?utf-8?q?a=0d=0aBcc:_evil@evil.test?="))
    assert b"evil" not in raw.partition(b"\r\n\r\n")[0]


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        (b"Subject: ", b"X-Evil: evil\r\nSubject: ", "x-evil"),
        (b"Subject: ", b"Bcc: evil@evil.test\r\nSubject: ", "bcc"),
        (b"Subject: Turn", b"Subject: Return", "subject"),
        (b"<ann@example.org>", b"<ann@evil.test>", "to"),
        (b"Date: ", b"\r\nDate: ", "date"),
        (b"Content-Type: ", b"Content-Type: text/html\r\nContent-Type: ", "content-type"),
    ],
)
def test_reading_back_names_each_field_that_differs(old: bytes, new: bytes, named: str) -> None:
    """One too many, one too few, or another value."""
    letter = replace(PLAIN, subject="Turn 4")
    raw = build(letter)
    meant = [
        ("From", letter.sender_name, f"<{letter.sender}>"),
        ("To", letter.recipient_name, f"<{letter.recipient}>"),
        ("Subject", letter.subject, ""),
    ]
    others = [name for name in fields_of(raw) if name not in {"from", "to", "subject"}]
    assert unlike(raw, meant, others) == ()
    assert named in unlike(raw.replace(old, new, 1), meant, others)


class Decoding(email.message.EmailMessage):
    """A library that makes a field of its own of what In-Reply-To holds."""

    def __setitem__(self, name: str, value: object) -> None:
        """Set a field, and one more beside In-Reply-To."""
        super().__setitem__(name, value)
        if name == "In-Reply-To":
            Message.__setitem__(self, "X-More", "evil.test")
