"""A mail to be handled and what is known of it so far: what each step is handed and asks."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlmodel import Session

from postal.mail.incoming import Incoming
from postal.service.inbound.outcome import TurnChange
from postal.service.inbound.trouble import ends, owes
from postal.service.inbound.whose import Whose, identify
from postal.service.loading import LoadedGame, TurnFile, load_game, load_turn_file
from postal.service.outbound.letters import Letters
from postal.service.turns.outages import closed_in_outage
from postal.service.turns.reached import stands_still
from postal.service.workplace import Workplace
from postal.store.rows import GameStatus, MailRow, TurnStatus
from postal.store.seats import HeldSeat


@dataclass(frozen=True, slots=True)
class Case:
    """A stored mail as read, the session to look things up in, and the letters it calls for.

    ``vouched``: the GM says that its sender is real.
    """

    session: Session
    work: Workplace
    letters: Letters
    row: MailRow
    incoming: Incoming = field(repr=False)
    vouched: bool = False


@dataclass(frozen=True, slots=True)
class SeatCase(Case):
    """A mail with a good token: whose it is, the game, and what is on file for its turn in play.

    ``in_time``: the token's turn is open and the mail came before its deadline (RULES.md 10.5), or
    in the grace after it (9.1).
    """

    whose: Whose = field(kw_only=True)
    loaded: LoadedGame = field(kw_only=True)
    seat: HeldSeat = field(kw_only=True)
    file: TurnFile = field(kw_only=True, repr=False)

    @property
    def in_time(self) -> bool:
        """Whether the turn that the token names takes the mail's orders."""
        turn = self.loaded.turn
        row = self.loaded.row
        if turn is None or turn.status is not TurnStatus.OPEN or turn.number != self.whose.turn:
            return False
        if row.status is not GameStatus.RUNNING or self.whose.void:
            return False
        return self._came_before_it_closed

    @property
    def _came_before_it_closed(self) -> bool:
        """Whether the mail came before the turn in play closed, or while its deadline stands."""
        turn, closes = self.loaded.turn, self.loaded.closes
        if turn is None or closes is None or self.row.internal_date <= closes:
            return True
        # While a game is on hold its deadline stands still, and while its reports wait for us;
        # one that lay in an outage is about to move.
        hold = self.loaded.row.hold_since
        on_hold = hold is not None and hold < closes
        return (
            on_hold
            or stands_still(self.session, self.loaded)
            or closed_in_outage(self.session, self.work, self.loaded)
        )

    def troubled(self, *, his: bool) -> TurnChange | None:
        """Return the change by which the mail holds its turn (RULES.md 10.6), if it is open.

        ``his``: it is no doubtful one, so that he was heard of by it.
        """
        if self.loaded.turn is None or self.loaded.turn.number != self.whose.turn:
            return None
        file = self._heard() if his else self.file
        by_hand = self.loaded.rules.rulings.trouble_by_hand
        if not by_hand or owes(self.loaded.game, self.seat.name):
            # What it orders isn't known: it may be anything that is due from him.
            until = ends(self.loaded, min(self.row.internal_date, self.work.clock.now()))
            file = file.with_presence(self.seat.name, troubled=True, troubled_until=until)
        return self._change(file)

    def heard(self) -> TurnChange | None:
        """Return the change that the player was heard of in the turn in play (RULES.md 9.4)."""
        return self._change(self._heard())

    def touched(self) -> TurnChange | None:
        """Return the change that nobody who reckoned with the turn before can claim it after."""
        turn, name = self.loaded.turn, self.seat.name
        if turn is None or turn.status is not TurnStatus.OPEN:
            return None
        file = self._heard()
        return TurnChange(turn, self.seat.id, file.due_at(self.loaded), file.of(name))

    def _heard(self) -> TurnFile:
        counts = self.loaded.rules.rulings.any_mail_is_heard and self._came_before_it_closed
        return self.file.hear(self.seat.name) if counts else self.file

    def _change(self, file: TurnFile) -> TurnChange | None:
        turn, name = self.loaded.turn, self.seat.name
        if turn is None or turn.status is not TurnStatus.OPEN or file == self.file:
            return None
        return TurnChange(turn, self.seat.id, file.due_at(self.loaded), file.of(name))


def seated(case: Case) -> SeatCase | None:
    """Return a mail with whose it is and what is on file for the game, None without a token."""
    whose = identify(case.session, case.incoming)
    if whose is None:
        return None
    loaded = load_game(case.session, whose.game)
    return SeatCase(
        case.session,
        case.work,
        case.letters,
        case.row,
        case.incoming,
        case.vouched,
        whose=whose,
        loaded=loaded,
        seat=loaded.seat_by_id(whose.seat_id),
        file=load_turn_file(case.session, loaded),
    )
