"""Where lines of prose are broken: sums, names and a few cards stay in one piece."""

import pytest

from postal.reports.wrapping import lay_out

NAMES = ("Sue O'Hara", "Dr. No", "No")


@pytest.mark.parametrize(
    "together",
    ["of £20,000", "is -£150,000", "4D 8S JC", "JKR JKR AS 10H 2C", " Sue O'Hara", " Dr. No"],
)
def test_what_belongs_together_is_never_broken(together: str) -> None:
    """Wherever in the line it stands."""
    for before in range(80):
        text = lay_out(f"{'so ' * before}it{together:>{len(together) + 1}} came.", NAMES)
        assert together.strip() in " ".join(text.split("\u00a0"))


def test_a_long_list_of_cards_may_be_broken() -> None:
    """Seven cards in one piece would leave half a line empty."""
    dealt = "KS QS 9D 8C 7S 5H 2C"
    assert dealt in lay_out(f"In hand A1 you were dealt {dealt}.")
