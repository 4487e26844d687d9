"""What edition 1 ruled otherwise, which games that began under it keep (RULES.md 9.4)."""

from dataclasses import replace

import pytest

from postal.engine.editions import EDITIONS, NEWEST, rulings
from postal.engine.events import Dropped, GameOver, Nmr
from postal.engine.game import awaited, on_notice
from tests.engine.engine_games import PLAYERS, betting, codes, deal, smith

SAMPLE = {"A": {"Ann": "AS AD AH | KC QD", "Bob": "KS KD 9H | 9D 2S"}}


def test_the_editions() -> None:
    """A new game begins under the newest; there is no other."""
    assert (EDITIONS, NEWEST) == ((1, 2), 2)
    assert smith().edition == 2
    with pytest.raises(KeyError):
        rulings(3)


def test_9_4_a_drop_took_effect_in_the_turn_itself() -> None:
    """With everybody dropped one turn ended the game."""
    play = deal(smith(nmr_limit=1, edition=1))
    play.turn()
    assert play.game.finished
    assert play.game.turn == 2
    assert play.told(GameOver)
    assert {event.notice for event in play.told(Dropped)} == {0}
    assert (play.game.dropped, dict(play.game.dropped_in)) == (PLAYERS[:6], {})
    assert on_notice(play.game, play.book) == ()


def test_9_4_only_an_order_on_file_ended_the_row() -> None:
    """Not a refused one, nor a sign of life; and a default never said that he wrote."""
    play = deal(smith(edition=1))
    play.turn()
    a, b, c, *_ = play.seat("Ann").hidden
    play.good(
        "Ann", f"A: keep {' '.join(map(str, play.seat('Ann').hidden[:5]))} expose {a} {b} {c}"
    )
    assert codes(play.mail("Bob", "A: fold")) == ["wrong-phase A1"]
    play.book = play.book.hear("Cat")
    play.turn()
    assert play.game.dropped == PLAYERS[1:6]
    assert not any(event.wrote for event in play.told(Nmr))


def test_9_4_after_coming_back_the_count_started_at_none() -> None:
    """A refused line brought him back, and that turn was his first one missed."""
    play = betting(SAMPLE, rules=smith(edition=1))
    play.turn(Ann="A: raise 1000")
    play.turn(Bob="A: stay")
    play.game = replace(play.game, dropped=("Bob",), missed={**play.game.missed, "Bob": 5})
    assert codes(play.mail("Bob", "A: fold")) == ["wrong-phase A1"]
    assert awaited(play.game, play.book) == (("Ann", "A1"), ("Bob", "A1"))
    play.turn(Ann="A: expose KC")
    assert play.game.missed["Bob"] == 1
    assert play.game.dropped == ()
