"""Names in what people wrote: found as words, in any spelling, and never within others."""

import pytest

from postal.ordertext.renaming import renamed_line, renamed_sentence


@pytest.mark.parametrize(
    ("text", "old", "result"),
    [
        ("A: give 2C to Puke, 3D to Joe", "Puke", "A: give 2C to X, 3D to Joe"),
        ("give 2C PUKE, 3D puke.", "Puke", "give 2C X, 3D X."),
        ("Puke's move; (Puke)", "Puke", "X's move; (X)"),
        ("Pukers and spuke", "Puke", "Pukers and spuke"),
        ("to O\u2019Brien and o'brien", "O'Brien", "to X and X"),
        ("to Anne\u2010Marie  Lee", "Anne-Marie Lee", "to X"),
        ("to Zoe\u0308 and Zo\u00eb", "Zo\u00eb", "to X and X"),
        ("to J. R.", "J. R.", "to X"),
    ],
)
def test_a_name_is_replaced(text: str, old: str, result: str) -> None:
    """In whatever case and form it was typed."""
    assert renamed_line(text, {old: "X"}) == result


def test_in_our_own_sentences_the_case_counts() -> None:
    """You may raise, May."""
    text = 'May, you may raise; "to may" names a player.'
    assert renamed_sentence(text, {"May": "X"}) == 'X, you may raise; "to X" names a player.'


def test_what_is_put_in_is_put_in_as_it_is() -> None:
    """It is no pattern's template."""
    assert renamed_line("to Al", {"Al": "J. O'X-1"}) == "to J. O'X-1"
