"""The outbox: mail written in the transaction that made it and sent after (MAIL.md, Out)."""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime

from sqlalchemy import and_, bindparam, case, delete, func, or_, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.sql import ColumnElement
from sqlmodel import Session, col, select

from postal.store.holding import not_held
from postal.store.rows import Hindrance, OutboxRow, OutboxState
from postal.store.rows.mails import UNSENT

_TO_SEND = (OutboxState.QUEUED, OutboxState.UNKNOWN)
_ASKING = ("welcome", "report", "resend", "rollback")
"""The kinds of mail that ask for a turn's orders."""

# Made once, for every answer needs them: to make a statement takes longer than to send it.
_THREADS = (
    select(OutboxRow.seat_id, OutboxRow.turn, OutboxRow.message_id)
    .where(
        col(OutboxRow.game_id) == bindparam("of_game"),
        col(OutboxRow.turn).in_(bindparam("turns", expanding=True)),
        col(OutboxRow.kind).in_(bindparam("kinds", expanding=True)),
        col(OutboxRow.seat_id).is_not(None),
    )
    .order_by(col(OutboxRow.id))
)
_WRITTEN = select(func.count()).where(
    col(OutboxRow.recipient) == bindparam("to"), col(OutboxRow.created_at) >= bindparam("since")
)
_WRITTEN_OF = _WRITTEN.where(col(OutboxRow.kind).in_(bindparam("kinds", expanding=True)))


def queue_messages(session: Session, messages: Sequence[OutboxRow]) -> Sequence[OutboxRow]:
    """Queue messages; return those that are new.

    One whose ``once_key`` stands there already was written before and is left out, and so is
    the second of two with the same.
    """
    keys = {message.once_key for message in messages if message.once_key}
    known: set[str | None] = set()
    if keys:
        statement = select(OutboxRow.once_key).where(col(OutboxRow.once_key).in_(keys))
        known = set(session.exec(statement).all())
    new = [message for message in messages if _queue(session, message, known)]
    session.flush()
    return new


def _queue(session: Session, message: OutboxRow, known: set[str | None]) -> bool:
    """Queue a message unless its key is known; the key is from now on."""
    if message.once_key is None:
        session.add(message)
        return True
    if message.once_key in known:
        return False
    known.add(message.once_key)
    if message.seat_id is not None:
        # A turn's letters are written by whoever has claimed the turn, and by nobody else.
        session.add(message)
        return True
    try:
        with session.begin_nested():
            session.add(message)
    except IntegrityError:
        written = select(OutboxRow.id).where(OutboxRow.once_key == message.once_key)
        if session.exec(written).first() is None:
            raise
        # Another process wrote it at this very moment.
        return False
    return True


def reports_told(
    session: Session, game_id: int, from_turn: int, kinds: Collection[str]
) -> Sequence[tuple[int, int]]:
    """Return (turn, seat) of the letters of some kinds that tell of a turn or of a later one."""
    statement = select(OutboxRow.turn, OutboxRow.seat_id).where(_telling(game_id, from_turn, kinds))
    rows = session.exec(statement.order_by(col(OutboxRow.id))).all()
    return [(turn or 0, seat or 0) for turn, seat in dict.fromkeys(rows)]


def write_reports_anew(
    session: Session, game_id: int, from_turn: int, kinds: Collection[str]
) -> None:
    """Let the letters that tell of a turn, or of a later one, be written once more."""
    statement = update(OutboxRow).where(_telling(game_id, from_turn, kinds))
    session.exec(statement.values(once_key=None))


def _telling(game_id: int, from_turn: int, kinds: Collection[str]) -> ColumnElement[bool]:
    return and_(
        col(OutboxRow.game_id) == game_id,
        col(OutboxRow.turn) >= from_turn,
        col(OutboxRow.kind).in_(kinds),
        col(OutboxRow.seat_id).is_not(None),
    )


