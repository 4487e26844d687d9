"""One module a migration; one that was released never changes."""
