"""After a backup was put back: what had gone on since is held, and mail is read again by hash."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from sqlmodel import Session, col, select

from postal.engine.view import view
from postal.errors import PostalError
from postal.mail.connection import MailServerUnavailable
from postal.mail.imap import FOLDERS
from postal.service.loading import LoadedGame, load_game
from postal.service.outbound.kinds import REPORTS, LetterKind
from postal.service.outbound.letters import Letter, Letters
from postal.service.overtaken import OvertakenError, until_written
from postal.service.workplace import Workplace
from postal.store.database import open_database
from postal.store.games import all_games, running_games
from postal.store.mails import is_stored
from postal.store.rows import (
    GameRow,
    JournalRow,
    MailRow,
    OutboxRow,
    OutboxState,
    SeatRow,
    TokenRow,
)
from postal.store.tokens import issue, make_void, token_for_seat
from postal.store.turns import last_turns

RESTORED = "restore"
"""Why such a game is on hold, and what its journal calls it."""

_IDLE = ("look", "message", RESTORED)
"""What the GM does that changes nothing of a game's course."""

_LATER = 60
"""For how many turns after the backup's a token may have been given out."""


class Shelves(Protocol):
    """Where mails lie: ``postal.mail.imap.Mailbox``, or a stand-in."""

    def bring_back(self, folders: Sequence[str], is_known: Callable[[str], bool]) -> int:
        """Put mails that are not known back to where mail arrives; how many."""
        ...


@dataclass(frozen=True, slots=True)
class Stood:
    """How a game stood in the database that was replaced.

    ``turn`` is the row of its turn in play with its deadline, ``deeds`` are sentences on what the
    GM did to it, and ``serials`` are those of its seats' tokens: no mail that is read again brings
    that back. ``reports`` are (turn, seat's name) of each that was sent.
    """

    slug: str
    turn: tuple[int, datetime | None] | None
    deeds: tuple[str, ...]
    serials: tuple[int, ...]
    reports: frozenset[tuple[int, str]]


@dataclass(frozen=True, slots=True)
class Restored:
    """What was done: the games that are held, those that are gone, and mails to be read again."""

    held: tuple[str, ...]
    gone: tuple[str, ...]
    mails: int


def how_all_stood(url: str) -> dict[str, Stood] | None:
    """Return how each game stands in a database, by its commitment; None where it can't be read."""
    try:
        database = open_database(url, create=False)
    except PostalError:
        return None
    try:
        with database.reading() as session:
            return {row.commitment: _stood(session, row) for row in all_games(session)}
    except PostalError:
        return None
    finally:
        database.close()


def after_restore(
    work: Workplace,
    connect: Callable[[], AbstractContextManager[Shelves]],
    before: Mapping[str, Stood] | None,
) -> Restored:
    """Hold the games that had gone on since the backup, and bring back mail that isn't in it.

    ``before`` is how they stood; None: nobody knows, so that every game in play is held. Raises
    PostalError where the mailbox can't be reached; all else was done then, and is done once.
    """
    with work.database.reading() as session:
        here = {row.commitment: row for row in all_games(session)}
        running = [row for row in running_games(session) if _went_on(session, row, before)]
    held = tuple(row.slug for row in running if _hold(work, row, before))
    gone = tuple(stood.slug for key, stood in (before or {}).items() if key not in here)
    return Restored(held, gone, read_again(work, connect))


def read_again(work: Workplace, connect: Callable[[], AbstractContextManager[Shelves]]) -> int:
    """Put mails that lie handled in the mailbox and aren't stored back to be read; how many."""
    try:
        with connect() as shelves, work.database.reading() as session:
            return shelves.bring_back(FOLDERS, lambda digest: is_stored(session, digest))
    except MailServerUnavailable as error:
        raise PostalError(
            f"The backup is in place, but mail that came since was not read again: {error}."
            " Run `postal restore` without a file once the mailbox can be reached."
        ) from None


def seen_since(session: Session, row: GameRow) -> tuple[str, ...]:
    """Return sentences on which reports players have seen that a game on hold has lost."""
    statement = select(JournalRow).where(JournalRow.game_id == row.id, JournalRow.what == RESTORED)
    last = session.exec(statement.order_by(col(JournalRow.id).desc())).first()
    if row.hold_why != RESTORED or last is None:
        return ()
    answered = (
        select(MailRow.turn, SeatRow.name)
        .join(SeatRow, col(SeatRow.id) == MailRow.seat_id)
        .where(MailRow.game_id == row.id, col(MailRow.turn) > (last.turn or 0))
        .order_by(col(MailRow.turn), col(SeatRow.position))
    )
    told = [
        f"{name} has answered a report that asked for turn {turn}."
        for turn, name in dict.fromkeys(session.exec(answered).all())
    ]
    return (last.sentence, *told)


