"""Who bets first, the betting before the showdown, and the exposure after it (RULES.md 4, 5)."""

from typing import Any

import pytest

from postal.engine.book import Submission
from postal.engine.cards import cards_text
from postal.engine.editions import EDITIONS
from postal.engine.events import BetsFirst, Exposed, Folded, HandOver, Raised, Stayed
from postal.engine.game import due
from postal.engine.orders import LimitRaise, Line
from postal.engine.rulefile import option_choices, read_rules
from postal.engine.rules import BettingPhase, Rules
from postal.engine.words import Limit
from tests.engine.engine_games import Play, betting, codes, smith, smith_file, told

SAMPLE = {"A": {"Ann": "AS AD AH | KC QD", "Bob": "KS KD 9H | 9D 2S"}}


def begin(**options: Any) -> Play:
    """Play up to turn 3 of a game in which Ann shows three aces and bets first in A1."""
    return betting(SAMPLE, rules=smith(nmr_limit=0, **options))


@pytest.mark.parametrize(
    ("ann", "bob", "first"),
    [
        ("AS AD 2H", "KS KD KH", "Bob"),  # three of a kind beats a pair
        ("2S 2D 3H", "AS KD QH", "Ann"),  # a pair beats high cards
        ("2S 3S 4S", "5S 5D 2D", "Bob"),  # neither flush nor straight counts
        ("AS QS JKR", "KS KH QH", "Ann"),  # a pair of aces (S)
        ("JKR JKR KS", "QS QH QD", "Ann"),  # three kings (S)
        ("KS KH KD", "JKR JKR JKR", "Bob"),  # three aces (S)
        ("AS KD 3H", "AH KC 2H", "Ann"),  # the third rank decides
        ("AS AD 4H", "AH AC 5H", "Bob"),
    ],
)
def test_4_2_and_4_3_the_better_showing_bets_first(ann: str, bob: str, first: str) -> None:
    """Groups come first, then ranks, jokers as what is worth most."""
    play = betting({"A": {"Ann": f"{ann} | 6C 7D", "Bob": f"{bob} | 6D 8C"}})
    assert [event.player for event in play.told(BetsFirst, "A1")] == [first]
    assert (first, "A1") in due(play.game)


@pytest.mark.parametrize(("option", "first"), [("lower-seat", "Bob"), ("higher-seat", "Ann")])
def test_4_4_equal_showings(option: str, first: str) -> None:
    """Where both show the same a seat decides, by its number at the table."""
    seats = {"A": ["Bob", "Ann", "Cat", "Dan", "Eve", "Fay"]}
    cards = {"A": {"Ann": "AS KS 2S | 6C 7D", "Bob": "AH KH 2H | 6D 8C"}}
    play = betting(cards, seats, smith(nmr_limit=0, first_on_tie=option))
    assert [event.player for event in play.told(BetsFirst, "A1")] == [first]


@pytest.mark.parametrize("line", ["A: check", "A: call", "A: stay"])
def test_5_1_the_first_must_raise_or_fold(line: str) -> None:
    """He may not check, and there is nothing to equal."""
    play = begin()
    assert codes(play.mail("Ann", line)) == ["not-allowed A1"]
    assert play.view("Ann").due[0].verbs == ("raise", "fold")
    play.good("Ann", "A: fold")
    play.good("Ann", "A: raise 1000")


@pytest.mark.parametrize("line", ["A: check", "A: call"])
def test_5_2_the_other_may_raise_stay_or_fold(line: str) -> None:
    """He may neither check nor call, and the first has the same choices after a raise."""
    play = begin()
    play.turn(Ann="A: raise 40000")
    assert codes(play.mail("Bob", line)) == ["not-allowed A1"]
    assert play.view("Bob").due[0].verbs == ("raise", "stay", "fold")
    play.turn(Bob="A: raise 50000")
    assert play.told(Raised, "A1")[0].equalled == 40_000
    assert play.view("Ann").due[0].verbs == ("raise", "stay", "fold")
    assert play.view("Ann").due[0].owed == 50_000
    assert [seat.paid for seat in play.hand().seats] == [60_000, 110_000]


