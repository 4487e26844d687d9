"""Loops and noise: what programs write is answered by nothing, and failures reach the GM alone."""

import sqlite3
from datetime import timedelta

import pytest
from sqlalchemy import event

from postal.engine.view import view
from postal.service.desk.overview import list_outbox
from postal.service.outbound.delivery import requeue
from postal.service.outbound.kinds import MOST_ANSWERS
from postal.store.outbox import count_messages
from postal.store.rows import MailStatus, OutboxState
from tests.service.service_league import MINUTE, League, Written, parsed, text_of

DAY = timedelta(days=1)

NOISE = {
    "empty envelope sender": "Return-Path: <>\n",
    "vacation": "Auto-Submitted: auto-replied (vacation)\n",
    "generated": "Auto-Submitted: auto-generated; type=x\n",
    "notified": "auto-submitted: AUTO-NOTIFIED\n",
    "bulk": "Precedence: bulk\n",
    "list": "Precedence: List\n",
    "junk": "Precedence: junk\n",
    "autoreply": "X-Autoreply: yes\n",
    "autorespond": "X-Autorespond: out of office\n",
    "list id": "List-Id: Some list <x.example.org>\n",
    "our own": "X-Postal-Loop: gm@example.org\n",
    "another league's": "X-Postal-Loop: league@elsewhere.example\n",
}


ODD_FOR_PEOPLE = ("empty envelope sender", "bulk", "list", "junk", "list id")
"""Marks of programs' mail that people's bears at times, too."""


def example(league: League, player: str = "Ann") -> str:
    """Return a line that the player's report offers him."""
    return view(league.game, player).due[0].examples[0]


def without_waits_for_the_disk(league: League) -> None:
    """Let the database's file not outlast a power cut: that takes most of the time otherwise."""

    def careless(connection: sqlite3.Connection, *_: object) -> None:
        connection.execute("PRAGMA synchronous = OFF")

    event.listen(league.database._writing, "checkout", careless)


@pytest.mark.parametrize("kind", NOISE)
@pytest.mark.parametrize("known", [True, False])
def test_no_answer_to_a_program(quick: League, kind: str, *, known: bool) -> None:
    """RFC 3834: with a good token nothing is done either.

    What a person may have written all the same is told (test_service_refused).
    """
    before, headers = len(quick.outbox()), NOISE[kind]
    told = known and kind in ODD_FOR_PEOPLE
    raw = quick.mail("Ann", f"{example(quick)}\n", token=None if known else "", headers=headers)
    if headers.startswith("Return-Path"):
        raw = raw.replace(b"Return-Path: <ann@example.org>\r\n", b"", 1)
    quick.post.deliver(raw)
    quick.poll()
    assert [row.kind for row in quick.outbox()[before:]] == (["refused"] if told else [])
    assert quick.on_file("Ann") == []
    assert quick.mails()[0].status is (MailStatus.REJECTED if told else MailStatus.IGNORED)


@pytest.mark.parametrize(
    "sender", ["gm@example.org", "GM+x@example.org", "MAILER-DAEMON@mx.example.net"]
)
def test_no_answer_to_ourselves_or_to_a_mail_server(quick: League, sender: str) -> None:
    """With a good token or without."""
    before = len(quick.outbox())
    quick.write("Ann", example(quick), sender=sender)
    quick.write("Ann", example(quick), sender=sender, token="")
    quick.poll()
    assert len(quick.outbox()) == before
    assert quick.on_file("Ann") == []


def test_each_mail_of_ours_that_comes_back_as_it_was_is_ignored(betting: League) -> None:
    """Whoever sends it: reports, receipts, hints and notices bear the loop tag."""
    betting.write("Ann", "help\nstatus\nresend\nrules\norders\n")
    betting.write("Cat", "hello", token="")
    betting.poll()
    rows = betting.outbox()
    for row in rows:
        betting.post.deliver((row.raw or b"").replace(b"From: Grace <gm@", b"From: <ann@", 1))
    betting.poll()
    assert len(betting.outbox()) == len(rows)
    assert {mail.status for mail in betting.mails()[-len(rows) :]} == {MailStatus.IGNORED}
    assert {parsed(row.raw)["Auto-Submitted"] for row in rows} == {
        "auto-generated",
        "auto-replied",
    }


def test_a_storm_of_automatic_answers_is_answered_by_nothing(quick: League) -> None:
    """A thousand, of every kind and to every player's address; orders among them are filed."""
    without_waits_for_the_disk(quick)
    before, kinds = len(quick.outbox()), list(NOISE.values())
    for number in range(1000):
        player = quick.players[number % 6]
        head = f"X-Number: {number}\n{kinds[number % len(kinds)]}"
        raw = quick.mail(player, "I am away until Monday.\n", headers=head, token="a" * 16)
        quick.post.deliver(raw.split(b"\r\n", 1)[1])
        if number == 500:
            line = example(quick)
            quick.write("Ann", line)
    handled = quick.poll().handled
    assert len(handled) == 1001
    assert handled.count("ignored") == 1000
    assert quick.on_file("Ann") == [line]
    assert [row.kind for row in quick.outbox()[before:]] == ["receipt"]


