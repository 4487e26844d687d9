"""Rounds of the post room: what is down is told once, tried again, and holds up nothing else."""

import logging
from datetime import timedelta

import pytest

from postal.mail.connection import MailboxUnavailable
from postal.service.ticks import LONGEST_PAUSE, Rounds
from tests.service.service_league import MINUTE, League


@pytest.fixture
def rounds(quick: League) -> Rounds:
    """Give rounds over the league's post."""
    return Rounds(quick.work, lambda: quick.post, quick.post)


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what was warned of."""
    return [one.getMessage() for one in caplog.records if one.levelno >= logging.WARNING]


def test_one_connection_lasts(quick: League, rounds: Rounds) -> None:
    """It is made at the first round and kept."""
    rounds.begin()
    for _ in range(3):
        rounds.round()
    assert (quick.post.entered, quick.post.closed) == (1, 0)
    rounds.close()
    assert quick.post.closed == 2, "that to the mailbox and that for sending"


def test_a_mailbox_that_is_down_is_told_once_and_tried_ever_more_rarely(
    quick: League, rounds: Rounds, caplog: pytest.LogCaptureFixture
) -> None:
    """And so is its return."""
    quick.post.fails["enter"] = MailboxUnavailable("The server is away")
    tries = 0
    with caplog.at_level(logging.INFO, "postal"):
        for _ in range(120):
            before = rounds._again
            rounds.round()
            tries += rounds._again != before
            quick.clock.advance(MINUTE)
        quick.post.fails.clear()
        quick.clock.advance(LONGEST_PAUSE)
        rounds.round()
    assert tries < 15
    assert warnings(caplog) == ["mailbox: The server is away"]
    assert "mailbox: working again" in caplog.text


def test_a_lost_connection_is_thrown_away(quick: League, rounds: Rounds) -> None:
    """Whatever broke it, a bug too."""
    rounds.round()
    for number, error in enumerate((MailboxUnavailable("Lost"), ValueError("odd")), 1):
        quick.post.fails["new_uids"] = error
        rounds.round()
        assert quick.post.closed == number
        quick.post.fails.clear()
        quick.clock.advance(MINUTE)
        rounds.round()
        assert quick.post.entered == number + 1


def test_no_mailbox_no_deadline_but_mail_still_goes(quick: League, rounds: Rounds) -> None:
    """10.5: nobody is NMR for want of a poll."""
    quick.order_all()
    quick.poll()
    quick.clock.advance(timedelta(days=8))
    quick.post.fails["new_uids"] = MailboxUnavailable("Down")
    rounds.round()
    assert quick.game.turn == 1
    assert len(quick.post.sent) == 6
    quick.post.fails.clear()
    quick.clock.advance(LONGEST_PAUSE)
    rounds.round()
    assert quick.game.turn == 2
    assert len(quick.post.sent) == 13


def test_a_bug_in_one_part_holds_up_no_other(
    quick: League, rounds: Rounds, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It is told by its place, never by its text, which may quote cards."""

    def failing(*_: object) -> None:
        raise KeyError("AS KD")

    monkeypatch.setattr("postal.service.ticks.adjudicate_due", failing)
    quick.write("Ann", "help")
    for _ in range(3):
        rounds.round()
    assert len(quick.post.sent) == 1
    (warning,) = warnings(caplog)
    assert "KeyError at failing" in warning
    assert "AS KD" not in caplog.text


def test_a_clock_set_back_lengthens_no_pause(quick: League, rounds: Rounds) -> None:
    """A mailbox that is back is polled as soon as it would have been."""
    quick.post.fails["enter"] = MailboxUnavailable("Down")
    rounds.round()
    quick.post.fails.clear()
    quick.clock.set(quick.clock.now() - timedelta(hours=1))
    quick.clock.advance(MINUTE)
    rounds.round()
    assert quick.post.entered == 1
