"""Mail in and out of the database: nothing handled twice, nothing sent twice."""

from datetime import datetime, timedelta

import pytest
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session

from postal.store.database import Database
from postal.store.mails import (
    already_handled,
    known_uids,
    mails_with_status,
    new_mail_ids,
    new_mails,
    poll_began,
    poll_finished,
    store_mail,
    unmoved_mails,
    whole_poll_began_at,
)
from postal.store.outbox import (
    count_messages,
    due_messages,
    mark_failed,
    mark_for_retry,
    mark_sending,
    mark_sent,
    message_by_message_id,
    messages_in_state,
    messages_of_turn,
    queue_message,
    recover_sending,
)
from postal.store.rows import MailRow, MailStatus, OutboxRow, OutboxState
from postal.store.settings import setting_or

MINUTE = timedelta(minutes=1)


def mail(now: datetime, uid: int, uidvalidity: int = 1, sha256: str | None = "aa") -> MailRow:
    """Return a mail as a poll stores it."""
    return MailRow(
        account="gm",
        folder="INBOX",
        uidvalidity=uidvalidity,
        uid=uid,
        sha256=sha256,
        raw=b"raw",
        internal_date=now,
        received_at=now,
    )


def test_a_mail_is_stored_once(database: Database, noon: datetime) -> None:
    """The second time the first row comes back."""
    with database.transaction() as session:
        first, new = store_mail(session, mail(noon, 5))
        assert new
    with database.transaction() as session:
        again, new = store_mail(session, mail(noon, 5))
        assert (again.id, new) == (first.id, False)
        store_mail(session, mail(noon, 7))
        assert known_uids(session, "gm", "INBOX", 1) == {5, 7}
        assert known_uids(session, "gm", "INBOX", 2) == set()


def test_the_database_itself_refuses_a_uid_twice(database: Database, noon: datetime) -> None:
    """UNIQUE (account, folder, UIDVALIDITY, UID)."""
    with pytest.raises(IntegrityError), database.transaction() as session:
        session.add_all([mail(noon, 5), mail(noon, 5)])


def test_mails_are_handled_in_their_order_of_arrival(database: Database, noon: datetime) -> None:
    """As they were stored, whatever their dates say; a handled one drops out."""
    with database.transaction() as session:
        store_mail(session, mail(noon, 1, sha256="a"))
        store_mail(session, mail(noon - MINUTE, 2, sha256="b"))
        store_mail(session, mail(noon, 3, sha256="c"))
        new_mails(session)[1].status = MailStatus.DONE
    with database.reading() as session:
        assert [row.uid for row in new_mails(session)] == [1, 3]
        assert [row.uid for row in new_mails(session, limit=1)] == [1]
        assert new_mail_ids(session) == [row.id for row in new_mails(session)]
        assert [row.uid for row in mails_with_status(session, MailStatus.DONE)] == [2]


@pytest.mark.parametrize("status", [MailStatus.DONE, MailStatus.IGNORED, MailStatus.QUARANTINED])
def test_a_mail_dealt_with_is_known_under_another_uidvalidity(
    database: Database, noon: datetime, status: MailStatus
) -> None:
    """The server counts anew: no order is read twice."""
    with database.transaction() as session:
        first, _ = store_mail(session, mail(noon, 5))
        second, new = store_mail(session, mail(noon, 1, uidvalidity=2))
        assert new
        assert already_handled(session, second) is None
        first.status = status
        assert already_handled(session, second) is first
        assert already_handled(session, first) is None


def test_mails_that_were_never_fetched_are_not_taken_for_one_another(
    database: Database, noon: datetime
) -> None:
    """A mail too large to fetch has no hash."""
    with database.transaction() as session:
        store_mail(session, mail(noon, 1, sha256=None))[0].status = MailStatus.REJECTED
        second, _ = store_mail(session, mail(noon, 2, sha256=None))
        assert already_handled(session, second) is None


