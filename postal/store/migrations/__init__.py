"""The migrations of the tables, found here by Alembic wherever the package is installed."""
