"""Leases on mails: each handled by one process, a sender's and a seat's in their order."""

from datetime import datetime

import pytest
from sqlmodel import Session

from postal.store.database import Database
from postal.store.mails import free_mails, lease_mail, release_mail
from postal.store.rows import MailRow, MailStatus
from tests.store.store_league import (
    LEASE,
    MINUTE,
    NOON,
    SECOND,
    mail,
    never_wait,
    store_game,
    store_mails,
    store_person,
    together,
)


def take(session: Session, owner: str, now: datetime = NOON, after: int = 0) -> int | None:
    """Lease a mail; return its UID."""
    row = lease_mail(session, owner=owner, now=now, until=now + LEASE, after=after)
    return row.uid if row else None


def leased(database: Database, owner: str, now: datetime = NOON, after: int = 0) -> int | None:
    """Lease a mail in a transaction of its own; return its UID."""
    with database.transaction() as session:
        return take(session, owner, now, after)


def finish(database: Database, mail_id: int) -> None:
    """Note that a mail was handled."""
    with database.transaction() as session:
        row = session.get_one(MailRow, mail_id)
        row.status, row.owner, row.lease_until = MailStatus.DONE, None, None


def release(
    database: Database,
    mail_id: int,
    owner: str = "one",
    *,
    counts: bool = True,
    again: datetime | None = None,
) -> None:
    """Let a mail go in a transaction of its own."""
    with database.transaction() as session:
        release_mail(session, mail_id, owner=owner, counts=counts, next_try_at=again)


def tries(database: Database, mail_id: int) -> int:
    """Return how often a mail was tried."""
    with database.reading() as session:
        return session.get_one(MailRow, mail_id).tries


def test_mails_are_handled_in_their_order_of_arrival(database: Database) -> None:
    """As they were stored, whatever their dates say; a handled one drops out."""
    ids = store_mails(database, mail(1), mail(2, internal_date=NOON - MINUTE), mail(3))
    finish(database, ids[1])
    assert leased(database, "one") == 1
    finish(database, ids[0])
    assert leased(database, "one") == 3
    finish(database, ids[2])
    assert leased(database, "one") is None


def test_a_mail_is_one_process_s_until_its_lease_ends(database: Database) -> None:
    """Then another takes it up, as the second try."""
    (number,) = store_mails(database, mail(1))
    assert leased(database, "one") == 1
    assert leased(database, "two", NOON + LEASE - SECOND) is None
    assert leased(database, "two", NOON + LEASE) == 1
    assert leased(database, "one", NOON + LEASE) is None
    assert tries(database, number) == 2


def test_a_process_takes_up_again_what_it_left(database: Database) -> None:
    """It need not wait for its own lease."""
    (number,) = store_mails(database, mail(1))
    assert leased(database, "one") == 1
    assert leased(database, "one") == 1
    assert tries(database, number) == 2


def test_a_sender_s_mails_keep_their_order_while_another_process_has_one(
    database: Database,
) -> None:
    """His next one waits; other people's go on."""
    ids = store_mails(
        database, mail(1, sender_key="ann"), mail(2, sender_key="ann"), mail(3, sender_key="bob")
    )
    assert leased(database, "one") == 1
    assert leased(database, "two") == 3
    assert leased(database, "three") is None
    # The process that has the first does not run ahead either.
    assert leased(database, "one", after=ids[0]) is None
    finish(database, ids[0])
    assert leased(database, "three") == 2


def test_a_seat_s_mails_keep_their_order_whoever_sends_them(
    database: Database, seats: dict[str, int]
) -> None:
    """A player may write from two addresses."""
    ids = store_mails(
        database,
        mail(1, sender_key="home", seat_id=seats["Ann"]),
        mail(2, sender_key="work", seat_id=seats["Ann"]),
        mail(3, sender_key="bob", seat_id=seats["Bob"]),
    )
    assert leased(database, "one") == 1
    assert leased(database, "two") == 3
    assert leased(database, "three") is None
    finish(database, ids[0])
    assert leased(database, "three") == 2


def test_a_sender_s_mails_for_two_seats_wait_for_none(
    database: Database, seats: dict[str, int]
) -> None:
    """He plays in two games, say: what he orders in one undoes nothing in the other."""
    store_mails(
        database,
        mail(1, sender_key="ann", seat_id=seats["Ann"]),
        mail(2, sender_key="ann", seat_id=seats["Bob"]),
    )
    assert leased(database, "one") == 1
    assert leased(database, "two") == 2


@pytest.mark.parametrize("known", [(True, False), (False, True)])
def test_a_mail_of_nobody_knows_which_seat_may_be_any_of_its_sender_s(
    database: Database, seats: dict[str, int], known: tuple[bool, bool]
) -> None:
    """Whichever of the two it is that isn't known."""
    ids = store_mails(
        database,
        *(
            mail(uid, sender_key="ann", seat_id=seats["Ann"] if one else None)
            for uid, one in enumerate(known, 1)
        ),
    )
    assert leased(database, "one") == 1
    assert leased(database, "two") is None
    finish(database, ids[0])
    assert leased(database, "two") == 2


