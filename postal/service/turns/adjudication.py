"""Adjudicating turns: worked out under a claim, then state and all reports in one transaction."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime

from sqlmodel import Session

from postal.engine.events import Event
from postal.engine.game import adjudicate
from postal.engine.state import Game
from postal.errors import PostalError
from postal.service.blame import whereabouts
from postal.service.loading import (
    LoadedGame,
    TurnFile,
    UnreadableGameError,
    load_game,
    load_turn_file,
)
from postal.service.outbound.letters import Letters
from postal.service.outbound.troubles import end_trouble
from postal.service.overtaken import OvertakenError
from postal.service.turns.again import Again, opened_again
from postal.service.turns.aside import end_aside, set_aside, set_unreadable_aside
from postal.service.turns.calendar import opened
from postal.service.turns.due import Why, why_due
from postal.service.turns.firstgrace import wait_for_first
from postal.service.turns.outages import move_by, outage_at_end
from postal.service.turns.reached import LOOK_AGAIN, not_reached, unreached_about, wait_for
from postal.service.turns.reports import write_reports
from postal.service.turns.unread import end_hold, hear_unread, held_by_mail, note_hold
from postal.service.workplace import LEASE, Workplace
from postal.store.codec import encode_book, encode_events, encode_game
from postal.store.mails import whole_poll_began_at
from postal.store.rows import GameRow, GameStatus, TroubleKind, TurnRow, TurnStatus
from postal.store.turns import (
    claim_turn,
    expire_claims,
    finish_turn,
    look_at_due_turn,
    new_claim,
    release_turn,
    set_due,
    stop_looking,
)
from postal.store.words import print_press, waiting_press

LOG = logging.getLogger("postal")


@dataclass(frozen=True, slots=True)
class Adjudicated:
    """A turn that was adjudicated, and why."""

    slug: str
    turn: int
    why: Why
    finished: bool
    events: tuple[Event, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Claim:
    """A turn that this process has: what it is played with, and the token that it is held by."""

    loaded: LoadedGame
    turn: TurnRow
    file: TurnFile = field(repr=False)
    token: str = field(repr=False)
    why: Why

    @property
    def turn_id(self) -> int:
        assert self.turn.id is not None, "a claimed turn is stored"
        return self.turn.id


def recover_claims(work: Workplace, *, alone: bool = True) -> int:
    """End the claims that a killed daemon left, so that its turns go on at once; how many.

    ``alone``: no other process adjudicates on this database; else its own claims alone are ended.
    """
    with work.database.transaction() as session:
        return expire_claims(session, work.clock.now(), None if alone else work.owner)


def adjudicate_due(
    work: Workplace, stop: Callable[[], bool] = lambda: False
) -> tuple[Adjudicated, ...]:
    """Adjudicate every turn that is due, game by game; one that fails holds up no other.

    Where the world outside fails (a full disk, say) the turn stays open, and the first such
    PostalError is raised at the end. ``stop``, asked before each turn, leaves the rest for later.
    """
    done: list[Adjudicated] = []
    tried: set[int] = set()
    failed: PostalError | None = None
    while not stop() and (found := _look(work, tried)) is not None:
        row, turn = found
        try:
            result = adjudicate_turn(work, row, turn.number, token=turn.claim_token)
        except UnreadableGameError as error:
            set_unreadable_aside(work, error)
        except PostalError as error:
            failed = failed or error
            _look_away(work, turn)
        else:
            if result is not None:
                done.append(result)
                continue
        tried.add(turn.id or 0)
    if failed:
        raise failed
    return tuple(done)


def adjudicate_turn(
    work: Workplace,
    row: GameRow,
    number: int,
    why: Why | None = None,
    *,
    token: str | None = None,
) -> Adjudicated | None:
    """Claim turn ``number``, adjudicate it, and commit state and all reports together.

    Without a ``why`` only where it is due. ``token`` is the one that it is looked at with. None
    where another process has it or had it, or where it is not due, or no longer, since orders
    came meanwhile, or tokens were revoked. Where adjudication itself fails the turn is set aside
    whole and the GM told; nothing else of the game is touched.
    """
    now = work.clock.now()
    with work.database.reading() as session:
        loaded = load_game(session, row)
        turn = loaded.turn
        if turn is None or turn.number != number or _anothers(turn, token, now):
            return None
        file = load_turn_file(session, loaded)
        why = why or why_due(session, work, loaded, file)
        waits = not_reached(session, work, loaded, file) if why == "deadline" else None
        at_end = why == "deadline" and waits is None
        outage = outage_at_end(session, work, loaded, file) if at_end else None
        by_mail = why in ("deadline", "complete") and waits is None and outage is None
        hold = held_by_mail(session, work, loaded, file) if by_mail else None
        file = hear_unread(session, work, loaded, file) if why and not hold else file
    if waits is not None:
        # So long nobody looks at it for its deadline; an order that comes makes it due anew.
        again = now + LOOK_AGAIN if waits.held else turn.deadline
        with work.database.transaction() as session:
            set_due(session, turn, again)
        wait_for(work, loaded, waits)
        return None
    if hold is not None:
        note_hold(work, loaded, hold)
    elif outage is not None:
        move_by(work, loaded, outage)
    elif why == "deadline" and wait_for_first(work, loaded, file):
        return None
    if why is None or hold is not None or outage is not None:
        lasts = outage is not None and outage.ended is None
        with work.database.transaction() as session:
            set_due(session, turn, now + LOOK_AGAIN if lasts else file.due_at(loaded))
        return None
    claim = _Claim(loaded, turn, file, _new_claim(work), why)
    with work.database.transaction() as session:
        if not claim_turn(session, turn, token=claim.token, until=now + LEASE):
            return None
    end_trouble(work, TroubleKind.UNREACHED, unreached_about(loaded, number), "The turn goes on.")
    return _play(work, claim)


def _look(work: Workplace, tried: set[int]) -> tuple[GameRow, TurnRow] | None:
    """Take the next turn that may be due, so that no other process looks at it meanwhile."""
    token, now = _new_claim(work), work.clock.now()
    with work.database.transaction() as session:
        polled = whole_poll_began_at(session, work.account, work.folder)
        return look_at_due_turn(
            session, token=token, now=now, until=now + LEASE, polled=polled, but=tried
        )


def _new_claim(work: Workplace) -> str:
    return new_claim(work.owner, work.new_name(20))


def _look_away(work: Workplace, turn: TurnRow) -> None:
    with suppress(PostalError), work.database.transaction() as session:
        stop_looking(session, turn)


def _anothers(turn: TurnRow, token: str | None, now: datetime) -> bool:
    """Whether another process adjudicates the turn at this moment."""
    held = turn.claim_until is not None and turn.claim_until > now
    return turn.status is TurnStatus.CLAIMED and held and turn.claim_token != token


def _play(work: Workplace, claim: _Claim) -> Adjudicated | None:
    """Adjudicate a claimed turn and store all that comes of it."""
    loaded = claim.loaded
    slug, number = loaded.row.slug, claim.turn.number
    try:
        game, events = adjudicate(loaded.game, claim.file.book)
        with work.database.reading() as session:
            after, again, letters, press = _written(session, work, claim, game, events)
        with work.database.transaction() as session:
            if not _commit(session, work, claim, after, again, events, letters, press):
                session.rollback()
                return None
    except OvertakenError:
        # Press was taken back meanwhile, or tokens revoked: the reports would give them out again.
        with work.database.transaction() as session:
            release_turn(session, claim.turn_id, token=claim.token)
        return None
    except PostalError:
        # Where the database itself is away, the claim ends when it is back, or with its lease.
        with suppress(PostalError), work.database.transaction() as session:
            release_turn(session, claim.turn_id, token=claim.token)
        raise
    except Exception as error:  # noqa: BLE001 - a bug must not touch other games
        LOG.error("game %s: turn %s failed: %s", slug, number, whereabouts(error))  # noqa: TRY400 - a traceback may quote cards
        set_aside(work, loaded, claim.turn, claim.token, type(error).__name__)
        return None
    LOG.info("game %s: turn %s adjudicated (%s)", slug, number, claim.why)
    end_aside(work, slug)
    end_hold(work, slug)
    return Adjudicated(slug, number, claim.why, game.finished, events)


def _written(
    session: Session, work: Workplace, claim: _Claim, game: Game, events: tuple[Event, ...]
) -> tuple[LoadedGame, Again, Letters, tuple[int, ...]]:
    """Return the game after the turn, the next one opened, what is on file in that, and letters.

    The last are the ids of the press that stands in them.
    """
    now, row = work.clock.now(), claim.loaded.row
    following: TurnRow | None = None
    again = Again()
    if not game.finished:
        following = opened(row, game, now)
        again = opened_again(session, claim.loaded, game, following)
    after = replace(claim.loaded, game=game, turn=following)
    if following is not None:
        following.due_at = TurnFile(again.book, {}).due_at(after)
    letters = Letters(session, work)
    heard, press = claim.file.book.heard, waiting_press(session, after.id)
    write_reports(letters, after, events, claim.turn.number, heard, again.book, press)
    return after, again, letters, tuple(row.id or 0 for row in press)


def _commit(  # noqa: PLR0913 - the whole of what came of a turn
    session: Session,
    work: Workplace,
    claim: _Claim,
    after: LoadedGame,
    again: Again,
    events: tuple[Event, ...],
    letters: Letters,
    press: tuple[int, ...],
) -> bool:
    now = work.clock.now()
    if not finish_turn(
        session,
        claim.turn_id,
        token=claim.token,
        now=now,
        orders=encode_book(claim.file.book),
        events=encode_events(events),
        state=encode_game(after.game),
        forced=claim.why == "forced",
    ):
        return False
    if after.turn is not None:
        session.add(after.turn)
        session.flush()
        again.store(session, after.turn)
    else:
        row = session.get(GameRow, after.id)
        assert row is not None, "the game is stored"
        row.status, row.ended_at = GameStatus.FINISHED, now
        row.hold_since = row.hold_until = None
    if not print_press(session, press, claim.turn_id):
        raise OvertakenError
    session.flush()
    letters.queue(session)
    return True
