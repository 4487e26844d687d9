"""Second addresses of players, and tokens that can be revoked."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table and the column; tokens given out before stay good."""
    op.create_table(
        "addresses",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("address_key", sa.String(), nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("confirmed_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_addresses_player_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_addresses")),
        sa.UniqueConstraint(
            "player_id", "address_key", name=op.f("uq_addresses_player_id_address_key")
        ),
    )
    with op.batch_alter_table("addresses") as table:
        table.create_index(op.f("ix_addresses_address_key"), ["address_key"])
    with op.batch_alter_table("players") as table:
        table.add_column(
            sa.Column("token_serial", sa.Integer(), nullable=False, server_default="0")
        )


def downgrade() -> None:
    """Take both away again."""
    with op.batch_alter_table("players") as table:
        table.drop_column("token_serial")
    op.drop_table("addresses")
