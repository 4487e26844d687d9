"""The list of those who get a game's public reports (``postal observer``)."""

from __future__ import annotations

from typing import Any

from sqlmodel import Session

from postal.engine.view import view
from postal.errors import PostalError, UsageError
from postal.ordertext import name_problem
from postal.service.desk.players import check_address
from postal.service.loading import LoadedGame, find_game, load_game
from postal.service.outbound.kinds import LetterKind
from postal.service.outbound.letters import Letters
from postal.service.workplace import Workplace
from postal.store.observers import observed_by, observers_of
from postal.store.people import person_with
from postal.store.rows import (
    AddressRow,
    GameStatus,
    JournalRow,
    ObserverRow,
    PersonRow,
    fold,
)


def add_observer(work: Workplace, slug: str, name: str, address: str) -> None:
    """List somebody who gets a game's public reports from now on, and mail him so.

    Raises UsageError for a name or an address that won't do, PostalError where he is listed or the
    game is over.
    """
    if problem := name_problem(name):
        raise UsageError(f"{name!r}: {problem}")
    check_address(work, address)
    now = work.clock.now()
    with work.database.transaction() as session:
        loaded = load_game(session, find_game(session, slug))
        if loaded.row.status is not GameStatus.RUNNING:
            raise PostalError(f"{slug} is over: nothing was done.")
        person = person_with(session, name, address) or _stored(session, work, name, address)
        if any(game.id == loaded.id for _, game in observed_by(session, person.id or 0)):
            raise PostalError(f"{name} gets the reports of {slug} already.")
        session.add(ObserverRow(game_id=loaded.id, person_id=person.id or 0, since=now))
        letters = Letters(session, work)
        _write(letters, loaded, address, person.name, removed=False)
        session.add(_entry(work, loaded, f"{person.name} gets the public reports."))
        letters.queue(session)


def remove_observer(work: Workplace, slug: str, named: str) -> str:
    """Take somebody off the list, by name or address, and mail him so; return his name.

    PostalError where nobody so called is listed.
    """
    with work.database.transaction() as session:
        loaded = load_game(session, find_game(session, slug))
        found = [
            one
            for one in observers_of(session, loaded.id)
            if fold(named) in (fold(one[1].name), fold(one[2].address))
        ]
        if not found:
            raise PostalError(f"Nobody called {named!r} looks on in {slug}.")
        row, person, address = found[0]
        name = person.name
        letters = Letters(session, work)
        _write(letters, loaded, address.address, name, removed=True)
        session.add(_entry(work, loaded, f"{name} gets the public reports no more."))
        session.delete(row)
        letters.queue(session)
        return name


def list_observers(work: Workplace, slug: str) -> list[dict[str, Any]]:
    """Return who is listed for a game, the first first; times are UTC in ISO form."""
    with work.database.reading() as session:
        loaded = load_game(session, find_game(session, slug))
        return [
            {
                "name": person.name,
                "address": address.address,
                "since": row.since.isoformat(),
                "stopped": row.stopped_at.isoformat() if row.stopped_at else None,
            }
            for row, person, address in observers_of(session, loaded.id)
        ]


def _stored(session: Session, work: Workplace, name: str, address: str) -> PersonRow:
    now = work.clock.now()
    person = PersonRow(name=name, created_at=now)
    session.add(person)
    session.flush()
    session.add(
        AddressRow(
            person_id=person.id or 0, address=address, asked_at=now, confirmed_at=now, reports=True
        )
    )
    session.flush()
    return person


def _write(letters: Letters, loaded: LoadedGame, address: str, name: str, *, removed: bool) -> None:
    rendered = letters.work.reports.observer(
        letters.frame(loaded), view(loaded.game, None), name, "removed" if removed else "begun"
    )
    letters.to_person(loaded, address, name, rendered, LetterKind.OBSERVER)


def _entry(work: Workplace, loaded: LoadedGame, sentence: str) -> JournalRow:
    return JournalRow(
        at=work.clock.now(),
        game_id=loaded.id,
        turn=loaded.turn.number if loaded.turn else None,
        who="GM",
        what="observer",
        sentence=sentence,
    )
