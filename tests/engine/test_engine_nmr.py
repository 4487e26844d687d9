"""Missing orders, being dropped and coming back (RULES.md 9)."""

from dataclasses import replace
from typing import Any

import pytest

from postal.engine.book import Book
from postal.engine.cards import cards_text, parse_cards
from postal.engine.editions import EDITIONS, NEWEST
from postal.engine.events import (
    Checked,
    Dropped,
    Exposed,
    Folded,
    GameOver,
    Gave,
    HandOver,
    Nmr,
    Returned,
)
from postal.engine.game import adjudicate, awaited, due, on_notice
from tests.engine.engine_games import PLAYERS, Play, betting, codes, deal, showdown, smith

SAMPLE = {"A": {"Ann": "AS AD AH | KC QD", "Bob": "KS KD 9H | 9D 2S"}}
REST = PLAYERS[2:6]


def give_all(play: Play, *absent: str) -> None:
    """Put down gives for all but those named."""
    for player in play.game.players:
        for hand, index in tuple(play.game.hands_of(player)):
            if player not in absent:
                a, b, c, *_ = hand.seats[index].hidden
                play.good(player, f"{hand.table}: give {a} {b} next, {c} previous")


def keep_all(play: Play, *absent: str) -> None:
    """Put down keeps for all but those named."""
    for player in play.game.players:
        for hand, index in tuple(play.game.hands_of(player)):
            if player not in absent:
                cards = hand.seats[index].hidden
                keep, shown = cards_text(cards[:5]), cards_text(cards[:3])
                play.good(player, f"{hand.table}: keep {keep} expose {shown}")


def test_9_2_give_the_three_lowest() -> None:
    """The two lowest go to the next seat, by rank, then suit C D H S, jokers last."""
    play = deal(smith(), {"A": {"Ann": "JKR 2S 2H AC KD 2D 3C"}})
    play.turn()
    gifts = [event for event in play.told(Gave, "A1") if event.player == "Ann"]
    assert [(gift.receiver, cards_text(gift.cards)) for gift in gifts] == [
        ("Bob", "2D 2H"),
        ("Fay", "2S"),
    ]


@pytest.mark.parametrize(
    ("held", "line"),
    [
        # The best class first: three of a kind, then a straight flush, then four of a kind.
        ("2C 2D 2H AS KS QS 10S", "A: keep 2C 2D 2H KS AS expose 2C 2D 2H"),
        ("2C 2D JS AS KS QS 10S", "A: keep 10S JS QS KS AS expose 10S JS QS"),
        ("2C 2D JKR 9S 4S QS JKR", "A: keep 2C 2D QS JKR JKR expose 2C 2D QS"),
        # Of equal fives that whose cards, lowest first, come first in the order of cards.
        ("KC KD KH KS 3D 3C 2S", "A: keep 3C KC KD KH KS expose 3C KC KD"),
        ("2C 3C 3D 4H 5S 6D 8C", "A: keep 2C 3C 4H 5S 6D expose 2C 3C 4H"),
    ],
)
def test_9_2_keep_the_best_five(held: str, line: str) -> None:
    """The best five of seven are kept, and the three lowest of them exposed."""
    play = deal(smith())
    hand = play.hand().with_seat(0, hidden=parse_cards(held))
    play.game = play.game.with_hand(replace(hand, phase=3))
    without, play.game = play.game, adjudicate(play.game, Book())[0]
    kept, _, shown = line.removeprefix("A: keep ").partition(" expose ")
    assert cards_text(play.seat("Ann").shown) == shown
    assert cards_text(play.seat("Ann").shown + play.seat("Ann").hidden) == kept
    play.game = without
    play.turn(Ann=line)  # the default may be ordered, too
    assert cards_text(play.seat("Ann").shown) == shown


def test_9_2_expose_the_lower_hidden_card() -> None:
    """Where no exposure came the lower one is turned up; what was sent is used."""
    play = betting(SAMPLE)
    play.turn(Ann="A: raise 1000")
    play.turn(Bob="A: stay")
    play.turn(Bob="A: expose 9D")
    assert [cards_text(event.cards) for event in play.told(Exposed, "A1")] == ["QD", "9D"]
    assert [(event.player, event.used) for event in play.told(Nmr, "A1")] == [("Ann", "expose")]


