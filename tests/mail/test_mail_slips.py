"""Header fields with a slip are read as they were meant, on every Python alike."""

import base64

import pytest

from postal.mail.incoming import read

HEAD = b"From: Ann <ann@example.org>\r\n"


@pytest.mark.parametrize(
    ("value", "senders"),
    [
        ("joe@example.org <joe@example.org>", ("joe@example.org",)),
        ("JOE@example.org <joe@example.org>", ("joe@example.org",)),
        ("'joe@example.org' <joe@example.org>", ("joe@example.org",)),
        ("Joe <joe@example.org>;", ("joe@example.org",)),
        ("Joe <joe@example.org>,", ("joe@example.org",)),
        (", Joe <joe@example.org>,,", ("joe@example.org",)),
        ("Joe <joe@example.org", ("joe@example.org",)),
        ("Joe, Brown <joe@example.org>", ("joe@example.org",)),
        ("Joe [work] <joe@example.org>", ("joe@example.org",)),
        ("joe@work.example <joe@example.org>", ("joe@work.example", "joe@example.org")),
        ("Joe <joe@example.org>; ann@example.org", ("joe@example.org", "ann@example.org")),
        ("(" * 5000, ()),
        ("undisclosed-recipients:;", ()),
    ],
)
def test_addresses_that_a_strict_reader_gives_up(value: str, senders: tuple[str, ...]) -> None:
    """Newer Pythons find none in the first of these, and older ones all."""
    assert read(f"From: {value}\r\n\r\nA: fold".encode()).senders == senders


@pytest.mark.parametrize(
    "value",
    [
        "=?utf-8?Q?text/plain;_charset=3Dutf-8?=",
        "text/plain charset=utf-8",
        "text/plain: charset=utf-8",
        "text/plain, charset=utf-8",
        "text/plain; charset: utf-8",
        "text/plain.; charset=utf-8",
        "text\\plain; charset=utf-8",
        '"text/plain"; charset=utf-8',
        "plain/text; charset=utf-8",
        "txt/plain; charset=utf-8",
        "test/plain",
        "plain",
        "text/markdown",
        "text/x-anything",
        "TEXT / PLAIN",
    ],
)
def test_a_type_with_a_slip_is_a_text(value: str) -> None:
    """Its charset counts too."""
    raw = HEAD + f"Content-Type: {value}\r\n\r\nA: raise £1".encode()
    assert read(raw).texts == ("A: raise £1",)


@pytest.mark.parametrize("value", ["html", "html/text", "text/htm", "=?utf-8?q?text/html?="])
def test_html_with_a_slip_is_html(value: str) -> None:
    """Or its tags would stand in the text."""
    raw = HEAD + f"Content-Type: {value}\r\n\r\n<p>A: <b>fold</b></p>".encode()
    assert [text.strip() for text in read(raw).texts] == ["A: fold"]


@pytest.mark.parametrize("value", ["image/png", "text/calendar", "application/pdf", "foo/bar"])
def test_what_is_no_text_is_none(value: str) -> None:
    """Nor is a text in a form of its own."""
    assert read(HEAD + f"Content-Type: {value}\r\n\r\nA: fold".encode()).texts == ()


def test_parts_behind_a_slip_are_parts() -> None:
    """Only where the boundary stands in clear, since boundaries are counted beforehand."""
    body = "\r\n\r\n--b\r\n\r\nA: fold\r\n--b--\r\n"
    for value in ("multipart/mixed boundary=b", "multpart/mixed; boundary=b"):
        assert read(HEAD + f"Content-Type: {value}{body}".encode()).texts == ("A: fold",)
    word = base64.b64encode(b"multipart/mixed; boundary=b").decode()
    (text,) = read(HEAD + f"Content-Type: =?utf-8?b?{word}?={body}".encode()).texts
    assert "--b" in text


@pytest.mark.parametrize(
    ("value", "body"),
    [
        *(
            (one, b"QTogZm9sZA==")
            for one in ("base64;", "Base-64", '"base64"', "b64", "base64 (x)")
        ),
        *((one, b"A:=20fold") for one in ("quoted printable", "Quoted_Printable.", "QP")),
        ("=?us-ascii?q?base64?=", b"QTogZm9sZA=="),
        ("base64", b"A: fold"),
        ("7bit;", b"A: fold"),
        ("8-bit", b"A: fold"),
    ],
)
def test_an_encoding_with_a_slip_is_undone(value: str, body: bytes) -> None:
    """And what was never encoded is taken as it is."""
    raw = HEAD + f"Content-Transfer-Encoding: {value}\r\n\r\n".encode() + body
    assert read(raw).texts == ("A: fold",)


@pytest.mark.parametrize(
    ("name", "charset"),
    [
        ("utf8", "utf-8"),
        ("utf 8", "utf-8"),
        ("utf-8;", "utf-8"),
        ("win-1251", "cp1251"),
        ("windows1251", "cp1251"),
        ("ISO 8859-5", "iso-8859-5"),
        ("iso8859_5", "iso-8859-5"),
    ],
)
def test_a_charset_with_a_slip_is_known(name: str, charset: str) -> None:
    """An attribution whose letters are garbled might not be known for one."""
    raw = HEAD + f'Content-Type: text/plain; charset="{name}"\r\n\r\n'.encode()
    assert read(raw + "пишет: £".replace("£", "").encode(charset)).texts == ("пишет: ",)


@pytest.mark.parametrize("first", ["", "\r\n", "\r\n \t\r\n", "\ufeff", "\ufeff\r\n"])
def test_what_stands_above_the_header_is_skipped(first: str) -> None:
    """Blank lines and byte order marks."""
    assert read(first.encode() + HEAD + b"\r\nA: fold").texts == ("A: fold",)


def _mixed(*parts: str) -> bytes:
    body = "".join(f"--b\r\nContent-Type: {part}\r\n" for part in parts)
    return HEAD + f"Content-Type: multipart/mixed; boundary=b\r\n\r\n{body}--b--\r\n".encode()


def test_a_text_under_a_name_is_a_file_unless_it_is_all_there_is() -> None:
    """Some clients give the mail's own text a name."""
    named = 'text/plain; name="x.txt"\r\n\r\nB: stay'
    mail = read(_mixed("text/plain\r\n\r\nA: fold", named))
    assert (mail.texts, mail.attached) == (("A: fold",), ("B: stay",))
    mail = read(_mixed(named))
    assert (mail.texts, mail.attached) == (("B: stay",), ())


@pytest.mark.parametrize(
    ("part", "attached"),
    [
        ("text/plain\r\nContent-Disposition: attachment\r\n\r\nB: stay", ("B: stay",)),
        ("text/html\r\nContent-Disposition: attachment\r\n\r\n<p>B: stay", ("B: stay\n",)),
        ("application/octet-stream; name=x.TXT\r\n\r\nB: stay", ("B: stay",)),
        ("application/octet-stream; name=x.bin\r\n\r\nB: stay", ()),
        ("application/octet-stream; name=x.txt\r\n\r\nB: \x01stay", ()),
        ("text/calendar\r\nContent-Disposition: attachment\r\n\r\nB: stay", ()),
        (f"text/plain; name=x.txt\r\n\r\n{'B: stay ' * 40_000}", ()),
    ],
)
def test_texts_among_the_files(part: str, attached: tuple[str, ...]) -> None:
    """They are kept apart from the mail's own."""
    mail = read(_mixed("text/plain\r\n\r\nA: fold", part))
    assert (mail.texts, mail.attached) == (("A: fold",), attached)
