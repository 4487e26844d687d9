"""The kinds of letters: what each says in its header, how often it is written, and once or not."""

from __future__ import annotations

from datetime import timedelta
from enum import StrEnum

from postal.mail.message import Automatic


class LetterKind(StrEnum):
    """What a letter is."""

    WELCOME = "welcome"
    REPORT = "report"
    FINAL = "final"
    RESEND = "resend"
    RECEIPT = "receipt"
    AMENDED = "amended"
    HELP = "help"
    STATUS = "status"
    ORDERS = "orders"
    RULES = "rules"
    ZONE = "zone"
    HOLIDAY = "holiday"
    RESIGN = "resign"
    LATE = "late"
    UNREADABLE = "unreadable"
    HINT = "hint"
    HELD = "held"
    REFUSED = "refused"
    GIFT = "gift"
    DEADLINE = "deadline"
    HOLD = "hold"
    MESSAGE = "message"
    ABANDONED = "abandoned"
    ROLLBACK = "rollback"
    REMINDER = "reminder"
    SEAT = "seat"
    GONE = "gone"
    FORMER = "former"
    STANDBY = "standby"
    STANDBY_ANSWER = "standby-answer"
    OBSERVER = "observer"
    OBSERVER_ANSWER = "observer-answer"
    ADDRESS = "address"
    GM = "gm"

    @property
    def pause(self) -> timedelta | None:
        """How long after one answer of the kind an address gets no other of it (RFC 3834, 2)."""
        return _PAUSES.get(self)

    @property
    def automatic(self) -> Automatic:
        """The word of Auto-Submitted: whether it answers a mail (RFC 3834, 5)."""
        return "auto-generated" if self in (*REPORTS, *_UNASKED) else "auto-replied"

    @property
    def has_calendar(self) -> bool:
        """Whether the deadline comes with it as a calendar event."""
        return self in (*REPORTS, LetterKind.RESEND, LetterKind.DEADLINE, LetterKind.ROLLBACK)

    def once_key(self, game_id: int, turn: int, seat_id: int) -> str | None:
        """Return the key under which a letter is written once; None for those that are not."""
        return f"{game_id}/{turn}/{seat_id}/{self}" if self in REPORTS else None


REPORTS = (LetterKind.WELCOME, LetterKind.REPORT, LetterKind.FINAL)
"""The kinds of which each player gets one a turn; the rest are answers and notices."""

ASKING = (LetterKind.WELCOME, LetterKind.REPORT, LetterKind.RESEND)
"""The kinds that ask for the orders of the turn after the one that they tell of."""
_UNASKED = (
    LetterKind.RESEND,
    LetterKind.GM,
    LetterKind.DEADLINE,
    LetterKind.REMINDER,
    LetterKind.HOLD,
    LetterKind.MESSAGE,
    LetterKind.ABANDONED,
    LetterKind.ROLLBACK,
    LetterKind.AMENDED,
    LetterKind.SEAT,
    LetterKind.GONE,
    LetterKind.STANDBY,
    LetterKind.OBSERVER,
)
"""What answers no mail either."""

MOST_ANSWERS = 100
"""The most answers that an address gets in a day, whatever it sends: no loop runs on for ever."""

_PAUSES = {
    LetterKind.UNREADABLE: timedelta(minutes=5),
    LetterKind.HINT: timedelta(hours=6),
    LetterKind.HELD: timedelta(hours=6),
    LetterKind.REFUSED: timedelta(days=1),
    LetterKind.FORMER: timedelta(hours=6),
}
