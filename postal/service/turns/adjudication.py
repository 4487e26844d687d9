"""Turns: when one is due, and adjudicating it with all reports in one transaction."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Literal

from sqlmodel import Session

from postal.clock import deadline_after
from postal.engine.book import Book
from postal.engine.events import Event
from postal.engine.game import adjudicate
from postal.engine.state import Game
from postal.engine.view import view
from postal.errors import PostalError
from postal.service.blame import whereabouts
from postal.service.post import frame_of, notify_gm, queue_to_gm
from postal.service.reporting import queue_report
from postal.service.work import (
    CLAIM,
    LoadedGame,
    Workplace,
    attendance_now,
    find_game,
    load_book,
    load_game,
)
from postal.store.codec import encode_book, encode_events, encode_game
from postal.store.mails import new_mails, whole_poll_began_at
from postal.store.rows import GameRow, GameStatus, TurnRow, TurnStatus
from postal.store.turns import (
    claim_turn,
    claimable_turns,
    expire_claims,
    finish_turn,
    open_turn,
    release_turn,
    reopen_turn,
    set_turn_aside,
    turn_by_number,
)

LOG = logging.getLogger("postal")

Why = Literal["deadline", "complete", "claimed", "forced"]
"""Why a turn is adjudicated: its deadline, all orders in, a claim left over, or the GM's word."""


@dataclass(frozen=True, slots=True)
class Adjudicated:
    """A turn that was adjudicated, and why."""

    slug: str
    turn: int
    why: Why
    finished: bool
    events: tuple[Event, ...] = field(repr=False)


def recover_claims(work: Workplace) -> int:
    """End the claims that a killed daemon left, so that its turns go on at once; how many."""
    with work.database.transaction() as session:
        return expire_claims(session, work.clock.now())


def adjudicate_due(work: Workplace) -> tuple[Adjudicated, ...]:
    """Adjudicate every turn that is due, game by game; one that fails holds up no other.

    Where the world outside fails (a full disk, a mistake in a template) the turn stays open and
    the first such PostalError is raised at the end.
    """
    with work.database.reading() as session:
        rows = [(row, turn.number) for row, turn in claimable_turns(session, work.clock.now())]
    done: list[Adjudicated] = []
    failed: PostalError | None = None
    for row, number in rows:
        try:
            with work.database.reading() as session:
                why = why_due(session, work, load_game(session, row))
            result = adjudicate_turn(work, row, number, why) if why else None
        except PostalError as error:
            failed = failed or error
            continue
        except Exception as error:  # noqa: BLE001 - a game that can't be read holds up no other
            sentence = f"The game {row.slug} can't be read: {whereabouts(error)}."
            failed = failed or PostalError(sentence)
            continue
        if result:
            done.append(result)
    if failed:
        raise failed
    return tuple(done)


def why_due(session: Session, work: Workplace, loaded: LoadedGame) -> Why | None:
    """Return why the turn in play is to be adjudicated now, None where it isn't (10.5, 10.6)."""
    turn, now = loaded.turn, work.clock.now()
    if turn is None or turn.status == TurnStatus.SET_ASIDE:
        return None
    if turn.status == TurnStatus.CLAIMED:
        return "claimed" if turn.claim_until and turn.claim_until <= now else None
    if turn.deadline and turn.deadline <= now:
        return "deadline" if _inbox_read_since(session, work, turn.deadline) else None
    if new_mails(session, 1):
        return None
    attendance = attendance_now(session, loaded, load_book(session, loaded.id, turn.number))
    if not attendance.complete or attendance.waiting or attendance.troubled:
        return None
    last = max((row.last_order_at for row in attendance.rows if row.last_order_at), default=None)
    settled = (last or turn.opened_at) + timedelta(minutes=loaded.row.settle)
    return "complete" if settled <= now else None


def adjudicate_turn(work: Workplace, row: GameRow, number: int, why: Why) -> Adjudicated | None:
    """Claim turn ``number``, adjudicate it, and commit state and all reports together.

    None where another process has it or had it, or where it is not due after all, since orders
    came meanwhile. Where adjudication itself fails the turn is set aside whole and the GM told;
    nothing else of the game is touched.
    """
    token, now = work.new_name(20), work.clock.now()
    with work.database.transaction() as session:
        # Held, so that no mail is handled between this look and the claim.
        open_turn(session, row.id or 0, hold=True)
        found = load_game(session, row)
        turn = found.turn
        if turn is None or turn.id is None or turn.number != number:
            return None
        if why != "forced" and why_due(session, work, found) is None:
            return None
        if not claim_turn(session, turn.id, token=token, now=now, until=now + CLAIM):
            return None
    with work.database.reading() as session:
        loaded = load_game(session, row)
        book = load_book(session, loaded.id, loaded.game.turn)
    try:
        game, events = adjudicate(loaded.game, book)
        with work.database.transaction() as session:
            stored = _commit(session, work, loaded, _Result(token, book, game, events, why))
            if not stored:
                session.rollback()
                return None
    except PostalError:
        with work.database.transaction() as session:
            release_turn(session, turn.id, token=token)
        raise
    except Exception as error:  # noqa: BLE001 - a bug must not touch other games
        LOG.error("game %s: turn %s failed: %s", row.slug, loaded.game.turn, whereabouts(error))  # noqa: TRY400 - a traceback may quote cards
        _set_aside(work, loaded, token, type(error).__name__)
        return None
    LOG.info("game %s: turn %s adjudicated (%s)", row.slug, loaded.game.turn, why)
    return Adjudicated(row.slug, loaded.game.turn, why, game.finished, events)


