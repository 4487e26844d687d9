"""Players, tables, seats, packs and the deal (RULES.md 1, 2.1; the deal of DESIGN.md)."""

import hashlib
import hmac
import json
from collections import Counter
from collections.abc import Iterator
from itertools import count, islice, permutations

import pytest

from postal.engine.cards import cards_text, full_pack
from postal.engine.deal import below, commitment, draw_pack, draw_seats, shuffled, stream
from postal.engine.game import TableSetup, start
from tests.engine.engine_games import PLAYERS, deal, smith

SECRET = bytes(range(32))

# Worked out apart from the program, from the description of the stream alone.
SEATS = ("Dan", "Bob", "Eve", "Cat", "Ann", "Fay")
PACK = (
    "KH 4D 2H AC AD JH KS QH JD KD AS 7C 4H 5C QC 10D 9D 5D 10C JKR AH JKR JC 3H 9C JS 5H 7S"
    " 8S 3D 6C QD JKR 9H 2C 7D 7H 4C 6H 6S 2S 10H 4S QS 9S 6D 5S 8C 2D JKR 8D 8H KC 3S 10S 3C"
)


def table(letter: str = "A", players: tuple[str, ...] = PLAYERS[:6]) -> TableSetup:
    """Return a table with an unshuffled pack."""
    return TableSetup(letter, players, full_pack(4))


