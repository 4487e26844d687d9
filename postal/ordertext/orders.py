"""Reads one part of a line: an order, something meant as one, or prose."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from postal.engine.orders import Bet, LimitRaise, Order
from postal.engine.problems import NO_FIGURES, Fault, Figures
from postal.engine.words import (
    ALL_TABLES,
    BET_WORDS,
    EXPOSE_WORDS,
    GIVE_WORDS,
    KEEP_WORDS,
)
from postal.ordertext.arguments import read_arguments
from postal.ordertext.folding import key
from postal.ordertext.heads import Head, no_such_hand, read_head
from postal.ordertext.likeness import looks_like_order
from postal.ordertext.mending import own_lines
from postal.ordertext.remarks import is_harmless, without_remark
from postal.ordertext.sentences import all_named, ends, meant_verb, tables_named
from postal.ordertext.types import Context, Refusal
from postal.ordertext.words import CONDITION_WORDS, is_all_in, is_verb

_OPENERS = frozenset(
    {"i", "i'll", "i'd", "i'm", "am", "will", "please", "pls", "and", "then", "also", "ok", "going"}
)
_SAID = frozenset({"i", "i'll", "i'd", "i'm", "will", "would", "please", "pls", "to", "like"})
_LABEL = re.compile(r"[^:=, ]{1,20}(?: [^:=, ]{1,20})? ?[:=,] ?")
_SEVERAL = re.compile(
    r"(?:(?:at|on|in|for) )?(?:both )?(?:(?:tables?|hands?) )?"
    r"(?P<tables>[^\W\d_][0-9]{0,2}(?: ?(?:,|/|&|\+|,? and) ?[^\W\d_][0-9]{0,2})+)"
    r"(?=[ :,)]) ?[:,)\-]* ?"
)
_TABLE = re.compile(r"(?<![^\W_])([^\W\d_])[0-9]{0,2}(?![^\W_])")
_NEXT_ORDER = re.compile(
    r"(?:,|/|\.| and| then|,? and then) (?=(?:table |hand )?[^\W\d_][0-9]{0,2}[ :)\-])"
    r"| (?=(?:table |hand )?[^\W\d_][0-9]{0,2}[:)])"
)
_NEGATION = re.compile(r"(?:please )?(?:don't|dont|do not|never|no) ")
_ARROW = re.compile(r"^([^:]{1,12}?)[-=]>")
_OPENING_MARKS = "([{<"
_DOUBTFUL = frozenset("?([{<>}]")
_MOST_ORDERS = 8


@dataclass(frozen=True, slots=True)
class Said:
    """A folded part of a line, and whether a capital A stands in it as written."""

    text: str
    capital: bool
    context: Context
    letterless: bool

    @property
    def words(self) -> list[str]:
        """The words of the part."""
        return self.text.split()

    def tables(self) -> tuple[str, ...]:
        """Return the tables that the words name, all of them as ALL_TABLES; else none."""
        named = tables_named(self.words, self.context, capital=self.capital)
        return named or ((ALL_TABLES,) if all_named(self.words) else ())

    def refused(
        self, fault: Fault, text: str = "", tables: Sequence[str] = (), figures: str = ""
    ) -> Refusal:
        """Return a refusal with his own orders in a text made right, at tables named or due."""
        context = self.context
        named = tuple(tables) or self.tables()
        at = named or unnamed_tables(context)
        lines = own_lines(text or self.text, at, context)
        return Refusal(fault, Figures(text=figures), lines, context.hands_at(named))


def read_order(
    folded: str, context: Context, *, letterless: bool = True, capital: bool = False
) -> tuple[Order | Refusal | None, bool]:
    """Return what one folded part means, and whether a table was assumed for it.

    None is prose. ``letterless`` is whether the letter may be left out where one table alone can
    be meant; ``capital`` says that a capital A stands in the part as written.
    """
    said = Said(folded, capital, context, letterless)
    found = _direct(said)
    if found is not None and not isinstance(found, Refusal):
        return _doubtful(folded, found, context) or found, _assumed(said)
    for step in _STEPS:
        meant = step(said)
        if meant is not None:
            return meant, _assumed(said)
    if found is not None:
        return found, False
    for last in _LAST_STEPS:
        refusal = last(said)
        if refusal is not None:
            return refusal, False
    return None, False


def _assumed(said: Said) -> bool:
    return said.context.only_table is None and read_head(said.text, said.context) is None


def unnamed_tables(context: Context) -> tuple[str, ...]:
    """Return the tables that a line without one could be for: those due, else the first."""
    due = sorted(context.due & set(context.hands))
    return tuple(due) or (min(context.hands, default="A"),)


def _doubtful(folded: str, order: Order, context: Context) -> Refusal | None:
    """Refuse an order that is put as a question or stands partly in brackets."""
    text = _ARROW.sub(r"\1", folded)
    mark = next((char for char in text if char in _DOUBTFUL), None)
    if mark is None:
        return None
    fault = Fault.QUESTION if mark == "?" else Fault.DOUBTFUL_MARK
    figures = Figures(table=order.table, text=mark)
    return Refusal(fault, figures, (order.line(),), context.hands_at([order.table]))


def _direct(said: Said) -> Order | Refusal | None:
    """Read a part as it stands, from its first character."""
    context, folded, words = said.context, said.text, said.words
    head = read_head(folded, context)
    if head is not None and not is_all_in(words):
        return _headed(said, head)
    table = context.unnamed_table if said.letterless else None
    if table is not None:
        order = read_arguments(table, folded, context)
        if not isinstance(order, Refusal):
            return order
    if not looks_like_order(words, _letters(context), headed=False):
        return None
    if table is not None and not said.tables():
        refusal = read_arguments(table, folded, context)
        if isinstance(refusal, Refusal):
            return _with_own_lines(refusal, folded, (table,), context)
    if is_all_in(words):
        return replace(said.refused(Fault.ALL_IN, tables=unnamed_tables(context)), hands=())
    return said.refused(Fault.NO_TABLE_FIRST)


def _with_own_lines(
    refusal: Refusal, text: str, tables: Sequence[str], context: Context
) -> Refusal:
    """Return a refusal with the hands that it is for and, where it has none, his own lines."""
    lines = refusal.examples or own_lines(text, tables, context)
    return replace(refusal, examples=lines, hands=context.hands_at(tables))


def _headed(said: Said, head: Head) -> Order | Refusal | None:
    """Read a part that begins with a table, his or not."""
    context, letters = said.context, _letters(said.context)
    if head.table == ALL_TABLES:
        return _for_all(head, context)
    if not head.known:
        return _unknown(said, head)
    rest = _without_courtesy(head)
    words = rest.split()
    order = read_arguments(head.table, rest, context)
    if not isinstance(order, Refusal):
        return order
    meant = (
        looks_like_order(words, letters, headed=True)
        or (head.colon and (not words or is_verb(words)))
        or order.fault is Fault.CONDITION
        or (order.fault is Fault.CANCEL_AFTER_TABLE and (head.colon or len(words) == 1))
        or (not head.article and _is_long_verb(words))
        or _says_verb(words)
    )
    return _with_own_lines(order, rest, (head.table,), context) if meant else None


def _unknown(said: Said, head: Head) -> Refusal | None:
    """Answer what is meant for a hand that he does not have."""
    context, words = said.context, head.rest.split()
    meant = looks_like_order(words, _letters(context), headed=head.colon or head.worded)
    meant = meant or (head.colon and is_verb(words))
    if not meant and (head.number or head.worded):
        meant = not isinstance(read_arguments(head.table, head.rest, context), Refusal)
    if not meant:
        return None
    if head.table == "I" and not (head.colon or head.worded or head.number):
        return replace(said, text=head.rest).refused(Fault.NO_TABLE_FIRST)
    refusal = no_such_hand(head, context)
    own = own_lines(head.rest, (head.table,), context) if head.hand else ()
    return replace(refusal, examples=own, hands=context.hands_at([head.table]))


def _without_courtesy(head: Head) -> str:
    """Return what stands behind a table without ``please``, and without an I behind the colon."""
    words = head.rest.split()
    if words and words[0].rstrip(",") in {"please", "pls"}:
        words = words[1:]
    if head.colon and words[:1] == ["i"] and is_verb(words[1:]):
        words = words[1:]
    return " ".join(words)


def _is_long_verb(words: list[str]) -> bool:
    """Whether words begin with a verb that can be nothing else, behind a letter that is a table."""
    return is_verb(words) and len(key(words[0])) > 1


def _says_verb(words: list[str]) -> bool:
    """Whether ``I'll fold`` or the like stands behind a table."""
    at = 0
    while at < len(words) and key(words[at]) in _SAID:
        at += 1
    return at > 0 and is_verb(words[at:]) and looks_like_order(words[at:], (), headed=True)


