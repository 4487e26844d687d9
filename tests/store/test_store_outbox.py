"""The outbox: nothing written twice, nothing sent by two, and nothing lost."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session

from postal.store.database import Database
from postal.store.outbox import (
    count_messages,
    delayed_messages,
    lease_message,
    mark_delayed,
    mark_failed,
    mark_for_retry,
    mark_sent,
    message_by_message_id,
    messages_in_state,
    messages_to_seat,
    queue_messages,
    recover_sending,
    threads,
)
from postal.store.rows import OutboxRow, OutboxState
from tests.store.store_league import (
    LEASE,
    MINUTE,
    NOON,
    SECOND,
    message,
    never_wait,
    number_of,
    queue,
    store_game,
    together,
)


def take(session: Session, now: datetime = NOON, owner: str = "one") -> int | None:
    """Lease a message; return its id."""
    row = lease_message(session, owner=owner, now=now, until=now + LEASE)
    return row.id if row else None


def leased(database: Database, now: datetime = NOON, owner: str = "one") -> int | None:
    """Lease a message in a transaction of its own; return its id."""
    with database.transaction() as session:
        return take(session, now, owner)


def stored(database: Database, number: int) -> OutboxRow:
    """Return a message as it stands."""
    with database.reading() as session:
        return session.get_one(OutboxRow, number)


def test_a_letter_of_a_kind_that_goes_once_is_queued_once(database: Database) -> None:
    """A report a seat and turn, and as many receipts as a player earns."""
    first = queue(database, message(1, kind="report", once_key="report Ann"))
    assert len(first) == 1
    assert queue(database, message(2, kind="report", once_key="report Ann")) == []
    mixed = queue(
        database,
        message(3, kind="report", once_key="report Ann"),
        message(4, kind="report", once_key="report Bob"),
        message(5),
        message(6),
    )
    assert len(mixed) == 3
    assert queue(database) == []
    with database.reading() as session:
        names = [row.message_id for row in messages_in_state(session, OutboxState.QUEUED)]
    assert names == [f"<{number}@example.org>" for number in (1, 4, 5, 6)]


def test_of_letters_written_together_one_goes_for_a_key(database: Database) -> None:
    """The first of them."""
    with database.transaction() as session:
        rows = [message(number, once_key="notice") for number in (1, 2)]
        assert [row.message_id for row in queue_messages(session, rows)] == ["<1@example.org>"]


@pytest.mark.parametrize("same", [{"message_id": "<1@example.org>"}, {"once_key": "once"}])
def test_the_database_itself_refuses_a_message_twice(
    database: Database, same: dict[str, Any]
) -> None:
    """Each mail has its own Message-ID, and a key stands there once."""
    with pytest.raises(IntegrityError), database.transaction() as session:
        session.add_all([message(1, **same), message(2, **same)])


def test_messages_go_oldest_first(database: Database) -> None:
    """Whenever they are due by."""
    ids = queue(database, message(1), message(2, next_try_at=NOON - MINUTE), message(3))
    assert [leased(database) for _ in range(4)] == [*ids, None]


def test_a_message_is_taken_by_one_sender(database: Database) -> None:
    """Marked as being sent before it goes, it is due no more, and the try is counted."""
    (number,) = queue(database, message(1))
    assert leased(database) == number
    assert leased(database) is None
    assert leased(database, owner="two") is None
    row = stored(database, number)
    assert (row.state, row.tries, row.owner) == (OutboxState.SENDING, 1, "one")


def test_what_a_killed_process_was_sending_goes_again_after_its_lease(database: Database) -> None:
    """It may have gone: under the same Message-ID, as one try more."""
    (number,) = queue(database, message(1))
    assert leased(database) == number
    assert leased(database, NOON + LEASE - SECOND, "two") is None
    assert leased(database, NOON + LEASE, "two") == number
    assert leased(database, NOON + LEASE, "three") is None
    row = stored(database, number)
    assert (row.message_id, row.tries, row.owner) == ("<1@example.org>", 2, "two")


def test_what_was_being_sent_without_a_lease_goes_again(database: Database) -> None:
    """An earlier postal noted none."""
    (number,) = queue(database, message(1, state=OutboxState.SENDING))
    assert leased(database) == number
    assert leased(database) is None


def test_a_sent_message_is_done(database: Database) -> None:
    """With the time and the server's answer; a delivery failure finds it by its Message-ID."""
    (number,) = queue(database, message(1))
    assert leased(database) == number
    with database.transaction() as session:
        mark_sent(session, number, now=NOON + MINUTE, code=250, text="taken\0")
    with database.reading() as session:
        row = message_by_message_id(session, "<1@example.org>")
        assert row is not None
        assert (row.state, row.sent_at) == (OutboxState.SENT, NOON + MINUTE)
        assert (row.last_code, row.last_text) == (250, "taken\ufffd")
        assert (row.owner, row.lease_until) == (None, None)
        assert message_by_message_id(session, "1@example.org") is None
    assert leased(database, NOON + 2 * LEASE) is None


