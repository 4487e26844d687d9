"""What the GM does for a player: addresses, new tokens, and making one person of two (MAIL.md)."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import update
from sqlmodel import Session, col

from postal.errors import PostalError, UsageError
from postal.mail.gate import base_address
from postal.service.desk.newgame import plain_address
from postal.service.desk.people import find_person
from postal.service.inbound.addresses import taken_by
from postal.service.loading import LoadedGame, find_game, load_game
from postal.service.outbound.kinds import LetterKind
from postal.service.outbound.letters import Letter, Letters
from postal.service.turns.reports import write_report_again
from postal.service.workplace import Workplace
from postal.store.games import running_games
from postal.store.people import addresses_of, ask_address, seats_held, send_reports_to
from postal.store.rows import (
    AddressRow,
    GameRow,
    GameStatus,
    HolderRow,
    PersonRow,
    SeatRow,
    fold,
)
from postal.store.seats import HeldSeat, seat_called
from postal.store.tokens import revoke, revoke_for_address


def find_seat(session: Session, name: str, slug: str | None = None) -> tuple[LoadedGame, HeldSeat]:
    """Return the seat of that name, in the game named or in the one running game that has it.

    Raises PostalError where there is none, or where several games have one.
    """
    rows = [find_game(session, slug)] if slug else running_games(session)
    found = [(row, seat) for row in rows if (seat := seat_called(session, row.id or 0, name))]
    if not found:
        where = slug or "any running game"
        raise PostalError(f"There is no player {name!r} in {where}: see `postal game show GAME`.")
    if len(found) > 1:
        games = ", ".join(row.slug for row, _ in found)
        raise PostalError(f"{name} plays in {games}: name one with --game.")
    loaded = load_game(session, found[0][0])
    return loaded, loaded.seat(found[0][1].name)


def add_address(work: Workplace, name: str, address: str, slug: str | None = None) -> str:
    """Ask for a player's second address: both addresses get a mail; returns the game's name.

    It counts from an answer to the mail that goes to the new address. Raises UsageError for an
    address that won't do.
    """
    _check_address(work, address)
    with work.database.transaction() as session:
        loaded, seat = find_seat(session, name, slug)
        person_id = seat.person.id or 0
        for other in loaded.seats:
            if fold(address) in map(fold, other.addresses):
                raise UsageError(f"{address} is {other.name}'s address already.")
        if other_name := taken_by(session, person_id, address):
            raise UsageError(f"{address} is {other_name}'s address already.")
        row = ask_address(session, person_id, address, work.clock.now())
        letters, address_id = Letters(session, work), row.id or 0
        token = work.address_token(address_id)
        there = letters.address_frame(loaded, token)
        asked = work.reports.address(there, seat.name, address, "confirm")
        letters.to_address(loaded, seat, address, address_id, asked, token)
        told = work.reports.address(letters.frame(loaded, seat), seat.name, address, "asked")
        letters.to_player(loaded, seat, Letter(LetterKind.ADDRESS, told, loaded.game.turn))
        letters.queue(session)
    return loaded.row.slug


def set_address(work: Workplace, named: str, address: str) -> tuple[str, ...]:
    """Write to a person at another address from now on; return the games concerned.

    For an address that was mistyped or is gone: the report of each game in play goes there at
    once with a new token, and the old ones are void. The GM vouches for the address.
    """
    _check_address(work, address)
    with work.database.transaction() as session:
        person = find_person(session, named)
        person_id = person.id or 0
        if other_name := taken_by(session, person_id, address):
            raise UsageError(f"{address} is {other_name}'s address already.")
        former = [row for row in addresses_of(session, [person_id]) if row.reports]
        row = ask_address(session, person_id, address, work.clock.now())
        send_reports_to(session, row, work.clock.now())
        for old in former:
            if old.id != row.id:
                # Whoever reads mail there is not believed any more.
                _forget_address(session, old)
        return _new_tokens(session, work, _in_play(session, person_id))


def revoke_tokens(work: Workplace, name: str, slug: str | None = None) -> str:
    """Void all of a player's tokens and send him his report with a new one.

    For a player who pasted his report somewhere. Returns the game's name.
    """
    with work.database.transaction() as session:
        loaded, seat = find_seat(session, name, slug)
        return _new_tokens(session, work, [(seat.seat, loaded.row)])[0]


def merge_people(work: Workplace, kept: str, other: str) -> tuple[PersonRow, tuple[str, ...]]:
    """Make one person of two who are one: seats and addresses go to the first; both are told.

    Returns the person and the games that are played under the one name. Raises PostalError where
    both sit in one game: nobody plays against himself.
    """
    with work.database.transaction() as session:
        first, second = find_person(session, kept), find_person(session, other)
        if first.id == second.id:
            raise UsageError(f"{kept} and {other} are one person already.")
        mine = {game.id for _, game in seats_held(session, first.id or 0)}
        both = [game.slug for _, game in seats_held(session, second.id or 0) if game.id in mine]
        if both:
            raise PostalError(f"{first.name} and {second.name} both play in {', '.join(both)}.")
        letters = Letters(session, work)
        _tell_of_merging(session, work, letters, first, second)
        seats = seats_held(session, second.id or 0)
        _take_over(session, first, second)
        letters.queue(session)
        return first, tuple(game.slug for _, game in seats)


def _check_address(work: Workplace, address: str) -> None:
    if not plain_address(address):
        raise UsageError(f"{address!r} is no mail address.")
    own = (work.identity.mailbox, work.identity.gm_address)
    if base_address(address) in map(base_address, own):
        raise UsageError(f"{address} is the games' own or the GM's address.")


def _in_play(session: Session, person_id: int) -> Sequence[tuple[SeatRow, GameRow]]:
    held = seats_held(session, person_id)
    return [one for one in held if one[1].status is GameStatus.RUNNING]


def _new_tokens(
    session: Session, work: Workplace, seats: Sequence[tuple[SeatRow, GameRow]]
) -> tuple[str, ...]:
    """Void the tokens of some seats and write each holder his report with a new one."""
    revoke(session, [seat.id or 0 for seat, _ in seats])
    for seat, _ in seats:
        seat.token_serial += 1
        session.add(seat)
    session.flush()
    letters = Letters(session, work)
    for seat, game in seats:
        loaded = load_game(session, game)
        write_report_again(letters, loaded, loaded.seat_by_id(seat.id or 0))
    letters.queue(session)
    return tuple(game.slug for _, game in seats)


def _forget_address(session: Session, address: AddressRow) -> None:
    revoke_for_address(session, address.id or 0)
    session.delete(address)
    session.flush()


def _take_over(session: Session, first: PersonRow, second: PersonRow) -> None:
    """Give the first person all that is the second's, who is then no more."""
    seats = update(HolderRow).where(col(HolderRow.person_id) == second.id)
    session.exec(seats.values(person_id=first.id))
    known = {row.address_key for row in addresses_of(session, [first.id or 0])}
    for row in addresses_of(session, [second.id or 0]):
        if row.address_key in known:
            _forget_address(session, row)
        else:
            row.person_id, row.reports = first.id or 0, False
            session.add(row)
    first.zone = first.zone or second.zone
    first.language = first.language or second.language
    session.add(first)
    session.flush()
    session.delete(second)
    session.flush()


def _tell_of_merging(
    session: Session, work: Workplace, letters: Letters, first: PersonRow, second: PersonRow
) -> None:
    """Write to both at the addresses that they had: whoever is somebody else can object."""
    for person, other in ((first, second), (second, first)):
        for seat, game in _in_play(session, person.id or 0)[-1:]:
            loaded = load_game(session, game)
            held = loaded.seat_by_id(seat.id or 0)
            frame = letters.frame(loaded, held)
            told = work.reports.merged(frame, person.name, other.name, first.name)
            letters.to_player(loaded, held, Letter(LetterKind.ADDRESS, told, loaded.game.turn))
