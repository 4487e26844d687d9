"""The store: what is remembered between mails and turns, on SQLite or PostgreSQL."""
