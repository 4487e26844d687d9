"""A clock that can't be right holds every turn, and rules nobody absent (RULES.md 10.5)."""

import logging
from datetime import timedelta

import pytest

from postal.mail.connection import MailboxUnavailable
from postal.service.ticks import LONGEST_PAUSE, Rounds
from postal.store.rows import TroubleKind
from postal.store.troubles import open_trouble
from tests.service.service_league import DEADLINE, HOUR, MINUTE, League

DAY = timedelta(days=1)
WRONG = "postal: the clock of this computer can't be right"


def rounds_of(league: League) -> Rounds:
    """Return a daemon's rounds, as at its start."""
    return Rounds(league.work, lambda: league.post, league.post)


def told(league: League) -> list[str]:
    """Return the subjects of what the GM was told of the clock."""
    return [one.subject for one in league.outbox("", "gm") if "clock" in one.subject]


def minutes(league: League, rounds: Rounds, count: int) -> None:
    """Let so many minutes pass, by the server's clock too, with a round each."""
    for _ in range(count):
        league.clock.advance(MINUTE)
        if league.post.says is not None:
            league.post.says += MINUTE
        rounds.round()


@pytest.mark.parametrize("orders", [False, True])
@pytest.mark.parametrize("ahead", [8 * DAY, -8 * DAY])
def test_a_clock_that_jumps_holds_every_turn(
    quick: League, ahead: timedelta, *, orders: bool
) -> None:
    """Whatever it says, until it agrees with the mail server's; and the GM is told of both."""
    rounds = rounds_of(quick)
    minutes(quick, rounds, 2)
    if orders:
        quick.order_all()
    quick.post.says = quick.clock.now()
    quick.clock.set(quick.clock.now() + ahead)
    minutes(quick, rounds, 60)
    assert quick.game.turn == 1
    assert told(quick) == [WRONG]
    quick.clock.set(quick.post.says)
    minutes(quick, rounds, 3)
    assert quick.game.turn == (2 if orders else 1)
    assert told(quick) == [WRONG, f"postal: it is over: {WRONG.removeprefix('postal: ')}"]
    asked = quick.post.asked
    minutes(quick, rounds, 5)
    assert quick.post.asked == asked, "what agrees is not asked again"


def test_a_daemon_that_starts_after_hours_asks_the_server(quick: League) -> None:
    """A clock that went wrong meanwhile is found out before anybody is NMR."""
    minutes(quick, rounds_of(quick), 1)
    quick.post.says = quick.clock.now() + DAY
    quick.clock.advance(9 * DAY)
    minutes(quick, rounds_of(quick), 3)
    assert quick.game.turn == 1
    assert told(quick) == [WRONG]
    quick.clock.set(quick.post.says)
    minutes(quick, rounds_of(quick), 1)
    assert len(told(quick)) == 2, "another process finds that it is over"


def test_a_machine_that_slept_goes_on_at_once(quick: League) -> None:
    """Its clock has jumped and is right; the turn whose deadline is past is adjudicated."""
    rounds = rounds_of(quick)
    minutes(quick, rounds, 1)
    quick.clock.set(DEADLINE + HOUR)
    quick.post.says = quick.clock.now()
    rounds.round()
    assert quick.game.turn == 2
    assert not told(quick)


def test_a_poll_by_a_clock_that_was_ahead_counts_for_nothing(quick: League) -> None:
    """Once it is set right, the deadline waits for a poll that comes after it."""
    right = quick.clock.now()
    quick.clock.set(DEADLINE + DAY)
    quick.poll()
    quick.clock.set(right)
    quick.post.says = right
    rounds = rounds_of(quick)
    rounds.round()
    quick.clock.advance(8 * DAY)
    quick.post.fails["new_uids"] = MailboxUnavailable("Down")
    rounds.round()
    assert quick.game.turn == 1
    quick.post.fails.clear()
    quick.clock.advance(LONGEST_PAUSE)
    rounds.round()
    assert quick.game.turn == 2


@pytest.mark.parametrize(("newest", "turn"), [(None, 2), (-9 * DAY, 2), (-MINUTE, 2), (DAY, 1)])
def test_where_the_server_does_not_say_the_last_mail_does(
    quick: League, caplog: pytest.LogCaptureFixture, newest: timedelta | None, turn: int
) -> None:
    """If it is newer than the clock; an old one, or none, is no evidence and holds nothing."""
    rounds = rounds_of(quick)
    minutes(quick, rounds, 1)
    quick.clock.set(DEADLINE + HOUR)
    if newest is not None:
        quick.post.deliver(b"From: x@example.org\r\n\r\nHello", quick.clock.now() + newest)
    with caplog.at_level(logging.WARNING, "postal"):
        rounds.round()
    assert quick.game.turn == turn
    said = "doesn't tell the time" in caplog.text
    assert said is (newest is None or newest < -HOUR)


def test_a_server_that_breaks_at_the_question_is_polled_all_the_same(quick: League) -> None:
    """At the second time it counts as one that can't say."""
    rounds = rounds_of(quick)
    minutes(quick, rounds, 1)
    quick.post.fails["server_time"] = MailboxUnavailable("Lost")
    quick.clock.set(DEADLINE + HOUR)
    for _ in range(3):
        rounds.round()
        quick.clock.advance(LONGEST_PAUSE)
    assert quick.game.turn == 2
    with quick.database.reading() as session:
        assert open_trouble(session, TroubleKind.CLOCK, "") is None
