"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "accounts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("account", sa.String(), nullable=False),
        sa.Column("folder", sa.String(), nullable=False),
        sa.Column("uidvalidity", sa.BigInteger(), nullable=True),
        sa.Column("poll_started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("poll_finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("whole_poll_began_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_accounts")),
        sa.UniqueConstraint("account", "folder", name=op.f("uq_accounts_account_folder")),
    )
    op.create_table(
        "games",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(), nullable=False),
        sa.Column("rules", sa.String(), nullable=False),
        sa.Column("options", sa.String(), nullable=False),
        sa.Column("engine_version", sa.String(), nullable=False),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.Column("commitment", sa.String(), nullable=False),
        sa.Column("deal", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("turn_length", sa.Integer(), nullable=False),
        sa.Column("hour", sa.Integer(), nullable=False),
        sa.Column("zone", sa.String(), nullable=False),
        sa.Column("settle", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_games")),
        sa.UniqueConstraint("slug", name=op.f("uq_games_slug")),
    )
    op.create_table(
        "settings",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_settings")),
    )
    op.create_table(
        "attendance",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("player", sa.String(), nullable=False),
        sa.Column("heard", sa.Boolean(), nullable=False),
        sa.Column("waiting", sa.Boolean(), nullable=False),
        sa.Column("troubled", sa.Boolean(), nullable=False),
        sa.Column("last_order_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_attendance_game_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attendance")),
        sa.UniqueConstraint(
            "game_id", "turn", "player", name=op.f("uq_attendance_game_id_turn_player")
        ),
    )
    op.create_table(
        "inbox",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("account", sa.String(), nullable=False),
        sa.Column("folder", sa.String(), nullable=False),
        sa.Column("uidvalidity", sa.BigInteger(), nullable=False),
        sa.Column("uid", sa.BigInteger(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=True),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("internal_date", sa.DateTime(timezone=True), nullable=False),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("raw", sa.LargeBinary(), nullable=True),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=True),
        sa.Column("player", sa.String(), nullable=True),
        sa.Column("turn", sa.Integer(), nullable=True),
        sa.Column("target", sa.String(), nullable=False),
        sa.Column("moved", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_inbox_game_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_inbox")),
        sa.UniqueConstraint(
            "account",
            "folder",
            "uidvalidity",
            "uid",
            name=op.f("uq_inbox_account_folder_uidvalidity_uid"),
        ),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_inbox_sha256"), "inbox", ["sha256"], unique=False)
    op.create_index(op.f("ix_inbox_status"), "inbox", ["status"], unique=False)
    op.create_table(
        "outbox",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=True),
        sa.Column("turn", sa.Integer(), nullable=True),
        sa.Column("player", sa.String(), nullable=False),
        sa.Column("recipient", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("message_id", sa.String(), nullable=False),
        sa.Column("once_key", sa.String(), nullable=True),
        sa.Column("raw", sa.LargeBinary(), nullable=True),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("next_try_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_code", sa.Integer(), nullable=True),
        sa.Column("last_text", sa.String(), nullable=False),
        sa.Column("sent_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_outbox_game_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
        sa.UniqueConstraint("message_id", name=op.f("uq_outbox_message_id")),
        sa.UniqueConstraint("once_key", name=op.f("uq_outbox_once_key")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_outbox_game_id"), "outbox", ["game_id"], unique=False)
    op.create_index(op.f("ix_outbox_recipient"), "outbox", ["recipient"], unique=False)
    op.create_index(op.f("ix_outbox_state"), "outbox", ["state"], unique=False)
    op.create_table(
        "players",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("name_key", sa.String(), nullable=False),
        sa.Column("address_key", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_players_game_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_players")),
        sa.UniqueConstraint("game_id", "address_key", name=op.f("uq_players_game_id_address_key")),
        sa.UniqueConstraint("game_id", "name_key", name=op.f("uq_players_game_id_name_key")),
        sa.UniqueConstraint("game_id", "position", name=op.f("uq_players_game_id_position")),
    )
    op.create_index(op.f("ix_players_address_key"), "players", ["address_key"], unique=False)
    op.create_table(
        "turns",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("deadline", sa.DateTime(timezone=True), nullable=True),
        sa.Column("zone", sa.String(), nullable=False),
        sa.Column("claim_token", sa.String(), nullable=True),
        sa.Column("claim_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("forced", sa.Boolean(), nullable=False),
        sa.Column("adjudicated_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("orders", sa.String(), nullable=True),
        sa.Column("events", sa.String(), nullable=True),
        sa.Column("state", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_turns_game_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_turns")),
        sa.UniqueConstraint("game_id", "number", name=op.f("uq_turns_game_id_number")),
    )
    op.create_index(op.f("ix_turns_status"), "turns", ["status"], unique=False)
    op.create_table(
        "order_log",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("player", sa.String(), nullable=False),
        sa.Column("mail_id", sa.Integer(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("action", sa.String(length=20), nullable=False),
        sa.Column("hand", sa.String(), nullable=False),
        sa.Column("line", sa.String(), nullable=False),
        sa.Column("code", sa.String(), nullable=False),
        sa.Column("sentence", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_order_log_game_id")),
        sa.ForeignKeyConstraint(["mail_id"], ["inbox.id"], name=op.f("fk_order_log_mail_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_order_log")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_order_log_game_id"), "order_log", ["game_id"], unique=False)
    op.create_table(
        "orders",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("player", sa.String(), nullable=False),
        sa.Column("hand", sa.String(), nullable=False),
        sa.Column("line", sa.String(), nullable=False),
        sa.Column("order_json", sa.String(), nullable=False),
        sa.Column("mail_id", sa.Integer(), nullable=True),
        sa.Column("filed_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_orders_game_id")),
        sa.ForeignKeyConstraint(["mail_id"], ["inbox.id"], name=op.f("fk_orders_mail_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_orders")),
        sa.UniqueConstraint(
            "game_id", "turn", "player", "hand", name=op.f("uq_orders_game_id_turn_player_hand")
        ),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    """Drop the tables, with all that they hold; the indexes go with them."""
    op.drop_table("orders")
    op.drop_table("order_log")
    op.drop_table("attendance")
    op.drop_table("turns")
    op.drop_table("players")
    op.drop_table("outbox")
    op.drop_table("inbox")
    op.drop_table("accounts")
    op.drop_table("settings")
    op.drop_table("games")
