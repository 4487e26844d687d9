"""A letter with a key is written once, whoever writes it how often."""

from datetime import datetime

from sqlmodel import select

from postal.store.database import Database
from postal.store.outbox import queue_messages
from postal.store.rows import OutboxRow


def letter(noon: datetime, number: int, once: str | None) -> OutboxRow:
    """Return a letter."""
    return OutboxRow(
        created_at=noon,
        recipient="gm@example.org",
        kind="gm",
        subject="notice",
        message_id=f"<{number}@example.org>",
        once_key=once,
        raw=b"",
    )


def test_of_letters_with_one_key_the_first_is_written(database: Database, noon: datetime) -> None:
    """In one go, and whatever is written later; those without a key all are."""
    keys = ["a", None, "a", "b", None, "b"]
    with database.transaction() as session:
        new = queue_messages(session, [letter(noon, n, key) for n, key in enumerate(keys)])
        assert [row.once_key for row in new] == ["a", None, "b", None]
    with database.transaction() as session:
        new = queue_messages(session, [letter(noon, n + 10, key) for n, key in enumerate("abc")])
        assert [row.once_key for row in new] == ["c"]
    with database.reading() as session:
        rows = session.exec(select(OutboxRow)).all()
    assert len(rows) == 5
