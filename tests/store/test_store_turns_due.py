"""Looking at turns that may be due: what is passed over, and that one process looks at a time."""

from collections.abc import Collection
from datetime import datetime

import pytest
from sqlmodel import Session

from postal.store.database import Database
from postal.store.rows import GameRow, GameStatus, MailRow, MailStatus, TurnRow, TurnStatus
from postal.store.turns import (
    advance,
    claim_turn,
    expire_claims,
    finish_turn,
    look_at_due_turn,
    set_due,
    set_game_aside,
    set_turn_aside,
    stop_looking,
)
from tests.store.store_league import (
    LEASE,
    MINUTE,
    NOON,
    SECOND,
    mail,
    never_wait,
    number_of,
    store_game,
    store_mails,
    together,
    turn_by_number,
)


def look(
    session: Session,
    now: datetime = NOON,
    *,
    token: str = "look",
    polled: datetime | None = None,
    but: Collection[int] = (),
) -> TurnRow | None:
    """Look at a turn that may be due."""
    found = look_at_due_turn(
        session, token=token, now=now, until=now + LEASE, polled=polled, but=but
    )
    if found is None:
        return None
    assert found[0].id == found[1].game_id
    return found[1]


def looked_at(
    database: Database,
    now: datetime = NOON,
    *,
    token: str = "look",
    polled: datetime | None = None,
    but: Collection[int] = (),
) -> int | None:
    """Look in a transaction of its own; return the turn's id."""
    with database.transaction() as session:
        turn = look(session, now, token=token, polled=polled, but=but)
        return turn.id if turn else None


def another(database: Database, slug: str, due_at: datetime) -> int:
    """Store another game whose first turn is due; return the turn's id."""
    with database.transaction() as session:
        turn = turn_by_number(session, number_of(store_game(session, slug)), 1)
        assert turn is not None
        assert turn.id is not None
        turn.due_at = due_at
        return turn.id


def read(database: Database, turn_id: int) -> TurnRow:
    """Return a turn as it stands, detached from the store."""
    with database.reading() as session:
        return session.get_one(TurnRow, turn_id)


@pytest.fixture
def due(database: Database, turn_id: int) -> int:
    """Let the first turn be due at noon, all orders being in; its deadline is far off."""
    with database.transaction() as session:
        turn = session.get_one(TurnRow, turn_id)
        turn.due_at, turn.deadline = NOON, NOON + 100 * LEASE
    return turn_id


def test_a_turn_is_looked_at_when_it_is_due(database: Database, due: int) -> None:
    """Not before; it stays open for orders."""
    assert looked_at(database, NOON - SECOND) is None
    assert looked_at(database) == due
    turn = read(database, due)
    assert (turn.status, turn.claim_token) == (TurnStatus.OPEN, "look")
    with database.transaction() as session:
        assert advance(session, turn, None)


def test_a_turn_that_waits_for_orders_is_passed_over(database: Database, turn_id: int) -> None:
    """Without a deadline it is never due by itself."""
    assert read(database, turn_id).due_at is None
    assert looked_at(database, NOON + 1000 * LEASE, polled=NOON + 1000 * LEASE) is None


def test_a_turn_without_a_deadline_is_due_when_its_orders_are_in(
    database: Database, turn_id: int
) -> None:
    """No poll has to be waited for."""
    with database.transaction() as session:
        session.get_one(TurnRow, turn_id).due_at = NOON
    assert looked_at(database) == turn_id


@pytest.mark.parametrize(
    ("polled", "found"),
    [(None, False), (NOON - SECOND, False), (NOON, True), (NOON + SECOND, True)],
)
def test_a_deadline_needs_a_whole_poll_begun_after_it(
    database: Database, turn_id: int, polled: datetime | None, *, found: bool
) -> None:
    """All that was in the mailbox by then must have been read (RULES.md 10.5)."""
    with database.transaction() as session:
        turn = session.get_one(TurnRow, turn_id)
        turn.due_at = turn.deadline = NOON
    assert looked_at(database, NOON + MINUTE, polled=polled) == (turn_id if found else None)


def test_a_deadline_that_is_over_needs_a_poll_though_all_orders_are_in(
    database: Database, turn_id: int
) -> None:
    """A later mail may have changed them in time."""
    with database.transaction() as session:
        turn = session.get_one(TurnRow, turn_id)
        turn.due_at, turn.deadline = NOON - MINUTE, NOON
    assert looked_at(database, NOON, polled=NOON - SECOND) is None
    assert looked_at(database, NOON - SECOND, polled=None) == turn_id