def test_5_2_no_bet_out_of_turn() -> None:
    """Only the player whose move it is can bet."""
    play = begin()
    taken = play.mail("Bob", "A: stay")
    assert codes(taken) == ["not-your-turn A1"]
    assert "Ann" in told(taken.problems[0])


@pytest.mark.parametrize(
    ("amount", "wanted"),
    [
        (999, ["under-limit A1"]),
        (0, ["under-limit A1"]),
        (1_000, []),
        (50_000, []),
        (50_001, ["over-limit A1"]),
    ],
)
def test_5_1_and_5_3_limits_of_a_raise(amount: int, wanted: list[str]) -> None:
    """A raise adds from 1,000 to 50,000, whatever has to be equalled."""
    play = begin()
    assert codes(play.mail("Ann", f"A: raise {amount}")) == wanted
    play.turn(Ann="A: raise 50000")
    assert codes(play.mail("Bob", f"A: raise {amount}")) == wanted


@pytest.mark.parametrize(
    ("options", "amount", "code"),
    [
        ({"min_raise": 5}, 4, "under-limit A1"),
        ({"max_raise": 70_000}, 70_001, "over-limit A1"),
    ],
)
def test_5_3_limits_are_options(options: dict[str, Any], amount: int, code: str) -> None:
    """The least and the most are what the GM set."""
    play = begin(**options)
    assert codes(play.mail("Ann", f"A: raise {amount}")) == [code]
    play.good("Ann", f"A: raise {options.get('min_raise') or options['max_raise']}")


def test_5_3_raise_cap() -> None:
    """At the most raises of a stage stay and fold are left; the next stage counts anew."""
    play = begin(raise_cap=2)
    play.turn(Ann="A: raise 1000")
    play.turn(Bob="A: raise 1000")
    assert play.view("Ann").due[0].verbs == ("stay", "fold")
    assert codes(play.mail("Ann", "A: raise 1000")) == ["not-allowed A1"]
    play.turn(Ann="A: stay")
    play.turn()
    assert play.view("Ann").due[0].verbs == ("raise", "fold", "check")


@pytest.mark.parametrize("edition", EDITIONS)
def test_5_3_raise_cap_in_the_showdown(edition: int) -> None:
    """There too no raise is left: with level sums check, call and fold, in edition 1 no check."""
    play = begin(raise_cap=1, edition=edition)
    play.turn(Ann="A: raise 1000")
    play.turn(Bob="A: stay")
    play.turn()
    play.turn(Ann="A: raise 1000")
    assert set(play.view("Bob").due[0].verbs) == {"stay", "call", "fold"}
    play.turn(Bob="A: stay")
    check = [] if edition == 1 else ["check"]
    assert set(play.view("Ann").due[0].verbs) == {"call", "fold", *check}
    assert codes(play.mail("Ann", "A: raise 1000")) == ["not-allowed A1"]
    assert codes(play.mail("Ann", "A: check")) == (["not-allowed A1"] if edition == 1 else [])


def test_5_3_the_least_raise_is_5000() -> None:
    """By the game file, and where a file doesn't say; 1,000 in edition 1 where it doesn't."""
    assert option_choices(smith_file())["min_raise"]["default"] == 5_000
    file = smith_file()
    del file["options"]["min_raise"]
    for edition, least in ((1, 1_000), (2, 5_000)):
        rules = read_rules(file, {}, 6, edition)
        assert isinstance(rules, Rules)
        assert {one.min_raise for one in rules.phases if isinstance(one, BettingPhase)} == {least}


def test_5_3_no_cap_by_default() -> None:
    """Smith sets no limit to the number of raises."""
    play = begin()
    for number in range(12):
        player = ("Ann", "Bob")[number % 2]
        play.turn(**{player: "A: raise 1000"})
    assert play.hand().pot == 40_000 + 12_000 + 11_000


def test_5_4_both_name_a_card_ahead() -> None:
    """With both cards named the exposure follows the stay at once, at the same moment."""
    play = begin()
    play.turn(Ann="A: raise 40000 expose QD")
    play.turn(Bob="A: stay expose 2S")
    assert [(event.player, cards_text(event.cards)) for event in play.told(Exposed, "A1")] == [
        ("Ann", "QD"),
        ("Bob", "2S"),
    ]
    assert cards_text(play.seat("Ann").shown) == "AS AD AH QD"
    assert cards_text(play.seat("Bob").hidden) == "9D"
    assert [event.player for event in play.told(BetsFirst, "A1")] == ["Ann"]


