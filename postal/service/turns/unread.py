"""Which turns wait for mail that could not be read or dealt with, and how long (RULES.md 10.5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session

from postal.reports.display import listed
from postal.service.loading import LoadedGame, TurnFile
from postal.service.outbound.troubles import end_trouble, note_trouble
from postal.service.workplace import Workplace
from postal.store.rows import MailRow, TroubleKind
from postal.store.unread import holding_mails


@dataclass(frozen=True, slots=True)
class MailHold:
    """The mails, by number, that a turn waits for, and until when at most (aware UTC)."""

    mails: tuple[int, ...]
    until: datetime


def hold_ends(loaded: LoadedGame, mail: MailRow) -> datetime:
    """Return until when a mail holds the turn in play at most, aware UTC.

    That is ``unread_hours`` after the deadline and the grace after it; where there is none, after
    the mail was seen.
    """
    begins = loaded.closes or mail.received_at
    return begins + timedelta(hours=loaded.rules.number("unread_hours"))


def held_by_mail(
    session: Session, work: Workplace, loaded: LoadedGame, file: TurnFile
) -> MailHold | None:
    """Return what a turn that is due waits for, None where nothing holds it (10.5).

    A mail that bears a token of this turn may change a completed turn too; one of which not even
    the header could be had holds only where orders are missing at the deadline.
    """
    turn, now = loaded.turn, work.clock.now()
    if turn is None:
        return None
    at_deadline = loaded.closes is not None and loaded.closes <= now
    missing = at_deadline and not file.complete(loaded.game)
    found = [
        (hold_ends(loaded, mail), mail.id or 0)
        for mail in _in_time(session, loaded, now)
        if mail.game_id is not None or missing
    ]
    holding = [(ends, number) for ends, number in found if ends > now]
    if not holding:
        return None
    return MailHold(tuple(number for _, number in holding), max(ends for ends, _ in holding))


def hear_unread(session: Session, work: Workplace, loaded: LoadedGame, file: TurnFile) -> TurnFile:
    """Return the file with those heard of whose mail lies there unread: none is NMR by it (9.4)."""
    names = {seat.id: seat.name for seat in loaded.seats}
    for mail in _in_time(session, loaded, work.clock.now()):
        if mail.seat_id in names:
            file = file.hear(names[mail.seat_id])
    return file


def note_hold(work: Workplace, loaded: LoadedGame, hold: MailHold) -> None:
    """Tell the GM once that a turn waits at its deadline, and for which mail."""
    turn, closes = loaded.turn, loaded.closes
    if turn is None or closes is None or closes > work.clock.now():
        return
    slug = loaded.row.slug
    mails = listed([f"mail {number}" for number in hold.mails], "and")
    note_trouble(
        work,
        TroubleKind.HELD,
        f"Turn {turn.number} of {slug} waits at its deadline for {mails}, which could not be read,"
        f" until {hold.until:%d %B %Y at %H:%M} UTC at most.",
        about=slug,
        advice=(
            "`postal inbox list` shows what is known of such mail.",
            (
                "`postal inbox release` with its number tries to read it at once, and"
                " `postal inbox discard` lets the turn go on without it."
            ),
        ),
        loaded=loaded,
    )


def end_hold(work: Workplace, slug: str) -> None:
    """Note that a turn goes on that perhaps waited for mail."""
    end_trouble(work, TroubleKind.HELD, slug, "The turn goes on.")


def _in_time(session: Session, loaded: LoadedGame, now: datetime) -> Sequence[MailRow]:
    """Return the mails that may order something in the turn in play, had they been read."""
    turn, closes = loaded.turn, loaded.closes
    if turn is None:
        return ()
    return [
        mail
        for mail in holding_mails(session, loaded.id, now)
        if (mail.game_id is None or mail.turn == turn.number)
        and (closes is None or mail.internal_date <= closes)
    ]