def due_message(session: Session, now: datetime, *, though_held: bool = False) -> OutboxRow | None:
    """Return the message that is to be sent next, kept from other processes; None: there is none.

    It is the oldest that is due, unless the outbox is held (postal.store.holding). ``though_held``:
    one all the same, which was tried less often than any other.
    """
    order = [col(OutboxRow.tries)] if though_held else []
    statement = (
        select(OutboxRow)
        .where(UNSENT, _to_send(now), *([] if though_held else [not_held(now)]))
        .order_by(*order, col(OutboxRow.id))
        .limit(1)
        .with_for_update(skip_locked=True, key_share=True)
    )
    return session.exec(statement).first()


def lease_message(
    session: Session,
    *,
    owner: str,
    now: datetime,
    until: datetime,
    message: OutboxRow | None = None,
) -> OutboxRow | None:
    """Take a message to send it, counting the try: that one, or the next that is due, if any.

    It is marked as being sent before it goes. What another process took and didn't finish by the
    end of its lease may have gone: it is sent again under its Message-ID.
    """
    message = message or due_message(session, now)
    if message is not None:
        message.state, message.tries = OutboxState.SENDING, message.tries + 1
        message.owner, message.lease_until = owner, until
        session.flush()
    return message


def mark_sent(  # noqa: PLR0913 - each is a column of the result, named at the call
    session: Session,
    message_id: int,
    *,
    now: datetime,
    code: int,
    text: str,
    owner: str | None = None,
) -> bool:
    """Note that the server took a message, with its answer.

    False, noting nothing, where it is another's than ``owner``'s to send by now. Of a report that
    asks for orders the mark of who held it up stays, to be reckoned with (RULES.md 10.5).
    """
    kept = and_(col(OutboxRow.kind).in_(_ASKING), col(OutboxRow.hindrance) == Hindrance.OURS)
    free = or_(col(OutboxRow.owner).is_(None), col(OutboxRow.owner) == owner)
    return _mark(
        session,
        message_id,
        None if owner is None else free,
        state=OutboxState.SENT,
        hindrance=case((kept, Hindrance.OURS.value), else_=Hindrance.NONE.value),
        sent_at=now,
        next_try_at=None,
        last_code=code,
        last_text=text,
    )


def mark_for_retry(  # noqa: PLR0913 - each is a column of the result, named at the call
    session: Session,
    message_id: int,
    *,
    next_try_at: datetime | None,
    code: int | None,
    text: str,
    hindrance: Hindrance = Hindrance.NONE,
    tries: int | None = None,
    unknown: bool = False,
    owner: str | None = None,
) -> bool:
    """Note why a message didn't go and when to try again, with the same Message-ID.

    ``next_try_at`` None: as soon as any goes. ``hindrance`` says whom that is because of, ``tries``
    how often it was tried, where that is to change. ``unknown``: the connection was lost when the
    server may have taken it. False, noting nothing, where it isn't ``owner``'s to send any more.
    """
    # What was withdrawn while it was being sent has no bytes any more, and stays so.
    whole = col(OutboxRow.raw).is_not(None)
    return _mark(
        session,
        message_id,
        whole if owner is None else and_(whole, _being_sent_by(owner)),
        state=OutboxState.UNKNOWN if unknown else OutboxState.QUEUED,
        hindrance=hindrance,
        next_try_at=next_try_at,
        last_code=code,
        last_text=text,
        **({} if tries is None else {"tries": tries}),
    )


def mark_failed(  # noqa: PLR0913 - each is a column of the result, named at the call
    session: Session,
    message_id: int,
    *,
    code: int | None,
    text: str,
    hindrance: Hindrance = Hindrance.HIS,
    owner: str | None = None,
) -> bool:
    """Note that a message won't be tried again, and why: mostly its receiver's side refuses it.

    False, noting nothing, where it isn't ``owner``'s to send any more.
    """
    return _mark(
        session,
        message_id,
        None if owner is None else _being_sent_by(owner),
        state=OutboxState.FAILED,
        hindrance=hindrance,
        next_try_at=None,
        last_code=code,
        last_text=text,
    )