def _for_all(head: Head, context: Context) -> Order | Refusal | None:
    """Read what stands after ``all``, which takes bets only."""
    rest = _without_courtesy(head)
    words = rest.split()
    order = read_arguments(ALL_TABLES, rest, context)
    if isinstance(order, Bet | LimitRaise):
        return order
    if isinstance(order, Refusal):
        meant = looks_like_order(words, _letters(context), headed=True)
        if not (meant or (head.colon and _is_long_verb(words))):
            return None
        if key(words[0]) not in KEEP_WORDS | GIVE_WORDS | EXPOSE_WORDS:
            return _with_own_lines(order, rest, (ALL_TABLES,), context)
    return Refusal(Fault.NOT_FOR_ALL)


def _remark(said: Said) -> Order | Refusal | None:
    """Read an order with a remark in brackets behind it."""
    parts = without_remark(said.text)
    if parts is None:
        return None
    order = _direct(replace(said, text=parts[0]))
    if order is None or isinstance(order, Refusal):
        return None
    if is_harmless(parts[1], said.context):
        return _doubtful(parts[0], order, said.context) or order
    figures = Figures(table=order.table, text=f"({parts[1]})")
    hands = said.context.hands_at([order.table])
    return Refusal(Fault.DOUBTFUL_MARK, figures, (order.line(),), hands)