@pytest.mark.parametrize("exposed_to", ["all", "opponent"])
def test_3_4_who_is_told_of_the_fourth_card(exposed_to: str) -> None:
    """Everybody, or the two players of the hand alone."""
    play = begin(exposed_to=exposed_to)
    play.turn(Ann="A: raise 40000 expose QD")
    play.turn(Bob="A: stay expose 2S")
    for viewer in ("Ann", "Bob", "Cat", None):
        sees = exposed_to == "all" or viewer in ("Ann", "Bob")
        assert [event.seen_by(viewer) for event in play.told(Exposed, "A1")] == [sees, sees]


def test_5_4_a_missing_card_is_asked_for() -> None:
    """Who named one waits, it stays face down and unchanged; the other is asked."""
    play = begin()
    play.turn(Ann="A: raise 40000 expose QD")
    play.turn(Bob="A: stay")
    assert due(play.game) == (("Bob", "A1"),)
    assert not play.told(Exposed, "A1")
    assert len(play.seat("Ann").shown) == 3
    assert codes(play.mail("Ann", "A: expose KC")) == ["not-your-turn A1"]
    play.turn(Bob="A: expose 9D")
    assert cards_text(play.seat("Ann").shown) == "AS AD AH QD"
    assert cards_text(play.seat("Bob").shown) == "KS KD 9H 9D"


def test_5_4_both_are_asked() -> None:
    """Without any named card both are asked in the next turn."""
    play = begin()
    play.turn(Ann="A: raise 40000")
    play.turn(Bob="A: stay")
    assert due(play.game) == (("Ann", "A1"), ("Bob", "A1"))
    play.turn(Ann="A: expose KC", Bob="A: expose 2S")
    assert len(play.told(Exposed, "A1")) == 2


def test_5_4_a_later_raise_names_it_anew() -> None:
    """A card named with an earlier raise is not used for a later one."""
    play = begin()
    play.turn(Ann="A: raise 1000 expose QD")
    play.turn(Bob="A: raise 1000 expose 9D")
    play.turn(Ann="A: raise 1000")
    play.turn(Bob="A: stay expose 2S")
    assert due(play.game) == (("Ann", "A1"),)
    play.turn(Ann="A: expose KC")
    assert cards_text(play.seat("Bob").shown) == "KS KD 9H 2S"


def test_5_4_a_stay_forgets_what_an_earlier_raise_named() -> None:
    """The card belonged to that raise: after a stay without one it is asked for."""
    play = begin()
    play.turn(Ann="A: raise 1000 expose QD")
    play.turn(Bob="A: raise 1000 expose 9D")
    play.turn(Ann="A: stay")
    assert due(play.game) == (("Ann", "A1"),)


@pytest.mark.parametrize(
    ("bet", "cards"),
    [("raise 1000", "2C"), ("raise 1000", "AS"), ("raise 1000", "KC QD"), ("fold", "KC")],
)
def test_5_4_an_exposure_that_cannot_be_used(bet: str, cards: str) -> None:
    """It is dropped and told, and the bet itself stands."""
    play = begin()
    taken = play.mail("Ann", f"A: {bet} expose {cards}")
    assert codes(taken) == ["expose-dropped A1"]
    assert play.on_file("Ann") == [f"A: {bet}"]
    assert len(taken.accepted) == 1


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("A: expose AS", "not-your-card A1"),
        ("A: expose KS", "not-your-card A1"),
        ("A: expose KC QD", "wrong-count A1"),
        ("A: fold", "wrong-phase A1"),
        ("A: raise 1000", "wrong-phase A1"),
    ],
)
def test_5_4_exposures_that_are_refused(line: str, code: str) -> None:
    """One hidden card of his own is asked for, and nothing else (6.6: no fold either)."""
    play = begin()
    play.turn(Ann="A: raise 40000")
    play.turn(Bob="A: stay")
    assert codes(play.mail("Ann", line)) == [code]


