"""Makes the tables that are new in revision 0003."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

TIME = sa.DateTime(timezone=True)


def make_people() -> dict[str, sa.Table]:
    """Make the tables of people, addresses and seats; return them by name."""
    people = op.create_table(
        "people",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("name_key", sa.String(), nullable=False),
        sa.Column("zone", sa.String(), nullable=True),
        sa.Column("language", sa.String(), nullable=True),
        sa.Column("text_only", sa.Boolean(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_people")),
    )
    op.create_index(op.f("ix_people_name_key"), "people", ["name_key"])
    addresses = op.create_table(
        "addresses",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("address_key", sa.String(), nullable=False),
        sa.Column("asked_at", TIME, nullable=False),
        sa.Column("confirmed_at", TIME, nullable=True),
        sa.Column("reports", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_addresses_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_addresses")),
        sa.UniqueConstraint(
            "person_id", "address_key", name=op.f("uq_addresses_person_id_address_key")
        ),
    )
    op.create_index(op.f("ix_addresses_person_id"), "addresses", ["person_id"])
    op.create_index(op.f("ix_addresses_address_key"), "addresses", ["address_key"])
    seats = op.create_table(
        "seats",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("name_key", sa.String(), nullable=False),
        sa.Column("token_serial", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_seats_game_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_seats")),
        sa.UniqueConstraint("game_id", "position", name=op.f("uq_seats_game_id_position")),
        sa.UniqueConstraint("game_id", "name_key", name=op.f("uq_seats_game_id_name_key")),
    )
    return {"people": people, "addresses": addresses, "seats": seats}


def make_tokens() -> dict[str, sa.Table]:
    """Make the tables of who holds which seat, and of tokens; return them by name."""
    holders = op.create_table(
        "holders",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("since", TIME, nullable=False),
        sa.Column("until", TIME, nullable=True),
        sa.ForeignKeyConstraint(["seat_id"], ["seats.id"], name=op.f("fk_holders_seat_id")),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_holders_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_holders")),
    )
    op.create_index("ix_holders_seat_id_until", "holders", ["seat_id", "until"])
    op.create_index(op.f("ix_holders_person_id"), "holders", ["person_id"])
    tokens = op.create_table(
        "tokens",
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=True),
        sa.Column("turn", sa.Integer(), nullable=True),
        sa.Column("address_id", sa.Integer(), nullable=True),
        sa.Column("issued_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(["seat_id"], ["seats.id"], name=op.f("fk_tokens_seat_id")),
        sa.ForeignKeyConstraint(
            ["address_id"], ["addresses.id"], name=op.f("fk_tokens_address_id")
        ),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_tokens")),
    )
    op.create_index(op.f("ix_tokens_seat_id"), "tokens", ["seat_id"])
    op.create_index(op.f("ix_tokens_address_id"), "tokens", ["address_id"])
    return {"holders": holders, "tokens": tokens}
