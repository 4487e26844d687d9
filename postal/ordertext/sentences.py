"""Finds in a sentence the table and the verb that make it one meant as an order."""

from __future__ import annotations

import re
from collections.abc import Sequence

from postal.engine.words import ALL_TABLES, BET_WORDS, TABLE_WORDS
from postal.ordertext.cards import is_card
from postal.ordertext.folding import fold, key
from postal.ordertext.sums import SUM_WORDS, sum_meant
from postal.ordertext.types import Context
from postal.ordertext.words import ALTERNATIVES, CONDITION_WORDS, COURTESY, FORMS

_CAPITAL_A = re.compile(r"(?<![^\W_])(?<![.!?]\s)A(?![^\W_]|')")
_PLACES = frozenset({"on", "at", "in", "for"})
_NEVER_BEHIND_ARTICLE = frozenset({"and", "or", "&", "=", "is", "i", "i'll", "i'd", "i'm", "then"})
_EXCEPT = frozenset({"except", "but", "excepting", "excluding", "without", "save"})
_PLURALS = frozenset({"tables", "hands"})
_EVERY = frozenset({"everything", "everywhere", "all", "both"})
_LEADS = frozenset(
    {"i", "i'll", "i'd", "i'm", "we", "will", "shall", "please", "pls", "just", "to", "not"}
    | {"never", "is", "be", "let's", "gonna", "must", "me", "so", "rather", "also", "don't", "dont"}
    | {"am", "ok", "okay", "then", "either", "well", "yes", "right", "again", "still", "simply"}
)
"""Behind these a verb is meant to be done: "I'd like to fold", not "a good call"."""
_OWN_LEADS = frozenset({"i", "i'll", "please", "pls", "let's"})
_DOING = frozenset({"i'm", "am", "we're", "be"})
"""Behind these stands ``folding``."""
_WISHED = re.compile(r"(?:could|can|would) you (?P<rest>.*\b(?:please|pls|for me)\b.*)")
_UNSURE = frozenset(
    {"was", "were", "did", "didn't", "had", "last", "been", "why", "might", "may", "perhaps"}
    | {"maybe", "could", "should"}
)
"""Words that tell of what was or may be."""
_OTHERS = frozenset({"you", "your", "he", "she", "they", "his", "her", "their"})
"""Words that tell of what others do."""
_BEHIND_VERB = (
    _PLACES | TABLE_WORDS | _PLURALS | _EVERY | ALTERNATIVES | CONDITION_WORDS | COURTESY
) | {"by", "it", "my", "now", "there", "with", "because", "but", "this"}
_MY = frozenset({"hand", "hands", "cards"})
_BESIDE_VERB = _BEHIND_VERB | _MY | _EXCEPT | {"me", "the", "i", "time", "turn", "again", "today"}
_LAST_WORDS = 5
"""At how many places from the end of a sentence an order is looked for."""


def capital_a(raw: str) -> bool:
    """Whether an A in a line as written stands there as a table, not for the article."""
    return not raw.isupper() and _CAPITAL_A.search(raw.lstrip()[1:]) is not None


def tables_named(words: Sequence[str], context: Context, *, capital: bool) -> tuple[str, ...]:
    """Return the player's tables that folded words name beyond doubt, in their order.

    ``table b``, ``b:`` and ``b2`` do, a lone ``b`` too; ``a`` is an article but where it was
    written as a capital (``capital``), or nothing that it could belong to follows.
    """
    found: list[str] = []
    before = ""
    for at, word in enumerate(words):
        table = _table(word, context)
        if table and (key(word) != "a" or capital or _no_article(words, at, before)):
            found.append(table)
        before = key(word)
    return tuple(dict.fromkeys(found))


def _table(word: str, context: Context) -> str:
    bare = key(word).removesuffix("'s").upper()
    if bare in context.hands:
        return bare
    return next((table for table, hand in context.hands.items() if hand == bare), "")


