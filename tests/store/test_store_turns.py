"""Claiming and finishing a turn, orders on file, and attendance."""

from datetime import datetime, timedelta
from threading import Barrier, Thread

import pytest
from sqlmodel import select

from postal.store.database import Database, open_database
from postal.store.orders import (
    attendance,
    attendance_of_turn,
    cancel_order,
    file_order,
    order_history,
    orders_on_file,
)
from postal.store.rows import (
    GameRow,
    GameStatus,
    OrderAction,
    OrderHistoryRow,
    OrderRow,
    TurnRow,
    TurnStatus,
)
from postal.store.turns import (
    claim_turn,
    claimable_turns,
    current_turn,
    expire_claims,
    finish_turn,
    last_done_turn,
    open_turn,
    release_turn,
    reopen_turn,
    set_turn_aside,
    turn_by_number,
    turns_of,
)

LEASE = timedelta(minutes=10)


@pytest.fixture
def turn_id(database: Database, game_id: int) -> int:
    """Return the id of the open first turn."""
    with database.reading() as session:
        turn = open_turn(session, game_id)
        assert turn is not None
        assert turn.id is not None
        return turn.id


def claim(database: Database, turn_id: int, token: str, now: datetime) -> bool:
    """Claim a turn in a transaction of its own."""
    with database.transaction() as session:
        return claim_turn(session, turn_id, token=token, now=now, until=now + LEASE)


def finish(database: Database, turn_id: int, token: str, now: datetime) -> bool:
    """Finish a turn in a transaction of its own."""
    with database.transaction() as session:
        return finish_turn(
            session, turn_id, token=token, now=now, orders="[]", events="[1]", state='"after"'
        )


def test_a_turn_is_claimed_once(database: Database, turn_id: int, noon: datetime) -> None:
    """While the lease runs nobody else gets it."""
    assert claim(database, turn_id, "one", noon)
    assert not claim(database, turn_id, "two", noon + LEASE - timedelta(seconds=1))


def test_a_lease_that_is_over_lets_another_claim(
    database: Database, turn_id: int, noon: datetime
) -> None:
    """The late one can't finish any more; the new one can."""
    assert claim(database, turn_id, "one", noon)
    assert claim(database, turn_id, "two", noon + LEASE)
    assert not finish(database, turn_id, "one", noon + LEASE)
    assert finish(database, turn_id, "two", noon + LEASE)


def test_the_next_daemon_need_not_wait_for_a_killed_one_s_lease(
    database: Database, turn_id: int, noon: datetime
) -> None:
    """Its claims end at the start; their turns take no orders all the same."""
    assert claim(database, turn_id, "one", noon)
    with database.transaction() as session:
        assert expire_claims(session, noon) == 1
        turn = session.get_one(TurnRow, turn_id)
        assert open_turn(session, turn.game_id) is None
    assert claim(database, turn_id, "two", noon)
    assert not finish(database, turn_id, "one", noon)


