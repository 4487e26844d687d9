"""Tokens that were given out: found by their digest, and revoked by deleting."""

from datetime import datetime

import pytest
from sqlalchemy import text
from sqlmodel import select

from postal.store.database import Database
from postal.store.people import addresses_of, ask_address
from postal.store.rows import PersonRow, TokenKind, TokenRow
from postal.store.tokens import (
    digest,
    issue,
    known_tokens,
    revoke,
    revoke_for_address,
    token_for_address,
    token_for_seat,
)

ANN, BOB = "abcdefgh234567ab", "zyxwvuts765432zy"


@pytest.fixture
def issued(database: Database, seats: dict[str, int], noon: datetime) -> Database:
    """Give Ann and Bob each a token for turn 1."""
    with database.transaction() as session:
        issue(
            session,
            [
                token_for_seat(ANN, seats["Ann"], 1, noon),
                token_for_seat(BOB, seats["Bob"], 1, noon),
            ],
        )
    return database


def test_a_token_tells_seat_and_turn(issued: Database, seats: dict[str, int]) -> None:
    """One that was never given out tells nothing."""
    with issued.reading() as session:
        known = known_tokens(session, [ANN, "never2given2out2"])
        assert list(known) == [ANN]
        row = known[ANN]
        assert (row.kind, row.seat_id, row.turn) == (TokenKind.ORDERS, seats["Ann"], 1)
        assert known_tokens(session, []) == {}


def test_a_token_is_known_in_any_case(issued: Database) -> None:
    """Mail programs change it; each way of writing is answered as it was asked."""
    with issued.reading() as session:
        known = known_tokens(session, [ANN.upper(), ANN.title(), ANN, BOB.upper()])
        assert set(known) == {ANN.upper(), ANN.title(), ANN, BOB.upper()}
        assert known[ANN.upper()].seat_id == known[ANN].seat_id != known[BOB.upper()].seat_id


def test_the_database_holds_no_token(issued: Database) -> None:
    """Whoever reads it can order for nobody."""
    with issued.reading() as session:
        rows = session.connection().execute(text("SELECT * FROM tokens")).all()
        assert len(rows) == 2
        assert ANN not in str(rows)
        assert {row.digest for row in rows} == {digest(ANN), digest(BOB)}


def test_a_token_that_is_given_out_again_is_the_same(
    issued: Database, seats: dict[str, int], noon: datetime
) -> None:
    """Every mail of a turn carries it, several of one use case too."""
    with issued.transaction() as session:
        again = [token_for_seat(ANN.upper(), seats["Ann"], 1, noon) for _ in range(2)]
        new = [token_for_seat("new2new2new2new2", seats["Ann"], 2, noon) for _ in range(2)]
        issue(session, [*again, *new])
        issue(session, [])
    with issued.reading() as session:
        turns = select(TokenRow.turn).order_by(TokenRow.digest)
        assert sorted(number or 0 for number in session.exec(turns).all()) == [1, 1, 2]


def test_revoked_tokens_are_known_no_more(
    issued: Database, seats: dict[str, int], noon: datetime
) -> None:
    """All of a seat's, of every turn; another's stay."""
    with issued.transaction() as session:
        issue(session, [token_for_seat("new2new2new2new2", seats["Ann"], 2, noon)])
        assert revoke(session, []) == 0
        assert revoke(session, [seats["Ann"]]) == 2
        assert revoke(session, [seats["Ann"]]) == 0
    with issued.reading() as session:
        assert list(known_tokens(session, [ANN, "new2new2new2new2", BOB])) == [BOB]


def test_a_revoked_token_can_be_given_out_anew_at_once(
    issued: Database, seats: dict[str, int], noon: datetime
) -> None:
    """In the same transaction, though the session had read it."""
    with issued.transaction() as session:
        assert ANN in known_tokens(session, [ANN])
        revoke(session, [seats["Ann"]])
        assert known_tokens(session, [ANN]) == {}
        issue(session, [token_for_seat(ANN, seats["Ann"], 3, noon)])
    with issued.reading() as session:
        assert known_tokens(session, [ANN])[ANN].turn == 3


def test_a_token_that_confirms_an_address_orders_nothing(
    issued: Database, seats: dict[str, int], noon: datetime
) -> None:
    """It goes with its address, and a seat's revoked tokens leave it."""
    with issued.transaction() as session:
        person = session.exec(select(PersonRow.id)).first()
        assert person is not None
        row = ask_address(session, person, "new@example.org", noon)
        assert row.id is not None
        issue(session, [token_for_address("address2address2", row.id, noon)])
        revoke(session, list(seats.values()))
        known = known_tokens(session, ["ADDRESS2address2"])["ADDRESS2address2"]
        assert (known.kind, known.address_id) == (TokenKind.ADDRESS, row.id)
        assert (known.seat_id, known.turn) == (None, None)
    with issued.transaction() as session:
        revoke_for_address(session, row.id)
        assert known_tokens(session, ["address2address2"]) == {}
        # Nothing refers to it any more.
        session.delete(addresses_of(session, [person])[-1])
