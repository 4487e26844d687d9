"""What the answers to a player's mails tell: receipts, what is on file, late mail and hints."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest

from postal.engine.book import Book, submit
from postal.engine.editions import rulings
from postal.engine.problems import Fault, Figures, Problem
from postal.engine.view import view
from postal.mail.html import html_to_text
from postal.ordertext import read_mail
from postal.reports import Hold, OnFile, ReceiptFacts, TakenBack
from tests.reports.playing import (
    FRAME,
    context,
    deal,
    facts,
    option_facts,
    play,
    reports,
    smith,
)

MAIL = reports()
GAME = deal()


def plain(text: str) -> str:
    """Return a text as one line with plain spaces."""
    return " ".join(text.replace("\u2060", "").split())


def receipt(slip: ReceiptFacts) -> str:
    """Return a receipt's text, with the HTML's checked to say the same of orders."""
    mail = MAIL.receipt(FRAME, view(GAME, "Joe"), slip)
    assert mail.subject == "smith-1: receipt, turn 1"
    html = plain(html_to_text(mail.html))
    for line in mail.text.splitlines():
        if line.startswith(":: "):
            assert line in html
    return plain(mail.text)


def some_facts() -> ReceiptFacts:
    """Return the facts after Joe has ordered at one of his three tables."""
    seen = view(GAME, "Joe")
    read = read_mail(seen.due[0].examples[0], context(seen))
    return facts(GAME, submit(GAME, Book(), "Joe", read.lines).book, "Joe")


def test_receipt_tells_what_is_on_file_and_what_is_missing() -> None:
    """Every hand is named: its canonical line, or missing."""
    slip = some_facts()
    text = receipt(slip)
    assert not slip.complete
    assert f":: {slip.hands[0].line}" in text
    for hand in slip.hands[1:]:
        assert f"In hand {hand.hand}: missing." in text
    missing = f"hands {slip.hands[1].hand} and {slip.hands[2].hand} have none, so the turn waits"
    assert f"orders for turn 1 are still missing: {missing}" in text


def test_receipt_says_when_all_orders_are_in() -> None:
    """A hand where nothing is due is not missing."""
    slip = ReceiptFacts(
        (OnFile("A3", due=True, line="A: fold"), OnFile("B3", due=False, line=None)), 0, 900_000
    )
    text = receipt(slip)
    assert "all your orders for turn 1 are in, so the turn does not wait for you." in text
    assert "In hand B3: nothing is due from you this turn." in text


@pytest.mark.parametrize(
    ("hold", "said"),
    [
        (None, "so the turn does not wait for you."),
        (
            Hold("asked", FRAME.deadline),
            (
                "but the turn waits for you until Sunday 6 December 2026, 20:00 GMT"
                " (Europe/London), because you asked it to,"
            ),
        ),
        (
            Hold("earlier", FRAME.now + timedelta(hours=24)),
            (
                "but the turn waits for you until Monday 30 November 2026, 20:30 GMT"
                " (Europe/London), because something in an earlier mail of yours was not taken,"
            ),
        ),
    ],
)
def test_receipt_says_first_whether_the_turn_waits_for_him(hold: Hold | None, said: str) -> None:
    """And why, until when, and that a word of his ends it (10.6)."""
    slip = ReceiptFacts((OnFile("A3", due=True, line="A: fold"),), 0, 900_000, hold=hold)
    first = receipt(slip).split(". ")[0] + "."
    assert first.startswith("Dear Joe, all your orders for turn 1 are in, ")
    assert said in first
    assert ('a line that says "ready" and nothing else ends that.' in first) == bool(hold)


def test_receipt_tells_money_deadline_and_how_to_change() -> None:
    """Committed pounds, the balance left, the deadline, and the way to take an order back."""
    text = receipt(replace(some_facts(), committed=90_000, left=10_000))
    assert "need £90,000 of your money. £10,000 is left" in text
    assert "20:00 GMT (Europe/London), in 6 days and 23 hours." in text
    assert ":: cancel A" in text
    assert ":: cancel all" in text


def test_receipt_offers_to_take_back_only_what_can_be() -> None:
    """Nothing is on file, or gifts are on their way (2.4)."""
    seat = some_facts().hands
    none = receipt(ReceiptFacts(tuple(replace(hand, line=None) for hand in seat), 0, 5))
    assert "cancel" not in none
    assert "To take an order back" not in none
    first, second = (replace(hand, line=f"{hand.hand[0]}: give") for hand in seat[:2])
    text = receipt(ReceiptFacts((replace(first, final=True), second), 0, 5))
    assert f"In hand {first.hand} your gifts are on their way and can no longer be" in text
    assert f":: cancel {second.hand[0]}" in text
    assert "cancel all" not in text


def test_receipt_names_every_hand_that_a_line_is_meant_for() -> None:
    """One, several, or none."""
    for hand, further, said in (
        ("A3", (), "Not taken for hand A3. This"),
        ("A3", ("B3",), "Not taken for hands A3 and B3. This"),
        ("A3", ("B3", "C1"), "Not taken for hands A3, B3 and C1. This"),
        ("", (), "Not taken. This"),
    ):
        problem = Problem(Fault.QUESTION, hand=hand, further=further, line="A: fold?", number=1)
        assert said in receipt(replace(some_facts(), problems=(problem,)))


def test_receipt_says_that_a_file_was_not_read() -> None:
    """Where the mail has no order otherwise."""
    slip = replace(some_facts(), nothing=True)
    said = "What is attached to it was not read: write your orders into the mail itself."
    assert said not in receipt(slip)
    assert f"so it changed nothing. {said}" in receipt(replace(slip, files_unread=True))


def test_receipt_quotes_what_was_not_taken() -> None:
    """Line number, the line as written, why, and what to write instead."""
    problem = Problem(
        Fault.OVER_LIMIT,
        Figures(amount=90_000, limit=50_000, verbs=("raise", "fold")),
        ("A: raise 50000",),
        "A3",
        "A: raise 90k",
        4,
    )
    text = receipt(replace(some_facts(), problems=(problem,)))
    assert "You wrote, in line 4: | A: raise 90k" in text
    assert "Not taken for hand A3. A raise of £90,000 is over the limit of £50,000." in text
    assert "Write for example (you may: raise, fold): :: A: raise 50000" in text


def test_receipt_says_when_only_the_card_to_expose_was_dropped() -> None:
    """The bet beside it stands, so the line was taken in part (5.4)."""
    problem = Problem(Fault.EXPOSE_NOT_HELD, Figures(verb="raise"), (), "A3", "x", 1)
    text = receipt(replace(some_facts(), problems=(problem,)))
    assert "Taken in part for hand A3. Your raise stands" in text


def test_receipt_tells_changes_cut_lines_and_commands() -> None:
    """Cancelled, replaced and lost orders, and unread lines."""
    text = receipt(
        replace(
            some_facts(),
            cut=("> A: fold",),
            taken_back=(TakenBack("A3", "A: fold"), TakenBack("B3", "B: stay", of_the_mail=True)),
            lost=("B3",),
            replaced=("C2",),
        )
    )
    assert "In hand A3: your earlier order was taken back, as you asked. :: A: fold" in text
    assert "the order further up in your mail was taken back, as you asked. :: B: stay" in text
    assert "In hand B3: your earlier order is gone too" in text
    assert "In hand C2: the last good line counts" in text
    assert "| > A: fold" in text


def test_receipt_escapes_what_a_player_wrote() -> None:
    """Words that look like HTML stay words."""
    written = "<b>A</b> fold & more"
    problem = Problem(Fault.NOT_AN_ORDER, Figures(text=written), (), "", written, 1)
    mail = MAIL.receipt(FRAME, view(GAME, "Joe"), replace(some_facts(), problems=(problem,)))
    assert "&lt;b&gt;A&lt;/b&gt;" in mail.html


def test_orders_on_file_can_be_asked_for() -> None:
    """The answer to ``orders`` holds the same lines as a receipt."""
    slip = some_facts()
    mail = MAIL.orders_on_file(FRAME, view(GAME, "Joe"), slip)
    assert f":: {slip.hands[0].line}" in mail.text
    assert "missing" in mail.text


def test_late_mail_is_told_which_turn_is_played() -> None:
    """Nothing was done; the turn now due is named with its order lines."""
    turn = next(play(GAME, seed=1))
    text = plain(MAIL.late(FRAME, view(turn.after, "Joe"), 1).text)
    assert "your mail was for turn 1, which is over: nothing in it was done." in text
    assert "Turn 2 is being played now." in text
    assert ":: A: keep" in text


def test_rules_hold_the_figures_and_options_of_this_game() -> None:
    """House options are printed with their values and what they say."""
    rules = smith(6, ante=5_000, check_limit=0, exposed_to="opponent", reveal="never")
    text = plain(MAIL.rules(FRAME, option_facts(rules)).text)
    assert "everybody pays £5,000 into the pot" in text
    assert "You may check for ever." in text
    assert "the two players of the hand alone." in text
    assert "stay closed when the game is over." in text
    for name in rules.options:
        assert f"Option {name}, here" in text


TROUBLE = "A question, a signature or a line for a hand where nothing is due holds nothing up"
ABSENCE = {
    1: (
        "If something in your last mail was not taken, the turn waits until your next mail",
        'the line "ready" ends that. They are no orders.',
        "After 1 turn in a row without any order you are no longer waited for. Any line of yours",
    ),
    2: (
        "If a line of yours for a hand where something is due was not taken, and no good line for",
        "your next mail with a line for such a hand, for 5 hours, or until the deadline, whichever",
        'the line "ready" ends that and any other wait of yours. They are no orders, but they tell',
        "After 1 turn in a row in which something was due from you and no mail of yours came,",
        "The next turn goes on without you, though not sooner than 1 hour after its report.",
    ),
}


@pytest.mark.parametrize("edition", ABSENCE)
def test_rules_tell_of_waiting_and_silence_as_the_edition_has_it(edition: int) -> None:
    """9.2 to 9.6 and 10.6, with the game's own hours."""
    rules = smith(6, settle=1, nmr_limit=1, drop_notice=1, trouble_hours=5)
    mail = MAIL.rules(FRAME, option_facts(rules), rulings(edition))
    text = plain(mail.text)
    html = plain(html_to_text(mail.html))
    for other, sentences in ABSENCE.items():
        for sentence in sentences:
            assert (sentence in text) == (other == edition), sentence
            assert (sentence in html) == (other == edition), sentence
    assert (TROUBLE in text) == (edition == 2)
    assert "adjudicated 1 minute after the last order due came in, or at its deadline" in text
    assert "and you still get every report." in text
    assert not re.search(r"\b1 (hour|turn|minute)s\b", text)


