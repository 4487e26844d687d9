"""The words of orders and commands, and the marker: one place for who reads and who writes them."""

from __future__ import annotations

from typing import Literal

MARKER = "=-=-= Reply above this line =-=-="
"""The line above which an answer is read; it stops the reading unless it is quoted."""

Verb = Literal["raise", "stay", "fold", "check", "call"]
VERBS: tuple[Verb, ...] = ("raise", "stay", "fold", "check", "call")
"""The bets, as their canonical lines have them (RULES.md 5, 6)."""

Limit = Literal["max", "min"]
"""The most or the least that a raise may add at the moment."""

DIRECTIONS = {1: "next", -1: "previous"}
"""The neighbours by how many seats onward they sit (RULES.md 2.2)."""

ALL_TABLES = "all"
"""The table of a bet that is meant for each hand where one is due (ORDERS.md, "For all tables")."""

CommandName = Literal[
    "help",
    "status",
    "orders",
    "resend",
    "rules",
    "wait",
    "ready",
    "holiday",
    "resign",
    "standby",
    "press",
    "gm",
    "protest",
    "cancel-press",
    "cancel-protest",
    "observe",
    "zone",
]

BlockName = Literal["press", "gm", "protest"]
"""The commands with a text of their own, up to a line ``end``."""

# What follows is in folded form: lower case, as a line is compared with it (ORDERS.md).

RAISE_WORDS = frozenset({"raise", "bet", "r"})
LIMIT_WORDS: dict[str, Limit] = {
    "max": "max",
    "maximum": "max",
    "most": "max",
    "min": "min",
    "minimum": "min",
    "least": "min",
}
PLAIN_BETS = frozenset(VERBS) - {"raise"}
BET_WORDS = RAISE_WORDS | PLAIN_BETS
EXPOSE_WORDS = frozenset({"expose", "show", "exposing", "showing"})
TURN_WORDS = frozenset({"turn", "turning"})
KEEP_WORDS = frozenset({"keep", "discard"})
GIVE_WORDS = frozenset({"give"})
VERB_WORDS = BET_WORDS | EXPOSE_WORDS | KEEP_WORDS | GIVE_WORDS
DIRECTION_WORDS = {"next": 1, "left": 1, "previous": -1, "prev": -1, "right": -1}
PLAIN_COMMANDS = frozenset(
    {"help", "status", "orders", "resend", "rules", "wait", "ready", "resign"}
)
"""The commands that are one word and nothing else."""
HARMLESS_COMMANDS = frozenset({"help", "status", "orders", "resend", "rules"})
"""Those that change nothing, and so are done though a question mark stands behind them."""
COMMAND_WORDS = PLAIN_COMMANDS | {"holiday", "cancel", "zone", "standby", "observe"}
BLOCK_WORDS = frozenset({"press", "gm", "protest"})
TABLE_WORDS = frozenset({"table", "hand"})
END_WORD = "end"

FIRST_WORDS = (
    VERB_WORDS | TURN_WORDS | TABLE_WORDS | COMMAND_WORDS | BLOCK_WORDS | {ALL_TABLES, END_WORD}
)
"""Every word that an order or a command can begin with."""
LANGUAGE = FIRST_WORDS | frozenset(DIRECTION_WORDS) | {"to", "stayed"}
"""Every word that means something in an order or a command, cards apart."""
