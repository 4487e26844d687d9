"""No mail that the program sends can be read as an order (ORDERS.md, "What is not read")."""

import textwrap
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from lxml.html import document_fromstring

from postal.engine.problems import Fault, Figures, Problem
from postal.engine.view import view
from postal.mail.html import html_to_text
from postal.ordertext import MARKER as READ_MARKER
from postal.ordertext import Context, name_problem, read_mail
from postal.reports import MARKER, Frame, Hold, ReceiptFacts, Rendered
from tests.reports.playing import (
    EIGHT,
    FRAME,
    HOSTILE,
    SIX,
    context,
    deal,
    plain_mails,
    play,
    player_mails,
    reports,
)

GAMES: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "six": (SIX, {}),
    "eight": (EIGHT, {}),
    "hostile": (HOSTILE[:6], {}),
    "hostile eight": (HOSTILE, {"exposed_to": "opponent"}),
    "by post": (SIX, {"exchange": "post", "start_money": 120_000, "iou": "stay-and-call"}),
}
PARTS_OF_OTHERS = (
    "orders", "status", "late", "too late", "early",
    "held", "address confirm", "address asked", "address done", "merged True", "merged False",
)  # fmt: skip
MAIL = reports()


def held_by_others(names: tuple[str, ...]) -> Frame:
    """Return a frame in which each seat is held by somebody of another awkward name."""
    holders = dict(zip(names, (*HOSTILE[3:], *HOSTILE[:3]), strict=False))
    return replace(FRAME, holders=holders)


def paragraphs(text: str) -> str:
    """Return text with the lines of each paragraph joined and folded anew at 60 columns."""
    return "\n\n".join(textwrap.fill(part, 60) for part in text.split("\n\n"))


def shapes(text: str) -> Iterator[str]:
    """Yield a mail's text as clients send it back, the marker line gone from each."""
    text = text.replace(MARKER, "")
    lines = text.splitlines()
    quoted = "\n".join(f"> {line}" for line in lines)
    yield text
    yield quoted
    yield folded(text, 60)
    yield paragraphs(text)
    yield "\n".join(f"> {line}" for line in paragraphs(text).splitlines())
    yield folded(quoted, 60).replace("> ", "")


def folded(text: str, width: int) -> str:
    """Return a text whose lines were folded one by one."""
    return "\n".join(textwrap.fill(line, width) for line in text.splitlines())


def run_together(text: str) -> str:
    """Return a text folded at 60 columns as one paragraph, as if quote marks had joined it."""
    return textwrap.fill(text.replace(MARKER, ""), 60)


def cells(html: str) -> str:
    """Return the text of HTML with every block and cell on a line of its own."""
    root = document_fromstring(html.encode())
    found = (node for node in root.iter("p", "td", "th", "h1", "h2", "div", "span", "b", "a"))
    return "\n\n".join(" ".join(node.text_content().split()) for node in found)


def assert_no_order(name: str, mail: Rendered, seen: Context, *, hostile: bool = False) -> None:
    """Check that nothing in a mail is read as an order, nor taken for an order gone wrong.

    Hostile names may make a folded line look like one gone wrong, but never like an order.
    """
    whole = html_to_text(mail.html)
    for shape in (*shapes(mail.text), whole, cells(mail.html), mail.subject):
        read = read_mail(shape, seen)
        assert not read.lines, (name, [line.text for line in read.lines])
        assert not read.commands, (name, [command.text for command in read.commands])
        assert hostile or not read.problems, (name, [problem.line for problem in read.problems])
    # These lose the spaces that do not break as well: words may look odd then, but order nothing.
    narrow = folded(mail.text.replace(MARKER, ""), 45)
    for shape in (narrow, folded(whole, 60), paragraphs(whole), run_together(mail.text)):
        read = read_mail(shape, seen)
        assert not read.lines, (name, read.lines)
        assert not read.commands, (name, read.commands)


