"""Turns: look-ups, and the claim that lets one process alone adjudicate (RULES.md 10.5)."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import cast

from sqlalchemy import and_, bindparam, exists, func, null, or_, update
from sqlalchemy.orm import QueryableAttribute, defer
from sqlalchemy.sql import ColumnElement
from sqlmodel import Session, col, select

from postal.store.rows import GameRow, GameStatus, MailRow, MailStatus, TurnRow, TurnStatus
from postal.store.rows.games import IN_PLAY

# Made once, for every mail needs them: to make a statement takes longer than to send it.
_EVIDENCE = [cast("QueryableAttribute[str]", one) for one in (TurnRow.orders, TurnRow.events)]
_LAST = (
    select(TurnRow)
    .where(col(TurnRow.game_id) == bindparam("of_game"), IN_PLAY)
    .options(*map(defer, _EVIDENCE))
    .order_by(col(TurnRow.number).desc())
    .limit(2)
)
_ADVANCE = (
    update(TurnRow)
    .where(
        col(TurnRow.id) == bindparam("of_turn"),
        col(TurnRow.status) == TurnStatus.OPEN,
        col(TurnRow.version) == bindparam("read"),
    )
    .values(
        version=col(TurnRow.version) + 1,
        due_at=bindparam("due"),
        claim_token=null(),
        claim_until=null(),
    )
    .returning(col(TurnRow.id))
)

ON_THE_CLOCK: tuple[ColumnElement[bool], ...] = (
    col(GameRow.id) == col(TurnRow.game_id),
    col(GameRow.status) == GameStatus.RUNNING,
    col(GameRow.hold_since).is_(None),
    col(TurnRow.void_at).is_(None),
)
"""Turns that count, joined with their games, whose clocks run: not over, given up or on hold."""


def last_turns(session: Session, game_id: int) -> tuple[TurnRow | None, TurnRow | None]:
    """Return the last turn adjudicated, from whose ``state`` the game goes on, and the one in play.

    The latter is None when the game is over. Evidence (orders and events) isn't loaded with them.
    """
    rows = session.exec(_LAST, params={"of_game": game_id}).all()
    done = next((row for row in rows if row.status is TurnStatus.DONE), None)
    return done, next((row for row in rows if row.status is not TurnStatus.DONE), None)


def turns_done(session: Session, game_ids: Collection[int]) -> dict[int, int]:
    """Return the number of the last turn that is done of some games, by game."""
    statement = (
        select(TurnRow.game_id, func.max(col(TurnRow.number)))
        .where(col(TurnRow.game_id).in_(game_ids), TurnRow.status == TurnStatus.DONE, IN_PLAY)
        .group_by(col(TurnRow.game_id))
    )
    return dict(session.exec(statement).all())


def evidence_of(session: Session, turn_id: int) -> tuple[str, str]:
    """Return the orders and the events of a turn as JSON text, each empty where there are none."""
    statement = select(TurnRow.orders, TurnRow.events).where(TurnRow.id == turn_id)
    orders, events = session.exec(statement).one_or_none() or (None, None)
    return orders or "", events or ""


def advance(session: Session, turn: TurnRow, due_at: datetime | None) -> bool:
    """Note that what is on file for an open turn changes, and when it is due now.

    False, changing nothing, where it is no longer open or has changed since ``turn`` was read:
    whoever gets that reckons anew. Nobody can claim the turn before this transaction ends.
    """
    session.flush()
    which = {"of_turn": turn.id, "read": turn.version, "due": due_at}
    return session.connection().execute(_ADVANCE, which).first() is not None


def change_deadline(  # noqa: PLR0913 - each is a column, named at the call
    session: Session,
    turn: TurnRow,
    deadline: datetime | None,
    due_at: datetime | None,
    *,
    wall: str | None = None,
    remind_at: datetime | None = None,
) -> bool:
    """Set an open turn's deadline (UTC); False, doing nothing, where it changed since read.

    Whoever reckoned with the turn before reckons anew, though the deadline be the same.
    """
    return _change(
        session,
        _unchanged(turn, TurnStatus.OPEN),
        version=col(TurnRow.version) + 1,
        deadline=deadline,
        due_at=due_at,
        wall=wall,
        remind_at=remind_at,
        claim_token=None,
        claim_until=None,
    )


def close_turn(session: Session, turn: TurnRow) -> bool:
    """Set an open turn aside for good; False, doing nothing, where it changed since read."""
    return _change(
        session,
        _unchanged(turn, TurnStatus.OPEN),
        status=TurnStatus.SET_ASIDE,
        due_at=None,
        claim_token=None,
        claim_until=None,
    )


def told_turns(session: Session) -> Sequence[tuple[GameRow, TurnRow]]:
    """Return the open turns whose deadline was told as a wall time, with their games.

    A game on hold has none: its deadline is told anew when it goes on.
    """
    statement = select(GameRow, TurnRow).where(
        *ON_THE_CLOCK,
        col(TurnRow.status) == TurnStatus.OPEN,
        col(TurnRow.deadline).is_not(None),
        col(TurnRow.wall).is_not(None),
    )
    return session.exec(statement).all()


def set_wall(session: Session, turn: TurnRow, wall: str | None) -> bool:
    """Note what clocks show at an open turn's deadline; False where it changed since read."""
    return _change(session, _unchanged(turn, TurnStatus.OPEN), wall=wall)


