"""Reads commands: lines of their own that are no orders (ORDERS.md, Commands)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import cast

from postal.engine.orders import Cancel
from postal.engine.problems import Fault, Figures
from postal.engine.words import (
    ALL_TABLES,
    BLOCK_WORDS,
    END_WORD,
    HARMLESS_COMMANDS,
    PLAIN_COMMANDS,
    VERB_WORDS,
    BlockName,
    CommandName,
)
from postal.ordertext.folding import key
from postal.ordertext.heads import no_such_hand, read_head
from postal.ordertext.sentences import tables_named
from postal.ordertext.types import Context, Refusal

_TAKE_BACK = frozenset(
    {"undo", "withdraw", "revoke", "retract", "annul", "delete", "scrap", "ignore", "disregard"}
    | {"cancel", "forget", "drop", "void"}
)
_SURE = frozenset({"cancel", "undo", "withdraw", "revoke", "retract"})
"""Verbs of these that are said of orders, whatever is said to be taken back."""
_ASKING = frozenset(
    {
        "please",
        "pls",
        "sorry",
        "oops",
        "ok",
        "and",
        "so",
        "no",
        "i",
        "i'd",
        "i'll",
        "we",
        "let",
        "me",
    }
    | {"would", "like", "want", "wish", "need", "must", "have", "to", "can", "could", "you", "also"}
)
"""What may stand before such a verb: "Sorry, could you cancel A?"."""
_AROUND_ORDERS = frozenset(
    {"my", "the", "and", "for", "at", "on", "in", "of", "please", "that", "this", "last", "to"}
    | {"previous", "earlier", "first", "second", "table", "tables", "hand", "hands", "about", "it"}
    | {"again", "then", "&", "+", ""}
)
_EARLIER = frozenset({"last", "previous", "earlier"})
_ORDERS = frozenset({"order", "orders", "bet", "bets", "move", "moves"})
_MAILS = frozenset({"mail", "mails", "email", "e-mail", "message", "letter"})
_ALL = frozenset({"all", "everything", "both"})
_ONE = frozenset({"order", "bet", "move", "that", "this"}) | VERB_WORDS
"""Words that speak of one order, and do not say which."""
_HOLIDAY = ("holiday 2026-12-20 to 2027-01-03",)
HOLIDAY_CANCEL = "cancel"
"""The argument of ``holiday`` that takes back what was asked for."""
_NO_HOLIDAY = frozenset({"holiday cancel", "cancel holiday", "cancel my holiday"})
_TO = frozenset({"to", "until", "till", "-"})
_GAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_ISO_LENGTH = len("2026-12-20")
_WORDS_BACK: dict[str, CommandName] = {
    "cancel press": "cancel-press",
    "cancel my press": "cancel-press",
    "press cancel": "cancel-press",
    "cancel protest": "cancel-protest",
    "cancel my protest": "cancel-protest",
    "protest cancel": "cancel-protest",
}
"""How words are taken back; done with a question mark behind it too, since it loses nothing."""
_OBSERVE = re.compile(r"observe (?P<what>[a-z0-9][a-z0-9-]{0,39}(?: off)?)")
_MOST_BEHIND_PRESS = 12
_PROTEST = re.compile(
    r"protest (?:(?:at|about|in) )?(?:(?:table|hand) )?(?P<hand>[a-z][0-9]{0,2}) ?"
)


@dataclass(frozen=True, slots=True)
class Word:
    """A command as read, without its place: its name and argument."""

    name: CommandName
    argument: str = ""


@dataclass(frozen=True, slots=True)
class Opening:
    """What opens a block: its name, and what stands behind that: ``to joe, ann``, or a hand.

    ``about`` is folded, and empty where nothing stands there.
    """

    name: BlockName
    about: str = ""


def read_command(
    folded: str, context: Context, *, letterless: bool = True
) -> Word | Cancel | Refusal | None:
    """Return the command that a whole folded part is; None where it is none.

    ``letterless`` is whether ``cancel`` may leave out the letter where one table can be meant.
    """
    words = folded.split()
    name = key(words[0]) if words else ""
    asked = folded.rstrip("? ")
    if folded in PLAIN_COMMANDS or asked in HARMLESS_COMMANDS or asked in _WORDS_BACK:
        return Word(_WORDS_BACK.get(asked, cast("CommandName", asked)))
    if asked in PLAIN_COMMANDS | {"cancel"} and folded.endswith("?"):
        return Refusal(Fault.COMMAND_QUESTION, Figures(verb=asked, text=folded))
    if folded in BLOCK_WORDS:
        return Refusal(Fault.BLOCK_WITHOUT_COLON, Figures(verb=folded))
    return _with_words(name, words, context, letterless=letterless)


def _with_words(
    name: str, words: list[str], context: Context, *, letterless: bool
) -> Word | Cancel | Refusal | None:
    """Return the command that stands with words of its own, such as ``cancel A``."""
    if " ".join(words) in _NO_HOLIDAY:
        return Word("holiday", HOLIDAY_CANCEL)
    if name == "cancel":
        return _cancel(words[1:], context, letterless=letterless)
    if name in ("holiday", "zone"):
        return (_holiday if name == "holiday" else _zone)(words[1:])
    if name == "standby":
        return _standby(words[1:])
    observed = _OBSERVE.fullmatch(" ".join(words).rstrip("? "))
    return Word("observe", observed["what"]) if observed else _asked_back(words, context)


def _cancel(words: list[str], context: Context, *, letterless: bool) -> Cancel | Refusal | None:
    if not words:
        table = context.unnamed_table if letterless else None
        if table:
            return Cancel(table)
        return Refusal(Fault.CANCEL_WITHOUT_TABLE, examples=_cancels((), context))
    head = read_head(" ".join(words), context)
    if head is None or head.rest or head.colon:
        return _taking_back(["cancel", *words], context)
    if head.known:
        return Cancel(head.table)
    return no_such_hand(head, context)


def _asked_back(words: list[str], context: Context) -> Refusal | None:
    """Answer ``please cancel A`` or ``I take A back`` as ``cancel A`` is meant."""
    while words and key(words[0]) in _ASKING:
        words = words[1:]
    if key(words[0] if words else "") == "take" and key(words[-1]) == "back":
        words = ["take", "back", *words[1:-1]]
    if words[:2] == ["take", "back"] or (words and key(words[0]) in _TAKE_BACK):
        return _taking_back(words, context)
    return None


def _taking_back(words: list[str], context: Context) -> Refusal | None:
    """Answer ``cancel my orders`` or ``undo A``; "cancel my subscription" is prose."""
    rest = [key(word) for word in words[2 if words[0] == "take" else 1 :]]
    meant = [word for word in rest if word not in _AROUND_ORDERS]
    named = tables_named(words, context, capital=True) if "a" in rest[:1] else ()
    named = named or tables_named(words, context, capital=False)
    letters = {letter.lower() for letter in (*named, *context.hands_at(named))}
    letters |= {f"{letter}'s" for letter in letters}
    known = (
        _ORDERS | _ALL | VERB_WORDS | letters | (_MAILS if _EARLIER.intersection(rest) else set())
    )
    if not all(word in known for word in meant):
        return None
    sure = key(words[0]) in _SURE
    if not meant and not (sure and (rest or words[0] == "undo")):
        return None
    tables = named or ((ALL_TABLES,) if not _ONE.intersection(rest) else ())
    figures = Figures(text=" ".join(words))
    hands = context.hands_at(named)
    return Refusal(Fault.CANCEL_UNCLEAR, figures, _cancels(tables if rest else (), context), hands)


def _cancels(tables: Sequence[str], context: Context) -> tuple[str, ...]:
    """Return the lines that take back the orders of these tables, or of any."""
    due = sorted(context.due & set(context.hands))
    at = tables or (*(due or (min(context.hands, default="A"),)), ALL_TABLES)
    return tuple(f"cancel {table}" for table in dict.fromkeys(at))


def _zone(words: list[str]) -> Word | None:
    """Return the wish for a zone, which may be written in two words: America/New York.

    Whether there is such a one is known elsewhere; "zone defence wins" is prose.
    """
    text = "_".join(words)
    return Word("zone", text) if "/" in text or text in ("utc", "gmt") else None


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
        turned = f"holiday {last.isoformat()} to {first.isoformat()}"
        return Refusal(Fault.HOLIDAY_BACKWARDS, examples=(turned,))
    return Word("holiday", f"{first.isoformat()} to {last.isoformat()}")


def _standby(words: list[str]) -> Word | None:
    """Return the wish to be a standby of a game, or with ``off`` to be none any more."""
    if len(words) == 1 or (len(words) == 2 and words[1] == "off"):  # noqa: PLR2004 - a game and off
        return Word("standby", " ".join(words)) if _GAME.fullmatch(words[0]) else None
    return None


def _day(text: str) -> date | None:
    if len(text) != _ISO_LENGTH or not text.isascii() or text[4:8:3] != "--":
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def opens_block(folded: str) -> Opening | None:
    """Return the block that a folded line opens.

    Those are ``press:``, ``press to Joe:``, ``gm:``, ``protest A:``, and ``protest:`` alone. Where
    nothing follows the colon, other words behind ``press`` open it too: they can't be understood,
    but what is meant for a few must never be read as anything else.
    """
    name, colon, _ = folded.partition(":")
    words = name.split() if colon else []
    if words in (["press"], ["gm"], ["protest"]):
        return Opening(cast("BlockName", words[0]))
    short = folded.endswith(":") and len(words) <= _MOST_BEHIND_PRESS
    if words[:2] == ["press", "to"] or (words[:1] == ["press"] and short):
        return Opening("press", " ".join(words[1:]))
    table = _PROTEST.fullmatch(name) if colon else None
    return Opening("protest", table["hand"]) if table else None


def is_end(folded: str) -> bool:
    """Whether a folded line is ``end``."""
    return folded == END_WORD
