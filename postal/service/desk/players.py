"""What the GM does for the holder of a seat: a second address, and new tokens (MAIL.md)."""

from __future__ import annotations

from sqlmodel import Session

from postal.errors import PostalError, UsageError
from postal.mail.gate import base_address
from postal.service.desk.newgame import plain_address
from postal.service.desk.renewal import renewed_report, standing
from postal.service.inbound.addresses import taken_by
from postal.service.loading import LoadedGame, find_game, load_game
from postal.service.outbound.kinds import LetterKind
from postal.service.outbound.letters import Letter, Letters
from postal.service.overtaken import OvertakenError, until_written
from postal.service.workplace import Workplace
from postal.store.games import running_games
from postal.store.people import ask_address
from postal.store.rows import fold
from postal.store.seats import HeldSeat, seat_called
from postal.store.tokens import revoke


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


def check_address(work: Workplace, address: str) -> None:
    """Raise UsageError for a text that is no address, or the games' own or the GM's."""
    if not plain_address(address):
        raise UsageError(f"{address!r} is no mail address.")
    own = (work.identity.mailbox, work.identity.gm_address)
    if base_address(address) in map(base_address, own):
        raise UsageError(f"{address} is the games' own or the GM's address.")


def add_address(work: Workplace, name: str, address: str, slug: str | None = None) -> str:
    """Ask for a player's second address: both addresses get a mail; returns the game's name.

    It counts, in all his games, from an answer to the mail that goes to the new address. Raises
    UsageError for an address that won't do.
    """
    check_address(work, address)
    with work.database.transaction() as session:
        loaded, seat = find_seat(session, name, slug)
        person_id = seat.person.id or 0
        for other in loaded.seats:
            if fold(address) in map(fold, other.addresses):
                raise UsageError(f"{address} is {other.name}'s address already.")
        if other_name := taken_by(session, person_id, address):
            raise UsageError(f"{address} is {other_name}'s address already.")
        row = ask_address(session, person_id, address, work.clock.now())
        # Rendered in here, since the token that confirms an address needs its id; two short mails.
        letters, address_id, reader = Letters(session, work), row.id or 0, seat.person.name
        token = work.address_token(address_id)
        there = letters.address_frame(loaded, token)
        asked = work.reports.address(there, reader, address, "confirm")
        letters.to_address(loaded, seat, address, address_id, asked, token)
        told = work.reports.address(letters.frame(loaded, seat), reader, address, "asked")
        letters.to_player(loaded, seat, Letter(LetterKind.ADDRESS, told, loaded.game.turn))
        letters.queue(session)
    return loaded.row.slug


def revoke_tokens(work: Workplace, name: str, slug: str | None = None) -> str:
    """Void all of a player's tokens and send him his report with a new one.

    For a player who pasted his report somewhere. Returns the game's name.
    """
    return until_written(lambda: _revoke_tokens(work, name, slug))


def _revoke_tokens(work: Workplace, name: str, slug: str | None) -> str:
    with work.database.reading() as session:
        loaded, seat = find_seat(session, name, slug)
        person_id = seat.person.id or 0
        before = standing(session, person_id)
        letters = Letters(session, work)
        renewed_report(letters, loaded, seat)
    with work.database.transaction() as session:
        if standing(session, person_id, to_change=True) != before:
            raise OvertakenError
        revoke(session, [seat.id])
        letters.queue(session)
    return loaded.row.slug