def test_a_storm_with_good_tokens_is_answered_by_nothing(dealt: League) -> None:
    """Notes of absence and returned mail that quote a report of ours and name its Message-ID."""
    without_waits_for_the_disk(dealt)
    before, kinds = len(dealt.outbox()), list(NOISE.values())
    reports = {row.player: row for row in dealt.outbox(None, "welcome")}
    for number in range(1000):
        player = dealt.players[number % 6]
        report = reports[player]
        dealt.post.deliver(_automatic(dealt, number, report, kinds[number % len(kinds)]))
    handled = dealt.poll().handled
    assert len(handled) == 1000
    assert set(handled) == {"ignored", "rejected"}
    assert len(dealt.outbox()) == before
    assert not any(map(dealt.on_file, dealt.players))


def _automatic(league: League, number: int, report: Written, header: str) -> bytes:
    """Return an automatic answer to a report, which quotes it in one of many ways."""
    text = text_of(report.raw)
    quoted = (
        "\n".join(f"> {line}" for line in text.splitlines()),
        f"-----Original Message-----\nFrom: Grace\nSubject: x\n\n{text}",
        text,
        " ".join(text.split()),
    )[number % 4]
    away = (
        "I am away until Monday.",
        "Ich bin bis Montag nicht im Haus.",
        "Your message could not be delivered yet.",
        "Undeliverable: your message was not read.",
    )[number // 4 % 4]
    named = f"In-Reply-To: {report.message_id}\nX-Number: {number}\n{header}"
    raw = league.mail(report.player, f"{away}\n\n{quoted}\n", headers=named)
    return raw if b"Return-Path: <>" not in raw else raw.partition(b"\r\n")[2]


def test_unreadable_mail_is_answered_once_in_five_minutes(quick: League) -> None:
    """And orders in between are filed and answered."""
    line = example(quick)
    for number in range(10):
        raw = quick.mail("Ann", f"R0lGODlhAQABAAAAACw{number}\n")
        quick.post.deliver(raw.replace(b"text/plain; charset=utf-8", b"image/gif"))
    quick.write("Ann", line)
    quick.poll()
    assert [row.kind for row in quick.outbox("Ann")] == ["welcome", "unreadable", "receipt"]
    assert quick.on_file("Ann") == [line]


def test_an_address_gets_no_more_than_so_many_answers_a_day(quick: League) -> None:
    """Orders are filed all the same, and others are answered."""
    without_waits_for_the_disk(quick)
    line = example(quick)
    for number in range(MOST_ANSWERS + 10):
        quick.write("Ann", f"{line}\n\nThanks {number}\n")
    quick.write("Ann", "cancel all\n")
    quick.write("Bob", example(quick, "Bob"))
    quick.poll()
    assert quick.on_file("Ann") == []
    with quick.database.reading() as session:
        since = quick.clock.now() - DAY
        assert count_messages(session, "ann@example.org", since) == MOST_ANSWERS
    assert len(quick.outbox("Bob", "receipt")) == 1
    before = len(quick.outbox("Ann"))
    quick.clock.advance(DAY + MINUTE)
    quick.write("Ann", line)
    quick.poll()
    assert len(quick.outbox("Ann")) == before + 1


def bounce(
    mail: Written,
    action: str = "failed",
    status: str = "5.1.1",
    recipient: str = "",
) -> bytes:
    """Return a report on a mail in the standard's form (RFC 3464)."""
    head = (mail.raw or b"").decode().replace("\r\n", "\n").partition("\n\n")[0]
    return (
        "Return-Path: <>\nFrom: MAILER-DAEMON@mx.example.net\nTo: gm@example.org\n"
        "Auto-Submitted: auto-replied\n"
        "Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\n"
        "--b\n\nSorry.\n--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx\n\n"
        f"Final-Recipient: rfc822; {recipient or mail.recipient}\nAction: {action}\n"
        f"Status: {status}\n\n"
        f"--b\nContent-Type: text/rfc822-headers\n\n{head}\n--b--\n"
    ).encode()


def returned(league: League, raw: bytes) -> list[str]:
    """Deliver a report, poll, and return what the GM is told; no player is told a thing."""
    before = len(league.outbox())
    league.post.deliver(raw)
    league.poll()
    new = league.outbox()[before:]
    assert {row.player for row in new} <= {""}
    return [" ".join(text_of(row.raw).split()) for row in new]


def test_a_final_failure_is_told_to_the_gm_once(dealt: League) -> None:
    """And stands in the list of the outbox until it is sent again."""
    (welcome,) = dealt.outbox("Ann", "welcome")
    (told,) = returned(dealt, bounce(welcome))
    assert "to ann@example.org came back: 5.1.1." in told
    assert f"`postal outbox retry {welcome.id}`" in told
    assert dealt.token("Ann") not in told
    (row,) = [one for one in list_outbox(dealt.work) if one["kind"] == "welcome"]
    assert (row["state"], row["answer"]) == ("failed", "came back: 5.1.1")
    assert returned(dealt, bounce(welcome, status="5.1.2")) == []
    assert dealt.mails()[0].status is MailStatus.IGNORED


def test_a_late_second_report_does_not_take_back_the_new_try(dealt: League) -> None:
    """But when the new one fails too, the GM is told of that."""
    (welcome,) = dealt.outbox("Ann", "welcome")
    returned(dealt, bounce(welcome))
    requeue(dealt.work, [welcome.id or 0])
    assert returned(dealt, bounce(welcome, status="5.0.0")) == []
    assert dealt.outbox("Ann", "welcome")[0].state is OutboxState.QUEUED
    dealt.send()
    assert dealt.outbox("Ann", "welcome")[0].state is OutboxState.SENT
    assert len(returned(dealt, bounce(welcome, status="5.2.1"))) == 1


def test_a_delay_is_listed_and_told_to_nobody(dealt: League) -> None:
    """Until it becomes a failure."""
    (welcome,) = dealt.outbox("Ann", "welcome")
    assert returned(dealt, bounce(welcome, "delayed", "4.4.1")) == []
    (row,) = list_outbox(dealt.work)
    assert (row["state"], row["answer"]) == ("sent", "delayed: 4.4.1")
    assert len(returned(dealt, bounce(welcome))) == 1


@pytest.mark.parametrize("action", ["delivered", "relayed", "expanded"])
def test_good_news_changes_nothing(dealt: League, action: str) -> None:
    """A receipt is no failure."""
    (welcome,) = dealt.outbox("Ann", "welcome")
    assert returned(dealt, bounce(welcome, action, "2.0.0")) == []
    assert list_outbox(dealt.work) == []


QMAIL = """Return-Path: <>
From: MAILER-DAEMON@mx.example.net
To: gm@example.org
Subject: failure notice

Hi. This is the qmail-send program at mx.example.net.
I'm afraid I wasn't able to deliver your message to the following addresses.

<ann@example.org>:
Sorry, no mailbox here by that name. (#5.1.1)

--- Below this line is a copy of the message.

{head}
"""


@pytest.mark.parametrize("garbled", [False, True])
def test_a_failure_in_a_servers_own_words_is_matched_too(dealt: League, *, garbled: bool) -> None:
    """By the Message-ID that it quotes, or else by the token."""
    (welcome,) = dealt.outbox("Ann", "welcome")
    head = (welcome.raw or b"").decode().replace("\r\n", "\n").partition("\n\n")[0]
    if garbled:
        head = head.replace("Message-ID:", "X-Old-ID:")
    (told,) = returned(dealt, QMAIL.format(head=head).encode())
    assert "to ann@example.org came back: no status given." in told


def test_a_failure_of_no_mail_of_ours_does_nothing(dealt: League) -> None:
    """A stranger's, or one of a mail whose token is nobody's."""
    (welcome,) = dealt.outbox("Ann", "welcome")
    raw = bounce(welcome).replace(dealt.token("Ann").encode(), b"a" * 16)
    assert returned(dealt, raw) == []
    assert returned(dealt, QMAIL.format(head="Message-ID: <x@y.example>").encode()) == []
    assert list_outbox(dealt.work) == []
    assert {mail.reason for mail in dealt.mails()} == {"a delivery report of no mail of ours"}


def test_a_failure_of_a_mail_to_the_gm_makes_no_other(dealt: League) -> None:
    """Or the two would go on for ever."""
    (report,) = dealt.outbox("", "gm")
    assert returned(dealt, bounce(report)) == []
    assert [row["kind"] for row in list_outbox(dealt.work)] == ["gm"]


def test_a_failure_orders_nothing_though_it_holds_a_token(dealt: League) -> None:
    """A server's words are read as no orders."""
    (welcome,) = dealt.outbox("Ann", "welcome")
    raw = bounce(welcome).replace(b"Sorry.", f"{example(dealt)}\n".encode())
    returned(dealt, raw.replace(b"gm@example.org", f"gm+{dealt.token('Ann')}@x.org".encode(), 1))
    assert dealt.on_file("Ann") == []