def _several_tables(said: Said) -> Refusal | None:
    """Refuse ``A/B fold``: a line is for one table."""
    found = _SEVERAL.match(said.text)
    if found is None:
        return None
    tables = _own_tables(found["tables"], said.context)
    rest = said.text[found.end() :]
    words = rest.split()
    if len(tables) < 2 or not words:  # noqa: PLR2004 - several
        return None
    order = read_arguments(tables[0], rest, said.context)
    meant = not isinstance(order, Refusal) or looks_like_order(words, (), headed=True)
    return said.refused(Fault.SEVERAL_TABLES, rest, tables) if meant else None


def _own_tables(text: str, context: Context) -> list[str]:
    letters = [letter.upper() for letter in _TABLE.findall(text)]
    return [letter for letter in dict.fromkeys(letters) if letter in context.hands]


def _several_orders(said: Said) -> Refusal | None:
    """Refuse ``A - fold, B - stay``: a line is one order, but for those behind a ``;``."""
    parts = _NEXT_ORDER.split(said.text, maxsplit=_MOST_ORDERS)
    if len(parts) == 1:
        return None
    orders = [_direct(replace(said, text=part.strip(" ,"), letterless=False)) for part in parts]
    good = [order for order in orders if order is not None and not isinstance(order, Refusal)]
    if len(good) < len(parts):
        return None
    lines = tuple(order.line() for order in good)
    tables = tuple(dict.fromkeys(order.table for order in good))
    figures = Figures(text=parts[1].strip(" ,"))
    return Refusal(Fault.SECOND_ORDER, figures, lines, said.context.hands_at(tables))


def _negated(said: Said) -> Refusal | None:
    """Answer ``don't fold A``: no order says what not to do."""
    head = read_head(said.text, said.context)
    rest = head.rest if head and head.known else said.text
    found = _NEGATION.match(rest)
    words = rest[found.end() :].split() if found else []
    if not (words and key(words[0]) in BET_WORDS and len(key(words[0])) > 1):
        return None
    letters = [*_letters(said.context), "yet", "now", "please", "after", "my", "this", "anything"]
    if not looks_like_order(words, letters, headed=False):
        return None
    tables = (head.table,) if head and head.known else said.tables()
    lines = tuple(f"cancel {table}" for table in tables or unnamed_tables(said.context))
    return Refusal(Fault.NEGATED, NO_FIGURES, lines, said.context.hands_at(tables))


def _behind_opening(said: Said) -> Refusal | None:
    """Answer an order behind a bracket, ``Please``, ``I'll``, ``Puke:`` or ``A,``."""
    inner = _opened(said.text)
    if not inner:
        return None
    if _direct(replace(said, text=inner, letterless=True)) is None:
        return None
    head = read_head(inner, said.context)
    tables = (head.table,) if head and head.known else ()
    return said.refused(Fault.WORDS_BEFORE_ORDER, inner, tables)


def _opened(folded: str) -> str:
    """Return what follows an opening; ``A> fold`` is put right. Empty where there is none."""
    if folded[1:2] == ">":
        return f"{folded[0]}:{folded[2:]}"
    inner = folded.lstrip(_OPENING_MARKS)
    words = inner.split()
    start = 0
    while start < len(words) and words[start].rstrip(",") in _OPENERS:
        start += 1
    if start:
        inner = " ".join(words[start:])
    elif inner == folded:
        label = _LABEL.match(folded)
        inner = folded[label.end() :] if label else folded
    return "" if inner == folded else inner.rstrip(")]}> ")


def _at_end(said: Said) -> Refusal | None:
    """Answer a sentence that ends in an order from end to end, ``if Cleo raises, A: fold``."""
    for end in ends(said.text, said.context, capital=said.capital):
        order = _direct(replace(said, text=end, letterless=False))
        if order is not None and not isinstance(order, Refusal):
            conditional = key(said.words[0]) in CONDITION_WORDS
            fault = Fault.CONDITION if conditional else Fault.WORDS_BEFORE_ORDER
            return said.refused(fault, end, (order.table,))
    return None


def _mentioned(said: Said) -> Refusal | None:
    """Answer a sentence in which he names a table and says what he does there."""
    tables = tables_named(said.words, said.context, capital=said.capital)
    if not tables:
        return None
    at = meant_verb(said.words)
    if at is None:
        return None
    text = " ".join(said.words[at:])
    return said.refused(Fault.NOT_END_TO_END, text, tables)


_STEPS: tuple[Callable[[Said], Order | Refusal | None], ...] = (
    _remark,
    _several_tables,
    _several_orders,
    _negated,
)
_LAST_STEPS: tuple[Callable[[Said], Refusal | None], ...] = (_behind_opening, _at_end, _mentioned)


def _letters(context: Context) -> list[str]:
    return [letter.lower() for letter in context.hands]
