"""Reports with new tokens: written before the old ones are void, if nothing changed meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlmodel import Session

from postal.service.loading import LoadedGame, load_turn_file
from postal.service.outbound.letters import Letters
from postal.service.turns.reports import write_report_again
from postal.store.people import addresses_of, seats_held
from postal.store.rows import SeatRow
from postal.store.seats import HeldSeat, token_serials
from postal.store.turns import turns_done


@dataclass(frozen=True, slots=True)
class Standing:
    """What letters to a person are made from, to be compared before they are queued.

    ``addresses`` are (id, address, whether confirmed, whether reports go there), ``seats`` (id,
    serial of its tokens, last turn that is done).
    """

    addresses: tuple[tuple[int, str, bool, bool], ...] = field(repr=False)
    seats: tuple[tuple[int, int, int], ...]

    @property
    def seat_ids(self) -> tuple[int, ...]:
        """The ids of the seats that the person holds."""
        return tuple(seat_id for seat_id, _, _ in self.seats)


def standing(session: Session, person_id: int, *, to_change: bool = False) -> Standing:
    """Return how a person stands.

    ``to_change``: nobody else gives tokens out before the transaction ends, and what is about to
    (a turn's reports) is waited for.
    """
    seats = [seat.id or 0 for seat, _ in seats_held(session, person_id)]
    serials = token_serials(session, seats, "revoke" if to_change else None)
    held = seats_held(session, person_id)
    done = turns_done(session, [game.id or 0 for _, game in held])
    return Standing(
        tuple(
            (row.id or 0, row.address, row.confirmed_at is not None, row.reports)
            for row in addresses_of(session, [person_id])
        ),
        tuple(
            (seat.id or 0, serials.get(seat.id or 0, -1), done.get(game.id or 0, 0))
            for seat, game in held
        ),
    )


def renewed_report(
    letters: Letters, loaded: LoadedGame, seat: HeldSeat, addresses: Sequence[str] = ()
) -> None:
    """Write a seat's holder his last report with the token that he gets once the old ones are void.

    It goes to the first of ``addresses`` where these are to be his from now on.
    """
    columns = seat.seat.model_dump() | {"token_serial": seat.seat.token_serial + 1}
    after = HeldSeat(SeatRow(**columns), seat.person, tuple(addresses) or seat.addresses)
    book = load_turn_file(letters.session, loaded).book
    write_report_again(letters, loaded, after, book=book)
