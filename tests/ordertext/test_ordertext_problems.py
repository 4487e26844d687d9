"""What looks like an order and isn't one comes back with a sentence; prose does not."""

import pytest

from postal.ordertext import Context, read_mail, read_record_line
from postal.reports.problems import problem_hint, problem_sentence

PLAYER = Context(
    hands={"A": "A2", "B": "B1", "C": "C3"},
    neighbours={table: {"Puke": 1, "Joe": -1} for table in "ABC"},
)

PROBLEMS = [
    ("A: rais 40000", "not-understood", "rais"),
    ("A rais 40000", "not-understood", "rais"),
    ("A: raise lots", "not-understood", "lots"),
    ("A: raise", "not-understood", "no sum"),
    ("A: r", "not-understood", "no sum"),
    ("A: raise to 60000", "not-understood", "raise to"),
    ("A: call 40000", "not-understood", "no sum"),
    ("A: stay 40000", "not-understood", "no sum"),
    ("A: all in", "not-understood", "all in"),
    ("A all in", "not-understood", "all in"),
    ("All in!", "not-understood", "all in"),
    ("A: raise all in", "not-understood", "all in"),
    ("Table A raise 40.000", "not-understood", "40.000"),
    ("A: raise 40.000k", "not-understood", "unclear"),
    ("A: raise 40'000", "not-understood", "unclear"),
    ("A: raise 40,00", "not-understood", "unclear"),
    ("A: raise 4,0000", "not-understood", "unclear"),
    ("A: raise 1.000.000", "not-understood", "unclear"),
    ("A: raise 40000.50", "not-understood", "pence"),
    ("A: raise 0.5", "not-understood", "pence"),
    ("A: raise 0.0000001m", "not-understood", "unclear"),
    ("A: raise 4000\u00b2", "not-understood", "not a sum"),
    ("A: raise $40000", "not-understood", "not a sum"),
    ("A: raise -5000", "not-understood", "not a sum"),
    ("A: raise 40000 if stayed", "not-understood", "not a sum"),
    ("A raise 50k please", "not-understood", "please"),
    ("A fold please", "not-understood", "please"),
    ("A: fold?", "not-understood", "question"),
    ("A: fold (if Joe raises)", "not-understood", "joe raises"),
    ("(A: fold)", "not-understood", "before"),
    ("A fold, B stay", "not-understood", "b stay"),
    ("A: give 2C", "not-understood", "who gets"),
    ("A: give 2C 5D / 9H previous", "not-understood", "no receiver"),
    ("A: give 2C 5D next, 9H", "not-understood", "no receiver"),
    ("A: give 2C 5D next, previous", "not-understood", "no card"),
    ("A: give 2C next, 5D next, 9H previous", "not-understood", "twice"),
    ("A: give 2C 5D next, 9H to Fred", "not-allowed", "fred"),
    ("A: give 2C 5D /", "not-understood", "names no card"),
    ("A: give 2X 5D next, 9H previous", "not-understood", "2x"),
    ("A: give 1S 5D next, 9H previous", "not-understood", "1s"),
    ("A: give 10 5D next, 9H previous", "not-understood", "10 5d"),
    ("A: keep AS AD AH KC QD", "not-understood", "expose is missing"),
    ("A: keep", "not-understood", "expose is missing"),
    ("A discard 2C 5D", "not-understood", "expose is missing"),
    ("A: keep expose AS AD KC", "not-understood", "keep is missing"),
    ("A: expose", "not-understood", "expose is missing"),
    ("A: keep AS AD discard 2C expose KC", "not-understood", "more than once"),
    ("A: stay expose", "not-understood", "No card"),
    ("A:", "not-understood", "Nothing"),
    ("A: cancel", "not-understood", "cancel"),
    ("B: rais", "not-understood", "rais"),
    ("A3: fold", "no-such-hand", "A2"),
    ("A3 fold", "no-such-hand", "A2"),
    ("Z: fold", "no-such-hand", "Z"),
    ("Z: raise lots", "no-such-hand", "Z"),
    ("D raise 40000", "no-such-hand", "D"),
    ("\u0410: fold", "no-such-hand", "no hand"),
    ("cancel A3", "no-such-hand", "A2"),
    ("cancel Z", "no-such-hand", "Z"),
    ("cancel", "not-understood", "no table"),
    ("cancel A and B", "not-understood", "not clear"),
    ("raise 40000", "not-understood", "table"),
    ("fold", "not-understood", "table"),
    ("I fold.", "not-understood", "table"),
    ("fold A", "not-understood", "table"),
    ("Raise 40000 at A", "not-understood", "table"),
    ("expose AS AD KC", "not-understood", "table"),
    ("2C 5D / 9H", "not-understood", "table"),
    ("Fold at all tables", "not-understood", "table"),
    ("A = fold", "not-understood", "from end to end"),
    ("A, fold", "not-understood", "before"),
    ("A - pass", "not-understood", "pass"),
    ("A: check/fold", "not-understood", "check/fold"),
    ("Please fold B", "not-understood", "before"),
    ("Puke: fold", "not-understood", "before"),
    ("A, B: fold", "not-understood", "one table"),
    ("He wrote A: fold", "not-understood", "before"),
    ("all: give 2C 5D next, 9H previous", "not-understood", "Only a bet"),
    ("all: keep AS AD AH KC QD expose AS AD KC", "not-understood", "Only a bet"),
    ("all: expose KD", "not-understood", "Only a bet"),
    ("all: rais 40000", "not-understood", "rais"),
    ("holiday 2026-12-20", "not-understood", "first and its last"),
    ("holiday 20.12.2026 to 3.1.2027", "not-understood", "two dates"),
    ("holiday 2026-12-20 to 2026-12-19", "not-understood", "before it begins"),
    ("holiday 2026-02-30 to 2026-03-02", "not-understood", "two dates"),
    ("resign?", "not-understood", "question"),
    ("press", "not-understood", "colon"),
]

