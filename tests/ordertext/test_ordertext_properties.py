"""Whatever is written, reading never fails, never reads quoted text and repeats itself."""

import sys
import unicodedata
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postal.engine.cards import Card
from postal.engine.orders import (
    Bet,
    Cancel,
    Discard,
    Expose,
    Gift,
    Give,
    Keep,
    LimitRaise,
    Order,
)
from postal.engine.words import VERBS
from postal.ordertext import Context, name_problem, read_mail, read_record_line
from postal.reports.problems import problem_sentence
from tests.ordertext.wording_cases import CONTEXTS, comes_to, wordings

PLAYER = Context(
    hands={"A": "A2", "B": "B1", "C": "C3"},
    neighbours={table: {"Puke": 1, "Joe": -1} for table in "ABC"},
)

tables = st.sampled_from("ABC")
cards = st.integers(0, 52).map(Card)
some_cards = st.lists(cards, min_size=1, max_size=5).map(tuple)
amounts = st.integers(0, 10**9)
plain_verbs = st.sampled_from([verb for verb in VERBS if verb != "raise"])
bet_tables = st.sampled_from(["A", "B", "C", "all"])
words = st.sampled_from(
    ["lots", "Cleo", "thinks", "unless", "tomorrow", "because", "laundry", "perhaps", "nearly"]
)
orders: st.SearchStrategy[Order | Cancel] = st.one_of(
    st.builds(
        Give,
        tables,
        st.tuples(
            st.builds(Gift, st.just(1), some_cards), st.builds(Gift, st.just(-1), some_cards)
        ),
    ),
    st.builds(Keep, tables, some_cards, some_cards),
    st.builds(Discard, tables, some_cards, some_cards),
    st.builds(Expose, tables, some_cards),
    st.builds(Bet, bet_tables, st.just("raise"), amounts, st.just(()) | some_cards),
    st.builds(Bet, bet_tables, plain_verbs, st.just(0), st.just(()) | some_cards),
    st.builds(LimitRaise, bet_tables, st.sampled_from(["max", "min"]), st.just(()) | some_cards),
    st.builds(Cancel, bet_tables),
)
WORDS = (
    "A: B) Z Table all raise stay fold call give keep expose show next previous to Puke 2C AS ♠ 🃏 "
    "10 40,000 £ 40k 0.04m if stayed of ace , ; / : - > | :: press: end cancel holiday "
    "in on hand max please I don't undo else or forty thousand r40k everything ( ) colon"
)
pieces = st.sampled_from(WORDS.split())
soups = st.lists(pieces | st.text(max_size=3) | st.just("\n"), max_size=30).map(" ".join)


@given(orders)
def test_canonical_line_reads_back_to_its_order(order: Order | Cancel) -> None:
    """Each order's canonical line means that order, in a mail and in a record."""
    for reading in (read_mail(order.line(), PLAYER), read_record_line(order.line(), PLAYER)):
        assert reading.problems == ()
        assert [line.order for line in reading.lines] == [order]


@given(soups | st.text(max_size=200))
def test_no_text_makes_the_reader_fail(text: str) -> None:
    """Any text is read, and every order read prints a line that reads back to it."""
    reading = read_mail(text, PLAYER)
    for line in reading.lines:
        assert [again.order for again in read_mail(line.order.line(), PLAYER).lines] == [line.order]
    for problem in reading.problems:
        assert problem_sentence(problem)
        assert problem.number > 0


@given(soups | st.text(max_size=200))
def test_record_line_always_gives_something(text: str) -> None:
    """No line of a record is dropped."""
    reading = read_record_line(text, PLAYER)
    assert reading.lines or reading.commands or reading.problems


@given(soups, st.sampled_from([">", "> > ", "| ", ":: "]))
def test_quoted_text_is_never_read(text: str, mark: str) -> None:
    """Text of which every line is marked gives no order, command or problem."""
    quoted = "\n".join(mark + line for line in text.replace("\r", "\n").split("\n"))
    reading = read_mail(quoted, PLAYER)
    assert not (reading.lines)
    assert not (reading.commands)
    assert not (reading.problems)


