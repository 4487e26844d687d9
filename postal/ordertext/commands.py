"""Reads commands: lines of their own that are no orders (ORDERS.md, Commands)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal, cast

from postal.engine.orders import Cancel
from postal.engine.problems import Fault, Figures
from postal.engine.words import (
    BLOCK_WORDS,
    END_WORD,
    PLAIN_COMMANDS,
    TABLE_WORDS,
    CommandName,
)
from postal.ordertext.folding import key
from postal.ordertext.heads import no_such_hand, read_head
from postal.ordertext.types import Context, Refusal

_HOLIDAY = ("holiday 2026-12-20 to 2027-01-03",)
_TO = frozenset({"to", "until", "till", "-"})
_ISO_LENGTH = len("2026-12-20")


@dataclass(frozen=True, slots=True)
class Word:
    """A command as read, without its place: its name and argument."""

    name: CommandName
    argument: str = ""


def read_command(folded: str, context: Context) -> Word | Cancel | Refusal | None:
    """Return the command that a whole folded part is; None where it is none."""
    words = folded.split()
    name = key(words[0]) if words else ""
    if folded in PLAIN_COMMANDS:
        return Word(cast("CommandName", folded))
    if folded.rstrip("?") in PLAIN_COMMANDS | {"cancel"} and folded.endswith("?"):
        name = folded.rstrip("? ")
        return Refusal(Fault.COMMAND_QUESTION, Figures(verb=name, text=folded))
    if folded in BLOCK_WORDS:
        return Refusal(Fault.BLOCK_WITHOUT_COLON, Figures(verb=folded))
    if name == "cancel":
        return _cancel(words[1:], context)
    if name == "holiday":
        return _holiday(words[1:])
    return None


def _cancel(words: list[str], context: Context) -> Cancel | Refusal | None:
    table = context.only_table
    examples = (f"cancel {min(context.hands, default='A')}", "cancel all")
    if not words:
        if table:
            return Cancel(table)
        return Refusal(Fault.CANCEL_WITHOUT_TABLE, examples=examples)
    text = " ".join(words)
    head = read_head(text, context)
    if head is None or head.rest or head.colon:
        # "cancel my subscription" is prose, "cancel A and B" is meant as a command.
        named = {key(word).upper() for word in words}
        meant = named & (set(context.hands) | set(context.hands.values())) or (
            key(words[0]) in TABLE_WORDS | {"all", "order", "orders", "everything"}
        )
        unclear = Refusal(Fault.CANCEL_UNCLEAR, Figures(text=f"cancel {text}"), examples)
        return unclear if meant else None
    if head.known:
        return Cancel(head.table)
    return no_such_hand(head, context)


def _holiday(words: list[str]) -> Word | Refusal | None:
    text = " ".join(words)
    if words and not any(char in "0123456789" for char in text):
        return None
    if len(words) != 3 or words[1] not in _TO:  # noqa: PLR2004 - two dates and a word
        return Refusal(Fault.HOLIDAY_DAYS_MISSING, examples=_HOLIDAY)
    first, last = _day(words[0]), _day(words[2])
    if first is None or last is None:
        return Refusal(Fault.HOLIDAY_NOT_DATES, Figures(text=text), _HOLIDAY)
    if last < first:
        return Refusal(Fault.HOLIDAY_BACKWARDS, examples=_HOLIDAY)
    return Word("holiday", f"{first.isoformat()} to {last.isoformat()}")


def _day(text: str) -> date | None:
    if len(text) != _ISO_LENGTH or not text.isascii() or text[4:8:3] != "--":
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def opens_block(folded: str) -> Literal["press", "gm"] | None:
    """Return the block that a folded line opens: ``press:`` or ``gm:``."""
    name, colon, _ = folded.partition(":")
    if colon and name.strip() == "press":
        return "press"
    return "gm" if colon and name.strip() == "gm" else None


def is_end(folded: str) -> bool:
    """Whether a folded line is ``end``."""
    return folded == END_WORD
