"""Mail that came in: stored once, read once, and put away."""

from datetime import datetime
from typing import Any

import pytest
from sqlalchemy.exc import IntegrityError
from sqlalchemy.inspection import inspect

from postal.store.database import Database
from postal.store.mails import (
    already_handled,
    earlier_of_seat,
    mails_like,
    mails_with_status,
    store_mail,
    unmoved_mails,
    waits_for_mail,
)
from postal.store.rows import MailRow, MailStatus
from postal.store.settings import setting_or
from postal.store.unread import known_mails
from tests.store.store_league import MINUTE, NOON, mail, number_of, store_game, store_mails


def test_a_mail_is_stored_once(database: Database) -> None:
    """The second time the first row comes back."""
    with database.transaction() as session:
        first, new = store_mail(session, mail(5))
        assert new
    with database.transaction() as session:
        again, new = store_mail(session, mail(5))
        assert (again.id, new) == (first.id, False)
        assert store_mail(session, mail(5, folder="Other"))[1]


def test_the_database_itself_refuses_a_uid_twice(database: Database) -> None:
    """UNIQUE (account, folder, UIDVALIDITY, UID)."""
    with pytest.raises(IntegrityError), database.transaction() as session:
        session.add_all([mail(5), mail(5)])


def uids_known(*question: Any) -> set[int]:
    """Return which UIDs are known."""
    return set(known_mails(*question))


def test_of_very_many_uids_those_stored_are_known(database: Database) -> None:
    """More than one statement can name; each folder, account and UIDVALIDITY has its own."""
    odd = range(1, 1500, 2)
    store_mails(database, *(mail(uid) for uid in odd))
    with database.reading() as session:
        asked = list(range(1, 3000))
        assert uids_known(session, "gm", "INBOX", 1, asked) == set(odd)
        assert uids_known(session, "gm", "INBOX", 1, [2, 3]) == {3}
        assert uids_known(session, "gm", "INBOX", 1, []) == set()
        assert uids_known(session, "gm", "INBOX", 2, asked) == set()
        assert uids_known(session, "gm", "Other", 1, asked) == set()
        assert uids_known(session, "other", "INBOX", 1, asked) == set()


@pytest.mark.parametrize("status", [MailStatus.DONE, MailStatus.IGNORED, MailStatus.QUARANTINED])
def test_a_mail_dealt_with_is_known_under_another_uidvalidity(
    database: Database, status: MailStatus
) -> None:
    """The server counts anew: no order is read twice."""
    with database.transaction() as session:
        first, _ = store_mail(session, mail(5, sha256="aa"))
        second, new = store_mail(session, mail(1, uidvalidity=2, sha256="aa"))
        third, _ = store_mail(session, mail(6, sha256="bb"))
        assert new
        assert already_handled(session, second) is None
        first.status = status
        assert already_handled(session, second) is first
        assert already_handled(session, first) is None
        assert already_handled(session, third) is None
        assert mails_like(session, second) == [first.id, second.id]


def test_mails_that_were_never_fetched_are_not_taken_for_one_another(database: Database) -> None:
    """A mail too large to fetch has no hash."""
    with database.transaction() as session:
        store_mail(session, mail(1, sha256=None))[0].status = MailStatus.REJECTED
        second, _ = store_mail(session, mail(2, sha256=None))
        assert already_handled(session, second) is None
        assert mails_like(session, second) == [second.id]


def test_mails_are_listed_by_what_became_of_them(database: Database) -> None:
    """Oldest first, without their bytes, which one asks for."""
    ids = store_mails(database, *(mail(uid) for uid in (1, 2, 3)))
    with database.transaction() as session:
        for number in ids[1:]:
            session.get_one(MailRow, number).status = MailStatus.DONE
    with database.reading() as session:
        rows = mails_with_status(session, MailStatus.DONE)
        assert [row.uid for row in rows] == [2, 3]
        assert all("raw" in inspect(row).unloaded for row in rows)
        assert [row.uid for row in mails_with_status(session, MailStatus.NEW)] == [1]
    with database.reading() as session:
        assert session.get_one(MailRow, ids[1]).raw == b"raw"


