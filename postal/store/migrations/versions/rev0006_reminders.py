"""When those who owe orders are reminded, for each turn."""

import sqlalchemy as sa
from alembic import op

from postal.store.problems import StoreUnavailable

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; nobody is reminded of a turn that was in play before."""
    with op.batch_alter_table("turns") as table:
        table.add_column(sa.Column("remind_at", sa.DateTime(timezone=True), nullable=True))
        table.create_index("ix_turns_status_remind_at", ["status", "remind_at"])


def downgrade() -> None:
    """Refuse: an earlier postal would remind nobody."""
    raise StoreUnavailable(
        "An earlier postal's tables can't hold what is in these: put back the copy of the database "
        "that was made before it was brought up to date."
    )
