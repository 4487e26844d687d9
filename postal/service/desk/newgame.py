"""Starting a game: all is checked, seats are drawn, cards dealt and mails queued."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlmodel import Session

from postal import __version__
from postal.config.sections import bare_address
from postal.engine.book import Book
from postal.engine.deal import SECRET_BYTES, commitment
from postal.engine.rules import Rules
from postal.errors import UsageError
from postal.mail.gate import base_address
from postal.ordertext import name_problem
from postal.service.gamefiles import load_game_file, make_rules
from postal.service.loading import LoadedGame, TurnFile
from postal.service.outbound.letters import Letters
from postal.service.records.dealing import deal
from postal.service.turns.calendar import Calendar, opened, stored
from postal.service.turns.reports import write_reports
from postal.service.workplace import Workplace
from postal.store.codec import encode_book, encode_events, encode_game
from postal.store.games import game_by_slug
from postal.store.people import addresses_of, person_with
from postal.store.rows import (
    AddressRow,
    GameRow,
    HolderRow,
    PersonRow,
    SeatRow,
    TurnRow,
    TurnStatus,
    fold,
)
from postal.store.seats import HeldSeat

_PLAYER = re.compile(r"(?P<name>[^<>]+)<(?P<address>[^<>]+)>")
_ADDRESS = re.compile(r"[!-~]{1,64}@[A-Za-z0-9.-]{1,190}")
_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


@dataclass(frozen=True, slots=True)
class NewGame:
    """What the GM asks for: players as (name, address), options by name, values as text or not.

    ``secret`` has 32 bytes; everything dealt comes from it.
    """

    slug: str
    players: Sequence[tuple[str, str]]
    rules: str
    options: Mapping[str, object]
    calendar: Calendar
    secret: bytes = field(repr=False)


def check_game(work: Workplace, new: NewGame, games: Sequence[Path]) -> tuple[tuple[str, str], ...]:
    """Return the players' names and addresses as they will be stored; nothing is stored yet.

    Raises UsageError as ``create_game`` does.
    """
    players, _, _ = _checked(work, new, games)
    with work.database.reading() as session:
        _refuse_taken(session, new.slug)
    return players


def create_game(work: Workplace, new: NewGame, games: Sequence[Path]) -> LoadedGame:
    """Check, deal and store a game, and queue a welcome for each player (RULES.md 1, 2.1).

    Raises UsageError with what to do where something won't do; nothing is stored then.
    """
    players, source, rules = _checked(work, new, games)
    game = deal(rules, new.slug, [name for name, _ in players], new.secret)
    now = work.clock.now()
    calendar = new.calendar
    row = GameRow(
        slug=new.slug,
        rules=json.dumps(source, ensure_ascii=False),
        options=json.dumps({name: rules.options[name] for name in new.options}),
        engine_version=__version__,
        edition=rules.edition,
        secret=new.secret,
        commitment=commitment(new.secret, rules.canonical()),
        committed=rules.canonical(),
        turn_length=calendar.turn_length,
        hour=calendar.hour,
        zone=calendar.zone,
        settle=rules.number("settle"),
        calendar=stored(calendar),
        created_at=now,
    )
    opening = opened(row, game, now)
    dealt = TurnRow(
        game_id=0,
        number=0,
        status=TurnStatus.DONE,
        opened_at=now,
        adjudicated_at=now,
        zone=calendar.zone,
        orders=encode_book(Book()),
        events=encode_events(()),
        state=encode_game(game),
    )
    with work.database.transaction() as session:
        _refuse_taken(session, new.slug)
        session.add(row)
        session.flush()
        assert row.id is not None, "a stored game has an id"
        seats = tuple(
            _seat(session, row, place, name, address)
            for place, (name, address) in enumerate(players)
        )
        loaded = LoadedGame(row, rules, game, seats, opening, dealt)
        opening.game_id = dealt.game_id = row.id
        opening.due_at = TurnFile(Book(), {}).due_at(loaded)
        session.add_all([dealt, opening])
        session.flush()
        # Rendered in here, since tokens and Message-IDs need the seats' ids; a game begins once.
        letters = Letters(session, work)
        write_reports(letters, loaded, (), 0)
        letters.queue(session)
    return loaded


def _checked(
    work: Workplace, new: NewGame, games: Sequence[Path]
) -> tuple[tuple[tuple[str, str], ...], Mapping[str, Any], Rules]:
    """Return the players, the game file and the rules of a game that can be."""
    _check_slug(new.slug)
    players = check_players(new.players, work.identity.mailbox)
    if len(new.secret) != SECRET_BYTES:
        raise UsageError(f"A game's secret has {SECRET_BYTES} bytes, not {len(new.secret)}.")
    source = load_game_file(new.rules, games)
    return players, source, make_rules(source, new.options, len(players), new.rules)


def _refuse_taken(session: Session, slug: str) -> None:
    if game_by_slug(session, slug):
        raise UsageError(f"There is a game {slug!r} already: choose another name.")


def _seat(session: Session, game: GameRow, place: int, name: str, address: str) -> HeldSeat:
    """Store a seat for a person, who may be known from other games by name and address."""
    now = game.created_at
    person = person_with(session, name, address)
    if person is None:
        person = PersonRow(name=name, created_at=now)
        session.add(person)
        session.flush()
        first = AddressRow(
            person_id=person.id or 0, address=address, asked_at=now, confirmed_at=now, reports=True
        )
        session.add(first)
    seat = SeatRow(game_id=game.id or 0, position=place, name=name)
    session.add(seat)
    session.flush()
    session.add(HolderRow(seat_id=seat.id or 0, person_id=person.id or 0, since=now))
    session.flush()
    rows = addresses_of(session, [person.id or 0])
    confirmed = [one for one in rows if one.confirmed_at is not None]
    known = tuple(one.address for one in sorted(confirmed, key=lambda one: not one.reports))
    return HeldSeat(seat, person, known)


def check_players(players: Sequence[tuple[str, str]], mailbox: str) -> tuple[tuple[str, str], ...]:
    """Return the players with names and addresses checked; UsageError for the first that won't."""
    names: set[str] = set()
    addresses: set[str] = set()
    tidy = tuple((" ".join(name.split()), address) for name, address in players)
    for name, address in tidy:
        problem = name_problem(name)
        if problem:
            raise UsageError(f"Player {name!r}: {problem}")
        if not plain_address(address):
            raise UsageError(f"Player {name}: {address!r} is no mail address.")
        if base_address(address) == base_address(mailbox):
            raise UsageError(f"Player {name}: {address} is the games' own mailbox.")
        if fold(name) in names:
            raise UsageError(f"There are two players called {name}: names must differ.")
        if fold(address) in addresses:
            raise UsageError(f"The address {address} is given twice: each player needs his own.")
        names.add(fold(name))
        addresses.add(fold(address))
    return tidy


def parse_player(text: str, what: str = "--player ") -> tuple[str, str]:
    """Return name and address of ``Joe <joe@example.org>``; UsageError for anything else."""
    found = _PLAYER.fullmatch(text.strip())
    if found:
        return found["name"].strip().strip('"'), found["address"].strip()
    raise UsageError(f"{what}{text!r}: write 'Name <name@example.org>'.")


def plain_address(text: str) -> bool:
    """Return whether a text is one bare mail address in ASCII."""
    return bool(_ADDRESS.fullmatch(text)) and bare_address(text)


def _check_slug(slug: str) -> None:
    if not _SLUG.fullmatch(slug):
        raise UsageError(
            f"{slug!r} is no name for a game: use up to 40 lower-case letters, digits and '-'."
        )
