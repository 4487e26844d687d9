"""Giving a seat to another holder: what goes over to him, what is void, and who is told (9.8)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from sqlmodel import Session

from postal.engine.book import Book, final
from postal.engine.view import view
from postal.errors import PostalError
from postal.reports import PastOrders
from postal.service.loading import LoadedGame, Presence, TurnFile, load_turn_file
from postal.service.outbound.kinds import LetterKind
from postal.service.outbound.letters import Letter, Letters
from postal.service.overtaken import OvertakenError
from postal.service.turns.reports import write_report_again
from postal.store.codec import decode_book
from postal.store.holders import change_holder, ever_held, held_now
from postal.store.orders import NewLine, put_on_file, set_attendance, take_off_file
from postal.store.outbox import withdraw_messages
from postal.store.rows import (
    GameStatus,
    JournalRow,
    OrderAction,
    PersonRow,
    SeatRow,
    TurnStatus,
    fold,
)
from postal.store.seats import HeldSeat, token_serials
from postal.store.tokens import revoke
from postal.store.turns import advance
from postal.store.voidturns import turns_of

WITHDRAWN = "withdrawn: somebody else holds the seat now"
"""Why a mail to the former holder of a seat is marked as failed."""

Why = Literal["replace", "standby", "robot"]
"""What gave the seat to another, as the journal calls it."""


@dataclass(frozen=True, slots=True)
class Newcomer:
    """Who is to hold a seat: ``person`` has no id yet where nobody knew him so far.

    ``addresses`` are his, that of his reports first; a robot has none.
    """

    person: PersonRow
    addresses: tuple[str, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Handover:
    """A seat that changes hands, worked out and told of in letters; ``write`` does it."""

    loaded: LoadedGame
    seat: HeldSeat
    newcomer: Newcomer = field(repr=False)
    why: Why
    who: str
    now: datetime
    due_at: datetime | None
    void: tuple[str, ...]
    fixed: bool

    def write(self, session: Session) -> None:
        """Write it; OvertakenError where something has changed since it was worked out."""
        seat, turn = self.seat, self.loaded.turn
        serials = token_serials(session, [seat.id], "revoke")
        holder = held_now(session, seat.id)
        if serials != {seat.id: seat.seat.token_serial} or holder != seat.person.id:
            raise OvertakenError
        aside = turn is None or turn.status is TurnStatus.SET_ASIDE
        # A turn that is being adjudicated is ended first, for it isn't open.
        if turn is not None and not aside and not advance(session, turn, self.due_at):
            raise OvertakenError
        if turn is not None:
            self._start_anew(session, turn.id or 0)
        change_holder(session, seat.id, self.newcomer.person, self.newcomer.addresses, self.now)
        withdraw_messages(session, [seat.id], seat.addresses, text=WITHDRAWN)
        revoke(session, [seat.id])
        session.add(
            JournalRow(
                at=self.now,
                game_id=self.loaded.id,
                turn=turn.number if turn else None,
                who=self.who,
                what=self.why,
                sentence=self._sentence,
            )
        )
        session.flush()

    @property
    def _sentence(self) -> str:
        new = "a robot" if self.newcomer.person.robot else self.newcomer.person.name
        return f"The seat of {self.seat.name}, held by {self.seat.person.name}, goes to {new}."

    def _start_anew(self, session: Session, turn_id: int) -> None:
        """Take the former holder's orders off the file, and hear of the new one (9.4)."""
        take_off_file(session, turn_id, self.seat.id, self.void)
        lines = [(OrderAction.CANCELLED, hand, "") for hand in self.void]
        if self.void and not self.fixed:
            # So the record of the turn comes to what was used.
            lines.append((OrderAction.READ, "", "cancel all"))
        log = [
            NewLine(
                turn_id=turn_id,
                seat_id=self.seat.id,
                mail_id=None,
                at=self.now,
                action=action,
                hand=hand,
                line=line,
            )
            for action, hand, line in lines
        ]
        put_on_file(session, (), log)
        set_attendance(
            session,
            turn_id,
            self.seat.id,
            heard=True,
            waiting=False,
            troubled=False,
            troubled_until=None,
            last_order_at=None,
        )


