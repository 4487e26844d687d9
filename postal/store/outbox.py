"""The outbox: mail written in the transaction that made it and sent after (MAIL.md, Out)."""

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import func, or_, update
from sqlmodel import Session, col, select

from postal.store.rows import OutboxRow, OutboxState

ONCE_KINDS = frozenset({"report", "final", "welcome"})
"""The kinds of which a player gets one a turn."""

_TO_SEND = (OutboxState.QUEUED, OutboxState.UNKNOWN)


def once_key(game_id: int, turn: int, player: str, kind: str) -> str:
    """Return the key under which a player's mail of a kind stands once a turn."""
    return f"{game_id}/{turn}/{player}/{kind}"


def queue_message(session: Session, message: OutboxRow) -> tuple[OutboxRow, bool]:
    """Queue a message; return its row and whether it is new.

    Of ONCE_KINDS a second one for the same game, turn and player is not stored: the first is
    returned.
    """
    if message.kind in ONCE_KINDS and message.game_id is not None and message.turn is not None:
        message.once_key = once_key(message.game_id, message.turn, message.player, message.kind)
        statement = select(OutboxRow).where(OutboxRow.once_key == message.once_key)
        earlier = session.exec(statement).one_or_none()
        if earlier is not None:
            return earlier, False
    session.add(message)
    session.flush()
    return message, True


def due_messages(session: Session, now: datetime, limit: int = 20) -> Sequence[OutboxRow]:
    """Return the messages to send now, oldest first."""
    statement = (
        select(OutboxRow)
        .where(col(OutboxRow.state).in_(_TO_SEND))
        .where(or_(col(OutboxRow.next_try_at).is_(None), col(OutboxRow.next_try_at) <= now))
        .order_by(col(OutboxRow.id))
        .limit(limit)
    )
    return session.exec(statement).all()


def mark_sending(session: Session, message_id: int) -> bool:
    """Take a message to send it, counting the try; False where another has taken it."""
    statement = (
        update(OutboxRow)
        .where(col(OutboxRow.id) == message_id, col(OutboxRow.state).in_(_TO_SEND))
        .values(state=OutboxState.SENDING, tries=col(OutboxRow.tries) + 1)
        .returning(col(OutboxRow.id))
    )
    return session.exec(statement).one_or_none() is not None


def mark_sent(session: Session, message_id: int, *, now: datetime, code: int, text: str) -> None:
    """Note that the server took a message, with its answer."""
    _mark(
        session,
        message_id,
        state=OutboxState.SENT,
        sent_at=now,
        next_try_at=None,
        last_code=code,
        last_text=text,
    )


def mark_for_retry(  # noqa: PLR0913 - each is a column of the result, named at the call
    session: Session,
    message_id: int,
    *,
    next_try_at: datetime,
    code: int | None,
    text: str,
    unknown: bool = False,
) -> None:
    """Note why a message didn't go and when to try again, with the same Message-ID.

    ``unknown``: the connection was lost when the server may have taken it.
    """
    _mark(
        session,
        message_id,
        state=OutboxState.UNKNOWN if unknown else OutboxState.QUEUED,
        next_try_at=next_try_at,
        last_code=code,
        last_text=text,
    )


def mark_failed(session: Session, message_id: int, *, code: int | None, text: str) -> None:
    """Note that a message won't be tried again, and why."""
    _mark(
        session,
        message_id,
        state=OutboxState.FAILED,
        next_try_at=None,
        last_code=code,
        last_text=text,
    )


def mark_delayed(session: Session, message_id: int, *, text: str) -> None:
    """Note that a server on the way still tries to deliver a message; its state stays."""
    _mark(session, message_id, last_code=None, last_text=text)


def delayed_messages(session: Session) -> Sequence[OutboxRow]:
    """Return the messages that were sent and that a server has since reported as delayed."""
    statement = select(OutboxRow).where(
        OutboxRow.state == OutboxState.SENT, col(OutboxRow.last_text).startswith("delayed:")
    )
    return session.exec(statement.order_by(col(OutboxRow.id))).all()


def recover_sending(session: Session) -> int:
    """Make messages that were being sent when the program ended unknown; return how many.

    For the start of the daemon, which alone sends.
    """
    statement = (
        update(OutboxRow)
        .where(col(OutboxRow.state) == OutboxState.SENDING)
        .values(state=OutboxState.UNKNOWN)
        .returning(col(OutboxRow.id))
    )
    return len(session.exec(statement).all())


def message_by_message_id(session: Session, message_id: str) -> OutboxRow | None:
    """Return the message of a Message-ID, brackets included, as a delivery failure names it."""
    statement = select(OutboxRow).where(OutboxRow.message_id == message_id)
    return session.exec(statement).one_or_none()


def messages_of_turn(
    session: Session, game_id: int, turn: int, kinds: Collection[str] = ()
) -> Sequence[OutboxRow]:
    """Return what was written to players for a turn, of some kinds or all, oldest first."""
    statement = select(OutboxRow).where(OutboxRow.game_id == game_id, OutboxRow.turn == turn)
    if kinds:
        statement = statement.where(col(OutboxRow.kind).in_(kinds))
    return session.exec(statement.order_by(col(OutboxRow.id))).all()


def messages_in_state(session: Session, state: OutboxState) -> Sequence[OutboxRow]:
    """Return the messages of a state, oldest first."""
    statement = select(OutboxRow).where(OutboxRow.state == state)
    return session.exec(statement.order_by(col(OutboxRow.id))).all()


def count_messages(
    session: Session, recipient: str, since: datetime, kinds: Collection[str] = ()
) -> int:
    """Return how many messages were written to an address since a time, of some kinds or all."""
    statement = select(func.count()).where(
        OutboxRow.recipient == recipient, OutboxRow.created_at >= since
    )
    if kinds:
        statement = statement.where(col(OutboxRow.kind).in_(kinds))
    return session.exec(statement).one()


def _mark(session: Session, message_id: int, **values: object) -> None:
    session.exec(update(OutboxRow).where(col(OutboxRow.id) == message_id).values(**values))
