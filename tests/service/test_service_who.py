"""Who wrote a mail: a token says it wherever clients leave it, and nothing else does (MAIL.md)."""

import random
from dataclasses import replace

import pytest

from postal.engine.view import view
from postal.mail.tokens import message_id, plus_address, subject_tag
from postal.store.rows import MailStatus
from tests.service.service_league import (
    DEADLINE,
    GM_BOX,
    HOUR,
    MINUTE,
    SLUG,
    League,
    parsed,
    text_of,
)

STRANGER = "stranger@example.net"


def example(league: League, player: str = "Ann", *, place: int = 0) -> str:
    """Return a line that the player's report offers him."""
    return view(league.game, player).due[place].examples[0]


def without_token(league: League, text: str, headers: str = "", subject: str = "Re: x") -> bytes:
    """Return a mail of Ann's whose To is the bare mailbox."""
    raw = league.mail("Ann", text, token="", headers=headers)
    return raw.replace(f"Subject: Re: {SLUG}".encode(), f"Subject: {subject}".encode())


PLACES = {
    "delivered-to": ("Delivered-To: {plus}\n", "Re: x", ""),
    "x-original-to": ("X-Original-To: {plus}\n", "Re: x", ""),
    "x-gm-original-to": ("X-Gm-Original-To: {plus}\n", "Re: x", ""),
    "envelope-to": ("Envelope-To: {plus}\n", "Re: x", ""),
    "cc": ("Cc: Bob <bob@example.org>, GM <{plus}>\n", "Re: x", ""),
    "illegible to": ("To: <<>,;:\nDelivered-To: {plus}\n", "Re: x", ""),
    "references": ("References: <x@y.example>\n {ref} <z@y.example>\n", "Re: x", ""),
    "in-reply-to": ("In-Reply-To: {ref}\n", "Re: x", ""),
    "subject": ("", "Re: AW: Fwd: smith-1 {tag}", ""),
    "encoded subject": ("", "=?utf-8?q?R=C3=A9=3A_=5Bpostal_{token}=5D?=", ""),
    "attribution": ("", "Re: x", "\nOn Monday, Grace <{plus}> wrote:\n> hello\n"),
    "quoted header": ("", "Re: x", "\n> From: Grace\n> Subject: smith-1 {tag}\n"),
}


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("place", PLACES)
def test_a_token_counts_wherever_clients_leave_it(
    quick: League, place: str, *, upper: bool
) -> None:
    """Whatever the case that a server or client gave it."""
    token = quick.token("Ann")
    token = token.upper() if upper else token
    parts = {
        "token": token,
        "plus": plus_address(GM_BOX, token),
        "ref": message_id(token, "7f", "example.org"),
        "tag": subject_tag(token),
    }
    headers, subject, below = (one.format(**parts) for one in PLACES[place])
    line = example(quick)
    quick.post.deliver(without_token(quick, f"{line}\n{below}", headers, subject))
    quick.poll()
    assert quick.on_file("Ann") == [line]


@pytest.mark.parametrize("plus", [True, False])
def test_an_answer_to_a_report_counts(dealt: League, *, plus: bool) -> None:
    """By Reply-To alone where the mailbox takes plus addresses, by Subject alone where not."""
    dealt.work = replace(dealt.work, identity=replace(dealt.work.identity, plus=plus))
    dealt.say("Ann", "resend")
    report = parsed(dealt.outbox("Ann", "resend")[-1].raw)
    line, to = example(dealt), str(report["Reply-To"])
    subject = f"Re: {report['Subject']}".replace("\n", "")
    raw = dealt.mail("Ann", line, token="").replace(f"Subject: Re: {SLUG}".encode(), b"Subject: S")
    dealt.post.deliver(
        raw.replace(f"To: {GM_BOX}".encode(), f"To: {to}".encode()).replace(
            b"Subject: S", f"Subject: {'hello' if plus else subject}".encode()
        )
    )
    dealt.poll()
    assert dealt.on_file("Ann") == [line]


def test_a_token_far_below_does_not_count(quick: League) -> None:
    """Nor one that stands bare, or is cut, or has another sign in it."""
    token, line, far = quick.token("Ann"), example(quick), "x\n" * 80
    for text in (
        f"{line}\n{far}{subject_tag(token)}\n",
        f"{line}\n{token}\n",
        f"{line}\n[postal {token[:-1]}]\n[postal {token}a]\n[postal {token[:8]} {token[8:]}]\n",
    ):
        quick.post.deliver(without_token(quick, text))
    quick.poll()
    assert quick.on_file("Ann") == []
    assert {mail.status for mail in quick.mails()} == {MailStatus.REJECTED}


