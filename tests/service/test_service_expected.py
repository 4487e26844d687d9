"""Receipts and `orders` say when the next report is expected, and nothing of others' orders."""

import pytest

from postal.service.desk.overview import show_orders
from tests.service.service_league import DEADLINE, MINUTE, SLUG, League


def flat(text: str) -> str:
    """Return a text on one line."""
    return " ".join(text.split())


@pytest.mark.parametrize("text", ["A: fold", "orders"])
def test_a_receipt_says_when_the_next_report_is_expected(dealt: League, text: str) -> None:
    """By the game's own rules."""
    told = flat(dealt.say("Ann", text))
    assert (
        "in 7 days and 8 hours. The next report is expected 30 minutes after the last order is in,"
        " or else soon after the deadline." in told
    )


def test_it_is_the_same_whoever_has_ordered(dealt: League) -> None:
    """The last of all gets the same words as the first (10.3)."""
    first = flat(dealt.say("Ann", "orders"))
    dealt.order_all("Ann")
    dealt.poll()
    assert flat(dealt.say("Ann", "orders")) == first


def test_the_gm_is_told_the_moment(quick: League) -> None:
    """As the orders stand: the deadline, or once all are in when they have settled."""
    assert show_orders(quick.work, SLUG)["expected"] == DEADLINE.isoformat()
    quick.order_all()
    quick.poll()
    settled = quick.clock.now() + 30 * MINUTE
    assert show_orders(quick.work, SLUG)["expected"] == settled.isoformat()
