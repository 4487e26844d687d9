"""Changing what is on file for a turn, claiming it, finishing it, and setting it aside."""

from datetime import datetime
from threading import Thread

import pytest
from sqlalchemy.inspection import inspect

from postal.store.database import Database, open_database
from postal.store.orders import orders_on_file
from postal.store.rows import OrderRow, TurnRow, TurnStatus
from postal.store.turns import (
    advance,
    claim_turn,
    evidence_of,
    expire_claims,
    finish_turn,
    last_turns,
    release_turn,
    reopen_turn,
    set_due,
    set_game_aside,
    set_turn_aside,
)
from postal.store.voidturns import turns_of
from tests.store.store_league import (
    LEASE,
    MINUTE,
    NOON,
    number_of,
    store_game,
    together,
    turn_by_number,
)


def read(database: Database, turn_id: int) -> TurnRow:
    """Return a turn as it stands, detached from the store."""
    with database.reading() as session:
        return session.get_one(TurnRow, turn_id)


def claim(database: Database, turn: TurnRow | int, token: str, now: datetime = NOON) -> bool:
    """Claim a turn, as it was read or as it stands, in a transaction of its own."""
    turn = read(database, turn) if isinstance(turn, int) else turn
    with database.transaction() as session:
        return claim_turn(session, turn, token=token, until=now + LEASE)


def finish(database: Database, turn_id: int, token: str) -> bool:
    """Finish a turn in a transaction of its own."""
    with database.transaction() as session:
        return finish_turn(
            session, turn_id, token=token, now=NOON, orders="[]", events="[1]", state='"after"'
        )


def changed(database: Database, turn: TurnRow, due_at: datetime | None = None) -> bool:
    """Note a change of what is on file in a transaction of its own."""
    with database.transaction() as session:
        return advance(session, turn, due_at)


def test_who_read_the_turn_before_a_change_must_reckon_anew(
    database: Database, turn_id: int
) -> None:
    """Of two mails worked out at once the second is written after it has seen the first."""
    turn = read(database, turn_id)
    assert changed(database, turn, NOON + MINUTE)
    assert not changed(database, turn, NOON)
    after = read(database, turn_id)
    assert (after.version, after.due_at) == (turn.version + 1, NOON + MINUTE)
    assert changed(database, after)
    assert read(database, turn_id).due_at is None


def test_a_change_is_no_change_where_its_transaction_fails(
    database: Database, turn_id: int
) -> None:
    """What was read before it is still good."""
    turn = read(database, turn_id)
    with pytest.raises(ZeroDivisionError), database.transaction() as session:  # noqa: PT012 - the error has to come inside the block
        assert advance(session, turn, NOON)
        raise ZeroDivisionError
    assert changed(database, turn)


def test_only_an_open_turn_takes_changes(database: Database, game_id: int, turn_id: int) -> None:
    """Not one that is claimed, set aside or done."""
    turn = read(database, turn_id)
    assert claim(database, turn, "one")
    assert not changed(database, turn)
    with database.transaction() as session:
        assert set_game_aside(session, game_id)
    assert not changed(database, turn)
    with database.transaction() as session:
        assert reopen_turn(session, turn_id)
    assert claim(database, turn, "two")
    assert finish(database, turn_id, "two")
    assert not changed(database, turn)
    assert read(database, turn_id).version == turn.version


def test_when_a_turn_is_due_can_be_put_right(database: Database, turn_id: int) -> None:
    """That is no change of what is on file; nobody overwrites one with it."""
    turn = read(database, turn_id)
    with database.transaction() as session:
        assert set_due(session, turn, NOON)
    after = read(database, turn_id)
    assert (after.due_at, after.version) == (NOON, turn.version)
    assert changed(database, turn, NOON + MINUTE)
    with database.transaction() as session:
        assert not set_due(session, turn, None)
    assert read(database, turn_id).due_at == NOON + MINUTE