def test_rules_tell_of_no_wait_where_there_is_none() -> None:
    """With no hours for trouble, no notice and nobody dropped."""
    rules = smith(6, settle=0, nmr_limit=0, drop_notice=0, trouble_hours=0)
    text = plain(MAIL.rules(FRAME, option_facts(rules)).text)
    assert "A line that was not taken holds nothing up." in text
    assert "Nobody is dropped for missing orders." in text
    assert "adjudicated as soon as the last order due came in" in text
    assert not re.search(r"\b0 (hour|turn|minute)", text.partition("THE OPTIONS")[0])


def test_gift_by_post_names_giver_and_cards() -> None:
    """A gift that came within the turn is told by table (2.4)."""
    game = deal(exchange="post")
    turn = next(play(game, seed=1, silent=0))
    seen = view(turn.before, "Joe", turn.book)
    assert seen.arrived
    text = plain(MAIL.gift(FRAME, seen, seen.arrived).text)
    for table, gift in seen.arrived:
        assert f"At table {table}, from {gift.player}: {max(gift.cards)}" in text


def test_unreadable_mail_is_told_why() -> None:
    """The reason stands in the first paragraph."""
    text = plain(MAIL.unreadable(FRAME, "It is encrypted; we hold no key.").text)
    assert "nothing in it was done. It is encrypted, we hold no key." in text


@pytest.mark.parametrize(
    ("settle", "grace", "said"),
    [
        (30, 0, "30 minutes after the last order is in, or else soon after the deadline."),
        (0, 0, "once the last order is in, or else soon after the deadline."),
        (
            90,
            2,
            "1 hour and 30 minutes after the last order is in, or else when the 2 hours of grace",
        ),
    ],
)
def test_the_next_report_is_expected(settle: int, grace: int, said: str) -> None:
    """By the game's settling time and grace, whatever is on file."""
    frame = replace(FRAME, settle=settle, grace=grace)
    for mail in (MAIL.receipt, MAIL.orders_on_file):
        made = mail(frame, view(GAME, "Joe"), facts(GAME, Book(), "Joe"))
        assert f"The next report is expected {said}" in plain(made.text)
        assert f"The next report is expected {said}" in plain(html_to_text(made.html))
