"""What one mail's lines make of the orders on file (ORDERS.md; RULES.md 8.2)."""

import pytest

from postal.engine.book import Book, submit
from postal.engine.events import Raised
from postal.engine.game import adjudicate, awaited, due
from postal.engine.orders import Line
from postal.reports.problems import problem_hint, problem_sentence
from tests.engine.engine_games import (
    Play,
    betting,
    codes,
    deal,
    lines,
    order,
    showdown,
    smith,
    taught,
)

STRONG, WEAK = "AS AD AH | KC QD", "KS KD 9H | 8D 2S"
ALL = {letter: {"Ann": STRONG, "Bob": WEAK} for letter in "ABC"}


@pytest.mark.parametrize(
    "text",
    [
        "A: give 2C 5D next, 10H previous",
        "A: keep AS AD AH KC JKR expose AS AD KC",
        "A: discard 2C 5D expose AS AD KC",
        "A: expose KD",
        "A: raise 40000",
        "A: raise 40000 expose 9C",
        "A: stay expose KD",
        "A: fold",
        "all: check",
        "cancel A",
        "cancel all",
    ],
)
def test_orders_print_their_canonical_line(text: str) -> None:
    """What is on file is told as the player could write it."""
    assert order(text).line() == text


def test_the_last_good_line_of_a_hand_stands() -> None:
    """Within a mail and between mails; a refused line takes nothing away."""
    play = betting(ALL)
    taken = play.mail("Ann", "A: raise 1000", "A: raise 2000", "A: raise 99000")
    assert codes(taken) == ["over-limit A1"]
    assert [filed.order.line() for filed in taken.accepted] == ["A: raise 2000"]
    play.good("Ann", "A: fold")
    assert play.on_file("Ann") == ["A: fold"]


def test_the_book_keeps_the_order_of_acceptance() -> None:
    """Who ordered first stands first, and an order that was replaced moves to the end."""
    play = deal(smith())
    for player in ("Bob", "Ann", "Bob"):
        cards = play.seat(player).hidden
        play.good(player, f"A: give {cards[0]} {cards[1]} next, {cards[2]} previous")
    assert [filed.player for filed in play.book.filed] == ["Ann", "Bob"]


def test_cancel_takes_back_what_is_on_file() -> None:
    """For one table or for all; the hands are named."""
    play = betting(ALL)
    play.good("Ann", "all: raise 1000")
    taken = play.mail("Ann", "cancel B")
    assert taken.cancelled == ("B1",)
    assert play.on_file("Ann") == ["A: raise 1000", "C: raise 1000"]
    assert play.mail("Ann", "cancel all").cancelled == ("A1", "C1")
    assert play.on_file("Ann") == []
    taken = play.mail("Ann", "cancel all")
    assert (taken.cancelled, taken.problems) == ((), ())


def test_cancel_counts_in_its_place() -> None:
    """Lines before it in the mail are gone, those after it stand."""
    play = betting(ALL)
    play.good("Ann", "A: raise 1000", "cancel A", "B: raise 1000", "cancel A", "A: raise 3000")
    assert play.on_file("Ann") == ["A: raise 3000", "B: raise 1000"]
    play.good("Ann", "A: raise 4000", "cancel A")
    assert play.on_file("Ann") == ["B: raise 1000"]


def test_cancel_frees_the_money() -> None:
    """What it takes back is no longer reckoned, in the same mail either."""
    play = betting(ALL)
    play.set_balances(Ann=50_000)
    play.good("Ann", "B: raise 50000")
    play.good("Ann", "cancel B", "A: raise 50000")
    assert play.on_file("Ann") == ["A: raise 50000"]


def test_what_others_have_on_file_stays() -> None:
    """A mail changes its sender's orders alone."""
    play = betting(ALL)
    play.good("Ann", "A: raise 1000")
    others = [player for player, hand in due(play.game) if player != "Ann"]
    play.good(others[0], "all: raise 5000")
    before = play.on_file("Ann")
    play.mail(others[0], "cancel all")
    assert play.on_file("Ann") == before


