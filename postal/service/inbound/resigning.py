"""The command ``resign``: a player is asked back, and it is done on his second mail (9.4)."""

from __future__ import annotations

from functools import partial

from sqlmodel import Session

from postal.engine.view import view
from postal.mail.tokens import candidates
from postal.ordertext import Reading
from postal.service.inbound.case import SeatCase
from postal.service.inbound.marked import without_ours
from postal.service.inbound.outcome import Outcome, TurnChange
from postal.service.inbound.reading import read_whole
from postal.service.outbound.kinds import LetterKind
from postal.service.outbound.letters import Letter
from postal.service.records.play import order_context
from postal.store.orders import NewLine
from postal.store.rows import (
    GameStatus,
    JournalRow,
    MailStatus,
    OrderAction,
    TokenKind,
    TurnRow,
    TurnStatus,
)
from postal.store.tokens import known_tokens

_RESIGN = "resign"


def ask_back(case: SeatCase) -> None:
    """Ask a player who writes ``resign`` whether he means it: an answer with that line does it."""
    letters, loaded, seat = case.letters, case.loaded, case.seat
    frame = letters.resigning_frame(loaded, seat)
    rendered = case.work.reports.resign(frame, view(loaded.game, seat.name), "ask")
    letter = Letter(
        LetterKind.RESIGN, rendered, loaded.game.turn, answers=case.incoming, resigns=True
    )
    letters.to_player(loaded, seat, letter)


def resigned(case: SeatCase) -> Outcome | None:
    """Give up the seat of a player who answers the question with ``resign``; None for other mail.

    His orders on file are used as they are. He is not waited for after this turn, and any mail of
    his brings him back until somebody else has the seat.
    """
    loaded, turn = case.loaded, case.loaded.turn
    if turn is None or turn.status is not TurnStatus.OPEN or not _answers_question(case):
        return None
    if loaded.row.status is not GameStatus.RUNNING or not _says_so_alone(case):
        return None
    letters, seat, now = case.letters, case.seat, case.work.clock.now()
    seen = view(loaded.game, seat.name)
    rendered = case.work.reports.resign(letters.frame(loaded, seat), seen, "done")
    letter = Letter(LetterKind.RESIGN, rendered, loaded.game.turn, answers=case.incoming)
    letters.to_player(loaded, seat, letter)
    sentences = (
        f"{seat.person.name} has resigned from {loaded.row.slug}, and confirmed it.",
        "After this turn the seat is not waited for. Standbys are asked in their order.",
        f"`postal player replace {loaded.row.slug} {seat.name!r} 'NAME <ADDRESS>'` seats somebody.",
    )
    letters.notify_gm("a player has resigned", sentences, loaded, turn.number)
    return Outcome(
        MailStatus.DONE,
        "resigned",
        case.whose,
        turn=_change(case, turn),
        changes=(
            partial(
                _note,
                JournalRow(
                    at=now,
                    game_id=loaded.id,
                    turn=turn.number,
                    who=seat.name,
                    what=_RESIGN,
                    sentence=f"{seat.name} has resigned.",
                ),
            ),
        ),
    )


def _change(case: SeatCase, turn: TurnRow) -> TurnChange:
    file = case.file.resign(case.seat.name)
    line = NewLine(
        turn_id=turn.id or 0,
        seat_id=case.seat.id,
        mail_id=case.row.id,
        at=case.work.clock.now(),
        action=OrderAction.READ,
        line=_RESIGN,
    )
    return TurnChange(
        turn=turn,
        seat_id=case.seat.id,
        due_at=file.due_at(case.loaded),
        presence=file.of(case.seat.name),
        log=(line,),
    )


def _note(row: JournalRow, session: Session) -> None:
    session.add(JournalRow(**row.model_dump()))


def _answers_question(case: SeatCase) -> bool:
    """Whether a mail bears the token of the question, which stands in that letter alone."""
    now = case.work.clock.now()
    return any(
        row.kind is TokenKind.RESIGN
        and row.seat_id == case.seat.id
        and (row.good_until is None or row.good_until >= now)
        for row in known_tokens(case.session, candidates(case.incoming)).values()
    )


def _says_so_alone(case: SeatCase) -> bool:
    """Whether a mail says ``resign`` and orders nothing beside it."""
    context = order_context(case.loaded.game, case.seat.name)
    read: Reading = read_whole(case.incoming, context, case.loaded.row.slug)
    reading = without_ours(case, read)
    named = {one.name for one in reading.commands}
    return named == {_RESIGN} and not reading.lines and not reading.problems
