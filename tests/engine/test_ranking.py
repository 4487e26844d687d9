"""The worth of hands and of exposed cards: the rules' examples, and brute force."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, combinations_with_replacement, pairwise

import pytest

from postal.engine.cards import Card, full_pack, parse_cards
from postal.engine.ranking import (
    HandClass,
    best_five,
    card_key,
    describe,
    describe_showing,
    hand_class,
    key_rater,
    showing,
    strength,
)

NATURAL = full_pack(0)
PACK = full_pack(4)
Worth = tuple[int, list[int]]

# The ladder of RULES.md 7.1 with the edges of each class, worst first.
LADDER = [
    ("7C 5D 4H 3S 2C", "seven high"),
    ("AC KD QH JS 9C", "ace high"),
    ("2C 2D 3H 4S 5C", "a pair of twos"),
    ("AC JKR 3H 4S 6C", "a pair of aces"),
    ("3C 3D 2H 2S 4C", "two pairs, threes and twos"),
    ("AC AD KH KS QC", "two pairs, aces and kings"),
    ("2C 2D 2H 3S 4C", "three twos"),
    ("6C JKR JKR 3S TC", "three tens"),
    ("JKR JKR AS 2S 3H", "a straight to the five"),
    ("2C 3D 4H 5S 6C", "a straight to the six"),
    ("TC JD QH JKR AC", "a straight to the ace"),
    ("7C 5C 4C 3C 2C", "a flush, seven high"),
    ("JKR AS 9S 5S 2S", "a flush, ace high"),
    ("AH KH QH TH 8H", "a flush, ace high"),
    ("2C 2D 2H 3S 3C", "a full house, twos over threes"),
    ("6C 6D KH KS JKR", "a full house, kings over sixes"),
    ("2C 2D 2H 2S 3C", "four twos"),
    ("JKR JKR JKR KS QH", "four kings"),
    ("JKR 2C 3C 4C AC", "a straight flush to the five"),
    ("JKR 2C 3C 4C 5C", "a straight flush to the six"),
    ("JKR JKR JKR KS QS", "a royal flush"),
    ("2C 2D 2H 2S JKR", "five twos"),
    ("6C 6D JKR JKR JKR", "five sixes"),
    ("KC JKR JKR JKR JKR", "five kings"),
    ("AC AD AH AS JKR", "five aces"),
]


def natural_worth(cards: Sequence[Card], *, double_ace_flush: bool) -> Worth | None:
    """Rate five cards that are no jokers; None for a flush that doubles a card against 7.3."""
    ranks = sorted((card.rank for card in cards), reverse=True)
    counts = Counter(ranks).most_common()
    sizes = [size for _, size in counts]
    straight = ranks if len(counts) == 5 and ranks[0] - ranks[4] == 4 else None
    if ranks == [14, 5, 4, 3, 2]:
        straight = [5, 4, 3, 2, 1]
    flush = len({card.suit for card in cards}) == 1
    if flush and not straight and sizes != [5] and not double_ace_flush and len(set(cards)) < 5:
        return None
    kinds = {(5,): 9, (4, 1): 7, (3, 2): 6, (3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1}
    worths: list[Worth] = [(kinds.get(tuple(sizes), 0), [rank for rank, _ in counts])]
    if flush:
        worths.append((5, ranks))
    if straight:
        worths.append((8 if flush else 4, straight))
    return max(worths)


def brute_force(cards: Sequence[Card], *, double_ace_flush: bool = False) -> Worth:
    """Rate five cards by putting every one of the 52 cards for every joker."""
    natural = [card for card in cards if not card.is_joker]
    worths = (
        natural_worth([*natural, *wild], double_ace_flush=double_ace_flush)
        for wild in combinations_with_replacement(NATURAL, 5 - len(natural))
    )
    return max(worth for worth in worths if worth is not None)


def brute_force_showing(cards: Sequence[Card]) -> tuple[list[int], list[int]]:
    """Rate exposed cards by putting every rank for every joker."""
    natural = [card.rank for card in cards if not card.is_joker]
    best = ([0], [0])
    for wild in combinations_with_replacement(range(2, 15), len(cards) - len(natural)):
        groups = Counter([*natural, *wild])
        ranks = sorted(groups, key=lambda rank: (groups[rank], rank), reverse=True)
        best = max(best, ([groups[rank] for rank in ranks], ranks))
    return best


def random_hands(jokers: int, number: int) -> Iterator[tuple[Card, ...]]:
    """Yield hands with as many jokers, half of them with few ranks or suits, so of value."""
    chance = random.Random(20 + jokers)
    for turn in range(number):
        narrow = [
            NATURAL,
            [card for card in NATURAL if card.suit == turn % 4],
            [card for card in NATURAL if card.rank in range(turn % 7 + 3, turn % 7 + 8)],
            NATURAL,
        ][turn % 4]
        hand = [*chance.sample(narrow, 5 - jokers), *PACK[52 : 52 + jokers]]
        chance.shuffle(hand)
        yield tuple(hand)


def check_order(worths: dict[int, Worth]) -> None:
    """Check that strengths and worths by brute force stand in the same order."""
    for low, high in pairwise(sorted(worths)):
        assert worths[low] < worths[high]


def test_ladder_of_classes() -> None:
    """Each class beats those before it, jokers or none (RULES.md 7.1, 7.4, worked examples)."""
    strengths = [strength(parse_cards(text)) for text, _ in LADDER]
    assert strengths == sorted(set(strengths))
    classes = [hand_class(worth) for worth in strengths]
    assert sorted(set(classes)) == list(HandClass)
    assert classes == sorted(classes)


@pytest.mark.parametrize(("text", "words"), LADDER)
def test_describe(text: str, words: str) -> None:
    """A hand is put into words as it counts, jokers included."""
    assert describe(parse_cards(text)) == words


@pytest.mark.parametrize(
    ("wild", "natural"),
    [
        ("JKR JKR AS 2S 3H", "5C 4C 3C 2C AD"),  # a five-high straight
        ("JKR JKR JKR KS QH", "KC KD KH KS QC"),  # four kings
        ("JKR JKR JKR KS QS", "AD KD QD JD TD"),  # a royal flush
        ("JKR AS 9S 5S 2S", "AC KC 9C 5C 2C"),  # A K 9 5 2
        ("JKR JKR KS 9S 5S", "AC KC QC 9C 5C"),
        ("JKR 9C 9D 4H 4S", "9H 9S 9D 4C 4D"),
    ],
)
def test_wild_equals_natural(wild: str, natural: str) -> None:
    """A hand with jokers equals the natural hand that it stands for (RULES.md 7.2 to 7.4)."""
    assert strength(parse_cards(wild)) == strength(parse_cards(natural))


def test_joker_in_a_flush() -> None:
    """A joker doubles an ace only where the house rule lets it (RULES.md 7.3)."""
    wild, natural = parse_cards("JKR AS 9S 5S 2S"), parse_cards("AH KH QH TH 8H")
    assert strength(wild) < strength(natural)
    assert strength(wild, double_ace_flush=True) > strength(natural, double_ace_flush=True)
    assert describe(wild, double_ace_flush=True) == "a flush, ace high"


def test_three_jokers_and_a_pair_are_five_of_a_kind() -> None:
    """Five of the lowest kind beat a royal flush (RULES.md 7.1, worked examples)."""
    five, royal = parse_cards("JKR JKR JKR 2S 2H"), parse_cards("AS KS QS JS TS")
    assert hand_class(strength(five)) is HandClass.FIVE_OF_A_KIND
    assert strength(five) > strength(royal)


@pytest.mark.parametrize("count", [0, 3, 4, 6, 7])
def test_strength_wants_five_cards(count: int) -> None:
    """Any number of cards but five is refused."""
    with pytest.raises(ValueError, match=f"not {count}"):
        strength(NATURAL[:count])


@pytest.mark.parametrize("text", ["JKR JKR JKR JKR JKR", "AS AS AS AS AS"])
def test_hand_of_no_pack(text: str) -> None:
    """A hand that no pack holds is refused, without telling its cards."""
    with pytest.raises(ValueError, match=r"^no pack holds these five cards$"):
        strength(parse_cards(text))


@pytest.mark.parametrize("double_ace_flush", [False, True])
def test_strength_against_brute_force(*, double_ace_flush: bool) -> None:
    """Hands stand in the order that full substitution gives, equal ones together (RULES.md 7)."""
    worths: dict[int, Worth] = {}
    for jokers, number in enumerate((2000, 300, 60, 4)):
        for hand in random_hands(jokers, number):
            expected = brute_force(hand, double_ace_flush=double_ace_flush)
            rated = strength(hand, double_ace_flush=double_ace_flush)
            assert worths.setdefault(rated, expected) == expected
            assert hand_class(rated) == expected[0]
    check_order(worths)


def test_keys_rate_as_cards_do() -> None:
    """Rating by keys gives the strength, with either house rule."""
    for double_ace_flush in (False, True):
        rate = key_rater(double_ace_flush=double_ace_flush)
        for jokers in range(5):
            for hand in random_hands(jokers, 100):
                keys = [card_key(card) for card in hand]
                assert rate(*keys) == strength(hand, double_ace_flush=double_ace_flush)


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_showing_against_brute_force(count: int) -> None:
    """Exposed cards stand in the order that full substitution gives (RULES.md 4.3)."""
    chance = random.Random(count)
    worths: dict[int, tuple[list[int], list[int]]] = {}
    for _ in range(1500):
        suits = chance.sample(range(4), 2)
        shown = chance.sample([card for card in PACK if card.is_joker or card.suit in suits], count)
        expected = brute_force_showing(shown)
        assert worths.setdefault(showing(shown), expected) == expected
    for low, high in pairwise(sorted(worths)):
        assert worths[low] < worths[high]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("AS QS JKR", "a pair of aces"),
        ("JKR JKR KS", "three kings"),
        ("JKR JKR JKR", "three aces"),
        ("JKR JKR JKR JKR", "four aces"),
        ("9S 9H 2C 3C", "a pair of nines"),
        ("9S 9H 2C 2D", "two pairs, nines and twos"),
        ("9S 9H 2C JKR", "three nines"),
        ("KS QS JS TS", "king high"),
        ("AS 2S 3S", "ace high"),
        ("6S 6C 6H 6D", "four sixes"),
    ],
)
def test_describe_showing(text: str, words: str) -> None:
    """Exposed cards are put into words; straights and flushes don't count (RULES.md 4.3)."""
    assert describe_showing(parse_cards(text)) == words


