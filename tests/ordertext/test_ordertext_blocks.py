"""Blocks of text for people: press, words to the GM and protests (ORDERS.md, Commands)."""

import pytest

from postal.engine.problems import Fault
from postal.ordertext import Context, read_mail

CONTEXT = Context({"A": "A1", "B": "B2"}, {"A": {}, "B": {}})


@pytest.mark.parametrize(
    ("head", "name", "about"),
    [
        ("press:", "press", ""),
        ("*Press:*", "press", ""),
        ("press to Joe, Ann:", "press", "to joe, ann"),
        ("Press to:", "press", "to"),
        ("press for Joe:", "press", "for joe"),
        ("gm:", "gm", ""),
        ("protest A:", "protest", "a"),
        ("Protest table B:", "protest", "b"),
        ("protest about hand B2:", "protest", "b2"),
        ("protest:", "protest", ""),
    ],
)
def test_a_block_says_what_it_is_about(head: str, name: str, about: str) -> None:
    """And nothing in it is an order, what is below it is."""
    reading = read_mail(f"{head}\nHe cheats.\nA: fold\nend\nB: fold\n", CONTEXT)
    (command,) = reading.commands
    assert (command.name, command.about) == (name, about)
    assert command.argument == "He cheats.\nA: fold"
    assert [line.order.line() for line in reading.lines] == ["B: fold"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("cancel press", "cancel-press"),
        ("Press cancel.", "cancel-press"),
        ("cancel my press?", "cancel-press"),
        ("cancel protest", "cancel-protest"),
        ("protest cancel", "cancel-protest"),
    ],
)
def test_words_are_taken_back(text: str, name: str) -> None:
    """Either way round."""
    (command,) = read_mail(text, CONTEXT).commands
    assert command.name == name


@pytest.mark.parametrize(
    "text", ["I protest: he saw my cards.", "Press on: we win!", "Protest against all of it: no."]
)
def test_prose_opens_no_block(text: str) -> None:
    """Whatever word it begins with."""
    reading = read_mail(f"{text}\nA: fold\n", CONTEXT)
    assert not reading.problems
    assert [line.order.line() for line in reading.lines] == ["A: fold"]


def test_a_protest_without_its_colon_is_told_of() -> None:
    """As press and gm are."""
    (problem,) = read_mail("protest\n", CONTEXT).problems
    assert problem.fault is Fault.BLOCK_WITHOUT_COLON


def test_orders_in_words_are_told_of() -> None:
    """A block whose end was forgotten takes those below it: they must not vanish without a word."""
    reading = read_mail("press:\nGood luck!\nA: fold\nB: fold\n> B: stay\nend\nB: fold\n", CONTEXT)
    assert [line.order.line() for line in reading.lines] == ["B: fold"]
    assert reading.unread == ("A: fold",)
    unclosed = read_mail("A: stay\ngm:\nThanks!\nB: fold\n", CONTEXT)
    assert unclosed.unread == ("B: fold",)