def test_9_2_fold_before_the_showdown() -> None:
    """A check is allowed nowhere there: the default is the fold, for that hand alone."""
    play = betting(dict.fromkeys("AB", SAMPLE["A"]))
    play.turn(Ann="B: raise 1000")
    assert play.told(HandOver, "A1")[0].end == "fold"
    assert [event.used for event in play.told(Nmr, "A1")] == ["fold"]
    assert not play.told(Nmr, "B1")
    play.turn()
    assert play.told(HandOver, "B1")[0].winners == ("Ann",)


def test_9_2_check_in_the_showdown_where_it_is_allowed() -> None:
    """With level sums check, else fold."""
    play = showdown(SAMPLE)
    play.turn()
    assert [event.player for event in play.told(Checked, "A1")] == ["Ann"]
    assert [event.used for event in play.told(Nmr, "A1")] == ["check"]
    play.turn(Bob="A: raise 1000")
    play.turn()
    assert [event.player for event in play.told(Folded, "A1")] == ["Ann"]
    assert [event.used for event in play.told(Nmr, "A1")] == ["fold"]


@pytest.mark.parametrize(("edition", "used"), [(1, "fold"), (2, "check")])
def test_9_2_at_the_raise_cap_a_level_pot_is_checked(edition: int, used: str) -> None:
    """5.3: nobody who sends nothing folds there what costs him nothing; in edition 1 he did."""
    play = showdown(SAMPLE, smith(raise_cap=1, edition=edition))
    play.turn(Ann="A: raise 200000")
    play.turn(Bob="A: stay")
    play.turn()
    assert [(event.player, event.used) for event in play.told(Nmr, "A1")] == [("Ann", used)]
    assert play.hand().over == (edition == 1)


def test_9_3_of_a_give_or_keep_others_see_the_word_alone() -> None:
    """The event that all may see holds no card."""
    play = deal(smith(nmr_limit=0))
    for used in ("give", "keep"):
        play.turn()
        assert {event.used for event in play.told(Nmr)} == {used}
        assert len(play.told(Nmr)) == 18
        assert all(event.audience is None for event in play.told(Nmr))


def test_9_3_a_refused_order_counts_as_not_sent() -> None:
    """The default is used, and named."""
    play = betting(SAMPLE)
    assert codes(play.mail("Ann", "A: raise 60000")) == ["over-limit A1"]
    play.turn()
    assert [event.player for event in play.told(Nmr, "A1")] == ["Ann"]


def dropped_pair(**options: Any) -> Play:
    """Play two turns in which Ann and Bob, who meet at A to C, send nothing."""
    play = deal(smith(**options))
    give_all(play, "Ann", "Bob")
    play.turn()
    keep_all(play, "Ann", "Bob")
    play.turn()
    return play


def test_9_4_dropped_after_two_turns() -> None:
    """Both are named, with their notice, and the next turn is theirs to come back in."""
    play = dropped_pair()
    assert [(event.player, event.missed, event.notice) for event in play.told(Dropped)] == [
        ("Ann", 2, 48),
        ("Bob", 2, 48),
    ]
    assert play.game.dropped == ("Ann", "Bob")
    assert not any(hand.over for hand in play.game.hands)
    assert on_notice(play.game, play.book) == ("Ann", "Bob")
    assert not [item for item in awaited(play.game, play.book) if item[0] in ("Ann", "Bob")]


def test_9_4_from_the_next_turn_on_defaults_are_used_at_once() -> None:
    """Their hands against each other end in that turn, and nobody waits any more."""
    play = dropped_pair()
    play.turn()
    assert [play.hand(f"{letter}1").end for letter in "ABC"] == ["fold"] * 3
    assert not play.told(Dropped)
    assert on_notice(play.game, play.book) == ()
    assert play.game.total == 6_000_000


def test_9_4_the_notice_is_an_option() -> None:
    """In hours; the event tells it."""
    play = dropped_pair(drop_notice=7)
    assert {event.notice for event in play.told(Dropped)} == {7}


def test_9_4_after_the_last_turn_nobody_is_dropped() -> None:
    """There is nothing left to be dropped from."""
    play = betting(SAMPLE, rules=smith(nmr_limit=1))
    play.turn()
    assert play.game.finished
    assert not play.told(Dropped)
    assert play.game.dropped == ()


@pytest.mark.parametrize(("limit", "turns"), [(1, 1), (3, 3), (0, None)])
def test_9_4_the_limit_is_an_option(limit: int, turns: int | None) -> None:
    """So many turns in a row, and never with 0."""
    play = deal(smith(nmr_limit=limit))
    for turn in (1, 2, 3):
        for act in (give_all,) if turn == 1 else (keep_all,) if turn == 2 else ():
            act(play, "Fay")
        for player, hand in due(play.game) if turn == 3 else ():
            if player != "Fay":
                play.good(player, f"{hand[0]}: raise 1000")
        play.turn()
        assert [event.player for event in play.told(Dropped)] == (["Fay"] if turn == turns else [])
        assert ("Fay" in play.game.dropped) == (turns is not None and turn >= turns)


