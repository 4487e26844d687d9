"""Every hand of every pack by class, against the figures of RULES.md."""

from collections import Counter
from functools import cache
from itertools import combinations, starmap

import pytest

from postal.engine.cards import full_pack
from postal.engine.ranking import HandClass, card_key, hand_class, key_rater, showing

pytestmark = pytest.mark.slow

# By class, best first, for packs of 52, 53, 54 and 56 cards.
COUNTS = {
    HandClass.FIVE_OF_A_KIND: (0, 13, 78, 728),
    HandClass.STRAIGHT_FLUSH: (40, 204, 624, 2_968),
    HandClass.FOUR_OF_A_KIND: (624, 3_120, 9_360, 37_328),
    HandClass.FULL_HOUSE: (3_744, 6_552, 9_360, 14_976),
    HandClass.FLUSH: (5_108, 7_804, 11_388, 21_220),
    HandClass.STRAIGHT: (10_200, 20_532, 34_704, 74_568),
    HandClass.THREE_OF_A_KIND: (54_912, 137_280, 232_968, 464_304),
    HandClass.TWO_PAIRS: (123_552, 123_552, 123_552, 123_552),
    HandClass.PAIR: (1_098_240, 1_268_088, 1_437_936, 1_777_632),
    HandClass.HIGH_CARD: (1_302_540, 1_302_540, 1_302_540, 1_302_540),
}


@cache
def counted(jokers: int, *, double_ace_flush: bool = False) -> Counter[int]:
    """Return how many hands of a pack, its jokers told apart, have each strength."""
    keys = [card_key(card) for card in full_pack(jokers)]
    rate = key_rater(double_ace_flush=double_ace_flush)
    return Counter(starmap(rate, combinations(keys, 5)))


@pytest.mark.parametrize(("column", "jokers"), [(0, 0), (1, 1), (2, 2), (3, 4)])
def test_counts_of_classes(column: int, jokers: int) -> None:
    """Each class has as many hands as the table says, for each pack."""
    classes: Counter[HandClass] = Counter()
    for worth, number in counted(jokers).items():
        classes[hand_class(worth)] += number
    assert {kind: classes[kind] for kind in COUNTS} == {
        kind: numbers[column] for kind, numbers in COUNTS.items()
    }


@pytest.mark.parametrize(("double_ace_flush", "number"), [(False, 7_475), (True, 7_741)])
def test_distinct_strengths(*, double_ace_flush: bool, number: int) -> None:
    """The 3,819,816 hands of the whole pack have as many strengths as the rules say."""
    counts = counted(4, double_ace_flush=double_ace_flush)
    assert len(counts) == number
    assert counts.total() == 3_819_816


@pytest.mark.parametrize(
    ("cards", "numbers"),
    [
        (3, {"THREE_OF_A_KIND": 680, "PAIR": 8_736, "HIGH_CARD": 18_304}),
        (
            4,
            {
                "FOUR_OF_A_KIND": 898,
                "THREE_OF_A_KIND": 24_960,
                "TWO_PAIRS": 2_808,
                "PAIR": 155_584,
                "HIGH_CARD": 183_040,
            },
        ),
    ],
)
def test_counts_of_exposed_cards(cards: int, numbers: dict[str, int]) -> None:
    """Exposed cards of the whole pack fall into classes as the table says."""
    shown = combinations(full_pack(4), cards)
    assert Counter(hand_class(showing(hand)).name for hand in shown) == numbers
