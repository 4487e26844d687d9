"""What every use case works with, and games as they are loaded from the store."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from sqlmodel import Session

from postal.clock import Clock
from postal.engine.book import Book, Filed
from postal.engine.game import awaited
from postal.engine.rules import Rules
from postal.engine.state import Game
from postal.errors import PostalError
from postal.mail.tokens import make_token
from postal.reports import Reports
from postal.service.gamefiles import make_rules
from postal.store.codec import decode_game, decode_order
from postal.store.database import Database
from postal.store.games import game_by_slug, players_of
from postal.store.orders import attendance_of_turn, orders_on_file
from postal.store.rows import AttendanceRow, GameRow, PlayerRow, TurnRow
from postal.store.turns import current_turn, last_done_turn

CLAIM = timedelta(minutes=5)
"""How long a claim on a turn holds: far longer than an adjudication, shorter than patience."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Who the mails come from: the GM's name and own address, and the games' mailbox.

    ``plus``: whether the mailbox takes plus addresses, so that a token can stand in them.
    ``authserv_id`` names the server whose doubts about a sender count; empty: none.
    """

    gm_name: str
    gm_address: str
    mailbox: str
    plus: bool
    authserv_id: str = ""


@dataclass(frozen=True, slots=True)
class Workplace:
    """Everything a use case needs, wired once at the start.

    ``account`` and ``folder`` name the polled mailbox in the store; ``new_name`` gives names of
    chance for Message-IDs and leases.
    """

    database: Database
    clock: Clock
    reports: Reports
    identity: Identity
    account: str
    folder: str
    new_name: Callable[[int], str]
    token_key: bytes = field(repr=False)

    def token(self, game: GameRow, turn: int, player: str, serial: int = 0) -> str:
        """Return the token that lets a player order for one turn (MAIL.md, Who wrote it).

        ``serial`` is the player's ``token_serial``: a new one makes all his tokens new. No name
        holds the sign that it is joined to him by.
        """
        name = f"{player}#{serial}" if serial else player
        return make_token(self.token_key, game.slug, game.deal, turn, name)

    def address_token(self, game: GameRow, address_id: int) -> str:
        """Return the token that confirms a player's second address."""
        return make_token(self.token_key, game.slug, game.deal, -1, f"#address {address_id}")


@dataclass(frozen=True, slots=True)
class LoadedGame:
    """A game from the store: its rules, its state after the last turn, and the turn in play."""

    row: GameRow
    rules: Rules = field(repr=False)
    game: Game = field(repr=False)
    players: Sequence[PlayerRow]
    turn: TurnRow | None

    @property
    def id(self) -> int:
        """The game's id in the store."""
        assert self.row.id is not None, "a stored game has an id"
        return self.row.id

    def player(self, name: str) -> PlayerRow:
        """Return the player's row; KeyError where there is none of that name."""
        for row in self.players:
            if row.name == name:
                return row
        raise KeyError(name)


def find_game(session: Session, slug: str) -> GameRow:
    """Return the game of that name; PostalError where there is none."""
    row = game_by_slug(session, slug)
    if row is None:
        raise PostalError(f"There is no game {slug!r}: `postal game list` shows those there are.")
    return row


def load_game(session: Session, row: GameRow) -> LoadedGame:
    """Return a game as it stands after its last turn."""
    assert row.id is not None, "a stored game has an id"
    players = players_of(session, row.id)
    rules = make_rules(json.loads(row.rules), json.loads(row.options), len(players))
    done = last_done_turn(session, row.id)
    assert done is not None, f"game {row.slug} was never dealt"
    assert done.state is not None, f"game {row.slug} was never dealt"
    return LoadedGame(
        row, rules, decode_game(done.state, rules), players, current_turn(session, row.id)
    )


def load_book(session: Session, game_id: int, turn: int) -> Book:
    """Return the orders on file for a turn, and who was heard."""
    filed = tuple(
        Filed(row.player, row.hand, decode_order(row.order_json))
        for row in orders_on_file(session, game_id, turn)
    )
    heard = frozenset(row.player for row in attendance_of_turn(session, game_id, turn) if row.heard)
    return Book(filed, heard)


@dataclass(frozen=True, slots=True)
class Attendance:
    """Where a turn's orders stand: what is still awaited, and what holds it up (9.1, 10.6)."""

    awaited: tuple[tuple[str, str], ...]
    waiting: tuple[str, ...]
    troubled: tuple[str, ...]
    rows: Sequence[AttendanceRow]

    @property
    def complete(self) -> bool:
        """Whether every order that is waited for is in."""
        return not self.awaited


def attendance_now(session: Session, loaded: LoadedGame, book: Book) -> Attendance:
    """Return where the orders of the turn in play stand."""
    rows = attendance_of_turn(session, loaded.id, loaded.game.turn)
    return Attendance(
        awaited(loaded.game, book),
        tuple(row.player for row in rows if row.waiting),
        tuple(row.player for row in rows if row.troubled),
        rows,
    )
