"""Checks a player's name, which must not be mistaken for a word of an order (ORDERS.md)."""

from __future__ import annotations

import re
import unicodedata

from postal.engine.words import LANGUAGE
from postal.ordertext.cards import CARD_WORDS, read_cards
from postal.ordertext.folding import fold, key
from postal.ordertext.reader import read_record_line
from postal.ordertext.types import Context, Refusal

LONGEST_NAME = 30

_HAND = re.compile(r"(?:table |hand )?[a-d][0-9]{0,2}")
_ANY_TABLE = Context({letter: f"{letter}1" for letter in "ABCDEFGH"}, {})


def name_problem(name: str) -> str | None:
    """Return what is wrong with a player's name in one sentence, or None where nothing is.

    A name is letters, digits, spaces, ``.``, ``'`` and ``-``, at most 30, begins with a letter
    or digit, and is no word of the language. Uniqueness is for those who know the other names.
    """
    if not name.strip():
        return "A player needs a name."
    if len(name) > LONGEST_NAME:
        return f"The name has {len(name)} characters; the most is {LONGEST_NAME}."
    if name != " ".join(name.split()):
        return f'The name "{" ".join(name.split())}" has spaces too many.'
    strange = next((char for char in name if not _allowed(char)), None)
    if strange is not None:
        return (
            f'The name "{name}" holds {strange!a}; letters, digits, spaces, . \' and - may stand.'
        )
    if not name[0].isalnum():
        return f'The name "{name}" does not begin with a letter or a digit.'
    return _language_problem(name)


def _allowed(char: str) -> bool:
    return char in " .'-" or unicodedata.category(char)[0] in "LMN"


def _language_problem(name: str) -> str | None:
    folded = fold(name)
    words = folded.replace("-", " ").split()
    # A single letter is an initial, although r is short for raise.
    word = next((key(word) for word in words if key(word) in LANGUAGE and key(word) != "r"), None)
    if word:
        return f'The name "{name}" holds "{word}", a word of the orders.'
    if folded in CARD_WORDS or not isinstance(read_cards(words), Refusal):
        return f'The name "{name}" is that of a card.'
    if _HAND.fullmatch(key(folded)):
        return f'The name "{name}" is that of a table or a hand.'
    if any(_is_order(" ".join(words[at:])) for at in range(len(words))):
        return f'The name "{name}" holds an order.'
    return None


def _is_order(text: str) -> bool:
    reading = read_record_line(text, _ANY_TABLE)
    return bool(reading.lines or reading.commands)