PROSE = [
    "",
    "Hello Joe,",
    "A call would be silly",
    "A bit of luck there!",
    "A raise would have been nice",
    "A raise of 40000 would be daft",
    "I call it a day",
    "All in all: fine",
    "All in all,",
    "A pass in the hills",
    "Pass it on",
    "A fold in the paper",
    "A stay of execution",
    "A bet is a bet",
    "A gold medal",
    "A4 paper",
    "A2 paper is big",
    "A-list stars",
    "Call me tomorrow",
    "Keep well",
    "Stay tuned!",
    "Show must go on",
    "Give my regards to Joe",
    "All: thanks for the game",
    "Holiday next week, hooray",
    "Wait for me",
    "Help is on its way",
    "Rules are rules",
    "cancel my subscription",
    "Q: what is the deadline",
    "PS: thanks",
    "Orders:",
    "B: thanks",
    "A: well played, Cleo",
    "On Monday, 3 Jan 2027 at 10:00, GM <gm@example.org> wrote:\n> Hello",
    "Am 3. Januar 2027 schrieb Joe:\n> Hello",
    "Le 3 janv. 2027, GM a écrit :\n> Hello",
    "-----BEGIN PGP SIGNED MESSAGE-----",
    "Hash: SHA256",
    "http://example.org/a:fold",
]


@pytest.mark.parametrize(("written", "code", "said"), PROBLEMS)
def test_problem_says_what_is_wrong(written: str, code: str, said: str) -> None:
    """A line meant as an order gives one problem with its code, place, sentence and hint."""
    reading = read_mail(f"Hi,\n{written}", PLAYER)
    assert reading.lines == ()
    assert reading.commands == ()
    (problem,) = reading.problems
    assert (problem.code, problem.number, problem.line) == (code, 2, written)
    assert said in problem_sentence(problem)
    assert problem_hint(problem)[0]


@pytest.mark.parametrize("written", PROSE)
def test_prose_is_left_alone(written: str) -> None:
    """Prose is neither an order nor a problem."""
    reading = read_mail(f"{written}\n\nA: fold", PLAYER)
    assert [line.order.line() for line in reading.lines] == ["A: fold"]
    assert reading.problems == ()
    assert reading.commands == ()


def test_all_problems_of_a_mail_are_told_at_once() -> None:
    """Good lines stand, bad ones are each named by line and hand."""
    reading = read_mail("A: rais 1\nB: fold\n\nC: raise 40.000; Z: fold", PLAYER)
    assert [line.order.line() for line in reading.lines] == ["B: fold"]
    assert [(p.number, p.hand, p.code) for p in reading.problems] == [
        (1, "A2", "not-understood"),
        (4, "C3", "not-understood"),
        (4, "", "no-such-hand"),
    ]


def test_neighbours_are_named_to_who_names_a_stranger() -> None:
    """The hint for a wrong name tells both neighbours and their sides."""
    (problem,) = read_mail("A: give 2C 5D to Fred, 9H to Joe", PLAYER).problems
    assert "Puke (next) and Joe (previous)" in problem_hint(problem)[0]


def test_half_of_a_nameless_order_is_given_back_whole() -> None:
    """An order without its table comes back with the table put before it."""
    (problem,) = read_mail("raise 40k", PLAYER).problems
    assert problem.examples == ("A: raise 40000",)


def test_prose_behind_an_order_is_told() -> None:
    """What stands beside an order on its line is not passed over."""
    reading = read_mail("A: fold; good luck", PLAYER)
    assert [line.order.line() for line in reading.lines] == ["A: fold"]
    assert [problem.line for problem in reading.problems] == ["good luck"]


def test_order_behind_prose_is_not_taken() -> None:
    """An order at the end of a sentence is not an order from end to end, but is told."""
    reading = read_mail("I could say so; A: fold", PLAYER)
    assert reading.lines == ()
    assert [problem.line for problem in reading.problems] == ["A: fold"]


@pytest.mark.parametrize("written", ["", "hello", "> A: fold", "help", "press: hi", "x" * 501])
def test_record_line_is_never_dropped(written: str) -> None:
    """In a record whatever is no order is a problem."""
    reading = read_record_line(written, PLAYER)
    assert reading.lines == ()
    assert [problem.code for problem in reading.problems] == ["not-understood"]


def test_record_line_with_several_parts() -> None:
    """A record's line may hold orders, cancels, wait and ready; the rest is a problem each."""
    reading = read_record_line("cancel A; B: stay; wait; hello; ready; A: rais 5", PLAYER)
    assert [line.order.line() for line in reading.lines] == ["cancel A", "B: stay"]
    assert [command.name for command in reading.commands] == ["wait", "ready"]
    assert [problem.line for problem in reading.problems] == ["hello", "A: rais 5"]