def _stood(session: Session, row: GameRow) -> Stood:
    turn = last_turns(session, row.id or 0)[1]
    sent = (
        select(OutboxRow.turn, SeatRow.name)
        .join(SeatRow, col(SeatRow.id) == OutboxRow.seat_id)
        .where(
            OutboxRow.game_id == row.id,
            col(OutboxRow.kind).in_(REPORTS),
            col(OutboxRow.state).in_((OutboxState.SENT, OutboxState.UNKNOWN, OutboxState.SENDING)),
        )
    )
    reports = frozenset((number or 0, name) for number, name in session.exec(sent).all())
    deeds = select(JournalRow.sentence).where(
        JournalRow.game_id == row.id, JournalRow.who == "GM", col(JournalRow.what).not_in(_IDLE)
    )
    serials = select(SeatRow.token_serial).where(SeatRow.game_id == row.id)
    return Stood(
        row.slug,
        (turn.id or 0, turn.deadline) if turn else None,
        tuple(session.exec(deeds.order_by(col(JournalRow.id))).all()),
        tuple(session.exec(serials.order_by(col(SeatRow.position))).all()),
        reports,
    )


def _went_on(session: Session, row: GameRow, before: Mapping[str, Stood] | None) -> bool:
    if before is None:
        return True
    stood, here = before.get(row.commitment), _stood(session, row)
    if stood is None:
        return True
    return (stood.turn, stood.deeds, stood.serials) != (here.turn, here.deeds, here.serials)


def _hold(work: Workplace, row: GameRow, before: Mapping[str, Stood] | None) -> bool:
    return until_written(lambda: _hold_once(work, row, before))


def _hold_once(work: Workplace, row: GameRow, before: Mapping[str, Stood] | None) -> bool:
    now = work.clock.now()
    with work.database.reading() as session:
        loaded = load_game(session, row)
        turn = loaded.game.turn
        # Beyond every number that may have been given out since the backup.
        highest = max(seat.seat.token_serial for seat in loaded.seats)
        serial = max(highest + 1, int(now.timestamp()) // 60)
        lost = [
            replace_void(token_for_seat(work.token(row, number, seat.seat), seat.id, number, now))
            for seat in loaded.seats
            for number in range(turn + 1, turn + 1 + _LATER)
        ]
        sentence = _sentence(session, row, turn, before)
        held = _as_held(loaded, serial, now)
        letters = Letters(session, work)
        for seat in held.seats:
            seen = view(held.game, seat.name)
            rendered = work.reports.hold(letters.frame(held, seat), seen, "restored")
            letters.to_player(held, seat, Letter(LetterKind.HOLD, rendered, turn))
    with work.database.transaction() as session:
        mine = session.get(GameRow, loaded.id, with_for_update=True)
        if mine is None or last_turns(session, loaded.id)[1] is None:
            raise OvertakenError
        mine.hold_since, mine.hold_until, mine.hold_why = mine.hold_since or now, None, RESTORED
        seats = [seat.id for seat in loaded.seats]
        make_void(session, seats, turn + 1, now, serial)
        issue(session, lost)
        session.add(
            JournalRow(
                at=now, game_id=loaded.id, turn=turn, who="GM", what=RESTORED, sentence=sentence
            )
        )
        letters.queue(session)
    return True


def replace_void(row: TokenRow) -> TokenRow:
    """Return a token's row as that of a turn that was taken back when it was given out."""
    row.void_at = row.issued_at
    return row


def _as_held(loaded: LoadedGame, serial: int, now: datetime) -> LoadedGame:
    """Return a game as it will be: on hold, and its seats with new tokens."""
    columns = loaded.row.model_dump()
    since = loaded.row.hold_since or now
    row = GameRow(**{**columns, "hold_since": since, "hold_until": None, "hold_why": RESTORED})
    seats = tuple(
        replace(seat, seat=SeatRow(**{**seat.seat.model_dump(), "token_serial": serial}))
        for seat in loaded.seats
    )
    return replace(loaded, row=row, seats=seats)


def _sentence(session: Session, row: GameRow, turn: int, before: Mapping[str, Stood] | None) -> str:
    """Return what is known of the reports that players have had since the backup."""
    begins = f"Put back from a backup, at turn {turn}."
    if before is None or row.commitment not in before:
        return f"{begins} Which reports players have had since isn't known."
    stood, here = before[row.commitment], _stood(session, row)
    later = sorted(stood.reports - here.reports)
    numbers = sorted({number for number, _ in later})
    had = [
        f"turn {number} ({', '.join(name for one, name in later if one == number)})"
        for number in numbers
    ]
    lost = stood.deeds[len(here.deeds) :]
    done = f" What you did since is lost: {' '.join(lost)}" if lost else ""
    return f"{begins} Reports that players have had since: {'; '.join(had) or 'none'}.{done}"
