"""Mail whose sender the receiving server doubts: held, told, and released by the GM."""

from dataclasses import replace

import pytest

from postal.engine.view import view
from postal.errors import PostalError
from postal.mail.imap import PROCESSED, QUARANTINE
from postal.service.desk.mails import list_mails
from postal.service.desk.mails_again import release
from postal.store.rows import MailStatus
from tests.service.service_league import DEADLINE, HOUR, MINUTE, League, text_of

SERVER = "mx.example.org"
FAIL = f"Authentication-Results: {SERVER}; spf=fail; dmarc=fail header.from=example.org\n"
PASS = f"Authentication-Results: {SERVER}; dkim=pass; spf=pass; dmarc=pass\n"


@pytest.fixture
def wary(dealt: League) -> League:
    """Give a league whose GM has named his server."""
    dealt.work = replace(dealt.work, identity=replace(dealt.work.identity, authserv_id=SERVER))
    return dealt


def example(league: League, player: str = "Ann") -> str:
    """Return a line that the player's report offers him."""
    return view(league.game, player).due[0].examples[0]


@pytest.mark.parametrize("headers", [FAIL, FAIL + PASS, FAIL.replace("\n", ";\n") + PASS])
def test_a_doubtful_mail_does_nothing_and_both_are_told(wary: League, headers: str) -> None:
    """The registered player and the GM, without a token or a card in the latter's notice."""
    line, notices = example(wary), len(wary.outbox("", "gm"))
    wary.write("Ann", line, headers=headers)
    wary.poll()
    assert wary.on_file("Ann") == []
    assert wary.mails()[0].status is MailStatus.QUARANTINED
    (held,) = wary.outbox("Ann", "held")
    assert held.recipient == "ann@example.org"
    assert "nothing in it was done" in text_of(held.raw).replace("\n", " ")
    (notice,) = wary.outbox("", "gm")[notices:]
    said = text_of(notice.raw)
    assert "`postal inbox release 1`" in said
    assert line not in said
    assert wary.token("Ann").encode() not in (notice.raw or b"")
    assert [row["id"] for row in list_mails(wary.work)] == [1]
    assert not wary.outbox("Ann", "receipt")


def test_a_storm_of_doubtful_mails_is_told_once_in_a_pause(wary: League) -> None:
    """However many come; all are held."""
    notices = len(wary.outbox("", "gm"))
    for number in range(20):
        wary.write("Ann", f"{example(wary)}\n{number}\n", headers=FAIL)
    wary.poll()
    assert (len(wary.outbox("Ann", "held")), len(wary.outbox("", "gm"))) == (1, notices + 1)
    assert len(wary.post.folders[QUARANTINE]) == 20
    wary.clock.advance(7 * HOUR)
    wary.write("Ann", "hello", headers=FAIL)
    wary.poll()
    assert (len(wary.outbox("Ann", "held")), len(wary.outbox("", "gm"))) == (2, notices + 2)


def test_what_the_gm_releases_is_filed_and_answered(wary: League) -> None:
    """Once."""
    line = example(wary)
    wary.write("Ann", line, headers=FAIL)
    wary.poll()
    assert "1 order on file" in release(wary.work, 1)
    assert wary.on_file("Ann") == [line]
    assert [row.recipient for row in wary.outbox("Ann", "receipt")] == ["ann@example.org"]
    wary.poll()
    assert [len(wary.post.folders[name]) for name in (QUARANTINE, PROCESSED)] == [0, 1]
    with pytest.raises(PostalError):
        release(wary.work, 1)


def test_a_held_mail_holds_the_turn_until_its_senders_next(wary: League) -> None:
    """It may be his change of mind: the GM has time to say so (10.6)."""
    wary.order_all()
    wary.write("Ann", "cancel all", headers=FAIL)
    wary.poll()
    wary.clock.advance(HOUR)
    assert wary.due() == ()
    wary.write("Ann", "ready")
    wary.poll()
    assert [done.turn for done in wary.due()] == [1]


def test_what_is_released_after_the_deadline_is_late(wary: League) -> None:
    """The turn is over by then."""
    wary.write("Ann", example(wary), headers=FAIL)
    wary.poll()
    wary.clock.move_to(DEADLINE + MINUTE)
    wary.poll()
    wary.due()
    assert "too late" in release(wary.work, 1)
    assert wary.on_file("Ann") == []


def test_a_good_word_adds_no_trust(wary: League) -> None:
    """Without a token nothing is done, whoever vouches for the sender."""
    wary.write("Ann", example(wary), token="", headers=PASS)
    wary.write("Ann", example(wary), token="a" * 16, headers=PASS)
    wary.write("Ann", example(wary), turn=0, headers=PASS)  # type: ignore[arg-type]  # a number
    wary.poll()
    assert wary.on_file("Ann") == []


@pytest.mark.parametrize(
    "headers",
    [
        "",
        PASS,
        PASS + FAIL,
        FAIL.replace(SERVER, "mx.evil.example"),
        FAIL.replace("Authentication-Results", "X-Authentication-Results"),
        FAIL.replace("Authentication-Results", "ARC-Authentication-Results"),
    ],
)
def test_what_came_with_the_mail_holds_nothing_up(wary: League, headers: str) -> None:
    """A field below the server's own, another server's, or one of another name."""
    line = example(wary)
    wary.write("Ann", line, headers=headers)
    wary.poll()
    assert wary.on_file("Ann") == [line]


def test_without_a_server_named_no_field_counts(dealt: League) -> None:
    """Any of them may be forged."""
    line = example(dealt)
    dealt.write("Ann", line, headers=FAIL)
    dealt.poll()
    assert dealt.on_file("Ann") == [line]