def drop_unsent(session: Session, once_key: str) -> None:
    """Delete a notice that was never taken, since another says more by now."""
    unsent = and_(col(OutboxRow.once_key) == once_key, col(OutboxRow.state) == OutboxState.QUEUED)
    session.exec(delete(OutboxRow).where(unsent))


def withdraw_messages(
    session: Session, seat_ids: Collection[int], recipients: Collection[str], *, text: str
) -> None:
    """Let what was written to some seats' holders at these addresses, and hasn't gone, never go.

    It is marked as failed for the reason ``text``, and its bytes are deleted.
    """
    statement = update(OutboxRow).where(
        _written_to(seat_ids, recipients),
        col(OutboxRow.state).in_((*_TO_SEND, OutboxState.SENDING)),
    )
    session.exec(
        statement.values(
            state=OutboxState.FAILED,
            hindrance=Hindrance.NONE,
            raw=None,
            next_try_at=None,
            owner=None,
            lease_until=None,
            last_code=None,
            last_text=text,
        )
    )


def not_arrived(
    session: Session, seat_ids: Collection[int], recipients: Collection[str], kinds: Collection[str]
) -> set[int]:
    """Return to which of some seats a mail of these kinds, written there, hasn't gone or failed."""
    statement = select(OutboxRow.seat_id).where(
        _written_to(seat_ids, recipients),
        col(OutboxRow.kind).in_(kinds),
        OutboxRow.state != OutboxState.SENT,
    )
    return {seat_id or 0 for seat_id in session.exec(statement).all()}


def mark_delayed(session: Session, message_id: int, *, text: str) -> None:
    """Note that a server on the way still tries to deliver a message; its state stays."""
    statement = update(OutboxRow).where(col(OutboxRow.id) == message_id)
    session.exec(statement.values(delayed=True, last_code=None, last_text=text))


def delayed_messages(session: Session) -> Sequence[OutboxRow]:
    """Return the messages that were sent and that a server has since reported as delayed."""
    statement = select(OutboxRow).where(
        OutboxRow.state == OutboxState.SENT, col(OutboxRow.delayed).is_(True)
    )
    return session.exec(statement.order_by(col(OutboxRow.id))).all()


def recover_sending(session: Session, owner: str | None = None) -> int:
    """Make messages that were being sent unknown, all or a process's own; return how many.

    For the start of a daemon that is alone, after one that was killed; and for a process that
    could not note how the sending ended.
    """
    which = col(OutboxRow.state) == OutboxState.SENDING
    if owner is not None:
        which = and_(which, col(OutboxRow.owner) == owner)
    statement = (
        update(OutboxRow)
        .where(which)
        .values(state=OutboxState.UNKNOWN, owner=None, lease_until=None)
        .returning(col(OutboxRow.id))
    )
    return len(session.exec(statement).all())


def message_by_message_id(session: Session, message_id: str) -> OutboxRow | None:
    """Return the message of a Message-ID, brackets included, as a delivery failure names it."""
    statement = select(OutboxRow).where(OutboxRow.message_id == message_id)
    return session.exec(statement).one_or_none()


def messages_to_seat(session: Session, seat_id: int, turn: int) -> Sequence[OutboxRow]:
    """Return what was written to a seat's holder for him to order for a turn, the newest first.

    ``turn`` is the one that the token in them orders for: they tell of the turn before, or answer
    mails of it.
    """
    statement = select(OutboxRow).where(
        OutboxRow.seat_id == seat_id, col(OutboxRow.turn).in_((turn - 1, turn))
    )
    return session.exec(statement.order_by(col(OutboxRow.id).desc())).all()