def test_for_all_tables_one_order_for_each_bet_due() -> None:
    """Each refusal is named by hand, and hands where nothing is due are left alone."""
    play = betting(ALL)
    play.turn(Ann="A: raise 1000; B: raise 1000")
    taken = play.mail("Bob", "all: stay")
    assert [filed.order.line() for filed in taken.accepted] == ["A: stay", "B: stay"]
    assert not taken.problems
    assert codes(play.mail("Bob", "all: check")) == ["not-allowed A1", "not-allowed B1"]
    assert codes(play.mail("Ann", "all: fold")) == ["not-your-turn"]


def test_for_all_tables_money_goes_in_the_order_of_the_hands() -> None:
    """What is not covered is refused by hand."""
    play = betting(ALL)
    play.set_balances(Ann=100_000)
    assert codes(play.mail("Ann", "all: raise 40000")) == ["not-covered C1"]


def test_for_all_tables_a_card_to_expose_serves_where_it_is_held() -> None:
    """Elsewhere it is dropped and told."""
    other = {"Ann": "AS AD AH | KC 2C", "Bob": WEAK}
    play = betting({"A": ALL["A"], "B": other, "C": other})
    taken = play.mail("Ann", "all: raise 1000 expose QD")
    assert codes(taken) == ["expose-dropped B1", "expose-dropped C1"]
    assert play.on_file("Ann") == ["A: raise 1000 expose QD", "B: raise 1000", "C: raise 1000"]


def test_5_4_an_exposure_in_the_showdown_is_dropped() -> None:
    """No card is exposed after it: the bet stands."""
    play = showdown(ALL)
    taken = play.mail("Ann", "A: check expose QD")
    assert codes(taken) == ["expose-dropped A1"]
    assert play.on_file("Ann") == ["A: check"]


def test_a_hand_that_is_over_answers_wrong_phase() -> None:
    """So does a table's letter that the game lacks, with its own code."""
    play = betting(ALL)
    play.turn(Ann="A: raise 1000")
    assert codes(play.mail("Ann", "B: fold", "E: fold", "cancel E")) == [
        "wrong-phase B1",
        "no-such-hand",
        "no-such-hand",
    ]


def test_an_empty_mail_changes_nothing() -> None:
    """It is no line: nobody is brought back by it."""
    play = betting(ALL)
    taken = submit(play.game, play.book, "Ann", [])
    assert taken.book == Book()
    assert not taken.accepted


def test_any_line_is_a_sign_of_life() -> None:
    """A refused one as well (9.4)."""
    play = betting(ALL)
    play.mail("Bob", "A: stay")
    assert play.book.heard == {"Bob"}
    assert play.book.filed == ()


def test_problems_carry_line_number_and_advice() -> None:
    """Each is a sentence for the player, with what to write instead."""
    play = betting(ALL)
    mail = [Line("A raise 60k", 7, order("A: raise 60000"))]
    (problem,) = play.send("Ann", mail).problems
    assert (problem.line, problem.number, problem.hand) == ("A raise 60k", 7, "A1")
    assert "60,000" in problem_sentence(problem)
    hint, examples = problem_hint(taught(play.game, play.book, "Ann", problem))
    assert hint
    assert examples == ("A: raise 50000",)


def test_9_1_awaited_is_what_is_due_and_not_on_file() -> None:
    """In the order of the hands."""
    play = betting(ALL)
    assert due(play.game)[0] == ("Ann", "A1")
    play.good("Ann", "A: fold")
    assert awaited(play.game, play.book) == due(play.game)[1:]


def test_10_2_the_order_of_arrival_decides_nothing() -> None:
    """The same orders give the same result, whoever's mail came first."""
    play = betting(ALL)
    players = dict.fromkeys(player for player, _ in due(play.game))
    books = []
    for names in (list(players), list(players)[::-1]):
        book = Book()
        for name in names:
            book = submit(play.game, book, name, lines("all: raise 7000")).book
        books.append(book)
    assert books[0].filed != books[1].filed
    assert adjudicate(play.game, books[0]) == adjudicate(play.game, books[1])


def test_10_1_bets_hand_by_hand() -> None:
    """A1, A2, … B1, …: one step a turn."""
    play: Play = betting(ALL)
    for player in dict.fromkeys(player for player, _ in due(play.game)):
        play.good(player, "all: raise 7000")
    play.turn()
    names = [hand.name for hand in play.game.hands]
    assert [event.hand for event in play.told(Raised)] == names
    assert len({hand.phase for hand in play.game.hands}) == 1
