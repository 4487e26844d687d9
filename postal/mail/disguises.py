"""Strikes tokens out of words that go to somebody else, however they are written there."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Collection, Iterator

from postal.mail.tokens import MASK, TOKEN_LENGTH, masked

_CODED = re.compile(
    r"%(?:25)*(?P<percent>[0-9a-f]{2})|=(?P<quoted>[0-9a-f]{2})|&(?P<entity>#?\w{1,10});",
    re.IGNORECASE,
)
_OF_TOKENS = frozenset("abcdefghijklmnopqrstuvwxyz234567")

Known = Callable[[Collection[str]], Collection[str]]
"""Returns those of some texts, in lower case, that are tokens which were given out."""


def struck_out(text: str, known: Known) -> str:
    """Return a text without any token that was given out.

    Nothing hides one: neither case nor other forms of letters, nor marks, spaces and line ends
    between its letters, nor letters written as in links, in HTML or in quoted-printable text.
    """
    text = masked(text)
    letters = list(_letters(text))
    windows: dict[int, str] = {}
    for at in range(len(letters) - TOKEN_LENGTH + 1):
        run = "".join(letter for letter, _, _ in letters[at : at + TOKEN_LENGTH])
        if _OF_TOKENS.issuperset(run):
            windows[at] = run
    tokens = set(known(set(windows.values()))) if windows else set()
    spans = [
        (letters[at][1], letters[at + TOKEN_LENGTH - 1][2])
        for at, run in windows.items()
        if run in tokens
    ]
    return _without(text, spans)


def _letters(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield each letter or figure, plain and small, with the place that it takes in the text."""
    at = 0
    while at < len(text):
        coded = _CODED.match(text, at)
        end = coded.end() if coded else at + 1
        plain = _decoded(coded) if coded else text[at]
        for char in unicodedata.normalize("NFKD", plain).casefold():
            if char.isalnum():
                yield char, at, end
        at = end


def _decoded(coded: re.Match[str]) -> str:
    number = coded["percent"] or coded["quoted"]
    if number:
        return chr(int(number, 16))
    return html.unescape(coded.group())


def _without(text: str, spans: Collection[tuple[int, int]]) -> str:
    """Return a text with a mask in place of each span; such as meet get one."""
    kept, done = [], 0
    for start, end in sorted(spans):
        if start >= done:
            kept.append(text[done:start] + MASK)
        done = max(done, end)
    return "".join([*kept, text[done:]])
