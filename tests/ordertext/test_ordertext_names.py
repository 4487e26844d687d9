"""A player's name can be no word of the language (ORDERS.md, "What is not read")."""

import pytest

from postal.ordertext import name_problem

GOOD = ["Joe", "Puke", "O'Neill", "Anne-Marie", "J. R. Smith", "Zoë", "ann", "p1", "Jack Smith"]
GOOD += ["Bob Wright", "Will", "7", "x" * 30]
BAD = ["", " ", "x" * 31, "a;b", "a:b", "Joe\nX", " Joe", "-joe", "'x", "> Joe", "A  B", "Joe|"]
BAD += ["next", "Previous", "LEFT", "right", "all", "All", "end", "raise", "fold", "Joe fold"]
BAD += ["A", "b", "A2", "Table A", "cancel", "resign", "help", "press", "gm", "wait", "to"]
BAD += ["ace", "Joker", "KC", "ace of spades", "A fold", "x A r 5000", "show", "keep", "next-door"]


@pytest.mark.parametrize("name", GOOD)
def test_good_name(name: str) -> None:
    """A plain name is taken."""
    assert name_problem(name) is None


@pytest.mark.parametrize("name", BAD)
def test_bad_name_is_told_in_a_sentence(name: str) -> None:
    """A name that could be taken for an order is refused with a sentence."""
    problem = name_problem(name)
    assert problem
    assert problem.endswith(".")
