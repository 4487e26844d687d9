"""Writing to a person at another address from now on, the old one being wrong or gone (MAIL.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlmodel import Session

from postal.errors import UsageError
from postal.service.desk.people import find_person
from postal.service.desk.players import check_address
from postal.service.desk.renewal import renewed_report, standing
from postal.service.inbound.addresses import taken_by
from postal.service.loading import UnreadableGameError, load_game
from postal.service.outbound.kinds import LetterKind
from postal.service.outbound.letters import Letters
from postal.service.overtaken import OvertakenError, until_written
from postal.service.workplace import Workplace
from postal.store.outbox import not_arrived, withdraw_messages
from postal.store.people import (
    addresses_of,
    ask_address,
    forget_address,
    seats_held,
    send_reports_to,
)
from postal.store.rows import AddressRow, GameRow, GameStatus, PersonRow, fold
from postal.store.tokens import revoke, revoke_for_address, revoke_for_person

WITHDRAWN = "withdrawn: the player's address was replaced before it went"
"""Why a mail to an address that was replaced is marked as failed."""

_LAST = (LetterKind.FINAL, LetterKind.RESEND)
"""What the holder of a seat must have got of a game that is over."""


@dataclass(frozen=True, slots=True)
class NewAddress:
    """Whose reports go where from now on.

    ``games`` are those whose report goes there at once, ``unreadable`` those of which none could
    be made; ``former`` is empty where there was no address.
    """

    person_id: int
    name: str
    address: str
    former: str
    games: tuple[str, ...]
    unreadable: tuple[str, ...] = field(default=())


def set_address(work: Workplace, named: str, address: str) -> NewAddress:
    """Write to a person at another address from now on; return whose, and the games concerned.

    For an address that was mistyped or is gone: nobody there is written to or believed any more.
    What has not gone there yet is withdrawn, the report of each game in play goes to the new
    address at once, and all tokens are new. The GM vouches for the address. Raises UsageError for
    one that won't do.
    """
    check_address(work, address)
    return until_written(lambda: _set_address(work, named, address))


def _set_address(work: Workplace, named: str, address: str) -> NewAddress:
    with work.database.reading() as session:
        person = find_person(session, named)
        person_id = person.id or 0
        rows = addresses_of(session, [person_id])
        _refuse(session, person, rows, address)
        before = standing(session, person_id)
        replaced = [row.address for row in rows if row.reports]
        letters, games, unreadable = Letters(session, work), list[str](), list[str]()
        known = [row for row in rows if row.confirmed_at is not None and not row.reports]
        addresses = [address, *(row.address for row in known if fold(row.address) != fold(address))]
        missed = not_arrived(session, before.seat_ids, replaced, _LAST)
        for seat, game in seats_held(session, person_id):
            if game.status is not GameStatus.RUNNING and seat.id not in missed:
                continue
            if _write(session, letters, game, seat.id or 0, addresses):
                games.append(game.slug)
            else:
                unreadable.append(game.slug)
    with work.database.transaction() as session:
        if standing(session, person_id, to_change=True) != before:
            raise OvertakenError
        _replace(session, work, person_id, address)
        revoke(session, before.seat_ids)
        revoke_for_person(session, person_id)
        withdraw_messages(session, before.seat_ids, replaced, text=WITHDRAWN)
        letters.queue(session)
    return NewAddress(
        person_id, person.name, address, "".join(replaced[:1]), tuple(games), tuple(unreadable)
    )


def _refuse(session: Session, person: PersonRow, rows: Sequence[AddressRow], address: str) -> None:
    if any(row.reports and row.address == address for row in rows):
        raise UsageError(f"{person.name}'s reports go to {address} already.")
    if other_name := taken_by(session, person.id or 0, address):
        raise UsageError(f"{address} is {other_name}'s address already.")


def _write(
    session: Session, letters: Letters, game: GameRow, seat_id: int, addresses: Sequence[str]
) -> bool:
    """Write the report of a game; False where it can't be read, which holds up no other."""
    try:
        loaded = load_game(session, game)
    except UnreadableGameError:
        return False
    renewed_report(letters, loaded, loaded.seat_by_id(seat_id), addresses)
    return True


def _replace(session: Session, work: Workplace, person_id: int, address: str) -> None:
    """Make an address the person's first; the one before is his no longer."""
    now = work.clock.now()
    former = [row for row in addresses_of(session, [person_id]) if row.reports]
    row = ask_address(session, person_id, address, now)
    # The same but for its case is another spelling, and the GM's is right.
    row.address = address
    session.add(row)
    session.flush()
    send_reports_to(session, row, now)
    revoke_for_address(session, row.id or 0)
    for old in former:
        if old.id != row.id:
            forget_address(session, old)
