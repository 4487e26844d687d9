"""A player's mail of a turn: made when the turn is adjudicated, and made again on demand."""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import Session

from postal.engine.events import Event
from postal.engine.view import view
from postal.mail.incoming import Incoming
from postal.service.post import frame_of, queue_to_player
from postal.service.work import LoadedGame, Workplace
from postal.store.codec import decode_events
from postal.store.rows import PlayerRow
from postal.store.turns import last_done_turn


def queue_report(
    session: Session,
    work: Workplace,
    loaded: LoadedGame,
    player: PlayerRow,
    events: Sequence[Event],
) -> None:
    """Queue the one report that a player gets of the turn before the one in play.

    It is the welcome after the deal and the final report when all is over (10.4).
    """
    finished, reported = loaded.game.finished, loaded.game.turn - 1
    kind = "final" if finished else "report" if reported else "welcome"
    _queue(session, work, loaded, player, events, kind)


def queue_report_again(
    session: Session,
    work: Workplace,
    loaded: LoadedGame,
    player: PlayerRow,
    answers: Incoming | None = None,
) -> None:
    """Queue a player's last report anew, with a Message-ID and a token of its own time.

    Mail programs hide a second mail with the Message-ID of the first, and a token may have
    been revoked since.
    """
    done = last_done_turn(session, loaded.id)
    events = decode_events(done.events) if done is not None and done.events else ()
    _queue(session, work, loaded, player, events, "resend", answers)


def _queue(  # noqa: PLR0913 - each is a part of the mail
    session: Session,
    work: Workplace,
    loaded: LoadedGame,
    player: PlayerRow,
    events: Sequence[Event],
    kind: str,
    answers: Incoming | None = None,
) -> None:
    seen = view(loaded.game, player.name)
    secret = loaded.row.secret.hex() if seen.opened else ""
    frame = frame_of(work, loaded, player.name)
    rendered = work.reports.report(frame, seen, events, secret=secret)
    turn = loaded.game.turn - 1
    queue_to_player(
        session,
        work,
        loaded,
        player,
        kind=kind,
        rendered=rendered,
        turn=turn,
        answers=answers,
    )
