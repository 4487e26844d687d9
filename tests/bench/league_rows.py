"""Makes a league of any size for measuring: a few games are played, then their rows multiplied."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import Column, Connection, Table, text
from sqlmodel import col, select

from postal.clock import deadline_after
from postal.engine.state import Game
from postal.engine.view import view
from postal.service.workplace import Workplace
from postal.store.database import Database
from postal.store.rows import METADATA, GameRow, GameStatus, SeatRow, TurnRow, TurnStatus
from postal.store.tokens import issue, token_for_seat
from tests.service.service_league import HOUR, League

PLAYED = 2
"""So many games of the league are really played to their end, and so many to their age."""

AGE = 11
"""How many turns old a running game is."""

ORDERED = 3
"""How many players of a running game have ordered for the turn in play: nothing is due."""

SETTLED = timedelta(minutes=31)
"""After so long a turn whose orders are all in is due."""

_COPIED = (
    "people", "addresses", "games", "seats", "holders", "tokens", "turns", "inbox", "orders",
    "attendance", "order_log", "outbox",
)  # fmt: skip
"""The tables that are multiplied, each behind those that it refers to."""

_OWN = {
    "games.slug": "games.slug || '-' || {copy}",
    "tokens.digest": "tokens.digest || {copy}",
    "addresses.address": "{copy} || '.' || addresses.address",
    "addresses.address_key": "{copy} || '.' || addresses.address_key",
    "inbox.sender_key": "{copy} || '.' || inbox.sender_key",
    "inbox.sha256": "inbox.sha256 || {copy}",
    "outbox.recipient": "{copy} || '.' || outbox.recipient",
    "outbox.message_id": "{copy} || outbox.message_id",
    "outbox.once_key": "outbox.once_key || '-' || {copy}",
}
"""What each copy has as its own beside its ids. Its tokens are nobody's until they are issued."""


def play_games(league: League) -> None:
    """Play a few games to the end and as many to their age, with orders of every kind."""
    pick = random.Random(1)
    finished = [f"over-{number}" for number in range(PLAYED)]
    for slug in finished:
        league.begin(slug, secret=pick.randbytes(32))
    while finished:
        _play_turn(league, finished, pick, 1.0)
        finished = [slug for slug in finished if not league.loaded(slug).game.finished]
    running = [f"running-{number}" for number in range(PLAYED)]
    for slug in running:
        league.begin(slug, secret=pick.randbytes(32))
    for _ in range(AGE):
        _play_turn(league, running, pick, 0.2)
    for slug in running:
        order(league, slug, pick, league.players[:ORDERED])
    league.poll()
    league.send()


def order(
    league: League, slug: str, pick: random.Random, players: Sequence[str], odd: float = 0.2
) -> int:
    """Deliver the mails in which some players order all that they owe; return how many.

    ``odd`` is how likely an order is not the cautious one that keeps a game going.
    """
    loaded = league.loaded(slug)
    lines = {player: _lines(loaded.game, pick, player, odd) for player in players}
    for player, written in lines.items():
        if written:
            league.write(player, written, slug=slug, sender=loaded.seat(player).address)
    return sum(map(bool, lines.values()))


def _lines(game: Game, pick: random.Random, player: str, odd: float) -> str:
    return "".join(
        f"{pick.choice(item.examples) if pick.random() < odd else item.examples[0]}\n"
        for item in view(game, player).due
    )


def _play_turn(league: League, slugs: Sequence[str], pick: random.Random, odd: float) -> None:
    for slug in slugs:
        order(league, slug, pick, league.players, odd)
    league.poll()
    league.clock.advance(HOUR)
    adjudicated = {done.slug for done in league.due()}
    if adjudicated != set(slugs):
        # An order of chance was refused: then the deadline ends the turn.
        now = league.clock.now()
        league.clock.move_to(deadline_after(now, 7, 21, "UTC"))
        league.poll()
        league.due()
    league.send()


def fill(database: Database, played: Database, running: int) -> None:
    """Fill an empty database with a league of ``running`` games, and as many that are over.

    They are the games that were played and copies of them, with whoever and whatever belongs to
    them; of the mails sent in the copies all but the bytes, which nothing reads again.
    """
    tables = [METADATA.tables[name] for name in _COPIED]
    with played.reading() as session:
        rows = {one.name: session.connection().execute(one.select()).all() for one in tables}
    last = {one.name: max(row.id for row in rows[one.name]) for one in tables if "id" in one.c}
    with database.transaction() as session:
        connection = session.connection()
        for one in tables:
            connection.execute(one.insert(), [dict(row._mapping) for row in rows[one.name]])
        for one in tables:
            _multiply(connection, one, last, running // PLAYED)
    if database.shared:
        # It would have done so by itself by the time that a league is that large.
        with database.transaction() as session:
            session.connection().execute(text("ANALYZE"))


def _multiply(connection: Connection, table: Table, last: dict[str, int], copies: int) -> None:
    names = ", ".join(column.name for column in table.columns)
    values = ", ".join(_value(column, last) for column in table.columns)
    connection.execute(
        text(
            f"INSERT INTO {table.name} ({names})"
            " WITH RECURSIVE copies (nth) AS (SELECT 1 UNION ALL"
            " SELECT nth + 1 FROM copies WHERE nth < :copies)"
            f" SELECT {values} FROM {table.name} CROSS JOIN copies WHERE nth < :copies"
        ),
        {"copies": copies},
    )
    if connection.dialect.name == "postgresql" and "id" in table.c:
        sequence = f"pg_get_serial_sequence('{table.name}', 'id')"
        connection.execute(text(f"SELECT setval({sequence}, max(id)) FROM {table.name}"))


def _value(column: Column[object], last: dict[str, int]) -> str:
    """Return what a column of a copy holds, as an expression over the row that it is made of."""
    full = f"{column.table.name}.{column.name}"
    if full in _OWN:
        return _OWN[full].format(copy="CAST(copies.nth AS TEXT)")
    if full == "outbox.raw":
        return "NULL"
    if full == "inbox.uid":
        return f"inbox.uid + copies.nth * {last['inbox']}"
    of = next((key.column.table.name for key in column.foreign_keys), None)
    of = column.table.name if column.name == "id" else of
    return full if of is None else f"{full} + copies.nth * {last[of]}"


def running_games(work: Workplace, most: int) -> list[str]:
    """Return the slugs of some running games, spread over the league, with tokens of their own."""
    with work.database.transaction() as session:
        rows = session.exec(
            select(GameRow).where(GameRow.status == GameStatus.RUNNING).order_by(col(GameRow.id))
        ).all()
        chosen = rows[:: max(1, len(rows) // most)][:most]
        for game in chosen:
            turn = session.exec(
                select(TurnRow.number).where(
                    TurnRow.game_id == game.id, TurnRow.status == TurnStatus.OPEN
                )
            ).one()
            seats = session.exec(select(SeatRow).where(SeatRow.game_id == game.id)).all()
            now = work.clock.now()
            issue(
                session,
                [
                    token_for_seat(work.token(game, turn, one), one.id or 0, turn, now)
                    for one in seats
                ],
            )
    return [game.slug for game in chosen]
