"""Games as they are loaded from the store, and what is on file for the turn in play."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import lru_cache

from sqlalchemy.exc import DBAPIError
from sqlmodel import Session

from postal.engine.book import Book, Filed
from postal.engine.game import awaited, due, on_notice
from postal.engine.orders import Order
from postal.engine.rollback import with_seen
from postal.engine.rules import Rules
from postal.engine.state import Game
from postal.errors import PostalError
from postal.ordertext import name_problem
from postal.service.blame import whereabouts
from postal.service.gamefiles import make_rules
from postal.store.codec import decode_events, decode_game, decode_order
from postal.store.games import game_by_slug
from postal.store.orders import attendance_of_turn, orders_on_file
from postal.store.problems import StoreUnavailable
from postal.store.rows import AttendanceRow, GameRow, GameStatus, TurnRow, TurnStatus, fold
from postal.store.seats import HeldSeat, seats_of
from postal.store.turns import last_turns
from postal.store.voidturns import last_done_before, void_turns


class UnreadableGameError(PostalError):
    """A game whose rules or state can't be read: it alone is set aside."""

    def __init__(self, game: GameRow, where: str) -> None:
        """Say which game, and where its reading failed, without any value."""
        super().__init__(
            f"The game {game.slug} can't be read ({where}): put it right from a backup, then run"
            f" `postal adjudicate {game.slug}`."
        )
        self.game = game


@dataclass(frozen=True, slots=True)
class LoadedGame:
    """A game from the store: its rules, its state after the last turn, and the turn in play."""

    row: GameRow
    rules: Rules = field(repr=False)
    game: Game = field(repr=False)
    seats: tuple[HeldSeat, ...]
    turn: TurnRow | None
    done: TurnRow | None = None

    @property
    def id(self) -> int:
        """The game's id in the store."""
        assert self.row.id is not None, "a stored game has an id"
        return self.row.id

    @property
    def holders(self) -> dict[str, str]:
        """The holder's name of each seat whose holder has another name than it, for mails to show.

        Only such as the rule of names lets pass: nothing that is shown may look like an order.
        """
        return {
            seat.name: seat.person.name
            for seat in self.seats
            if fold(seat.person.name) != fold(seat.name) and not name_problem(seat.person.name)
        }

    @property
    def goes_on(self) -> bool:
        """Whether the game's clock runs: it is neither over, nor abandoned, nor on hold."""
        return self.row.status is GameStatus.RUNNING and self.row.hold_since is None

    @property
    def closes(self) -> datetime | None:
        """Until when orders for the turn in play count: its deadline and the grace after it (9.1).

        None where it has no deadline, or the game is over.
        """
        deadline = self.turn.deadline if self.turn else None
        return deadline and deadline + timedelta(hours=self.rules.number("grace"))

    def seat(self, name: str) -> HeldSeat:
        """Return the seat of that name; KeyError where there is none."""
        for seat in self.seats:
            if seat.name == name:
                return seat
        raise KeyError(name)

    def seat_meant(self, named: str) -> HeldSeat | None:
        """Return the seat that somebody means by its own name or its holder's.

        None where none is, or where it can't be told which, since several robots hold seats.
        """
        own = [seat for seat in self.seats if fold(seat.name) == fold(named)]
        held = [name for name, holder in self.holders.items() if fold(holder) == fold(named)]
        meant = own or [self.seat(name) for name in held]
        return meant[0] if len(meant) == 1 else None

    def seat_by_id(self, seat_id: int) -> HeldSeat:
        """Return the seat of that id; KeyError where there is none."""
        for seat in self.seats:
            if seat.id == seat_id:
                return seat
        raise KeyError(seat_id)


@dataclass(frozen=True, slots=True)
class Presence:
    """Where a player stands in a turn: heard of (RULES.md 9.4), waiting (9.6), troubled (10.6).

    ``troubled_until`` ends his trouble, where it ends before the deadline (None: it doesn't).
    ``resigned``: he gave his seat up, and was not heard of since.
    """

    heard: bool = False
    resigned: bool = False
    waiting: bool = False
    troubled: bool = False
    troubled_until: datetime | None = None
    last_order_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class TurnFile:
    """What is on file for the turn in play, and where each player stands, by his seat's name."""

    book: Book = field(repr=False)
    presence: Mapping[str, Presence]

    def of(self, player: str) -> Presence:
        """Return where a player stands."""
        return self.presence.get(player, Presence())

    def with_presence(self, player: str, **changes: object) -> TurnFile:
        """Return the file with something about one player changed."""
        changed = replace(self.of(player), **changes)  # type: ignore[arg-type]  # fields by their names
        return replace(self, presence={**self.presence, player: changed})

    def hear(self, player: str) -> TurnFile:
        """Return the file with a sign of life of one player noted (9.4)."""
        here = self.with_presence(player, heard=True, resigned=False)
        return replace(here, book=self.book.hear(player))

    def resign(self, player: str) -> TurnFile:
        """Return the file with it noted that one player gives his seat up."""
        gone = replace(self.of(player), heard=False, resigned=True, waiting=False, troubled=False)
        book = self.book.resign(player)
        return replace(self, book=book, presence={**self.presence, player: gone})

    @property
    def waiting(self) -> tuple[str, ...]:
        """Those who have asked to hold the turn to its deadline; it counts if they owe (9.6)."""
        return tuple(name for name, one in self.presence.items() if one.waiting)

    def complete(self, game: Game) -> bool:
        """Whether every order that is waited for is in (9.1)."""
        return not awaited(game, self.book)

    def due_at(self, loaded: LoadedGame) -> datetime | None:
        """Return when the turn in play is due as things stand: settled (10.6), or its deadline.

        Where orders are missing at that, it is the end of the grace after it (9.1). It is not
        settled before those who were just dropped have had their notice (9.4).
        """
        turn, game = loaded.turn, loaded.game
        assert turn is not None, "a game in play has a turn"
        owing = {player for player, _ in due(game)}
        troubles = [one.troubled_until for one in self.presence.values() if one.troubled]
        if not self.complete(game):
            return loaded.closes
        if owing.intersection(self.waiting) or None in troubles:
            return turn.deadline
        times = (one.last_order_at for one in self.presence.values())
        last = max((time for time in times if time), default=None)
        settled = (last or turn.opened_at) + timedelta(minutes=loaded.row.settle)
        if on_notice(game, self.book):
            settled = max(settled, notice_ends(loaded.rules, turn.opened_at))
        free = max((settled, *(time for time in troubles if time)))
        return min(free, turn.deadline) if turn.deadline else free


