"""Hides the cards in text that is shown to somebody who did not ask for cards.

What is a card is decided by the reader of orders, so that no spelling of it is forgotten. Beyond
it goes what a person reads as a card though the reader refuses it: ``10-H``, ``KD's``, pictures.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from postal.engine.words import LANGUAGE
from postal.ordertext.cards import SYMBOLS, halves, is_card, is_half
from postal.ordertext.folding import fold_char, vanishes

CARD_MASK = "(card)"
"""What stands in place of cards in what is shown."""

_SYMBOLS = "".join(sorted(SYMBOLS))
_PICTURES = "\U0001f0a0-\U0001f0f5"
_MARKS = "\u0300-\u036f\u20d0-\u20ff"  # an accent left by itself belongs to its letter
_LETTER = rf"[^\W_]|[{_SYMBOLS}{_PICTURES}\ufffd]"
_WORD = re.compile(
    rf"(?P<stem>(?:{_LETTER})(?:{_LETTER}|[{_MARKS}])*)"
    r"(?P<tail>'(?:s|t|d|m|ll|re|ve)\b)?"
)
_PICTURE = re.compile(rf"[{_PICTURES}]|(?:10|[2-9tjqka])[{_SYMBOLS}]|[{_SYMBOLS}](?:10|[2-9tjqka])")
_BETWEEN_HALVES = re.compile(r" *|[-./:]")
_GLUED = re.compile(r"(?:ace|king|queen|jack|knave|ten)(?:of)?(?:club|diamond|heart|spade)s?")
_ORDINAL = re.compile(r"[0-9]+th")
_LINKS = frozenset({"of", "the"})

# Cards that are English words too. A mask wins over legibility: such a word is left only in plain
# prose, in lower case (or capitalised where a sentence begins), if no other card stands in the
# text and the words on both sides, with nothing but a space between, are neither cards nor words
# of orders. Every order puts a verb, a receiver, a link or the end of the line beside a card, so
# there it is hidden: "as good as ever" stays legible, "expose as" and "AS" do not.
_ENGLISH = frozenset({"as", "ad", "ah", "ha", "asks", "acts", "hats", "cats"})
_NO_PROSE = LANGUAGE | frozenset({
    "and", "of", "the", "my", "up", "if", "on", "or", "then", "else", "seat", "player", "neighbour",
    "neighbor", "have", "has", "had", "hold", "holds", "got", "get", "with", "pass", "stack",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Word:
    """A folded word; ``start`` and ``end`` are places in the folded text, its tail left out."""

    text: str
    tail: str
    start: int
    end: int
    written: str

    @property
    def half(self) -> bool:
        """Whether it is half a card, the s of "Ann's" apart."""
        return not self.tail and (is_half(self.text) or self._ranks)

    @property
    def _ranks(self) -> bool:
        """Whether several ranks stand together that one suit behind them is for: ``AKQ``."""
        plain = self.written.isalpha() and not self.written.isupper()
        return halves(self.text) == {"rank"} and not plain

    @property
    def card(self) -> bool:
        """Whether cards stand in it, for the reader or, with signs and figures, for a person."""
        word = self.text
        if is_card(word) or word == "jokers" or _GLUED.fullmatch(word) or _PICTURE.search(word):
            return True
        # "has" and "that" consist of ranks and suits; with a figure or a symbol only "9th" does.
        mixed = len(halves(word)) == 2 and not word.isalpha()  # noqa: PLR2004 - rank and suit
        return mixed and not _ORDINAL.fullmatch(word)


def mask_cards(text: str) -> str:
    """Return a text with ``(card)`` for everything in it that the reader of orders takes as cards.

    Cards run together are one mask. Everything else stays as it was written (in NFC).
    """
    text = unicodedata.normalize("NFC", text)
    folded, origins = _folded(text)
    words = [
        _Word(
            found["stem"],
            found["tail"] or "",
            found.start(),
            found.end("stem"),
            text[origins[found.start()] : origins[found.end("stem") - 1] + 1],
        )
        for found in _WORD.finditer(folded)
    ]
    spans = [*_halves(words, folded)]
    taken = {at for first, last in spans for at in range(first, last + 1)}
    others = [at for at, word in enumerate(words) if word.card and at not in taken]
    sure = [at for at in others if words[at].text not in _ENGLISH]
    prose = not (spans or sure)
    spans += [(at, at) for at in others if not (prose and _is_prose(words, at, folded))]
    return _replaced(text, sorted(_places(spans, words, origins)))


def _folded(text: str) -> tuple[str, list[int]]:
    """Return the folded text, and for each of its characters the place it comes from."""
    pieces: list[str] = []
    origins: list[int] = []
    for at, char in enumerate(text):
        piece = fold_char(char)
        pieces.append(piece)
        origins += [at] * len(piece)
    return "".join(pieces), origins


def _halves(words: Sequence[_Word], folded: str) -> Iterator[tuple[int, int]]:
    """Yield the first and last word of each run of halves that has both a rank and a suit.

    It is hidden whole, the letter of a table before it too: in ``A D K`` nobody can say which
    two are the card.
    """
    run: list[int] = []
    for at in range(len(words) + 1):
        word = words[at] if at < len(words) else None
        joined = bool(run and word) and _near(words[at - 1], words[at], folded)
        if word and joined and word.text in _LINKS:
            continue
        if word and joined and word.half:
            run.append(at)
            continue
        kinds = frozenset().union(*(halves(words[one].text) for one in run))
        if len(kinds) == 2:  # noqa: PLR2004 - rank and suit
            yield run[0], run[-1]
        run = [at] if word and word.half else []


def _near(one: _Word, other: _Word, folded: str) -> bool:
    return _BETWEEN_HALVES.fullmatch(folded[one.end + len(one.tail) : other.start]) is not None


def _is_prose(words: Sequence[_Word], at: int, folded: str) -> bool:
    """Whether a card that is an English word is one here; no other card is in the text."""
    word = words[at]
    if word.text not in _ENGLISH or word.tail:
        return False
    before = folded[words[at - 1].end + len(words[at - 1].tail) : word.start] if at else ""
    begins = not at or before.strip() in {".", "!", "?", ":"}
    written = word.written.removeprefix(word.written[0].upper()) if begins else word.written
    if not written.islower() or at + 1 == len(words) or not _plain(words[at + 1]):
        return False
    if folded[word.end : words[at + 1].start].strip(" ") or (at and not begins and before.strip()):
        return False
    return begins or _plain(words[at - 1])


def _plain(word: _Word) -> bool:
    """Whether a word is prose: no card, no half of one but the article, no word of orders."""
    if not word.text.isalpha() or word.text in _NO_PROSE or word.card:
        return False
    return word.written == "a" or not word.half


def _places(
    spans: Sequence[tuple[int, int]], words: Sequence[_Word], origins: Sequence[int]
) -> Iterator[tuple[int, int]]:
    for first, last in spans:
        yield origins[words[first].start], origins[words[last].end - 1] + 1


def _replaced(text: str, places: Sequence[tuple[int, int]]) -> str:
    shown: list[str] = []
    at = 0
    for start, end in places:
        if start < at:  # one character, such as a 10 in brackets, can fold to several words
            continue
        shown += (text[at:start], CARD_MASK)
        at = end
        while at < len(text) and vanishes(text[at]):  # such as what makes a suit colourful
            at += 1
    return "".join((*shown, text[at:]))
