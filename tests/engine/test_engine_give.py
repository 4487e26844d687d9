"""Turn 1, the give, on orders and by post (RULES.md 2)."""

import pytest

from postal.engine.book import sent_gifts
from postal.engine.cards import cards_text, parse_cards
from postal.engine.events import Gave
from postal.engine.game import awaited
from postal.engine.state import Passed
from tests.engine.engine_games import PLAYERS, Play, codes, deal, smith

GIVERS = {
    "A": {
        "Ann": "2C 3C 4C 5C 6C 7C 8C",
        "Bob": "2D 3D 4D 5D 6D 7D 8D",
        "Fay": "2H 3H 4H 5H 6H 7H 8H",
        "Eve": "2S 3S 4S 5S 6S 7S 8S",
    }
}


def held(play: Play, player: str, table: str = "A") -> str:
    """Return what a player holds face down at a table, in the order of cards."""
    seats = [hand.seats[index] for hand, index in play.game.hands_of(player) if hand.table == table]
    return cards_text(sorted(seats[0].hidden))


def test_2_2_and_2_3_two_to_the_next_one_to_the_seat_before() -> None:
    """Gifts cross at the same moment, over the table's hands, and seat 1 follows the last."""
    play = deal(smith(), GIVERS)
    play.turn(
        Fay="A: give 2H 3H next, 4H previous",
        Ann="A: give 2C 3C next, 4C previous",
        Bob="A: give 2D 3D next, 4D previous",
        Eve="A: give 2S 3S next, 4S previous",
    )
    assert held(play, "Ann") == cards_text(sorted(parse_cards("5C 6C 7C 8C 4D 2H 3H")))
    assert held(play, "Fay") == cards_text(sorted(parse_cards("5H 6H 7H 8H 4C 2S 3S")))
    assert all(len(seat.hidden) == 7 for hand in play.game.hands for seat in hand.seats)


def test_2_3_eight_players_give_round_the_table() -> None:
    """With eight seats too each neighbour gives and gets."""
    play = deal(smith(8), {"D": {"Hal": "2C 3C 4C 5C 6C 7C 8C"}})
    play.turn(Hal="D: give 2C 3C next, 4C previous")
    assert play.seat("Ann", "D1").got[-1] == Passed("Hal", parse_cards("2C 3C"))
    assert play.seat("Gus", "D4").got[-1] == Passed("Hal", parse_cards("4C"))


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("A: give 2C next, 4C previous", "wrong-count A1"),
        ("A: give 2C 3C 4C next", "wrong-count A1"),
        ("A: give 2C 3C next", "wrong-count A1"),
        ("A: give 2C 3C next, 4C 5C previous", "wrong-count A1"),
        ("A: give 2C next, 4C previous, 3C next", "wrong-count A1"),
        ("A: give 2C 3C next, 2D previous", "not-your-card A1"),
        ("A: give 2C 2C next, 3C previous", "not-your-card A1"),
        ("A: give 2C JKR next, 3C previous", "not-your-card A1"),
        ("A: keep 2C 3C 4C 5C 6C expose 2C 3C 4C", "wrong-phase A1"),
        ("A: expose 2C", "wrong-phase A1"),
        ("A: fold", "wrong-phase A1"),
        ("all: fold", "wrong-phase"),
        ("D: give 2C 3C next, 4C previous", "no-such-hand"),
        ("cancel D", "no-such-hand"),
    ],
)
def test_2_2_gives_that_are_refused(line: str, code: str) -> None:
    """Wrong counts, cards of others and orders of other turns leave the order on file."""
    play = deal(smith(), GIVERS)
    play.good("Ann", "A: give 2C 3C next, 4C previous")
    taken = play.mail("Ann", line)
    assert codes(taken) == [code]
    assert taken.problems[0].line == line
    assert taken.problems[0].number == 1
    assert play.on_file("Ann") == ["A: give 2C 3C next, 4C previous"]


def test_2_2_two_jokers_are_two_cards() -> None:
    """Who holds two jokers can give both, and no third one."""
    play = deal(smith(), {"A": {"Ann": "JKR JKR 4C 5C 6C 7C 8C"}})
    assert codes(play.mail("Ann", "A: give JKR JKR next, JKR previous")) == ["not-your-card A1"]
    play.good("Ann", "A: give JKR JKR next, 8C previous")
    play.turn()
    assert play.seat("Bob").got[0] == Passed("Ann", parse_cards("JKR JKR"))