def check_newcomer(session: Session, loaded: LoadedGame, seat: HeldSeat, new: Newcomer) -> None:
    """Raise PostalError where somebody may not hold a seat (9.8), or is called as another there."""
    slug, name = loaded.row.slug, new.person.name
    if loaded.row.status is not GameStatus.RUNNING:
        raise PostalError(f"{slug} is over: nothing was done.")
    if new.person.robot and seat.person.robot:
        raise PostalError(f"A robot holds the seat of {seat.name} already.")
    if new.person.robot:
        return
    if new.person.id is not None and new.person.id == seat.person.id:
        raise PostalError(f"{name} holds that seat already.")
    for person, held in ever_held(session, loaded.id, new.person.id, new.addresses):
        if held != seat.id:
            raise PostalError(
                f"{person.name} holds or has held another seat in {slug}, and gets no second one."
            )
    for other in loaded.seats:
        if other.id != seat.id and fold(name) in (fold(other.name), fold(other.person.name)):
            raise PostalError(f"{slug} has a player called {name} already: take another name.")


def prepare(  # noqa: PLR0913 - the whole of a handover
    letters: Letters, loaded: LoadedGame, seat: HeldSeat, new: Newcomer, why: Why, who: str = "GM"
) -> Handover:
    """Work out that somebody else holds a seat from now on, and write to all of it.

    He gets what the seat may know: its last report with a token of his own, its cards, and the
    orders that were used of it. What the former holder had on file for the turn in play is void,
    but for gifts that have gone out by post (2.4).
    """
    file = load_turn_file(letters.session, loaded)
    game, name = loaded.game, seat.name
    fixed = {hand.name for hand, _ in game.hands_of(name) if final(game, file.book, name, hand)}
    # What may not change in a turn that is played again stays on file for whoever sits there.
    fixed |= {hand for player, hand in file.book.fixed if player == name}
    void = tuple(hand for hand in file.book.of(name) if hand not in fixed)
    kept = tuple(one for one in file.book.filed if one.player != name or one.hand in fixed)
    after_file = TurnFile(
        replace(file.book, filed=kept).hear(name), {**file.presence, name: Presence(heard=True)}
    )
    columns = seat.seat.model_dump() | {"token_serial": seat.seat.token_serial + 1}
    mine = HeldSeat(SeatRow(**columns), new.person, new.addresses)
    seats = tuple(mine if one.id == seat.id else one for one in loaded.seats)
    after = replace(loaded, seats=seats)
    open_now = loaded.turn is not None and loaded.turn.status is not TurnStatus.DONE
    _tell(letters, after, mine, after_file.book)
    if seat.address:
        gone = letters.work.reports.gone(letters.frame(loaded), seat.person.name, name)
        letters.to_person(loaded, seat.address, seat.person.name, gone, LetterKind.GONE)
    return Handover(
        loaded,
        seat,
        new,
        why,
        who,
        letters.work.clock.now(),
        after_file.due_at(after) if open_now else None,
        void,
        bool(fixed),
    )


def _tell(letters: Letters, after: LoadedGame, mine: HeldSeat, book: Book) -> None:
    game, reports, robot = after.game, letters.work.reports, mine.person.robot
    for seat in after.seats:
        yours = seat.id == mine.id
        seen = view(game, seat.name, book if yours else None)
        rendered = reports.seat(
            letters.frame(after, seat),
            seen,
            mine.name,
            mine.person.name,
            robot=robot,
            past=_past(letters.session, after, mine.name) if yours else None,
        )
        letters.to_player(after, seat, Letter(LetterKind.SEAT, rendered, game.turn))
        if yours:
            write_report_again(letters, after, seat, book=book)


def _past(session: Session, loaded: LoadedGame, name: str) -> tuple[PastOrders, ...]:
    """Return the orders of a seat that were used, by turn; none of turns that were taken back."""
    return tuple(
        PastOrders(
            turn.number,
            tuple(order.line() for order in decode_book(turn.orders).of(name).values()),
        )
        for turn in turns_of(session, loaded.id)
        if turn.number and turn.orders and turn.void_at is None
    )
