"""Reads the header block of a built letter back: it must say what was meant and nothing more."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from email.message import Message
from email.parser import BytesParser
from email.policy import compat32

from postal.mail.headers import decoded

_QUOTED = re.compile(r'"(.*)"')
_ESCAPED = re.compile(r"\\(.)")

Meant = Sequence[tuple[str, str, str]]
"""Fields as (name, words, rest): the value is the words, encoded as need be, then the rest as it
is, such as a display name and an address in angle brackets. Either may be empty."""


def unlike(raw: bytes, meant: Meant, others: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the header fields of a letter that are not as they were meant.

    ``others`` are the fields beside ``meant`` that the letter is to have, each once. A field
    that is missing, that stands there twice, or that nobody meant is among what is returned.
    No value is: it is a stranger's.
    """
    message = BytesParser(policy=compat32).parsebytes(raw, headersonly=True)
    wanted = Counter(name.casefold() for name in (*(name for name, _, _ in meant), *others))
    found = Counter(name.casefold() for name, _ in message.raw_items())
    wrong = dict.fromkeys(found - wanted + (wanted - found))
    for name, words, rest in meant:
        if name.casefold() not in wrong and not _says(message, name, words, rest):
            wrong[name.casefold()] = None
    return tuple(wrong)


def _says(message: Message, name: str, words: str, rest: str) -> bool:
    value = "".join(str(message.get(name)).splitlines()).strip()
    if not value.endswith(rest):
        return False
    text = value.removesuffix(rest).strip()
    if rest and (quoted := _QUOTED.fullmatch(text)):
        text = _ESCAPED.sub(r"\1", quoted[1])
    return text == words or decoded(text, len(words) + 1) == words