def test_9_4_any_mail_ends_the_row() -> None:
    """An order, a refused one, a sign of life; a default is used all the same, and says so."""
    play = deal(smith())
    play.turn()
    cards = cards_text(play.seat("Ann").hidden[:5])
    play.good("Ann", f"A: keep {cards} expose {cards_text(play.seat('Ann').hidden[:3])}")
    assert codes(play.mail("Bob", "A: fold")) == ["wrong-phase A1"]
    play.book = play.book.hear("Cat")
    play.turn()
    assert play.game.dropped == ("Dan", "Eve", "Fay")
    assert [play.game.missed[player] for player in PLAYERS[:6]] == [0, 0, 0, 2, 2, 2]
    wrote = {(event.player, event.wrote) for event in play.told(Nmr)}
    heard = {(player, player in ("Ann", "Bob", "Cat")) for player in PLAYERS[:6]}
    assert wrote == heard


def test_9_4_a_turn_without_anything_due_neither_counts_nor_ends_the_row() -> None:
    """But a mail in it ends the row."""
    play = betting(SAMPLE, rules=smith(nmr_limit=3))
    play.turn(Ann="A: raise 1000")
    play.game = replace(play.game, missed={**play.game.missed, "Ann": 2, "Cat": 2, "Dan": 2})
    play.book = play.book.hear("Dan")
    play.turn(Bob="A: raise 1000")
    assert [play.game.missed[player] for player in ("Ann", "Bob", "Cat", "Dan")] == [2, 0, 2, 0]


def with_dropped_bob(edition: int = NEWEST) -> Play:
    """Play to turn 3 with Bob dropped; all others have ordered, and A1 waits for Ann."""
    play = deal(
        smith(edition=edition), {letter: {"Ann": "2C 3C 4C AS AD AH AC"} for letter in "ABC"}
    )
    give_all(play, "Bob")
    play.turn()
    for player in PLAYERS[:6]:
        if player != "Bob":
            for hand, index in tuple(play.game.hands_of(player)):
                cards = hand.seats[index].hidden
                keep, shown = cards_text(cards[:5]), cards_text(cards[:3])
                play.good(player, f"{hand.table}: keep {keep} expose {shown}")
    play.turn()
    assert play.game.dropped == ("Bob",)
    return play


def test_9_4_nobody_waits_for_a_dropped_player() -> None:
    """He is not awaited, and his default follows his opponent's order in the same turn.

    He owes nothing in the turn since he was dropped, but it is his to come back in all the same.
    """
    play = with_dropped_bob()
    assert ("Ann", "A1") in due(play.game)
    assert "Bob" not in {player for player, _ in due(play.game)}
    assert on_notice(play.game, play.book) == ("Bob",)
    play.turn(Ann="A: raise 1000")
    assert [event.player for event in play.told(Folded, "A1")] == ["Bob"]
    assert [(event.used, event.wrote) for event in play.told(Nmr, "A1")] == [("fold", False)]
    assert play.hand("A1").over


def test_9_4_what_is_played_at_once_comes_after_the_calls_of_the_turn() -> None:
    """A pot that falls to Ann through an absent player is no cash for her call of that turn."""
    play = showdown(dict.fromkeys("AB", SAMPLE["A"]), smith(), "AB")
    play.turn(Ann="A: check; B: raise 1000")
    play.turn(Bob="A: check; B: stay")
    play.game = replace(play.game, dropped=("Bob",))
    play.turn(Ann="A: raise 1000; B: call")
    order = [event.hand for event in play.events if isinstance(event, HandOver)]
    assert order == ["B1", "A1"]


def test_9_4_an_exposure_that_the_other_owes_is_played_together_with_his() -> None:
    """Nothing of his is turned up before: the other chooses in his own time."""
    play = betting(SAMPLE, rules=smith(nmr_limit=5))
    play.turn(Ann="A: raise 1000")
    play.game = replace(play.game, dropped=("Ann",))
    play.turn(Bob="A: stay")
    assert not play.told(Exposed)
    assert awaited(play.game, play.book) == (("Bob", "A1"),)
    play.turn(Bob="A: expose 9D")
    assert [cards_text(event.cards) for event in play.told(Exposed, "A1")] == ["QD", "9D"]


