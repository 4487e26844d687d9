"""Orders on file, the log of every line, and attendance."""

from datetime import datetime

import pytest
from sqlalchemy.exc import IntegrityError
from sqlmodel import select

from postal.store.database import Database
from postal.store.orders import (
    attendance,
    attendance_of_turn,
    orders_on_file,
    take_off_file,
    taken_after,
    taken_of_mails,
)
from postal.store.rows import AttendanceRow, OrderAction, OrderHistoryRow, OrderRow
from tests.store.store_league import NOON, mail, store_mails, turn_by_number

Filed = tuple[Database, int, dict[str, int]]


def order(turn_id: int, seat_id: int, hand: str, line: str = "stay") -> OrderRow:
    """Return an order for a hand."""
    return OrderRow(
        turn_id=turn_id, seat_id=seat_id, hand=hand, line=line, order_json="{}", filed_at=NOON
    )


@pytest.fixture
def filed(database: Database, turn_id: int, seats: dict[str, int]) -> Filed:
    """File an order of Ann's, then two of Bob's."""
    with database.transaction() as session:
        for player, hand in [("Ann", "A1"), ("Bob", "A1"), ("Bob", "B1")]:
            session.add(order(turn_id, seats[player], hand))
            session.flush()
    return database, turn_id, seats


def on_file(filed: Filed) -> list[tuple[str, str, str]]:
    """Return what is on file in the order of acceptance."""
    database, turn_id, seats = filed
    names = {number: name for name, number in seats.items()}
    with database.reading() as session:
        rows = orders_on_file(session, turn_id)
        return [(names[row.seat_id], row.hand, row.line) for row in rows]


def test_a_replaced_order_is_accepted_last(filed: Filed) -> None:
    """The new one takes its place on file, not in the order of acceptance."""
    database, turn_id, seats = filed
    with database.transaction() as session:
        take_off_file(session, turn_id, seats["Ann"], ["A1"])
        session.add(order(turn_id, seats["Ann"], "A1", "fold"))
    assert on_file(filed) == [("Bob", "A1", "stay"), ("Bob", "B1", "stay"), ("Ann", "A1", "fold")]


def test_the_last_order_replaced_gets_a_new_id(filed: Filed) -> None:
    """An id in the evidence never means two orders."""
    database, turn_id, seats = filed
    with database.transaction() as session:
        last = orders_on_file(session, turn_id)[-1].id
        take_off_file(session, turn_id, seats["Bob"], ["B1"])
        new = order(turn_id, seats["Bob"], "B1", "fold")
        session.add(new)
        session.flush()
        assert last is not None
        assert new.id is not None
        assert new.id > last


def test_a_cancelled_order_is_gone(filed: Filed) -> None:
    """Of that seat and hand alone; a second time nothing is left to take off."""
    database, turn_id, seats = filed
    for _ in range(2):
        with database.transaction() as session:
            take_off_file(session, turn_id, seats["Bob"], ["A1"])
            take_off_file(session, turn_id, seats["Bob"], [])
        assert on_file(filed) == [("Ann", "A1", "stay"), ("Bob", "B1", "stay")]


def test_the_database_itself_refuses_a_second_order_for_a_hand(filed: Filed) -> None:
    """UNIQUE (turn, seat, hand)."""
    database, turn_id, seats = filed
    with pytest.raises(IntegrityError), database.transaction() as session:
        session.add(order(turn_id, seats["Ann"], "A1"))


def test_a_rolled_back_mail_leaves_the_orders_as_they_were(filed: Filed) -> None:
    """A replacement that fails half-way loses nothing."""
    database, turn_id, seats = filed
    with pytest.raises(ZeroDivisionError), database.transaction() as session:  # noqa: PT012 - the error has to come inside the block
        take_off_file(session, turn_id, seats["Ann"], ["A1"])
        raise ZeroDivisionError
    assert on_file(filed)[0] == ("Ann", "A1", "stay")


def test_orders_are_those_of_their_turn(filed: Filed, game_id: int) -> None:
    """The deal takes none."""
    database, _, seats = filed
    with database.transaction() as session:
        deal = turn_by_number(session, game_id, 0)
        assert deal is not None
        assert deal.id is not None
        assert orders_on_file(session, deal.id) == []
        take_off_file(session, deal.id, seats["Ann"], ["A1"])
    assert len(on_file(filed)) == 3


def test_the_log_keeps_every_line_in_order(
    database: Database, turn_id: int, seats: dict[str, int], noon: datetime
) -> None:
    """Evidence for the GM and for the record."""
    actions = (OrderAction.FILED, OrderAction.REPLACED, OrderAction.CANCELLED)
    with database.transaction() as session:
        for action in actions:
            session.add(
                OrderHistoryRow(turn_id=turn_id, seat_id=seats["Ann"], at=noon, action=action)
            )
            session.flush()
    with database.reading() as session:
        log = select(OrderHistoryRow.action).order_by(OrderHistoryRow.id)  # type: ignore[arg-type]  # a column here, a number to mypy
        assert tuple(session.exec(log).all()) == actions


def test_what_was_done_on_a_mail_s_word_is_found(
    database: Database, turn_id: int, seats: dict[str, int], noon: datetime
) -> None:
    """What was refused is none, and each seat has its own mails."""
    ids = store_mails(database, *(mail(uid) for uid in range(1, 5)))
    done = [
        (ids[0], "Ann", OrderAction.FILED, "A1"),
        (ids[1], "Ann", OrderAction.REFUSED, "B1"),
        (ids[2], "Bob", OrderAction.FILED, "C1"),
        (ids[3], "Ann", OrderAction.CANCELLED, "A1"),
        (ids[3], "Ann", OrderAction.WAIT, ""),
    ]
    with database.transaction() as session:
        for mail_id, player, action, hand in done:
            row = OrderHistoryRow(
                turn_id=turn_id,
                seat_id=seats[player],
                mail_id=mail_id,
                at=noon,
                action=action,
                hand=hand,
            )
            session.add(row)
            session.flush()
    with database.reading() as session:
        taken = taken_of_mails(session, [ids[0], ids[1], ids[3]])
        assert [row.action for row in taken] == ["filed", "cancelled", "wait"]
        assert taken_of_mails(session, [ids[1]]) == []
        later = taken_after(session, turn_id, seats["Ann"], ids[0])
        assert later is not None
        assert (later.mail_id, later.action) == (ids[3], OrderAction.CANCELLED)
        assert taken_after(session, turn_id, seats["Ann"], ids[3]) is None
        assert taken_after(session, turn_id, seats["Bob"], ids[2]) is None


def test_attendance_is_one_row_a_seat_and_turn(
    database: Database, game_id: int, turn_id: int, seats: dict[str, int], noon: datetime
) -> None:
    """Begun at the first asking, then kept."""
    with database.transaction() as session:
        row = attendance(session, turn_id, seats["Ann"])
        assert (row.heard, row.waiting, row.troubled) == (False, False, False)
        assert row.last_order_at is None
        row.heard, row.last_order_at = True, noon
        deal = turn_by_number(session, game_id, 0)
        assert deal is not None
        attendance(session, deal.id or 0, seats["Ann"])
    with database.transaction() as session:
        assert attendance(session, turn_id, seats["Ann"]).last_order_at == noon
        attendance(session, turn_id, seats["Bob"])
        rows = attendance_of_turn(session, turn_id)
        assert [row.seat_id for row in rows] == [seats["Ann"], seats["Bob"]]
    with pytest.raises(IntegrityError), database.transaction() as session:
        session.add(AttendanceRow(turn_id=turn_id, seat_id=seats["Ann"]))