@pytest.mark.parametrize("count", [0, 5])
def test_showing_wants_exposed_cards(count: int) -> None:
    """No cards, or a whole hand, are no exposed cards."""
    with pytest.raises(ValueError, match=f"not {count}"):
        showing(NATURAL[:count])


@pytest.mark.parametrize(
    ("held", "best"),
    [
        ("2C 3D AS AH 9C 8D KH", "8D 9C KH AH AS"),
        ("KS KH KD KC 2S 2C 2D", "2C KC KD KH KS"),  # of equal ones the lowest kicker
        ("9S 8H 7D 6C 5S 5C 5D", "5C 6C 7D 8H 9S"),
        ("JKR JKR JKR JKR 2C 3C AS", "AS JKR JKR JKR JKR"),
        ("JKR AS KS QS JS TS 9S", "TS JS QS KS AS"),  # royal without the joker: it is highest
        ("JKR JKR AC AD AH KC QD", "AC AD AH JKR JKR"),
        ("2C 2D 3C 3D 4C 4D AS", "3C 3D 4C 4D AS"),
    ],
)
def test_best_five(held: str, best: str) -> None:
    """The best five are kept; of equal ones those that come first, lowest first (RULES.md 9.2)."""
    assert best_five(parse_cards(held)) == parse_cards(best)


def test_best_five_of_every_order() -> None:
    """The choice is the least of the best, whatever the order in which cards are held."""
    chance = random.Random(7)
    for _ in range(100):
        held = chance.sample(PACK, 7)
        fives = {tuple(sorted(five)) for five in combinations(held, 5)}
        top = max(map(strength, fives))
        assert best_five(held) == min(five for five in fives if strength(five) == top)


def test_best_five_knows_the_house_rule() -> None:
    """A flush that may double the ace is rated so when five cards are chosen (RULES.md 7.3)."""
    held = parse_cards("JKR AS 9S 5S 2S KS QS")
    assert best_five(held, double_ace_flush=True) == parse_cards("9S QS KS AS JKR")
    with pytest.raises(ValueError, match="not 4"):
        best_five(held[:4])
