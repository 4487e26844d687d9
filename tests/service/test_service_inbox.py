"""What the GM sees of the mail that came, and what he can do with it."""

import json
import logging
import re
from dataclasses import replace

import pytest

from postal.engine.view import view
from postal.errors import PostalError
from postal.mail.imap import PROCESSED, QUARANTINE, REJECTED
from postal.service.desk.mails import list_mails, show_mail
from postal.service.desk.mails_again import handle_again, release, set_done
from postal.service.inbound import handling
from postal.store.rows import MailRow, MailStatus
from tests.service.service_league import DEADLINE, HOUR, MINUTE, League, text_of

SECRET_LINE = "A: give 2C 5D next, 9H previous"


def example(league: League, player: str = "Ann") -> str:
    """Return a line that the player's report offers him."""
    return view(league.game, player).due[0].examples[0]


@pytest.fixture
def broken(dealt: League, monkeypatch: pytest.MonkeyPatch) -> League:
    """Give a league with Ann's mail 1 in quarantine, for a bug that is cured since."""

    def failing(*_: object) -> object:
        raise ValueError("a bug")

    with monkeypatch.context() as patch:
        patch.setattr(handling, "take", failing)
        dealt.write("Ann", example(dealt))
        dealt.poll()
        with dealt.database.transaction() as session:
            row = session.get_one(MailRow, 1)
            row.singled_at, row.received_at = dealt.clock.now(), dealt.clock.now() - 24 * HOUR
        dealt.clock.advance(MINUTE)
        dealt.poll()
    assert dealt.mails()[0].status is MailStatus.QUARANTINED
    return dealt


def listed(league: League, *statuses: str) -> list[int]:
    """Return the numbers of the mails that the GM is shown."""
    return [row["id"] for row in list_mails(league.work, statuses)]


def test_a_mail_that_was_set_aside_is_reported_once(broken: League) -> None:
    """And stays in the list until something becomes of it."""
    notices = [text_of(row.raw) for row in broken.outbox("", "gm")]
    assert [
        text for text in notices if "could not be handled (ValueError)" in " ".join(text.split())
    ] == notices[-1:]
    assert broken.outbox("Ann", "receipt") == []
    assert listed(broken) == [1]
    broken.poll()
    assert len(broken.outbox("", "gm")) == len(notices)


def test_after_a_repair_the_mail_is_handled_as_if_it_had_just_come(broken: League) -> None:
    """Once: its orders are filed, the receipt goes out, and the mail to Processed."""
    assert "Mail 1: done, 1 order on file" in handle_again(broken.work, 1)
    assert broken.on_file("Ann") == [example(broken)]
    assert len(broken.outbox("Ann", "receipt")) == 1
    assert list(broken.post.folders) == [QUARANTINE]
    broken.poll()
    assert [len(broken.post.folders[name]) for name in (QUARANTINE, PROCESSED)] == [0, 1]
    assert listed(broken) == []
    with pytest.raises(PostalError, match="was taken"):
        handle_again(broken.work, 1)
    assert len(broken.outbox("Ann", "receipt")) == 1


def test_a_mail_that_comes_again_after_its_release_orders_nothing(broken: League) -> None:
    """Nor does a copy that was put beside it."""
    raw = broken.post.folders[QUARANTINE][0]
    broken.post.deliver(raw)
    broken.poll()
    assert listed(broken) == [1, 2]
    release(broken.work, 2)
    assert listed(broken) == []
    with pytest.raises(PostalError, match="was taken"):
        handle_again(broken.work, 1)
    broken.post.deliver(raw)
    broken.poll()
    assert len(broken.outbox("Ann", "receipt")) == 1
    broken.poll()
    assert [len(broken.post.folders[name]) for name in (QUARANTINE, PROCESSED)] == [0, 3]


def test_a_mail_that_was_not_moved_yet_goes_to_its_new_folder(broken: League) -> None:
    """Released while the mailbox is down, before it was put into quarantine."""
    broken.post.fails["move"] = OSError("down")
    broken.write("Bob", "hello", token="")
    with pytest.raises(OSError, match="down"):
        broken.poll()
    set_done(broken.work, 2)
    broken.post.fails.clear()
    broken.poll()
    assert [len(mails) for mails in broken.post.folders.values()] == [1, 1]
    assert set(broken.post.folders) == {QUARANTINE, PROCESSED}


def test_a_mailbox_that_fails_in_the_midst_is_followed_up(broken: League) -> None:
    """The next round moves what the last one could not."""
    release(broken.work, 1)
    broken.post.fails["move_on"] = OSError("down")
    with pytest.raises(OSError, match="down"):
        broken.poll()
    broken.post.fails.clear()
    broken.poll()
    broken.post.fails["move_on"] = OSError("asked again")
    broken.poll()
    assert len(broken.post.folders[PROCESSED]) == 1


def test_the_turn_must_be_open_still(broken: League) -> None:
    """Else the player gets the turn in play, and nothing is done."""
    broken.clock.move_to(DEADLINE + MINUTE)
    broken.poll()
    assert broken.due() == (), "it waits for that mail"
    broken.clock.advance(24 * HOUR)
    assert len(broken.due()) == 1
    assert "too late" in handle_again(broken.work, 1)
    assert broken.on_file("Ann") == []
    assert len(broken.outbox("Ann", "late")) == 1