@pytest.mark.parametrize("edition", EDITIONS)
def test_9_4_any_line_brings_him_back(edition: int) -> None:
    """A refused line too: he is awaited again from that turn on."""
    play = with_dropped_bob(edition)
    assert codes(play.mail("Bob", "A: stay")) == ["not-your-turn A1"]
    assert on_notice(play.game, play.book) == ()
    play.turn(Ann="A: raise 1000; B: raise 1000")
    assert [event.player for event in play.told(Returned)] == ["Bob"]
    assert (play.game.dropped, dict(play.game.dropped_in)) == ((), {})
    assert not play.hand("A1").over
    assert ("Bob", "A1") in awaited(play.game, play.book)
    play.turn(Bob="A: stay")
    assert play.game.missed["Bob"] == 0


def test_9_4_a_sign_of_life_is_enough() -> None:
    """What brings him back need be no order (`ready`)."""
    play = with_dropped_bob()
    play.book = play.book.hear("Bob")
    play.turn(Ann="A: raise 1000")
    assert [event.player for event in play.told(Returned)] == ["Bob"]
    assert not play.hand("A1").over


def test_9_4_a_refused_line_brings_him_back_in_the_turn_in_which_he_owes() -> None:
    """He is awaited, and the row begins anew."""
    play = betting(SAMPLE, rules=smith())
    play.turn(Ann="A: raise 1000")
    play.turn(Bob="A: stay")
    play.game = replace(play.game, dropped=("Bob",), missed={**play.game.missed, "Bob": 5})
    assert awaited(play.game, play.book) == (("Ann", "A1"),)
    assert codes(play.mail("Bob", "A: fold")) == ["wrong-phase A1"]
    assert awaited(play.game, play.book) == (("Ann", "A1"), ("Bob", "A1"))
    play.turn(Ann="A: expose KC")
    assert play.game.missed["Bob"] == 0
    assert play.game.dropped == ()
    assert not play.told(Dropped)


@pytest.mark.parametrize(("limit", "checks"), [(4, 4), (2, 2), (0, 4)])
def test_9_4_two_dropped_players_in_a_showdown(limit: int, checks: int) -> None:
    """They check until the hand counts as called, all in one turn; without a limit after four."""
    play = showdown(SAMPLE, smith(nmr_limit=9, check_limit=limit))
    play.game = replace(play.game, dropped=("Ann", "Bob"))
    play.turn()
    assert len(play.told(Checked, "A1")) == checks
    assert [event.end for event in play.told(HandOver, "A1")] == ["checks"]
    assert play.told(GameOver)


def test_9_4_a_table_of_dropped_players_plays_to_the_end() -> None:
    """With everybody dropped the turn after ends the game, and money adds up."""
    play = deal(smith(nmr_limit=1))
    play.turn()
    assert play.game.dropped == PLAYERS[:6]
    assert not play.game.finished
    play.turn()
    assert play.game.finished
    assert play.told(GameOver)[0].standings == play.game.standings()
    assert play.game.turn == 3
    assert play.game.total == 6_000_000


def test_9_5_who_has_no_hand_left_owes_nothing() -> None:
    """He is never NMR and never dropped."""
    play = betting({"A": SAMPLE["A"]}, rules=smith(nmr_limit=2))
    play.turn(Ann="A: raise 1000")
    missed = {name: play.game.missed[name] for name in REST}
    for number in range(4):
        play.turn(**{("Bob", "Ann")[number % 2]: "A: raise 1000"})
        assert not [event for event in play.told(Nmr) if event.player in REST]
    assert {name: play.game.missed[name] for name in REST} == missed
    assert not play.game.dropped
    assert play.view("Cat").due == ()


def test_9_4_who_resigns_is_dropped_with_that_turn() -> None:
    """His orders are used and he has his notice; heard of afterwards he is as before."""
    play = deal(smith())
    give_all(play)
    game, events = adjudicate(play.game, play.book.resign("Ann"))
    (dropped,) = [one for one in events if isinstance(one, Dropped)]
    assert (dropped.player, dropped.resigned, dropped.notice) == ("Ann", True, 48)
    assert not [one for one in events if isinstance(one, Nmr)]
    assert (game.dropped, game.absent, game.dropped_in) == (("Ann",), ("Ann",), {"Ann": 1})
    back, _ = adjudicate(play.game, play.book.resign("Ann").hear("Ann"))
    assert back.dropped == ()
    again, events = adjudicate(game, Book().resign("Ann"))
    assert again.dropped == ("Ann",)
    assert not [one for one in events if isinstance(one, Dropped)]
