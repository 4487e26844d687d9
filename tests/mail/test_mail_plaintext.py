"""format=flowed undone (RFC 3676)."""

import pytest

from postal.mail.plaintext import unflow


@pytest.mark.parametrize(
    ("flowed", "text"),
    [
        ("A: keep AS AD \nAH KC QD expose AS AD KC", "A: keep AS AD AH KC QD expose AS AD KC"),
        ("A: fold\nB: stay", "A: fold\nB: stay"),
        (" From here", "From here"),
        (" > A: fold", " A: fold"),
        ("> A: fold", "> A: fold"),
        (">> a \n>> b\n> c", ">> a b\n> c"),
        ("> a \nA: fold", "> a \nA: fold"),
        ("A: fold\n-- \nAnn", "A: fold\n-- \nAnn"),
        ("prose \n-- \nAnn", "prose \n-- \nAnn"),
        ("", ""),
        ("A: stay \nB: fold \nready \n", "A: stay \nB: fold \nready "),
        ("My orders \nTable A stay \nall: fold", "My orders \nTable A stay \nall: fold"),
        ("A: keep AS AD \nAH KC QD \nexpose AS", "A: keep AS AD AH KC QD expose AS"),
        ("I am not \nready", "I am not ready"),
        ("A: raise 20000 \ncancel C \nall: fold", "A: raise 20000 \ncancel C \nall: fold"),
        ("I want to \ncancel a \ntaxi", "I want to \ncancel a taxi"),
        ("They would \ncancel my train", "They would cancel my train"),
        ("> A: stay \n> B: fold", "> A: stay B: fold"),
    ],
)
def test_paragraphs_are_joined_and_quotes_kept(flowed: str, text: str) -> None:
    """Quote depth parts lines, a signature mark joins nothing, stuffing is undone."""
    assert unflow(flowed) == text


def test_delsp_takes_the_space_off() -> None:
    """Languages without spaces are wrapped so."""
    assert unflow("A: rai \nse 1", delete_space=True) == "A: raise 1"