@pytest.mark.parametrize(("players", "tables", "hands"), [(6, "ABC", 9), (8, "ABCD", 16)])
def test_1_3_and_1_4_tables_and_hands(players: int, tables: str, hands: int) -> None:
    """Half as many tables as players, one hand for every two seats, one per player and table."""
    game = deal(smith(players)).game
    assert [table.letter for table in game.tables] == list(tables)
    assert len(game.hands) == hands
    names = [f"{letter}{number}" for letter in tables for number in range(1, players // 2 + 1)]
    assert [hand.name for hand in game.hands] == names
    assert [seat.number for hand in game.hands[: players // 2] for seat in hand.seats] == list(
        range(1, players + 1)
    )
    for player in game.players:
        assert [hand.table for hand, _ in game.hands_of(player)] == list(tables)


def test_1_2_start_money() -> None:
    """Each player starts with the start money, and nothing is in a pot before turn 2."""
    game = deal(smith(start_money=70_000)).game
    assert set(game.balances.values()) == {70_000}
    assert game.total == 6 * 70_000
    assert not any(hand.pot for hand in game.hands)


def test_1_2_equal_sums_share_the_place() -> None:
    """The places of equal sums are the same, and the next one counts all before it."""
    play = deal(smith())
    play.set_balances(Ann=500_000, Bob=1_200_000, Cat=1_200_000)
    assert play.game.standings() == (
        (1, "Bob", 1_200_000),
        (1, "Cat", 1_200_000),
        (3, "Fay", 1_100_000),
        (4, "Dan", 1_000_000),
        (4, "Eve", 1_000_000),
        (6, "Ann", 500_000),
    )


def test_2_1_one_card_at_a_time_from_seat_1() -> None:
    """Seat n gets card n of each round; the rest is the stock."""
    seated = ("Cat", "Ann", "Fay", "Bob", "Dan", "Eve")
    pack = full_pack(4)
    game = start(
        smith(), PLAYERS[:6], [TableSetup(letter, seated, pack) for letter in ("A", "B", "C")]
    )
    for place, player in enumerate(seated):
        hand, index = next(game.hands_of(player))
        assert hand.seats[index].dealt == tuple(pack[place + 6 * turn] for turn in range(7))
        assert hand.seats[index].number == place + 1
    assert game.tables[0].stock == pack[42:]


@pytest.mark.parametrize(
    "tables",
    [
        [table("A"), table("B")],
        [table("A"), table("B"), table("C", PLAYERS[1:7])],
        [table("A"), table("B"), TableSetup("C", PLAYERS[:6], full_pack(4)[:41])],
    ],
    ids=["too few tables", "a stranger", "a short pack"],
)
def test_start_refuses_what_does_not_fit(tables: list[TableSetup]) -> None:
    """Tables that do not fit the rules are refused."""
    with pytest.raises(ValueError, match=r"needs|must seat"):
        start(smith(), PLAYERS[:6], tables)


def test_the_stream_is_hmac_of_label_and_counter() -> None:
    """The bytes are those of HMAC-SHA256 over the label's JSON and an eight-byte counter."""
    label = json.dumps(["autumn", 1, "A", "pack"], separators=(",", ":")).encode()
    wanted = b"".join(
        hmac.new(SECRET, label + number.to_bytes(8, "big"), hashlib.sha256).digest()
        for number in range(3)
    )
    assert bytes(islice(stream(SECRET, "autumn", 1, "A", "pack"), 96)) == wanted


def test_known_answers_of_the_deal() -> None:
    """A fixed secret gives these seats and this pack for ever (10.2)."""
    assert draw_seats(SECRET, "autumn", 1, "A", PLAYERS[:6]) == SEATS
    assert cards_text(draw_pack(SECRET, "autumn", 1, "A", 4)) == PACK


@pytest.mark.parametrize(
    "other",
    [
        (bytes(32), "autumn", 1, "A"),
        (SECRET, "spring", 1, "A"),
        (SECRET, "autumn", 2, "A"),
        (SECRET, "autumn", 1, "B"),
    ],
)
def test_secret_slug_deal_and_table_each_matter(other: tuple[bytes, str, int, str]) -> None:
    """Each part of the label draws another pack, and each is one whole pack (1.5)."""
    assert cards_text(draw_pack(*other, 4)) != PACK
    assert sorted(draw_pack(*other, 4)) == list(full_pack(4))


def test_rejection_sampling_throws_large_numbers_away() -> None:
    """Surplus bits are cleared, and what is still too large is never folded back."""
    assert below(6, iter([7, 6, 0xFD])) == 5  # 0xFD & 7 is 5
    assert below(256, iter([255])) == 255
    assert below(257, iter([0xFF, 0xFF, 0x01, 0x00])) == 256
    assert below(1, iter([])) == 0


@pytest.mark.parametrize("limit", [2, 3, 6, 55, 56, 200])
def test_every_number_is_equally_likely(limit: int) -> None:
    """Over all single bytes each number comes up equally often."""
    found: Counter[int] = Counter()
    for byte in range(256):
        source = iter([byte])
        try:
            found[below(limit, source)] += 1
        except (StopIteration, RuntimeError):
            continue  # thrown away: more bytes were asked for
    assert set(found) == set(range(limit))
    assert len(set(found.values())) == 1


def test_the_shuffle_reaches_every_order_once() -> None:
    """All choices of Fisher-Yates for four things give each of the 24 orders once."""
    found = Counter(
        shuffled("abcd", iter([first, second, third]))
        for first in range(4)
        for second in range(3)
        for third in range(2)
    )
    assert set(found) == set(permutations("abcd"))
    assert set(found.values()) == {1}


def test_the_shuffle_goes_from_the_last_down() -> None:
    """Zeroes bring the first item to the end, step by step."""

    def zeroes() -> Iterator[int]:
        return (0 for _ in count())

    assert shuffled("abcd", zeroes()) == ("b", "c", "d", "a")


def test_the_commitment_is_over_secret_and_rules() -> None:
    """It is SHA-256 of the secret and the rules' canonical JSON, and changes with each."""
    rules = smith()
    wanted = hashlib.sha256(SECRET + rules.canonical().encode()).hexdigest()
    assert commitment(SECRET, rules.canonical()) == wanted
    assert commitment(SECRET, smith(ante=1).canonical()) != wanted
    assert commitment(bytes(32), rules.canonical()) != wanted
