"""Changes the inbox, the outbox and the polled accounts; no mail is read into memory whole."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from postal.store.migrations.rev0003.senders import HEADER, sender_key
from postal.store.migrations.rev0003.statements import SEAT, rebuilding, refuse_orphans, rows
from postal.store.migrations.rev0003.tables import TIME

_RIGHT = (
    "CASE status WHEN 'done' THEN 'Processed' WHEN 'quarantined' THEN 'Quarantine'"
    " ELSE 'Rejected' END"
)
_ASTRAY = f"moved AND status <> 'new' AND target <> folder AND target <> {_RIGHT}"
"""Of such a mail something else became after it was moved; it still has to follow."""

_NEW = sa.text("status = 'new'")
_UNSENT = sa.text("state IN ('queued', 'unknown', 'sending')")

_HAS_NO_SEAT = "player IS NOT NULL AND player <> '' AND seat_id IS NULL"


def change_inbox() -> None:
    """Note where each mail lies, whose seat's it is, and of a new one who sent it."""
    with op.batch_alter_table("inbox") as table:
        table.add_column(sa.Column("sender_key", sa.String(), nullable=True))
        table.add_column(sa.Column("seat_id", sa.Integer(), nullable=True))
        table.add_column(sa.Column("owner", sa.String(), nullable=True))
        table.add_column(sa.Column("lease_until", TIME, nullable=True))
        table.add_column(sa.Column("next_try_at", TIME, nullable=True))
        table.add_column(sa.Column("place", sa.String(), nullable=True))
    op.execute(
        f"UPDATE inbox SET sender_key = '', seat_id = {SEAT.format('inbox')},"  # noqa: S608 - constants
        f" place = CASE WHEN moved THEN target ELSE folder END,"
        f" target = CASE WHEN {_ASTRAY} THEN {_RIGHT} ELSE target END,"
        f" moved = CASE WHEN {_ASTRAY} THEN false ELSE moved END"
    )
    refuse_orphans("inbox", _HAS_NO_SEAT)
    _name_senders()
    with rebuilding("inbox") as table:
        table.drop_column("player")
        table.alter_column("sender_key", existing_type=sa.String(), nullable=False)
        table.alter_column("place", existing_type=sa.String(), nullable=False)
        table.create_foreign_key(op.f("fk_inbox_seat_id"), "seats", ["seat_id"], ["id"])
        table.drop_index(op.f("ix_inbox_status"))
        table.create_index("ix_inbox_status_id", ["status", "id"])
        table.create_index("ix_inbox_new", ["id"], sqlite_where=_NEW, postgresql_where=_NEW)
        table.create_index("ix_inbox_unmoved", ["account", "folder", "moved"])
        table.create_index("ix_inbox_seat_id_turn", ["seat_id", "turn"])


def change_outbox() -> None:
    """Note whose seat's each message is, and which are delayed."""
    with op.batch_alter_table("outbox") as table:
        table.add_column(sa.Column("seat_id", sa.Integer(), nullable=True))
        table.add_column(sa.Column("owner", sa.String(), nullable=True))
        table.add_column(sa.Column("lease_until", TIME, nullable=True))
        table.add_column(sa.Column("delayed", sa.Boolean(), nullable=True))
    op.execute(
        f"UPDATE outbox SET seat_id = {SEAT.format('outbox')},"  # noqa: S608 - constants
        " delayed = (state = 'sent' AND substr(last_text, 1, 8) = 'delayed:')"
    )
    refuse_orphans("outbox", _HAS_NO_SEAT)
    # By way of keys that are nobody's: a player may be called as another's seat is numbered.
    key = "game_id || '/' || turn || '/' || coalesce(seat_id, 0) || '/' || kind"
    keyed = "once_key IS NOT NULL"
    op.execute(f"UPDATE outbox SET once_key = 'new ' || {key} WHERE {keyed}")  # noqa: S608 - constants
    op.execute(f"UPDATE outbox SET once_key = substr(once_key, 5) WHERE {keyed}")  # noqa: S608 - constants
    with rebuilding("outbox") as table:
        table.drop_column("player")
        table.alter_column("delayed", existing_type=sa.Boolean(), nullable=False)
        table.create_foreign_key(op.f("fk_outbox_seat_id"), "seats", ["seat_id"], ["id"])
        for name in ("game_id", "recipient", "state"):
            table.drop_index(op.f(f"ix_outbox_{name}"))
        table.create_index("ix_outbox_game_id_turn_kind", ["game_id", "turn", "kind"])
        table.create_index("ix_outbox_recipient_created_at", ["recipient", "created_at"])
        table.create_index("ix_outbox_state_id", ["state", "id"])
        table.create_index(
            "ix_outbox_unsent", ["id"], sqlite_where=_UNSENT, postgresql_where=_UNSENT
        )
        table.create_index("ix_outbox_seat_id_turn", ["seat_id", "turn"])


def change_accounts() -> None:
    """Drop what nobody read, and make room for the lease."""
    with op.batch_alter_table("accounts") as table:
        table.drop_column("poll_started_at")
        table.drop_column("poll_finished_at")
        table.add_column(sa.Column("owner", sa.String(), nullable=True))
        table.add_column(sa.Column("lease_until", TIME, nullable=True))


def _name_senders() -> None:
    connection = op.get_bind()
    head = sa.text("SELECT substr(raw, 1, :length) FROM inbox WHERE id = :id")
    update = sa.text("UPDATE inbox SET sender_key = :key WHERE id = :id")
    for row in rows("SELECT id FROM inbox WHERE status = 'new' ORDER BY id"):
        raw = connection.scalar(head, {"length": HEADER, "id": row["id"]})
        connection.execute(update, {"key": sender_key(bytes(raw or b"")), "id": row["id"]})
