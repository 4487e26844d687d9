"""Reads what players write: text to orders, commands and problems (ORDERS.md), with no I/O."""

from postal.engine.words import MARKER, CommandName
from postal.ordertext.above import own_words
from postal.ordertext.commands import HOLIDAY_CANCEL
from postal.ordertext.masking import CARD_MASK, mask_cards
from postal.ordertext.names import name_problem
from postal.ordertext.reader import read_mail, read_quoted, read_record_line
from postal.ordertext.subjects import read_subject
from postal.ordertext.types import Command, Context, Reading

__all__ = [
    "CARD_MASK",
    "HOLIDAY_CANCEL",
    "MARKER",
    "Command",
    "CommandName",
    "Context",
    "Reading",
    "mask_cards",
    "name_problem",
    "own_words",
    "read_mail",
    "read_quoted",
    "read_record_line",
    "read_subject",
]