@pytest.mark.parametrize("unknown", [False, True])
def test_a_message_that_did_not_go_is_due_again_later(database: Database, *, unknown: bool) -> None:
    """Also where it may have gone: with the same Message-ID."""
    (number,) = queue(database, message(1))
    assert leased(database) == number
    later = NOON + MINUTE
    with database.transaction() as session:
        mark_for_retry(session, number, next_try_at=later, code=451, text="later", unknown=unknown)
    row = stored(database, number)
    assert row.state is (OutboxState.UNKNOWN if unknown else OutboxState.QUEUED)
    assert (row.last_code, row.last_text, row.owner) == (451, "later", None)
    assert leased(database, later - SECOND) is None
    assert leased(database, later, "two") == number
    assert stored(database, number).tries == 2


def test_a_failed_message_is_not_tried_again(database: Database) -> None:
    """The GM is told of it instead."""
    (number,) = queue(database, message(1))
    assert leased(database) == number
    with database.transaction() as session:
        mark_failed(session, number, code=550, text="no such user")
    assert leased(database, NOON + 2 * LEASE) is None
    with database.reading() as session:
        failed = messages_in_state(session, OutboxState.FAILED)
        assert [(row.id, row.last_code) for row in failed] == [(number, 550)]


def test_what_was_being_sent_at_a_crash_may_have_gone(database: Database) -> None:
    """It is unknown, and due at once."""
    (number,) = queue(database, message(1))
    assert leased(database) == number
    with database.transaction() as session:
        assert recover_sending(session) == 1
        assert recover_sending(session) == 0
    assert stored(database, number).state is OutboxState.UNKNOWN
    assert leased(database, owner="two") == number


def test_a_process_takes_back_its_own_messages_alone(database: Database) -> None:
    """What another one is sending goes on."""
    first, second = queue(database, message(1), message(2))
    assert leased(database, owner="one") == first
    assert leased(database, owner="two") == second
    with database.transaction() as session:
        assert recover_sending(session, "two") == 1
        assert recover_sending(session, "three") == 0
    assert stored(database, first).state is OutboxState.SENDING
    assert leased(database, owner="three") == second
    assert leased(database, owner="three") is None


def test_a_message_that_is_delayed_on_its_way_stays_sent(database: Database) -> None:
    """It is listed until it comes back."""
    first, second = queue(database, message(1), message(2))
    with database.transaction() as session:
        for number in (first, second):
            mark_sent(session, number, now=NOON, code=250, text="taken")
        mark_delayed(session, second, text="delayed: 4.4.1")
    with database.reading() as session:
        rows = delayed_messages(session)
        assert [(row.id, row.last_text) for row in rows] == [(second, "delayed: 4.4.1")]
        assert rows[0].state is OutboxState.SENT
    with database.transaction() as session:
        mark_failed(session, second, code=None, text="came back: 5.1.1")
        assert delayed_messages(session) == []


