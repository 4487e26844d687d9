"""Every form of an order that ORDERS.md lists is read as its canonical line."""

import pytest

from postal.ordertext import Context, read_mail, read_record_line

NEIGHBOURS = {"Puke": 1, "Joe": -1}
PLAYER = Context(
    hands={"A": "A2", "B": "B1", "C": "C3"},
    neighbours={"A": NEIGHBOURS, "B": {"J. R. O'Neill": 1, "Anne-Marie": -1}, "C": NEIGHBOURS},
)
ONE_TABLE = Context(hands={"A": "A1"}, neighbours={"A": NEIGHBOURS})

GIVE = "A: give 2C 5D next, 9H previous"
KEEP = "A: keep AS AD AH KC QD expose AS AD KC"
RAISE = "A: raise 40000"

FORMS = [
    ("A: give 2C 5D next, 9H previous", GIVE),
    ("A give 2C 5D to Puke, 9H to Joe", GIVE),
    ("A give 2C 5D to PUKE / 9H to joe", GIVE),
    ("A: give 2C, 5D to Puke and 9H to Joe", GIVE),
    ("A: give 2C 5D left, 9H right", GIVE),
    ("A: give 2C 5D to the left, 9H to the right", GIVE),
    ("A: 2C 5D / 9H", GIVE),
    ("A 2C 5D/9H", GIVE),
    ("A give 2C 5D / 9H", GIVE),
    ("A: 2C 5D to Puke, 9H to Joe", GIVE),
    ("A: give 9H previous, 2C 5D next", GIVE),
    ("A: give next 2C 5D, previous 9H", GIVE),
    ("A: give to Puke 2C 5D, to Joe: 9H", GIVE),
    ("B: give 2C 5D to j. r. o\u2019neill, 9H to Anne\u2013Marie.", GIVE.replace("A:", "B:")),
    ("A: give 2C next", "A: give 2C next"),
    ("A: give 2C next, 5D 9H previous", "A: give 2C next, 5D 9H previous"),
    ("A: keep AS AD AH KC QD expose AS AD KC", KEEP),
    ("A keep AS, AD, AH, KC, QD and show AS, AD & KC", KEEP),
    ("A: expose AS AD KC, keep AS AD AH KC QD", KEEP),
    ("A: keep AS AD AH KC QD, turn up AS AD KC", KEEP),
    ("A discard 2C 5D, show AS AD KC", "A: discard 2C 5D expose AS AD KC"),
    ("A: raise 40000", RAISE),
    ("A: raise by £40,000", RAISE),
    ("A raise 40k", RAISE),
    ("A: bet 40000", RAISE),
    ("A r 40000", RAISE),
    ("A: stay", "A: stay"),
    ("A fold", "A: fold"),
    ("A: check", "A: check"),
    ("A: call", "A: call"),
    ("A: stay expose KD", "A: stay expose KD"),
    ("A: stay, show KD", "A: stay expose KD"),
    ("A: raise 40000, if stayed expose 9C", "A: raise 40000 expose 9C"),
    ("A: raise 40k and show 9C if stayed", "A: raise 40000 expose 9C"),
    ("A: fold expose KD", "A: fold expose KD"),
    ("A: expose KD", "A: expose KD"),
    ("A: show KD", "A: expose KD"),
    ("A: turn up KD", "A: expose KD"),
    ("all: fold", "all: fold"),
    ("ALL: Check", "all: check"),
    ("all raise 5k", "all: raise 5000"),
    ("all tables: stay", "all: stay"),
    ("cancel A", "cancel A"),
    ("Cancel all.", "cancel all"),
    ("cancel table a", "cancel A"),
    ("cancel A2", "cancel A"),
]

HEADS = ["A:", "A", "Table A", "table a:", "A)", "A2", "A2:", "a -", "A \u2013", "A\u00a0\u2014"]

WRAPPINGS = [
    "  A:  fold ",
    "a: FOLD",
    "**A:** fold",
    "*A: fold*",
    "_A: fold_",
    "`A: fold`",
    "- A: fold",
    "\u2022 A: fold",
    "* A: fold",
    "1. A: fold",
    "2) A: fold",
    "- **A:** fold",
    "-> A: fold",
    "\u201cA: fold\u201d",
    "A:\u00a0fold",
    "\u200bA: fo\u200bld\ufeff",
    "\uff21\uff1a fold",
    "A: fold.",
    "A: fold!!",
    "A: fold,",
    "A: fold;",
]