def test_a_token_acts_for_its_own_player_alone(quick: League) -> None:
    """A stranger's address with Bob's token orders for Bob, and Bob is told."""
    line, text = example(quick, "Bob"), example(quick)
    quick.write("Ann", f"{line}\n{text}\n", token=quick.token("Bob"), sender=STRANGER)
    quick.poll()
    assert (quick.on_file("Ann"), quick.on_file("Bob")) == ([], [line])
    assert not quick.outbox("Ann", "receipt")


def test_a_token_acts_in_its_own_game_alone(quick: League) -> None:
    """Two games with the same people."""
    quick.begin("smith-2", bytes(32))
    line = view(quick.loaded("smith-2").game, "Ann").due[0].examples[0]
    quick.write("Ann", line, slug="smith-2")
    quick.poll()
    assert quick.on_file("Ann") == []
    (receipt,) = quick.outbox("Ann", "receipt")
    assert receipt.subject.startswith("smith-2")
    assert quick.token("Ann") != quick.token("Ann", slug="smith-2")


@pytest.mark.parametrize("turn", [0, 1, 2, 4, 5, 9])
def test_a_token_acts_in_its_own_turn_alone(quick: League, turn: int) -> None:
    """Those that were given out are answered; those of other turns are nobody's."""
    quick.play(2)
    before = len(quick.outbox("Ann"))
    quick.write("Ann", "all: fold", turn=turn)  # type: ignore[arg-type]  # a number
    quick.poll()
    assert quick.on_file("Ann") == []
    (answer,) = quick.outbox("Ann")[before:]
    assert answer.kind == ("late" if turn in (1, 2) else "hint")
    assert answer.recipient == "ann@example.org"


def test_a_mail_for_a_turn_that_has_not_begun_is_told_so(dealt: League) -> None:
    """He answered what told him that he was late, before the turn was adjudicated."""
    dealt.clock.move_to(DEADLINE + MINUTE)
    late = dealt.say("Ann", "A: fold")
    assert "turn 1 came after its deadline" in late
    dealt.clock.advance(HOUR)
    to = parsed(dealt.outbox("Ann", "late")[0].raw)["Reply-To"]
    assert dealt.token("Ann", 2) in to
    dealt.write("Ann", "A: fold", turn=2)  # type: ignore[arg-type]  # a number
    dealt.poll()
    early = dealt.outbox("Ann", "late")[1]
    assert "turn 2, which has not begun" in text_of(early.raw)
    assert dealt.token("Ann", 2) in parsed(early.raw)["Reply-To"]
    assert [mail.reason for mail in dealt.mails()] == ["too late", "too early"]


def test_the_first_place_decides_between_two_tokens(quick: League) -> None:
    """What it was sent to comes before the thread and the quoted text."""
    line, other = example(quick), quick.token("Bob")
    reference = message_id(other, "7f", "example.org")
    quick.write("Ann", f"{line}\n\n> {subject_tag(other)}\n", headers=f"In-Reply-To: {reference}\n")
    quick.poll()
    assert (quick.on_file("Ann"), quick.on_file("Bob")) == ([line], [])


def test_guesses_and_near_misses_do_nothing(quick: League) -> None:
    """Of 2,000 tries of all sorts in a hundred mails; and a stranger is told nothing."""
    pick, letters = random.Random(1), "abcdefghijklmnopqrstuvwxyz234567"
    token, line, before = quick.token("Ann"), example(quick), len(quick.outbox())
    for _ in range(100):
        guesses = ["".join(pick.choices(letters, k=16)) for _ in range(10)]
        for _ in range(10):
            at = pick.randrange(16)
            wrong = pick.choice([one for one in letters if one != token[at]])
            guesses.append(token[:at] + wrong + token[at + 1 :])
        cc = ", ".join(plus_address(GM_BOX, one) for one in guesses)
        raw = without_token(quick, line, f"Cc: {cc}\n")
        quick.post.deliver(raw.replace(b"<ann@example.org>", f"<{STRANGER}>".encode()))
    quick.poll()
    assert len(quick.outbox()) == before
    assert quick.on_file("Ann") == []
    assert {mail.reason for mail in quick.mails()} == {"no token, and nobody we know"}


