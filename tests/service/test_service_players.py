"""Second addresses, which count when confirmed, and tokens made new when one got about."""

from email.utils import parseaddr

import pytest

from postal.engine.view import view
from postal.errors import PostalError, UsageError
from postal.mail.tokens import message_id, plus_address, subject_tag
from postal.service.desk.newgame import check_players
from postal.service.desk.players import add_address, revoke_tokens
from postal.store.rows import MailStatus
from tests.service.service_league import (
    DEADLINE,
    GM_BOX,
    HOUR,
    MINUTE,
    SLUG,
    League,
    Written,
    parsed,
    text_of,
)

WORK = "Ann.Archer@work.example"


def example(league: League, player: str = "Ann") -> str:
    """Return a line that the player's report offers him."""
    return view(league.game, player).due[0].examples[0]


def asked(league: League, player: str = "Ann", address: str = WORK) -> Written:
    """Ask for a second address; return the mail that went there."""
    assert add_address(league.work, player, address) == SLUG
    return [row for row in league.outbox(player, "address") if row.recipient == address][-1]


def answer(league: League, mail: Written, sender: str = WORK, headers: str = "") -> None:
    """Answer a mail as a client does, by its Reply-To, and poll."""
    to = parseaddr(str(parsed(mail.raw)["Reply-To"]))[1]
    raw = league.mail("Ann", "Yes, please.\n", token="", sender=sender, headers=headers)
    league.post.deliver(raw.replace(f"To: {GM_BOX}".encode(), f"To: {to}".encode()))
    league.poll()


@pytest.fixture
def second(dealt: League) -> League:
    """Give a league where Ann has a confirmed second address."""
    answer(dealt, asked(dealt), sender=WORK.lower())
    assert dealt.mails()[-1].status is MailStatus.DONE
    return dealt


def test_both_addresses_are_asked(dealt: League) -> None:
    """The mail to the new one holds nothing that orders."""
    mail = asked(dealt)
    recipients = [row.recipient for row in dealt.outbox("Ann", "address")]
    assert sorted(recipients) == [WORK, "ann@example.org"]
    assert "answer this mail" in text_of(mail.raw)
    assert WORK in text_of(dealt.outbox("Ann", "address")[1].raw)
    for turn in range(9):
        for player in dealt.players:
            assert dealt.token(player, turn).encode() not in (mail.raw or b"").lower()


def test_what_the_mail_to_the_new_address_holds_orders_nothing(dealt: League) -> None:
    """Neither before it is confirmed nor after."""
    mail = asked(dealt)
    to = parseaddr(str(parsed(mail.raw)["Reply-To"]))[1]
    for sender in (WORK, "ann@example.org", WORK):
        raw = dealt.mail("Ann", example(dealt), token="", sender=sender)
        dealt.post.deliver(raw.replace(f"To: {GM_BOX}".encode(), f"To: {to}".encode()))
        dealt.poll()
    assert dealt.on_file("Ann") == []


def test_unconfirmed_it_gets_nothing(dealt: League) -> None:
    """Answers go to the first address, and a mail without a token gets no hint."""
    asked(dealt)
    dealt.write("Ann", example(dealt), sender=WORK)
    dealt.write("Ann", "hello", sender=WORK, token="")
    dealt.poll()
    assert [row.recipient for row in dealt.outbox("Ann", "receipt")] == ["ann@example.org"]
    assert not dealt.outbox("Ann", "hint")
    assert len([row for row in dealt.outbox() if row.recipient == WORK]) == 1


@pytest.mark.parametrize(
    ("sender", "headers"),
    [
        (WORK, "Auto-Submitted: auto-replied\n"),
        (WORK, "X-Autoreply: yes\n"),
        (WORK, "Precedence: auto_reply\n"),
        ("postmaster@work.example", ""),
        ("mailer-daemon@work.example", ""),
        ("stranger@example.net", ""),
        ("ann@example.org", ""),
    ],
)
def test_what_no_person_at_that_address_wrote_confirms_nothing(
    dealt: League, sender: str, headers: str
) -> None:
    """An automatic answer, a failure, or an answer from elsewhere."""
    answer(dealt, asked(dealt), sender, headers)
    dealt.write("Ann", example(dealt), sender=WORK)
    dealt.poll()
    assert [row.recipient for row in dealt.outbox("Ann", "receipt")] == ["ann@example.org"]


