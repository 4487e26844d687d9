"""Reads commands: lines of their own that are no orders (ORDERS.md, Commands)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal, cast

from postal.engine.orders import Cancel
from postal.ordertext.folding import key
from postal.ordertext.heads import no_such_hand, read_head
from postal.ordertext.types import CommandName, Context, Refusal
from postal.ordertext.words import BLOCK_WORDS, COMMAND_WORDS, END_WORD, TABLE_WORDS

_PLAIN = COMMAND_WORDS - {"holiday", "cancel"}
_HOLIDAY_EXAMPLE = "Write holiday 2026-12-20 to 2027-01-03"
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
    if folded in _PLAIN:
        return Word(cast("CommandName", folded))
    if folded.rstrip("?") in _PLAIN | {"cancel"} and folded.endswith("?"):
        name = folded.rstrip("? ")
        return Refusal(f'"{folded}" is a question.', f"Write {name} without the question mark.")
    if folded in BLOCK_WORDS:
        return Refusal(
            f'"{folded}" needs a colon and its text.',
            f"Write {folded}: then the text, and a line end below it.",
        )
    if name == "cancel":
        return _cancel(words[1:], context)
    if name == "holiday":
        return _holiday(words[1:])
    return None


def _cancel(words: list[str], context: Context) -> Cancel | Refusal | None:
    table = context.only_table
    example = f"Write cancel {min(context.hands, default='A')}, or cancel all"
    if not words:
        return Cancel(table) if table else Refusal("The line names no table to cancel.", example)
    text = " ".join(words)
    head = read_head(text, context)
    if head is None or head.rest or head.colon:
        # "cancel my subscription" is prose, "cancel A and B" is meant as a command.
        named = {key(word).upper() for word in words}
        meant = named & (set(context.hands) | set(context.hands.values())) or (
            key(words[0]) in TABLE_WORDS | {"all", "order", "orders", "everything"}
        )
        return Refusal(f'"cancel {text}" is not clear.', example) if meant else None
    if head.known:
        return Cancel(head.table)
    return no_such_hand(head, context)


def _holiday(words: list[str]) -> Word | Refusal | None:
    text = " ".join(words)
    if words and not any(char in "0123456789" for char in text):
        return None
    if len(words) != 3 or words[1] not in _TO:  # noqa: PLR2004 - two dates and a word
        return Refusal("A holiday needs its first and its last day.", _HOLIDAY_EXAMPLE)
    first, last = _day(words[0]), _day(words[2])
    if first is None or last is None:
        return Refusal(f'"{text}" is not two dates.', _HOLIDAY_EXAMPLE)
    if last < first:
        return Refusal("The holiday ends before it begins.", _HOLIDAY_EXAMPLE)
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
