"""Deadlines that lie in an outage: the program off, or a mail server away (RULES.md 9.1, 10.5).

Nobody is absent at such a deadline: it moves by as long as the outage lasted. An outage is what
lies between two whole polls of the mailbox that are too far apart, or in which no mail could be
sent for as long. Every game asks for itself, when its turn would be due: so it is all the same
when the program was killed, how many of them share a database, and whether the game was on hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session

from postal.reports.display import listed, time_left, utc_time
from postal.service.loading import LoadedGame, TurnFile
from postal.service.outbound.letters import Letters
from postal.service.turns.deadlines import move
from postal.service.turns.reached import LEAST_LOST, whole_minutes
from postal.service.workplace import Workplace
from postal.store.holding import outbox_hold
from postal.store.mails import poll_finished, whole_poll_began_at
from postal.store.outages import note_outage, outage_over, turns_ending
from postal.store.rows import OutageWhat, TroubleKind, TroubleRow
from postal.store.troubles import end_trouble_row, open_trouble


@dataclass(frozen=True, slots=True)
class Outage:
    """An outage that the end of a turn lay in (aware UTC); ``ended`` None: it lasts."""

    began: datetime
    ended: datetime | None = None


def outage_at_end(
    session: Session, work: Workplace, loaded: LoadedGame, file: TurnFile
) -> Outage | None:
    """Return the outage that the end of the turn in play lies in; None where it lies in none.

    A turn whose orders are all in has nothing to wait for.
    """
    turn, closes = loaded.turn, loaded.closes
    if not work.outage_after or turn is None or file.complete(loaded.game):
        return None
    if turn.deadline is None or closes is None:
        return None
    held = outbox_hold(session)
    if held is not None and held.since < closes:
        return Outage(held.since)
    row = outage_over(session, turn.deadline, closes)
    return Outage(row.began, row.ended) if row else None


def closed_in_outage(session: Session, work: Workplace, loaded: LoadedGame) -> bool:
    """Whether the turn in play closed in an outage, so that later mail is as good as in time.

    It may be one whose end is about to be noted, by the poll that brings the mail.
    """
    turn, closes = loaded.turn, loaded.closes
    if not work.outage_after or turn is None or turn.deadline is None or closes is None:
        return False
    held = outbox_hold(session)
    if (held is not None and held.since < closes) or outage_over(session, turn.deadline, closes):
        return True
    polled = whole_poll_began_at(session, work.account, work.folder)
    if polled is None or polled >= closes:
        return False
    return work.clock.now() - polled >= work.outage_after


def move_by(work: Workplace, loaded: LoadedGame, outage: Outage) -> bool:
    """Move the deadline of the turn in play by an outage that is over; whether that was done.

    Where that is past too, since the game was on hold, it is as much time as was left then.
    """
    turn = loaded.turn
    if turn is None or turn.deadline is None or outage.ended is None:
        return False
    now = work.clock.now()
    later = turn.deadline + whole_minutes(outage.ended - outage.began)
    if later <= now:
        left = max(turn.deadline - outage.began, LEAST_LOST)
        later = turn.deadline + whole_minutes(now + left - turn.deadline)
    return move(work, loaded.row.slug, turn.number, later, "outage", was=turn.deadline)


def poll_was_whole(work: Workplace, *, uidvalidity: int, began: datetime) -> None:
    """Note that a poll was whole that began then (10.5), and an outage if it is the first after.

    The GM is told of it by one mail, which goes with the same transaction.
    """
    place = (work.account, work.folder)
    with work.database.reading() as session:
        last = whole_poll_began_at(session, *place)
        away = last is not None and began - last >= work.outage_after > timedelta(0)
        trouble = open_trouble(session, TroubleKind.MAILBOX, "") if away else None
    letters, what = None, OutageWhat.MACHINE
    if away and last is not None:
        # Where the program was at work, it noticed that the mailbox was away.
        if trouble is not None and trouble.since - last < work.outage_after:
            what = OutageWhat.MAILBOX
        letters = _notice(work, what, last, began)
    with work.database.transaction() as session:
        before = poll_finished(session, *place, uidvalidity=uidvalidity, began=began)
        if letters is None or before is None or before != last:
            return
        note_outage(session, what, before, began)
        if what is OutageWhat.MAILBOX:
            _end(session, trouble, work.clock.now())
        letters.queue(session)


def _notice(work: Workplace, what: OutageWhat, began: datetime, ended: datetime) -> Letters:
    """Return the mail to the GM about an outage."""
    with work.database.reading() as session:
        turns = [
            f"turn {turn.number} of {game.slug}"
            for game, turn in turns_ending(session, began, ended)
        ]
        letters = Letters(session, work)
        span = f"from {utc_time(began)} to {utc_time(ended)}"
        span = f"{span} ({time_left(ended - began)})"
        if what is OutageWhat.MAILBOX:
            subject = "the mailbox was out of reach"
            first = f"The mailbox could not be read {span}. It works again."
        else:
            subject = "postal was off"
            first = f"postal was not running {span}, or this computer was asleep."
        moved = (
            f"A deadline fell in that time: that of {listed(turns)}. If orders are missing, the"
            " deadline moves by as long, nobody is NMR, and all players of that game are told."
            if turns
            else "No deadline fell in that time."
        )
        kept = (
            "Mail counts by when it reached the mail server, so none that came meanwhile is lost."
        )
        letters.notify_gm(subject, (first, moved, kept, "There is nothing you need to do."))
    return letters


def _end(session: Session, trouble: TroubleRow | None, now: datetime) -> None:
    """End the trouble that the mail about the outage tells the end of."""
    if trouble is not None:
        end_trouble_row(session, trouble.id or 0, now)
