"""Giving a player's seat to somebody else or a robot (``postal player replace``, ``robot``)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlmodel import Session

from postal.errors import PostalError, UsageError
from postal.ordertext import name_problem
from postal.service.desk.players import check_address
from postal.service.loading import LoadedGame, find_game, load_game
from postal.service.outbound.letters import Letters
from postal.service.overtaken import until_written
from postal.service.turns.seating import Newcomer, Why, check_newcomer, prepare
from postal.service.workplace import Workplace
from postal.store.people import addresses_of, person_with
from postal.store.rows import PersonRow
from postal.store.seats import HeldSeat

ROBOT = "Robot"
"""How a robot is called that holds a seat."""


@dataclass(frozen=True, slots=True)
class Replaced:
    """A seat that has another holder now, and who held it before."""

    game: str
    seat: str
    former: str
    holder: str


def replace_player(work: Workplace, slug: str, old: str, name: str, address: str) -> Replaced:
    """Give the seat of a player (its own name or its holder's) to somebody else; all are told.

    He may be known from other games, by name and address. Raises UsageError for a name or an
    address that won't do, PostalError where there is no such seat or he may not hold it (9.8).
    """
    check_person(work, name, address)

    return _seat_somebody(
        work, slug, old, "replace", lambda session: newcomer(session, work, name, address)
    )


def seat_robot(work: Workplace, slug: str, old: str) -> Replaced:
    """Let a robot hold the seat of a player; all are told. Raises as ``replace_player`` does."""
    robot = PersonRow(name=ROBOT, robot=True, created_at=work.clock.now())
    return _seat_somebody(work, slug, old, "robot", lambda _: Newcomer(robot, ()))


def check_person(work: Workplace, name: str, address: str) -> None:
    """Raise UsageError for a name or an address that won't do for a player."""
    problem = name_problem(name)
    if problem:
        raise UsageError(f"Player {name!r}: {problem}")
    check_address(work, address)


def newcomer(session: Session, work: Workplace, name: str, address: str) -> Newcomer:
    """Return the person of that name and address, who is new where nobody of the league is."""
    person = person_with(session, name, address)
    if person is None:
        return Newcomer(PersonRow(name=name, created_at=work.clock.now()), (address,))
    rows = [row for row in addresses_of(session, [person.id or 0]) if row.confirmed_at is not None]
    known = tuple(row.address for row in sorted(rows, key=lambda row: not row.reports))
    return Newcomer(person, known)


def _seat_somebody(
    work: Workplace, slug: str, old: str, why: Why, who: Callable[[Session], Newcomer]
) -> Replaced:
    def deed() -> Replaced:
        with work.database.reading() as session:
            loaded, seat = _seat(session, slug, old)
            new, letters = who(session), Letters(session, work)
            check_newcomer(session, loaded, seat, new)
            handover = prepare(letters, loaded, seat, new, why)
        with work.database.transaction() as session:
            handover.write(session)
            letters.queue(session)
        return Replaced(slug, seat.name, seat.person.name, new.person.name)

    return until_written(deed)


def _seat(session: Session, slug: str, named: str) -> tuple[LoadedGame, HeldSeat]:
    loaded = load_game(session, find_game(session, slug))
    seat = loaded.seat_meant(named)
    if seat is None:
        raise PostalError(f"There is no player {named!r} in {slug}: see `postal game show {slug}`.")
    return loaded, seat