def set_due(session: Session, turn: TurnRow, due_at: datetime | None) -> bool:
    """Put right when an open turn is due; False where it has changed since it was read."""
    return _change(
        session,
        _unchanged(turn, TurnStatus.OPEN),
        due_at=due_at,
        claim_token=None,
        claim_until=None,
    )


def look_at_due_turn(  # noqa: PLR0913 - each says which, named at the call
    session: Session,
    *,
    token: str,
    now: datetime,
    until: datetime,
    polled: datetime | None,
    but: Collection[int] = (),
) -> tuple[GameRow, TurnRow] | None:
    """Take the next turn that may be due, the longest due first, to look at it, or None.

    Those that a killed process had claimed go before. Until ``until`` no other process gets it
    here. It stays open for orders. ``polled`` is when the last whole poll of the inbox began: what
    has its deadline later is not due by it (10.5). A game with mail that is still to be handled
    waits, and so do all while a mail's game isn't known. The turns of the ids in ``but`` are passed
    over.
    """
    for which in (_left_over(now), _due(now, polled)):
        # One status at a time, so that an index leads to the row, however many are due.
        statement = (
            select(GameRow, TurnRow)
            .where(
                *ON_THE_CLOCK,
                which,
                col(TurnRow.id).not_in(but),
            )
            .order_by(col(TurnRow.due_at))
            .limit(1)
            .with_for_update(skip_locked=True, key_share=True, of=TurnRow)
        )
        found = session.exec(statement).first()
        if found is not None:
            found[1].claim_token, found[1].claim_until = token, until
            session.flush()
            return found[0], found[1]
    return None


def look_at_reminder(session: Session, until: datetime) -> tuple[GameRow, TurnRow] | None:
    """Return the next turn of which it was time to remind by then (UTC), the longest so first.

    A game on hold waits, and one with mail that is still to be handled, as in ``look_at_due_turn``.
    """
    statement = (
        select(GameRow, TurnRow)
        .where(
            *ON_THE_CLOCK,
            col(TurnRow.status) == TurnStatus.OPEN,
            col(TurnRow.remind_at) <= until,
            ~_unhandled(until),
        )
        .order_by(col(TurnRow.remind_at))
        .limit(1)
    )
    return session.exec(statement).first()


def take_reminder(session: Session, turn: TurnRow) -> bool:
    """Note that a turn was reminded of; False where it has changed since it was read.

    So it is looked at once more with an order that came meanwhile, and by one process alone.
    """
    unchanged = and_(_unchanged(turn, TurnStatus.OPEN), col(TurnRow.remind_at) == turn.remind_at)
    return _change(session, unchanged, remind_at=None)


def stop_looking(session: Session, turn: TurnRow) -> None:
    """Let others look at a turn again that was looked at; nothing where it was claimed since."""
    looked = and_(
        col(TurnRow.id) == turn.id,
        col(TurnRow.status) == TurnStatus.OPEN,
        col(TurnRow.claim_token) == turn.claim_token,
    )
    _change(session, looked, claim_token=None, claim_until=None)


def claim_turn(session: Session, turn: TurnRow, *, token: str, until: datetime) -> bool:
    """Claim a turn for adjudication under a random token; False where that can't be.

    From then on its orders are fixed. It can't be where the turn has changed since it was read, or
    somebody else has claimed it since. The lease ends at ``until`` (UTC), after which another may
    claim it: so a process that was killed holds nothing up. A turn that was read as claimed is
    taken over: the caller has seen that the lease was over, or is itself who looks at it.
    """
    free = or_(
        _unchanged(turn, TurnStatus.OPEN),
        and_(
            col(TurnRow.id) == turn.id,
            col(TurnRow.status) == TurnStatus.CLAIMED,
            col(TurnRow.claim_token) == turn.claim_token,
        ),
    )
    return _change(session, free, status=TurnStatus.CLAIMED, claim_token=token, claim_until=until)


