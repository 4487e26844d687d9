"""Column types: words of strangers that every database takes, and choices stored by value."""

from enum import StrEnum

from sqlalchemy import Dialect, Enum, String
from sqlalchemy.types import TypeDecorator

# PostgreSQL takes no NUL in a text, and neither database a lone surrogate.
_UNSTORABLE = {0: "\ufffd"} | dict.fromkeys(range(0xD800, 0xE000), "\ufffd")


class Words(TypeDecorator[str]):
    """Text that somebody else wrote: what a database can't hold becomes U+FFFD."""

    impl = String
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - SQLAlchemy's signature
        """Return the text as it can be stored."""
        return None if value is None else value.translate(_UNSTORABLE)


def by_value(choices: type[StrEnum]) -> Enum:
    """Return a column type that stores an enum's value as plain text and takes no other."""
    return Enum(
        choices,
        native_enum=False,
        create_constraint=False,
        length=20,
        validate_strings=True,
        values_callable=lambda members: [member.value for member in members],
    )
