"""Notes the statements that are sent to a database, and tells which of them read a whole table."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import event

from postal.store.database import Database

_WHOLE = re.compile(
    r"SCAN (?!CONSTANT|\(|troubles USING INDEX ix_troubles_open"
    r"|standbys USING INDEX ix_standbys_signed)|.*PRIMARY KEY \(rowid[<>]"
)
"""How SQLite says that it reads a table from one end to the other, or from some row on.

An index that holds nothing but the troubles that last, or the standbys who have signed up, is none.
"""


@dataclass
class Statements:
    """The statements that were sent since ``listen``: how many, and each once with its values."""

    count: int = 0
    sent: dict[str, Any] = field(default_factory=dict, repr=False)

    def listen(self, database: Database) -> None:
        """Note what is sent to a database from now on."""

        def note(_1: Any, _2: Any, statement: str, given: Any, _3: Any, many: Any) -> None:
            self.count += 1
            if not many:
                self.sent.setdefault(statement, given)

        event.listen(database._writing, "before_cursor_execute", note)

    def whole_tables(self, database: Database) -> list[str]:
        """Return what SQLite says of the statements for which it reads a whole table."""
        found: set[str] = set()
        with database.reading() as session:
            connection = session.connection()
            for statement, given in list(self.sent.items()):
                if statement.startswith(("SELECT", "UPDATE", "DELETE")):
                    plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", given)
                    words = " ".join(statement.split())
                    found |= {f"{row[3]}: {words}" for row in plan if _WHOLE.match(row[3])}
        return sorted(found)
