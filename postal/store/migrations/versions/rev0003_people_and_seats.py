"""People and seats in place of players named by text, tokens by digest, and leases on work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

from postal.store.migrations.rev0003.games import change_games, change_orders, change_turns
from postal.store.migrations.rev0003.mails import change_accounts, change_inbox, change_outbox
from postal.store.migrations.rev0003.people import Register, gathered
from postal.store.migrations.rev0003.statements import insert, refuse_orphans, rows, set_sequence
from postal.store.migrations.rev0003.tables import make_people, make_tokens
from postal.store.migrations.rev0003.tokens import address_tokens, seat_tokens
from postal.store.problems import StoreUnavailable

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_PLAYERS = (
    "SELECT p.id, p.game_id, p.position, p.name, p.address, p.name_key, p.address_key,"
    " p.token_serial, g.slug, g.deal, g.created_at"
    " FROM players p JOIN games g ON g.id = p.game_id ORDER BY p.id"
)
_SECONDS = (
    "SELECT a.id, a.player_id, a.address, a.address_key, a.asked_at, a.confirmed_at, g.slug, g.deal"
    " FROM addresses a JOIN players p ON p.id = a.player_id JOIN games g ON g.id = p.game_id"
    " ORDER BY a.id"
)
_SEAT = ("id", "game_id", "position", "name", "name_key", "token_serial")

_Rows = Sequence[Mapping[str, Any]]


def upgrade() -> None:
    """Carry every row over; StoreUnavailable where one belongs to no seat or turn."""
    refuse_orphans("players", "game_id NOT IN (SELECT id FROM games)")
    refuse_orphans("addresses", "player_id NOT IN (SELECT id FROM players)")
    players = rows(_PLAYERS, "created_at")
    seconds = rows(_SECONDS, "asked_at", "confirmed_at")
    op.drop_table("addresses")
    op.drop_table("players")
    register = gathered(players, seconds)
    tables = make_people() | make_tokens()
    _store_people(tables, players, register)
    _store_tokens(tables["tokens"], players, seconds, register)
    change_games()
    change_turns()
    change_orders()
    change_inbox()
    change_outbox()
    change_accounts()


def downgrade() -> None:
    """Refuse: what is in these tables fits into no earlier ones."""
    raise StoreUnavailable(
        "An earlier postal's tables can't hold what is in these: put back the copy of the database "
        "that was made before it was brought up to date."
    )


def _store_people(tables: Mapping[str, sa.Table], players: _Rows, register: Register) -> None:
    insert(tables["people"], register.people)
    insert(tables["addresses"], register.addresses)
    insert(tables["seats"], [{name: player[name] for name in _SEAT} for player in players])
    for name in ("people", "addresses", "seats"):
        set_sequence(name)
    holders = [
        {
            "seat_id": player["id"],
            "person_id": register.person_of[player["id"]],
            "since": player["created_at"],
            "until": None,
        }
        for player in players
    ]
    insert(tables["holders"], holders)


def _store_tokens(table: sa.Table, players: _Rows, seconds: _Rows, register: Register) -> None:
    stored = rows("SELECT value FROM settings WHERE key = 'token-key'")
    if not stored:
        # Then none was ever given out.
        return
    key = bytes.fromhex(stored[0]["value"])
    last = rows("SELECT game_id, max(number) AS number FROM turns GROUP BY game_id")
    last_turns = {row["game_id"]: row["number"] for row in last}
    insert(table, list(seat_tokens(key, players, last_turns)))
    insert(table, list(address_tokens(key, seconds, register.address_of)))
