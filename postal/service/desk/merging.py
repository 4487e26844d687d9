"""Making one person of two entries of the league that are one (MAIL.md, Who wrote it)."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import update
from sqlmodel import Session, col

from postal.errors import PostalError, UsageError
from postal.service.desk.people import find_person
from postal.service.desk.renewal import standing
from postal.service.inbound.addresses import taken_by
from postal.service.loading import LoadedGame, UnreadableGameError, load_game
from postal.service.outbound.kinds import LetterKind
from postal.service.outbound.letters import Letter, Letters
from postal.service.overtaken import OvertakenError, until_written
from postal.service.workplace import Workplace
from postal.store.absences import move_absences
from postal.store.observers import move_observer
from postal.store.people import addresses_of, forget_address, seats_held
from postal.store.rows import GameStatus, HolderRow, PersonRow, fold
from postal.store.seats import HeldSeat
from postal.store.standbys import move_standbys
from postal.store.tokens import revoke_for_address, revoke_for_person


@dataclass(frozen=True, slots=True)
class Merged:
    """The person that is left, the games he plays in now, and which names could be written to."""

    person_id: int
    name: str
    games: tuple[str, ...]
    told: tuple[str, ...]


def merge_people(work: Workplace, kept: str, other: str) -> Merged:
    """Make one person of two who are one: seats and addresses go to the first; both are told.

    Reports of all games go to the first's address from then on, and mail from every address
    counts. Raises PostalError where both sit in one game, since nobody plays against himself, and
    where an address of the one is another player's in a game of the other.
    """
    return until_written(lambda: _merge(work, kept, other))


def _merge(work: Workplace, kept: str, other: str) -> Merged:
    with work.database.reading() as session:
        first, second = find_person(session, kept), find_person(session, other)
        _refuse(session, first, second)
        before = [standing(session, one.id or 0) for one in (first, second)]
        letters = Letters(session, work)
        told = _tell(session, letters, first, second)
    with work.database.transaction() as session:
        now = [standing(session, one.id or 0, to_change=True) for one in (first, second)]
        if now != before:
            raise OvertakenError
        left, gone = session.get(PersonRow, first.id), session.get(PersonRow, second.id)
        if left is None or gone is None:
            raise OvertakenError
        _take_over(session, left, gone)
        letters.queue(session)
        games = _in_play(session, left)
    return Merged(first.id or 0, first.name, games, told)


def _refuse(session: Session, first: PersonRow, second: PersonRow) -> None:
    if first.id == second.id:
        raise UsageError(f"{first.name} (number {first.id}) is one person already.")
    mine = {game.id for _, game in seats_held(session, first.id or 0)}
    both = [game.slug for _, game in seats_held(session, second.id or 0) if game.id in mine]
    if both:
        raise PostalError(
            f"{first.name} and {second.name} both play in {', '.join(both)}: they are two people."
        )
    for one, two in ((first, second), (second, first)):
        for row in addresses_of(session, [two.id or 0]):
            name = taken_by(session, one.id or 0, row.address) if row.confirmed_at else None
            if name:
                raise PostalError(
                    f"{row.address} would be both {one.name}'s and {name}'s in one game: give"
                    f" {two.name} another with `postal player set-address {two.id} ADDRESS` first."
                )


def _in_play(session: Session, person: PersonRow) -> tuple[str, ...]:
    held = seats_held(session, person.id or 0)
    return tuple(game.slug for _, game in held if game.status is GameStatus.RUNNING)


def _tell(
    session: Session, letters: Letters, first: PersonRow, second: PersonRow
) -> tuple[str, ...]:
    """Write to both where each was written to so far: whoever is somebody else can object."""
    told: list[str] = []
    to = next((row.address for row in addresses_of(session, [first.id or 0]) if row.reports), "")
    for person, other in ((first, second), (second, first)):
        found = _written_of(session, person)
        if found is None or not found[1].addresses:
            continue
        loaded, seat = found
        rendered = letters.work.reports.merged(
            letters.frame(loaded, seat),
            person.name,
            other.name,
            _in_play(session, other),
            here=fold(seat.address) == fold(to),
        )
        letter = Letter(LetterKind.ADDRESS, rendered, loaded.game.turn)
        if letters.to_player(loaded, seat, letter):
            told.append(person.name)
    return tuple(told)


def _written_of(session: Session, person: PersonRow) -> tuple[LoadedGame, HeldSeat] | None:
    """Return the game in whose name a person is written to, and his seat: the latest, in play."""
    held = seats_held(session, person.id or 0)
    running = [one for one in held if one[1].status is GameStatus.RUNNING]
    over = [one for one in held if one[1].status is not GameStatus.RUNNING]
    for seat, game in (*reversed(running), *reversed(over)):
        try:
            loaded = load_game(session, game)
        except UnreadableGameError:
            continue
        return loaded, loaded.seat_by_id(seat.id or 0)
    return None


def _take_over(session: Session, first: PersonRow, second: PersonRow) -> None:
    """Give the first person all that is the second's, who is then no more."""
    seats = update(HolderRow).where(col(HolderRow.person_id) == second.id)
    session.exec(seats.values(person_id=first.id))
    move_absences(session, second.id or 0, first.id or 0)
    move_standbys(session, second.id or 0, first.id or 0)
    revoke_for_person(session, second.id or 0)
    move_observer(session, second.id or 0, first.id or 0)
    mine = {row.address_key: row for row in addresses_of(session, [first.id or 0])}
    settled = any(row.reports for row in mine.values())
    for row in addresses_of(session, [second.id or 0]):
        same = mine.get(row.address_key)
        if same is None:
            row.person_id, row.reports = first.id or 0, row.reports and not settled
            session.add(row)
            continue
        if same.confirmed_at is None and row.confirmed_at is not None:
            same.confirmed_at = row.confirmed_at
            revoke_for_address(session, same.id or 0)
            session.add(same)
        forget_address(session, row)
    first.zone = first.zone or second.zone
    first.language = first.language or second.language
    first.created_at = min(first.created_at, second.created_at)
    session.add(first)
    session.flush()
    session.delete(second)
    session.flush()