def test_a_turn_is_claimed_once(database: Database, turn_id: int) -> None:
    """Who read it while it was open is too late."""
    turn = read(database, turn_id)
    assert claim(database, turn, "one")
    assert not claim(database, turn, "two")
    assert not claim(database, turn, "two", NOON + 2 * LEASE)
    after = read(database, turn_id)
    assert (after.status, after.claim_token) == (TurnStatus.CLAIMED, "one")
    assert after.claim_until == NOON + LEASE


def test_a_turn_that_has_changed_since_is_not_claimed(database: Database, turn_id: int) -> None:
    """It would be adjudicated without the order that came meanwhile."""
    turn = read(database, turn_id)
    assert changed(database, turn)
    assert not claim(database, turn, "one")
    assert claim(database, turn_id, "one")


def test_a_claim_left_over_is_taken_over_by_one(database: Database, turn_id: int) -> None:
    """The late one can't finish any more; the new one can."""
    assert claim(database, turn_id, "one")
    left = read(database, turn_id)
    assert claim(database, left, "two", NOON + LEASE)
    assert not claim(database, left, "three", NOON + LEASE)
    assert not finish(database, turn_id, "one")
    assert finish(database, turn_id, "two")


def test_the_next_daemon_need_not_wait_for_a_killed_one_s_lease(
    database: Database, turn_id: int
) -> None:
    """Its claims end at the start; their turns take no orders all the same."""
    turn = read(database, turn_id)
    assert claim(database, turn, "one")
    with database.transaction() as session:
        assert expire_claims(session, NOON) == 1
        assert expire_claims(session, NOON) == 0
    after = read(database, turn_id)
    assert (after.status, after.claim_until) == (TurnStatus.CLAIMED, NOON)
    assert not changed(database, turn)


def test_of_processes_that_claim_together_one_succeeds(
    database: Database, database_url: str, turn_id: int
) -> None:
    """Each has connections of its own, and all have read the turn as it was open."""
    turn = read(database, turn_id)
    won: list[int] = []

    def work(mine: Database, number: int) -> None:
        if claim(mine, turn, str(number)):
            won.append(number)

    together(database_url, work)
    assert len(won) == 1
    assert finish(database, turn_id, str(won[0]))


def test_no_turn_is_claimed_while_orders_are_being_filed(
    database: Database, database_url: str, turn_id: int, seats: dict[str, int]
) -> None:
    """Who files ends first; whoever would claim then sees that he knows too little."""
    turn, other = read(database, turn_id), open_database(database_url)
    claimed: list[bool] = []
    thread = Thread(target=lambda: claimed.append(claim(other, turn, "one")))
    with database.transaction() as session:
        assert advance(session, turn, None)
        thread.start()
        # Time enough to go wrong in; nothing is lost where it is too short.
        thread.join(timeout=0.2)
        session.add(
            OrderRow(
                turn_id=turn_id,
                seat_id=seats["Ann"],
                hand="A1",
                line="stay",
                order_json="{}",
                filed_at=NOON,
            )
        )
    thread.join()
    other.close()
    assert claimed == [False]
    assert claim(database, turn_id, "two")
    with database.reading() as session:
        assert len(orders_on_file(session, turn_id)) == 1


def test_a_finished_turn_keeps_what_came_of_it(
    database: Database, game_id: int, turn_id: int
) -> None:
    """The state to go on from, and the evidence; it can't be claimed or finished again."""
    open_turn = read(database, turn_id)
    assert claim(database, open_turn, "one")
    claimed = read(database, turn_id)
    assert finish(database, turn_id, "one")
    assert not finish(database, turn_id, "one")
    for before in (open_turn, claimed, read(database, turn_id)):
        assert not claim(database, before, "two", NOON + LEASE)
    with database.reading() as session:
        done, in_play = last_turns(session, game_id)
        assert done is not None
        assert in_play is None
        assert (done.number, done.orders, done.events, done.state) == (1, "[]", "[1]", '"after"')
        assert (done.adjudicated_at, done.claim_token, done.forced) == (NOON, None, False)
        assert done.due_at is None
        assert evidence_of(session, turn_id)[1] == "[1]"


