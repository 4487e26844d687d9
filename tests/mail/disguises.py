"""Header values in which a stranger hides fields and a text of his own, in many disguises."""

import base64
import itertools
from collections.abc import Iterator

CHARSETS = ("utf-8", "us-ascii", "iso-8859-1", "cp1252", "utf-16", "utf-16-be", "utf-32", "utf-7")
LINE_ENDS = ("\r\n", "\n", "\r", "\r\n\r\n", "\n\n", "\r\r\n", "\x0b", "\x85", "\u2028")
SMUGGLED = (
    "Reply-To: evil@evil.test",
    "Bcc: evil@evil.test",
    "Content-Type: text/html",
    "X-Evil: evil.test",
)
LINE_ENDS_OF_HEADERS = ("\r", "\n")


def words(text: str, charset: str) -> Iterator[str]:
    """Yield a text as encoded words, quoted-printable and base64, in upper and lower case."""
    data = text.encode(charset, "replace")
    quoted = "".join(f"={byte:02x}" for byte in data)
    whole = base64.b64encode(data).decode()
    for encoding, body in (("q", quoted), ("Q", quoted.upper()), ("b", whole), ("B", whole)):
        yield f"=?{charset}?{encoding}?{body}?="
    yield f"=?{charset}*en?q?{quoted}?="


def payloads() -> Iterator[str]:
    """Yield what is to be smuggled in: a line end, a field, and a text of the stranger's."""
    for end, smuggled in itertools.product(LINE_ENDS, SMUGGLED):
        yield f"{end}{smuggled}{end}{end}evil.test text"


def disguised_words() -> Iterator[str]:
    """Yield every payload as encoded words of every charset."""
    for charset, payload in itertools.product(CHARSETS, payloads()):
        yield from words(payload, charset)


def disguised_ids() -> Iterator[str]:
    """Yield Message-IDs, brackets included, that hold a payload in an encoded word or bare."""
    for number, word in enumerate(disguised_words()):
        yield (f"<{word}@x>", f"<a@{word}>", f"<a{word}b@x.test>", f"<a@x{word}>")[number % 4]
        if not number % 9:
            yield f'<"{word}"@x>'
    for payload in payloads():
        yield f"<a@x>{payload}"
        yield f"<a{payload}@x>"
        yield f'<"a{payload}"@x>'


def without_line_ends(value: str) -> str:
    """Return a value as a mail on the wire can hold it: a bare line end would end the field."""
    return "".join(" " if char in LINE_ENDS_OF_HEADERS else char for char in value)
