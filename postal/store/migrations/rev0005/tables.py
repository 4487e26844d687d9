"""Makes the tables that are new in revision 0005."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

_TIME = sa.DateTime(timezone=True)
_PRESENT = sa.text("until IS NULL")
_SIGNED = sa.text("until IS NULL AND signed_at IS NOT NULL")


def make_outages() -> None:
    """Make the table of outages."""
    op.create_table(
        "outages",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("what", sa.String(20), nullable=False),
        sa.Column("began", _TIME, nullable=False),
        sa.Column("ended", _TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outages")),
    )
    op.create_index(op.f("ix_outages_ended"), "outages", ["ended"])


def make_absences() -> None:
    """Make the tables of holidays, standbys and observers."""
    op.create_table(
        "absences",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("first", sa.Date(), nullable=False),
        sa.Column("last", sa.Date(), nullable=False),
        sa.Column("asked_at", _TIME, nullable=False),
        sa.Column("mail_id", sa.Integer(), nullable=True),
        sa.Column("ended_at", _TIME, nullable=True),
        _to("absences", "person_id", "people"),
        _to("absences", "mail_id", "inbox"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_absences")),
    )
    op.create_index(op.f("ix_absences_person_id"), "absences", ["person_id"])
    op.create_table(
        "standbys",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("since", _TIME, nullable=False),
        sa.Column("until", _TIME, nullable=True),
        sa.Column("signed_at", _TIME, nullable=True),
        sa.Column("asked_at", _TIME, nullable=True),
        sa.Column("seat_id", sa.Integer(), nullable=True),
        _to("standbys", "game_id", "games"),
        _to("standbys", "person_id", "people"),
        _to("standbys", "seat_id", "seats"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_standbys")),
    )
    op.create_index(
        "ix_standbys_present",
        "standbys",
        ["game_id", "person_id"],
        unique=True,
        sqlite_where=_PRESENT,
        postgresql_where=_PRESENT,
    )
    op.create_index(
        "ix_standbys_signed",
        "standbys",
        ["game_id"],
        sqlite_where=_SIGNED,
        postgresql_where=_SIGNED,
    )
    op.create_table(
        "observers",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("since", _TIME, nullable=False),
        sa.Column("stopped_at", _TIME, nullable=True),
        _to("observers", "game_id", "games"),
        _to("observers", "person_id", "people"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_observers")),
        sa.UniqueConstraint("game_id", "person_id", name=op.f("uq_observers_game_id_person_id")),
    )


def make_words() -> None:
    """Make the tables of press and protests."""
    op.create_table(
        "press",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("printed_in", sa.Integer(), nullable=True),
        sa.Column("seat_id", sa.Integer(), nullable=True),
        sa.Column("to", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("mail_id", sa.Integer(), nullable=True),
        sa.Column("at", _TIME, nullable=False),
        _to("press", "game_id", "games"),
        _to("press", "printed_in", "turns"),
        _to("press", "seat_id", "seats"),
        _to("press", "mail_id", "inbox"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_press")),
    )
    op.create_index("ix_press_game_id_printed_in", "press", ["game_id", "printed_in"])
    op.create_table(
        "protests",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=False),
        sa.Column("hand", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("mail_id", sa.Integer(), nullable=True),
        sa.Column("at", _TIME, nullable=False),
        sa.Column("until", _TIME, nullable=False),
        sa.Column("ruled_at", _TIME, nullable=True),
        _to("protests", "game_id", "games"),
        _to("protests", "seat_id", "seats"),
        _to("protests", "mail_id", "inbox"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_protests")),
    )
    op.create_index(op.f("ix_protests_game_id"), "protests", ["game_id"])


def _to(table: str, column: str, other: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [f"{other}.id"], name=op.f(f"fk_{table}_{column}"))
