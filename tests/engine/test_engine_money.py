"""Coverage, IOUs and the order of adjudication that they depend on (RULES.md 8, 10.1)."""

from typing import Any

import pytest

from postal.engine.book import committed
from postal.engine.events import Called, HandOver, IouClosed, IouWritten, Raised, Stayed
from tests.engine.engine_games import PLAYERS, Play, betting, codes, showdown, smith, told

STRONG, WEAK = "AS AD AH | KC QD", "KS KD 9H | 8D 2S"
LUCKY = "2S 2D 3H | 2C JKR"  # shows little and is four twos


def begin(*stronger: str, weak: str = WEAK, **options: Any) -> Play:
    """Play hand 1 of tables A to C up to the showdown: Ann has the better cards in those named.

    In each of them 21,000 are paid by each, and who holds the better cards bets first.
    """
    fives = {
        letter: {"Ann": STRONG, "Bob": weak} if letter in stronger else {"Ann": weak, "Bob": STRONG}
        for letter in "ABC"
    }
    return showdown(fives, smith(nmr_limit=0, **options), "ABC")


def raised(**options: Any) -> Play:
    """Play on until Bob, who has the better cards, is 200,000 ahead in A1 and Ann has 50,000."""
    play = begin(**options)
    play.turn(Bob="A: raise 200000; B: check; C: check")
    play.set_balances(Ann=50_000)
    return play


def test_8_2_together_and_in_the_order_of_the_hands() -> None:
    """What comes later in the order of the hands is refused with what is left."""
    play = betting({letter: {"Ann": STRONG, "Bob": WEAK} for letter in "ABC"})
    play.set_balances(Ann=90_000)
    taken = play.mail("Ann", "C: raise 30000", "B: raise 50000", "A: raise 40000")
    assert codes(taken) == ["not-covered C1"]
    assert "£30,000" in told(taken.problems[0])
    assert "£0" in told(taken.problems[0])
    assert taken.problems[0].number == 1
    assert play.on_file("Ann") == ["A: raise 40000", "B: raise 50000"]
    assert committed(play.game, play.book, "Ann") == 90_000


def test_8_2_orders_on_file_for_other_hands_come_first() -> None:
    """A later mail gets what those leave, even for an earlier hand."""
    play = betting({letter: {"Ann": STRONG, "Bob": WEAK} for letter in "ABC"})
    play.set_balances(Ann=60_000)
    play.good("Ann", "C: raise 50000")
    assert codes(play.mail("Ann", "A: raise 20000")) == ["not-covered A1"]
    play.good("Ann", "A: raise 10000")
    assert play.on_file("Ann") == ["A: raise 10000", "C: raise 50000"]


def test_8_2_a_mail_replaces_what_it_names() -> None:
    """The old order of a hand that is named anew frees its money first."""
    play = betting({letter: {"Ann": STRONG, "Bob": WEAK} for letter in "ABC"})
    play.set_balances(Ann=60_000)
    play.good("Ann", "C: raise 50000")
    play.good("Ann", "A: raise 50000", "C: raise 10000")
    assert play.on_file("Ann") == ["A: raise 50000", "C: raise 10000"]


def test_8_2_the_earlier_order_stands_where_it_is_covered() -> None:
    """A refused line leaves the one on file."""
    play = betting({letter: {"Ann": STRONG, "Bob": WEAK} for letter in "ABC"})
    play.set_balances(Ann=40_000)
    play.good("Ann", "A: raise 20000")
    taken = play.mail("Ann", "A: raise 50000")
    assert codes(taken) == ["not-covered A1"]
    assert taken.lost == ()
    assert play.on_file("Ann") == ["A: raise 20000"]


def test_8_2_else_none_stands() -> None:
    """An earlier order that the same mail's other orders leave uncovered is lost, and told."""
    play = betting({letter: {"Ann": STRONG, "Bob": WEAK} for letter in "ABC"})
    play.set_balances(Ann=60_000)
    play.good("Ann", "B: raise 20000")
    taken = play.mail("Ann", "A: raise 50000", "B: raise 30000")
    assert codes(taken) == ["not-covered B1"]
    assert taken.lost == ("B1",)
    assert play.on_file("Ann") == ["A: raise 50000"]


def test_8_2_an_earlier_line_of_the_mail_comes_before_the_file() -> None:
    """Where the last good line is not covered the one before it in the same mail is tried."""
    play = betting({letter: {"Ann": STRONG, "Bob": WEAK} for letter in "ABC"})
    play.set_balances(Ann=40_000)
    play.good("Ann", "A: raise 10000")
    taken = play.mail("Ann", "A: raise 30000", "A: raise 50000")
    assert codes(taken) == ["not-covered A1"]
    assert taken.problems[0].number == 2
    assert play.on_file("Ann") == ["A: raise 30000"]


