"""Commands by mail: help, status, rules, orders, resend, cancel, wait, ready; several orders."""

import re

import pytest

from postal.engine.game import due
from postal.engine.view import view
from tests.service.service_league import HOUR, League, Written, parsed, text_of

NMR = re.compile(r"NMR: (.*?), so the default")


def example(league: League, player: str = "Ann", place: int = 0) -> str:
    """Return a line that the player's report offers him."""
    return view(league.game, player).due[place].examples[0]


def test_help_rules_and_status(dealt: League) -> None:
    """Each brings a mail of its own, and no receipt."""
    dealt.write("Ann", "help\nrules\nstatus\nhelp\n")
    dealt.poll()
    assert [row.kind for row in dealt.outbox("Ann")] == ["welcome", "help", "rules", "status"]
    own, other = (view(dealt.game, name).mine()[0][2].hidden or () for name in ("Ann", "Bob"))
    status = text_of(dealt.outbox("Ann", "status")[0].raw)
    assert own != other
    assert all(str(card) in status for card in own)
    assert "£20,000" in text_of(dealt.outbox("Ann", "rules")[0].raw)


def test_a_command_beside_orders(dealt: League) -> None:
    """Both are done."""
    line = example(dealt)
    dealt.write("Ann", f"{line}\norders\n")
    dealt.poll()
    assert [row.kind for row in dealt.outbox("Ann")] == ["welcome", "receipt", "orders"]
    assert f":: {line}" in text_of(dealt.outbox("Ann", "orders")[0].raw)


def test_resend_brings_the_last_report_again(dealt: League) -> None:
    """The same text under a new Message-ID, since programs hide a second mail of one."""
    dealt.play(1)
    dealt.write("Ann", "resend\n")
    dealt.poll()
    (report,) = dealt.outbox("Ann", "report")
    (again,) = dealt.outbox("Ann", "resend")
    assert again.message_id != report.message_id
    assert parsed(again.raw)["Message-ID"] == again.message_id
    assert text_of(again.raw) == text_of(report.raw)
    assert parsed(again.raw)["Subject"] == parsed(report.raw)["Subject"]


def test_resend_in_the_first_turn_brings_the_welcome(dealt: League) -> None:
    """It holds the cards."""
    dealt.write("Ann", "resend\n")
    dealt.poll()
    assert dealt.outbox("Ann", "resend")[0].subject == dealt.outbox("Ann", "welcome")[0].subject


def test_cancel_takes_orders_back(dealt: League) -> None:
    """One table's, or all."""
    lines = [example(dealt, place=place) for place in range(3)]
    dealt.say("Ann", "\n".join(lines))
    text = dealt.say("Ann", f"cancel {lines[0][0]}\n")
    assert "taken back" in text
    assert dealt.on_file("Ann") == lines[1:]
    dealt.say("Ann", "cancel all\n")
    assert dealt.on_file("Ann") == []


def test_wait_holds_the_turn_and_ready_takes_it_back(dealt: League) -> None:
    """9.6: to the deadline; it is no order."""
    dealt.order_all()
    dealt.write("Ann", "wait\n")
    dealt.poll()
    said = " ".join(text_of(dealt.outbox("Ann", "receipt")[-1].raw).split())
    assert "until Monday 9 March 2026, 20:00 GMT (Europe/London), because you asked it to" in said
    dealt.clock.advance(HOUR)
    assert dealt.due() == ()
    assert "You have released the turn." in dealt.say("Ann", "ready\n")
    dealt.clock.advance(HOUR)
    assert len(dealt.due()) == 1


def test_wait_is_no_shield_against_nmr(dealt: League) -> None:
    """9.6: nothing but wait is no order; it is a sign of life (9.4)."""
    dealt.order_all("Ann")
    dealt.write("Ann", "wait\n")
    dealt.clock.advance(HOUR * 24 * 8)
    dealt.poll()
    (done,) = dealt.due()
    assert done.why == "deadline"
    assert dealt.game.missed["Ann"] == 0
    said = " ".join(text_of(dealt.outbox("Ann", "report")[-1].raw).split())
    assert "NMR: no good order from you" in said


def test_9_3_who_was_not_understood_reads_that_no_order_was_good(dealt: League) -> None:
    """In his report and when it is sent again; who was silent reads that he sent none."""
    dealt.order_all("Ann", "Bob")
    for _ in range(2):
        dealt.say("Ann", "A: giv 2C 5D next, 9H previous\n")
    dealt.clock.advance(HOUR * 24 * 8)
    dealt.poll()
    (done,) = dealt.due()
    assert done.why == "deadline"

    def nmrs(mail: Written) -> set[str]:
        return set(NMR.findall(" ".join(text_of(mail.raw).split())))

    dealt.say("Ann", "resend\n")
    for kind in ("report", "resend"):
        mine = nmrs(dealt.outbox("Ann", kind)[-1])
        assert "no good order from you" in mine
        assert "no order from you" not in mine
    assert "no order from you" in nmrs(dealt.outbox("Bob", "report")[-1])
    for player in ("Bob", "Cat"):
        assert "no good order from Ann" in nmrs(dealt.outbox(player, "report")[-1])


def test_the_letter_is_enough_and_press_is_not_read(dealt: League) -> None:
    """Nothing between press: and end is an order."""
    line = example(dealt)
    dealt.say("Ann", f"press:\n{line}\nend\n")
    assert dealt.on_file("Ann") == []


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("{t}: raise 5000\nall: fold", True),
        ("all: raise 5000\n{t}: fold", True),
        ("{t}: raise 5000\n{t}: fold", True),
        ("{t}: raise 999999\n{t}: fold", False),
        ("cancel {t}\n{t}: fold", False),
        ("{t}: fold", False),
    ],
)
def test_the_receipt_says_that_the_last_line_counts(
    betting: League,
    lines: str,
    told: bool,  # noqa: FBT001 - what the receipt says
) -> None:
    """Where an earlier good line gave way, by whatever words, and only there (ORDERS.md)."""
    player, hand = due(betting.game)[0]
    text = betting.say(player, lines.format(t=hand[0]))
    assert betting.on_file(player)[0] == f"{hand[0]}: fold"
    assert (f"In hand {hand}: the last good line counts" in text) is told
