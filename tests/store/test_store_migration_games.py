"""From the tables of revision 0002: of games, orders and mails nothing is lost or mixed up."""

import hashlib

import pytest

from postal.store.database import make_engine, open_database
from postal.store.problems import StoreUnavailable
from postal.store.rows import METADATA, GameRow, MailRow, OutboxRow, TurnRow
from tests.store.earlier import (
    Query,
    content,
    earlier_database,
    every,
    found,
    migrated,
    revision,
    run,
    upgraded,
)


@pytest.mark.parametrize(
    ("table", "rest"),
    [
        ("orders", "id, hand, line, order_json, mail_id, filed_at"),
        ("order_log", "id, mail_id, at, action, hand, line, code, sentence"),
        ("attendance", "id, heard, waiting, troubled, last_order_at"),
    ],
)
def test_orders_and_their_history_are_as_they_were(
    database_url: str, table: str, rest: str
) -> None:
    """Each row is of the same player's, and of the same turn."""
    earlier_database(database_url)
    before = found(database_url, f"SELECT game_id, turn, player, {rest} FROM {table} ORDER BY id")
    upgraded(database_url)
    columns = ", ".join(f"x.{name}" for name in rest.split(", "))
    after = found(
        database_url,
        f"SELECT t.game_id, t.number, s.name, {columns} FROM {table} x"
        " JOIN turns t ON t.id = x.turn_id"
        " JOIN seats s ON s.id = x.seat_id AND s.game_id = t.game_id ORDER BY x.id",
    )
    assert after == before
    assert len(before) > 50


@pytest.mark.parametrize(
    ("table", "rest"),
    [
        (
            "inbox",
            "id, account, folder, uidvalidity, uid, sha256, size, raw, status, tries, reason",
        ),
        (
            "outbox",
            "id, created_at, turn, recipient, kind, subject, message_id, raw, state, sent_at",
        ),
        ("turns", "id, number, status, opened_at, deadline, zone, orders, events, state"),
        ("games", "id, slug, rules, options, secret, commitment, status, created_at"),
        ("settings", "key, value"),
    ],
)
def test_the_rest_is_as_it_was(database_url: str, table: str, rest: str) -> None:
    """Byte for byte."""
    earlier_database(database_url)
    query = f"SELECT {rest} FROM {table} ORDER BY 1"
    before = found(database_url, query)
    upgraded(database_url)
    assert found(database_url, query) == before
    assert before


@pytest.mark.parametrize("table", ["inbox", "outbox"])
def test_mails_are_of_the_same_seats(database_url: str, table: str) -> None:
    """Those of nobody, and to the GM, are of no seat."""
    earlier_database(database_url)
    query = f"SELECT id, game_id, nullif(player, '') FROM {table} ORDER BY id"
    before = found(database_url, query)
    upgraded(database_url)
    after = found(
        database_url,
        f"SELECT x.id, x.game_id, s.name FROM {table} x"
        " LEFT JOIN seats s ON s.id = x.seat_id AND s.game_id = x.game_id ORDER BY x.id",
    )
    assert after == before
    assert any(row[2] is None for row in before)


def test_what_a_game_committed_itself_to_is_kept(database_url: str) -> None:
    """With the secret before it, its SHA-256 is what the first report printed."""
    migrated(database_url)
    games: list[GameRow] = every(database_url, GameRow)
    for game in games:
        made = hashlib.sha256(game.secret + game.committed.encode()).hexdigest()
        assert made == game.commitment
    assert [game.edition for game in games] == [1, 1]


@pytest.mark.parametrize("change", ["rules = '{\"options\": [1]}'", "options = '{\"ante\": 7}'"])
def test_a_commitment_that_fits_nothing_is_left_to_verify(database_url: str, change: str) -> None:
    """The game can still be played."""
    migrated(database_url, f"UPDATE games SET {change} WHERE id = 2")
    first, second = every(database_url, GameRow)
    assert first.committed
    assert second.committed == ""


