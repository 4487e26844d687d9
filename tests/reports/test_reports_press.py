"""Words of one player in another's report: nothing in them is ever read, and few find them."""

from dataclasses import replace
from functools import lru_cache
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postal.engine.view import view
from postal.mail.html import html_to_text
from postal.ordertext import MARKER, read_mail
from postal.reports import Press, ReceiptFacts, Said
from postal.reports.said import MOST_CHARACTERS, MOST_LINES, fits, press_contexts
from postal.reports.words import SaidKind
from tests.reports.playing import EIGHT, FRAME, HOSTILE, SIX, Turn, context, deal, play, reports
from tests.reports.test_reports_not_orders import assert_no_order, folded

MAIL = reports()
PIECES = (
    "A: fold", "all: fold", "B: raise 5000", "cancel all", "ready", "wait", "resign", "end", "|",
    "press:", "gm:", "protest A:", "press to Joe:", "help", ":: A: fold", "| A: fold", "> A: fold",
    "::", MARKER, "-- ", "On Monday Joe wrote:", "From: joe@example.org", "Date: Monday", "A", ":",
    "fold", "</p><p>A: fold</p>", "<br>", "&#10;A: fold", "{{ game }}", "a long tale " * 9, "\t",
    "\u2028", "\u00a0", "\u200b", "\u202e", "\r", "\x0b", "\x1b[2J", "=?utf-8?q?A=3A_fold?=",
    "[postal x]",
)  # fmt: skip
WORDS = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=12)), max_size=14)
ENDS = st.sampled_from(["\n", " ", "", "\n\n", "; "])


@lru_cache
def turn() -> Turn:
    """Return a turn of the showdown's time, with bets due."""
    return list(play(deal(HOSTILE[:6]), seed=3))[3]


@settings(max_examples=15, deadline=None)
@given(words=WORDS, end=ENDS)
def test_nothing_in_press_is_read(words: list[str], end: str) -> None:
    """Neither as an order nor as a command, nor does it change what stands above it."""
    names, text = HOSTILE[:6], end.join(words)
    now = turn()
    press = [Press(text), Press(text, names[1]), Press(text, names[2], (names[0],))]
    mail = MAIL.report(FRAME, view(now.after, names[0]), now.events, press=press)
    seen = context(view(now.before, names[0]))
    assert_no_order("press", mail, seen, hostile=True)
    for body in (mail.text, folded(mail.text, 60), html_to_text(mail.html)):
        quote = "\n".join(f"> {line}" for line in body.splitlines())
        for answer in (f"A: fold\n\n{quote}", f"{quote}\n\nA: fold\n"):
            read = read_mail(answer, seen)
            assert [line.order.line() for line in read.lines] == ["A: fold"]
            assert not read.commands


@pytest.mark.parametrize("kind", get_args(SaidKind))
def test_no_answer_about_words_is_an_order(kind: SaidKind) -> None:
    """Whatever the names in it are, on both sides of the end of a game."""
    names = HOSTILE[:6]
    now = turn()
    said = (Said(kind, tuple(names[1:4]), 3, FRAME.deadline), Said(kind, (names[2],)))
    seen = context(view(now.before, names[0]))
    slip = ReceiptFacts((), committed=0, left=5, said=said)
    before = view(now.before, names[0])
    for name, mail in (
        ("receipt", MAIL.receipt(FRAME, before, slip)),
        ("plain", MAIL.receipt(FRAME, before, replace(slip, nothing=True))),
        ("late", MAIL.late(FRAME, before, 1, said=said)),
        ("abandoned", MAIL.abandoned(FRAME, before, said=said)),
    ):
        assert_no_order(name, mail, seen, hostile=True)


def test_everybody_finds_what_is_for_him() -> None:
    """And the GM, who is no player, what is for all."""
    press = [
        Press("to all", "Joe"),
        Press("to Puke", "Joe", ("Puke",)),
        Press("of the GM to Puke", to=("Puke",)),
        Press("of the GM"),
    ]
    found = {
        viewer: [one.heading for part in press_contexts(press, viewer, "Grace") for one in part]
        for viewer in ("Joe", "Puke", "Vim 2", None)
    }
    of_gm, of_joe = "From Grace, your GM, to all players:", "From Joe to all players:"
    assert found == {
        "Joe": [of_gm, "From you to all players:", "From you to Puke alone:"],
        "Puke": [
            "From Grace, your GM, to you alone:",
            of_gm,
            of_joe,
            "From Joe to you alone:",
        ],
        "Vim 2": [of_gm, of_joe],
        None: [of_gm, of_joe],
    }


def test_a_report_full_of_press_is_no_longer_than_clients_show() -> None:
    """Each of eight players says all that he may, in one-letter lines or in one long word."""
    game = deal(EIGHT)
    full = "\n".join(["x" * (MOST_CHARACTERS // MOST_LINES - 1)] * MOST_LINES)
    assert fits([full])
    assert not fits([full, "and more"])
    assert not fits(["x\n" * (MOST_LINES + 1)])
    for now in list(play(game, seed=8, silent=0.1))[3:9]:
        press = [Press(full), *(Press(full, name) for name in EIGHT)]
        mail = MAIL.report(FRAME, view(now.after, "Joe"), now.events, press=press)
        assert len(mail.html.encode()) < 102_000


def test_a_report_without_press_has_no_word_of_it() -> None:
    """There is no heading over nothing."""
    now = next(play(deal(SIX), seed=2))
    mail = MAIL.report(FRAME, view(now.after, "Joe"), now.events)
    assert "OWN WORDS" not in mail.text
    assert "GM SAYS" not in mail.text
