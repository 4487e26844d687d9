"""Holding all mail while the server takes none from us: one try a pause, and the GM is told."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from sqlmodel import Session

from postal.reports.display import utc_time
from postal.service.outbound.letters import Letters
from postal.service.workplace import Workplace
from postal.store.holding import OutboxHold, begin_hold, end_hold, move_hold, release_held
from postal.store.outages import note_outage
from postal.store.outbox import drop_unsent
from postal.store.rows import OutageWhat, TroubleKind, TroubleRow
from postal.store.troubles import (
    begin_trouble,
    count_telling,
    end_trouble_row,
    last_ended,
    open_trouble,
)

PAUSES = (1, 5, 15)
"""Minutes without a try while the server takes nothing from us; the last holds from then on."""

TOLD_AFTER = timedelta(hours=1)
"""How long that lasts before the GM is told of it."""

_MOVED = "So do deadlines that fell in that time, if orders are missing."

AFTER_OTHERS = timedelta(minutes=1)
"""How much later than the others what was refused itself is tried, once mail goes again."""


def next_try(since: datetime, now: datetime) -> datetime:
    """Return when the next mail is tried, while none goes since then (UTC)."""
    lasted, passed = now - since, timedelta(0)
    for minutes in PAUSES[:-1]:
        if lasted < passed + timedelta(minutes=minutes):
            return now + timedelta(minutes=minutes)
        passed += timedelta(minutes=minutes)
    return now + timedelta(minutes=PAUSES[-1])


def probe(session: Session, hold: OutboxHold, now: datetime) -> bool:
    """Take the one try at the end of a pause; False where another process has it."""
    return move_hold(session, hold, next_try(hold.since, now))


def hold(session: Session, now: datetime, text: str, since: datetime | None = None) -> None:
    """Hold all mail because of what the server said, and note that trouble."""
    begun = since or now
    if since is None:
        begin_hold(session, now, next_try(now, now))
    sentence = f"No mail can be sent since {utc_time(begun)}: {text}."
    row = TroubleRow(kind=TroubleKind.SENDING, since=begun, sentence=sentence)
    begin_trouble(session, row)


def tell(work: Workplace, since: datetime) -> None:
    """Write to the GM of a hold that lasts; once mail goes, he gets that or a word of its end."""
    now = work.clock.now()
    if now - since < TOLD_AFTER:
        return
    with work.database.reading() as session:
        row = open_trouble(session, TroubleKind.SENDING, "")
        if row is None or row.told:
            return
        letters = Letters(session, work)
        sentences = (
            row.sentence,
            "All mail waits and is tried again: nothing is lost.",
            (
                "No turn is adjudicated for its deadline meanwhile."
                if work.outage_after
                else "No turn whose reports wait is adjudicated for its deadline."
            ),
            "`postal check` tries the login; `postal outbox list` shows what waits.",
        )
        letters.notify_gm("no mail can be sent", sentences, once=_once(since))
    with work.database.transaction() as session:
        if count_telling(session, row.id or 0, row.told, now):
            letters.queue(session)


def released(work: Workplace, held: OutboxHold) -> Callable[[Session], None]:
    """Return what notes that the server takes mail again: all that waited for it is due at once.

    The GM gets one mail of it, if it lasted: from when to when it was.
    """
    now = work.clock.now()
    outage = bool(work.outage_after) and now - held.since >= work.outage_after
    with work.database.reading() as session:
        row = open_trouble(session, TroubleKind.SENDING, "")
        letters = Letters(session, work)
        if row is not None and now - held.since >= TOLD_AFTER:
            sentences = (
                f"From {utc_time(held.since)} to {utc_time(now)} no mail could be sent.",
                row.sentence,
                "All that waited goes now.",
                "Where reports waited, deadlines move on by the time lost, and all are told.",
                *((_MOVED,) if outage else ()),
            )
            letters.notify_gm("mail can be sent again", sentences)

    def write(session: Session) -> None:
        if end_hold(session):
            release_held(session, now, AFTER_OTHERS)
            drop_unsent(session, _once(held.since))
            if outage:
                note_outage(session, OutageWhat.SENDING, held.since, now)
            letters.queue(session)
        if row is not None:
            end_trouble_row(session, row.id or 0, now)

    return write


def try_now(session: Session, held: OutboxHold | None, now: datetime) -> None:
    """Let the next try be at once: the GM asks for it."""
    if held is not None and held.until > now:
        move_hold(session, held, now)


def free_since(session: Session, created: datetime) -> datetime:
    """Return since when a mail can be late by its receiver alone: since it was made or any went."""
    ended = last_ended(session, TroubleKind.SENDING)
    return max(created, ended) if ended else created


def _once(since: datetime) -> str:
    return f"sending/{since.isoformat()}"
