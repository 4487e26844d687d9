"""Orders on file, the log of every line, and attendance."""

from datetime import datetime
from typing import TypedDict

import pytest
from sqlalchemy.exc import IntegrityError
from sqlmodel import select

from postal.store.database import Database
from postal.store.orders import (
    NewLine,
    NewOrder,
    attendance_of_turn,
    later_lines,
    orders_on_file,
    put_on_file,
    set_attendance,
    take_off_file,
    taken_after,
    taken_of_mails,
)
from postal.store.rows import AttendanceRow, OrderAction, OrderHistoryRow, OrderRow
from tests.store.store_league import NOON, mail, store_mails, turn_by_number

CARDS = "AS KS"
Filed = tuple[Database, int, dict[str, int]]


class Attendance(TypedDict):
    """What is noted of a seat in a turn."""

    heard: bool
    waiting: bool
    troubled: bool
    troubled_until: datetime | None
    last_order_at: datetime | None


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


def test_what_a_mail_puts_on_file_keeps_its_order(filed: Filed) -> None:
    """Behind what is there, and so do the lines of the log."""
    database, turn_id, seats = filed
    hands = ["C1", "B1", "D1"]
    (mail_id,) = store_mails(database, mail(1))

    def logged(action: OrderAction, hand: str = "", **words: str) -> NewLine:
        return NewLine(
            turn_id=turn_id,
            seat_id=seats["Ann"],
            mail_id=mail_id,
            at=NOON,
            action=action,
            hand=hand,
            **words,
        )

    orders = [
        NewOrder(
            turn_id=turn_id,
            seat_id=seats["Ann"],
            hand=hand,
            line=CARDS,
            order_json="{}",
            mail_id=mail_id,
            filed_at=NOON,
        )
        for hand in hands
    ]
    log = [logged(OrderAction.FILED, hand, line=CARDS) for hand in hands]
    refused = logged(OrderAction.REFUSED, line=CARDS, code="x", sentence="No.")
    assert CARDS not in repr([*orders, *log])
    with database.transaction() as session:
        put_on_file(session, orders, [*log, refused])
        put_on_file(session, [], [])
    assert [hand for _, hand, _ in on_file(filed)] == ["A1", "A1", "B1", *hands]
    with database.reading() as session:
        rows = session.exec(select(OrderHistoryRow).order_by(OrderHistoryRow.id)).all()  # type: ignore[arg-type]  # as below
        assert [row.hand for row in rows] == [*hands, ""]
        assert (rows[-1].code, rows[-1].sentence, rows[-1].at) == ("x", "No.", NOON)
        assert [row.hand for row in later_lines(session, turn_id, seats["Ann"], 0)] == hands


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
    """Made when it is noted first, then changed; another seat's and another turn's stay."""
    silent = Attendance(
        heard=False, waiting=False, troubled=False, troubled_until=None, last_order_at=None
    )
    troubled: Attendance = {**silent, "troubled": True, "troubled_until": noon}
    with database.transaction() as session:
        set_attendance(session, turn_id, seats["Ann"], **silent)
        deal = turn_by_number(session, game_id, 0)
        assert deal is not None
        set_attendance(session, deal.id or 0, seats["Ann"], **silent)
        set_attendance(session, turn_id, seats["Bob"], **troubled)
    with database.transaction() as session:
        heard: Attendance = {**silent, "heard": True, "last_order_at": noon}
        set_attendance(session, turn_id, seats["Ann"], **heard)
        ann, bob = attendance_of_turn(session, turn_id)
        assert (ann.seat_id, ann.heard, ann.troubled) == (seats["Ann"], True, False)
        assert (ann.troubled_until, ann.last_order_at) == (None, noon)
        assert (bob.seat_id, bob.heard, bob.troubled) == (seats["Bob"], False, True)
        assert (bob.troubled_until, bob.last_order_at) == (noon, None)
        (dealt,) = attendance_of_turn(session, deal.id or 0)
        assert not dealt.heard
    with pytest.raises(IntegrityError), database.transaction() as session:
        session.add(AttendanceRow(turn_id=turn_id, seat_id=seats["Ann"]))
