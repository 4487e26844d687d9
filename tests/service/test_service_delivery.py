"""Sending the outbox: each mail once where that can be known, and nothing given up in silence."""

from datetime import timedelta

import pytest

from postal.errors import PostalError
from postal.mail.smtp import SendResult
from postal.service.outbound.delivery import recover, requeue
from postal.service.outbound.judging import BACKOFF, GIVE_UP
from postal.store.rows import Hindrance, OutboxState
from tests.service.service_league import MINUTE, League, Stumble, text_of

LATER = SendResult("retry", 450, "busy")
NEVER = SendResult("failed", 550, "no such user")
LOST = SendResult("unknown", 0, "connection lost")
LOGIN = SendResult("retry", 535, "refused")
DOWN = SendResult("retry", 0, "no server")


@pytest.fixture
def full(quick: League) -> League:
    """Give a league with six reports and the GM's in the outbox."""
    quick.clock.advance(timedelta(days=8))
    quick.poll()
    quick.due()
    quick.post.sent.clear()
    return quick


def states(league: League) -> list[str]:
    """Return the states of the reports of turn 1."""
    return [row.state.value for row in league.outbox() if row.turn == 1]


def test_each_mail_goes_once_to_its_person(full: League) -> None:
    """And a second round sends nothing."""
    assert full.send().sent == 7
    assert full.send().sent == 0
    assert sorted(recipient for recipient, _ in full.post.sent) == sorted(
        [f"{name.lower()}@example.org" for name in full.players] + ["grace@example.org"]
    )


def test_a_mail_not_taken_now_is_tried_again_later(full: League) -> None:
    """The others go all the same; it goes with the same bytes."""
    full.post.results = [LATER]
    done = full.send()
    assert (done.sent, done.retried) == (6, 1)
    assert full.send().sent == 0
    full.clock.advance(timedelta(minutes=BACKOFF[0]))
    assert full.send().sent == 1
    assert states(full) == ["sent"] * 7
    assert len({raw for _, raw in full.post.sent}) == 7


def test_the_pauses_get_longer(full: League) -> None:
    """Up to hours."""
    for minutes in BACKOFF:
        full.post.results = [LATER] * 7
        assert full.send().retried == 7
        full.clock.advance(timedelta(minutes=minutes) - MINUTE)
        assert full.send().retried == 0
        full.clock.advance(MINUTE)
    assert full.send().sent == 7


@pytest.mark.parametrize("answer", [LOGIN, DOWN, LOST, SendResult("retry", 421, "closing")])
def test_what_concerns_us_ends_the_round(full: League, answer: SendResult) -> None:
    """A login tried once for each mail would soon be locked."""
    full.post.results = [answer] * 7
    assert full.send().retried == 1
    assert len(full.post.results) == 6


def test_a_mail_refused_for_good_is_told_to_the_gm(full: League) -> None:
    """And can be queued again."""
    full.post.results = [NEVER]
    assert full.send().failed == 1
    full.send()
    recipient, raw = full.post.sent[-1]
    assert recipient == "grace@example.org"
    assert full.outbox("", "gm")[-1].subject.endswith("could not be delivered")
    assert b"no such user" not in raw or text_of(raw)
    assert requeue(full.work).count == 1
    assert full.send().sent == 1


def test_a_mail_that_is_never_taken_is_given_up(full: League) -> None:
    """After days, as mail servers do."""
    full.clock.advance(GIVE_UP + MINUTE)
    full.post.results = [LATER]
    assert full.send().failed == 1
    assert full.outbox("", "gm")[-1].subject.endswith("could not be delivered")


def test_a_mail_being_sent_at_the_end_is_sent_again_as_it_was(full: League) -> None:
    """Nobody knows whether it went: the same Message-ID tells its reader."""
    full.post.fails["sent"] = Stumble()
    with pytest.raises(Stumble):
        full.send()
    full.post.fails.clear()
    assert "sending" in states(full)
    assert full.send().sent == 6
    assert recover(full.work) == 1
    assert full.send().sent == 1
    assert full.post.sent[0] == full.post.sent[-1]


def test_only_what_waits_can_be_queued_again(full: League) -> None:
    """A mail that went, or that is none, can't."""
    full.send()
    sent = next(row for row in full.outbox() if row.state is OutboxState.SENT)
    for number in (sent.id or 0, 9999):
        with pytest.raises(PostalError, match=f"Mail {number} is not waiting"):
            requeue(full.work, [number])


BOUNCE = """Return-Path: <>
From: MAILER-DAEMON@example.org
To: gm@example.org
Auto-Submitted: auto-replied
Content-Type: multipart/report; report-type=delivery-status; boundary=x

--x
Content-Type: text/plain

Sorry.
--x
Content-Type: message/delivery-status

Reporting-MTA: dns; example.org

Final-Recipient: rfc822; ann@example.org
Action: {action}
Status: {status}
--x
Content-Type: text/rfc822-headers

Message-ID: {message_id}
--x--
"""


@pytest.mark.parametrize(
    ("action", "status", "told"), [("failed", "5.1.1", True), ("delayed", "4.4.1", False)]
)
def test_a_delivery_failure_is_told_to_the_gm(
    full: League, action: str, status: str, *, told: bool
) -> None:
    """A delay is not; and no player is told of either."""
    full.send()
    (report,) = full.outbox("Ann", "report")
    text = BOUNCE.format(message_id=report.message_id, action=action, status=status)
    before = len(full.outbox())
    full.post.deliver(text.replace("\n", "\r\n").encode())
    full.poll()
    new = full.outbox()[before:]
    assert [(row.kind, row.player) for row in new] == ([("gm", "")] if told else [])
    assert (full.outbox("Ann", "report")[0].state is OutboxState.FAILED) is told
    assert (full.outbox("Ann", "report")[0].hindrance is Hindrance.HIS) is told
    assert requeue(full.work).count == (2 if told else 0)  # with the word to the GM