def test_a_game_that_is_over_ended_with_its_last_turn(database_url: str) -> None:
    """One that runs has not ended, and its turn is looked at at once."""
    migrated(database_url, "UPDATE turns SET status = 'claimed' WHERE game_id = 2 AND number = 2")
    over, running = every(database_url, GameRow)
    turns: list[TurnRow] = every(database_url, TurnRow)
    last = max((turn for turn in turns if turn.game_id == 1), key=lambda turn: turn.number)
    assert over.ended_at == last.adjudicated_at is not None
    assert running.ended_at is None
    due = {(turn.game_id, turn.number) for turn in turns if turn.due_at is not None}
    assert due == {(2, 2), (2, 3)}
    assert all(turn.due_at in (None, turn.opened_at) and turn.version == 0 for turn in turns)


def test_a_new_mail_waits_for_its_sender_s_earlier_ones(database_url: str) -> None:
    """Who sent it is read from its header, whatever is in that; of others it isn't asked."""
    heads = [
        (
            b"From: =?utf-8?q?K=C3=A4y?= <KAY@Example.org>, other@example.org\r\n\r\n",
            "kay@example.org",
        ),
        (b"Subject: none\r\n\r\nFrom: in@body.example\r\n", ""),
        (b"From: \xff\x00\xfe@example.org\r\n\r\n", "\ufffd\ufffd\ufffd@example.org"),
        (b"From: " + b"(" * 30_000 + b"\r\n\r\n", ""),
        (b"\0\0", ""),
        (b"", ""),
    ]
    new = "UPDATE inbox SET status = 'new', raw = :raw WHERE id = :id"
    changes = [(new, {"raw": raw, "id": number}) for number, (raw, _) in enumerate(heads, start=1)]
    migrated(database_url, *changes, "UPDATE inbox SET status = 'new', raw = NULL WHERE id = 7")
    mails: list[MailRow] = every(database_url, MailRow)
    assert [mail.sender_key for mail in mails[:7]] == [key for _, key in heads] + [""]
    assert {mail.sender_key for mail in mails[7:]} == {"", "kay@example.org"}


@pytest.mark.parametrize(
    ("was", "now"),
    [
        (("done", "INBOX", "Processed", True), ("Processed", "Processed", True)),
        (("done", "INBOX", "Quarantine", True), ("Quarantine", "Processed", False)),
        (("rejected", "INBOX", "Quarantine", True), ("Quarantine", "Rejected", False)),
        (("ignored", "INBOX", "Processed", True), ("Processed", "Rejected", False)),
        (("quarantined", "INBOX", "Processed", True), ("Processed", "Quarantine", False)),
        (("ignored", "INBOX", "INBOX", True), ("INBOX", "INBOX", True)),
        (("done", "INBOX", "Processed", False), ("INBOX", "Processed", False)),
        (("new", "INBOX", "", False), ("INBOX", "", False)),
    ],
)
def test_a_mail_lies_where_it_was_put_and_goes_where_it_belongs(
    database_url: str, was: tuple[str, str, str, bool], now: tuple[str, str, bool]
) -> None:
    """Also where something else became of it after it was moved, but not one left on purpose."""
    change = "UPDATE inbox SET status = :a, folder = :b, target = :c, moved = :d WHERE id = 1"
    migrated(database_url, (change, dict(zip("abcd", was, strict=True))))
    mail = every(database_url, MailRow)[0]
    assert (mail.place, mail.target, mail.moved) == now
    assert (mail.owner, mail.lease_until, mail.next_try_at) == (None, None, None)


def test_a_letter_that_is_written_once_a_turn_is_not_written_again(database_url: str) -> None:
    """Even where a player is called as another's seat is numbered."""
    migrated(
        database_url,
        "UPDATE players SET name = '2', name_key = '2' WHERE name = 'Ann'",
        *(
            f"UPDATE {table} SET player = '2' WHERE player = 'Ann' AND game_id = 1"
            for table in ("orders", "order_log", "attendance", "inbox", "outbox")
        ),
        "UPDATE outbox SET once_key = replace(once_key, '/Ann/', '/2/') WHERE game_id = 1",
    )
    letters: list[OutboxRow] = every(database_url, OutboxRow)
    keyed = [letter for letter in letters if letter.once_key]
    assert {letter.kind for letter in keyed} == {"welcome", "report", "final"}
    assert all(
        letter.once_key == f"{letter.game_id}/{letter.turn}/{letter.seat_id}/{letter.kind}"
        for letter in keyed
    )
    assert len(keyed) == sum(letter.kind in ("welcome", "report", "final") for letter in letters)


