"""The seats of a game, each with who holds it now and the addresses that he is known by."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Literal

from sqlalchemy import bindparam
from sqlmodel import Session, col, select

from postal.store.rows import AddressRow, HolderRow, PersonRow, SeatRow, fold

# Made once, for every mail needs them: to make a statement takes longer than to send it.
_HELD = (
    select(SeatRow, PersonRow, AddressRow)
    .join(HolderRow, col(HolderRow.seat_id) == SeatRow.id)
    .join(PersonRow, col(PersonRow.id) == HolderRow.person_id)
    .outerjoin(AddressRow, col(AddressRow.person_id) == PersonRow.id)
    .where(col(SeatRow.game_id) == bindparam("of_game"), col(HolderRow.until).is_(None))
    .order_by(col(SeatRow.position), col(AddressRow.id))
)
_SERIALS = select(SeatRow.id, SeatRow.token_serial).where(
    col(SeatRow.id).in_(bindparam("seats", expanding=True))
)
_SERIALS_FOR = {
    None: _SERIALS,
    "issue": _SERIALS.order_by(col(SeatRow.id)).with_for_update(read=True),
    "revoke": _SERIALS.order_by(col(SeatRow.id)).with_for_update(),
}


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
    """Return a game's seats in the order of their positions, by one statement."""
    held: dict[int, tuple[SeatRow, PersonRow, list[AddressRow]]] = {}
    for seat, person, address in session.exec(_HELD, params={"of_game": game_id}).all():
        held.setdefault(seat.id or 0, (seat, person, []))[2].append(address)
    return tuple(
        HeldSeat(seat, person, _confirmed([row for row in rows if row is not None]))
        for seat, person, rows in held.values()
    )


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
    rows = session.exec(_SERIALS_FOR[hold], params={"seats": list(seat_ids)}).all()
    return {seat_id or 0: serial for seat_id, serial in rows}


def _confirmed(rows: Sequence[AddressRow]) -> tuple[str, ...]:
    mine = [row for row in rows if row.confirmed_at is not None]
    return tuple(row.address for row in sorted(mine, key=lambda row: not row.reports))
