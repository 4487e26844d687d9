"""A good token in a mail that is no person's by its form: told once a day, and seen by the GM."""

from dataclasses import replace
from datetime import timedelta

import pytest

from postal.engine.view import view
from postal.service.desk.mails import list_mails
from postal.store.rows import MailStatus
from tests.service.service_league import HOUR, League, parsed, text_of

DAY = timedelta(days=1)
SLIPS = {
    "an old address as the name": (
        "From: Ann <ann@",
        "From: ann@work.example <ann@",
        "address that it is from",
    ),
    "two senders": (
        "From: Ann <ann@",
        "From: Bob <bob@example.org>, Ann <ann@",
        "address that it is from",
    ),
    "no sender": ("From: Ann <ann@example.org>", "From: Ann", "names no address"),
    "bulk": ("Subject:", "Precedence: bulk\r\nSubject:", "mail to many"),
    "a list": ("Subject:", "List-Id: <x.example.org>\r\nSubject:", "mail to many"),
    "no envelope": ("Return-Path: <ann@example.org>", "Return-Path: <>", "return it to"),
}


def odd(league: League, slip: str, text: str, headers: str = "") -> bytes:
    """Return Ann's mail with something in its header as programs have it."""
    old, new, _ = SLIPS[slip]
    raw = league.mail("Ann", text, headers=headers)
    assert old.encode() in raw
    return raw.replace(old.encode(), new.encode(), 1)


def line(league: League) -> str:
    """Return a good line of Ann's."""
    return view(league.game, "Ann").due[0].examples[0]


def listed(league: League) -> list[str]:
    """Return why each mail is listed that needs the GM."""
    return [row["reason"] for row in list_mails(league.work)]


@pytest.mark.parametrize("slip", SLIPS)
def test_a_mail_that_orders_is_told_at_the_registered_address(dealt: League, slip: str) -> None:
    """Nothing of it is done; the GM sees it; his own answer to the word is taken."""
    dealt.post.deliver(odd(dealt, slip, f"{line(dealt)}\n\n> status\n"))
    dealt.poll()
    assert dealt.on_file("Ann") == []
    (word,) = dealt.outbox("Ann", "refused")
    assert word.recipient == "ann@example.org"
    assert SLIPS[slip][2] in " ".join(text_of(word.raw).split())
    assert parsed(word.raw)["Auto-Submitted"] == "auto-replied"
    (why,) = listed(dealt)
    assert why.endswith("it has the token of Ann in smith-1 and orders something")
    dealt.write("Ann", line(dealt))
    dealt.poll()
    assert dealt.on_file("Ann") == [line(dealt)]


@pytest.mark.parametrize("command", ["status", "cancel all", "ready", "* A: Fold"])
def test_commands_count_as_well(quick: League, command: str) -> None:
    """And orders for which it is not the time."""
    quick.post.deliver(odd(quick, "bulk", f"{command}\n"))
    quick.poll()
    assert len(quick.outbox("Ann", "refused")) == 1


@pytest.mark.parametrize("slip", SLIPS)
@pytest.mark.parametrize(
    "text",
    [
        "I am away until Monday.\n",
        "I am away.\n\nOn Monday Grace wrote:\n> A: fold\n> status\n\nhelp\n",
        "=-=-= Reply above this line =-=-=\nA: fold\n",
        ":: A: fold\nA: fold\n",
        "",
    ],
)
def test_what_orders_nothing_above_the_quote_is_told_to_nobody(
    quick: League, slip: str, text: str
) -> None:
    """But the GM sees that it came."""
    before = len(quick.outbox())
    quick.post.deliver(odd(quick, slip, text))
    quick.poll()
    assert len(quick.outbox()) == before
    assert len(listed(quick)) == 1
    assert quick.mails()[0].status is MailStatus.REJECTED


@pytest.mark.parametrize("slip", SLIPS)
@pytest.mark.parametrize(
    "headers",
    [
        "Auto-Submitted: auto-replied\n",
        "X-Autoreply: yes\n",
        "X-Postal-Loop: gm@example.org\n",
        "Content-Type: multipart/report; boundary=b\n",
    ],
)
def test_what_a_program_is_known_to_have_sent_is_told_to_nobody(
    quick: League, slip: str, headers: str
) -> None:
    """Whatever stands in it; nor does it fill the GM's list."""
    before = len(quick.outbox())
    quick.post.deliver(odd(quick, slip, f"{line(quick)}\n", headers))
    quick.poll()
    assert len(quick.outbox()) == before
    assert listed(quick) == []
    assert quick.mails()[0].status is MailStatus.IGNORED