@pytest.mark.parametrize("which", GAMES)
def test_no_mail_of_a_whole_game_holds_an_order(which: str) -> None:
    """Whole, quoted, folded anew, with its marks lost, or as HTML turned to text."""
    names, options = GAMES[which]
    assert not any(map(name_problem, names))
    turns = list(play(deal(names, **options), seed=len(which), silent=0.05))
    for at, turn in enumerate([*turns[:3], turns[len(turns) // 2], turns[-1]]):
        player = names[at % len(names)]
        seen = context(view(turn.before, player))
        for name, mail in player_mails(MAIL, turn, player):
            if at and name in PARTS_OF_OTHERS:
                continue  # the same each turn, or of the report's and the receipt's parts
            assert_no_order(name, mail, seen, hostile="hostile" in which)


@pytest.mark.parametrize("names", [SIX, HOSTILE], ids=["six", "hostile"])
def test_nor_does_one_where_others_hold_the_seats(names: tuple[str, ...]) -> None:
    """Whatever they are called, as long as the rule of names lets it pass; the GM's report too."""
    frame = held_by_others(names)
    assert not any(map(name_problem, frame.holders.values()))
    turns = list(play(deal(names), seed=11, silent=0.05))
    for at, turn in enumerate([turns[0], turns[len(turns) // 2], turns[-1]]):
        player = names[at]
        seen, public = context(view(turn.before, player)), view(turn.after, None)
        gm = MAIL.gm_final if turn.after.finished else MAIL.gm_turn
        mails = [*player_mails(MAIL, turn, player, frame), ("gm", gm(frame, public, turn.events))]
        for name, mail in mails:
            assert_no_order(name, mail, seen, hostile=True)
            for line in mail.text.splitlines():
                assert len(line) <= 76, line
                assert not line.strip().startswith((*names, *HOSTILE)), line


def test_no_mail_without_play_holds_an_order() -> None:
    """Rules, help and hints are full of the language's words."""
    game = deal()
    for name, mail in plain_mails(MAIL, game.rules):
        assert_no_order(name, mail, context(view(game, "Joe")))


def test_problems_quote_orders_so_that_none_is_read() -> None:
    """A receipt shows what was refused, what was cut and what to write instead."""
    game = deal()
    written = "blah blah A: fold and so on until the line is long enough to fold A: fold"
    problems = tuple(
        Problem(fault, figures, examples, "A1", line, 3)
        for fault, figures, examples, line in (
            (
                Fault.OVER_LIMIT,
                Figures(amount=90_000, limit=50_000, verbs=("raise", "fold")),
                ("A: raise 50000",),
                "A: raise 90000",
            ),
            (Fault.NO_SUM, Figures(table="B"), ("B: raise 40000",), written),
            (
                Fault.NOT_AN_ORDER,
                Figures(text="all: fold"),
                ("A: raise 40000", "A: stay", "A: fold"),
                "all: fold",
            ),
            (Fault.QUESTION, Figures(table="A"), ("A: stay",), "A:\u00a0stay\u2028B: fold"),
            (
                Fault.CANCEL_UNCLEAR,
                Figures(text="cancel everything"),
                ("cancel A", "cancel all"),
                "cancel everything",
            ),
        )
    )
    slip = ReceiptFacts(
        hands=(), committed=0, left=5, problems=problems, cut=("A: fold", "| B: fold"),
        hold=Hold("trouble", FRAME.deadline),
    )  # fmt: skip
    mail = MAIL.receipt(FRAME, view(game, "Joe"), slip)
    assert_no_order("receipt", mail, context(view(game, "Joe")))
    assert ":: A: raise 50000\n" in mail.text
    assert "| A:\u00a0raise\u00a090000\n" in mail.text


def test_every_line_of_orders_is_marked_and_short() -> None:
    """A line ready to copy survives folding at 60 columns."""
    for turn in play(deal(EIGHT), seed=5):
        for player in EIGHT[:2]:
            for _, mail in player_mails(MAIL, turn, player):
                marked = [line for line in mail.text.splitlines() if line.startswith(":: ")]
                assert all(len(line) <= 56 for line in marked)


def test_each_mail_to_a_player_has_the_marker_near_its_top() -> None:
    """What is written above it is all that is read."""
    assert MARKER == READ_MARKER
    turn = next(play(deal(), seed=2))
    for _, mail in (*player_mails(MAIL, turn, "Joe"), *plain_mails(MAIL, turn.before.rules)):
        assert MARKER in mail.text.splitlines()[:8]
        assert MARKER in html_to_text(mail.html)


def test_text_keeps_to_76_columns() -> None:
    """A text mail is readable on a narrow screen."""
    for turn in play(deal(HOSTILE), seed=4):
        for _, mail in player_mails(MAIL, turn, HOSTILE[0]):
            for line in mail.text.splitlines():
                assert len(line) <= 76, line


def test_no_line_begins_with_a_name() -> None:
    """A name that an enemy chose never stands at a line's start."""
    for turn in play(deal(HOSTILE), seed=9):
        for _, mail in player_mails(MAIL, turn, HOSTILE[1]):
            for line in mail.text.splitlines():
                assert not line.strip().startswith(HOSTILE), line