MONEY = {
    "40000": 40000,
    "40,000": 40000,
    "£40,000": 40000,
    "£ 40,000": 40000,
    "£40k": 40000,
    "40 k": 40000,
    "40K": 40000,
    "40 000": 40000,
    "40\u00a0000": 40000,
    "40\u2009000": 40000,
    "0.04m": 40000,
    ".04m": 40000,
    "0.125m": 125000,
    "2.5k": 2500,
    "1,000,000": 1_000_000,
    "1 000 000": 1_000_000,
    "40000 pounds": 40000,
    "0": 0,
    "99999999999999999999": 99999999999999999999,
}

CARDS = {
    "AS": "AS",
    "as": "AS",
    "A♠": "AS",
    "A♠\ufe0f": "AS",
    "A♠\ufe0e": "AS",
    "♠A": "AS",
    "10H": "10H",
    "TH": "10H",
    "H10": "10H",
    "10 ♥": "10H",
    "10 of hearts": "10H",
    "ten of hearts": "10H",
    "ace of spades": "AS",
    "the ace of spades": "AS",
    "KING OF HEARTS": "KH",
    "two clubs": "2C",
    "JKR": "JKR",
    "joker": "JKR",
    "Jok": "JKR",
    "🃏": "JKR",
    "🃏\ufe0f": "JKR",
    "joker joker": "JKR JKR",
    "2C 5D": "2C 5D",
    "2C, 5D and 9H": "2C 5D 9H",
    "2C+5D&9H": "2C 5D 9H",
    "♣2 ♦5": "2C 5D",
    "as ad": "AS AD",
    "jack of diamonds, jd": "JD JD",
}


def order_lines(text: str, context: Context = PLAYER) -> list[str]:
    """Return the canonical lines of a mail in which nothing is a problem."""
    reading = read_mail(text, context)
    assert reading.problems == ()
    return [line.order.line() for line in reading.lines]


@pytest.mark.parametrize(("written", "canonical"), FORMS)
def test_form_is_read_as_its_canonical_line(written: str, canonical: str) -> None:
    """A form of the table reads as the canonical line, in a mail and in a record."""
    assert order_lines(written) == [canonical]
    record = read_record_line(written, PLAYER)
    assert [line.order.line() for line in record.lines] == [canonical]
    assert record.problems == ()


@pytest.mark.parametrize("head", HEADS)
def test_table_may_be_written_in_many_ways(head: str) -> None:
    """Each way to name a table is read."""
    assert order_lines(f"{head} raise 40000") == [RAISE]


@pytest.mark.parametrize("written", WRAPPINGS)
def test_typography_makes_no_difference(written: str) -> None:
    """Emphasis, bullets, invisible characters and closing punctuation change nothing."""
    assert order_lines(written) == ["A: fold"]


@pytest.mark.parametrize(("written", "pounds"), MONEY.items())
def test_money(written: str, pounds: int) -> None:
    """Each spelling of a sum is read in whole pounds."""
    assert order_lines(f"A: raise {written}") == [f"A: raise {pounds}"]


@pytest.mark.parametrize(("written", "cards"), CARDS.items())
def test_cards(written: str, cards: str) -> None:
    """Each spelling of a card is read."""
    assert order_lines(f"A: expose {written}") == [f"A: expose {cards}"]


def test_several_orders_on_a_line() -> None:
    """A semicolon parts orders, each with its own text and the line's number."""
    reading = read_mail("Hi\nA: fold; B stay ;C: raise 5k", PLAYER)
    assert [(line.text, line.number, line.order.line()) for line in reading.lines] == [
        ("A: fold", 2, "A: fold"),
        ("B stay", 2, "B: stay"),
        ("C: raise 5k", 2, "C: raise 5000"),
    ]


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("raise 40k", RAISE),
        ("fold", "A: fold"),
        ("give 2C 5D next, 9H previous", GIVE),
        ("2C 5D / 9H", GIVE),
        ("keep AS AD AH KC QD expose AS AD KC", KEEP),
        ("show KD", "A: expose KD"),
        ("A: fold", "A: fold"),
        ("cancel", "cancel A"),
    ],
)
def test_letter_may_be_left_out_where_there_is_one_table(written: str, canonical: str) -> None:
    """A game of one table needs no letter."""
    assert order_lines(written, ONE_TABLE) == [canonical]


def test_secrets_stay_out_of_the_repr() -> None:
    """No card of an order or of a line cut shows in a reading's repr."""
    reading = read_mail("A: expose KD\n> A: expose KD\nA: expose KD XX", PLAYER)
    assert reading.lines
    assert reading.cut
    assert reading.problems
    assert "KD" not in repr(reading)
