"""What was seen in turns that were taken back, and what stands in one that is played again."""

from dataclasses import replace

from postal.engine.book import Book
from postal.engine.cards import parse_cards
from postal.engine.events import Exposed, TurnedUp
from postal.engine.game import awaited
from postal.engine.rollback import keeps_again, on_file_again, with_seen
from postal.engine.state import Seat
from postal.engine.view import SeatLine, view
from tests.engine.engine_games import Play, betting, deal, smith

ANN = {"A": {"Ann": "AS AD AH | KC QD", "Bob": "KS KD 9H | 9D 2S"}}


def exposed(player: str, cards: str) -> Exposed:
    """Return the event that cards were exposed in hand A1."""
    return Exposed(hand="A1", player=player, cards=parse_cards(cards), audience=None)


def seat_of(play: Play, player: str, viewer: str | None) -> SeatLine:
    """Return what somebody may know of a seat of hand A1."""
    hands = {hand.name: hand for table in view(play.game, viewer).tables for hand in table.hands}
    return next(seat for seat in hands["A1"].seats if seat.player == player)


def test_what_was_turned_up_in_any_void_turn_is_known() -> None:
    """Once each, and only as long as it is hidden."""
    play = betting(ANN, rules=smith(nmr_limit=0))
    first, second = exposed("Ann", "KC"), exposed("Bob", "9D")
    up = TurnedUp(
        hand="A1", player="Ann", cards=parse_cards("AS AD AH KC QD"), worth="", audience=None
    )
    game = with_seen(play.game, [(3, [first]), (4, [second]), (3, [first, up])])
    play.game = game
    assert play.seat("Ann").known == parse_cards("KC QD")
    assert play.seat("Bob").known == parse_cards("9D")
    assert with_seen(game, [(3, [first])]) == game
    index = play.hand().index_of("Ann")
    assert index is not None
    shown = play.hand().with_seat(index, shown=parse_cards("AS AD AH KC"), hidden=parse_cards("QD"))
    assert shown.seats[index].known == parse_cards("QD")


def test_jokers_are_alike_and_are_counted() -> None:
    """One that lies face up isn't the one that was seen."""
    hidden, seen = parse_cards("JKR 2C"), parse_cards("JKR 4C 5C JKR")
    seat = Seat(1, "Ann", (), hidden, shown=parse_cards("JKR 4C 5C"), seen=seen)
    assert seat.known == parse_cards("JKR")
    assert replace(seat, seen=parse_cards("JKR 4C 5C")).known == ()


def test_it_is_known_to_those_alone_who_saw_it() -> None:
    """Where cards are exposed to the opponent, nobody else learns that they were (3.4)."""
    for audience, others_know in (("opponent", False), ("all", True)):
        play = betting(ANN, rules=smith(nmr_limit=0, exposed_to=audience))
        play.game = with_seen(play.game, [(3, [exposed("Ann", "KC")])])
        kc = parse_cards("KC")
        assert seat_of(play, "Ann", "Bob").known == kc
        assert seat_of(play, "Ann", "Ann").known == kc
        assert (seat_of(play, "Ann", "Cat").known == kc) is others_know
        assert (seat_of(play, "Ann", None).known == kc) is others_know


def test_nobody_is_waited_for_who_may_not_order() -> None:
    """What was missing is missing again; whom the GM opens is waited for."""
    play = betting(ANN, rules=smith(nmr_limit=0))
    book = on_file_again(play.game, Book(), lambda player, _: player == "Ann")
    assert {player for player, _ in awaited(play.game, book)} <= {"Ann"}
    assert ("Ann", "A1") in awaited(play.game, book)
    assert not awaited(play.game, on_file_again(play.game, Book(), lambda *_: False))


def test_keeps_stand_where_the_cards_are_the_same() -> None:
    """By default or by an order; where a gift was another the keep is free."""
    play = deal(smith(nmr_limit=0), {})
    play.turn()
    before = play.game
    line = play.view("Ann").due[0].examples[0]
    play.good("Ann", line)
    book, events = play.book, play.turn()
    again = keeps_again(before, book, events)
    assert [entry.player for entry in again.filed] == ["Ann"]
    assert len(again.fixed) == sum(len(hand.seats) for hand in before.hands)
    hand = before.hand("A1")
    other = hand.with_seat(0, hidden=hand.seats[0].dealt[:1] * 7)
    changed = keeps_again(before.with_hand(other), book, events)
    assert again.fixed - changed.fixed == {(hand.seats[0].player, "A1")}