def test_8_2_what_was_dropped_of_a_refused_raise_is_not_told() -> None:
    """5.4: it would say that the raise stands; of one that does stand it is told."""
    play = betting({letter: {"Ann": STRONG, "Bob": WEAK} for letter in "ABC"})
    play.set_balances(Ann=40_000)
    assert codes(play.mail("Ann", "A: raise 50000 expose 2C")) == ["not-covered A1"]
    taken = play.mail("Ann", "A: raise 30000 expose 2C", "A: raise 50000 expose 2C")
    assert sorted(codes(taken)) == ["expose-dropped A1", "not-covered A1"]
    assert play.on_file("Ann") == ["A: raise 30000"]


def test_8_2_a_stay_must_be_covered() -> None:
    """Before the showdown and in it, and it never turns into a fold or a call."""
    play = raised()
    assert codes(play.mail("Ann", "A: stay")) == ["not-covered A1"]
    assert codes(play.mail("Ann", "A: raise 1000")) == ["not-covered A1"]
    assert play.on_file("Ann") == []


@pytest.mark.parametrize(("ann", "wins"), [(LUCKY, True), (WEAK, False)])
def test_example_iou(ann: str, wins: bool) -> None:  # noqa: FBT001 - what comes of it
    """Balance 50,000, called for 200,000: lost it is at -150,000, won the IOU is void."""
    play = showdown({"A": {"Ann": ann, "Bob": "QS QD QH | 9D 9C"}})
    play.turn(Bob="A: raise 200000")
    play.set_balances(Ann=50_000)
    pot = play.hand().pot + 200_000
    play.turn(Ann="A: call")
    assert play.told(Called, "A1")[0].amount == 200_000
    (written,) = play.told(IouWritten)
    assert (written.player, written.to, written.amount) == ("Ann", "Bob", 150_000)
    (closed,) = play.told(IouClosed)
    assert (closed.player, closed.to, closed.amount) == ("Ann", "Bob", 150_000)
    assert closed.owed is not wins
    assert play.game.balances["Ann"] == (-150_000 + pot if wins else -150_000)
    assert play.seat("Ann").iou == 150_000
    for event in (written, closed):
        assert event.audience is None


def test_8_3_the_winner_is_credited_in_full() -> None:
    """The loser's debt is his balance below zero; the winner has the whole pot at once."""
    play = raised()
    bob = play.game.balances["Bob"]
    play.turn(Ann="A: call")
    assert play.game.balances["Bob"] == bob + 2 * 221_000
    assert play.game.balances["Ann"] == -150_000


def test_8_3_all_other_orders_come_before_the_calls() -> None:
    """A raise in a later hand takes the cash first, and the call of A1 is paid by IOU."""
    play = raised()
    play.turn(Ann="A: call; B: raise 50000")
    assert play.told(IouWritten)[0].amount == 200_000
    order = [event.hand for event in play.events if isinstance(event, Raised | Called)]
    assert order == ["B1", "A1"]


def test_8_3_a_pot_won_by_then_is_cash_for_a_later_call() -> None:
    """What an earlier call brings pays for a later one, not the other way round."""
    lucky = {"Ann": LUCKY, "Bob": "KS KD KH | 9D 9C"}
    play = showdown(
        {"A": {"Ann": WEAK, "Bob": STRONG}, "B": lucky, "C": {"Ann": WEAK, "Bob": STRONG}},
        smith(nmr_limit=0),
        "ABC",
    )
    play.turn(Bob="A: raise 30000; B: check; C: raise 200000")
    play.set_balances(Ann=10_000)
    # A1 takes her 10,000; B1 costs nothing and brings 42,000, which go into C1.
    play.turn(Ann="A: call; B: call; C: call")
    assert play.told(HandOver, "B1")[0].winners == ("Ann",)
    written = [(event.hand, event.amount) for event in play.told(IouWritten)]
    assert written == [("A1", 20_000), ("C1", 178_000)]


def test_8_3_a_fold_in_a_later_hand_brings_cash_for_the_calls() -> None:
    """What others fold comes before every call."""
    play = begin("C")
    play.turn(Bob="A: raise 200000", Ann="C: raise 1000")
    play.set_balances(Ann=50_000)
    play.turn(Ann="A: call", Bob="C: fold")
    # 50,000 and the pot of C1, 43,000, are cash; her check in B1 does not matter.
    assert [event.amount for event in play.told(IouWritten)] == [107_000]


