"""How the league stands at a glance (``postal status``): what is due, who is late, what failed."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlmodel import Session

from postal.engine.game import awaited
from postal.reports.display import utc_time
from postal.service.loading import UnreadableGameError, load_game, load_turn_file
from postal.service.workplace import Workplace
from postal.store.games import running_games
from postal.store.mails import count_mails, whole_poll_began_at
from postal.store.outages import outages_since
from postal.store.outbox import count_in_state
from postal.store.rows import (
    GameRow,
    MailStatus,
    OutageRow,
    OutageWhat,
    OutboxState,
    TurnStatus,
)
from postal.store.troubles import open_troubles
from postal.store.turns import last_turns

STALE = timedelta(minutes=20)
"""After so long without a whole poll of the mailbox the daemon is not well."""

LATELY = timedelta(days=7)
"""A mail that failed longer ago is no news: what was to be done about it is done."""


def league_status(work: Workplace) -> dict[str, Any]:
    """Return the games in play, what is not well, and a sentence for each thing that needs the GM.

    Times are UTC in ISO form; ``problems`` is empty where all is well. ``outages`` are those of
    late that are over: what to do about them is done.
    """
    now = work.clock.now()
    with work.database.reading() as session:
        games = [_game(session, row) for row in running_games(session)]
        troubles = [row.sentence for row in open_troubles(session)]
        held = count_mails(session, MailStatus.QUARANTINED)
        failed = count_in_state(session, OutboxState.FAILED, since=now - LATELY)
        waiting = count_in_state(session, OutboxState.QUEUED, OutboxState.UNKNOWN)
        polled = whole_poll_began_at(session, work.account, work.folder)
        outages = [_outage(row) for row in outages_since(session, now - LATELY)]
    problems = [*troubles, *(_state_problem(game) for game in games if game["state"] in _BAD)]
    if games and _stale(polled, now):
        since = f"last polled whole at {polled:%Y-%m-%d %H:%M} UTC" if polled else "never polled"
        problems.append(f"The mailbox was {since}: is `postal run` at work?")
    if failed:
        problems.append(f"Mails that could not be delivered: {failed}; see `postal outbox list`.")
    if held:
        problems.append(f"Mails that wait for your word: {held}; see `postal inbox list`.")
    return {
        "games": games,
        "last_poll": _iso(polled),
        "mails_to_send": waiting,
        "mails_failed": failed,
        "mails_held": held,
        "troubles": troubles,
        "outages": outages,
        "problems": problems,
    }


_BAD = ("set aside", "unreadable")


def _game(session: Session, row: GameRow) -> dict[str, Any]:
    try:
        loaded = load_game(session, row)
        file = load_turn_file(session, loaded)
    except UnreadableGameError:
        turn = last_turns(session, row.id or 0)[1]
        return {
            "game": row.slug,
            "state": "unreadable",
            "turn": turn.number if turn else None,
            "deadline": _iso(turn.deadline if turn else None),
            "next": None,
            "missing": [],
        }
    turn = loaded.turn
    on_hold, aside = row.hold_since is not None, turn and turn.status is TurnStatus.SET_ASIDE
    waits = turn is not None and not on_hold and not aside
    return {
        "game": row.slug,
        "state": "on hold" if on_hold else "set aside" if aside else "running",
        "turn": turn.number if turn else None,
        "deadline": _iso(turn.deadline if turn else None),
        "next": _iso(file.due_at(loaded)) if waits else _iso(row.hold_until),
        "missing": sorted({player for player, _ in awaited(loaded.game, file.book)}),
    }


_AWAY = {
    OutageWhat.MACHINE: "postal was off, or its computer asleep,",
    OutageWhat.MAILBOX: "The mailbox was out of reach",
    OutageWhat.SENDING: "No mail could be sent",
}


def _outage(row: OutageRow) -> dict[str, Any]:
    return {
        "what": row.what.value,
        "began": _iso(row.began),
        "ended": _iso(row.ended),
        "sentence": f"{_AWAY[row.what]} from {utc_time(row.began)} to {utc_time(row.ended)}.",
    }


def _state_problem(game: dict[str, Any]) -> str:
    slug = game["game"]
    return f"{slug} is {game['state']}: after a cure, `postal adjudicate {slug}` takes it up again."


def _stale(polled: datetime | None, now: datetime) -> bool:
    return polled is None or now - polled > STALE


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
