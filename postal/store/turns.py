"""Turns: look-ups, and the claim that lets one process alone adjudicate (RULES.md 10.5)."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import and_, or_, update
from sqlalchemy.sql import ColumnElement
from sqlmodel import Session, col, select

from postal.store.rows import GameRow, GameStatus, TurnRow, TurnStatus


def turn_by_number(session: Session, game_id: int, number: int) -> TurnRow | None:
    """Return one turn of a game; number 0 is the deal."""
    statement = select(TurnRow).where(TurnRow.game_id == game_id, TurnRow.number == number)
    return session.exec(statement).one_or_none()


def turns_of(session: Session, game_id: int) -> Sequence[TurnRow]:
    """Return all turns of a game, the deal first."""
    statement = select(TurnRow).where(TurnRow.game_id == game_id)
    return session.exec(statement.order_by(col(TurnRow.number))).all()


def current_turn(session: Session, game_id: int) -> TurnRow | None:
    """Return the turn that is not done, whatever its status; None when the game is over."""
    statement = select(TurnRow).where(TurnRow.game_id == game_id, TurnRow.status != TurnStatus.DONE)
    return session.exec(statement.order_by(col(TurnRow.number).desc())).first()


def open_turn(session: Session, game_id: int, *, hold: bool = False) -> TurnRow | None:
    """Return the turn that takes orders; None once it is claimed.

    With ``hold`` nobody can claim it before this transaction ends: whoever files orders asks
    for that, or they could come after the orders were read and be lost.
    """
    statement = select(TurnRow).where(TurnRow.game_id == game_id, TurnRow.status == TurnStatus.OPEN)
    if hold:
        # SQLite, where one transaction writes at a time, has no such clause and needs none.
        statement = statement.with_for_update()
    return session.exec(statement).one_or_none()


def last_done_turn(session: Session, game_id: int) -> TurnRow | None:
    """Return the last turn adjudicated, whose ``state`` the game goes on from."""
    statement = select(TurnRow).where(TurnRow.game_id == game_id, TurnRow.status == TurnStatus.DONE)
    return session.exec(statement.order_by(col(TurnRow.number).desc())).first()


def claimable_turns(session: Session, now: datetime) -> Sequence[tuple[GameRow, TurnRow]]:
    """Return the turns of running games that are open or whose lease is over, oldest game first."""
    statement = (
        select(GameRow, TurnRow)
        .where(GameRow.id == TurnRow.game_id, GameRow.status == GameStatus.RUNNING)
        .where(_claimable(now))
        .order_by(col(GameRow.id))
    )
    return session.exec(statement).all()


def claim_turn(
    session: Session, turn_id: int, *, token: str, now: datetime, until: datetime
) -> bool:
    """Claim a turn for adjudication under a token of chance; False where somebody else has it.

    From then on its orders are fixed. The lease ends at ``until``, after which another may
    claim it: so a process that was killed holds nothing up. Both times are UTC.
    """
    return _change(
        session,
        and_(col(TurnRow.id) == turn_id, _claimable(now)),
        status=TurnStatus.CLAIMED,
        claim_token=token,
        claim_until=until,
    )


def finish_turn(  # noqa: PLR0913 - each is a column of the result, named at the call
    session: Session,
    turn_id: int,
    *,
    token: str,
    now: datetime,
    orders: str,
    events: str,
    state: str,
) -> bool:
    """Store what came of a turn (JSON texts); False, storing nothing, unless the claim holds.

    Whoever gets False rolls back everything that goes with it: another has claimed the turn.
    """
    return _change(
        session,
        _held(turn_id, token),
        status=TurnStatus.DONE,
        claim_token=None,
        claim_until=None,
        adjudicated_at=now,
        orders=orders,
        events=events,
        state=state,
    )


def release_turn(session: Session, turn_id: int, *, token: str) -> bool:
    """Open a claimed turn again, as if it had not been claimed; False unless the claim holds."""
    return _change(
        session,
        _held(turn_id, token),
        status=TurnStatus.OPEN,
        claim_token=None,
        claim_until=None,
    )


def set_turn_aside(session: Session, turn_id: int, *, token: str) -> bool:
    """Set aside a claimed turn whose adjudication failed; False unless the claim holds."""
    return _change(
        session,
        _held(turn_id, token),
        status=TurnStatus.SET_ASIDE,
        claim_token=None,
        claim_until=None,
    )


def expire_claims(session: Session, now: datetime) -> int:
    """End every lease now, so that its turn can be claimed again; return how many there were.

    For the start of the daemon, after one that was killed: the orders stay fixed.
    """
    claimed = select(TurnRow).where(TurnRow.status == TurnStatus.CLAIMED)
    rows = session.exec(claimed).all()
    for row in rows:
        row.claim_until = now
    return len(rows)


def reopen_turn(session: Session, turn_id: int) -> bool:
    """Open a turn that was set aside; False for any other."""
    aside = and_(col(TurnRow.id) == turn_id, col(TurnRow.status) == TurnStatus.SET_ASIDE)
    return _change(session, aside, status=TurnStatus.OPEN)


def _claimable(now: datetime) -> ColumnElement[bool]:
    return or_(
        col(TurnRow.status) == TurnStatus.OPEN,
        and_(col(TurnRow.status) == TurnStatus.CLAIMED, col(TurnRow.claim_until) <= now),
    )


def _held(turn_id: int, token: str) -> ColumnElement[bool]:
    return and_(
        col(TurnRow.id) == turn_id,
        col(TurnRow.status) == TurnStatus.CLAIMED,
        col(TurnRow.claim_token) == token,
    )


def _change(session: Session, which: ColumnElement[bool], **values: object) -> bool:
    """Compare and set in one statement; whether a row was as it had to be."""
    changed = session.exec(update(TurnRow).where(which).values(**values).returning(col(TurnRow.id)))
    return changed.one_or_none() is not None
