"""The one place that chance comes from (DESIGN.md, "Chance")."""

import secrets

SECRET_BYTES = 32
_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"


def new_secret() -> bytes:
    """Return 32 random bytes: a game's secret, from which everything dealt comes."""
    return secrets.token_bytes(SECRET_BYTES)


def new_name(length: int) -> str:
    """Return a random name of ``length`` lower-case base32 characters, five bits each.

    For Message-IDs, lease owners and file names; ``length`` is at least 1, else ValueError.
    """
    if length < 1:
        raise ValueError("a name has at least one character")
    return "".join(secrets.choice(_LETTERS) for _ in range(length))