def force_turn(work: Workplace, slug: str, number: int | None = None) -> Adjudicated:
    """Adjudicate a game's turn whatever is missing, one that was set aside too.

    ``number`` is the turn that is meant, the one in play for want of it: if another process
    has adjudicated it meanwhile, the next is left alone. The inbox must have been polled just
    before. Raises PostalError where that does not come off.
    """
    with work.database.transaction() as session:
        row = find_game(session, slug)
        turn = load_game(session, row).turn
        if turn is None or turn.id is None:
            raise PostalError(f"{slug} is over: nothing was done.")
        if number not in (None, turn.number):
            raise PostalError(f"{slug} is at turn {turn.number} by now: nothing was done.")
        if turn.status == TurnStatus.SET_ASIDE:
            reopen_turn(session, turn.id)
    done = adjudicate_turn(work, row, turn.number, "forced")
    if done is None:
        raise PostalError(
            f"{slug} could not be adjudicated: another postal is at it, or it failed and is set"
            " aside; the log and your mails say more."
        )
    return done


def preview(work: Workplace, row: GameRow) -> tuple[Game, Game, tuple[Event, ...]]:
    """Return the game now, and what adjudicating its turn would make of it; changes nothing."""
    with work.database.reading() as session:
        loaded = load_game(session, row)
        book = load_book(session, loaded.id, loaded.game.turn)
    game, events = adjudicate(loaded.game, book)
    return loaded.game, game, events


@dataclass(frozen=True, slots=True)
class _Result:
    token: str
    book: Book = field(repr=False)
    game: Game = field(repr=False)
    events: tuple[Event, ...] = field(repr=False)
    why: Why


def _commit(session: Session, work: Workplace, before: LoadedGame, result: _Result) -> bool:
    now, turn = work.clock.now(), before.turn
    assert turn is not None, "a claimed turn is stored"
    assert turn.id is not None, "a claimed turn is stored"
    if not finish_turn(
        session,
        turn.id,
        token=result.token,
        now=now,
        orders=encode_book(result.book),
        events=encode_events(result.events),
        state=encode_game(result.game),
    ):
        return False
    stored = turn_by_number(session, before.id, turn.number)
    row = session.get(GameRow, before.id)
    assert stored is not None, "the turn was just finished"
    assert row is not None, "the game is stored"
    stored.forced = result.why == "forced"
    following: TurnRow | None = None
    if result.game.finished:
        row.status = GameStatus.FINISHED
    else:
        following = TurnRow(
            game_id=before.id,
            number=result.game.turn,
            opened_at=now,
            deadline=deadline_after(now, row.turn_length, row.hour, row.zone),
            zone=row.zone,
        )
        session.add(following)
    session.flush()
    after = replace(before, row=row, game=result.game, turn=following)
    _queue_reports(session, work, after, result, turn.number)
    return True


def _queue_reports(
    session: Session, work: Workplace, after: LoadedGame, result: _Result, turn: int
) -> None:
    for player in after.players:
        queue_report(session, work, after, player, result.events)
    gm_report = work.reports.gm_final if after.game.finished else work.reports.gm_turn
    rendered = gm_report(frame_of(work, after), view(after.game, None), result.events)
    queue_to_gm(session, work, rendered, loaded=after, turn=turn)


def _set_aside(work: Workplace, loaded: LoadedGame, token: str, what: str) -> None:
    turn = loaded.turn
    assert turn is not None, "a claimed turn is stored"
    assert turn.id is not None, "a claimed turn is stored"
    sentences = (
        f"Turn {turn.number} of {loaded.row.slug} could not be adjudicated ({what}).",
        "It is set aside with all its orders, and nothing was mailed; the log has the details.",
        f"After a cure, `postal adjudicate {loaded.row.slug}` takes it up again.",
    )
    with work.database.transaction() as session:
        if set_turn_aside(session, turn.id, token=token):
            notice = f"turn {turn.number} is set aside"
            notify_gm(session, work, notice, sentences, loaded=loaded, turn=turn.number)


def _inbox_read_since(session: Session, work: Workplace, deadline: datetime) -> bool:
    """Whether a whole poll began after the deadline and all it brought was dealt with (10.5)."""
    began = whole_poll_began_at(session, work.account, work.folder)
    return began is not None and began >= deadline and not new_mails(session, 1)
