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
    # What looks like a coded letter may be a sign before a token's first two: "id=ab…".
    found = [*_windows(text, coded=True), *_windows(text, coded=False)]
    tokens = set(known({run for run, _ in found})) if found else set()
    return _without(text, [span for run, span in found if run in tokens])


def _windows(text: str, *, coded: bool) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield whatever could be a token by its letters, with the place that it takes in the text."""
    letters = list(_letters(text, coded=coded))
    for at in range(len(letters) - TOKEN_LENGTH + 1):
        window = letters[at : at + TOKEN_LENGTH]
        run = "".join(letter for letter, _, _ in window)
        if _OF_TOKENS.issuperset(run):
            yield run, (window[0][1], window[-1][2])


def _letters(text: str, *, coded: bool) -> Iterator[tuple[str, int, int]]:
    """Yield each letter or figure, plain and small, with the place that it takes in the text.

    ``coded``: letters may be written as codes.
    """
    at = 0
    while at < len(text):
        code = _CODED.match(text, at) if coded else None
        end = code.end() if code else at + 1
        plain = _decoded(code) if code else text[at]
        for char in unicodedata.normalize("NFKD", plain).casefold():
            if char.isalnum():
                yield char, at, end
        at = end


def _decoded(code: re.Match[str]) -> str:
    number = code["percent"] or code["quoted"]
    if number:
        return chr(int(number, 16))
    return html.unescape(code.group())


def _without(text: str, spans: Collection[tuple[int, int]]) -> str:
    """Return a text with a mask in place of each span; such as meet get one."""
    kept, done = [], 0
    for start, end in sorted(spans):
        if start >= done:
            kept.append(text[done:start] + MASK)
        done = max(done, end)
    return "".join([*kept, text[done:]])
