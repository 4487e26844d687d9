"""The seats of a game, each with who holds it now and the addresses that he is known by."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Literal

from sqlmodel import Session, col, select

from postal.store.people import addresses_of
from postal.store.rows import AddressRow, HolderRow, PersonRow, SeatRow, fold


@dataclass(frozen=True, slots=True)
class HeldSeat:
    """A seat and its holder: ``addresses`` are his confirmed ones, that of his reports first."""

    seat: SeatRow
    person: PersonRow
    addresses: tuple[str, ...] = field(repr=False)

    @property
    def id(self) -> int:
        """The seat's id in the store."""
        assert self.seat.id is not None, "a stored seat has an id"
        return self.seat.id

    @property
    def name(self) -> str:
        """The name that the game began with: the engine and the record know the seat by it."""
        return self.seat.name

    @property
    def address(self) -> str:
        """Where the holder's reports go; empty where no address of his is known any more."""
        return self.addresses[0] if self.addresses else ""


def seats_of(session: Session, game_id: int) -> tuple[HeldSeat, ...]:
    """Return a game's seats in the order of their positions, by two statements."""
    statement = (
        select(SeatRow, PersonRow)
        .join(HolderRow, col(HolderRow.seat_id) == SeatRow.id)
        .where(
            SeatRow.game_id == game_id,
            PersonRow.id == HolderRow.person_id,
            col(HolderRow.until).is_(None),
        )
        .order_by(col(SeatRow.position))
    )
    held = session.exec(statement).all()
    rows = addresses_of(session, [person.id or 0 for _, person in held])
    return tuple(HeldSeat(seat, person, _confirmed(rows, person)) for seat, person in held)


def seat_called(session: Session, game_id: int, name: str) -> SeatRow | None:
    """Return the seat of that name in a game, without regard to case."""
    statement = select(SeatRow).where(SeatRow.game_id == game_id, SeatRow.name_key == fold(name))
    return session.exec(statement).one_or_none()


def token_serials(
    session: Session, seat_ids: Collection[int], hold: Literal["issue", "revoke"] | None = None
) -> dict[int, int]:
    """Return how often the tokens of some seats were revoked, by seat.

    ``hold`` is what they are to be given out or revoked for: nobody revokes them before the
    transaction ends, and to "revoke" them nobody gives them out either.
    """
    if not seat_ids:
        return {}
    statement = select(SeatRow.id, SeatRow.token_serial).where(col(SeatRow.id).in_(seat_ids))
    if hold is not None:
        statement = statement.order_by(col(SeatRow.id)).with_for_update(read=hold == "issue")
    return {seat_id or 0: serial for seat_id, serial in session.exec(statement).all()}


def _confirmed(rows: Sequence[AddressRow], person: PersonRow) -> tuple[str, ...]:
    mine = [row for row in rows if row.person_id == person.id and row.confirmed_at is not None]
    return tuple(row.address for row in sorted(mine, key=lambda row: not row.reports))
