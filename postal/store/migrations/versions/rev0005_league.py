"""Holds, calendars and rollbacks of games, absences, standbys, press, protests, outages."""

import sqlalchemy as sa
from alembic import op

from postal.store.migrations.rev0005.tables import make_absences, make_outages, make_words
from postal.store.problems import StoreUnavailable

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)
_IN_PLAY = sa.text("void_at IS NULL")


def upgrade() -> None:
    """Add the columns and the tables; nothing that is stored changes."""
    _change_games()
    _change_turns()
    with op.batch_alter_table("people") as table:
        table.add_column(_flag("robot"))
    with op.batch_alter_table("attendance") as table:
        table.add_column(_flag("resigned"))
    make_outages()
    make_absences()
    make_words()
    _change_tokens()


def downgrade() -> None:
    """Refuse: what is in these tables fits into no earlier ones."""
    raise StoreUnavailable(
        "An earlier postal's tables can't hold what is in these: put back the copy of the database "
        "that was made before it was brought up to date."
    )


def _flag(name: str) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean(), nullable=False, server_default=sa.false())


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.String(), nullable=False, server_default="")


def _change_games() -> None:
    with op.batch_alter_table("games") as table:
        table.add_column(_text("calendar"))
        table.add_column(sa.Column("hold_since", _TIME, nullable=True))
        table.add_column(sa.Column("hold_until", _TIME, nullable=True))
        table.add_column(_text("hold_why"))
    op.create_index(op.f("ix_games_hold_until"), "games", ["hold_until"])


def _change_turns() -> None:
    with op.batch_alter_table("turns") as table:
        table.add_column(sa.Column("wall", sa.String(), nullable=True))
        table.add_column(sa.Column("attempt", sa.Integer(), nullable=False, server_default="1"))
        table.add_column(sa.Column("void_at", _TIME, nullable=True))
        table.add_column(_text("fixed"))
        table.add_column(sa.Column("remind_at", _TIME, nullable=True))
        table.drop_constraint(op.f("uq_turns_game_id_number"), type_="unique")
        table.create_index("ix_turns_status_remind_at", ["status", "remind_at"])
    op.create_index(
        "ix_turns_game_id_number",
        "turns",
        ["game_id", "number"],
        unique=True,
        sqlite_where=_IN_PLAY,
        postgresql_where=_IN_PLAY,
    )


def _change_tokens() -> None:
    with op.batch_alter_table("tokens") as table:
        table.add_column(sa.Column("person_id", sa.Integer(), nullable=True))
        table.add_column(sa.Column("good_until", _TIME, nullable=True))
        table.add_column(sa.Column("void_at", _TIME, nullable=True))
        table.create_foreign_key(op.f("fk_tokens_person_id"), "people", ["person_id"], ["id"])
        table.create_index(op.f("ix_tokens_person_id"), ["person_id"])
