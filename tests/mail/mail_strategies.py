"""Hypothesis strategies over the structure of mails and over their bytes."""

import random

from hypothesis import strategies as st

from tests.fuzz.making import TWISTS, Made, make, twisted
from tests.fuzz.run import seeds

KINDS = (
    "text/plain", "text/html", "text/plain; format=flowed; delsp=yes", "message/rfc822",
    "multipart/mixed", "multipart/alternative", "multipart/related", "multipart/signed",
    "multipart/report; report-type=delivery-status", "multipart/encrypted", "text/plain; name*",
    "application/ms-tnef", "application/pkcs7-mime; smime-type=signed-data", "image/png", "text",
    "message/delivery-status", "message/partial", "text/html; charset=utf-7", "a/b/c; =; ;;",
)  # fmt: skip
CHARSETS = (
    "utf-8",
    "iso-8859-1",
    "utf-16",
    "utf-7",
    "hz",
    "punycode",
    "rot13",
    "x",
    "",
    "'a",
    "zip",
)
ENCODINGS = ("7bit", "8bit", "base64", "quoted-printable", "x-uuencode", "binary", "", "gzip", "☃")
FIELDS = (
    "From", "To", "Cc", "Subject", "Date", "Message-ID", "In-Reply-To", "References", "Return-Path",
    "Auto-Submitted", "Precedence", "Content-Type", "Content-Transfer-Encoding", "MIME-Version",
    "Content-Disposition", "Delivered-To", "X-Failed-Recipients", "Authentication-Results",
)  # fmt: skip
VALUES = (
    "a@example.org", "<>", "A <a@example.org>, b@example.org", "=?utf-8?b?QTogZm9sZA==?=", "(((",
    "=?a?b?c?= =?utf-8?q?=0D=0AX:_y?=", "[1.2.3.4]", "<[x]@y>", "Mon, 5 May 2031 18:00:00 +9999",
    "gm+abcdefgh234567zz@example.org", "Tue, 99 Foo 0 99:99", 'attachment; filename*0*="', "\u2603",
    '"a@b" <c@d>', "undisclosed-recipients:;", "auto-replied", "x" * 3000,
)  # fmt: skip

ROWS = (
    "A: fold", "B: raise 40000", "> C: stay", "hello", "press:", "end", "<p>", "</p>",
    "<blockquote>", "<table><tr><td>", "&nbsp;", "-- ", "From: x", "Sent: y",
)  # fmt: skip

words = st.sampled_from([*VALUES, *(twist.decode("latin-1") for twist in TWISTS)])
texts = st.lists(st.sampled_from(ROWS) | words | st.text(max_size=20), max_size=12).map("\n".join)
fields = st.tuples(st.sampled_from(FIELDS), words | st.text(max_size=30))


def _part(kind: str, charset: str, encoding: str, body: str) -> bytes:
    head = f'Content-Type: {kind}; charset="{charset}"\nContent-Transfer-Encoding: {encoding}\n\n'
    return (head + body).encode("utf-8", "replace")


def _joined(kind: str, parts: list[bytes], end: str, boundary: str) -> bytes:
    head = f'Content-Type: {kind}; boundary="{boundary}"\n\n'.encode()
    body = b"".join(f"--{boundary}\n".encode() + part + b"\n" for part in parts)
    return head + body + end.format(boundary).encode()


leaves = st.builds(
    _part, st.sampled_from(KINDS), st.sampled_from(CHARSETS), st.sampled_from(ENCODINGS), texts
)
trees = st.recursive(
    leaves,
    lambda inner: st.builds(
        _joined,
        st.sampled_from(KINDS),
        st.lists(inner, max_size=4),
        st.sampled_from(["", "--{}--\n"]),
        st.sampled_from(["b", "b", "bb", "b-", "=_?", ""]),
    ),
    max_leaves=12,
)
heads = st.lists(fields, max_size=8).map(
    lambda found: "".join(f"{name}: {value}\n" for name, value in found).encode("utf-8", "replace")
)
structured = st.builds(lambda head, tree: head + tree, heads, trees)
"""Mails whose parts, encodings and charsets are put together in any way."""

chance = st.integers(0, 2**63).map(random.Random)
made: st.SearchStrategy[Made] = chance.map(make)
"""Mails in the shapes of real clients, of which the orders are known."""

changed = chance.map(lambda pick: twisted(pick, pick.choice((*seeds(), make(pick).raw))))
"""Such mails, and those of the corpus, with bytes changed."""

anything = st.binary(max_size=600) | structured | changed
