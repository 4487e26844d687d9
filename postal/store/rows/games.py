"""Rows of games: the game, its players, its turns, and the orders with their evidence."""

from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar

from sqlalchemy import UniqueConstraint, event
from sqlmodel import Field

from postal.store.columns import Words, by_value
from postal.store.rows.base import Row, fold


class GameStatus(StrEnum):
    """Where a game stands."""

    RUNNING = "running"
    FINISHED = "finished"


class TurnStatus(StrEnum):
    """Where a turn stands: it takes orders while open, and they are fixed once it is claimed."""

    OPEN = "open"
    CLAIMED = "claimed"
    DONE = "done"
    SET_ASIDE = "set-aside"


class OrderAction(StrEnum):
    """What became of a line."""

    FILED = "filed"
    REFUSED = "refused"
    CANCELLED = "cancelled"
    REPLACED = "replaced"
    WAIT = "wait"
    READY = "ready"


class GameRow(Row, table=True):
    """A game: its rules and options as JSON text, the deal's secret, and its calendar.

    ``rules`` is the whole game file, so that a later change of the file changes no game.
    ``turn_length`` is in days, ``settle`` in minutes, ``hour`` 0 to 23 in ``zone``.
    """

    __tablename__ = "games"
    shown: ClassVar = ("id", "slug")

    id: int | None = Field(default=None, primary_key=True)
    slug: str = Field(unique=True)
    rules: str
    options: str = "{}"
    engine_version: str
    secret: bytes
    commitment: str
    deal: int = 1
    status: GameStatus = Field(default=GameStatus.RUNNING, sa_type=by_value(GameStatus))
    turn_length: int
    hour: int
    zone: str
    settle: int = 30
    created_at: datetime


class PlayerRow(Row, table=True):
    """A player of a game; ``position`` counts from 0 in the order the GM named them.

    ``name_key`` and ``address_key`` are folded by the row itself, and unique in the game.
    ``token_serial`` counts how often his tokens were revoked: it is part of each of them.
    """

    __tablename__ = "players"
    __table_args__ = (
        UniqueConstraint("game_id", "position"),
        UniqueConstraint("game_id", "name_key"),
        UniqueConstraint("game_id", "address_key"),
    )
    shown: ClassVar = ("id", "game_id", "position")

    id: int | None = Field(default=None, primary_key=True)
    game_id: int = Field(foreign_key="games.id")
    position: int
    name: str
    address: str
    name_key: str = ""
    address_key: str = Field(default="", index=True)
    token_serial: int = 0


class AddressRow(Row, table=True):
    """A second address of a player; it counts once ``confirmed_at`` is set (UTC)."""

    __tablename__ = "addresses"
    __table_args__ = (UniqueConstraint("player_id", "address_key"),)
    shown: ClassVar = ("id", "player_id")

    id: int | None = Field(default=None, primary_key=True)
    player_id: int = Field(foreign_key="players.id")
    address: str
    address_key: str = Field(index=True)
    asked_at: datetime
    confirmed_at: datetime | None = None


@event.listens_for(PlayerRow, "before_insert")
@event.listens_for(PlayerRow, "before_update")
def _fold_keys(_mapper: Any, _connection: Any, player: PlayerRow) -> None:  # noqa: ANN401 - SQLAlchemy's, not looked at
    player.name_key = fold(player.name)
    player.address_key = fold(player.address)


class TurnRow(Row, table=True):
    """A turn: state and evidence, so that ``verify`` can adjudicate again and compare.

    Turn 0 is the deal: done from the start, its ``state`` the game as dealt. ``orders``,
    ``events`` and ``state`` (after the turn) are JSON text, set when it is done. ``zone`` is the
    zone in which ``deadline`` was reckoned. ``claim_until`` ends the lease of ``claim_token``.
    """

    __tablename__ = "turns"
    __table_args__ = (UniqueConstraint("game_id", "number"),)
    shown: ClassVar = ("id", "game_id", "number", "status")

    id: int | None = Field(default=None, primary_key=True)
    game_id: int = Field(foreign_key="games.id")
    number: int
    status: TurnStatus = Field(default=TurnStatus.OPEN, sa_type=by_value(TurnStatus), index=True)
    opened_at: datetime
    deadline: datetime | None = None
    zone: str
    claim_token: str | None = None
    claim_until: datetime | None = None
    forced: bool = False
    adjudicated_at: datetime | None = None
    orders: str | None = None
    events: str | None = None
    state: str | None = None


class OrderRow(Row, table=True):
    """The order on file for a player's hand in a turn; ``id`` keeps the order of acceptance.

    ``turn`` is its number, ``hand`` such as A1, ``line`` the canonical text and ``order_json``
    the order itself. ``mail_id`` is None for an order that the GM filed.
    """

    __tablename__ = "orders"
    __table_args__ = (
        UniqueConstraint("game_id", "turn", "player", "hand"),
        # Else SQLite would give the id of a deleted order again.
        {"sqlite_autoincrement": True},
    )
    shown: ClassVar = ("id", "game_id", "turn")

    id: int | None = Field(default=None, primary_key=True)
    game_id: int = Field(foreign_key="games.id")
    turn: int
    player: str
    hand: str
    line: str
    order_json: str
    mail_id: int | None = Field(default=None, foreign_key="inbox.id")
    filed_at: datetime


class OrderHistoryRow(Row, table=True):
    """What became of each line that ever came: evidence, only ever added to."""

    __tablename__ = "order_log"
    __table_args__ = ({"sqlite_autoincrement": True},)
    shown: ClassVar = ("id", "game_id", "turn", "action")

    id: int | None = Field(default=None, primary_key=True)
    game_id: int = Field(foreign_key="games.id", index=True)
    turn: int
    player: str
    mail_id: int | None = Field(default=None, foreign_key="inbox.id")
    at: datetime
    action: OrderAction = Field(sa_type=by_value(OrderAction))
    hand: str = Field(default="", sa_type=Words)
    line: str = Field(default="", sa_type=Words)
    code: str = ""
    sentence: str = Field(default="", sa_type=Words)


class AttendanceRow(Row, table=True):
    """Whether a player was heard of in a turn (RULES.md 9.4), waits (9.6), or has trouble (10.6).

    ``heard``: an order of his was accepted, or a line came that brings a dropped player back.
    ``troubled``: his last mail held something refused or not understood.
    """

    __tablename__ = "attendance"
    __table_args__ = (UniqueConstraint("game_id", "turn", "player"),)
    shown: ClassVar = ("id", "game_id", "turn")

    id: int | None = Field(default=None, primary_key=True)
    game_id: int = Field(foreign_key="games.id")
    turn: int
    player: str
    heard: bool = False
    waiting: bool = False
    troubled: bool = False
    last_order_at: datetime | None = None
