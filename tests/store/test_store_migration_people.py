"""From the tables of revision 0002 to people and seats, whose tokens stay as good as they were."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from postal.store.database import make_engine, open_database
from postal.store.people import addresses_of
from postal.store.rows import METADATA, AddressRow, OutboxRow, TokenKind
from postal.store.seats import seats_of
from postal.store.tokens import known_tokens
from tests.store.earlier import (
    KEPT,
    Query,
    content,
    earlier_database,
    empty_earlier_database,
    every,
    found,
    migrated,
    shape,
    upgraded,
)

SAID: dict[str, Any] = json.loads((KEPT.parent / "database.json").read_text("utf-8"))
RUNNING: dict[str, Any] = SAID["games"][SAID["running"]]
ANN, ANN_AGAIN = 1, 7
"""The players whom one person is."""

BEGAN = {1: datetime(2026, 3, 2, 12, tzinfo=UTC), 2: datetime(2026, 5, 21, 12, tzinfo=UTC)}


# The tables


@pytest.mark.parametrize("rows", [True, False], ids=["kept", "empty"])
def test_migrated_tables_are_what_the_rows_say(
    request: pytest.FixtureRequest, database_url: str, *, rows: bool
) -> None:
    """To the last index, and the same as those of a new database."""
    upgraded((earlier_database if rows else empty_earlier_database)(database_url))
    engine = make_engine(database_url)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, METADATA) == []
    engine.dispose()
    if database_url.startswith("sqlite"):
        other = database_url.replace("postal.db", "new.db")
    else:
        other = request.getfixturevalue("postgresql_cluster").new_database()
    assert shape(database_url) == made_at_once(other)


def made_at_once(url: str) -> dict[str, Any]:
    """Return the tables as the rows themselves make them."""
    engine = make_engine(url)
    with engine.begin() as connection:
        METADATA.create_all(connection)
    engine.dispose()
    return shape(url)


def test_opening_again_changes_nothing(database_url: str) -> None:
    """A database is brought up to date once."""
    migrated(database_url)
    before = content(database_url)
    open_database(database_url).close()
    assert content(database_url) == before


# People


def test_one_name_at_one_address_is_one_person_in_both_games(database_url: str) -> None:
    """Whatever the case; a name at two addresses and an address with two names are two people."""
    migrated(database_url)
    database = open_database(database_url)
    with database.reading() as session:
        seats = [(1, held) for held in seats_of(session, 1)]
        seats += [(2, held) for held in seats_of(session, 2)]
    database.close()
    people = {(game, held.name): held.person.id for game, held in seats}
    assert people[1, "Ann"] == people[2, "ANN"]
    assert people[1, "Bob"] != people[2, "Bob"]
    assert people[1, "Cat"] != people[2, "Kitty"]
    assert len(set(people.values())) == len(people) - 1
    ann = next(held.person for _, held in seats if held.name == "ANN")
    assert (ann.name, ann.created_at, ann.text_only) == ("Ann", BEGAN[1], False)
    assert [held.seat.position for _, held in seats] == [*range(6), *range(8)]


def test_seats_keep_the_players_ids(database_url: str) -> None:
    """With names, positions and the count of revoked tokens; each is held since its game began."""
    earlier_database(database_url)
    columns = "id, game_id, position, name, name_key, token_serial"
    before = found(database_url, f"SELECT {columns} FROM players ORDER BY id")
    upgraded(database_url)
    assert found(database_url, f"SELECT {columns} FROM seats ORDER BY id") == before
    holders = "SELECT seat_id, until FROM holders ORDER BY seat_id"
    assert found(database_url, holders) == [(row[0], None) for row in before]
    differ = "FROM holders h JOIN seats s ON s.id = h.seat_id JOIN games g ON g.id = s.game_id"
    assert found(database_url, f"SELECT h.id {differ} WHERE h.since <> g.created_at") == []


def test_everybody_is_written_to_where_he_was(database_url: str) -> None:
    """A registered address is confirmed and gets the reports; a second one is as it was."""
    migrated(database_url)
    addresses = every(database_url, AddressRow)
    shown = [(row.id, row.address, row.reports, row.confirmed_at is not None) for row in addresses]
    assert shown[:3] == [
        (1, "Gus.Office@work.example", False, True),
        (2, "hal@work.example", False, False),
        (3, "ann@example.org", True, True),
    ]
    assert len(shown) == 2 + 13
    assert all(row.reports and row.confirmed_at == row.asked_at for row in addresses[2:])
    games = (1, 2)
    database = open_database(database_url)
    with database.reading() as session:
        held = {(seat.name, seat.address) for game in games for seat in seats_of(session, game)}
        gus = next(seat for seat in seats_of(session, 2) if seat.name == "Gus")
    database.close()
    said = {
        (player["name"], player["address"].lower())
        for game in SAID["games"].values()
        for player in game["show"]["players"]
    }
    assert {(name, address.lower()) for name, address in held} == said
    assert gus.addresses == ("gus@example.org", "Gus.Office@work.example")


def test_an_address_that_a_person_gave_in_two_games_is_one(database_url: str) -> None:
    """It counts if either was confirmed; as it is his registered one, it is that."""
    own = "INSERT INTO addresses (id, player_id, address, address_key, asked_at, confirmed_at)"
    given = [
        (ANN, "ann@work.example", None),
        (ANN_AGAIN, "Ann@Work.example", datetime(2026, 6, 5, 14, tzinfo=UTC)),
        (ANN, "ANN@example.org", None),
        (ANN_AGAIN, "ann@home.example", None),
    ]
    rows: list[Query] = []
    for number, (player, address, confirmed) in enumerate(given, start=10):
        values = {
            "id": number,
            "player": player,
            "address": address,
            "key": address.lower(),
            "asked": datetime(2026, 6, 5, number, tzinfo=UTC),
            "confirmed": confirmed,
        }
        rows.append((f"{own} VALUES (:id, :player, :address, :key, :asked, :confirmed)", values))
    migrated(database_url, *rows)
    database = open_database(database_url)
    with database.reading() as session:
        mine = addresses_of(session, [1])
    database.close()
    assert [(row.id, row.address_key, row.reports) for row in mine] == [
        (10, "ann@work.example", False),
        (12, "ann@example.org", True),
        (13, "ann@home.example", False),
    ]
    assert (mine[0].asked_at.hour, mine[0].confirmed_at and mine[0].confirmed_at.hour) == (10, 14)
    assert mine[1].confirmed_at == mine[1].asked_at == BEGAN[1]
    assert mine[2].confirmed_at is None
    waiting = "SELECT address_id FROM tokens WHERE kind = 'address' ORDER BY address_id"
    assert found(database_url, waiting) == [(2,), (10,), (12,), (13,)]


# Tokens


def test_the_tokens_of_the_last_reports_order_for_their_seats(database_url: str) -> None:
    """A reply to a report of the earlier postal is as good as it was."""
    migrated(database_url)
    seats = dict(found(database_url, "SELECT name, id FROM seats WHERE game_id = 2"))
    database = open_database(database_url)
    with database.reading() as session:
        for name, report in RUNNING["players"].items():
            token = report["reply_to"].partition("+")[2].partition("@")[0]
            row = known_tokens(session, [token.upper()])[token.upper()]
            expected = (TokenKind.ORDERS, seats[name], report["turn"], BEGAN[2])
            assert (row.kind, row.seat_id, row.turn, row.issued_at) == expected
    database.close()


def test_every_token_that_was_mailed_is_known_but_those_revoked(database_url: str) -> None:
    """Message-IDs hold the tokens; those of confirmed addresses are of no more use."""
    migrated(database_url)
    mailed = {
        (row.message_id.split(".")[1], row.seat_id, row.kind)
        for row in every(database_url, OutboxRow)
        if row.message_id.startswith("<postal.")
    }
    database = open_database(database_url)
    with database.reading() as session:
        known = known_tokens(session, {token for token, _, _ in mailed})
    database.close()
    assert {(t, seat) for t, seat, kind in mailed if t in known and kind != "address"} == {
        (token, row.seat_id) for token, row in known.items() if row.kind is TokenKind.ORDERS
    }
    seats = dict(found(database_url, "SELECT name, id FROM seats WHERE game_id = 2"))
    unknown = {seat for token, seat, _ in mailed if token not in known}
    assert unknown == {seats["Jim"], seats["Gus"]}
    assert SAID["revoked"]["reply_to"][3:19] not in known


def test_tokens_are_good_from_the_deal_to_the_turn_after_the_last(database_url: str) -> None:
    """For each seat; nobody has got others."""
    migrated(database_url)
    query = "SELECT seat_id, min(turn), max(turn), count(*) FROM tokens WHERE kind = 'orders'"
    held = found(database_url, f"{query} GROUP BY seat_id ORDER BY seat_id")
    assert [row[1:] for row in held] == [(0, 11, 12)] * 6 + [(0, 4, 5)] * 8


def test_the_token_of_an_address_that_waits_confirms_it(database_url: str) -> None:
    """Hal may still answer the mail that went to his office."""
    migrated(database_url)
    token = SAID["addresses"]["asked"]["reply_to"].partition("+")[2].partition("@")[0]
    database = open_database(database_url)
    with database.reading() as session:
        row = known_tokens(session, [token])[token]
        address = session.get_one(AddressRow, row.address_id)
    database.close()
    assert row.kind is TokenKind.ADDRESS
    assert (row.issued_at, address.address) == (address.asked_at, "hal@work.example")


def test_a_database_without_a_key_gave_no_tokens_out(database_url: str) -> None:
    """A later key makes others."""
    migrated(database_url, "DELETE FROM settings WHERE key = 'token-key'")
    assert found(database_url, "SELECT count(*) FROM tokens") == [(0,)]
