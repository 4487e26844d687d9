"""Another address for a person: reports go there at once, and nobody at the old one counts."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from postal.engine.view import GameView, view
from postal.errors import PostalError, UsageError
from postal.mail.smtp import SendResult
from postal.reports import Frame, Rendered
from postal.resources import templates_path
from postal.service.desk.newaddress import WITHDRAWN, set_address
from postal.service.desk.people import show_person
from postal.service.desk.players import add_address
from postal.service.inbound.intake import poll
from postal.service.outbound.delivery import requeue
from postal.service.turns.adjudication import adjudicate_due
from postal.store.rows import (
    MailStatus,
    OutboxState,
)
from tests.service.people_league import (
    NEW,
    OTHER,
    WORK,
    confirm_work,
    filed,
    finish,
    held_by,
    line,
    put,
    reply_to,
    token,
)
from tests.service.service_league import (
    GM_BOX,
    HOUR,
    MINUTE,
    SLUG,
    START,
    League,
    PlainReports,
    text_of,
)

CARD = re.compile(r"\b(?:10|[2-9JQKA])[CDHS]\b|JKR")


class Slow:
    """A process during whose work on a mail the GM replaces Ann's address."""

    def __init__(self, league: League, template: str) -> None:
        """Take the league, and the mail that takes so long."""
        self.done = False
        outer = self

        class Slowly(PlainReports):
            def _render(
                self,
                name: str,
                frame: Frame,
                title: str,
                view: GameView | None = None,
                **values: object,
            ) -> Rendered:
                if name == template and not outer.done:
                    outer.done = True
                    set_address(league.work, "Ann", NEW)
                return super()._render(name, frame, title, view, **values)

        reports = Slowly(templates_path(Path("nowhere")))
        self.work = replace(league.work, reports=reports)


def test_reports_go_to_the_new_address_at_once_in_each_game(two: League) -> None:
    """With tokens that work; the old ones are void, and nothing more goes to the old address."""
    old = {slug: two.token("Ann", slug=slug) for slug in (SLUG, OTHER)}
    done = set_address(two.work, "ann", NEW)
    assert (done.name, done.former, done.games) == ("Ann", "ann@example.org", (SLUG, OTHER))
    before = len(two.outbox())
    for slug, void in old.items():
        (report,) = two.outbox("Ann", "resend", slug=slug)
        assert report.recipient == NEW
        assert void not in report.message_id + reply_to(report)
        two.write("Ann", line(two, "Ann", slug), token=void, slug=slug, sender="x@example.net")
    two.poll()
    assert two.on_file("Ann") == []
    assert len(two.outbox()) == before
    for slug in old:
        new = token(two, "Ann", slug)
        two.write("Ann", line(two, "Ann", slug), token=new, slug=slug, sender=NEW)
    two.poll()
    assert filed(two, "Ann", SLUG) == filed(two, "Ann", OTHER) == [NEW]
    two.clock.move_to(START + 8 * 24 * HOUR)
    two.poll()
    adjudicate_due(two.work)
    reports = two.outbox("Ann", "report")
    assert [row.recipient for row in reports] == [NEW, NEW]


def test_the_old_address_is_a_strangers(two: League) -> None:
    """Its mail with an old token does nothing and gets nothing; from the new one it gets a hint."""
    old = two.token("Ann")
    set_address(two.work, "Ann", NEW)
    before = len(two.outbox())
    two.write("Ann", line(two, "Ann"), token=old)
    two.write("Ann", line(two, "Ann"), token="")
    two.poll()
    assert len(two.outbox()) == before
    two.write("Ann", line(two, "Ann"), token=old, sender=NEW)
    two.poll()
    assert two.on_file("Ann") == []
    assert [row.recipient for row in two.outbox("Ann", "hint")] == [NEW]
    assert [one["address"] for one in show_person(two.work, "Ann")["addresses"]] == [NEW]