def test_a_game_s_unhandled_mail_comes_first(database: Database, game_id: int, due: int) -> None:
    """Its turn waits, while it is being handled too; another game's does not."""
    second = another(database, "second", NOON)
    (number,) = store_mails(database, mail(1, game_id=game_id))
    assert looked_at(database) == second
    with database.transaction() as session:
        row = session.get_one(MailRow, number)
        row.tries, row.owner, row.lease_until = 1, "one", NOON + 60 * MINUTE
    assert looked_at(database) is None
    with database.transaction() as session:
        session.get_one(MailRow, number).status = MailStatus.DONE
    assert looked_at(database) == due


def test_a_turn_is_looked_at_though_a_mail_of_its_game_failed(
    database: Database, game_id: int, due: int
) -> None:
    """How long it waits for that is another question."""
    store_mails(database, mail(1, game_id=game_id, tries=1))
    assert looked_at(database) == due


def test_mail_of_nobody_knows_which_game_holds_them_all(database: Database, due: int) -> None:
    """Until it has been looked at once."""
    second = another(database, "second", NOON)
    (number,) = store_mails(database, mail(1))
    assert looked_at(database) is None
    with database.transaction() as session:
        session.get_one(MailRow, number).tries = 1
    assert {looked_at(database), looked_at(database)} == {due, second}


def test_the_longest_due_is_looked_at_first(database: Database, due: int) -> None:
    """Each once in a round: what was seen is passed over."""
    older = another(database, "older", NOON - MINUTE)
    newer = another(database, "newer", NOON + MINUTE)
    now, seen = NOON + MINUTE, list[int]()
    for _ in range(3):
        found = looked_at(database, now)
        assert found is not None
        seen.append(found)
    assert seen == [older, due, newer]
    later = now + LEASE
    assert looked_at(database, later, but=[older, due]) == newer
    assert looked_at(database, later, but=seen) is None


def test_one_process_looks_at_a_turn_at_a_time(database: Database, due: int) -> None:
    """Until its lease ends."""
    assert looked_at(database, token="one") == due
    assert looked_at(database, NOON + LEASE - SECOND, token="two") is None
    assert looked_at(database, NOON + LEASE, token="two") == due


def test_who_looks_away_lets_others_look_at_once(database: Database, due: int) -> None:
    """Also the daemon that comes after one that was killed; and who puts right when it is due."""
    assert looked_at(database, token="one") == due
    with database.transaction() as session:
        stop_looking(session, session.get_one(TurnRow, due))
    assert looked_at(database, token="two") == due
    with database.transaction() as session:
        assert expire_claims(session, NOON) == 1
    assert looked_at(database, token="three") == due
    with database.transaction() as session:
        assert set_due(session, session.get_one(TurnRow, due), NOON)
    assert looked_at(database, token="four") == due


def test_who_looks_away_too_late_disturbs_nobody(database: Database, due: int) -> None:
    """Neither who looks at the turn since, nor who has claimed it."""
    assert looked_at(database, token="one") == due
    first = read(database, due)
    assert looked_at(database, NOON + LEASE, token="two") == due
    with database.transaction() as session:
        stop_looking(session, first)
    second = read(database, due)
    assert second.claim_token == "two"
    with database.transaction() as session:
        assert claim_turn(session, second, token="claim", until=NOON + 2 * LEASE)
        stop_looking(session, second)
    turn = read(database, due)
    assert (turn.status, turn.claim_token) == (TurnStatus.CLAIMED, "claim")


def test_who_looks_claims_what_he_saw(database: Database, due: int) -> None:
    """Unless an order came meanwhile: then anybody looks anew, at what stands there now."""
    assert looked_at(database, token="one") == due
    seen = read(database, due)
    with database.transaction() as session:
        assert advance(session, seen, NOON)
    with database.transaction() as session:
        assert not claim_turn(session, seen, token="claim", until=NOON + LEASE)
    assert looked_at(database, token="two") == due
    with database.transaction() as session:
        turn = session.get_one(TurnRow, due)
        assert claim_turn(session, turn, token="claim", until=NOON + LEASE)
    assert looked_at(database, token="three") is None


