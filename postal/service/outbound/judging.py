"""Judges an answer to a mail: about that mail alone, or about us (RULES.md 10.5, MAIL.md)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum, auto

from sqlmodel import Session

from postal.mail.refusals import status_of
from postal.mail.smtp import SendResult
from postal.service.outbound.holding import free_since
from postal.service.outbound.kinds import LetterKind
from postal.store.holding import OutboxHold, last_taken, put_off_alike
from postal.store.rows import Hindrance, OutboxRow

BACKOFF = (1, 5, 15, 60, 240)
"""Minutes before each further try of a mail; the last holds for all that follow."""

GIVE_UP = timedelta(days=5)
"""How long a mail that is never taken is tried, as mail servers do (RFC 5321, 4.5.4.1)."""

_ABOUT_US = frozenset({0, 421, 454, 530, 534, 535, 538})
"""Answers that concern the connection or the login, whoever gives them; 0 is none (RFC 4954, 6)."""

Shape = tuple[int, str]
"""How a mail was refused: the code, and the enhanced status where there is one."""


class Verdict(Enum):
    """What is to become of a mail; ``OURS``: it waits with all others until any is taken."""

    SENT = auto()
    LATER = auto()
    FAILED = auto()
    OURS = auto()


@dataclass(slots=True)
class Judge:
    """What one round has seen of a server so far, by which its next answer is understood.

    A refusal that may be about us counts against its mail only once the server has taken another
    one, to somebody else. Two to different people that are refused alike, and none taken between,
    are about us, whatever is said: a server that can't look its addresses up calls each of them
    unknown. ``alike`` are the ids of those that were so found to be ours.
    """

    now: Callable[[], datetime]
    begun: bool = False
    probing: OutboxHold | None = None
    alike: list[int] = field(default_factory=list)
    _refused: list[tuple[int, str, Shape]] = field(default_factory=list)

    def of(self, session: Session, message: OutboxRow, result: SendResult) -> Verdict:
        """Return what a result means for its mail and, by ``OURS``, for all."""
        if result.state == "sent":
            self._refused.clear()
            return Verdict.SENT
        about_us = result.about_us or (result.state != "failed" and result.code in _ABOUT_US)
        doubtful = result.doubtful or result.state == "unknown"
        if not doubtful and result.state != "failed":
            return Verdict.OURS if about_us else self._his(session, message, result)
        shape = _shape(result.code, result.text)
        if self.probing is not None or self._like_another(message, shape):
            return Verdict.OURS
        if _taken_since(session, message):
            return self._his(session, message, result)
        # A connection lost once may be anybody's doing, but not where others went meanwhile before.
        lost = about_us and message.hindrance is not Hindrance.HIS
        if lost or self._like_one_before(session, message, shape):
            return Verdict.OURS
        self._refused.append((message.id or 0, message.recipient, shape))
        return Verdict.LATER if doubtful else self._his(session, message, result)

    def _like_another(self, message: OutboxRow, shape: Shape) -> bool:
        """Whether another's mail was refused so in this round, and none taken since."""
        seen = self._refused
        self.alike = [one for one, who, how in seen if how == shape and who != message.recipient]
        return bool(self.alike)

    def _like_one_before(self, session: Session, message: OutboxRow, shape: Shape) -> bool:
        """Whether another's mail was put off so in an earlier round, and none taken since."""
        self.alike = _alike_before(session, message, shape)
        return bool(self.alike)

    def _his(self, session: Session, message: OutboxRow, result: SendResult) -> Verdict:
        """Return what becomes of a mail of which it is known that it alone is meant.

        One to the GM is tried on all the same: nobody else could be told that he doesn't get it.
        """
        if result.state == "failed" and message.kind != LetterKind.GM:
            return Verdict.FAILED
        old = self.now() - message.created_at > GIVE_UP
        if old and self.now() - free_since(session, message.created_at) > GIVE_UP:
            return Verdict.FAILED
        return Verdict.LATER


def pause_after(tries: int) -> timedelta:
    """Return how long a mail waits that was tried so often."""
    return timedelta(minutes=BACKOFF[min(max(tries, 1), len(BACKOFF)) - 1])


def _shape(code: int | None, text: str) -> Shape:
    return code or 0, status_of(text)


def _refused_at(message: OutboxRow, tries: int) -> datetime | None:
    """Return when a mail was refused that has since waited to be tried again."""
    return message.next_try_at - pause_after(tries) if message.next_try_at and tries else None


def _taken_since(session: Session, message: OutboxRow) -> bool:
    """Whether the mail was refused before, and another was taken since."""
    refused = _refused_at(message, message.tries - 1)
    if refused is None:
        return False
    taken = last_taken(session, message.recipient)
    return taken is not None and taken >= refused


def _alike_before(session: Session, message: OutboxRow, shape: Shape) -> list[int]:
    """Return the mails that were put off in the same way before, with none taken since."""
    rows = [
        row
        for row in put_off_alike(session, shape[0], message.recipient)
        if _shape(row.last_code, row.last_text) == shape
    ]
    if not rows:
        return []
    taken = last_taken(session)
    times = [(row.id or 0, _refused_at(row, row.tries)) for row in rows]
    return [number for number, at in times if at and (taken is None or taken < at)]
