"""Orders on file in their order of acceptance, the log of every line, and attendance."""

from collections.abc import Sequence

from sqlmodel import Session, col, select

from postal.store.rows import AttendanceRow, OrderAction, OrderHistoryRow, OrderRow


def orders_on_file(
    session: Session, game_id: int, turn: int, player: str | None = None
) -> Sequence[OrderRow]:
    """Return a turn's orders, or one player's, in the order in which they were accepted."""
    statement = select(OrderRow).where(OrderRow.game_id == game_id, OrderRow.turn == turn)
    if player is not None:
        statement = statement.where(OrderRow.player == player)
    return session.exec(statement.order_by(col(OrderRow.id))).all()


def file_order(session: Session, order: OrderRow) -> OrderRow | None:
    """Put an order on file as the last accepted; return the one that it takes the place of."""
    earlier = cancel_order(session, order.game_id, order.turn, order.player, order.hand)
    session.add(order)
    session.flush()
    return earlier


def cancel_order(
    session: Session, game_id: int, turn: int, player: str, hand: str
) -> OrderRow | None:
    """Take the order for a hand off the file and return it; None where there is none."""
    statement = select(OrderRow).where(
        OrderRow.game_id == game_id,
        OrderRow.turn == turn,
        OrderRow.player == player,
        OrderRow.hand == hand,
    )
    order = session.exec(statement).one_or_none()
    if order is not None:
        session.delete(order)
        # Now, since a session inserts before it deletes.
        session.flush()
    return order


def order_history(session: Session, game_id: int) -> Sequence[OrderHistoryRow]:
    """Return what became of each line of a game, oldest first."""
    statement = select(OrderHistoryRow).where(OrderHistoryRow.game_id == game_id)
    return session.exec(statement.order_by(col(OrderHistoryRow.id))).all()


def taken_of_mails(session: Session, mails: Sequence[int]) -> Sequence[OrderHistoryRow]:
    """Return what was done on the word of some mails, oldest first; what was refused is none."""
    statement = select(OrderHistoryRow).where(
        col(OrderHistoryRow.mail_id).in_(mails),
        OrderHistoryRow.action != OrderAction.REFUSED,
    )
    return session.exec(statement.order_by(col(OrderHistoryRow.id))).all()


def taken_after(
    session: Session, game_id: int, turn: int, player: str, mail_id: int
) -> OrderHistoryRow | None:
    """Return the first thing that was done on the word of a player's later mail in a turn."""
    statement = select(OrderHistoryRow).where(
        OrderHistoryRow.game_id == game_id,
        OrderHistoryRow.turn == turn,
        OrderHistoryRow.player == player,
        col(OrderHistoryRow.mail_id) > mail_id,
        OrderHistoryRow.action != OrderAction.REFUSED,
    )
    return session.exec(statement.order_by(col(OrderHistoryRow.id))).first()


def attendance(session: Session, game_id: int, turn: int, player: str) -> AttendanceRow:
    """Return a player's attendance in a turn, begun here where there is none yet."""
    statement = select(AttendanceRow).where(
        AttendanceRow.game_id == game_id,
        AttendanceRow.turn == turn,
        AttendanceRow.player == player,
    )
    row = session.exec(statement).one_or_none()
    if row is None:
        row = AttendanceRow(game_id=game_id, turn=turn, player=player)
        session.add(row)
        session.flush()
    return row


def attendance_of_turn(session: Session, game_id: int, turn: int) -> Sequence[AttendanceRow]:
    """Return the attendance of all players heard of in a turn."""
    statement = select(AttendanceRow).where(
        AttendanceRow.game_id == game_id, AttendanceRow.turn == turn
    )
    return session.exec(statement.order_by(col(AttendanceRow.id))).all()
