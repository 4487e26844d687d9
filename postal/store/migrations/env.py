"""Alembic's entry: runs migrations on the connection, and in the transaction, it is given."""

from alembic import context

from postal.store.rows import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    # SQLite alters a table by making it anew.
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