def test_2_5_only_giver_and_receiver_know_of_a_gift() -> None:
    """Both know cards and names, nobody else, an onlooker neither."""
    play = deal(smith(), GIVERS)
    play.turn(Ann="A: give 2C 3C next, 4C previous")
    gifts = [event for event in play.told(Gave) if event.player == "Ann" and event.hand == "A1"]
    assert [(gift.receiver, cards_text(gift.cards)) for gift in gifts] == [
        ("Bob", "2C 3C"),
        ("Fay", "4C"),
    ]
    for gift in gifts:
        seeing = [name for name in PLAYERS[:6] if gift.seen_by(name)]
        assert sorted(seeing) == sorted(["Ann", gift.receiver])
        assert not gift.seen_by(None)
    _, _, seat = play.view("Bob").mine()[0]
    assert Passed("Ann", parse_cards("2C 3C")) in seat.got
    _, _, seat = play.view("Ann").mine()[0]
    assert seat.gave == (Passed("Bob", parse_cards("2C 3C")), Passed("Fay", parse_cards("4C")))
    others = [
        line
        for table in play.view("Cat").tables
        for hand in table.hands
        for line in hand.seats
        if line.player != "Cat"
    ]
    assert not any(line.gave or line.got for line in others)


def by_post() -> Play:
    """Deal a game in which cards go by post."""
    return deal(smith(exchange="post"), GIVERS)


def test_2_4_a_gift_goes_when_both_have_put_down() -> None:
    """It is on its way once giver and receiver have both given, each way."""
    play = by_post()
    play.good("Ann", "A: give 2C 3C next, 4C previous")
    assert sent_gifts(play.game, play.book) == ()
    play.good("Eve", "A: give 2S 3S next, 4S previous")
    assert sent_gifts(play.game, play.book) == ()
    play.good("Bob", "A: give 2D 3D next, 4D previous")
    sent = {
        (gift.giver, gift.receiver, cards_text(gift.cards))
        for gift in sent_gifts(play.game, play.book)
    }
    assert sent == {("Ann", "Bob", "2C 3C"), ("Bob", "Ann", "4D")}
    assert play.view("Ann").arrived == (("A", Passed("Bob", parse_cards("4D"))),)
    assert play.view("Eve").arrived == ()
    assert play.view(None).arrived == ()


@pytest.mark.parametrize(
    "line", ["A: give 5C 6C next, 7C previous", "cancel A", "A: give 2C 3C next, 4C previous"]
)
def test_2_4_a_give_that_was_sent_on_is_final(line: str) -> None:
    """The whole give can no longer be changed or taken back, the part not yet sent neither."""
    play = by_post()
    play.good("Ann", "A: give 2C 3C next, 4C previous")
    play.good("Bob", "A: give 2D 3D next, 4D previous")
    for player in ("Ann", "Bob"):
        assert codes(play.mail(player, line)) == ["final A1"]
    assert play.on_file("Ann") == ["A: give 2C 3C next, 4C previous"]
    assert play.on_file("Bob") == ["A: give 2D 3D next, 4D previous"]


def test_2_4_cancel_all_takes_back_what_is_not_final() -> None:
    """Only the tables whose give was sent on are refused."""
    play = by_post()
    dealt = play.seat("Ann", "B1").hidden
    play.good("Ann", "A: give 2C 3C next, 4C previous")
    play.good("Ann", f"B: give {dealt[0]} {dealt[1]} next, {dealt[2]} previous")
    play.good("Bob", "A: give 2D 3D next, 4D previous")
    taken = play.mail("Ann", "cancel all")
    assert codes(taken) == ["final A1"]
    assert taken.cancelled == ("B1",)
    assert len(play.on_file("Ann")) == 1


def test_2_4_who_has_no_partner_yet_can_still_change() -> None:
    """A give beside givers that are no neighbours is not final."""
    play = by_post()
    play.good("Ann", "A: give 2C 3C next, 4C previous")
    play.good("Eve", "A: give 2S 3S next, 4S previous")
    play.good("Ann", "A: give 5C 6C next, 7C previous")
    assert play.mail("Ann", "cancel A").cancelled == ("A1",)
    assert play.on_file("Ann") == []


def test_2_4_the_turn_ends_as_it_does_on_orders() -> None:
    """What was sent by post is what changes hands when the turn is adjudicated."""
    mails = {
        "Ann": "A: give 2C 3C next, 4C previous",
        "Bob": "A: give 2D 3D next, 4D previous",
    }
    post, orders = by_post(), deal(smith(), GIVERS)
    assert post.turn(**mails) == orders.turn(**mails)
    assert post.game.hands == orders.game.hands


def test_on_orders_nothing_is_sent_and_nothing_final() -> None:
    """By default gifts wait for the end of the turn and can be changed until then."""
    play = deal(smith(), GIVERS)
    play.good("Ann", "A: give 2C 3C next, 4C previous")
    play.good("Bob", "A: give 2D 3D next, 4D previous")
    assert sent_gifts(play.game, play.book) == ()
    assert play.view("Bob").arrived == ()
    play.good("Ann", "A: give 5C 6C next, 7C previous")
    assert play.on_file("Ann") == ["A: give 5C 6C next, 7C previous"]


def test_9_1_what_is_awaited() -> None:
    """All gives are due at first, and those on file are awaited no more."""
    play = deal(smith())
    assert len(awaited(play.game, play.book)) == 18
    cards = play.seat("Ann", "B1").hidden
    play.good("Ann", f"B: give {cards[0]} {cards[1]} next, {cards[2]} previous")
    left = awaited(play.game, play.book)
    assert len(left) == 17
    assert ("Ann", "B1") not in left
