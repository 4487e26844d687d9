"""Tells what looks like an order, and must be answered, from prose, which must not be."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from postal.engine.words import (
    DIRECTION_WORDS,
    EXPOSE_WORDS,
    LIMIT_WORDS,
    RAISE_WORDS,
    TABLE_WORDS,
    TURN_WORDS,
    VERB_WORDS,
)
from postal.ordertext.cards import CARD_WORDS, JOKER_WORDS, is_card, spaced
from postal.ordertext.folding import key
from postal.ordertext.sums import SUM_WORDS, bare_sum, sum_meant
from postal.ordertext.words import COURTESY, FORMS, all_in_length, is_all_in, is_verb

_LONG_VERBS = sorted(word for word in VERB_WORDS if len(word) > len("bet"))
_SHORTEST_MISSPELLING = 3
_ENGLISH_CARDS = frozenset({"as", "ad", "ah", "ha", "ac"})
"""Cards that are words of English too, and so prove nothing."""
_PREPOSITIONS = frozenset({"at", "on", "in", "for"})
_PLACES = _PREPOSITIONS | {"all", "tables", "hands", "everywhere", "my"} | TABLE_WORDS
_EVERYTHING = frozenset({"everything", "both", "them", "each"})
_OF_CARDS_TOO = frozenset({"keep", "discard", "show", "expose", "give", "check", "call"})
"""Verbs behind which "everything" may well mean something else."""
_OTHER_GAMES = frozenset({"pass", "see", "match", "equal", "muck"})
"""Verbs of poker that are none here, though meant as one."""
_ADDING = frozenset({"reraise", "re-raise", "rereaise", "up", "ups", "increase", "add"})
"""Words that say raise where a table stands before them and a sum behind."""
_OBJECTS = frozenset({"it", "him", "her", "them", "that", "this", "his", "the"})
_NEUTRAL = (
    frozenset({"by", "to", "of", "the", "and", "if", "stayed", "up", "k", "m", "pounds", ",", "&"})
    | frozenset(DIRECTION_WORDS)
    | frozenset(LIMIT_WORDS)
    | CARD_WORDS
    | VERB_WORDS
    | _ENGLISH_CARDS
    | _PLACES
    | COURTESY
)
_SUM = re.compile(r"[£$€+\-.]*(?:0|0[.,][0-9.,']*|[1-9][0-9.,']*)[km]?")
_BEFORE_JUNK = re.compile(r"[a-z]{4,}(?=[^\w'-])")
"""A verb with something stuck to it, such as ``fold<br>`` or ``raise&nbsp;20000``."""
_GLUED = re.compile(r"(?P<verb>r|raise|bet)[=:/-]?(?P<sum>[£+]?[0-9][0-9,.]*[km]?)")


@dataclass(frozen=True, slots=True)
class _Weight:
    """How many words speak for an order (cards, sums) and how many for prose."""

    strong: int
    cards: int
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
        rest = words[all_in_length(words) :]
        weight = _weigh(rest, letters)
        return "all" not in rest and _after_verb(weight, len(rest), words, headed=headed)
    if is_verb(words):
        return _after_verb(_weigh(words[1:], letters), len(words) - 1, words, headed=headed)
    if glued_raise(words[0]) or (_slashed_verbs(words[0]) and (headed or key(words[0]) != "c/f")):
        return _weigh(words[1:], letters).other == 0
    return _odd_verb(words, letters, headed=headed) or _without_verb(words, letters, headed=headed)


def _odd_verb(words: list[str], letters: Collection[str], *, headed: bool) -> bool:
    """Whether words begin with a verb misspelt, in another form, or of poker elsewhere."""
    weight, verb = _weigh(words[1:], letters, naming=headed), key(words[0])
    if headed and adds_to(words) and weight.other <= 1:
        return True
    if not misspelt_verb(verb):
        return False
    certain = headed and 0 < weight.cards >= weight.other
    met = verb in _OTHER_GAMES and _OBJECTS.issuperset(map(key, words[1:]))
    alone = headed and (len(words) == 1 or met)
    return certain or alone or (not weight.other and weight.strong > 0)


def adds_to(words: list[str]) -> bool:
    """Whether words behind a table say raise in another way: ``up it by 20000``."""
    return key(words[0]) in _ADDING and any(bare_sum(word) is not None for word in words[1:])


def _slashed_verbs(word: str) -> bool:
    """Whether a word is ``check/fold`` or the like."""
    sides = verbs_within(word)
    return len(sides) > 1


def verbs_within(word: str) -> list[str]:
    """Return the verbs that a word joins, ``check/fold`` or ``c/f``; of others none.

    >>> verbs_within("check-fold")
    ['check', 'fold']
    """
    sides = ["check", "fold"] if key(word) == "c/f" else [*map(key, re.split("[/-]", word))]
    return sides if all(side in VERB_WORDS for side in sides) else []


def raise_at_end(words: list[str]) -> list[str]:
    """Return the words of the sum before a ``raise`` that ends them; none where no sum is."""
    rest = words[: len(words) - (key(words[-1]) in COURTESY)] if words else []
    if len(rest) < 2 or key(rest[-1]) not in RAISE_WORDS:  # noqa: PLR2004 - a sum and a verb
        return []
    before = rest[1:-1] if rest[0] in ("the", "a") else rest[:-1]
    limit = len(before) == 1 and key(before[0]) in LIMIT_WORDS
    return before if limit or sum_meant(" ".join(before)) is not None else []


def glued_raise(word: str) -> str:
    """Return the sum of ``r40k`` or ``raise40000``; empty where a word is nothing like it."""
    found = _GLUED.fullmatch(key(word))
    return found["sum"] if found and bare_sum(found["sum"]) is not None else ""


def misspelt_verb(word: str) -> tuple[str, ...]:
    """Return the verbs of four letters or more that a word is one slip away from.

    Of poker's own verbs, which are none here, it is the word itself; of another form of a verb
    it is the verb.
    """
    if word in _OTHER_GAMES:
        return (word,)
    if word in FORMS:
        return (FORMS[word],)
    stem = _BEFORE_JUNK.match(word)
    if stem and stem[0] in _LONG_VERBS:
        return (stem[0],)
    if len(word) < _SHORTEST_MISSPELLING or word in VERB_WORDS:
        return ()
    return tuple(verb for verb in _LONG_VERBS if _one_slip(word, verb))


def _without_verb(words: list[str], letters: Collection[str], *, headed: bool) -> bool:
    """Whether words without a verb are meant as one: cards, or behind a table a sum alone."""
    weight = _weigh(words, letters)
    if not weight.cards:
        return headed and (bare_sum(" ".join(words)) is not None or bool(raise_at_end(words)))
    if weight.other:
        return False
    return headed or (weight.strong > 1 and (weight.directed or "/" in " ".join(words)))


def _after_verb(weight: _Weight, length: int, words: list[str], *, headed: bool) -> bool:
    verb = key(words[0])
    if verb in RAISE_WORDS and len(verb) == 1:
        return weight.strong > 0 and not weight.other
    if not headed and verb in EXPOSE_WORDS and words[1:2] == ["up"]:
        return False
    if weight.places and not (verb in _OF_CARDS_TOO and _EVERYTHING.intersection(words)):
        return True
    # What is turned up are cards: "turn up at 8" names none.
    strong = weight.cards if verb in EXPOSE_WORDS | TURN_WORDS else weight.strong
    if not strong:
        return length == 1 and (headed or (verb == "raise" and key(words[1]) not in VERB_WORDS))
    if weight.first:
        return weight.other <= strong or headed
    return weight.other <= strong if headed else not weight.other


def _weigh(words: list[str], letters: Collection[str], *, naming: bool = False) -> _Weight:
    """Weigh words; ``naming`` says that names behind a ``to`` speak for neither."""
    strong = cards = other = 0
    first = directed = False
    places, placed = True, False  # places are no words too, but not "on" alone
    before, named = "by", False
    for at, word in enumerate(spaced(" ".join(words))):
        bare = key(word) or word
        named = naming and (before == "to" or (named and bare not in (",", "/")))
        is_letter = bare in letters
        # "B stay" inside a line is another order; "a stay" may be an article and a noun.
        another = bare in VERB_WORDS and before in letters and before != "a"
        card = is_card(bare) and bare not in _ENGLISH_CARDS and bare not in letters
        # A sum in words stands right behind the verb; elsewhere "two" is what it is in prose.
        in_words = bare in SUM_WORDS and (before == "by" or before in SUM_WORDS)
        if another or card or bare in JOKER_WORDS or in_words or _SUM.fullmatch(word.rstrip(".!?")):
            strong, first = strong + 1, first or at == 0
            cards += card or bare in JOKER_WORDS
        elif not (named or is_letter or bare in _NEUTRAL or bare in _EVERYTHING or bare == "/"):
            other += 1
        directed = directed or bare in DIRECTION_WORDS
        there = is_letter or bare in _EVERYTHING or bare in COURTESY
        placed = placed or there or bare in _PLACES - _PREPOSITIONS - {"my"}
        places = places and (there or bare in _PLACES)
        before = bare
    places = places and (placed or not words)
    return _Weight(strong, cards, other, first, directed, places)


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
