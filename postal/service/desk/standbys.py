"""The list of those who may take over a seat of a game (``postal standby``, RULES.md 9.8)."""

from __future__ import annotations

from typing import Any

from sqlmodel import Session

from postal.errors import PostalError
from postal.service.desk.replacing import check_person, newcomer
from postal.service.loading import LoadedGame, find_game, load_game
from postal.service.outbound.letters import Letters
from postal.service.overtaken import OvertakenError, until_written
from postal.service.turns.standbys import write_to_standby
from postal.service.workplace import Workplace
from postal.store.holders import ever_held, store_person
from postal.store.people import addresses_of
from postal.store.rows import GameStatus, JournalRow, PersonRow, StandbyRow, fold
from postal.store.standbys import change_standby, list_standby, standbys_of


def add_standby(work: Workplace, slug: str, name: str, address: str) -> None:
    """List somebody as a standby of a game and mail him how to sign up.

    Raises UsageError for a name or an address that won't do, PostalError for whoever holds or has
    held a seat there (9.8) or is listed already.
    """
    check_person(work, name, address)
    now = work.clock.now()
    # Rendered in here, since the token needs the id of the listing; one short mail.
    with work.database.transaction() as session:
        loaded = load_game(session, find_game(session, slug))
        if loaded.row.status is not GameStatus.RUNNING:
            raise PostalError(f"{slug} is over: nothing was done.")
        new = newcomer(session, work, name, address)
        held = ever_held(session, loaded.id, new.person.id, new.addresses)
        if held:
            raise PostalError(f"{held[0][0].name} holds or has held a seat in {slug}.")
        for seat in loaded.seats:
            if fold(name) in (fold(seat.name), fold(seat.person.name)):
                raise PostalError(f"{slug} has a player called {name}: take another name.")
        if any(person.id == new.person.id for _, person in standbys_of(session, loaded.id)):
            raise PostalError(f"{name} is a standby of {slug} already.")
        person = new.person
        if person.id is None:
            person.id = store_person(session, person, new.addresses)
        row = list_standby(session, loaded.id, person.id, now)
        letters = Letters(session, work)
        write_to_standby(letters, loaded, row, person, "listed")
        session.add(_entry(work, loaded, f"{name} is listed as a standby."))
        letters.queue(session)


def remove_standby(work: Workplace, slug: str, named: str) -> None:
    """Take somebody off the list, by name or address, and tell him; PostalError: he isn't on it."""

    def deed() -> None:
        with work.database.reading() as session:
            loaded = load_game(session, find_game(session, slug))
            row, person = _listed(session, loaded, named)
            letters = Letters(session, work)
            write_to_standby(letters, loaded, row, person, "removed")
        with work.database.transaction() as session:
            if not change_standby(session, row, until=work.clock.now()):
                raise OvertakenError
            session.add(_entry(work, loaded, f"{person.name} is taken off the list of standbys."))
            letters.queue(session)

    until_written(deed)


def list_standbys(work: Workplace, slug: str) -> list[dict[str, Any]]:
    """Return who is listed, in the order in which they are asked; times are UTC in ISO form."""
    with work.database.reading() as session:
        loaded = load_game(session, find_game(session, slug))
        found = []
        for row, person in standbys_of(session, loaded.id):
            rows = addresses_of(session, [person.id or 0])
            seat = loaded.seat_by_id(row.seat_id).name if row.seat_id else ""
            found.append(
                {
                    "name": person.name,
                    "address": next((one.address for one in rows if one.reports), ""),
                    "signed_up": row.signed_at.isoformat() if row.signed_at else None,
                    "asked": row.asked_at.isoformat() if row.asked_at else None,
                    "seat": seat,
                }
            )
        return found


def _listed(session: Session, loaded: LoadedGame, named: str) -> tuple[StandbyRow, PersonRow]:
    """Return who is listed by that name or address; PostalError where nobody is."""
    for row, person in standbys_of(session, loaded.id):
        addresses = [one.address for one in addresses_of(session, [person.id or 0])]
        if fold(named) in map(fold, (person.name, *addresses)):
            return row, person
    raise PostalError(f"There is no standby {named!r} of {loaded.row.slug}.")


def _entry(work: Workplace, loaded: LoadedGame, sentence: str) -> JournalRow:
    return JournalRow(
        at=work.clock.now(),
        game_id=loaded.id,
        turn=loaded.game.turn,
        who="GM",
        what="standby",
        sentence=sentence,
    )
