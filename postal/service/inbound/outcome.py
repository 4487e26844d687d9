"""What a mail comes to, worked out while nothing is locked, then written in one transaction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from sqlmodel import Session

from postal.service.inbound.whose import Whose
from postal.service.loading import Presence
from postal.service.outbound.letters import Letters
from postal.service.overtaken import OvertakenError
from postal.store.orders import (
    NewLine,
    NewOrder,
    put_on_file,
    set_attendance,
    take_off_file,
)
from postal.store.rows import MailRow, MailStatus, OrderAction, TurnRow
from postal.store.turns import advance


@dataclass(frozen=True, slots=True)
class TurnChange:
    """What a mail changes of what is on file for an open turn, and when the turn is due then.

    ``off`` names the hands whose orders of the seat are taken off the file, ``orders`` those
    that go on file, in their order; ``log`` is the evidence of every line.
    """

    turn: TurnRow
    seat_id: int
    due_at: datetime | None
    presence: Presence
    off: tuple[str, ...] = ()
    orders: tuple[NewOrder, ...] = field(default=(), repr=False)
    log: tuple[NewLine, ...] = field(default=(), repr=False)

    def write(self, session: Session) -> None:
        """Write it; OvertakenError where the turn is not as it was when this was worked out."""
        if self.turn.id is None or not advance(session, self.turn, self.due_at):
            raise OvertakenError
        take_off_file(session, self.turn.id, self.seat_id, self.off)
        put_on_file(session, self.orders, self.log)
        set_attendance(
            session,
            self.turn.id,
            self.seat_id,
            heard=self.presence.heard,
            resigned=self.presence.resigned,
            waiting=self.presence.waiting,
            troubled=self.presence.troubled,
            troubled_until=self.presence.troubled_until,
            last_order_at=self.presence.last_order_at,
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """What becomes of a mail: its status and why, whose it is, and all that is to be written.

    ``target`` is the folder that it goes to where that isn't its status's own. ``changes`` are
    what it changes beside the turn, each a few statements.
    """

    status: MailStatus
    reason: str
    whose: Whose | None = None
    target: str = ""
    turn: TurnChange | None = field(default=None, repr=False)
    changes: tuple[Callable[[Session], object], ...] = field(default=(), repr=False)

    @property
    def orders_something(self) -> bool:
        """Whether it changes what is on file, or what holds the turn."""
        return self.turn is not None and any(
            not row.code and row.action is not OrderAction.READ for row in self.turn.log
        )

    def write(self, session: Session, row: MailRow, letters: Letters) -> None:
        """Write all of it, the letters too; OvertakenError where it must be worked out anew."""
        row.status, row.reason = self.status, self.reason
        row.game_id = row.seat_id = row.turn = None
        if self.whose is not None:
            row.game_id, row.turn = self.whose.game.id, self.whose.turn
            row.seat_id = self.whose.seat_id
        session.add(row)
        session.flush()
        if self.turn is not None:
            self.turn.write(session)
        for change in self.changes:
            change(session)
        letters.queue(session)
