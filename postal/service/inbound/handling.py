"""Handling a mail: steps that each ask one question of it, the first that answers decides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sqlmodel import Session

from postal.engine.view import view
from postal.mail.fetching import MAX_MAIL_BYTES
from postal.mail.incoming import Incoming, read
from postal.ordertext import Reading
from postal.reports.display import counted
from postal.service.inbound.addresses import confirmed, without_token
from postal.service.inbound.bounces import delivery_report
from postal.service.inbound.case import Case, SeatCase, seated
from postal.service.inbound.commands import answer_commands, send_gifts
from postal.service.inbound.doubts import doubtful
from postal.service.inbound.filing import take, turn_change
from postal.service.inbound.former import from_former_holder
from postal.service.inbound.gatekeeping import refused
from postal.service.inbound.holidays import holiday_changes
from postal.service.inbound.late import late
from postal.service.inbound.marked import without_ours
from postal.service.inbound.observing import observing
from postal.service.inbound.older import holding_no_more, without_overtaken
from postal.service.inbound.outcome import Outcome
from postal.service.inbound.reading import read_whole
from postal.service.inbound.receipts import receipt_facts
from postal.service.inbound.resigning import resigned
from postal.service.inbound.standbys import from_standby, standby_wishes
from postal.service.inbound.whose import earlier_copy
from postal.service.inbound.words import COMMANDS as WORD_COMMANDS
from postal.service.inbound.words import take_words
from postal.service.inbound.zones import with_zone, zone_changes
from postal.service.loading import LoadedGame
from postal.service.outbound.kinds import LetterKind
from postal.service.outbound.letters import Letter, Letters
from postal.service.records.play import order_context
from postal.service.workplace import Workplace
from postal.store.rows import MailRow, MailStatus

UNREADABLE = {
    "tnef": "it holds its text in a winmail.dat that only Outlook can read",
    "smime": "its text is locked in an S/MIME signature",
    "encrypted": "it is encrypted",
    "attachment-only": "it holds attachments or pictures and no text",
    "too-long": "its text is too long",
    "too-complex": "it is put together from too many parts",
    "damaged": "it is damaged",
    "empty": "it is empty",
}


def work_out(
    session: Session, work: Workplace, row: MailRow, *, vouched: bool = False
) -> tuple[Outcome, Letters]:
    """Return what a stored mail comes to, and the letters it calls for; nothing is written yet.

    Nobody is answered who might be a program (RFC 3834), and every answer goes to the
    registered address of the player whose token the mail carries. Without a token nothing is
    done. Noise is never filed under a game. ``vouched``: the GM says that the sender is real.
    """
    letters = Letters(session, work)
    case = Case(session, work, letters, row, read(row.raw or b""), vouched)
    for step in _STEPS:
        outcome = step(case)
        if outcome is not None:
            return outcome, letters
    case_of_seat = seated(case)
    if case_of_seat is None:
        return _without_a_seat(case), letters
    for seat_step in _SEAT_STEPS:
        outcome = seat_step(case_of_seat)
        if outcome is not None:
            return outcome, letters
    return _orders(case_of_seat), letters


def _without_a_seat(case: Case) -> Outcome:
    """Do what a mail calls for that bears no token of a seat."""
    known = confirmed(case) or observing(case) or from_standby(case) or from_former_holder(case)
    return known or without_token(case)


def best_reading(incoming: Incoming, loaded: LoadedGame, player: str) -> Reading:
    """Return what a mail orders, by all that stands in it (MAIL.md, In 4 and 7)."""
    return read_whole(incoming, order_context(loaded.game, player), loaded.row.slug)


def _copy(case: SeatCase) -> Outcome | None:
    """Do nothing twice, though a copy's bytes may differ."""
    copied = earlier_copy(case.session, case.row, case.whose, case.incoming)
    return Outcome(MailStatus.DONE, f"a copy of mail {copied}", case.whose) if copied else None


def _unreadable(case: SeatCase) -> Outcome | None:
    """Say what hinders the reading; he may have meant to change his orders (RULES.md 10.6)."""
    incoming, large = case.incoming, case.row.size > MAX_MAIL_BYTES
    if not large and (incoming.texts or _says_something(case)):
        return None
    frame = case.letters.frame(case.loaded, case.seat)
    why = UNREADABLE.get(incoming.unreadable, "it could not be read")
    rendered = (
        case.work.reports.too_long(frame)
        if large or incoming.unreadable == "too-long"
        else case.work.reports.unreadable(frame, f"{why[0].upper()}{why[1:]}.")
    )
    letter = Letter(LetterKind.UNREADABLE, rendered, case.whose.turn, answers=incoming)
    case.letters.to_player(case.loaded, case.seat, letter)
    reason = "too large" if large else incoming.unreadable
    return Outcome(MailStatus.REJECTED, reason, case.whose, turn=case.troubled(his=True))


def _says_something(case: SeatCase) -> bool:
    """Whether a mail without a text says something in its subject or in an attached text."""
    if case.incoming.unreadable not in ("empty", "attachment-only"):
        return False  # what can't be read may order otherwise
    return not best_reading(case.incoming, case.loaded, case.seat.name).nothing


def _orders(case: SeatCase) -> Outcome:
    """File what the mail orders, with the receipt and what its commands ask for."""
    work, loaded, now = case.work, case.loaded, case.work.clock.now()
    reading = without_ours(case, best_reading(case.incoming, loaded, case.seat.name))
    reading, overtaken = without_overtaken(case, reading)
    case = with_zone(case, reading)
    words = take_words(case, reading)
    case, loaded, seat = words.case, words.case.loaded, case.seat
    filing = take(loaded, case.file, seat.name, reading, min(case.row.internal_date, now))
    filing = holding_no_more(filing, case.file) if overtaken else filing
    named = {command.name for command in reading.commands}
    told_there = named & {"wait", "ready", *WORD_COMMANDS}
    if reading.lines or reading.problems or told_there or not named:
        rendered = work.reports.receipt(
            case.letters.frame(loaded, seat),
            view(loaded.game, seat.name, filing.book),
            replace(
                receipt_facts(loaded, filing, now),
                files_unread=case.incoming.files_unread,
                said=words.said,
            ),
        )
        letter = Letter(LetterKind.RECEIPT, rendered, case.whose.turn, answers=case.incoming)
        case.letters.to_player(loaded, seat, letter)
    answer_commands(case, filing)
    send_gifts(case.letters, loaded, filing)
    filed = counted(len(filing.taken.accepted), "order")
    not_taken = counted(len(filing.problems), "line")
    return Outcome(
        MailStatus.DONE,
        f"{filed} on file, {not_taken} refused",
        case.whose,
        turn=turn_change(loaded, seat, case.row, filing, now),
        changes=(
            *zone_changes(case, reading),
            *holiday_changes(case, reading),
            *standby_wishes(case, reading),
            *words.changes,
        ),
    )


_STEPS: tuple[Callable[[Case], Outcome | None], ...] = (delivery_report, refused)
_SEAT_STEPS: tuple[Callable[[SeatCase], Outcome | None], ...] = (
    doubtful,
    _copy,
    resigned,
    late,
    _unreadable,
)