def _no_article(words: Sequence[str], at: int, before: str) -> bool:
    following = key(words[at + 1]) if at + 1 < len(words) else ""
    apart = words[at][-1:] in (":", ")", ",")
    return apart or not following or before in TABLE_WORDS or following in _NEVER_BEHIND_ARTICLE


def all_but(words: Sequence[str], context: Context, *, capital: bool) -> tuple[str, ...]:
    """Return the tables of ``all but B``: those due to him without the ones named; else none."""
    keys = [key(word) for word in words]
    at = next((at for at, word in enumerate(keys) if word in _EXCEPT), 0)
    if not at or not all_named(words[:at]):
        return ()
    named = tables_named(words[at + 1 :], context, capital=capital)
    due = sorted((context.due & set(context.hands)) or context.hands)
    return tuple(table for table in due if table not in named) if named else ()


def all_named(words: Sequence[str]) -> bool:
    """Whether folded words speak of all tables: ``fold everything``, ``stay at all tables``."""
    keys = [key(word) for word in words]
    return ALL_TABLES in keys or bool({"everything", "everywhere", "both"}.intersection(keys))


def meant_verb(words: Sequence[str], context: Context) -> int | None:
    """Return the place of the bet that somebody says he makes; None where nobody says so."""
    wished = _WISHED.match(" ".join(words))
    if wished is not None:
        at = meant_verb(wished["rest"].split(), context)
        return None if at is None else at + 2
    keys = [key(word) for word in words]
    if _UNSURE.intersection(keys):
        return None
    leads = _OWN_LEADS if _OTHERS.intersection(keys) else _LEADS
    for at, word in enumerate(keys):
        doing = word.endswith("ing") and FORMS.get(word) in BET_WORDS
        if not (doing or (word in BET_WORDS and len(word) > 1)) or not _stands_alone(words, at):
            continue
        lead = keys[at - 1] if at else ""
        led = lead in (_DOING if doing else leads) and not _is_done_by_another(keys, at, context)
        if led or (at and words[at - 1].endswith((",", ":", "-"))):
            return at
        if not at and all(_beside(word) for word in words[1:]):
            return at
    return None


def _is_done_by_another(keys: Sequence[str], at: int, context: Context) -> bool:
    """Whether a player's name stands before a verb and its ``will``: "Bob will fold at B"."""
    while at and keys[at - 1] in _LEADS:
        at -= 1
    around = (name for at_table in context.neighbours.values() for name in at_table)
    names = {fold(name).split()[0] for name in (*context.players, *around)}
    return bool(at) and keys[at - 1] in names


def _stands_alone(words: Sequence[str], at: int) -> bool:
    """Whether what follows a verb lets it be an order: not "I call that luck"."""
    if at + 1 == len(words) or words[at] != key(words[at]):
        return True
    following = key(words[at + 1])
    if following == "my":
        return key(words[at + 2]) in _MY if at + 2 < len(words) else False
    return _beside(following)


def _beside(word: str) -> bool:
    bare = key(word)
    known = bare in _BESIDE_VERB or bare in SUM_WORDS or len(bare) <= 1 or is_card(bare)
    return known or sum_meant(bare) is not None or bare[1:].isdigit()


def ends(folded: str, context: Context, *, capital: bool) -> list[str]:
    """Return the ends of a folded sentence that begin with a table of the player's, last first."""
    words = folded.split()
    found: list[str] = []
    for at in range(len(words) - 1, 0, -1):
        before = words[at - 1]
        worded = key(words[at]) in TABLE_WORDS and at + 1 < len(words)
        table = _table(words[at + worded], context)
        if not table or before in ("::", "|"):
            continue
        if key(words[at]) == "a" and words[at] == "a" and not capital:
            continue
        found.append(" ".join(words[at:]))
        if len(found) == _LAST_WORDS:
            break
    return found
