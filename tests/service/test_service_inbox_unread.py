"""`postal inbox` and mail that the server keeps back, or that fails when it is handled."""

from contextlib import nullcontext

import pytest

from postal.errors import PostalError
from postal.service.desk.fetching import fetch_missing
from postal.service.desk.mails import list_mails, show_mail
from postal.service.desk.mails_again import discard, handle_again, release
from postal.service.inbound import filing, handling
from postal.store.rows import MailRow, MailStatus
from tests.service.service_league import DEADLINE, HOUR, MINUTE, League
from tests.service.test_service_unread import NO, keep_back, lines, of, told, used


@pytest.fixture
def kept(two: League) -> League:
    """Give a league with Ann's mail 1 kept back, and mail 2, Bob's orders, handled."""
    keep_back(two, two.write("Ann", lines(two, "Ann")))
    two.write("Bob", lines(two, "Bob"))
    two.poll()
    return two


def fetch(league: League, number: int = 1) -> None:
    """Fetch the bytes of a mail that are missing."""
    fetch_missing(league.work, number, lambda: nullcontext(league.post))


def test_a_mail_that_is_kept_back_is_listed_with_what_is_known(kept: League) -> None:
    """Who wrote it, of what, since when, how often it was tried, and the server's words."""
    (row,) = list_mails(kept.work)
    assert (row["id"], row["from"], row["status"]) == (1, "ann@example.org", "unread")
    assert row["subject"] == "Re: smith-1"
    assert row["reason"] == f"not handed over since 02 March 2026 12:00 UTC, 2 tries: {NO}"
    assert show_mail(kept.work, 1)["player"] == "Ann"


@pytest.mark.parametrize("action", [handle_again, release])
def test_it_is_fetched_and_handled_on_the_gm_s_word(kept: League, action: object) -> None:
    """At once, not at its next try; and no turn waits for it any more."""
    kept.post.kept_back.clear()
    fetch(kept)
    assert "done" in action(kept.work, 1)  # type: ignore[operator]  # each takes the workplace and a number
    assert kept.on_file("Ann")
    assert list_mails(kept.work) == []
    assert len(told(kept, "it is over: the mail server doesn't hand over a mail")) == 1
    kept.poll()
    assert not kept.post.inbox
    assert len(kept.outbox("Ann", "receipt")) == 1


def test_where_it_still_can_t_be_had_that_is_refused(kept: League) -> None:
    """In a sentence, and it stays as it is."""
    with pytest.raises(PostalError, match=r"Mail 1 can't be fetched, and stays as it is: .* data"):
        fetch(kept)
    kept.post.inbox.clear()
    with pytest.raises(PostalError, match=r"was not found in the folder INBOX, so nothing was"):
        fetch(kept)
    assert of(kept, 1).status is MailStatus.UNREAD


def test_one_that_was_set_aside_unread_is_fetched_from_the_folder_it_lies_in(kept: League) -> None:
    """As versions before this one did with it, by its size."""
    raw = kept.post.inbox.pop(1)[0]
    kept.post.folders["Quarantine"] = [raw]
    with kept.database.transaction() as session:
        row = session.get_one(MailRow, 1)
        row.status, row.place, row.moved = MailStatus.QUARANTINED, "Quarantine", True
        row.raw = None
    fetch(kept)
    assert "done" in release(kept.work, 1)
    assert kept.on_file("Ann")


def test_what_is_there_already_is_not_fetched(kept: League) -> None:
    """Nobody connects for it."""
    kept.post.fails["fetch"] = AssertionError("nobody asks")
    fetch(kept, 2)


def test_a_discarded_mail_holds_no_turn(kept: League) -> None:
    """It stays where it lies, is not asked for again, and whose it is was not heard of."""
    kept.clock.move_to(DEADLINE + MINUTE)
    kept.poll()
    assert len(kept.due()) == 1
    assert discard(kept.work, 1).startswith("Mail 1 is discarded")
    kept.poll()
    assert len(kept.due()) == 1
    assert "Ann" not in used(kept)
    assert (of(kept, 1).status, list(kept.post.inbox)) == (MailStatus.IGNORED, [1])
    assert len(told(kept, "it is over: the mail server doesn't hand over a mail")) == 1
    with pytest.raises(PostalError, match="is not held"):
        discard(kept.work, 1)


def test_a_mail_that_fails_is_listed_and_can_be_discarded(
    two: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before it is set aside, and after."""

    def failing(*_: object) -> object:
        raise ValueError

    monkeypatch.setattr(handling, "take", failing)
    two.write("Ann", lines(two, "Ann"))
    two.poll()
    (row,) = list_mails(two.work)
    assert row["reason"] == "not handled since 02 March 2026 12:00 UTC, 1 try: ValueError"
    with pytest.raises(PostalError, match="it stays as it was"):
        release(two.work, 1)
    two.clock.move_to(DEADLINE + HOUR)
    two.poll()
    two.due()
    assert two.loaded().game.turn == 1
    assert discard(two.work, 1).startswith("Mail 1 is discarded")
    two.poll()
    two.due()
    assert two.loaded().game.turn == 2
    assert of(two, 1).status is MailStatus.REJECTED


def test_a_mail_set_aside_holds_its_turn_a_day_or_until_the_gm_says(
    two: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And whose mail it is was heard of."""

    def failing(*arguments: object) -> object:
        if arguments[2] == "Ann":
            raise ValueError
        return real(*arguments)  # type: ignore[arg-type]  # handed on as they came

    real = filing.take
    monkeypatch.setattr(handling, "take", failing)
    two.write("Ann", lines(two, "Ann"))
    two.write("Bob", "help")
    for _ in range(27):
        two.clock.advance(HOUR)
        two.poll()
    assert of(two, 1).status is MailStatus.QUARANTINED
    two.clock.move_to(DEADLINE + 23 * HOUR)
    two.poll()
    two.due()
    assert two.loaded().game.turn == 1
    two.clock.advance(HOUR)
    two.poll()
    two.due()
    assert two.loaded().game.turn == 2
    assert len(told(two, "a mail can't be handled")) == 2
