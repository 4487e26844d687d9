"""Asking standbys in the order they signed up, when a seat falls free (RULES.md 9.8)."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta

from sqlmodel import Session

from postal.mail.incoming import Incoming
from postal.reports import StandbyStep
from postal.service.loading import (
    LoadedGame,
    TurnFile,
    UnreadableGameError,
    load_game,
    load_turn_file,
)
from postal.service.outbound.kinds import LetterKind
from postal.service.outbound.letters import Letters
from postal.service.overtaken import OvertakenError
from postal.service.workplace import Workplace
from postal.store.holders import ever_held
from postal.store.people import addresses_of
from postal.store.rows import GameRow, JournalRow, PersonRow, StandbyRow
from postal.store.seats import HeldSeat
from postal.store.standbys import change_standby, games_with_standbys, standbys_of

LOG = logging.getLogger("postal")

TIME_TO_ANSWER = timedelta(hours=48)
"""How long a standby has to take a seat before the next is asked."""

_Change = tuple[StandbyRow, dict[str, object]]


def ask_standbys(work: Workplace) -> int:
    """Offer every seat that is free to the next standby, once each; return how many were asked.

    Who didn't answer in time has to sign up anew.
    """
    with work.database.reading() as session:
        rows = games_with_standbys(session)
    # A game that can't be read is set aside when its turn is due.
    asked = 0
    for row in rows:
        with suppress(UnreadableGameError, OvertakenError):
            asked += _ask(work, row)
    return asked


def free_seats(loaded: LoadedGame, file: TurnFile) -> tuple[HeldSeat, ...]:
    """Return the seats that a standby may have: their holders are dropped or have resigned.

    Only while they still play a hand, and as long as nothing was heard of their holders again.
    """
    game, book = loaded.game, file.book
    playing = {seat.player for hand in game.hands if not hand.over for seat in hand.seats}
    gone = (set(game.dropped) - book.heard) | book.resigned
    return tuple(
        seat for seat in loaded.seats if seat.name in gone & playing and not seat.person.robot
    )


def is_open(row: StandbyRow, now: datetime) -> bool:
    """Whether a standby is asked at this time, and may still answer."""
    return row.asked_at is not None and now < row.asked_at + TIME_TO_ANSWER


def write_to_standby(  # noqa: PLR0913 - each is a part of the letter
    letters: Letters,
    loaded: LoadedGame,
    row: StandbyRow,
    person: PersonRow,
    step: StandbyStep,
    seat: str = "",
    until: datetime | None = None,
    answers: Incoming | None = None,
) -> None:
    """Write to a standby where his reports go; an answer is known to be his by its token."""
    rows = addresses_of(letters.session, [person.id or 0])
    address = next((one.address for one in rows if one.reports), "")
    if not address:
        return
    token = letters.work.standby_token(row.id or 0, address)
    rendered = letters.work.reports.standby(
        letters.address_frame(loaded, token), person.name, step, seat, until
    )
    kind = LetterKind.STANDBY if answers is None else LetterKind.STANDBY_ANSWER
    kind = LetterKind.HINT if step == "how" else kind
    letters.to_person(
        loaded, address, person.name, rendered, kind, answers, asks=(token, person.id or 0)
    )


def _ask(work: Workplace, row: GameRow) -> int:
    now, game_id = work.clock.now(), row.id or 0
    with work.database.reading() as session:
        listed = standbys_of(session, game_id)
        loaded = load_game(session, row)
        if loaded.turn is None:
            return 0
        free = {seat.id: seat for seat in free_seats(loaded, load_turn_file(session, loaded))}
        letters, changes, notes = Letters(session, work), list[_Change](), list[str]()
        taken = _settle(listed, free, now, changes, notes)
        # Nobody who has come to a seat of the game since gets another one (9.8).
        waiting = [
            (standby, person)
            for standby, person in listed
            if standby.signed_at is not None
            and standby.asked_at is None
            and not (free and ever_held(session, game_id, person.id, ()))
        ]
        asked = 0
        for seat, (standby, person) in zip(
            [one for one in free.values() if one.id not in taken], waiting, strict=False
        ):
            changes.append((standby, {"asked_at": now, "seat_id": seat.id}))
            notes.append(f"{person.name} is asked to take the seat of {seat.name}.")
            until = now + TIME_TO_ANSWER
            write_to_standby(letters, loaded, standby, person, "asked", seat.name, until)
            asked += 1
        if notes:
            letters.notify_gm("standbys", notes, loaded, loaded.turn.number)
    if not changes:
        return 0
    with work.database.transaction() as session:
        _write(session, changes)
        turn = loaded.turn.number
        for note in notes:
            session.add(
                JournalRow(at=now, game_id=game_id, turn=turn, what="standby", sentence=note)
            )
        letters.queue(session)
    LOG.info("game %s: %s standbys asked", row.slug, asked)
    return asked


def _settle(
    listed: Sequence[tuple[StandbyRow, PersonRow]],
    free: dict[int, HeldSeat],
    now: datetime,
    changes: list[_Change],
    notes: list[str],
) -> set[int]:
    """Return the seats that are offered to somebody now; what is over of earlier offers goes."""
    taken: set[int] = set()
    for row, person in listed:
        if row.asked_at is None or row.seat_id is None:
            continue
        if row.seat_id not in free:
            changes.append((row, {"asked_at": None, "seat_id": None}))
        elif is_open(row, now):
            taken.add(row.seat_id)
        else:
            changes.append((row, {"signed_at": None, "asked_at": None, "seat_id": None}))
            notes.append(f"{person.name} did not answer in time and is asked no more.")
    return taken


def _write(session: Session, changes: Sequence[_Change]) -> None:
    for row, values in changes:
        if not change_standby(session, row, **values):
            raise OvertakenError
