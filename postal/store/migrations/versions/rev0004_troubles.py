"""Mails that a server lists and doesn't hand over, whose fault a delay is, troubles, a journal."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)
_UNREAD = sa.text("status = 'unread'")
_HELD = sa.text("hindrance = 'ours'")
_OPEN = sa.text("ended_at IS NULL")


def upgrade() -> None:
    """Add the columns and the tables; nothing that is stored changes."""
    with op.batch_alter_table("inbox") as table:
        table.add_column(sa.Column("singled_at", _TIME, nullable=True))
    op.create_index(
        "ix_inbox_unread", "inbox", ["id"], sqlite_where=_UNREAD, postgresql_where=_UNREAD
    )
    with op.batch_alter_table("outbox") as table:
        hindrance = sa.Column("hindrance", sa.String(length=20), nullable=False, server_default="")
        table.add_column(hindrance)
    op.create_index("ix_outbox_held", "outbox", ["id"], sqlite_where=_HELD, postgresql_where=_HELD)
    _make_troubles()
    _make_journal()


def downgrade() -> None:
    """Take all of it away again."""
    op.drop_table("journal")
    op.drop_table("troubles")
    op.drop_index("ix_outbox_held", "outbox")
    with op.batch_alter_table("outbox") as table:
        table.drop_column("hindrance")
    op.drop_index("ix_inbox_unread", "inbox")
    with op.batch_alter_table("inbox") as table:
        table.drop_column("singled_at")


def _make_troubles() -> None:
    op.create_table(
        "troubles",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("about", sa.String(), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=True),
        sa.Column("since", _TIME, nullable=False),
        sa.Column("sentence", sa.String(), nullable=False),
        sa.Column("told", sa.Integer(), nullable=False),
        sa.Column("told_at", _TIME, nullable=True),
        sa.Column("ended_at", _TIME, nullable=True),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_troubles_game_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_troubles")),
    )
    op.create_index(
        "ix_troubles_open",
        "troubles",
        ["kind", "about"],
        unique=True,
        sqlite_where=_OPEN,
        postgresql_where=_OPEN,
    )


def _make_journal() -> None:
    op.create_table(
        "journal",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", _TIME, nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=True),
        sa.Column("turn", sa.Integer(), nullable=True),
        sa.Column("who", sa.String(), nullable=False),
        sa.Column("what", sa.String(), nullable=False),
        sa.Column("sentence", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_journal_game_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_journal")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_journal_game_id"), "journal", ["game_id"])
