"""The showdown: its bets, its ends and who takes the pot (RULES.md 6, 7.3)."""

from typing import Any

import pytest

from postal.engine.cards import cards_text
from postal.engine.events import BetsFirst, Called, Checked, HandOver, TurnedUp
from postal.engine.game import due
from tests.engine.engine_games import PLAYERS, Play, betting, codes, showdown, smith, told

SAMPLE = {"A": {"Ann": "AS AD AH | KC QD", "Bob": "KS KD 9H | 9D 2S"}}


def begin(**options: Any) -> Play:
    """Play A1 up to its showdown: Ann shows three aces and bets first, 21,000 each are paid."""
    return showdown(SAMPLE, smith(nmr_limit=0, **options))


def over(play: Play) -> HandOver:
    """Return how A1 ended in the last turn."""
    (event,) = play.told(HandOver, "A1")
    return event


def test_example_smiths_sample_hand() -> None:
    """Joe raises 40,000, both expose, he raises 100,000, Puke 200,000 on top, Joe folds."""
    play = betting(SAMPLE, rules=smith(nmr_limit=0, reveal="never"))
    play.turn(Ann="A: raise 40000 expose KC")
    play.turn(Bob="A: stay expose 9D")
    play.turn(Ann="A: raise 100000")
    play.turn(Bob="A: raise 200000")
    play.turn(Ann="A: fold")
    assert (play.net("Ann"), play.net("Bob")) == (-160_000, 160_000)
    assert over(play).end == "fold"
    assert not play.told(TurnedUp)
    assert [len(seat.shown) for seat in play.hand().seats] == [4, 4]
    assert play.view("Cat").tables[0].hands[0].seats[0].hidden is None


def test_6_1_the_better_four_cards_bet_first() -> None:
    """Four cards of each are compared, and the first may raise, check or fold."""
    cards = {"A": {"Ann": "AS KD 3H | 2C QD", "Bob": "KS QS 9H | 9D 2S"}}
    play = showdown(cards)
    assert [event.player for event in play.told(BetsFirst, "A1")] == ["Bob"]
    assert due(play.game) == (("Bob", "A1"),)
    assert set(play.view("Bob").due[0].verbs) == {"raise", "check", "fold"}


@pytest.mark.parametrize(
    ("amount", "wanted"),
    [
        (999, ["under-limit A1"]),
        (1_000, []),
        (200_000, []),
        (200_001, ["over-limit A1"]),
    ],
)
def test_6_2_limits_of_a_raise(amount: int, wanted: list[str]) -> None:
    """A raise adds up to 200,000 to what equals the opponent's."""
    play = begin()
    assert codes(play.mail("Ann", f"A: raise {amount}")) == wanted
    play.turn(Ann="A: raise 200000")
    assert codes(play.mail("Bob", f"A: raise {amount}")) == wanted


def test_6_2_the_most_is_an_option() -> None:
    """The showdown's most is its own, apart from the betting's."""
    play = begin(max_showdown_raise=60_000)
    assert codes(play.mail("Ann", "A: raise 60001")) == ["over-limit A1"]
    play.good("Ann", "A: raise 60000")


def test_6_3_check_only_where_sums_are_level() -> None:
    """After a raise nobody can check; after a check the other may raise, check, call or fold."""
    play = begin()
    play.turn(Ann="A: check")
    assert [event.player for event in play.told(Checked, "A1")] == ["Ann"]
    assert set(play.view("Bob").due[0].verbs) == {"raise", "check", "call", "fold"}
    assert codes(play.mail("Bob", "A: stay")) == ["not-allowed A1"]
    play.turn(Bob="A: raise 5000")
    taken = play.mail("Ann", "A: check")
    assert codes(taken) == ["not-allowed A1"]
    assert "5,000" in told(taken.problems[0])


def test_6_4_stay_equals_without_calling() -> None:
    """The opponent may then raise, check or call at no cost."""
    play = begin()
    play.turn(Ann="A: raise 100000")
    assert set(play.view("Bob").due[0].verbs) == {"raise", "stay", "call", "fold"}
    play.turn(Bob="A: stay")
    assert play.hand().pot == 242_000
    assert set(play.view("Ann").due[0].verbs) == {"raise", "check", "call", "fold"}
    play.turn(Ann="A: call")
    assert play.told(Called, "A1")[0].amount == 0
    assert (over(play).end, over(play).winners, over(play).pot) == ("call", ("Ann",), 242_000)


def test_6_4_after_a_stay_the_other_may_raise_again() -> None:
    """He can check or raise on, and the hand goes on."""
    play = begin()
    play.turn(Ann="A: raise 1000")
    play.turn(Bob="A: stay")
    play.turn(Ann="A: check")
    play.turn(Bob="A: raise 2000")
    play.turn(Ann="A: raise 3000")
    assert [seat.paid for seat in play.hand().seats] == [27_000, 24_000]
    assert due(play.game) == (("Bob", "A1"),)


def test_6_5_the_first_bet_is_no_call() -> None:
    """The player who bets first may not call, nor stay, with that bet."""
    play = begin()
    assert codes(play.mail("Ann", "A: call", "A: stay")) == ["not-allowed A1", "not-allowed A1"]


def test_6_5_a_call_turns_up_all_cards() -> None:
    """All five of both are shown, the hidden one last, and the better hand takes the pot."""
    play = begin()
    play.turn(Ann="A: raise 100000")
    play.turn(Bob="A: call")
    assert play.told(Called, "A1")[0].amount == 100_000
    turned = {event.player: event for event in play.told(TurnedUp, "A1")}
    assert cards_text(turned["Ann"].cards) == "AS AD AH KC QD"
    assert cards_text(turned["Bob"].cards) == "KS KD 9H 9D 2S"
    assert turned["Ann"].worth == "three aces"
    assert turned["Bob"].worth == "two pairs, kings and nines"
    assert over(play).winners == ("Ann",)
    assert (play.net("Ann"), play.net("Bob")) == (121_000, -121_000)
    assert play.seat("Ann").shown == turned["Ann"].cards
    assert play.seat("Ann").hidden == ()


