"""What the reader of order text needs to know and what it hands back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from postal.engine.orders import Line
from postal.engine.problems import NO_FIGURES, Fault, Figures, Problem
from postal.engine.words import CommandName


@dataclass(frozen=True, slots=True)
class Context:
    """The static facts about one player in one game that his words are read against.

    ``hands`` maps a table's letter to the name of his hand there, ``{"A": "A2"}``;
    ``neighbours`` maps a table's letter to names of players and their seats onward, 1 for the
    next and -1 for the previous. ``players`` names everybody in the game, so that half a name
    is not taken for a neighbour's that is another's whole; ``due`` are the tables where
    something is due from him.
    """

    hands: Mapping[str, str]
    neighbours: Mapping[str, Mapping[str, int]]
    players: frozenset[str] = frozenset()
    due: frozenset[str] = frozenset()

    @property
    def only_table(self) -> str | None:
        """The one table of a game that has only one: its letter may be left out."""
        return next(iter(self.hands)) if len(self.hands) == 1 else None

    @property
    def unnamed_table(self) -> str | None:
        """The table of a line without a letter: the only one, or the only one due; else None."""
        due = sorted(self.due & set(self.hands))
        return self.only_table or (due[0] if len(due) == 1 else None)

    def hands_at(self, tables: Iterable[str]) -> tuple[str, ...]:
        """Return the player's hands at these tables."""
        return tuple(self.hands[table] for table in tables if table in self.hands)


@dataclass(frozen=True, slots=True)
class Command:
    """A command on a line of its own (ORDERS.md, Commands).

    ``argument`` is ``2026-12-20 to 2027-01-03`` or ``cancel`` for a holiday and the block's text
    for press, gm and protest; ``number`` is the line in the mail, from 1, and ``text`` the line as
    written. ``about`` is what stands behind the name of press and protest, folded: ``to joe, ann``,
    ``a``.
    """

    name: CommandName
    argument: str = field(repr=False)
    number: int
    text: str = field(repr=False)
    about: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """All that was found in a text.

    ``lines`` are orders and cancels in the order written, ``problems`` what looked like an order
    and isn't one, ``cut`` the number and text of lines that were not read, being quoted or below
    the marker, and would have been orders. Those of them in ``told`` stand below the head of an
    older mail, or in a block, and order what no line of his does: they are told whatever else was
    found.

    ``guarded`` are the lines that begin with ``::`` or ``|``, behind quote marks too: ours where
    they stand so in a mail of ours. ``prose`` counts the characters of his own that are neither
    order nor command.
    """

    lines: tuple[Line, ...]
    commands: tuple[Command, ...]
    problems: tuple[Problem, ...]
    cut: tuple[tuple[int, str], ...] = field(repr=False)
    told: tuple[tuple[int, str], ...] = field(default=(), repr=False)
    guarded: tuple[tuple[int, str], ...] = field(default=(), repr=False)
    prose: int = 0

    @property
    def nothing(self) -> bool:
        """Whether there is neither an order nor a command nor what was meant as one."""
        return not (self.lines or self.commands or self.problems)

    @property
    def unread(self) -> tuple[str, ...]:
        """The lines that the player is to be told of as left unread."""
        return tuple(text for _, text in (self.cut if self.nothing else self.told))


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a piece of text is not the thing it was read as, with lines that could be written.

    ``hands`` are those of the player that it is meant for, where it names any.
    """

    fault: Fault
    figures: Figures = NO_FIGURES
    examples: tuple[str, ...] = field(default=(), repr=False)
    hands: tuple[str, ...] = ()
