"""Robots that hold seats: they order in time, from what the seat may see, and the record holds."""

import json

import pytest

from postal.engine.view import view
from postal.errors import PostalError
from postal.resources import games_folder
from postal.service.deciding import tempers
from postal.service.deciding.position import seen
from postal.service.desk.amending import amend
from postal.service.desk.log import game_log
from postal.service.desk.replacing import replace_player, seat_robot
from postal.service.desk.rollback import roll_back, what_was_shown
from postal.service.inbound import robotseats
from postal.service.inbound.robotseats import play_robots
from postal.service.records.export import export_game
from postal.service.records.record import read_record, replay
from postal.service.records.verify import verify_game
from tests.service.people_league import OTHER
from tests.service.service_league import HOUR, SLUG, League


def test_a_robot_plays_its_seat_to_the_end(quick: League) -> None:
    """Every turn is complete without a mail of the seat's; it can be verified and replayed."""
    seat_robot(quick.work, SLUG, "Ann")
    turns = 0
    while quick.loaded().turn is not None and turns < 40:
        assert play_robots(quick.work) <= 1
        assert play_robots(quick.work) == 0
        for player in quick.players[1:]:
            lines = [item.examples[-1] for item in view(quick.game, player).due]
            quick.write(player, "\n".join(lines))
        quick.poll()
        quick.clock.advance(HOUR)
        assert [done.why for done in quick.due()] == ["complete"]
        turns += 1
    assert quick.game.finished
    assert not quick.game.dropped
    assert verify_game(quick.work, SLUG) == (turns, ())
    record = read_record(json.loads(export_game(quick.work, SLUG, sealed=True)), [games_folder()])
    assert replay(record).outcome == record.outcome
    assert not [row for row in quick.outbox("Ann") if row.kind in ("report", "receipt")]


def test_it_orders_all_that_it_owes(betting: League) -> None:
    """In the turn in which it is seated, and the same again from the same secret."""
    seat_robot(betting.work, SLUG, "Ann")
    owed = {item.hand[0] for item in view(betting.game, "Ann").due}
    assert play_robots(betting.work) == 1
    assert {line[0] for line in betting.on_file("Ann")} == owed
    first = betting.on_file("Ann")
    replace_player(betting.work, SLUG, "Ann", "Ann", "ann@example.org")
    seat_robot(betting.work, SLUG, "Ann")
    play_robots(betting.work)
    assert betting.on_file("Ann") == first


def test_two_robots_sit_in_one_game(quick: League) -> None:
    """Cards by post included: what they give goes to the others."""
    quick.begin("post", bytes(32), exchange="post")
    for player in ("Ann", "Bob"):
        seat_robot(quick.work, "post", player)
    assert play_robots(quick.work) == 2
    for player in quick.players[2:]:
        quick.order(player, "post")
    quick.poll()
    quick.clock.advance(HOUR)
    assert len(quick.due()) == 1
    assert quick.outbox(None, "gift", slug="post")


def test_hidden_cards_of_others_change_no_order(betting: League) -> None:
    """What the robot decides on is what its seat may see (10.3)."""
    game = betting.game
    before = seen(view(game, "Ann"))
    for hand in game.hands:
        others = [index for index, seat in enumerate(hand.seats) if seat.player != "Ann"]
        for index in others:
            seat = game.hand(hand.name).seats[index]
            game = game.with_hand(
                game.hand(hand.name).with_seat(index, hidden=seat.hidden[::-1], discarded=())
            )
    assert game != betting.game
    assert seen(view(game, "Ann")) == before


def test_what_stands_in_a_turn_that_is_played_again_is_not_ordered_anew(quick: League) -> None:
    """A robot's keeps stand as anybody's do (10.7), and nothing of it is refused."""
    seat_robot(quick.work, SLUG, "Ann")
    for _ in range(2):
        play_robots(quick.work)
        quick.order_all("Ann")
        quick.poll()
        quick.clock.advance(HOUR)
        assert len(quick.due()) == 1
    roll_back(quick.work, what_was_shown(quick.work, SLUG, 2), ())
    before = quick.on_file("Ann")
    play_robots(quick.work)
    assert quick.on_file("Ann") == before
    quick.clock.advance(HOUR)
    assert len(quick.due()) == 1
    assert verify_game(quick.work, SLUG) == (3, ())
    assert not [one for one in game_log(quick.work, SLUG) if one["what"] == "line refused"]


def test_of_two_robots_none_is_meant_by_its_name(quick: League) -> None:
    """The GM names the seat: else the orders of one might go to the other."""
    for player in ("Ann", "Bob"):
        seat_robot(quick.work, SLUG, player)
    with pytest.raises(PostalError, match="There is no player 'Robot'"):
        amend(quick.work, SLUG, "Robot", ["cancel all"])
    (line, *_) = view(quick.game, "Bob").due[0].examples
    assert amend(quick.work, SLUG, "bob", [line]).player == "Bob"


def test_a_robot_that_fails_holds_up_no_other(two: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor the other game's turn: it is the first game's that waits for its deadline."""
    for slug in (SLUG, OTHER):
        seat_robot(two.work, slug, "Ann")
    asked = 0

    def decide(*given: object) -> object:
        nonlocal asked
        asked += 1
        if asked == 1:
            raise ZeroDivisionError
        return tempers.decide(*given)  # type: ignore[arg-type]  # as they came

    monkeypatch.setattr(robotseats, "decide", decide)
    assert play_robots(two.work) == 1
    assert asked == 2
