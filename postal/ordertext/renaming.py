"""Replaces a player's name in what people wrote, as a word of its own and in any spelling."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

_APOSTROPHES = "['\u2019\u02bc\u2018\u00b4`]"
_HYPHENS = "[-\u2010-\u2015\u2212]"


_QUOTED = re.compile(r'"[^"]*"')


def renamed_line(text: str, names: Mapping[str, str]) -> str:
    """Return what somebody typed with players' names replaced, whatever their case there.

    ``names`` maps old names to new ones. A name within a longer word stays.

    >>> renamed_line("A: give 2C to ANN, 3D to Annabel", {"Ann": "Player 1"})
    'A: give 2C to Player 1, 3D to Annabel'
    """
    return _renamed(text, names, re.IGNORECASE)


def renamed_sentence(text: str, names: Mapping[str, str]) -> str:
    """Return a sentence of ours with players' names replaced; in quotes it repeats a line.

    Elsewhere the case of a name counts: May is a player, may is none.

    >>> renamed_sentence('"may" is no neighbour, May; you may give to Ann.', {"May": "X"})
    '"X" is no neighbour, X; you may give to Ann.'
    """
    plain = _QUOTED.sub(lambda quoted: renamed_line(quoted[0], names), text)
    return _renamed(plain, names, re.NOFLAG)


def _renamed(text: str, names: Mapping[str, str], flags: re.RegexFlag) -> str:
    for old, new in names.items():
        forms = {unicodedata.normalize(form, old) for form in ("NFC", "NFD")}
        found = "|".join(_pattern(form) for form in sorted(forms))
        # No name holds a backslash, which would make it a template.
        text = re.sub(rf"(?<!\w)(?:{found})(?!\w)", new.replace("\\", ""), text, flags=flags)
    return text


def _pattern(name: str) -> str:
    """Return what a name may look like: other apostrophes and hyphens, more spaces."""
    parts = []
    for char in name:
        if char == " ":
            parts.append(r"\s+")
        elif char in "'-":
            parts.append(_APOSTROPHES if char == "'" else _HYPHENS)
        else:
            parts.append(re.escape(char))
    return "".join(parts)