def test_of_processes_that_claim_together_one_succeeds(
    database: Database, database_url: str, turn_id: int, noon: datetime
) -> None:
    """Each has connections of its own."""
    others = [open_database(database_url) for _ in range(3)]
    together = Barrier(len(others))
    won: list[int] = []

    def run(number: int) -> None:
        together.wait()
        if claim(others[number], turn_id, str(number), noon):
            won.append(number)

    threads = [Thread(target=run, args=(number,)) for number in range(len(others))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for other in others:
        other.close()
    assert len(won) == 1
    assert finish(database, turn_id, str(won[0]), noon)


def test_a_finished_turn_keeps_what_came_of_it(
    database: Database, game_id: int, turn_id: int, noon: datetime
) -> None:
    """The state to go on from, and the evidence; it can't be claimed or finished again."""
    assert claim(database, turn_id, "one", noon)
    assert finish(database, turn_id, "one", noon)
    assert not finish(database, turn_id, "one", noon)
    assert not claim(database, turn_id, "two", noon + LEASE)
    with database.reading() as session:
        turn = last_done_turn(session, game_id)
        assert turn is not None
        assert (turn.number, turn.orders, turn.events, turn.state) == (1, "[]", "[1]", '"after"')
        assert (turn.adjudicated_at, turn.claim_token) == (noon, None)
        assert current_turn(session, game_id) is None


def test_an_unclaimed_turn_can_not_be_finished(
    database: Database, turn_id: int, noon: datetime
) -> None:
    """Only who holds the token stores a result."""
    assert not finish(database, turn_id, "one", noon)


def test_a_claim_shows_on_a_row_that_was_read_before(
    database: Database, turn_id: int, noon: datetime
) -> None:
    """The session's own rows aren't stale after it."""
    with database.transaction() as session:
        turn = session.get_one(TurnRow, turn_id)
        assert claim_turn(session, turn_id, token="one", now=noon, until=noon + LEASE)
        assert turn.status is TurnStatus.CLAIMED


def test_a_released_turn_is_open_again(database: Database, turn_id: int, noon: datetime) -> None:
    """By its holder only."""
    assert claim(database, turn_id, "one", noon)
    with database.transaction() as session:
        assert not release_turn(session, turn_id, token="two")
        assert release_turn(session, turn_id, token="one")
    assert claim(database, turn_id, "two", noon)


def test_a_turn_set_aside_waits_until_it_is_reopened(
    database: Database, game_id: int, turn_id: int, noon: datetime
) -> None:
    """It is neither open nor claimable, and still the game's current turn."""
    assert claim(database, turn_id, "one", noon)
    with database.transaction() as session:
        assert set_turn_aside(session, turn_id, token="one")
    with database.reading() as session:
        assert open_turn(session, game_id) is None
        assert claimable_turns(session, noon + 2 * LEASE) == []
        current = current_turn(session, game_id)
        assert current is not None
        assert current.status is TurnStatus.SET_ASIDE
    with database.transaction() as session:
        assert reopen_turn(session, turn_id)
        assert not reopen_turn(session, turn_id)
        assert open_turn(session, game_id) is not None


def test_claimable_turns_are_those_of_running_games(
    database: Database, game_id: int, turn_id: int, noon: datetime
) -> None:
    """Open ones and those whose lease is over; none of a finished game."""

    def claimable(now: datetime) -> list[int | None]:
        with database.reading() as session:
            return [turn.id for _game, turn in claimable_turns(session, now)]

    assert claimable(noon) == [turn_id]
    assert claim(database, turn_id, "one", noon)
    assert claimable(noon) == []
    assert claimable(noon + LEASE) == [turn_id]
    with database.transaction() as session:
        session.get_one(GameRow, game_id).status = GameStatus.FINISHED
    assert claimable(noon + LEASE) == []


def test_no_turn_is_claimed_while_orders_are_being_filed(
    database: Database, database_url: str, game_id: int, turn_id: int, noon: datetime
) -> None:
    """Who holds the open turn ends first, and his order is there for whoever claims."""
    other = open_database(database_url)
    seen: list[int] = []

    def claim_and_read() -> None:
        with other.transaction() as session:
            assert claim_turn(session, turn_id, token="one", now=noon, until=noon + LEASE)
            seen.append(len(orders_on_file(session, game_id, 1)))

    thread = Thread(target=claim_and_read)
    with database.transaction() as session:
        assert open_turn(session, game_id, hold=True) is not None
        thread.start()
        # Time enough to go wrong in; nothing is lost where it is too short.
        thread.join(timeout=0.2)
        file_order(session, order(game_id, "Ann", "A1", noon))
    thread.join()
    other.close()
    assert seen == [1]


def order(game_id: int, player: str, hand: str, now: datetime, line: str = "stay") -> OrderRow:
    """Return an order for turn 1."""
    return OrderRow(
        game_id=game_id,
        turn=1,
        player=player,
        hand=hand,
        line=line,
        order_json="{}",
        filed_at=now,
    )


@pytest.fixture
def filed(database: Database, game_id: int, noon: datetime) -> Database:
    """File an order of Ann's, then two of Bob's."""
    with database.transaction() as session:
        for player, hand in [("Ann", "A1"), ("Bob", "A1"), ("Bob", "B1")]:
            assert file_order(session, order(game_id, player, hand, noon)) is None
    return database


def on_file(database: Database, game_id: int, player: str | None = None) -> list[tuple[str, ...]]:
    """Return what is on file in the order of acceptance."""
    with database.reading() as session:
        rows = orders_on_file(session, game_id, 1, player)
        return [(row.player, row.hand, row.line) for row in rows]


def test_a_replaced_order_is_accepted_last(filed: Database, game_id: int, noon: datetime) -> None:
    """The new one takes its place on file, not in the order of acceptance."""
    with filed.transaction() as session:
        earlier = file_order(session, order(game_id, "Ann", "A1", noon, "fold"))
        assert earlier is not None
        assert earlier.line == "stay"
    assert on_file(filed, game_id) == [
        ("Bob", "A1", "stay"),
        ("Bob", "B1", "stay"),
        ("Ann", "A1", "fold"),
    ]


def test_the_last_order_replaced_gets_a_new_id(
    filed: Database, game_id: int, noon: datetime
) -> None:
    """An id in the evidence never means two orders."""
    with filed.transaction() as session:
        last = orders_on_file(session, game_id, 1)[-1].id
        new = order(game_id, "Bob", "B1", noon, "fold")
        file_order(session, new)
        assert last is not None
        assert new.id is not None
        assert new.id > last


def test_a_cancelled_order_is_gone(filed: Database, game_id: int) -> None:
    """Of that hand alone; a second time there is none to cancel."""
    with filed.transaction() as session:
        assert cancel_order(session, game_id, 1, "Bob", "A1") is not None
        assert cancel_order(session, game_id, 1, "Bob", "A1") is None
    assert on_file(filed, game_id, "Bob") == [("Bob", "B1", "stay")]


def test_a_rolled_back_mail_leaves_the_orders_as_they_were(
    filed: Database, game_id: int, noon: datetime
) -> None:
    """A replacement that fails half-way loses nothing."""
    with pytest.raises(ZeroDivisionError), filed.transaction() as session:  # noqa: PT012 - the error has to come inside the block
        file_order(session, order(game_id, "Ann", "A1", noon, "fold"))
        raise ZeroDivisionError
    assert on_file(filed, game_id, "Ann") == [("Ann", "A1", "stay")]


def test_the_log_keeps_every_line_in_order(
    database: Database, game_id: int, noon: datetime
) -> None:
    """Evidence for the GM and for the record."""
    with database.transaction() as session:
        for action in (OrderAction.FILED, OrderAction.REPLACED, OrderAction.CANCELLED):
            session.add(
                OrderHistoryRow(game_id=game_id, turn=1, player="Ann", at=noon, action=action)
            )
            session.flush()
    with database.reading() as session:
        assert [row.action for row in order_history(session, game_id)] == [
            "filed",
            "replaced",
            "cancelled",
        ]


def test_attendance_is_one_row_a_player_and_turn(
    database: Database, game_id: int, noon: datetime
) -> None:
    """Begun at the first asking, then kept."""
    with database.transaction() as session:
        row = attendance(session, game_id, 1, "Ann")
        assert (row.heard, row.waiting, row.troubled, row.last_order_at) == (
            False,
            False,
            False,
            None,
        )
        row.heard = True
        row.last_order_at = noon
    with database.transaction() as session:
        assert attendance(session, game_id, 1, "Ann").last_order_at == noon
        attendance(session, game_id, 2, "Ann")
        assert [row.player for row in attendance_of_turn(session, game_id, 1)] == ["Ann"]


def test_turns_are_found_by_number(database: Database, game_id: int) -> None:
    """The deal is turn 0 and done."""
    with database.reading() as session:
        assert [turn.number for turn in turns_of(session, game_id)] == [0, 1]
        deal = turn_by_number(session, game_id, 0)
        assert deal is not None
        assert deal.state == '"dealt"'
        assert last_done_turn(session, game_id) is deal
        assert turn_by_number(session, game_id, 2) is None
        assert len(session.exec(select(TurnRow)).all()) == 2