def test_8_3_a_second_iou_on_top_of_a_debt() -> None:
    """Below zero the whole call is an IOU, and what is won pays the debt off."""
    play = raised()
    play.turn(Ann="A: call; B: check")
    assert play.game.balances["Ann"] == -150_000
    play.turn(Bob="B: raise 100000")
    before = play.game.balances["Ann"]
    play.turn(Ann="B: call")
    assert [event.amount for event in play.told(IouWritten)] == [100_000]
    assert play.game.balances["Ann"] == before - 100_000


def test_8_3_equal_hands_make_the_iou_void() -> None:
    """Who divides the pot has not lost."""
    play = showdown({"A": {"Ann": "AS KD 9H | 7C 2D", "Bob": "AH KC 9D | 7S 2C"}})
    play.turn(Ann="A: raise 200000")
    play.set_balances(Bob=50_000)
    play.turn(Bob="A: call")
    assert [event.owed for event in play.told(IouClosed)] == [False]
    assert play.game.balances["Bob"] == 50_000 + 21_000


def test_8_4_a_stay_can_be_paid_so_too() -> None:
    """With the option a stay of the showdown writes the IOU, and it is settled at the end."""
    play = raised(iou="stay-and-call")
    play.turn(Ann="A: stay")
    assert play.told(Stayed, "A1")[0].amount == 200_000
    assert [event.amount for event in play.told(IouWritten)] == [150_000]
    assert not play.told(IouClosed)
    assert play.game.balances["Ann"] == -150_000
    play.turn(Bob="A: call")
    assert [(event.amount, event.owed) for event in play.told(IouClosed)] == [(150_000, True)]


def test_8_4_who_folds_after_an_iou_owes_it() -> None:
    """A fold loses the hand, and the IOU with it."""
    play = raised(iou="stay-and-call")
    play.turn(Ann="A: stay")
    play.turn(Bob="A: check")
    play.turn(Ann="A: fold")
    assert [event.owed for event in play.told(IouClosed)] == [True]


def test_8_4_cash_goes_to_raises_first_then_in_the_order_of_the_hands() -> None:
    """The raise of C1 is paid in cash, then the stay of A1, then the call of B1."""
    play = begin(iou="stay-and-call")
    play.turn(Bob="A: raise 20000; B: raise 30000; C: check")
    play.set_balances(Ann=50_000)
    play.turn(Ann="B: call; A: stay; C: raise 25000")
    assert [(event.hand, event.amount) for event in play.told(IouWritten)] == [("B1", 25_000)]
    order = [event.hand for event in play.events if isinstance(event, Raised | Stayed | Called)]
    assert order == ["C1", "A1", "B1"]


@pytest.mark.parametrize("iou", ["call", "stay-and-call"])
def test_8_5_before_the_showdown_he_can_only_fold(iou: str) -> None:
    """Without money a stay before the showdown is refused, whatever an IOU can pay in it."""
    play = betting({"A": {"Ann": STRONG, "Bob": WEAK}}, rules=smith(nmr_limit=0, iou=iou))
    play.turn(Ann="A: raise 10000")
    play.set_balances(Bob=0)
    assert codes(play.mail("Bob", "A: stay")) == ["not-covered A1"]
    assert codes(play.mail("Bob", "A: raise 1000")) == ["not-covered A1"]
    play.good("Bob", "A: fold")


@pytest.mark.parametrize("balance", [0, -5_000])
def test_8_5_with_nothing_left(balance: int) -> None:
    """Fold, check, and call on an IOU are left."""
    play = begin()
    play.turn(Bob="A: raise 10000; B: check; C: check")
    play.set_balances(Ann=balance)
    assert codes(play.mail("Ann", "A: stay", "B: raise 1000")) == [
        "not-covered A1",
        "not-covered B1",
    ]
    play.turn(Ann="A: call; B: check; C: fold")
    assert [event.amount for event in play.told(IouWritten)] == [10_000]
    assert play.game.balances["Ann"] == balance - 10_000


def test_8_6_money_adds_up_through_ious() -> None:
    """Balances and pots are players times start money after every turn."""
    play = raised()
    assert play.game.total == 6_000_000
    play.turn(Ann="A: call; B: raise 40000; C: check")
    assert play.game.total == 6_000_000
    assert sum(play.game.balances[name] for name in PLAYERS[:6]) < 6_000_000
