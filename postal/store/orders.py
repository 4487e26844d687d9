"""Orders on file in their order of acceptance, the log of every line, and attendance."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, delete, insert, update
from sqlmodel import Session, col, select

from postal.store.rows import AttendanceRow, OrderAction, OrderHistoryRow, OrderRow

_NOTHING_DONE = (OrderAction.READ, OrderAction.REFUSED)

# Made once, for every mail needs them: to make a statement takes longer than to send it.
_ON_FILE = (
    select(OrderRow).where(col(OrderRow.turn_id) == bindparam("of_turn")).order_by(col(OrderRow.id))
)
_OFF_FILE = delete(OrderRow).where(
    col(OrderRow.turn_id) == bindparam("of_turn"),
    col(OrderRow.seat_id) == bindparam("of_seat"),
    col(OrderRow.hand).in_(bindparam("hands", expanding=True)),
)
_LATER = (
    select(OrderHistoryRow)
    .where(
        col(OrderHistoryRow.turn_id) == bindparam("of_turn"),
        col(OrderHistoryRow.seat_id) == bindparam("of_seat"),
        col(OrderHistoryRow.mail_id) > bindparam("after"),
        col(OrderHistoryRow.action).not_in(_NOTHING_DONE),
    )
    .order_by(col(OrderHistoryRow.id))
)
_ATTENDANCE = (
    select(AttendanceRow)
    .where(col(AttendanceRow.turn_id) == bindparam("of_turn"))
    .order_by(col(AttendanceRow.id))
)
_ATTEND = (
    update(AttendanceRow)
    .where(
        col(AttendanceRow.turn_id) == bindparam("of_turn"),
        col(AttendanceRow.seat_id) == bindparam("of_seat"),
    )
    .returning(col(AttendanceRow.id))
)
_FILE, _LOG = insert(OrderRow), insert(OrderHistoryRow)


@dataclass(frozen=True, kw_only=True)
class NewOrder:
    """An order that goes on file: the columns of its row."""

    turn_id: int
    seat_id: int
    hand: str
    line: str = field(repr=False)
    order_json: str = field(repr=False)
    mail_id: int | None
    filed_at: datetime


@dataclass(frozen=True, kw_only=True)
class NewLine:
    """What became of a line, to be logged: the columns of its row."""

    turn_id: int
    seat_id: int
    mail_id: int | None
    at: datetime
    action: OrderAction
    hand: str = ""
    line: str = field(default="", repr=False)
    code: str = ""
    sentence: str = field(default="", repr=False)


def orders_on_file(session: Session, turn_id: int) -> Sequence[OrderRow]:
    """Return a turn's orders in the order in which they were accepted."""
    return session.exec(_ON_FILE, params={"of_turn": turn_id}).all()


def take_off_file(session: Session, turn_id: int, seat_id: int, hands: Collection[str]) -> None:
    """Take a seat's orders for some hands off the file."""
    if hands:
        session.flush()
        which = {"of_turn": turn_id, "of_seat": seat_id, "hands": list(hands)}
        session.connection().execute(_OFF_FILE, which)


def put_on_file(session: Session, orders: Sequence[NewOrder], log: Sequence[NewLine]) -> None:
    """Put orders on file and log what became of each line, both in the order that they have."""
    session.flush()
    connection = session.connection()
    if orders:
        connection.execute(_FILE, [vars(order) for order in orders])
    if log:
        connection.execute(_LOG, [vars(line) for line in log])


def taken_of_mails(session: Session, mails: Sequence[int]) -> Sequence[OrderHistoryRow]:
    """Return what was done on the word of some mails, oldest first; what was refused is none."""
    statement = select(OrderHistoryRow).where(
        col(OrderHistoryRow.mail_id).in_(mails),
        col(OrderHistoryRow.action).not_in(_NOTHING_DONE),
    )
    return session.exec(statement.order_by(col(OrderHistoryRow.id))).all()


def mails_read(session: Session, turn_id: int) -> Sequence[OrderHistoryRow]:
    """Return what each mail of a turn ordered, in the order in which the mails were handled."""
    statement = select(OrderHistoryRow).where(
        OrderHistoryRow.turn_id == turn_id, OrderHistoryRow.action == OrderAction.READ
    )
    return session.exec(statement.order_by(col(OrderHistoryRow.id))).all()


def taken_after(
    session: Session, turn_id: int, seat_id: int, mail_id: int
) -> OrderHistoryRow | None:
    """Return the first thing that was done on the word of a seat's later mail in a turn."""
    which = {"of_turn": turn_id, "of_seat": seat_id, "after": mail_id}
    return session.exec(_LATER, params=which).first()


def later_lines(
    session: Session, turn_id: int, seat_id: int, mail_id: int
) -> Sequence[OrderHistoryRow]:
    """Return all that was done on the word of a seat's mails in a turn that came after one."""
    which = {"of_turn": turn_id, "of_seat": seat_id, "after": mail_id}
    return session.exec(_LATER, params=which).all()


def set_attendance(  # noqa: PLR0913 - each is a column, named at the call
    session: Session,
    turn_id: int,
    seat_id: int,
    *,
    heard: bool,
    resigned: bool = False,
    waiting: bool,
    troubled: bool,
    troubled_until: datetime | None,
    last_order_at: datetime | None,
) -> None:
    """Note a seat's attendance in a turn, of which there is one row, made here where it lacks."""
    values: dict[str, Any] = {
        "heard": heard,
        "resigned": resigned,
        "waiting": waiting,
        "troubled": troubled,
        "troubled_until": troubled_until,
        "last_order_at": last_order_at,
    }
    session.flush()
    which = {"of_turn": turn_id, "of_seat": seat_id}
    if session.connection().execute(_ATTEND, {**which, **values}).first() is None:
        session.add(AttendanceRow(turn_id=turn_id, seat_id=seat_id, **values))
        session.flush()


def attendance_of_turn(session: Session, turn_id: int) -> Sequence[AttendanceRow]:
    """Return the attendance of all players heard of in a turn."""
    return session.exec(_ATTENDANCE, params={"of_turn": turn_id}).all()