def test_a_turn_that_can_not_be_reckoned_with_is_set_aside_by_who_looks(
    database: Database, due: int
) -> None:
    """And is looked at no more."""
    assert looked_at(database, token="one") == due
    with database.transaction() as session:
        assert not set_turn_aside(session, due, token="two")
        assert set_turn_aside(session, due, token="one")
    assert looked_at(database, NOON + LEASE) is None


@pytest.mark.parametrize("status", [TurnStatus.DONE, TurnStatus.SET_ASIDE])
def test_a_turn_that_is_not_in_play_is_never_due(
    database: Database, due: int, status: TurnStatus
) -> None:
    """Whatever its row says."""
    with database.transaction() as session:
        session.get_one(TurnRow, due).status = status
    assert looked_at(database, NOON + MINUTE) is None


def test_a_game_that_is_over_is_never_due(database: Database, game_id: int, due: int) -> None:
    """Nor is one that was set aside."""
    with database.transaction() as session:
        session.get_one(GameRow, game_id).status = GameStatus.FINISHED
    assert looked_at(database) is None
    with database.transaction() as session:
        session.get_one(GameRow, game_id).status = GameStatus.RUNNING
        assert set_game_aside(session, game_id)
    assert looked_at(database) is None
    assert read(database, due).due_at == NOON


def test_a_claim_left_over_is_taken_up_whatever_else_waits(
    database: Database, game_id: int, turn_id: int
) -> None:
    """Its orders are fixed: deadline, poll and mail were seen to when it was claimed."""
    with database.transaction() as session:
        turn = session.get_one(TurnRow, turn_id)
        turn.deadline = NOON
        session.flush()
        assert claim_turn(session, turn, token="killed", until=NOON + LEASE)
    store_mails(database, mail(1, game_id=game_id), mail(2))
    assert looked_at(database, NOON + LEASE - SECOND, token="next") is None
    assert looked_at(database, NOON + LEASE, token="next") == turn_id
    assert looked_at(database, NOON + LEASE, token="third") is None
    turn = read(database, turn_id)
    assert (turn.status, turn.claim_token) == (TurnStatus.CLAIMED, "next")
    with database.transaction() as session:
        assert claim_turn(session, turn, token="claim", until=NOON + 2 * LEASE)
        for token, finished in (("killed", False), ("next", False), ("claim", True)):
            assert finished is finish_turn(
                session, turn_id, token=token, now=NOON, orders="[]", events="[]", state="{}"
            )


def test_a_claim_left_over_is_not_lost_by_who_looks_away(database: Database, turn_id: int) -> None:
    """Its turn stays claimed, and is taken up again when the look's lease is over."""
    with database.transaction() as session:
        turn = session.get_one(TurnRow, turn_id)
        assert claim_turn(session, turn, token="killed", until=NOON)
    assert looked_at(database, token="next") == turn_id
    with database.transaction() as session:
        stop_looking(session, session.get_one(TurnRow, turn_id))
    assert read(database, turn_id).status is TurnStatus.CLAIMED
    assert looked_at(database, NOON + LEASE, token="third") == turn_id


def test_processes_that_look_together_see_different_turns(
    database: Database, database_url: str
) -> None:
    """Each turn once, and all of them."""
    ids = [another(database, f"game-{number}", NOON) for number in range(12)]
    seen: list[int] = []

    def work(mine: Database, number: int) -> None:
        while (one := looked_at(mine, token=str(number))) is not None:
            seen.append(one)

    together(database_url, work)
    assert sorted(seen) == ids


@pytest.mark.postgresql
def test_on_a_server_nobody_waits_for_a_turn_that_is_being_taken(postgresql: Database) -> None:
    """A row that is locked is passed over, by whoever looks at it or files orders for it."""
    first_id, second_id, third_id = (
        another(postgresql, slug, NOON) for slug in ("one", "two", "three")
    )
    with (
        postgresql.transaction() as filing,
        postgresql.transaction() as first,
        postgresql.transaction() as second,
    ):
        assert advance(filing, filing.get_one(TurnRow, first_id), NOON)
        for session, token, expected in ((first, "a", second_id), (second, "b", third_id)):
            never_wait(session)
            turn = look(session, token=token)
            assert turn is not None
            assert turn.id == expected
        assert look(second, token="b") is None
    assert looked_at(postgresql) == first_id