def test_mails_from_nobody_wait_for_none(database: Database) -> None:
    """No sender is no sender that they share, and no seat no seat."""
    store_mails(database, mail(1), mail(2))
    assert leased(database, "one") == 1
    assert leased(database, "two") == 2


def test_a_mail_to_be_tried_later_keeps_its_place(database: Database) -> None:
    """Its sender's newer order must not be filed before it, nor be undone by it."""
    ids = store_mails(
        database, mail(1, sender_key="ann"), mail(2, sender_key="ann"), mail(3, sender_key="bob")
    )
    assert leased(database, "one") == 1
    release(database, ids[0], again=NOON + MINUTE)
    assert leased(database, "one") == 3
    finish(database, ids[2])
    assert leased(database, "one", NOON + MINUTE - SECOND) is None
    assert leased(database, "two", NOON + MINUTE) == 1
    finish(database, ids[0])
    assert leased(database, "two", NOON + MINUTE) == 2


def test_one_round_tries_a_mail_once(database: Database) -> None:
    """What failed in it is passed over, with all that waits behind it."""
    ids = store_mails(
        database, mail(1, sender_key="ann"), mail(2, sender_key="ann"), mail(3, sender_key="bob")
    )
    assert leased(database, "one") == 1
    release(database, ids[0])
    assert leased(database, "one", after=ids[0]) == 3
    finish(database, ids[2])
    assert leased(database, "one", after=ids[2]) is None
    assert leased(database, "one") == 1


@pytest.mark.parametrize(("counts", "left"), [(True, 1), (False, 0)])
def test_a_try_counts_where_the_mail_was_at_fault(
    database: Database, *, counts: bool, left: int
) -> None:
    """What failed for want of a disk, say, was none; the next process may have it at once."""
    (number,) = store_mails(database, mail(1))
    assert leased(database, "one") == 1
    release(database, number, counts=counts)
    assert tries(database, number) == left
    assert leased(database, "two") == 1


def test_who_lost_a_mail_lets_nothing_go(database: Database) -> None:
    """Another process has it since, after a lease that was over."""
    (number,) = store_mails(database, mail(1))
    assert leased(database, "one") == 1
    assert leased(database, "two", NOON + LEASE) == 1
    release(database, number, "one", counts=False)
    assert leased(database, "three", NOON + LEASE) is None
    assert tries(database, number) == 2


def test_a_mail_that_was_handled_can_not_be_let_go(database: Database) -> None:
    """Its tries stay as the evidence has them."""
    (number,) = store_mails(database, mail(1))
    assert leased(database, "one") == 1
    with database.transaction() as session:
        session.get_one(MailRow, number).status = MailStatus.DONE
        release_mail(session, number, owner="one", counts=False)
    assert tries(database, number) == 1
    assert leased(database, "one") is None


def test_what_a_killed_process_had_is_free_at_the_next_start(database: Database) -> None:
    """All of it, or one process's own."""
    store_mails(database, *(mail(uid) for uid in (1, 2, 3)))
    assert [leased(database, name) for name in ("one", "two", "three")] == [1, 2, 3]
    with database.transaction() as session:
        assert free_mails(session, "two") == 1
        assert free_mails(session, "two") == 0
    assert leased(database, "four") == 2
    with database.transaction() as session:
        assert free_mails(session) == 3
        assert free_mails(session) == 0
    assert leased(database, "four") == 1


def test_processes_that_lease_together_get_different_mails(
    database: Database, database_url: str
) -> None:
    """Each mail once, and all of them."""
    store_mails(database, *(mail(uid) for uid in range(1, 25)))
    taken: list[int] = []

    def work(mine: Database, number: int) -> None:
        last = 0
        while True:
            with mine.transaction() as session:
                row = lease_mail(
                    session, owner=str(number), now=NOON, until=NOON + LEASE, after=last
                )
            if row is None:
                return
            last = row.id or 0
            taken.append(row.uid)

    together(database_url, work)
    assert sorted(taken) == list(range(1, 25))


@pytest.mark.postgresql
def test_on_a_server_nobody_waits_for_a_mail_that_is_being_taken(postgresql: Database) -> None:
    """A row that is locked is passed over, and its sender's and seat's next ones with it."""
    with postgresql.transaction() as session:
        ann = store_person(session, "Ann", "ann@example.org")
        store_game(session, "league", ann)
    ids = store_mails(
        postgresql,
        mail(1, sender_key="ann", seat_id=1),
        mail(2, sender_key="ann"),
        mail(3, sender_key="work", seat_id=1),
        mail(4, sender_key="bob"),
    )
    with postgresql.transaction() as first, postgresql.transaction() as second:
        never_wait(second)
        assert take(first, "one") == 1
        assert take(second, "two") == 4
        assert take(second, "two", after=ids[3]) is None
    finish(postgresql, ids[0])
    assert leased(postgresql, "three") == 2
