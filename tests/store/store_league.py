"""People, games, mails and messages as the tests of the store keep them."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from threading import Barrier, Thread
from typing import Any

from sqlalchemy import text
from sqlmodel import Session, select

from postal.store.database import Database, open_database
from postal.store.mails import store_mail
from postal.store.outbox import queue_messages
from postal.store.rows import (
    AddressRow,
    GameRow,
    HolderRow,
    MailRow,
    OutboxRow,
    PersonRow,
    SeatRow,
    TurnRow,
    TurnStatus,
)

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)
LEASE = timedelta(minutes=10)


def number_of(row: AddressRow | GameRow | MailRow | OutboxRow | PersonRow | SeatRow) -> int:
    """Return the id of a stored row."""
    assert row.id is not None
    return row.id


def store_person(session: Session, name: str, *addresses: str) -> PersonRow:
    """Store a person with confirmed addresses, the first that of his reports."""
    person = PersonRow(name=name, created_at=NOON)
    session.add(person)
    session.flush()
    for place, address in enumerate(addresses):
        session.add(
            AddressRow(
                person_id=number_of(person),
                address=address,
                asked_at=NOON,
                confirmed_at=NOON,
                reports=place == 0,
            )
        )
        session.flush()
    return person


def store_game(session: Session, slug: str, *people: PersonRow) -> GameRow:
    """Store a game of some people, its deal and an open first turn that isn't due by itself."""
    game = GameRow(
        slug=slug,
        rules="{}",
        engine_version="1",
        secret=b"hidden-secret",
        commitment="c",
        committed="{}",
        turn_length=7,
        hour=20,
        zone="Europe/London",
        created_at=NOON,
    )
    session.add(game)
    session.flush()
    for position, person in enumerate(people):
        seat = SeatRow(game_id=number_of(game), position=position, name=person.name)
        session.add(seat)
        session.flush()
        session.add(HolderRow(seat_id=number_of(seat), person_id=number_of(person), since=NOON))
    session.add(
        TurnRow(
            game_id=number_of(game),
            number=0,
            status=TurnStatus.DONE,
            opened_at=NOON,
            zone="UTC",
            events="[0]",
            state='"dealt"',
        )
    )
    session.add(TurnRow(game_id=number_of(game), number=1, opened_at=NOON, zone="Europe/London"))
    session.flush()
    return game


def mail(uid: int, **values: Any) -> MailRow:
    """Return a mail as a poll stores it, each with bytes of its own unless told otherwise."""
    usual: dict[str, Any] = {
        "account": "gm",
        "folder": "INBOX",
        "place": "INBOX",
        "uidvalidity": 1,
        "sha256": f"{uid:064x}",
        "raw": b"raw",
        "internal_date": NOON,
        "received_at": NOON,
    }
    return MailRow(uid=uid, **{**usual, **values})


def store_mails(database: Database, *mails: MailRow) -> list[int]:
    """Store mails in their order; return their ids."""
    with database.transaction() as session:
        return [number_of(store_mail(session, one)[0]) for one in mails]


def message(number: int, **values: Any) -> OutboxRow:
    """Return a message to Ann about turn 1, its Message-ID by its number."""
    usual: dict[str, Any] = {
        "created_at": NOON,
        "turn": 1,
        "recipient": "ann@example.org",
        "kind": "receipt",
        "message_id": f"<{number}@example.org>",
        "raw": b"raw",
    }
    return OutboxRow(**{**usual, **values})


def queue(database: Database, *messages: OutboxRow) -> list[int]:
    """Queue messages; return the ids of those that are new."""
    with database.transaction() as session:
        return [number_of(row) for row in queue_messages(session, messages)]


def never_wait(session: Session) -> None:
    """Let a PostgreSQL session fail where it would have to wait for another's lock."""
    session.connection().execute(text("SET LOCAL lock_timeout = '5s'"))


def together(url: str, work: Callable[[Database, int], None], count: int = 3) -> None:
    """Do some work at once in threads with connections of their own, as processes have."""
    databases: Sequence[Database] = [open_database(url) for _ in range(count)]
    start = Barrier(count)

    def run(number: int) -> None:
        start.wait()
        work(databases[number], number)

    threads = [Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for database in databases:
        database.close()


def turn_by_number(session: Session, game_id: int, number: int) -> TurnRow | None:
    """Return one turn of a game; number 0 is the deal."""
    statement = select(TurnRow).where(TurnRow.game_id == game_id, TurnRow.number == number)
    return session.exec(statement).one_or_none()