def test_a_sent_letter_that_is_on_its_way_is_delayed(database_url: str) -> None:
    """Not one that failed since."""
    change = "UPDATE outbox SET state = :state, last_text = :text WHERE id = :id"
    notes = [("sent", "delayed: 4.4.1"), ("failed", "delayed: 4.4.1"), ("sent", "Delayed: no")]
    changes: list[Query] = [
        (change, {"state": state, "text": note, "id": number})
        for number, (state, note) in enumerate(notes, start=1)
    ]
    migrated(database_url, *changes)
    delayed = [letter.id for letter in every(database_url, OutboxRow) if letter.delayed]
    assert delayed == [1]


@pytest.mark.parametrize("table", ["orders", "order_log", "inbox", "outbox"])
def test_no_id_is_given_again(database_url: str, table: str) -> None:
    """Also not that of a last row that is gone."""
    gone = "DELETE FROM {0} WHERE id = (SELECT max(id) FROM {0})"
    earlier_database(database_url)
    last = found(database_url, f"SELECT max(id) FROM {table}")[0][0]
    mails = "UPDATE {} SET mail_id = NULL WHERE mail_id = " + str(last)
    if table == "inbox":
        run(database_url, mails.format("orders"), mails.format("order_log"))
    run(database_url, gone.format(table))
    upgraded(database_url)
    assert next_id(database_url, table) == last + 1


@pytest.mark.parametrize("table", ["people", "addresses", "seats", "holders", "games", "turns"])
def test_ids_go_on_behind_those_there_are(database_url: str, table: str) -> None:
    """New rows find theirs free."""
    migrated(database_url)
    last = found(database_url, f"SELECT max(id) FROM {table}")[0][0]
    assert next_id(database_url, table) == last + 1


def next_id(url: str, table: str) -> int:
    """Return the id that a new row of a table gets."""
    engine = make_engine(url)
    values = METADATA.tables[table]
    with engine.connect() as connection, connection.begin() as transaction:
        row = dict(connection.execute(values.select().limit(1)).mappings().one())
        row.pop("id")
        for column in values.columns:
            # Made anew where it must differ from every other row's.
            if column.name in UNLIKE:
                row[column.name] = UNLIKE[column.name]
        key = connection.execute(values.insert().values(row)).inserted_primary_key
        transaction.rollback()
    engine.dispose()
    assert key is not None
    return int(key[0])


UNLIKE = {
    "hand": "Z9",
    "uid": 999_999,
    "message_id": "<new@example.org>",
    "once_key": None,
    "address_key": "new@example.org",
    "name_key": "new",
    "position": 99,
    "slug": "new",
    "number": 99,
}
"""Values that are unique in their tables."""


# What can't be carried over


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("orders", "UPDATE orders SET player = 'Nobody' WHERE id = (SELECT max(id) FROM orders)"),
        ("orders", "UPDATE orders SET turn = 99 WHERE id = (SELECT max(id) FROM orders)"),
        ("order_log", "UPDATE order_log SET player = 'ann' WHERE id = 1"),
        ("attendance", "UPDATE attendance SET turn = 99 WHERE id = 1"),
        ("inbox", "UPDATE inbox SET player = 'Nobody' WHERE id = 1"),
        ("outbox", "UPDATE outbox SET player = 'Nobody' WHERE id = 1"),
    ],
)
def test_a_row_that_belongs_nowhere_stops_it_all(
    database_url: str, table: str, change: str
) -> None:
    """Nothing is lost silently, and nothing is changed."""
    earlier_database(database_url, change)
    before = content(database_url)
    with pytest.raises(
        StoreUnavailable, match=f"1 rows? of its table {table} .*Nothing was changed"
    ):
        open_database(database_url, upgrade=True)
    assert content(database_url) == before
    assert revision(database_url) == "0002"