@pytest.mark.parametrize("exposed_to", ["all", "opponent"])
def test_3_4_who_sees_the_hands_turned_up(exposed_to: str) -> None:
    """Everybody, or the two players of the hand alone; who took the pot is public."""
    play = begin(exposed_to=exposed_to, reveal="never")
    play.turn(Ann="A: check")
    play.turn(Bob="A: call")
    for viewer in (*PLAYERS[:6], None):
        sees = exposed_to == "all" or viewer in ("Ann", "Bob")
        assert all(event.seen_by(viewer) == sees for event in play.told(TurnedUp, "A1"))
        hand = play.view(viewer).tables[0].hands[0]
        assert [line.shown is not None for line in hand.seats] == [sees, sees]
        assert over(play).seen_by(viewer)


def test_6_6_a_fold_on_ones_own_move() -> None:
    """The first may fold at once, and no hidden card is turned up."""
    play = begin()
    play.turn(Ann="A: fold")
    assert over(play).winners == ("Bob",)
    assert len(play.seat("Bob").shown) == 4


@pytest.mark.parametrize("limit", [2, 3, 4, 5])
def test_6_7_checks_in_a_row_count_as_a_call(limit: int) -> None:
    """After so many checks the hand is called at no cost, and not before."""
    play = begin(check_limit=limit)
    for number in range(limit):
        assert not play.hand().over
        play.turn(**{("Ann", "Bob")[number % 2]: "A: check"})
    assert (over(play).end, over(play).winners, over(play).pot) == ("checks", ("Ann",), 42_000)
    assert len(play.told(TurnedUp, "A1")) == 2
    assert not play.told(Called)


def test_6_7_only_checks_in_a_row_count() -> None:
    """A raise between them starts the count anew."""
    play = begin()
    for player, bet in [
        *(("Ann", "check"), ("Bob", "check"), ("Ann", "check"), ("Bob", "raise 1000")),
        *(("Ann", "stay"), ("Bob", "check"), ("Ann", "check"), ("Bob", "check")),
    ]:
        play.turn(**{player: f"A: {bet}"})
    assert not play.hand().over
    play.turn(Ann="A: check")
    assert over(play).end == "checks"


def test_6_7_no_limit() -> None:
    """With 0 two players can check for ever, and a call still ends it."""
    play = showdown(SAMPLE, smith(nmr_limit=100, check_limit=0))
    for number in range(11):
        play.turn(**{("Ann", "Bob")[number % 2]: "A: check"})
    assert not play.hand().over
    play.turn(Bob="A: call")
    assert over(play).end == "call"


def test_6_7_a_call_after_checks_is_a_call() -> None:
    """What ended the hand is the call, not the checks before it."""
    play = begin()
    for number in range(3):
        play.turn(**{("Ann", "Bob")[number % 2]: "A: check"})
    play.turn(Bob="A: call")
    assert over(play).end == "call"


def test_6_8_equal_hands_divide_the_pot() -> None:
    """Each takes half, both are named, and nobody has won or lost."""
    play = showdown({"A": {"Ann": "AS KD 9H | 7C 2D", "Bob": "AH KC 9D | 7S 2C"}})
    play.turn(Ann="A: raise 100000")
    play.turn(Bob="A: call")
    assert over(play).winners == ("Ann", "Bob")
    assert (over(play).pot, over(play).share) == (242_000, 121_000)
    assert (play.net("Ann"), play.net("Bob")) == (0, 0)


@pytest.mark.parametrize(("double", "winners"), [(False, ("Ann", "Bob")), (True, ("Ann",))])
def test_7_3_double_ace_flush(double: bool, winners: tuple[str, ...]) -> None:  # noqa: FBT001 - the option's value
    """Only with the option can a joker double the ace of a flush."""
    cards = {"A": {"Ann": "AS JKR 9S | 5S 2S", "Bob": "AH KH 9H | 5H 2H"}}
    play = showdown(cards, smith(nmr_limit=0, double_ace_flush=double))
    play.turn(Ann="A: check")
    play.turn(Bob="A: call")
    assert over(play).winners == winners


@pytest.mark.parametrize(
    ("ann", "bob", "winners"),
    [
        ("JKR JKR AS | 2S 3H", "2C 3D 4C | 5D 6H", ("Bob",)),  # a five-high straight
        ("JKR JKR JKR | 4C 4D", "AS KS QS | JS TS", ("Ann",)),  # five of a kind
        ("JKR JKR JKR | KS QS", "AH AD AC | AS 2D", ("Ann",)),  # a royal flush
        ("JKR JKR JKR | KS QH", "AH AD AC | AS 2D", ("Bob",)),  # four kings
        ("JKR AS 9S | 5S 2S", "AH KH QH | 10H 8H", ("Bob",)),  # A K 9 5 2
    ],
)
def test_example_hands_with_jokers(ann: str, bob: str, winners: tuple[str, ...]) -> None:
    """The worked examples of hands with jokers, played to the call."""
    play = showdown({"A": {"Ann": ann, "Bob": bob}})
    first, second = (player for player in due_order(play))
    play.turn(**{first: "A: check"})
    play.turn(**{second: "A: call"})
    assert over(play).winners == winners


def due_order(play: Play) -> tuple[str, str]:
    """Return the two players of A1, who bets first first."""
    first = due(play.game)[0][0]
    return first, "Bob" if first == "Ann" else "Ann"