def test_what_waits_for_the_old_address_never_goes_there(two: League) -> None:
    """Queued, perhaps gone, in hand, or failed before: the report to the new one stands for it."""
    for _ in range(4):
        two.write("Ann", "status\n")
    two.poll()
    rows = two.outbox("Ann", "status")
    states = (OutboxState.QUEUED, OutboxState.UNKNOWN, OutboxState.SENDING, OutboxState.FAILED)
    put(two, rows, *states)
    set_address(two.work, "Ann", NEW)
    after = two.outbox("Ann", "status")
    assert {row.state for row in after} == {OutboxState.FAILED}
    assert [row.last_text for row in after[:3]] == [WITHDRAWN] * 3
    assert list(requeue(two.work).hindered) == [row.id for row in after]
    for row in after:
        with pytest.raises(PostalError, match=rf"Mail {row.id} can't be sent again: "):
            requeue(two.work, [row.id or 0])
    two.post.sent.clear()
    two.clock.advance(HOUR)
    two.send()
    assert [to for to, _ in two.post.sent if to.startswith("ann@")] == [NEW, NEW]
    undelivered = show_person(two.work, "Ann")["undelivered"]
    assert [one["to"] for one in undelivered] == ["ann@example.org"] * 4


def test_a_letter_in_hand_that_does_not_get_through_is_not_tried_again(two: League) -> None:
    """It was withdrawn while it was being sent."""
    two.write("Ann", "status\n")
    two.poll()
    inner = two.post.send

    def send(raw: bytes, recipient: str, envelope_from: str) -> SendResult:
        if recipient == "ann@example.org":
            set_address(two.work, "Ann", NEW)
            return SendResult("unknown", 0, "the connection was lost")
        return inner(raw, recipient, envelope_from)

    two.post.send = send  # type: ignore[method-assign]  # a server that is slow
    two.send()
    two.post.send = inner  # type: ignore[method-assign]  # and well again
    two.clock.advance(5 * MINUTE)
    two.post.sent.clear()
    two.send()
    assert {to for to, _ in two.post.sent} == {NEW}


def test_an_answer_worked_out_before_does_not_give_the_old_token_out_again(two: League) -> None:
    """The answer is worked out anew, and its mail is a stranger's by then."""
    slow = Slow(two, "receipt")
    two.write("Ann", line(two, "Ann"), sender="x@example.net")
    poll(slow.work, two.post)
    assert slow.done
    assert two.on_file("Ann") == []
    assert not two.outbox("Ann", "receipt")
    two.write("Ann", line(two, "Ann"), sender="x@example.net")
    two.poll()
    assert two.on_file("Ann") == []


def test_nor_does_a_report_that_was(two: League) -> None:
    """The turn is adjudicated at the next round, and its report goes to the new address."""
    two.order_all()
    two.poll()
    two.clock.advance(HOUR)
    slow = Slow(two, "report")
    assert adjudicate_due(slow.work) == ()
    assert slow.done
    assert len(adjudicate_due(two.work)) == 1
    (report,) = two.outbox("Ann", "report")
    assert report.recipient == NEW
    assert two.token("Ann") not in reply_to(report)
    two.write("Ann", "status\n", sender="x@example.net")
    two.poll()
    assert two.mails()[-1].status is MailStatus.REJECTED


def test_an_address_asked_for_can_be_made_the_first(two: League) -> None:
    """The GM vouches for it: it needs no answer any more, and an answer changes nothing."""
    add_address(two.work, "Ann", WORK, SLUG)
    (mail,) = [row for row in two.outbox("Ann", "address") if row.recipient == WORK]
    set_address(two.work, "Ann", WORK)
    assert [
        (one["address"], one["reports"]) for one in show_person(two.work, "Ann")["addresses"]
    ] == [(WORK, True)]
    raw = two.mail("Ann", "Yes.\n", token="", sender=WORK)
    before = len(two.outbox("Ann", "address"))
    two.post.deliver(raw.replace(f"To: {GM_BOX}".encode(), f"To: {reply_to(mail)}".encode()))
    two.poll()
    assert len(two.outbox("Ann", "address")) == before


def test_a_second_address_stays_and_can_become_the_first(two: League) -> None:
    """Only the one that is replaced goes."""
    confirm_work(two)
    set_address(two.work, "Ann", NEW)
    assert [one["address"] for one in show_person(two.work, "Ann")["addresses"]] == [WORK, NEW]
    set_address(two.work, "Ann", WORK)
    assert [one["address"] for one in show_person(two.work, "Ann")["addresses"]] == [WORK]
    assert two.outbox("Ann", "resend")[-1].recipient == WORK