def test_letters_of_some_turns_and_kinds_make_threads(
    database: Database, game_id: int, seats: dict[str, int]
) -> None:
    """Each with its seat, oldest first; none of the GM's, nor of another game."""
    with database.transaction() as session:
        other = number_of(store_game(session, "other"))
    ann: dict[str, Any] = {"game_id": game_id, "seat_id": seats["Ann"], "kind": "report"}
    queue(
        database,
        message(1, **ann | {"turn": 1}),
        message(2, **ann | {"turn": 2, "seat_id": seats["Bob"]}),
        message(3, **ann | {"turn": 2}),
        message(4, **ann | {"turn": 2, "kind": "receipt"}),
        message(5, **ann | {"turn": 3}),
        message(6, **ann | {"turn": 2, "seat_id": None}),
        message(7, **ann | {"turn": 2, "game_id": other}),
        message(8, **ann | {"turn": 2, "kind": "welcome"}),
    )
    with database.reading() as session:
        found = threads(session, game_id, [1, 2], {"report", "welcome"})
        assert list(found) == [
            (seats["Ann"], 1, "<1@example.org>"),
            (seats["Bob"], 2, "<2@example.org>"),
            (seats["Ann"], 2, "<3@example.org>"),
            (seats["Ann"], 2, "<8@example.org>"),
        ]
        assert list(threads(session, game_id, [], {"report"})) == []


def test_what_a_holder_orders_a_turn_by_is_found_newest_first(
    database: Database, seats: dict[str, int]
) -> None:
    """What told him of the turn before, and what answered his mails of this one."""
    ann: dict[str, Any] = {"seat_id": seats["Ann"]}
    queue(
        database,
        message(1, **ann, turn=1),
        message(2, **ann, turn=2),
        message(3, **ann, turn=3),
        message(4, **ann, turn=4),
        message(5, seat_id=seats["Bob"], turn=3),
        message(6, **ann, turn=None),
    )
    with database.reading() as session:
        rows = messages_to_seat(session, seats["Ann"], 3)
        assert [row.message_id for row in rows] == ["<3@example.org>", "<2@example.org>"]


def test_messages_to_an_address_are_counted(database: Database) -> None:
    """So that nobody gets more than a few answers."""
    queue(
        database,
        message(1, kind="hint"),
        message(2, kind="hint", created_at=NOON + MINUTE),
        message(3, created_at=NOON + MINUTE),
        message(4, created_at=NOON + MINUTE, recipient="bob@example.org"),
    )
    with database.reading() as session:
        assert count_messages(session, "ann@example.org", NOON) == 3
        assert count_messages(session, "ann@example.org", NOON, {"hint"}) == 2
        assert count_messages(session, "ann@example.org", NOON + MINUTE, {"hint"}) == 1
        assert count_messages(session, "ann@example.org", NOON + timedelta(days=1)) == 0


def test_processes_that_send_together_take_different_messages(
    database: Database, database_url: str
) -> None:
    """Each message once, and all of them."""
    ids = queue(database, *(message(number) for number in range(24)))
    taken: list[int] = []

    def work(mine: Database, number: int) -> None:
        while (one := leased(mine, owner=str(number))) is not None:
            taken.append(one)

    together(database_url, work)
    assert sorted(taken) == ids


@pytest.mark.postgresql
def test_on_a_server_nobody_waits_for_a_message_that_is_being_taken(postgresql: Database) -> None:
    """A row that is locked is passed over."""
    first_id, second_id = queue(postgresql, message(1), message(2))
    with postgresql.transaction() as first, postgresql.transaction() as second:
        never_wait(second)
        assert take(first, owner="one") == first_id
        assert take(second, owner="two") == second_id
        assert take(second, owner="two") is None