def texts_to_seat(session: Session, seat_id: int, most: int = 100) -> Iterator[bytes]:
    """Yield the mails written to a seat's holder as they went, the newest first, one by one."""
    ids = select(OutboxRow.id).where(OutboxRow.seat_id == seat_id, col(OutboxRow.raw).is_not(None))
    for number in session.exec(ids.order_by(col(OutboxRow.id).desc()).limit(most)).all():
        raw = session.exec(select(OutboxRow.raw).where(OutboxRow.id == number)).first()
        if raw:
            yield raw


def last_message(session: Session, seat_id: int, kind: str) -> OutboxRow | None:
    """Return the newest message of a kind to a seat's holder, None where there is none."""
    statement = select(OutboxRow).where(OutboxRow.seat_id == seat_id, OutboxRow.kind == kind)
    return session.exec(statement.order_by(col(OutboxRow.id).desc()).limit(1)).first()


def threads(
    session: Session, game_id: int, turns: Collection[int], kinds: Collection[str]
) -> Sequence[tuple[int, int, str]]:
    """Return (seat id, turn, Message-ID) of a game's letters of some kinds and turns, oldest first.

    One statement serves the letters of a whole turn.
    """
    which = {"of_game": game_id, "turns": list(turns), "kinds": list(kinds)}
    rows = session.exec(_THREADS, params=which).all()
    return [(seat or 0, turn or 0, name) for seat, turn, name in rows]


def messages_in_state(session: Session, state: OutboxState) -> Sequence[OutboxRow]:
    """Return the messages of a state, oldest first."""
    statement = select(OutboxRow).where(OutboxRow.state == state)
    return session.exec(statement.order_by(col(OutboxRow.id))).all()


def count_in_state(session: Session, *states: OutboxState, since: datetime | None = None) -> int:
    """Return how many messages there are of some states, written since a time or ever."""
    statement = select(func.count()).select_from(OutboxRow)
    statement = statement.where(col(OutboxRow.state).in_(states))
    if since is not None:
        statement = statement.where(OutboxRow.created_at >= since)
    return session.exec(statement).one()


def count_messages(
    session: Session, recipient: str, since: datetime, kinds: Collection[str] = ()
) -> int:
    """Return how many messages were written to an address since a time, of some kinds or all."""
    which = {"to": recipient, "since": since}
    if not kinds:
        return session.exec(_WRITTEN, params=which).one()
    return session.exec(_WRITTEN_OF, params={**which, "kinds": list(kinds)}).one()


def _to_send(now: datetime) -> ColumnElement[bool]:
    waiting = and_(
        col(OutboxRow.state).in_(_TO_SEND),
        or_(col(OutboxRow.next_try_at).is_(None), col(OutboxRow.next_try_at) <= now),
    )
    # Without a lease it was being sent when the database was brought up to date.
    over = or_(col(OutboxRow.lease_until).is_(None), col(OutboxRow.lease_until) <= now)
    given_up = and_(col(OutboxRow.state) == OutboxState.SENDING, over)
    return or_(waiting, given_up)


def _being_sent_by(owner: str) -> ColumnElement[bool]:
    return and_(col(OutboxRow.state) == OutboxState.SENDING, col(OutboxRow.owner) == owner)


def _written_to(seat_ids: Collection[int], recipients: Collection[str]) -> ColumnElement[bool]:
    return and_(col(OutboxRow.seat_id).in_(seat_ids), col(OutboxRow.recipient).in_(recipients))


def _mark(
    session: Session, message_id: int, only: ColumnElement[bool] | None, **values: object
) -> bool:
    """Change a message, ``only`` where it is as it has to be; whether it was."""
    statement = update(OutboxRow).where(col(OutboxRow.id) == message_id)
    if only is not None:
        statement = statement.where(only)
    marked = statement.values(owner=None, lease_until=None, **values)
    return session.exec(marked.returning(col(OutboxRow.id))).one_or_none() is not None
