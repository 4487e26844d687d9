"""Tells what looks like an order, and must be answered, from prose, which must not be."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from postal.engine.words import DIRECTION_WORDS, RAISE_WORDS, TABLE_WORDS, VERB_WORDS
from postal.ordertext.cards import CARD_WORDS, JOKER_WORDS, is_card, spaced
from postal.ordertext.folding import key
from postal.ordertext.words import is_all_in, is_verb

_LONG_VERBS = sorted(word for word in VERB_WORDS if len(word) > len("bet"))
_SHORTEST_MISSPELLING = 3
_ENGLISH_CARDS = frozenset({"as", "ad", "ah", "ha", "ac"})
"""Cards that are words of English too, and so prove nothing."""
_PLACES = frozenset({"at", "on", "all", "tables", "hands"}) | TABLE_WORDS
_OTHER_GAMES = frozenset({"pass", "see", "match", "equal", "muck"})
"""Verbs of poker that are none here, though meant as one."""
_NEUTRAL = (
    frozenset({"by", "to", "of", "the", "and", "if", "stayed", "up", "k", "m", "pounds", ",", "&"})
    | frozenset(DIRECTION_WORDS)
    | CARD_WORDS
    | VERB_WORDS
    | _ENGLISH_CARDS
    | _PLACES
)


@dataclass(frozen=True, slots=True)
class _Weight:
    """How many words speak for an order (cards, sums) and how many for prose."""

    strong: int
    other: int
    first: bool
    directed: bool
    places: bool


def looks_like_order(words: list[str], letters: Collection[str], *, headed: bool) -> bool:
    """Whether folded words are meant as an order, although they are none from end to end.

    ``letters`` are the player's tables in lower case; ``headed`` says that a table stood before
    the words, so that less is needed.
    """
    if not words:
        return False
    if is_all_in(words):
        rest = words[1:] if key(words[0]) == "all-in" else words[2:]
        weight = _weigh(rest, letters)
        return "all" not in rest and _after_verb(weight, len(rest), words, headed=headed)
    if is_verb(words):
        return _after_verb(_weigh(words[1:], letters), len(words) - 1, words, headed=headed)
    weight = _weigh(words[1:], letters)
    if _misspelt_verb(key(words[0])):
        return not weight.other and (weight.strong > 0 or (headed and len(words) == 1))
    weight = _weigh(words, letters)
    if weight.other or not weight.strong:
        return False
    return headed or (weight.strong > 1 and (weight.directed or "/" in " ".join(words)))


def begins_with_verb(words: list[str]) -> bool:
    """Whether folded words begin with a verb, be it misspelt."""
    return is_verb(words) or (bool(words) and _misspelt_verb(key(words[0])))


def _after_verb(weight: _Weight, length: int, words: list[str], *, headed: bool) -> bool:
    if key(words[0]) in RAISE_WORDS and len(key(words[0])) == 1:
        return weight.strong > 0 and not weight.other
    if weight.places:
        return True
    if not weight.strong:
        return headed and length == 1
    if weight.first:
        return weight.other <= weight.strong or headed
    return weight.other <= weight.strong if headed else not weight.other


def _weigh(words: list[str], letters: Collection[str]) -> _Weight:
    strong = other = 0
    first = directed = False
    places = True  # of no words too
    before = ""
    for at, word in enumerate(spaced(" ".join(words))):
        bare = key(word) or word
        is_letter = bare in letters
        # "B stay" inside a line is another order; "a stay" may be an article and a noun.
        another = bare in VERB_WORDS and before in letters and before != "a"
        card = is_card(bare) and bare not in _ENGLISH_CARDS and bare not in letters
        if another or card or bare in JOKER_WORDS or _is_sum(bare):
            strong, first = strong + 1, first or at == 0
        elif not (is_letter or bare in _NEUTRAL or bare == "/"):
            other += 1
        directed = directed or bare in DIRECTION_WORDS
        places = places and (is_letter or bare in _PLACES)
        before = bare
    return _Weight(strong, other, first, directed, places)


def _is_sum(word: str) -> bool:
    return word.lstrip("£$€+-.")[:1] in tuple("0123456789")


def _misspelt_verb(word: str) -> bool:
    """Whether a word is one slip away from a verb of four letters or more, or poker's own."""
    if word in _OTHER_GAMES:
        return True
    if len(word) < _SHORTEST_MISSPELLING or word in VERB_WORDS:
        return False
    return any(_one_slip(word, verb) for verb in _LONG_VERBS)


def _one_slip(word: str, verb: str) -> bool:
    """Whether one letter was added, lost, changed, or two neighbours changed places."""
    if abs(len(word) - len(verb)) > 1:
        return False
    at = 0
    while at < min(len(word), len(verb)) and word[at] == verb[at]:
        at += 1
    if len(word) > len(verb):
        return word[at + 1 :] == verb[at:]
    if len(word) < len(verb):
        return word[at:] == verb[at + 1 :]
    swapped = word[at : at + 2] == verb[at : at + 2][::-1] and word[at + 2 :] == verb[at + 2 :]
    return swapped or word[at + 1 :] == verb[at + 1 :]
