"""Orders, half orders, prose, signatures and dates, each with what it must come to."""

from collections import Counter

import pytest

from postal.ordertext import Context, read_mail, read_record_line
from tests.ordertext.wording_cases import CONTEXTS, comes_to, wordings

ALL = tuple(wordings())
TABLES = CONTEXTS["three tables"]


@pytest.mark.parametrize(("writer", "line", "outcome"), ALL)
def test_a_wording_comes_to_what_it_must(writer: str, line: str, outcome: str) -> None:
    """By itself, and between lines of prose."""
    context = CONTEXTS[writer]
    assert comes_to(line, context) == outcome
    assert comes_to(f"Hello Grace,\n\n{line}\n\nBest wishes", context) == outcome


def test_the_wordings_are_many_and_of_each_kind() -> None:
    """None stands twice for one writer."""
    kinds = Counter(
        "told" if outcome.startswith("told") else "prose" if outcome == "prose" else "taken"
        for _, _, outcome in ALL
    )
    assert sum(kinds.values()) > 400
    assert min(kinds.values()) > 70
    assert len({(writer, line) for writer, line, _ in ALL}) == len(ALL)


@pytest.mark.parametrize("line", [line for _, line, outcome in ALL if outcome == "prose"])
def test_prose_is_nothing_for_anybody(line: str) -> None:
    """With one table, or one hand due, or several: neither filed nor told."""
    names = {name: at for at, name in enumerate(("Puke", "Joe"))}
    wide = Context({letter: f"{letter}1" for letter in "ABCDEFGH"}, {"A": names})
    for context in (*CONTEXTS.values(), wide):
        assert comes_to(line, context) == "prose"


def test_a_semicolon_files_nothing_of_an_order_that_it_cuts() -> None:
    """In a mail and in a record, at one table and at several; orders beside it stand."""
    for read in (read_mail, read_record_line):
        for context in CONTEXTS.values():
            for line in (
                "A: raise 20000; fold",
                "A: raise 5k; else fold; call",
                "A: stay; show KD",
            ):
                reading = read(line, context)
                assert reading.lines == ()
                assert [problem.line for problem in reading.problems] == [line]
        reading = read("B: fold; A: raise 20000; else fold; C: stay", TABLES)
        assert [line.order.line() for line in reading.lines] == ["B: fold", "C: stay"]
        assert [problem.hands for problem in reading.problems] == [("A2",)]


def test_a_half_of_a_name_is_taken_where_one_neighbour_can_be_meant() -> None:
    """Not where it is another player's whole name, nor where both are called so."""
    around = {"A": {"Cat O'Neil": 1, "Zoë": -1}}
    line = "A: give 2C 5D to Cat, 9H to Zoe"
    alone = Context({"A": "A1"}, around, frozenset({"Cat O'Neil", "Zoë", "Ann"}))
    assert comes_to(line, alone) == "A: give 2C 5D next, 9H previous"
    another = Context({"A": "A1"}, around, frozenset({"Cat O'Neil", "Zoë", "Cat"}))
    assert comes_to(line, another) == "told not-a-neighbour [A1]"
    zoe = Context({"A": "A1"}, around, frozenset({"Cat O'Neil", "Zoë", "Zoe"}))
    assert comes_to(line, zoe) == "told not-a-neighbour [A1]"
    both = Context({"A": "A1"}, {"A": {"Cat O'Neil": 1, "Cat Smith": -1}})
    assert comes_to("A: give 2C 5D to Cat, 9H previous", both) == "told name-unclear [A1]"
    assert comes_to("A: give 2C 5D to Cat O'Neil, 9H to Cat Smith", both).startswith("A: give")


def test_a_table_is_assumed_only_where_one_hand_is_due() -> None:
    """And a line that names its table is not said to be assumed."""
    due = CONTEXTS["one due"]
    assert [line.assumed for line in read_mail("fold\nB: stay\ncheck (sorry)", due).lines] == [
        True, False, True,
    ]  # fmt: skip
    assert not any(line.assumed for line in read_mail("fold", CONTEXTS["one table"]).lines)
    assert read_mail("fold", TABLES).lines == ()


def test_what_a_player_wrote_is_told_as_he_wrote_it() -> None:
    """A fraction is not cut to a sign that nobody can read."""
    (problem,) = read_mail("A: raise \u00bcm", TABLES).problems
    assert problem.figures.text == "\u00bcm"