def test_a_bounce_confirms_nothing_and_the_gm_is_told(dealt: League) -> None:
    """The address doesn't exist."""
    mail = asked(dealt)
    dealt.send()
    head = f"Message-ID: {mail.message_id}\nReply-To: {parsed(mail.raw)['Reply-To']}\n"
    dealt.post.deliver(
        (
            "Return-Path: <>\nFrom: MAILER-DAEMON@work.example\n"
            "Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\n"
            "--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx\n\n"
            f"Final-Recipient: rfc822; {WORK}\nAction: failed\nStatus: 5.1.1\n\n"
            f"--b\nContent-Type: text/rfc822-headers\n\n{head}\n--b--\n"
        ).encode()
    )
    dealt.poll()
    told = " ".join(text_of(dealt.outbox("", "gm")[-1].raw).split())
    assert f"to {WORK} came back: 5.1.1." in told
    dealt.write("Ann", example(dealt), sender=WORK)
    dealt.poll()
    assert [row.recipient for row in dealt.outbox("Ann", "receipt")] == ["ann@example.org"]


def test_confirmed_answers_go_where_he_wrote_from_and_reports_to_the_first(second: League) -> None:
    """All three are told that it is."""
    told = [row.recipient for row in second.outbox("Ann", "address")]
    assert told.count(WORK) == told.count("ann@example.org") == 2
    assert "may now write from" in text_of(second.outbox("", "gm")[-1].raw)
    line = example(second)
    second.write("Ann", f"{line}\nstatus\n", sender=WORK.lower())
    second.poll()
    assert second.on_file("Ann") == [line]
    assert {row.recipient for row in second.outbox("Ann", "receipt", "status")} == {WORK}
    second.write("Ann", line)
    second.poll()
    assert second.outbox("Ann", "receipt")[-1].recipient == "ann@example.org"
    second.order_all()
    second.poll()
    second.clock.advance(HOUR)
    second.due()
    assert [row.recipient for row in second.outbox("Ann", "report")] == ["ann@example.org"]


def test_confirmed_it_still_orders_nothing_without_a_token(second: League) -> None:
    """Its owner gets the hint there; and its own mail confirms nothing a second time."""
    second.write("Ann", example(second), sender=WORK, token="")
    second.poll()
    assert second.on_file("Ann") == []
    assert [row.recipient for row in second.outbox("Ann", "hint")] == [WORK]
    before = len(second.outbox("Ann", "address"))
    answer(second, second.outbox("Ann", "address")[0])
    assert len(second.outbox("Ann", "address")) == before


def test_another_player_gains_nothing_by_it(second: League) -> None:
    """Bob's token from Ann's second address is held, and told at Bob's."""
    second.write("Bob", example(second, "Bob"), sender=WORK)
    second.poll()
    assert [row.recipient for row in second.outbox("Bob", "held")] == ["bob@example.org"]


@pytest.mark.parametrize(
    ("address", "why"),
    [
        (GM_BOX, "own or the GM's"),
        (GM_BOX.upper(), "own or the GM's"),
        ("gm+x@example.org", "own or the GM's"),
        ("grace@example.org", "own or the GM's"),
        ("Bob@Example.org", "Bob's address already"),
        ("ann@example.org", "Ann's address already"),
        (WORK.upper(), "Ann's address already"),
        ("nonsense", "no mail address"),
        ("Ann <ann@work.example>", "no mail address"),
        ("a@work.example\nBcc: x@y.example", "no mail address"),
    ],
)
def test_an_address_that_will_not_do_is_refused(second: League, address: str, why: str) -> None:
    """In a sentence, and nothing is sent."""
    before = len(second.outbox())
    for player in ("Cat", "Ann"):
        if player == "Ann" or "Ann's" not in why:
            with pytest.raises(UsageError, match=why):
                add_address(second.work, player, address)
    assert len(second.outbox()) == before


