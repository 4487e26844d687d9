"""Polled mailboxes: when the last whole poll began, and which daemon polls."""

from datetime import datetime

import pytest
from sqlalchemy.exc import IntegrityError
from sqlmodel import select

from postal.store.database import Database
from postal.store.mails import (
    hold_mailbox,
    leave_mailbox,
    poll_finished,
    polled_folder,
    whole_poll_began_at,
)
from postal.store.rows import AccountRow
from tests.store.store_league import LEASE, MINUTE, NOON, SECOND, together


def test_a_poll_counts_when_it_is_whole(database: Database, noon: datetime) -> None:
    """By its start: what came while it ran may have been missed (RULES.md 10.5)."""
    with database.transaction() as session:
        assert whole_poll_began_at(session, "gm", "INBOX") is None
        polled_folder(session, "gm", "INBOX")
        assert whole_poll_began_at(session, "gm", "INBOX") is None
        poll_finished(session, "gm", "INBOX", uidvalidity=1, began=noon)
        assert whole_poll_began_at(session, "gm", "INBOX") == noon
        assert whole_poll_began_at(session, "gm", "Other") is None
    with database.transaction() as session:
        poll_finished(session, "gm", "INBOX", uidvalidity=2, began=noon + MINUTE)
    with database.reading() as session:
        assert whole_poll_began_at(session, "gm", "INBOX") == noon + MINUTE
        assert session.exec(select(AccountRow.uidvalidity)).all() == [2]


def test_an_earlier_poll_that_ends_later_takes_nothing_back(
    database: Database, noon: datetime
) -> None:
    """Two processes may poll at once; each finishes by its own start."""
    with database.transaction() as session:
        poll_finished(session, "gm", "INBOX", uidvalidity=1, began=noon + MINUTE)
    with database.transaction() as session:
        poll_finished(session, "gm", "INBOX", uidvalidity=1, began=noon)
    with database.reading() as session:
        assert whole_poll_began_at(session, "gm", "INBOX") == noon + MINUTE


def hold(database: Database, owner: str, now: datetime = NOON, folder: str = "INBOX") -> bool:
    """Try for a mailbox in a transaction of its own."""
    with database.transaction() as session:
        return hold_mailbox(session, "gm", folder, owner=owner, now=now, until=now + LEASE)


def test_a_mailbox_is_one_daemon_s(database: Database) -> None:
    """Until its lease ends without a word of it; then another takes it over."""
    assert hold(database, "one")
    assert not hold(database, "two", NOON + LEASE - SECOND)
    assert hold(database, "two", NOON + LEASE)
    assert not hold(database, "one", NOON + LEASE)


def test_a_daemon_that_lives_keeps_its_mailbox(database: Database) -> None:
    """Each word of it begins the lease anew."""
    assert hold(database, "one")
    assert hold(database, "one", NOON + LEASE - SECOND)
    assert not hold(database, "two", NOON + LEASE)
    assert hold(database, "two", NOON + 2 * LEASE - SECOND)


def test_a_mailbox_given_back_is_taken_at_once(database: Database) -> None:
    """By its holder alone, and each folder has its own."""
    assert hold(database, "one")
    assert hold(database, "one", folder="Other")
    with database.transaction() as session:
        leave_mailbox(session, "gm", "INBOX", owner="two")
    assert not hold(database, "two")
    with database.transaction() as session:
        leave_mailbox(session, "gm", "INBOX", owner="one")
    assert hold(database, "two")
    assert not hold(database, "two", folder="Other")


def test_holding_a_mailbox_changes_nothing_about_its_polls(
    database: Database, noon: datetime
) -> None:
    """Nor does a poll end the lease."""
    with database.transaction() as session:
        poll_finished(session, "gm", "INBOX", uidvalidity=1, began=noon)
    assert hold(database, "one")
    with database.transaction() as session:
        assert whole_poll_began_at(session, "gm", "INBOX") == noon
        poll_finished(session, "gm", "INBOX", uidvalidity=1, began=noon + MINUTE)
    assert not hold(database, "two")


def test_of_daemons_that_try_together_one_gets_the_mailbox(
    database: Database, database_url: str
) -> None:
    """The others are told so, also where the row of the folder is still to be made."""
    won: list[int] = []

    def work(mine: Database, number: int) -> None:
        try:
            if hold(mine, str(number)):
                won.append(number)
        except IntegrityError:
            # Two made the row at the same moment: the next beat tells.
            return

    together(database_url, work)
    assert len(won) == 1
    assert hold(database, str(won[0]))
    assert not hold(database, "another")


@pytest.mark.parametrize("made", [1, 2])
def test_a_folder_has_one_row(database: Database, made: int) -> None:
    """Begun at the first asking."""
    for _ in range(made):
        with database.transaction() as session:
            polled_folder(session, "gm", "INBOX")
    with database.reading() as session:
        assert len(session.exec(select(AccountRow)).all()) == 1
