"""Turn 2, keep and expose, and the ante (RULES.md 3, 4.1)."""

from typing import Any

import pytest

from postal.engine.cards import cards_text, parse_cards
from postal.engine.events import Anted, Exposed, Kept
from tests.engine.engine_games import PLAYERS, Play, codes, deal, smith

# Nobody orders a give: the three lowest go, the two lowest of them to the next seat (9.2).
DEALT = {
    "A": {
        "Ann": "2C 2D 2H AS AD AH KC",
        "Bob": "3C 3D 3H JKR JKR QS QH",
        "Fay": "4C 4D 4H 9C 9D 9H 9S",
    }
}
ANN = "3H 4C 4D KC AD AH AS"


def second_turn(**options: Any) -> Play:
    """Play a game up to turn 2, in which Ann holds three aces and a king."""
    play = deal(smith(nmr_limit=0, **options), DEALT)
    play.turn()
    assert cards_text(sorted(play.seat("Ann").hidden)) == ANN
    return play


def test_3_1_and_3_2_five_kept_three_exposed_two_discarded() -> None:
    """Two go face down, three are turned up in the order named, two stay hidden."""
    play = second_turn()
    play.turn(Ann="A: keep AS AD AH KC 3H expose KC AS AD")
    seat = play.seat("Ann")
    assert cards_text(seat.shown) == "KC AS AD"
    assert sorted(seat.hidden) == sorted(parse_cards("AH 3H"))
    assert sorted(seat.discarded) == sorted(parse_cards("4C 4D"))


def test_discard_says_the_same_as_keep() -> None:
    """Naming the two to discard is filed as the keep that it means."""
    play = second_turn()
    play.good("Ann", "A: discard 4C 4D expose KC AS AD")
    (filed,) = play.on_file("Ann")
    assert filed.startswith("A: keep ")
    play.turn()
    assert sorted(play.seat("Ann").discarded) == sorted(parse_cards("4C 4D"))
    assert cards_text(play.seat("Ann").shown) == "KC AS AD"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("A: keep AS AD AH KC expose KC AS AD", "wrong-count"),
        ("A: keep AS AD AH KC 3H 4C expose KC AS AD", "wrong-count"),
        ("A: keep AS AD AH KC 3H expose KC AS", "wrong-count"),
        ("A: keep AS AD AH KC 3H expose KC AS AD AH", "wrong-count"),
        ("A: keep AS AD AH KC 3D expose KC AS AD", "not-your-card"),
        ("A: keep AS AS AH KC 3H expose KC AS AH", "not-your-card"),
        ("A: keep AS AD AH KC 3H expose KC AS 4C", "not-your-card"),
        ("A: keep AS AD AH KC 3H expose KC AS AS", "not-your-card"),
        ("A: discard 4C expose KC AS AD", "wrong-count"),
        ("A: discard 4C 4D 3H expose KC AS AD", "wrong-count"),
        ("A: discard 4C 4H expose KC AS AD", "not-your-card"),
        ("A: discard 4C 4D expose KC AS 4C", "not-your-card"),
        ("A: give 3H 4C next, 4D previous", "wrong-phase"),
        ("A: raise 40000", "wrong-phase"),
        ("A: expose AS AD AH", "not-understood"),
    ],
)
def test_3_1_and_3_2_keeps_that_are_refused(line: str, code: str) -> None:
    """Wrong counts and cards that are not his, or not kept, are refused."""
    play = second_turn()
    assert codes(play.mail("Ann", line)) == [f"{code} A1"]
    assert play.on_file("Ann") == []


def test_3_1_discards_are_shown_to_nobody() -> None:
    """Only the player himself knows what he kept and discarded."""
    play = second_turn()
    play.turn()
    for event in play.told(Kept):
        assert [name for name in PLAYERS[:6] if event.seen_by(name)] == [event.player]
        assert not event.seen_by(None)
    for viewer in (*PLAYERS[:6], None):
        for table in play.view(viewer).tables:
            for hand in table.hands:
                for line in hand.seats:
                    own = line.player == viewer
                    assert (line.discarded is not None) == own
                    assert (line.hidden is not None) == own


@pytest.mark.parametrize("exposed_to", ["all", "opponent"])
def test_3_4_who_is_told_of_exposed_cards(exposed_to: str) -> None:
    """Everybody, or the two players of the hand alone."""
    play = second_turn(exposed_to=exposed_to)
    play.turn()
    events = [event for event in play.told(Exposed) if event.hand == "A1"]
    assert [event.player for event in events] == ["Ann", "Bob"]
    for viewer in (*PLAYERS[:6], None):
        sees = exposed_to == "all" or viewer in ("Ann", "Bob")
        assert all(event.seen_by(viewer) == sees for event in events)
        shown = [line.shown for line in play.view(viewer).tables[0].hands[0].seats]
        assert all((cards is not None) == sees for cards in shown)


def test_3_3_nothing_is_turned_up_before_the_turn_ends() -> None:
    """A keep on file changes no view, the opponent's neither."""
    play = second_turn()
    before = {viewer: play.view(viewer) for viewer in PLAYERS[:6]}
    play.good("Ann", "A: keep AS AD AH KC 3H expose KC AS AD")
    assert {viewer: play.view(viewer) for viewer in PLAYERS[:6]} == before


@pytest.mark.parametrize(("players", "tables"), [(6, 3), (8, 4)])
@pytest.mark.parametrize("ante", [0, 20_000, 35_000])
def test_4_1_the_ante(players: int, tables: int, ante: int) -> None:
    """Each pays the ante into each of his hands when turn 2 is adjudicated, not before."""
    play = deal(smith(players, ante=ante, nmr_limit=0))
    play.turn()
    assert set(play.game.balances.values()) == {1_000_000}
    play.turn()
    assert set(play.game.balances.values()) == {1_000_000 - tables * ante}
    assert {hand.pot for hand in play.game.hands} == {2 * ante}
    assert [event.amount for event in play.told(Anted)] == [ante] * players * tables


def test_1_2_start_money_of_just_the_antes_is_enough() -> None:
    """Who has nothing left after the antes can still play."""
    play = deal(smith(start_money=60_000, nmr_limit=0))
    play.turn()
    play.turn()
    assert set(play.game.balances.values()) == {0}
