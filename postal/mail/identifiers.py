"""Message-IDs of strangers that may stand in our own header: those of a strict form alone."""

from __future__ import annotations

import re
from collections.abc import Iterable

_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_DOT_ATOM = rf"{_ATOM}(?:\.{_ATOM})*"
_QUOTED = r'"[!#-\[\]-~]+"'  # without spaces and backslashes: nothing needs them
_STRICT = re.compile(rf"<(?:{_DOT_ATOM}|{_QUOTED})@(?:{_DOT_ATOM}|\[[!-Z^-~]+\])>")
_LONGEST = 500


def echoed(identifiers: Iterable[str]) -> tuple[str, ...]:
    """Return those of some Message-IDs, brackets included, that a letter of ours may repeat.

    The form is RFC 5322's (3.6.4) without its obsolete parts, ASCII, at most 500 characters.
    What holds ``=?`` is left out, though it is a good dot-atom: some e-mail libraries decode it as
    an encoded word (RFC 2047), line ends included, wherever it stands.
    """
    return tuple(
        one
        for one in identifiers
        if len(one) <= _LONGEST and "=?" not in one and _STRICT.fullmatch(one)
    )
