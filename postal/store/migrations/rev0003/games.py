"""Changes games, turns and the orders of each."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from alembic.operations import BatchOperations

from postal.store.migrations.rev0003.committed import committed_text
from postal.store.migrations.rev0003.statements import SEAT, TURN, rebuilding, refuse_orphans, rows
from postal.store.migrations.rev0003.tables import TIME

_ENDED = (
    "SELECT t.adjudicated_at FROM turns t WHERE t.game_id = games.id"
    " AND t.adjudicated_at IS NOT NULL ORDER BY t.number DESC LIMIT 1"
)


def change_games() -> None:
    """Note the edition, the end, and what each commitment was made over."""
    with op.batch_alter_table("games") as table:
        table.add_column(sa.Column("edition", sa.Integer(), nullable=True))
        table.add_column(sa.Column("committed", sa.String(), nullable=True))
        table.add_column(sa.Column("ended_at", TIME, nullable=True))
    op.execute(
        f"UPDATE games SET edition = 1, committed = '',"  # noqa: S608 - constants
        f" ended_at = CASE WHEN status = 'finished' THEN ({_ENDED}) END"
    )
    update = sa.text("UPDATE games SET committed = :text WHERE id = :id")
    for row in rows("SELECT id, secret, commitment, rules, options FROM games ORDER BY id"):
        text = committed_text(row["secret"], row["commitment"], row["rules"], row["options"])
        op.get_bind().execute(update, {"text": text, "id": row["id"]})
    with op.batch_alter_table("games") as table:
        table.alter_column("edition", existing_type=sa.Integer(), nullable=False)
        table.alter_column("committed", existing_type=sa.String(), nullable=False)


def change_turns() -> None:
    """Have every turn that isn't done looked at: the program finds out when it is really due."""
    with op.batch_alter_table("turns") as table:
        table.add_column(sa.Column("due_at", TIME, nullable=True))
        table.add_column(sa.Column("version", sa.Integer(), nullable=True))
    op.execute(
        "UPDATE turns SET version = 0, due_at = CASE WHEN status <> 'done' THEN opened_at END"
    )
    with op.batch_alter_table("turns") as table:
        table.alter_column("version", existing_type=sa.Integer(), nullable=False)
        table.drop_index(op.f("ix_turns_status"))
        table.create_index("ix_turns_status_due_at", ["status", "due_at"])


def change_orders() -> None:
    """Let orders, their history and attendance name turn and seat by id."""
    _tie("orders")
    with rebuilding("orders") as table:
        table.drop_constraint(op.f("uq_orders_game_id_turn_player_hand"), type_="unique")
        _untie(table, "orders")
        unique = ["turn_id", "seat_id", "hand"]
        table.create_unique_constraint(op.f("uq_orders_turn_id_seat_id_hand"), unique)
    _tie("order_log")
    with rebuilding("order_log") as table:
        table.drop_index(op.f("ix_order_log_game_id"))
        _untie(table, "order_log")
        table.create_index(op.f("ix_order_log_turn_id"), ["turn_id"])
        table.create_index(op.f("ix_order_log_mail_id"), ["mail_id"])
    _tie("attendance")
    with op.batch_alter_table("attendance") as table:
        # Whoever had trouble in a turn under way holds it to its deadline, as he was told.
        table.add_column(sa.Column("troubled_until", TIME, nullable=True))
        table.drop_constraint(op.f("uq_attendance_game_id_turn_player"), type_="unique")
        _untie(table, "attendance")
        unique = ["turn_id", "seat_id"]
        table.create_unique_constraint(op.f("uq_attendance_turn_id_seat_id"), unique)


def _tie(table: str) -> None:
    with op.batch_alter_table(table) as batch:
        batch.add_column(sa.Column("turn_id", sa.Integer(), nullable=True))
        batch.add_column(sa.Column("seat_id", sa.Integer(), nullable=True))
    turn, seat = TURN.format(table), SEAT.format(table)
    op.execute(f"UPDATE {table} SET turn_id = {turn}, seat_id = {seat}")  # noqa: S608 - constants
    refuse_orphans(table, "turn_id IS NULL OR seat_id IS NULL")


def _untie(batch: BatchOperations, table: str) -> None:
    batch.drop_constraint(op.f(f"fk_{table}_game_id"), type_="foreignkey")
    for column in ("game_id", "turn", "player"):
        batch.drop_column(column)
    for column, other in (("turn_id", "turns"), ("seat_id", "seats")):
        batch.alter_column(column, existing_type=sa.Integer(), nullable=False)
        batch.create_foreign_key(op.f(f"fk_{table}_{column}"), other, [column], ["id"])
