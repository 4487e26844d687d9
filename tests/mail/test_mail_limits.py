"""What costs too much to read is told as such; what comes before the limit is still read."""

import logging

import pytest

from postal.mail.incoming import read
from postal.ordertext import read_mail
from postal.ordertext.reader import MOST_PARTS
from postal.reports import problem_sentence
from tests.fuzz.oracle import PLAYER

TOP = b"From: a@example.org\n"
MIXED = TOP + b'Content-Type: multipart/mixed; boundary="b"\n\n'


def parts(kind: bytes, body: bytes, count: int) -> bytes:
    """Return a mail of the same part over and over."""
    part = b"--b\nContent-Type: " + kind + b"\n\n" + body + b"\n"
    return MIXED + part * count + b"--b--\n"


@pytest.mark.parametrize("kind", [b"text/html", b"text/plain"])
def test_many_parts_are_as_long_as_one(kind: bytes) -> None:
    """The limit of a text holds for all its parts together."""
    body = b"<p>x</p>\n" * 6000
    assert read(parts(kind, body, 4)).texts
    assert read(parts(kind, body, 5)).unreadable == "too-long"


def test_the_longest_lines_in_deep_parts_are_too_complex() -> None:
    """Each line would be compared with each boundary; in few parts they are read."""
    deep = b"".join(
        b'Content-Type: multipart/mixed; boundary="b%d"\n\n--b%d\n' % (n, n) for n in range(20)
    )
    assert read(TOP + deep + b"\n" + b"x\n" * 100_000).unreadable == "too-complex"
    assert read(TOP + b"\n" + b"x\n" * 100_000).texts
    assert read(TOP + b"\n" + b"\r" * 2_000_000).unreadable == "too-complex"


def test_thousands_of_parts_of_lines_are_not_read() -> None:
    """The player is told; what stands above them counts, and what is quoted takes nothing away."""
    flood = ["A:;" * 150] * 100
    reading = read_mail("\n".join(["B: fold", *flood, "C: fold"]), PLAYER)
    assert [line.order.line() for line in reading.lines] == ["B: fold"]
    assert f"Only the first {MOST_PARTS} parts" in problem_sentence(reading.problems[-1])
    quoted = read_mail("\n".join(["> A: fold", *(f"> {row}" for row in flood), "C: fold"]), PLAYER)
    assert [line.order.line() for line in quoted.lines] == ["C: fold"]
    assert (quoted.problems, [number for number, _ in quoted.cut]) == ((), [1])


def test_what_breaks_the_bounce_library_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    """It would log the mail's own words."""
    with caplog.at_level(logging.DEBUG):
        read(b"From: \xff\nReturn-Path: <>\nX-Secret: A: give 2C\n\nA: give 2C\n")
        read(b"Return-Path: <>\n\nA: give 2C\n")
    assert caplog.text == ""