def test_5_4_named_cards_are_known_to_their_owner_alone() -> None:
    """Until they are turned up nobody else sees what was named."""
    play = begin()
    play.turn(Ann="A: raise 40000 expose QD")
    play.turn(Bob="A: stay")
    seats = play.view("Bob").tables[0].hands[0].seats
    assert seats[0].named is None
    own = play.view("Ann").tables[0].hands[0].seats
    assert cards_text(own[0].named or ()) == "QD"


def test_5_5_a_fold_ends_the_hand() -> None:
    """The other takes the pot, and no hidden card of either is shown."""
    play = begin(reveal="never")
    play.turn(Ann="A: raise 40000")
    play.turn(Bob="A: fold")
    assert [event.player for event in play.told(Folded, "A1")] == ["Bob"]
    (over,) = play.told(HandOver, "A1")
    assert (over.end, over.winners, over.pot) == ("fold", ("Ann",), 80_000)
    assert len(play.seat("Ann").shown) == len(play.seat("Bob").shown) == 3
    assert (play.net("Ann"), play.net("Bob")) == (20_000, -20_000)
    assert codes(play.mail("Ann", "A: raise 1000")) == ["wrong-phase A1"]
    for viewer in ("Ann", "Bob", "Cat", None):
        for line in play.view(viewer).tables[0].hands[0].seats:
            assert (line.hidden is None) == (line.player != viewer)


def test_example_shortest_hand() -> None:
    """The first player folds at once: -20,000 and +20,000."""
    play = begin()
    play.turn(Ann="A: fold")
    assert (play.net("Ann"), play.net("Bob")) == (-20_000, 20_000)
    assert play.hand().pot == 0
    assert play.hand().staked == 40_000


def test_8_1_stay_equals() -> None:
    """A stay pays what the opponent is ahead, from the one balance, at once."""
    play = begin()
    before = play.game.balances["Ann"]
    play.turn(Ann="A: raise 40000", Bob="B: fold; C: fold")
    assert play.game.balances["Ann"] == before - 40_000 + 2 * 40_000
    play.turn(Bob="A: stay")
    assert play.told(Stayed, "A1")[0].amount == 40_000
    assert [seat.paid for seat in play.hand().seats] == [60_000, 60_000]


def limit(play: Play, player: str, which: Limit, table: str = "A") -> Submission:
    """Send ``raise max`` or ``raise min``."""
    text = f"{table}: raise {which}"
    return play.send(player, [Line(text, 1, LimitRaise(table, which))])


def test_the_most_and_the_least_are_the_sums_of_the_moment() -> None:
    """Of the stage (5.3); what is on file names the sum."""
    play = begin()
    assert not limit(play, "Ann", "max").problems
    assert play.on_file("Ann") == ["A: raise 50000"]
    assert not limit(play, "Ann", "min").problems
    assert play.on_file("Ann") == ["A: raise 1000"]


def test_the_most_is_what_can_be_paid() -> None:
    """Beside what is owed; and where not even the least is, it is refused."""
    play = begin()
    play.turn(Ann="A: raise 40000")
    play.set_balances(Bob=70_000)
    assert not limit(play, "Bob", "max").problems
    assert play.on_file("Bob") == ["A: raise 30000"]
    play.set_balances(Bob=40_500)
    assert codes(limit(play, "Bob", "max")) == ["not-covered A1"]


def test_the_most_is_barred_where_a_raise_is() -> None:
    """At the cap it is no raise either (5.3)."""
    play = begin(raise_cap=1)
    play.turn(Ann="A: raise 40000")
    assert codes(limit(play, "Bob", "max")) == ["not-allowed A1"]


def test_the_most_at_several_tables_shares_what_there_is() -> None:
    """The first hand takes its part first (8.2); and no line is said to have given way."""
    both = {**SAMPLE, "B": SAMPLE["A"]}
    play = betting(both, rules=smith(nmr_limit=0))
    play.set_balances(Ann=70_000)
    taken = limit(play, "Ann", "max", "all")
    assert not taken.problems
    assert not taken.repeated
    assert play.on_file("Ann")[:2] == ["A: raise 50000", "B: raise 20000"]