def test_handled_mails_wait_to_be_moved(database: Database) -> None:
    """Until they are; new ones stay where they are, and so do those that go nowhere."""
    done: dict[str, MailStatus | str] = {"status": MailStatus.DONE, "target": "Processed"}
    store_mails(
        database,
        mail(1, **done),
        mail(2, **done),
        mail(3, target="Processed"),
        mail(4, status=MailStatus.DONE),
        mail(5, **done, folder="Other"),
        mail(6, **done, account="other"),
        mail(7, **done, moved=True),
    )
    with database.transaction() as session:
        unmoved = unmoved_mails(session, "gm", "INBOX")
        assert [(row.uid, row.target) for row in unmoved] == [(1, "Processed"), (2, "Processed")]
        unmoved[0].place, unmoved[0].moved = "Processed", True
    with database.reading() as session:
        assert [row.uid for row in unmoved_mails(session, "gm", "INBOX")] == [2]
        assert session.get_one(MailRow, 1).raw == b"raw"


def test_a_mail_handled_again_moves_on_from_where_it_lies(database: Database) -> None:
    """It is still one of the folder that it came in by."""
    (number,) = store_mails(
        database, mail(1, status=MailStatus.QUARANTINED, target="Quarantine", moved=True)
    )
    with database.transaction() as session:
        row = session.get_one(MailRow, number)
        row.place, row.target, row.moved = "Quarantine", "Processed", False
    with database.reading() as session:
        unmoved = unmoved_mails(session, "gm", "INBOX")
        assert [(row.place, row.target) for row in unmoved] == [("Quarantine", "Processed")]
        assert unmoved_mails(session, "gm", "Quarantine") == []


def test_a_game_waits_for_its_mail(database: Database, game_id: int) -> None:
    """Until it is handled; another game's holds nothing up."""
    with database.transaction() as session:
        other = number_of(store_game(session, "other"))
    (number,) = store_mails(database, mail(1, game_id=game_id))
    with database.transaction() as session:
        assert waits_for_mail(session, game_id, NOON)
        assert not waits_for_mail(session, other, NOON)
        row = session.get_one(MailRow, number)
        row.tries, row.owner, row.lease_until = 1, "one", NOON + MINUTE
        assert waits_for_mail(session, game_id, NOON), "it is being handled"
        assert not waits_for_mail(session, game_id, NOON + MINUTE), "it has failed"
        row.tries = 0
        assert waits_for_mail(session, game_id, NOON + MINUTE)
        row.status = MailStatus.DONE
        assert not waits_for_mail(session, game_id, NOON)


def test_every_game_waits_for_mail_of_nobody_knows_which(database: Database, game_id: int) -> None:
    """Until it has been looked at once: it may be any game's."""
    (number,) = store_mails(database, mail(1))
    with database.transaction() as session:
        assert waits_for_mail(session, game_id, NOON)
        session.get_one(MailRow, number).tries = 1
        assert not waits_for_mail(session, game_id, NOON)


def test_the_mails_of_a_seat_s_turn_are_found_latest_first(
    database: Database, seats: dict[str, int]
) -> None:
    """Those that were done, before the one asked about, as many as asked for."""
    mine = {"seat_id": seats["Ann"], "turn": 1, "status": MailStatus.DONE}
    ids = store_mails(
        database,
        mail(1, **mine),
        mail(2, **mine),
        mail(3, **mine | {"status": MailStatus.REJECTED}),
        mail(4, **mine | {"turn": 2}),
        mail(5, **mine | {"seat_id": seats["Bob"]}),
        mail(6, **mine),
        mail(7, **mine | {"status": MailStatus.NEW}),
        mail(8, **mine),
    )

    def earlier(limit: int) -> list[int]:
        with database.reading() as session:
            found = earlier_of_seat(session, ids[6], seats["Ann"], 1, limit)
            return [session.get_one(MailRow, number).uid for number, _ in found]

    assert earlier(50) == [6, 2, 1]
    assert earlier(2) == [6, 2]


def test_the_order_of_arrival_is_never_reckoned_by_dates(
    database: Database, noon: datetime
) -> None:
    """A number once used is not given again, though its mail be deleted."""
    first, second = store_mails(database, mail(1), mail(2, internal_date=noon - MINUTE))
    assert first < second
    with database.transaction() as session:
        session.delete(session.get_one(MailRow, second))
    (third,) = store_mails(database, mail(3))
    assert third > second


def test_a_setting_is_made_once(database: Database) -> None:
    """The key of the tokens stays what it was."""
    with database.transaction() as session:
        assert setting_or(session, "key", "first") == "first"
    with database.transaction() as session:
        assert setting_or(session, "key", "second") == "first"
    with database.transaction() as session:
        assert setting_or(session, "other", "own") == "own"
        assert setting_or(session, "key", "third") == "first"
