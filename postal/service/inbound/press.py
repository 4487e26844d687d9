"""Press: what players write in the next report, to all or to some of them (ORDERS.md, Commands)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from sqlmodel import Session

from postal.mail.disguises import struck_out
from postal.ordertext import Command, read_quoted
from postal.ordertext.folding import fold
from postal.reports import Said
from postal.reports.said import MOST_CHARACTERS, fits
from postal.service.inbound.case import SeatCase
from postal.service.inbound.passing import Change, noted
from postal.service.loading import LoadedGame
from postal.service.overtaken import OvertakenError
from postal.service.records.play import order_context
from postal.store.holders import held_since
from postal.store.rows import GameStatus, PressRow
from postal.store.tokens import tokens_among
from postal.store.words import take_press_back, waiting_press

_AND = re.compile(r" (?:and|&) ")


@dataclass(slots=True)
class PressTaking:
    """What a mail adds to the press that waits for the next report, and what it takes back."""

    case: SeatCase
    _waiting: Sequence[PressRow] = field(init=False, repr=False)
    _new: list[PressRow] = field(default_factory=list, repr=False)
    _back: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Look up what waits of the seat, of who holds it now."""
        session, seat = self.case.session, self.case.seat
        since = held_since(session, seat.id, seat.person.id)
        self._waiting = [
            row
            for row in waiting_press(session, self.case.loaded.id)
            if row.seat_id == seat.id and since is not None and row.at >= since
        ]

    def add(self, command: Command) -> Said:
        """Take what a ``press:`` block says, and return what becomes of it."""
        case = self.case
        to = _named(case, command.about) if command.about else ()
        refused = self._refused(command)
        if refused is not None:
            return refused
        if to is None:
            others = (seat.name for seat in case.loaded.seats if seat.name != case.seat.name)
            return Said("press-unknown", tuple(others))
        text = struck_out(command.argument, partial(tokens_among, case.session))
        self._new.append(
            PressRow(
                game_id=case.loaded.id,
                seat_id=case.seat.id,
                to="\n".join(to),
                text=text,
                mail_id=case.row.id,
                at=case.work.clock.now(),
            )
        )
        return Said("press", to, anonymous=bool(case.loaded.rules.options["anonymous"]))

    def _refused(self, command: Command) -> Said | None:
        """Return why nothing of a block is printed, whoever it is to; None where it may be."""
        loaded = self.case.loaded
        allowed = loaded.rules.choice("press")
        if allowed == "off":
            return Said("press-off")
        if loaded.row.status is not GameStatus.RUNNING:
            return Said("press-over")
        if command.about and allowed != "private":
            return Said("press-public-only")
        if read_quoted(command.argument, order_context(loaded.game, self.case.seat.name)):
            # Cards that nobody else may see, more often than not: he forgot the end of his press.
            return Said("press-order")
        kept = [row.text for row in self._waiting if row.id not in self._back]
        kept += [row.text for row in self._new]
        too_long = not fits([*kept, command.argument])
        return Said("press-long", limit=MOST_CHARACTERS) if too_long else None

    def take_back(self) -> Said:
        """Take back all that waits, and what stands further up in the mail."""
        waiting = [row.id for row in self._waiting if row.id and row.id not in self._back]
        if not waiting and not self._new:
            return Said("press-none")
        self._new.clear()
        self._back += waiting
        return Said("press-back")

    def changes(self) -> tuple[Change, ...]:
        """Return what is to be written."""
        done: list[Change] = []
        if self._back:
            done.append(self._remove)
            done.append(noted(self.case, "press", "Taken back."))
        if self._new:
            done.append(self._store)
            done.append(
                noted(self.case, "press", f"For the next report, in mail {self.case.row.id}.")
            )
        return tuple(done)

    def _remove(self, session: Session) -> None:
        if not take_press_back(session, self._back):
            # It was printed meanwhile: nothing waits any more.
            raise OvertakenError

    def _store(self, session: Session) -> None:
        session.add_all(self._new)


def _named(case: SeatCase, about: str) -> tuple[str, ...] | None:
    """Return the seats that press is to, None where a name is nobody's, or none is another's."""
    first, _, rest = about.partition(" ")
    if first not in ("to", "for"):
        return None
    known = _names(case.loaded)
    found: list[str] = []
    for part in filter(None, (one.strip() for one in rest.split(","))):
        names = [part] if part in known else _AND.split(part.removeprefix("and "))
        if not all(name in known for name in names):
            return None
        found += [known[name] for name in names]
    others = tuple(name for name in dict.fromkeys(found) if name != case.seat.name)
    return others or None


def _names(loaded: LoadedGame) -> dict[str, str]:
    """Return the name of each seat by that and by its holder's, folded."""
    seats = {fold(loaded.holders.get(seat.name, seat.name)): seat.name for seat in loaded.seats}
    return seats | {fold(seat.name): seat.name for seat in loaded.seats}