def test_an_older_order_never_takes_the_place_of_a_newer(broken: League) -> None:
    """The GM is told which, and nothing is changed."""
    line = example(broken)
    broken.write("Ann", f"{line}\nwait\n")
    broken.poll()
    with pytest.raises(PostalError, match="in mail 2"):
        release(broken.work, 1)
    assert broken.mails()[0].status is MailStatus.QUARANTINED
    assert len(broken.outbox("Ann", "receipt")) == 1


def test_a_repair_that_does_not_help_changes_nothing(
    broken: League, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It is told in a sentence without the mail's words."""

    def failing(*_: object) -> object:
        raise ValueError(SECRET_LINE)

    monkeypatch.setattr(handling, "take", failing)
    with caplog.at_level(logging.DEBUG), pytest.raises(PostalError) as told:
        handle_again(broken.work, 1)
    assert str(told.value) == (
        "Mail 1 could not be handled (ValueError): it stays as it was, and the log has the details."
    )
    assert SECRET_LINE not in caplog.text
    assert listed(broken) == [1]


def test_a_mail_of_which_nothing_was_taken_can_be_read_again(dealt: League) -> None:
    """After a repair of the reader, for one."""
    dealt.say("Ann", "Z: fold")
    assert "0 orders on file, 1 line refused" in handle_again(dealt.work, 1)
    with pytest.raises(PostalError, match="not held"):
        release(dealt.work, 1)


def test_the_gm_vouches_for_a_mail_that_is_held_for_doubt(dealt: League) -> None:
    """Read again it is held again, released it is handled."""
    identity = replace(dealt.work.identity, authserv_id="mx.example.org")
    dealt.work = replace(dealt.work, identity=identity)
    failed = "Authentication-Results: mx.example.org; dmarc=fail\n"
    dealt.write("Ann", example(dealt), headers=failed)
    dealt.poll()
    assert listed(dealt) == [1]
    assert "quarantined, held" in handle_again(dealt.work, 1)
    assert dealt.on_file("Ann") == []
    assert "done, 1 order on file" in release(dealt.work, 1)
    assert dealt.on_file("Ann") == [example(dealt)]
    assert len(dealt.outbox("Ann", "receipt")) == 1


def test_marked_as_done_it_orders_nothing(broken: League) -> None:
    """And leaves the list and the quarantine."""
    assert set_done(broken.work, 1) == "Mail 1 is marked as dealt with."
    broken.poll()
    assert broken.on_file("Ann") == []
    assert (listed(broken), listed(broken, "done")) == ([], [1])
    assert len(broken.post.folders[PROCESSED]) == 1


def test_unmatched_mail_is_listed_for_some_weeks(dealt: League) -> None:
    """Noise never is, unless it is asked for."""
    dealt.write("Ann", "hello", token="")
    dealt.write("Bob", "away", headers="Auto-Submitted: auto-replied\n")
    dealt.poll()
    assert listed(dealt) == [1]
    assert listed(dealt, "ignored") == [2]
    assert listed(dealt, "ignored", "rejected") == [1, 2]
    dealt.clock.advance(24 * 22 * HOUR)
    assert listed(dealt) == []
    assert len(dealt.post.folders[REJECTED]) == 2


@pytest.mark.parametrize("action", [handle_again, release, set_done, show_mail])
def test_no_such_mail_is_told(dealt: League, action: object) -> None:
    """In a sentence that says where to look."""
    with pytest.raises(PostalError, match="There is no mail 99: `postal inbox list`"):
        action(dealt.work, 99)  # type: ignore[operator]  # each takes the workplace and a number


def test_what_waits_is_left_to_the_next_poll(dealt: League) -> None:
    """So that nothing is handled out of its order."""
    dealt.post.fails["move"] = OSError("down")
    dealt.write("Ann", "hello")
    with pytest.raises(OSError, match="down"):
        dealt.poll()
    with dealt.database.transaction() as session:
        row = session.get(type(dealt.mails()[0]), 1)
        assert row is not None
        row.status = MailStatus.NEW
    for action in (handle_again, release, set_done):
        with pytest.raises(PostalError, match="next poll"):
            action(dealt.work, 1)


def test_nothing_shown_holds_a_token_or_unasked_a_card(dealt: League) -> None:
    """In address, subject, threads or text, in any case, however it is put."""
    token = dealt.token("Ann")
    other = "abcdefgh234567zz"
    text = (
        f"{SECRET_LINE}\nmy token is {token} or {token.upper()}, gm%2B{token}%40example.org\n"
        f"mailto:gm+{other}@example.org [postal {other}]\x1b[31m\n"
    )
    head = f"In-Reply-To: <postal.{token}.x1@example.org>\nReply-To: gm+{other}@example.org\n"
    raw = dealt.mail("Ann", text, headers=head)
    subject = f"Subject: [postal {token}] {SECRET_LINE} ace of spades, 10\u2665 \x1b[31m"
    dealt.post.deliver(raw.replace(b"Subject: Re: smith-1", subject.encode()))
    dealt.poll()
    unasked = json.dumps([show_mail(dealt.work, 1), *list_mails(dealt.work, ["done"])])
    asked = json.dumps(
        [show_mail(dealt.work, 1, reveal=True), list_mails(dealt.work, ["done"], reveal=True)]
    )
    for shown in (unasked, asked):
        assert not re.search(rf"{token}|{other}", shown, re.IGNORECASE)
        assert "example.org" in shown
        assert "(token)" in shown
    assert not re.search(r"2C|5D|9H|ace|10|texts", unasked)
    assert SECRET_LINE in asked
    assert "\\u001b" not in unasked