def test_handled_mails_wait_to_be_moved(database: Database, noon: datetime) -> None:
    """Until they are; new ones stay where they are."""
    with database.transaction() as session:
        for uid in (1, 2, 3):
            store_mail(session, mail(noon, uid))
        for row in new_mails(session)[:2]:
            row.status = MailStatus.DONE
            row.target = "Processed"
    with database.transaction() as session:
        unmoved = unmoved_mails(session, "gm", "INBOX")
        assert [(row.uid, row.target) for row in unmoved] == [(1, "Processed"), (2, "Processed")]
        unmoved[0].moved = True
    with database.transaction() as session:
        assert [row.uid for row in unmoved_mails(session, "gm", "INBOX")] == [2]
        assert session.get_one(MailRow, 1).raw == b"raw"


def test_a_poll_counts_when_it_is_whole(database: Database, noon: datetime) -> None:
    """By its start: what came while it ran may have been missed (RULES.md 10.5)."""
    steps = []
    with database.transaction() as session:
        steps.append(whole_poll_began_at(session, "gm", "INBOX"))
        poll_began(session, "gm", "INBOX", uidvalidity=1, now=noon)
        steps.append(whole_poll_began_at(session, "gm", "INBOX"))
        poll_finished(session, "gm", "INBOX", began=noon, now=noon + MINUTE)
        steps.append(whole_poll_began_at(session, "gm", "INBOX"))
        poll_began(session, "gm", "INBOX", uidvalidity=1, now=noon + 2 * MINUTE)
        steps.append(whole_poll_began_at(session, "gm", "INBOX"))
    assert steps == [None, None, noon, noon]


def test_an_earlier_poll_that_ends_later_takes_nothing_back(
    database: Database, noon: datetime
) -> None:
    """Two processes may poll at once; each finishes by its own start."""
    with database.transaction() as session:
        poll_began(session, "gm", "INBOX", uidvalidity=1, now=noon)
        poll_began(session, "gm", "INBOX", uidvalidity=1, now=noon + MINUTE)
        later = noon + 2 * MINUTE
        poll_finished(session, "gm", "INBOX", began=noon, now=later)
        assert whole_poll_began_at(session, "gm", "INBOX") == noon
        poll_finished(session, "gm", "INBOX", began=noon + MINUTE, now=later)
        poll_finished(session, "gm", "INBOX", began=noon, now=later)
        assert whole_poll_began_at(session, "gm", "INBOX") == noon + MINUTE


def message(  # noqa: PLR0913 - what differs between the tests, each with its usual value
    now: datetime,
    number: int,
    game_id: int | None = None,
    *,
    kind: str = "receipt",
    player: str = "Ann",
    recipient: str = "ann@example.org",
) -> OutboxRow:
    """Return a message for turn 1, its Message-ID by its number."""
    return OutboxRow(
        created_at=now,
        game_id=game_id,
        turn=1,
        player=player,
        recipient=recipient,
        kind=kind,
        message_id=f"<{number}@example.org>",
        raw=b"raw",
    )


def queue(session: Session, row: OutboxRow) -> int:
    """Queue a message and return its id."""
    stored, _ = queue_message(session, row)
    assert stored.id is not None
    return stored.id


def test_a_player_gets_one_report_a_turn(database: Database, game_id: int, noon: datetime) -> None:
    """And as many receipts as he earns."""
    with database.transaction() as session:
        first, new = queue_message(session, message(noon, 1, game_id, kind="report"))
        assert new
        again, new = queue_message(session, message(noon, 2, game_id, kind="report"))
        assert (again, new) == (first, False)
        assert queue_message(session, message(noon, 3, game_id, kind="report", player="Bob"))[1]
        assert queue_message(session, message(noon, 4, game_id))[1]
        assert queue_message(session, message(noon, 5, game_id))[1]
        reports = messages_of_turn(session, game_id, 1, {"report"})
        assert [row.player for row in reports] == ["Ann", "Bob"]
        assert len(messages_of_turn(session, game_id, 1)) == 4


