"""The wordings of wordings.txt: who writes them, and what a line comes to in one line of text."""

from collections.abc import Iterator
from pathlib import Path

from postal.ordertext import Context, read_mail

WORDINGS = Path(__file__).with_name("wordings.txt")
"""``line ⇒ what it comes to``, under the name of who writes it.

That is the canonical lines of what is taken, ``does`` a command, ``prose``, or ``told`` with the
fault, the hands that stay waited for and the lines to copy.
"""

_HANDS = {"A": "A2", "B": "B1", "C": "C3"}
_AROUND = {table: {"Puke": 1, "Joe": -1} for table in "ABC"}
_PLAYERS = frozenset({"Ann", "Puke", "Joe", "Zoë", "Cat O'Neil", "Fred"})
CONTEXTS = {
    "three tables": Context(_HANDS, _AROUND, _PLAYERS, frozenset("ABC")),
    "one table": Context(
        {"A": "A1"}, {"A": {"Zoë": 1, "Cat O'Neil": -1}}, _PLAYERS, frozenset("A")
    ),
    "one due": Context(_HANDS, _AROUND, _PLAYERS, frozenset("B")),
}


def wordings() -> Iterator[tuple[str, str, str]]:
    """Yield who writes, the line, and what it comes to."""
    writer = ""
    for entry in WORDINGS.read_text("utf-8").splitlines():
        if entry.startswith("[") and " ⇒ " not in entry:
            writer = entry.strip("[]")
        elif entry:
            line, _, outcome = entry.rpartition(" ⇒ ")
            yield writer, line, outcome


def comes_to(line: str, context: Context) -> str:
    """Return what a line of a mail comes to, as wordings.txt has it."""
    reading = read_mail(line, context)
    found = [
        f"{order.order.line()}{' (assumed)' if order.assumed else ''}" for order in reading.lines
    ]
    found += [f"does {command.name} {command.argument}".rstrip() for command in reading.commands]
    for problem in reading.problems:
        copy = "; ".join(problem.examples)
        found.append(f"told {problem.fault} [{' '.join(problem.hands)}] {copy}".rstrip())
    return " + ".join(found) or "prose"
