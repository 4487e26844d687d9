"""Stopping a game's clock and letting it go on (``postal hold``, ``postal resume``)."""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import datetime
from typing import Literal

from sqlmodel import Session

from postal.engine.view import view
from postal.errors import PostalError
from postal.service.loading import (
    LoadedGame,
    UnreadableGameError,
    find_game,
    load_game,
    load_turn_file,
)
from postal.service.outbound.kinds import LetterKind
from postal.service.outbound.letters import Letter, Letters
from postal.service.overtaken import OvertakenError, until_written
from postal.service.turns.aside import set_unreadable_aside
from postal.service.turns.calendar import calendar_of, wall_text
from postal.service.turns.deadlines import moved_turn
from postal.service.workplace import Workplace
from postal.store.games import games_to_resume
from postal.store.rows import GameRow, GameStatus, JournalRow, TurnRow, TurnStatus
from postal.store.turns import change_deadline
from postal.store.words import end_protests, open_protests

LOG = logging.getLogger("postal")


def hold(work: Workplace, slug: str, until: datetime | None = None, *, why: str = "gm") -> None:
    """Stop a game's clock, until a moment (aware UTC) or the GM's word; all are told.

    Orders are taken meanwhile. A turn that is being adjudicated at this moment is ended first.
    PostalError where the game is on hold already, or over.
    """
    until_written(lambda: _hold(work, slug, until, why))


def resume(
    work: Workplace, slug: str, who: str = "GM", *, only_due: bool = False
) -> datetime | None:
    """Let a game go on with as much time as was left; return the deadline (UTC), and tell all.

    It is the ruling on its open protests too (RULES.md 10.8). ``only_due``: where its hold was to
    end by now, which a protest may have put off meanwhile. PostalError where it is not on hold.
    """
    return until_written(lambda: _resume(work, slug, who, only_due=only_due))


def resume_due(work: Workplace) -> int:
    """Let every game go on whose hold was to end by now; return how many.

    One for which that fails, or that another process let go on meanwhile, holds up no other.
    """
    with work.database.reading() as session:
        slugs = games_to_resume(session, work.clock.now())
    done = 0
    for slug in slugs:
        try:
            resume(work, slug, "postal", only_due=True)
        except UnreadableGameError as error:
            set_unreadable_aside(work, error)
        except PostalError as error:
            LOG.warning("game %s can't go on: %s", slug, error)
        else:
            done += 1
    return done


def _hold(work: Workplace, slug: str, until: datetime | None, why: str) -> None:
    now = work.clock.now()
    with work.database.reading() as session:
        loaded = load_game(session, find_game(session, slug))
        _refuse(loaded, on_hold=False)
        held = _with(loaded, hold_since=now, hold_until=until, hold_why=why)
        letters = _letters(session, work, held, "begun")
    with work.database.transaction() as session:
        row = _locked(session, loaded.id)
        if row.hold_since is not None:
            raise OvertakenError
        turn = loaded.turn
        if turn is not None and turn.status is TurnStatus.OPEN:
            # So that nobody who reckoned with the turn before can claim it after.
            _change_or_raise(session, turn, turn.deadline, turn.due_at, turn.remind_at)
        row.hold_since, row.hold_until, row.hold_why = now, until, why
        said = f"On hold until {until.isoformat()}." if until else "On hold."
        session.add(_entry(work, loaded, "hold", said, "GM"))
        letters.queue(session)


def _resume(work: Workplace, slug: str, who: str, *, only_due: bool) -> datetime | None:
    now = work.clock.now()
    with work.database.reading() as session:
        loaded = load_game(session, find_game(session, slug))
        _refuse(loaded, on_hold=True)
        turn, since, until = loaded.turn, loaded.row.hold_since, loaded.row.hold_until
        assert since is not None, "it is on hold"
        if only_due and (until is None or until > now):
            raise PostalError(f"{slug} is on hold for longer now: nothing was done.")
        deadline, due_at = turn.deadline if turn else None, turn.due_at if turn else None
        remind_at = turn.remind_at if turn else None
        after = _with(loaded, hold_since=None, hold_until=None, hold_why="")
        in_time = loaded.closes is not None and loaded.closes > since
        if turn is not None and turn.deadline is not None and in_time:
            deadline = turn.deadline + (now - max(since, turn.opened_at))
            after = replace(after, turn=moved_turn(turn, deadline))
            due_at = load_turn_file(session, loaded).due_at(after)
            if remind_at is not None:
                remind_at = calendar_of(loaded.row).remind_at(now, deadline)
        protests = len(open_protests(session, loaded.id))
        letters = _letters(session, work, after, "over", protests)
    with work.database.transaction() as session:
        row = _locked(session, loaded.id)
        if (row.hold_since, row.hold_until) != (since, until):
            raise OvertakenError
        if end_protests(session, loaded.id, now) != protests:
            raise OvertakenError
        row.hold_since, row.hold_until, row.hold_why = None, None, ""
        if turn is not None and turn.status is TurnStatus.OPEN:
            _change_or_raise(session, turn, deadline, due_at, remind_at)
        said = f"Goes on; the deadline is {deadline.isoformat()}." if deadline else "Goes on."
        session.add(_entry(work, loaded, "resume", said, who))
        letters.queue(session)
    return deadline


def _change_or_raise(
    session: Session,
    turn: TurnRow,
    deadline: datetime | None,
    due_at: datetime | None,
    remind_at: datetime | None,
) -> None:
    wall = wall_text(deadline, turn.zone) if deadline else None
    if not change_deadline(session, turn, deadline, due_at, wall=wall, remind_at=remind_at):
        raise OvertakenError


def _refuse(loaded: LoadedGame, *, on_hold: bool) -> None:
    slug, held = loaded.row.slug, loaded.row.hold_since is not None
    if loaded.row.status is not GameStatus.RUNNING:
        raise PostalError(f"{slug} is over: nothing was done.")
    if held and not on_hold:
        raise PostalError(f"{slug} is on hold already: `postal resume {slug}` lets it go on.")
    if on_hold and not held:
        raise PostalError(f"{slug} is not on hold: nothing was done.")


def _with(loaded: LoadedGame, **changes: object) -> LoadedGame:
    """Return the game as it will be, its row in no session."""
    return replace(loaded, row=GameRow(**{**loaded.row.model_dump(), **changes}))


def _letters(
    session: Session,
    work: Workplace,
    loaded: LoadedGame,
    step: Literal["begun", "over"],
    protests: int = 0,
) -> Letters:
    letters = Letters(session, work)
    for seat in loaded.seats:
        seen = view(loaded.game, seat.name)
        rendered = work.reports.hold(letters.frame(loaded, seat), seen, step, protests=protests)
        letters.to_player(loaded, seat, Letter(LetterKind.HOLD, rendered, loaded.game.turn))
    return letters


def _locked(session: Session, game_id: int) -> GameRow:
    row = session.get(GameRow, game_id, with_for_update=True)
    assert row is not None, "games are never deleted"
    return row


def _entry(work: Workplace, loaded: LoadedGame, what: str, said: str, who: str) -> JournalRow:
    turn = loaded.turn.number if loaded.turn else None
    return JournalRow(
        at=work.clock.now(), game_id=loaded.id, turn=turn, who=who, what=what, sentence=said
    )