@given(st.text(max_size=31) | soups)
def test_good_name_is_never_an_order(name: str) -> None:
    """A name that is allowed reads as no order or command, with any words before it cut off."""
    if name_problem(name) is None:
        words = name.split()
        for at in range(len(words)):
            reading = read_mail(" ".join(words[at:]), PLAYER)
            assert not (reading.lines)
            assert not (reading.commands)


DUE = Context(PLAYER.hands, PLAYER.neighbours, frozenset({"Puke", "Joe", "Ann"}), frozenset("B"))


@given(soups | st.text(max_size=200))
def test_lines_to_copy_are_orders_as_they_stand(text: str) -> None:
    """Whatever was written, each line offered is read without a problem, at a table of his."""
    for problem in read_mail(text, DUE).problems:
        for example in problem.examples:
            again = read_mail(example, PLAYER)
            assert not again.problems, example
            assert again.lines or again.commands


@given(soups | st.text(max_size=200))
def test_lines_to_copy_hold_nothing_that_was_not_written(text: str) -> None:
    """No fold and no sum is offered to somebody who wrote none."""
    for line in text.split("\n"):
        offered = [one for problem in read_mail(line, DUE).problems for one in problem.examples]
        folds = [one for one in offered if " fold" in one]
        assert not folds or "fol" in line.casefold() or "old" in line.casefold(), folds
        raised = [one for one in offered if " raise " in one and one[-1].isdigit()]
        assert not raised or any(char.isdigit() for char in line) or "thousand" in line, raised


@given(st.sampled_from(list(wordings())), st.randoms(use_true_random=False))
def test_typing_makes_no_difference(wording: tuple[str, str, str], chance: Random) -> None:
    """Composed or decomposed, wide or narrow, with invisible characters between: all read alike."""
    writer, line, outcome = wording
    for form in ("NFC", "NFD"):
        typed = unicodedata.normalize(form, line)
        sown = "".join(char + chance.choice(("", "", "\u200b", "\u2060")) for char in typed)
        assert comes_to(sown, CONTEXTS[writer]) == outcome
    spaced = line.replace(" ", chance.choice(("\u00a0", "\u2009", "  ")))
    assert comes_to(spaced, CONTEXTS[writer]) == outcome


@given(st.sampled_from([line for _, line, outcome in wordings() if outcome[1:3] == ": "]), words)
def test_an_order_with_words_around_it_is_never_filed_as_another(line: str, word: str) -> None:
    """From end to end or not at all: a word more, and it is the same order or none."""
    for writer in ("three tables", "one due"):
        plain = {one.order for one in read_mail(line, CONTEXTS[writer]).lines}
        for more in (f"{word} {line}", f"{line} {word}"):
            assert {one.order for one in read_mail(more, CONTEXTS[writer]).lines} <= plain


def steps(text: str) -> int:
    """Return how many function calls reading a text takes."""
    count = 0

    def trace(_frame: object, event: str, _arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(trace)
    try:
        read_mail(text, PLAYER)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize(
    "line",
    ["On On On On", "A: give 2C", "From: x\n", "press: x", "> A: fold", "A: raise 1,", "a: a: a:"],
)
def test_work_grows_with_the_lines(line: str) -> None:
    """Four times the lines are at most some four times the work, by count of calls."""
    few, many = steps(f"{line}\n" * 100), steps(f"{line}\n" * 400)
    assert many < 5 * few


@pytest.mark.parametrize(
    "unit",
    [
        "On ",
        "> ",
        "- ",
        "1. ",
        "A: ",
        "a a ",
        "9 ",
        "9,",
        "1,000",
        ";",
        "to ",
        "to the ",
        "as ",
        "10",
    ],
)
def test_work_grows_with_the_length_of_a_line(unit: str) -> None:
    """A line twice as long is at most some twice the work, however it is made up."""
    for head in ("", "A: give ", "A: raise ", "A: keep ", "Puke: "):
        half, whole = (head + unit * (size // len(unit)) for size in (240, 480))
        assert steps(whole) < 3 * steps(half) + 200


@settings(max_examples=20)
@given(
    st.sampled_from(["A", "1", ",", " ", "(", ":", "-", "=", "\u0301", "\ufdfa"]), st.integers(1, 3)
)
def test_long_runs_of_one_character_return(char: str, thousands: int) -> None:
    """Runs far beyond the limits return."""
    read_mail(char * thousands * 1000, PLAYER)
    read_record_line(char * thousands * 1000, PLAYER)
