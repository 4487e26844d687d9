"""What a whole mail orders: two forms, attached texts and the subject."""

import re
from pathlib import Path

import pytest

from postal.mail.incoming import Incoming
from postal.ordertext import Context, Reading, read_subject
from postal.service.inbound.reading import MOST_BESIDE, read_whole

PLAYER = Context(
    hands={"A": "A2", "B": "B1", "C": "C3"},
    neighbours={table: {"Puke": 1, "Joe": -1} for table in "ABC"},
)
GOLDEN = Path(__file__).parents[1] / "golden" / "conversations"
LONG = "word " * (MOST_BESIDE // 4)


def whole(**parts: object) -> Reading:
    """Return what a mail with such parts orders."""
    return read_whole(Incoming(**parts), PLAYER, "club")  # type: ignore[arg-type]  # any of them


def lines(reading: Reading) -> list[str]:
    """Return the canonical lines of what is ordered."""
    return [line.order.line() for line in reading.lines]


@pytest.mark.parametrize(
    ("plain", "html", "struck", "dropped", "taken", "refused"),
    [
        ("A: fold", "A: fold", "", "", ["A: fold"], []),
        ("A: fold", "", "", "", ["A: fold"], []),
        ("A: fold", "", "A: fold", "", [], ["struck-out"]),
        ("A: fold\nB: stay", "B: stay", "A: fold\nB: stay", "", ["B: stay"], ["struck-out"]),
        ("A: fold\nB: stay", "B: stay", "", "", ["B: stay"], ["two-forms"]),
        ("A: fold", "A: stay", "", "", [], ["two-forms"]),
        ("A: fold", "A: fold\nB: stay", "", "", ["A: fold"], ["two-forms"]),
        ("A: fold", "", "", "A: fold", [], ["two-forms"]),
        ("A: fold", "", "", ":: A: fold", ["A: fold"], []),
        ("A: stay\nA: fold", "A: fold", "A: stay\nA: fold", "", ["A: stay", "A: fold"], []),
        ("A: rais 5\nB: stay", "A: raise 5000\nB: stay", "", "", ["B: stay"], ["no-verb"]),
        ("Hello", "A: fold", "", "", ["A: fold"], []),
        ("A: raise 50001", "A: raise 5000^1", "", "", [], ["two-forms"]),
        ("A: fold\nB: stay", "A: fold^1\nB: stay", "", "", ["B: stay"], ["two-forms"]),
        ("A: fold\nB: stay", "A: fold\nB: stay\nC: fol", "", "", ["A: fold", "B: stay"], []),
    ],
)
def test_neither_form_wins(  # noqa: PLR0913 - a row of the table
    plain: str, html: str, struck: str, dropped: str, taken: list[str], refused: list[str]
) -> None:
    """What the HTML strikes, quotes or orders otherwise is refused, and the rest is taken."""
    texts = tuple(text for text in dict.fromkeys((plain, html)) if text)
    two = len(texts) == 2 or not html
    reading = whole(texts=texts, struck=struck, dropped=dropped, two_forms=two)
    assert lines(reading) == taken
    assert [problem.fault.value for problem in reading.problems] == refused


def test_html_by_itself_counts() -> None:
    """What is struck out there is taken back."""
    assert lines(whole(texts=("B: stay",), struck="A: fold\nB: stay")) == ["B: stay"]


@pytest.mark.parametrize(
    ("texts", "attached", "taken", "refused", "unread"),
    [
        ((), ("A: fold",), ["A: fold"], [], []),
        (("Orders attached",), ("A: fold",), ["A: fold"], [], []),
        (("> B: stay\nSiehe Anhang",), ("A: fold",), ["A: fold"], [], []),
        ((LONG,), ("A: fold",), [], ["attached"], []),
        (("attached",), ("A: fold", "A: stay"), [], ["attached", "attached"], []),
        (("attached",), ("A: fold", "My cat"), ["A: fold"], [], []),
        (("A: rais 5",), ("A: fold",), [], ["attached", "no-verb"], []),
        (("A: fold",), ("A: fold\nB: stay",), ["A: fold"], [], ["B: stay"]),
        (("hello",), ("My cat",), [], [], []),
    ],
)
def test_attached_texts(
    texts: tuple[str, ...],
    attached: tuple[str, ...],
    taken: list[str],
    refused: list[str],
    unread: list[str],
) -> None:
    """One counts where the mail says no more than that it is there; else it is told."""
    reading = whole(texts=texts, attached=attached)
    assert lines(reading) == taken
    assert [problem.fault.value for problem in reading.problems] == refused
    assert list(reading.unread) == unread


@pytest.mark.parametrize(
    ("subject", "text", "taken", "refused"),
    [
        ("A: stay", "", ["A: stay"], []),
        ("Re: AW: A: stay; B: fold", "", ["A: stay", "B: fold"], []),
        ("回复\uff1aA: stay", "> quoted", ["A: stay"], []),
        ("A: stay [postal abcdefgh234567zz]", "", ["A: stay"], []),
        ("A: stay", "Sent from my iPhone", ["A: stay"], []),
        ("A: stay", LONG, [], ["in-subject"]),
        ("Re: A: stay", "Thanks!", [], []),
        ("Re: club: turn 3 report, orders due Mon 12 May 20:00 BST", "", [], []),
        ("club: A: stay", "", [], []),
        ("A: stai", "", [], ["no-verb"]),
        ("A: stay", "B: fold", ["B: fold"], ["in-subject"]),
        ("A: stay", "A: fold", ["A: fold"], ["in-subject"]),
        ("A: stay", "a) stay\nB: fold", ["A: stay", "B: fold"], []),
        ("A: stai", "B: fold", ["B: fold"], ["no-verb"]),
        ("Re: A: stay", "B: fold", ["B: fold"], []),
        ("My orders", "B: fold", ["B: fold"], []),
        ("club: A: stay", "B: fold", ["B: fold"], []),
        ("A: stay", "B: fol", [], ["in-subject", "no-verb"]),
    ],
)
def test_the_subject_of_a_mail_that_says_nothing(
    subject: str, text: str, taken: list[str], refused: list[str]
) -> None:
    """It counts where there is no more, else it is told, and an older mail's never."""
    reading = whole(subject=subject, texts=(text,) if text else ())
    assert lines(reading) == taken
    assert [problem.fault.value for problem in reading.problems] == refused


def test_no_subject_of_ours_orders_anything() -> None:
    """Whatever a client puts before it, and though the game's name were not known."""
    found = {
        line.partition(":")[2].strip()
        for file in GOLDEN.rglob("*.out")
        for line in file.read_text("utf-8").splitlines()
        if re.match("subject:", line, re.IGNORECASE)
    }
    assert len(found) > 20
    for subject in found:
        for text in (subject, f"Re: {subject}", f"AW: FW: {subject}", subject.partition(":")[2]):
            reading = read_subject(text, PLAYER, "\0")
            assert (text, reading.lines, reading.commands) == (text, (), ())