def test_an_unclaimed_turn_can_not_be_finished(database: Database, turn_id: int) -> None:
    """Only who holds the token stores a result."""
    assert not finish(database, turn_id, "one")
    assert claim(database, turn_id, "one")
    assert not finish(database, turn_id, "two")


def test_a_released_turn_is_open_again(database: Database, turn_id: int) -> None:
    """By its holder only, and as if it had not been claimed."""
    turn = read(database, turn_id)
    assert claim(database, turn, "one")
    with database.transaction() as session:
        assert not release_turn(session, turn_id, token="two")
        assert release_turn(session, turn_id, token="one")
        assert not release_turn(session, turn_id, token="one")
    assert not finish(database, turn_id, "one")
    assert changed(database, turn)
    assert claim(database, turn_id, "two")


def test_a_turn_set_aside_waits_until_it_is_reopened(
    database: Database, game_id: int, turn_id: int
) -> None:
    """It is neither open nor to be claimed, and still the game's turn in play."""
    turn = read(database, turn_id)
    assert claim(database, turn, "one")
    with database.transaction() as session:
        assert not set_turn_aside(session, turn_id, token="two")
        assert set_turn_aside(session, turn_id, token="one")
        assert not set_turn_aside(session, turn_id, token="one")
    aside = read(database, turn_id)
    for before in (turn, aside):
        assert not claim(database, before, "two", NOON + LEASE)
    assert not finish(database, turn_id, "one")
    with database.reading() as session:
        _, in_play = last_turns(session, game_id)
        assert in_play is not None
        assert in_play.status is TurnStatus.SET_ASIDE
    with database.transaction() as session:
        assert reopen_turn(session, turn_id)
        assert not reopen_turn(session, turn_id)
    assert changed(database, turn)


@pytest.mark.parametrize("claimed", [False, True])
def test_a_game_is_set_aside_whoever_has_its_turn(
    database: Database, game_id: int, turn_id: int, *, claimed: bool
) -> None:
    """Once; whoever had claimed the turn finishes nothing, and other games go on."""
    with database.transaction() as session:
        other = number_of(store_game(session, "other"))
    if claimed:
        assert claim(database, turn_id, "one")
    with database.transaction() as session:
        assert set_game_aside(session, game_id)
        assert not set_game_aside(session, game_id)
    assert not finish(database, turn_id, "one")
    with database.reading() as session:
        assert [turn.status for turn in turns_of(session, game_id)] == ["done", "set-aside"]
        assert [turn.status for turn in turns_of(session, other)] == ["done", "open"]


def test_a_game_that_is_over_has_nothing_to_set_aside(
    database: Database, game_id: int, turn_id: int
) -> None:
    """Its last turn is done."""
    assert claim(database, turn_id, "one")
    assert finish(database, turn_id, "one")
    with database.transaction() as session:
        assert not set_game_aside(session, game_id)


def test_turns_are_found_by_number(database: Database, game_id: int, turn_id: int) -> None:
    """The deal is turn 0 and done."""
    with database.reading() as session:
        assert [turn.number for turn in turns_of(session, game_id)] == [0, 1]
        deal = turn_by_number(session, game_id, 0)
        assert deal is not None
        assert deal.state == '"dealt"'
        assert turn_by_number(session, game_id, 2) is None
        assert evidence_of(session, deal.id or 0)[1] == "[0]"
        assert evidence_of(session, turn_id) == ("", "")
        assert evidence_of(session, 99) == ("", "")


def test_a_game_goes_on_from_its_last_turn_done(database: Database, game_id: int) -> None:
    """The turn in play beside it; the evidence, which grows long, is left where it is."""
    with database.reading() as session:
        done, in_play = last_turns(session, game_id)
        assert done is not None
        assert in_play is not None
        assert (done.number, done.state, in_play.number) == (0, '"dealt"', 1)
        assert inspect(done).unloaded >= {"orders", "events"}
        assert last_turns(session, 99) == (None, None)
