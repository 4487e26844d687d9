"""Cards are hidden in every spelling that the reader takes; prose stays legible where it can."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from postal.ordertext import Context, mask_cards, read_mail

PLAYER = Context(
    hands={"A": "A2", "B": "B1"}, neighbours={table: {"Puke": 1, "Joe": -1} for table in "AB"}
)
RANKS = {
    **{rank: (rank,) for rank in "3456789"},
    "2": ("2", "two", "deuce"),
    "10": ("10", "T", "ten"),
    "J": ("J", "jack", "knave"),
    "Q": ("Q", "queen"),
    "K": ("K", "king"),
    "A": ("A", "ace"),
}
SUITS = {
    "C": ("C", "\u2663", "\u2667", "club", "clubs"),
    "D": ("D", "\u2666", "\u2662", "diamond", "diamonds"),
    "H": ("H", "\u2665", "\u2661", "\u2764", "heart", "hearts"),
    "S": ("S", "\u2660", "\u2664", "spade", "spades"),
}
JOKERS = ("JKR", "joker", "Jok", "\U0001f0cf", "\U0001f0df", "\U0001f0bf")
UNSEEN = (
    "",
    "",
    "",
    "",
    "\u200b",
    "\ufe0f",
    "\ufe0e",
    "\u2060",
    "\u00ad",
)
AROUND = ("", "", "", "", "*", "**", "_", "\u201c", "\u201d")
"""What a card may stand in; within one it is none for the reader."""
WIDE = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}


@st.composite
def spellings(draw: st.DrawFn) -> str:
    """Return a card in any spelling that the reader takes."""
    if draw(st.integers(0, 12)) == 0:
        text = draw(st.sampled_from(JOKERS))
    else:
        rank = draw(st.sampled_from(RANKS[draw(st.sampled_from(sorted(RANKS)))]))
        suit = draw(st.sampled_from(SUITS[draw(st.sampled_from("CDHS"))]))
        short = len(rank) < 3 and len(suit) == 1
        between = ["", " ", "\u00a0", "  "] if short else [" ", " of ", " Of ", "\u2003"]
        halves = [rank, suit] if draw(st.booleans()) else [suit, rank]
        link = draw(st.sampled_from(between))
        text = link.join([rank, suit] if "of" in link.lower() else halves)
    text = draw(st.sampled_from([text, text.lower(), text.upper(), text.title(), text.swapcase()]))
    text = "".join(char + draw(st.sampled_from(UNSEEN)) for char in text)
    text = draw(st.sampled_from(AROUND)) + text + draw(st.sampled_from(AROUND))
    return text.translate(WIDE) if draw(st.integers(0, 5)) == 0 else text


@st.composite
def several(draw: st.DrawFn) -> str:
    """Return one to three cards with what may part them."""
    cards = draw(st.lists(spellings(), min_size=1, max_size=3))
    link = draw(st.sampled_from([" ", ", ", ",", " and ", " & ", "+", " the "]))
    return link.join(cards)


SHAPES = (
    "A: expose {}",
    "A: stay expose {}",
    "B: fold, show {}",
    "A raise 5000, if stayed expose {}",
    "A: raise 5000 expose {} if he stays",
    "A: turn up {}",
    "A: keep {} expose {}",
    "Table A discard {}, show {}",
    "A: give {} next, {} previous",
    "A: next {}, previous {}",
    "A: {} / {}",
    "A - give {} to Puke, {} to Joe",
    "A: to Puke {}, to Joe {}",
    "A: {} left / {} right",
    "For hand B1: expose {}",
    "On table A, stay, show {}",
    "A please raise max, show {}",
    "A colon turn up {}",
    "A: I fold, show {} (sorry)",
)


@st.composite
def lines(draw: st.DrawFn) -> str:
    """Return an order line that names cards."""
    shape = draw(st.sampled_from(SHAPES))
    return shape.format(*(draw(several()) for _ in range(shape.count("{}"))))


def cards_readable(text: str) -> list[str]:
    """Return the neighbouring words of a text that the reader takes as cards."""
    words = text.split()
    runs = (" ".join(words[at : at + size]) for at in range(len(words)) for size in range(1, 6))
    return [run for run in runs if read_mail(f"A: expose {run}", PLAYER).lines]


@given(lines(), st.sampled_from(["", "Re: smith-1, turn 3: ", "[postal] "]))
def test_no_card_of_an_order_can_be_read_behind_the_mask(line: str, before: str) -> None:
    """However it is spelled, run together or decorated."""
    assume(read_mail(line, PLAYER).lines)
    shown = mask_cards(before + line)
    assert "(card)" in shown
    assert not cards_readable(shown)
    assert mask_cards(shown) == shown


@given(st.lists(spellings().filter(lambda text: " " not in text), min_size=1, max_size=4))
def test_cards_run_together_are_hidden(cards: list[str]) -> None:
    """As one mask or as several."""
    assert not cards_readable(mask_cards(f"A: expose {''.join(cards)}"))


@given(st.text(max_size=60))
def test_any_text_can_be_masked(text: str) -> None:
    """And what has been masked stays as it is."""
    assert mask_cards(mask_cards(text)) == mask_cards(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("h10", "(card)"),
        ("\u2660A", "(card)"),
        ("A\u2660\ufe0f, please", "(card), please"),
        ("ASAD", "(card)"),
        ("asad", "(card)"),
        ("Jok", "(card)"),
        ("two jokers", "two (card)"),
        ("\U0001f0cf", "(card)"),
        ("\U0001f0a1\U0001f0b1", "(card)"),
        ("my ace of spades", "my (card)"),
        ("KING OF HEARTS", "(card)"),
        ("10 H", "(card)"),
        ("10\u00a0H", "(card)"),
        ("10-H, K.D, A/S", "(card), (card), (card)"),
        ("\uff11\uff10\uff28", "(card)"),
        ("A\u200bS", "(card)"),
        ("\u201cAS\u201d", "\u201c(card)\u201d"),
        ("*A*S", "*(card)"),
        ("the KD's", "the (card)'s"),
        ("aceofspades", "(card)"),
        ("AKQ of spades", "(card)"),
        ("z\u2660Ay", "(card)"),
        ("A: give 2C 5D next, 9H previous", "A: give (card) (card) next, (card) previous"),
    ],
)
def test_what_anybody_reads_as_a_card_is_hidden(text: str, shown: str) -> None:
    """The rest stays."""
    assert mask_cards(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("as good as ever", None),
        ("As discussed, turn 3", None),
        ("Re: smith-1: as a matter of fact", None),
        ("Ann asks about turn 3", None),
        ("EXPOSE AS", "EXPOSE (card)"),
        ("expose as", "expose (card)"),
        ("my ad", "my (card)"),
        ("as ad ah", "(card) (card) (card)"),
        ("good as my KD", "good (card) my (card)"),
        ("A: to Puke as, to Joe ad", "A: to Puke (card), to Joe (card)"),
        ("As\u200b", "(card)\u200b"),
    ],
)
def test_a_card_that_is_a_word_is_legible_only_in_prose(text: str, shown: str | None) -> None:
    """Between other words, where no order could have it."""
    assert mask_cards(text) == (shown or text).replace("\u200b", "")


@pytest.mark.parametrize(
    "text",
    [
        "Re: smith-1: report of turn 3",
        "That has had a hat, and I ask: is it at 8 or at 10?",
        "It's Ann's 10th game, isn't it?",
        "Sun, 6 Sep 2026 18:30:00 +0200",
        "raise 40000, stay or fold",
        "Orders for tables A, B and C",
        "24/7 at 10:30 a.m.",
        "",
    ],
)
def test_prose_figures_and_dates_stay(text: str) -> None:
    """Word for word."""
    assert mask_cards(text) == text