def test_the_address_in_from_is_neither_needed_nor_answered(quick: League) -> None:
    """A token orders; the answer goes to the registered address, whatever the mail asks for."""
    line = example(quick)
    quick.write(
        "Ann",
        line,
        sender=STRANGER,
        headers=f"Reply-To: {STRANGER}\nSender: {STRANGER}\nErrors-To: {STRANGER}\n"
        f"Disposition-Notification-To: {STRANGER}\nResent-From: {STRANGER}\n",
    )
    quick.poll()
    assert quick.on_file("Ann") == [line]
    assert [row.recipient for row in quick.outbox("Ann", "receipt")] == ["ann@example.org"]
    assert not [row for row in quick.outbox() if STRANGER in row.recipient]
    assert not [row for row in quick.outbox() if STRANGER.encode() in (row.raw or b"")]


@pytest.mark.parametrize(
    "senders",
    [
        "Ann <ann@example.org>, Bob <bob@example.org>",
        "ann@example.org\r\nFrom: bob@example.org",
        "friends: ann@example.org, bob@example.org;",
        "ann@example.org <bob@example.org>",
        "Ann",
        "",
    ],
)
def test_from_must_name_exactly_one_address(quick: League, senders: str) -> None:
    """Else nothing is done, and the registered player alone hears one word of it."""
    before = len(quick.outbox())
    raw = quick.mail("Ann", example(quick))
    quick.post.deliver(raw.replace(b"From: Ann <ann@example.org>", f"From: {senders}".encode()))
    quick.poll()
    assert quick.on_file("Ann") == []
    (word,) = quick.outbox()[before:]
    assert (word.kind, word.recipient) == ("refused", "ann@example.org")
    assert quick.mails()[0].status is MailStatus.REJECTED


def test_the_same_address_twice_is_one(quick: League) -> None:
    """Some programs write it in the place of the name too."""
    raw, line = quick.mail("Ann", example(quick)), example(quick)
    raw = raw.replace(b"From: Ann <ann@", b"From: ann@example.org <Ann@")
    quick.post.deliver(raw)
    quick.poll()
    assert quick.on_file("Ann") == [line]


def test_a_decoded_subject_adds_no_header(dealt: League) -> None:
    """It can hold CR and LF, and so can a Message-ID that is quoted in an answer."""
    words = f"=?utf-8?q?Re=0D=0ABcc=3A_{STRANGER}=0D=0A=0D=0Aall=3A_fold?="
    raw = dealt.mail("Ann", "status\n").replace(f"Re: {SLUG}".encode(), words.encode())
    dealt.post.deliver(raw.replace(b"Message-ID: <m", b"Message-ID: <m\xc2\x85\x0b"))
    dealt.poll()
    (answer,) = dealt.outbox("Ann", "status")
    assert STRANGER.encode() not in (answer.raw or b"")
    assert parsed(answer.raw)["Bcc"] is None
    assert parsed(answer.raw).get_all("To") == ["Ann <ann@example.org>"]
    assert dealt.on_file("Ann") == []


def test_no_mail_of_an_earlier_turn_is_accepted_again(quick: League) -> None:
    """The same bytes or a copy with another head, new UIDs, a new UIDVALIDITY (MAIL.md, In 9)."""
    quick.order_all()
    old = [raw for raw, _, _ in quick.post.inbox.values()]
    quick.poll()
    quick.clock.advance(HOUR)
    quick.due()
    quick.order_all("Ann")
    old += [raw for raw, _, _ in quick.post.inbox.values()]
    quick.poll()
    before = {player: quick.on_file(player) for player in quick.players}
    for number in range(2):
        for raw in old:
            quick.post.deliver(raw)
            quick.post.deliver(b"Received: from x by y; %d\r\n" % number + raw)
        quick.post.renumber()
        quick.poll()
    assert {player: quick.on_file(player) for player in quick.players} == before
    assert before["Ann"] == []
    assert len(quick.mails()) == len(old) * 5


def test_a_copy_of_an_older_mail_undoes_no_newer_order(quick: League) -> None:
    """Though its bytes differ; the same words in a mail of their own are new."""
    line = example(quick)
    raw = quick.mail("Ann", line)
    quick.post.deliver(raw)
    quick.write("Ann", "cancel all")
    quick.post.deliver(b"Received: from x by y\r\nX-Spam: no\r\n" + raw)
    quick.poll()
    assert quick.on_file("Ann") == []
    assert quick.mails()[2].reason == "a copy of mail 1"
    assert len(quick.outbox("Ann", "receipt")) == 2
    quick.write("Ann", line)
    quick.poll()
    assert quick.on_file("Ann") == [line]