def test_the_same_address_is_refused_but_not_another_spelling(two: League) -> None:
    """A server may know the case of the part before the sign."""
    with pytest.raises(UsageError, match=r"Ann's reports go to ann@example\.org already"):
        set_address(two.work, "Ann", "ann@example.org")
    set_address(two.work, "Ann", "Ann@Example.org")
    assert two.outbox("Ann", "resend")[-1].recipient == "Ann@Example.org"
    assert len(show_person(two.work, "Ann")["addresses"]) == 1


@pytest.mark.parametrize(
    ("address", "why"),
    [
        (GM_BOX, "own or the GM's"),
        ("grace@example.org", "own or the GM's"),
        ("Bob@example.org", "Bob's address already"),
        ("nonsense", "no mail address"),
    ],
)
def test_an_address_that_will_not_do_is_refused(quick: League, address: str, why: str) -> None:
    """In a sentence; the old one and its tokens stand."""
    with pytest.raises(UsageError, match=why):
        set_address(quick.work, "Ann", address)
    quick.write("Ann", line(quick, "Ann"))
    quick.poll()
    assert filed(quick, "Ann", SLUG) == ["ann@example.org"]


def test_two_may_share_an_address_who_meet_in_no_game(apart: League) -> None:
    """Each mail's token says whose it is."""
    set_address(apart.work, "Annie", "ann@example.org")
    apart.write("Ann", line(apart, "Ann"))
    theirs = token(apart, "Annie", OTHER)
    example = line(apart, "Annie", OTHER)
    apart.write("Annie", example, token=theirs, sender="ann@example.org", slug=OTHER)
    apart.poll()
    assert filed(apart, "Ann", SLUG) == filed(apart, "Annie", OTHER) == ["ann@example.org"]
    set_address(apart.work, "Annie", NEW)
    apart.write("Ann", line(apart, "Ann"))
    apart.poll()
    assert filed(apart, "Ann", SLUG)[-1] == "ann@example.org"


def test_a_person_without_a_game_in_play_can_get_an_address(quick: League) -> None:
    """Nothing is sent then, but for the final report where it has not arrived."""
    finish(quick)
    put(quick, quick.outbox("Ann", "final"), OutboxState.FAILED)
    assert set_address(quick.work, "Bob", "bob@new.example").games == ()
    assert set_address(quick.work, "Ann", NEW).games == (SLUG,)
    assert [row.recipient for row in quick.outbox("Ann", "resend")] == [NEW]
    held_by(quick, "Cat", "Sue", "sue@example.org")
    assert set_address(quick.work, "Cat", "cat@new.example").games == ()


def test_a_game_that_cannot_be_read_keeps_no_other_from_its_report(two: League) -> None:
    """It is named, and its tokens are void like the rest."""
    old = two.token("Ann", slug=OTHER)
    with two.database.transaction() as session:
        done = two.loaded(OTHER).done
        assert done is not None
        done.state = "{}"
        session.add(done)
    done_there = set_address(two.work, "Ann", NEW)
    assert (done_there.games, done_there.unreadable) == ((SLUG,), (OTHER,))
    two.write("Ann", "status\n", token=old)
    two.poll()
    assert two.mails()[-1].status is MailStatus.REJECTED


def test_cards_that_came_by_post_are_in_the_new_report(dealt: League) -> None:
    """The mail that brought them went to an address that was wrong."""
    dealt.begin(OTHER, bytes(32), exchange="post")
    for player in dealt.players[1:]:
        due = view(dealt.loaded(OTHER).game, player).due
        dealt.write(player, "\n".join(item.examples[0] for item in due), slug=OTHER)
    dealt.poll()
    gift = dealt.outbox(None, "gift", slug=OTHER)[0]
    assert gift.state is OutboxState.QUEUED
    set_address(dealt.work, gift.player, NEW)
    (report,) = dealt.outbox(gift.player, "resend", slug=OTHER)
    cards = set(CARD.findall(text_of(gift.raw)))
    assert cards
    assert cards <= set(CARD.findall(text_of(report.raw)))