def test_the_database_itself_refuses_a_message_id_twice(database: Database, noon: datetime) -> None:
    """Each mail has its own."""
    with pytest.raises(IntegrityError), database.transaction() as session:
        session.add_all([message(noon, 1), message(noon, 1)])


def due(session: Session, now: datetime) -> list[int | None]:
    """Return the ids of what is due."""
    return [row.id for row in due_messages(session, now)]


def test_a_message_is_taken_by_one_sender(database: Database, noon: datetime) -> None:
    """Taken, it is due no more, and the try is counted."""
    with database.transaction() as session:
        number = queue(session, message(noon, 1))
        assert due(session, noon) == [number]
        assert mark_sending(session, number)
        assert not mark_sending(session, number)
        assert due(session, noon) == []
        assert session.get_one(OutboxRow, number).tries == 1


def test_a_sent_message_is_done(database: Database, noon: datetime) -> None:
    """With the time and the server's answer; a delivery failure finds it by its Message-ID."""
    with database.transaction() as session:
        number = queue(session, message(noon, 1))
        mark_sending(session, number)
        mark_sent(session, number, now=noon + MINUTE, code=250, text="taken\0")
    with database.reading() as session:
        row = message_by_message_id(session, "<1@example.org>")
        assert row is not None
        assert (row.state, row.sent_at) == (OutboxState.SENT, noon + MINUTE)
        assert (row.last_code, row.last_text) == (250, "taken\ufffd")
        assert due(session, noon + 9 * MINUTE) == []


@pytest.mark.parametrize("unknown", [False, True])
def test_a_message_that_did_not_go_is_due_again_later(
    database: Database, noon: datetime, *, unknown: bool
) -> None:
    """Also where it may have gone: with the same Message-ID."""
    with database.transaction() as session:
        number = queue(session, message(noon, 1))
        mark_sending(session, number)
        later = noon + MINUTE
        mark_for_retry(session, number, next_try_at=later, code=451, text="later", unknown=unknown)
        assert due(session, noon) == []
        assert due(session, later) == [number]
        assert mark_sending(session, number)
        assert session.get_one(OutboxRow, number).tries == 2


def test_a_failed_message_is_not_tried_again(database: Database, noon: datetime) -> None:
    """The GM is told of it instead."""
    with database.transaction() as session:
        number = queue(session, message(noon, 1))
        mark_sending(session, number)
        mark_failed(session, number, code=550, text="no such user")
        assert due(session, noon + MINUTE) == []
        assert [row.id for row in messages_in_state(session, OutboxState.FAILED)] == [number]


def test_what_was_being_sent_at_a_crash_may_have_gone(database: Database, noon: datetime) -> None:
    """It is unknown, and due."""
    with database.transaction() as session:
        number = queue(session, message(noon, 1))
        mark_sending(session, number)
    with database.transaction() as session:
        assert recover_sending(session) == 1
        assert recover_sending(session) == 0
        assert session.get_one(OutboxRow, number).state is OutboxState.UNKNOWN
        assert due(session, noon) == [number]


def test_messages_to_an_address_are_counted(database: Database, noon: datetime) -> None:
    """So that nobody gets more than a few answers."""
    with database.transaction() as session:
        queue(session, message(noon, 1, kind="hint"))
        queue(session, message(noon + MINUTE, 2, kind="hint"))
        queue(session, message(noon + MINUTE, 3))
        queue(session, message(noon + MINUTE, 4, recipient="bob@example.org"))
        assert count_messages(session, "ann@example.org", noon) == 3
        assert count_messages(session, "ann@example.org", noon, {"hint"}) == 2
        assert count_messages(session, "ann@example.org", noon + MINUTE, {"hint"}) == 1


def test_a_setting_is_made_once(database: Database) -> None:
    """The key of the tokens stays what it was."""
    with database.transaction() as session:
        assert setting_or(session, "key", "first") == "first"
    with database.transaction() as session:
        assert setting_or(session, "key", "second") == "first"
    with database.transaction() as session:
        assert setting_or(session, "other", "own") == "own"
        assert setting_or(session, "key", "third") == "first"
