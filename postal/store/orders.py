"""Orders on file in their order of acceptance, the log of every line, and attendance."""

from collections.abc import Collection, Sequence

from sqlalchemy import delete
from sqlmodel import Session, col, select

from postal.store.rows import AttendanceRow, OrderAction, OrderHistoryRow, OrderRow

_NOTHING_DONE = (OrderAction.READ, OrderAction.REFUSED)


def orders_on_file(session: Session, turn_id: int) -> Sequence[OrderRow]:
    """Return a turn's orders in the order in which they were accepted."""
    statement = select(OrderRow).where(OrderRow.turn_id == turn_id)
    return session.exec(statement.order_by(col(OrderRow.id))).all()


def take_off_file(session: Session, turn_id: int, seat_id: int, hands: Collection[str]) -> None:
    """Take a seat's orders for some hands off the file."""
    if hands:
        statement = delete(OrderRow).where(
            col(OrderRow.turn_id) == turn_id,
            col(OrderRow.seat_id) == seat_id,
            col(OrderRow.hand).in_(hands),
        )
        session.exec(statement)


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
    statement = select(OrderHistoryRow).where(
        OrderHistoryRow.turn_id == turn_id,
        OrderHistoryRow.seat_id == seat_id,
        col(OrderHistoryRow.mail_id) > mail_id,
        col(OrderHistoryRow.action).not_in(_NOTHING_DONE),
    )
    return session.exec(statement.order_by(col(OrderHistoryRow.id))).first()


def later_lines(
    session: Session, turn_id: int, seat_id: int, mail_id: int
) -> Sequence[OrderHistoryRow]:
    """Return all that was done on the word of a seat's mails in a turn that came after one."""
    statement = select(OrderHistoryRow).where(
        OrderHistoryRow.turn_id == turn_id,
        OrderHistoryRow.seat_id == seat_id,
        col(OrderHistoryRow.mail_id) > mail_id,
        col(OrderHistoryRow.action).not_in(_NOTHING_DONE),
    )
    return session.exec(statement.order_by(col(OrderHistoryRow.id))).all()


def attendance(session: Session, turn_id: int, seat_id: int) -> AttendanceRow:
    """Return a seat's attendance in a turn, begun here where there is none yet."""
    statement = select(AttendanceRow).where(
        AttendanceRow.turn_id == turn_id, AttendanceRow.seat_id == seat_id
    )
    row = session.exec(statement).one_or_none()
    if row is None:
        row = AttendanceRow(turn_id=turn_id, seat_id=seat_id)
        session.add(row)
        session.flush()
    return row


def attendance_of_turn(session: Session, turn_id: int) -> Sequence[AttendanceRow]:
    """Return the attendance of all players heard of in a turn."""
    statement = select(AttendanceRow).where(AttendanceRow.turn_id == turn_id)
    return session.exec(statement.order_by(col(AttendanceRow.id))).all()