def test_it_is_told_once_a_day(quick: League) -> None:
    """However many come, of whatever form; the GM sees each."""
    for slip in SLIPS:
        quick.post.deliver(odd(quick, slip, f"{line(quick)}\n"))
    quick.poll()
    quick.clock.advance(DAY - HOUR)
    quick.post.deliver(odd(quick, "bulk", "status\n"))
    quick.poll()
    assert len(quick.outbox("Ann", "refused")) == 1
    quick.clock.advance(HOUR)
    quick.post.deliver(odd(quick, "bulk", "status\n"))
    quick.poll()
    assert len(quick.outbox("Ann", "refused")) == 2
    assert len(listed(quick)) == len(SLIPS) + 2


def test_without_a_good_token_nothing_is_told(quick: League) -> None:
    """A stranger's list mail is noise."""
    before = len(quick.outbox())
    raw = odd(quick, "bulk", f"{line(quick)}\n")
    quick.post.deliver(raw.replace(quick.token("Ann").encode(), b"a" * 16))
    quick.poll()
    assert (len(quick.outbox()), listed(quick)) == (before, [])
    assert quick.mails()[0].status is MailStatus.IGNORED


def test_the_turn_waits_for_whoever_was_told(quick: League) -> None:
    """He may have meant to change what is on file (10.6)."""
    quick.order_all()
    quick.poll()
    quick.post.deliver(odd(quick, "two senders", line(quick)))
    quick.poll()
    quick.clock.advance(HOUR)
    assert quick.due() == ()
    quick.write("Ann", "ready")
    quick.poll()
    quick.clock.advance(HOUR)
    assert len(quick.due()) == 1


DOUBTS = {
    "": "",
    "another player's address": "it is from another player's address",
    "the server": "dmarc=fail",
}


def doubted(league: League, how: str) -> None:
    """Deliver a bulk mail with Ann's token that orders something, of a sender doubted so or not."""
    league.work = replace(
        league.work, identity=replace(league.work.identity, authserv_id="mx.example.org")
    )
    sender = "bob@example.org" if how == "another player's address" else ""
    verdict = "fail" if how == "the server" else "pass"
    headers = f"Precedence: bulk\nAuthentication-Results: mx.example.org; dmarc={verdict}\n"
    league.post.deliver(league.mail("Ann", f"{line(league)}\n", sender=sender, headers=headers))
    league.poll()


@pytest.mark.parametrize("how", DOUBTS)
def test_one_of_a_doubtful_sender_holds_nothing_up(quick: League, how: str) -> None:
    """The word goes to the registered address all the same, and the GM sees why."""
    quick.order_all()
    quick.poll()
    doubted(quick, how)
    (word,) = quick.outbox("Ann", "refused")
    assert word.recipient == "ann@example.org"
    assert b"bob" not in word.raw
    assert listed(quick)[0].endswith(DOUBTS[how] or "orders something")
    assert not quick.outbox("Ann", "held")
    quick.clock.advance(HOUR)
    assert len(quick.due()) == (1 if how else 0)


@pytest.mark.parametrize("how", DOUBTS)
def test_one_of_a_doubtful_sender_keeps_nobody_from_being_dropped(quick: League, how: str) -> None:
    """Whoever has got hold of a token is not the player (9.4)."""
    for _ in range(2):
        quick.order_all("Ann")
        quick.poll()
        doubted(quick, how)
        quick.clock.advance(8 * DAY)
        quick.poll()
        quick.due()
    assert quick.game.turn == 3
    assert quick.game.dropped == (("Ann",) if how else ())


@pytest.mark.parametrize("subject", ["A: fold", "Re: smith-1", "smith-1: your turn"])
def test_an_order_in_the_subject_alone_counts_as_well(quick: League, subject: str) -> None:
    """As it does in a mail that nothing is wrong with; our own subjects are no order."""
    raw = odd(quick, "two senders", "").replace(
        b"Subject: Re: smith-1", f"Subject: {subject}".encode()
    )
    quick.post.deliver(raw)
    quick.poll()
    assert len(quick.outbox("Ann", "refused")) == (subject == "A: fold")