def notice_ends(rules: Rules, reported: datetime) -> datetime:
    """Return until when a player may come back whom a report of that time has dropped (9.4)."""
    return reported + timedelta(hours=rules.number("drop_notice"))


def find_game(session: Session, slug: str) -> GameRow:
    """Return the game of that name; PostalError where there is none."""
    row = game_by_slug(session, slug)
    if row is None:
        raise PostalError(f"There is no game {slug!r}: `postal game list` shows those there are.")
    return row


def load_game(session: Session, row: GameRow) -> LoadedGame:
    """Return a game as it stands after its last turn; UnreadableGameError where that can't be."""
    with _readable(row):
        assert row.id is not None, "a stored game has an id"
        seats = seats_of(session, row.id)
        rules = stored_rules(row.rules, row.options, len(seats), row.edition)
        done, turn = last_turns(session, row.id)
        assert done is not None, "a stored game was dealt"
        assert done.state is not None, "a turn that is done has a state"
        game = _stored_game(done.state, row.rules, row.options, len(seats), row.edition)
        if turn is not None and turn.attempt > 1:
            game = _with_seen(session, row.id, game, turn)
        return LoadedGame(row, rules, game, seats, turn, done)


@lru_cache(maxsize=64)
def _stored_game(state: str, rules: str, options: str, players: int, edition: int) -> Game:
    """Return the game of a state from its texts; kept, since many mails of a turn need it."""
    return decode_game(state, stored_rules(rules, options, players, edition))


@lru_cache(maxsize=64)
def stored_rules(rules: str, options: str, players: int, edition: int) -> Rules:
    """Return the rules of a stored game from its texts; made once, since they never change."""
    return make_rules(json.loads(rules), json.loads(options), players, edition=edition)


def load_turn_file(session: Session, loaded: LoadedGame) -> TurnFile:
    """Return what is on file for the turn in play; nothing is where the game is over.

    Raises UnreadableGameError where an order can't be read.
    """
    turn = loaded.turn
    if turn is None or turn.id is None or turn.status is TurnStatus.DONE:
        return TurnFile(Book(), {})
    with _readable(loaded.row):
        names = {seat.id: seat.name for seat in loaded.seats}
        filed = tuple(
            Filed(names[row.seat_id], row.hand, _stored_order(row.order_json))
            for row in orders_on_file(session, turn.id)
        )
        rows = attendance_of_turn(session, turn.id)
        heard = frozenset(names[row.seat_id] for row in rows if row.heard)
        hands: dict[str, list[str]] = json.loads(turn.fixed) if turn.fixed else {}
        fixed = frozenset((names[int(seat)], one) for seat, some in hands.items() for one in some)
        gone = frozenset(names[row.seat_id] for row in rows if row.resigned)
        return TurnFile(
            Book(filed, heard, fixed, gone), {names[row.seat_id]: _presence(row) for row in rows}
        )


def fixed_text(loaded: LoadedGame, book: Book) -> str:
    """Return what a turn's row keeps of the orders that can't change in it (RULES.md 10.7)."""
    hands: dict[int, list[str]] = {}
    for player, hand in sorted(book.fixed):
        hands.setdefault(loaded.seat(player).id, []).append(hand)
    return json.dumps(hands) if hands else ""


def _with_seen(session: Session, game_id: int, game: Game, turn: TurnRow) -> Game:
    """Return the game with what was seen in void turns, where the turn in play is played again."""
    voids = [row for row in void_turns(session, game_id, turn.number) if _before(row, turn)]
    last = last_done_before(session, turn)
    if last is None or last < turn.number:
        return game
    return with_seen(game, [(row.number, decode_events(row.events or "[]")) for row in voids])


def _before(row: TurnRow, turn: TurnRow) -> bool:
    return (row.id or 0) < (turn.id or 0)


@lru_cache(maxsize=1024)
def _stored_order(text: str) -> Order:
    """Return an order on file from its text; kept, since many mails of a turn need it."""
    return decode_order(text)


@contextmanager
def _readable(row: GameRow) -> Iterator[None]:
    """Call a game unreadable where its stored values fail; what the database has passes."""
    try:
        yield
    except (StoreUnavailable, DBAPIError):
        raise
    except Exception as error:  # noqa: BLE001 - whatever a damaged value does
        # Its text may quote the state; the chain would too.
        raise UnreadableGameError(row, whereabouts(error)) from None


def _presence(row: AttendanceRow) -> Presence:
    return Presence(
        row.heard,
        row.resigned,
        row.waiting,
        row.troubled,
        row.troubled_until,
        row.last_order_at,
    )
