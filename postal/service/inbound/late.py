"""Mail for a turn that is over, or for a game: each is answered, many at once by one letter."""

from __future__ import annotations

from datetime import datetime, timedelta

from postal.engine.view import view
from postal.errors import PostalError
from postal.service.inbound.case import SeatCase
from postal.service.inbound.outcome import Outcome
from postal.service.inbound.reading import read_whole
from postal.service.inbound.words import Words, take_words
from postal.service.outbound.kinds import LetterKind
from postal.service.outbound.letters import Letter
from postal.service.records.play import order_context
from postal.store.outbox import last_message
from postal.store.rows import GameStatus, MailStatus, OutboxRow, OutboxState, TurnStatus

PAUSE = timedelta(minutes=5)
"""How long after one such answer the next goes out, which is for all that came meanwhile."""


class KeptError(PostalError):
    """A mail came in time for a turn that is set aside: it is kept until that is back in play."""


class AtWorkError(KeptError):
    """A mail changes what can't change while a turn is being adjudicated: it is kept till then."""


def late(case: SeatCase) -> Outcome | None:
    """Say so where the turn that the token names is over, or not yet there, or the game is.

    Raises KeptError where the turn is set aside and the mail would count once it isn't.
    """
    if case.in_time:
        return None
    if _would_be_in_time(case):
        slug = case.loaded.row.slug
        raise KeptError(
            f"Turn {case.whose.turn} of {slug} is set aside, and its mail is kept until"
            f" `postal adjudicate {slug}` puts it back in play."
        )
    game, named = case.loaded.game, case.whose.turn
    reading = read_whole(case.incoming, order_context(game, case.seat.name), case.loaded.row.slug)
    words = take_words(case, reading)
    _answer(words)
    reason = "after the end" if game.finished else "too early" if named > game.turn else "too late"
    if case.whose.void:
        reason = "for a turn that was taken back"
    turn = case.touched() if words.holds else case.heard()
    return Outcome(MailStatus.DONE, reason, case.whose, turn=turn, changes=words.changes)


def _would_be_in_time(case: SeatCase) -> bool:
    turn = case.loaded.turn
    if turn is None or turn.status is not TurnStatus.SET_ASIDE or turn.number != case.whose.turn:
        return False
    if case.loaded.row.status is not GameStatus.RUNNING or case.whose.void:
        return False
    closes = case.loaded.closes
    return closes is None or case.row.internal_date <= closes


def _answer(words: Words) -> None:
    """Answer at once, or where that was done just now once for all that come in a while.

    Each such mail is told of in a letter that goes out after it came. One whose words went on to
    somebody is answered at once: how many of those there may be is limited.
    """
    case = words.case
    loaded, seat, now = case.loaded, case.seat, case.work.clock.now()
    last = last_message(case.session, seat.id, LetterKind.LATE)
    if last is not None and not words.done and _is_held(last) and _goes_out(last) > now:
        return
    free = last is None or words.done or _goes_out(last) + PAUSE <= now
    send_at = None if last is None or free else _goes_out(last) + PAUSE
    current, named = loaded.game.turn, case.whose.turn
    # At its deadline a turn may not be adjudicated yet: an answer to this is for the next.
    following = max(current, named) + (named == current)
    if case.whose.void:
        following = current
    frame = case.letters.frame(loaded, seat, orders_for=following)
    seen = view(loaded.game, seat.name, case.file.book)
    reports = case.work.reports
    if loaded.row.status is GameStatus.ABANDONED:
        rendered = reports.abandoned(frame, seen, said=words.said)
    else:
        void = case.whose.void
        rendered = reports.late(frame, seen, named, until=send_at, said=words.said, void=void)
    letter = Letter(LetterKind.LATE, rendered, current, following, case.incoming, send_at)
    case.letters.to_player(loaded, seat, letter)


def _is_held(last: OutboxRow) -> bool:
    """Whether a letter was never tried yet and is to go out at a time that was set."""
    return last.state is OutboxState.QUEUED and not last.tries and last.next_try_at is not None


def _goes_out(last: OutboxRow) -> datetime:
    held = last.next_try_at if _is_held(last) else None
    return held or last.sent_at or last.created_at