def test_a_second_address_is_nobody_elses(second: League) -> None:
    """Whether another asks for it after it was confirmed, or asked before."""
    with pytest.raises(UsageError, match="Ann's address already"):
        add_address(second.work, "Bob", WORK)


def test_of_two_who_ask_for_one_address_the_first_to_confirm_has_it(dealt: League) -> None:
    """And the other's mail confirms nothing any more."""
    for_ann, for_bob = asked(dealt), asked(dealt, "Bob")
    answer(dealt, for_ann)
    answer(dealt, for_bob)
    dealt.write("Bob", example(dealt, "Bob"), sender=WORK)
    dealt.poll()
    assert [row.recipient for row in dealt.outbox("Bob", "held")] == ["bob@example.org"]
    dealt.write("Ann", example(dealt), sender=WORK)
    dealt.poll()
    assert [row.recipient for row in dealt.outbox("Ann", "receipt")] == [WORK]


def test_the_player_must_be_one_and_known(quick: League) -> None:
    """In two games the GM names one."""
    with pytest.raises(PostalError, match="no player 'Zoe' in any running game"):
        add_address(quick.work, "Zoe", WORK)
    quick.begin("smith-2", bytes(32))
    with pytest.raises(PostalError, match=r"Ann plays in smith-1, smith-2: name one with --game\."):
        add_address(quick.work, "Ann", WORK)
    assert add_address(quick.work, "ann", WORK, "smith-2") == "smith-2"


@pytest.mark.parametrize("address", [GM_BOX, GM_BOX.upper(), "gm+joe@example.org"])
def test_the_games_own_mailbox_is_no_players(address: str) -> None:
    """Or the program would write to itself for ever."""
    with pytest.raises(UsageError, match="the games' own mailbox"):
        check_players([("Joe", address)], GM_BOX)


def test_revoked_tokens_are_worthless_wherever_they_stand(quick: League) -> None:
    """Of this turn and any other; whoever holds one gets nothing by it."""
    tokens = [quick.token("Ann", turn) for turn in range(3)]
    line, bob = example(quick), quick.token("Bob")
    assert revoke_tokens(quick.work, "ann") == SLUG
    before = len(quick.outbox())
    for token in tokens:
        address = plus_address(GM_BOX, token)
        for headers, text in (
            (f"Delivered-To: {address}\n", line),
            (f"References: {message_id(token, '7f', 'example.org')}\n", line),
            ("", f"{line}\n> {subject_tag(token)}\n"),
        ):
            quick.write("Ann", text, token="", sender="x@example.net", headers=headers)
        quick.write("Ann", line, token=token, sender="x@example.net")
    quick.poll()
    assert quick.on_file("Ann") == []
    assert len(quick.outbox()) == before
    assert quick.token("Bob") == bob


def test_the_report_that_comes_again_has_a_token_that_works(dealt: League) -> None:
    """Also though the thread that his client copies still names the old ones."""
    (welcome,) = dealt.outbox("Ann", "welcome")
    old = dealt.token("Ann")
    revoke_tokens(dealt.work, "Ann")
    (resent,) = dealt.outbox("Ann", "resend")
    assert resent.recipient == "ann@example.org"
    message, line = parsed(resent.raw), example(dealt)
    to = parseaddr(str(message["Reply-To"]))[1]
    assert old not in to + resent.message_id
    thread = f"References: {welcome.message_id} {resent.message_id}\n"
    raw = dealt.mail("Ann", line, token="", headers=thread)
    dealt.post.deliver(raw.replace(f"To: {GM_BOX}".encode(), f"To: {to}".encode()))
    dealt.poll()
    assert dealt.on_file("Ann") == [line]
    dealt.clock.move_to(DEADLINE + MINUTE)
    dealt.poll()
    dealt.due()
    (report,) = dealt.outbox("Ann", "report")
    assert dealt.token("Ann", 2) not in str(parsed(report.raw)["Reply-To"])


def test_tokens_can_be_revoked_again(quick: League) -> None:
    """Each time the last ones end."""
    found = set()
    for _ in range(3):
        revoke_tokens(quick.work, "Ann")
        found.add(str(parsed(quick.outbox("Ann", "resend")[-1].raw)["Reply-To"]))
    assert len(found) == 3