def finish_turn(  # noqa: PLR0913 - each is a column of the result, named at the call
    session: Session,
    turn_id: int,
    *,
    token: str,
    now: datetime,
    orders: str,
    events: str,
    state: str,
    forced: bool = False,
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
        due_at=None,
        adjudicated_at=now,
        orders=orders,
        events=events,
        state=state,
        forced=forced,
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
    """Set aside a turn that was claimed or looked at; False unless the claim holds."""
    held = and_(
        col(TurnRow.id) == turn_id,
        col(TurnRow.status).in_((TurnStatus.OPEN, TurnStatus.CLAIMED)),
        col(TurnRow.claim_token) == token,
    )
    return _change(session, held, status=TurnStatus.SET_ASIDE, claim_token=None, claim_until=None)


def set_game_aside(session: Session, game_id: int) -> bool:
    """Set aside a game's turn in play, whoever has it; False where that was done before."""
    mine = and_(
        col(TurnRow.game_id) == game_id,
        col(TurnRow.status).in_((TurnStatus.OPEN, TurnStatus.CLAIMED)),
    )
    return _change(session, mine, status=TurnStatus.SET_ASIDE, claim_token=None, claim_until=None)


def new_claim(owner: str, name: str) -> str:
    """Return the token of a claim of a process; ``name`` is random and tells it from its others."""
    return f"{owner} {name}"


def expire_claims(session: Session, now: datetime, owner: str | None = None) -> int:
    """End leases now, all or a process's own, so that their turns can be claimed again; how many.

    For the start of a daemon that is alone, after one that was killed, and for a process that lost
    the database in the middle: the orders of a claimed turn stay fixed.
    """
    statement = update(TurnRow).where(col(TurnRow.claim_until) > now)
    if owner is not None:
        mine = col(TurnRow.claim_token).startswith(new_claim(owner, ""), autoescape=True)
        undone = col(TurnRow.status).in_((TurnStatus.OPEN, TurnStatus.CLAIMED))
        statement = statement.where(undone, mine)
    ended = statement.values(claim_until=now).returning(col(TurnRow.id))
    return len(session.exec(ended).all())


def reopen_turn(session: Session, turn_id: int) -> bool:
    """Open a turn that was set aside; False for any other."""
    aside = and_(col(TurnRow.id) == turn_id, col(TurnRow.status) == TurnStatus.SET_ASIDE)
    return _change(session, aside, status=TurnStatus.OPEN)


def _due(now: datetime, polled: datetime | None) -> ColumnElement[bool]:
    """Whether an open turn may be due: no more is looked at than an index and its mails tell."""
    in_time = or_(
        col(TurnRow.deadline).is_(None),
        col(TurnRow.deadline) > now,
        # Where orders are missing it is due later than that, by the grace of its game.
        *([and_(col(TurnRow.deadline) <= polled, col(TurnRow.due_at) <= polled)] if polled else []),
    )
    return and_(
        col(TurnRow.status) == TurnStatus.OPEN,
        col(TurnRow.due_at) <= now,
        or_(col(TurnRow.claim_until).is_(None), col(TurnRow.claim_until) <= now),
        in_time,
        ~_unhandled(now),
    )


def _unhandled(now: datetime) -> ColumnElement[bool]:
    """Whether mail of a turn's game, or of nobody knows which, is still to be handled.

    One that fails each time is not counted: how long a turn waits for it is asked at each that is
    due.
    """
    mine = and_(
        col(MailRow.game_id) == TurnRow.game_id,
        or_(col(MailRow.tries) == 0, col(MailRow.lease_until) > now),
    )
    nobodys = and_(col(MailRow.game_id).is_(None), col(MailRow.tries) == 0)
    return exists().where(col(MailRow.status) == MailStatus.NEW, or_(mine, nobodys))


def _left_over(now: datetime) -> ColumnElement[bool]:
    return and_(col(TurnRow.status) == TurnStatus.CLAIMED, col(TurnRow.claim_until) <= now)


def _unchanged(turn: TurnRow, status: TurnStatus) -> ColumnElement[bool]:
    return and_(
        col(TurnRow.id) == turn.id,
        col(TurnRow.status) == status,
        col(TurnRow.version) == turn.version,
    )


def _held(turn_id: int, token: str) -> ColumnElement[bool]:
    return and_(
        col(TurnRow.id) == turn_id,
        col(TurnRow.status) == TurnStatus.CLAIMED,
        col(TurnRow.claim_token) == token,
    )


def _change(session: Session, which: ColumnElement[bool], **values: object) -> bool:
    """Compare and set in one statement; whether a row was as it had to be."""
    statement = update(TurnRow).where(which).values(**values).returning(col(TurnRow.id))
    changed = session.exec(statement.execution_options(synchronize_session=False))
    return changed.one_or_none() is not None
