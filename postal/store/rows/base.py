"""What all rows share: one metadata with named constraints, and a repr that tells no secret."""

import unicodedata
from collections.abc import Sequence
from typing import Any, ClassVar

from sqlalchemy import MetaData
from sqlalchemy.orm import registry
from sqlmodel import SQLModel

# A constraint without a name can't be dropped by a later migration.
METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(column_0_N_label)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class Row(SQLModel, registry=registry(metadata=METADATA)):
    """The base of all rows."""

    shown: ClassVar[tuple[str, ...]] = ("id",)
    """The columns that the repr shows: ids and numbers, nothing that could be secret."""

    def __repr_args__(self) -> Sequence[tuple[str | None, Any]]:
        """Return what the repr shows, from what is loaded, so that it works without a session."""
        return [(name, self.__dict__.get(name)) for name in self.shown]


def fold(text: str) -> str:
    """Return a name or an address as it is compared: NFKC, no case, no spaces around."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).strip()
