"""Reads a part of a line as it stands: from its table, or from its verb where none is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from postal.engine.orders import Bet, LimitRaise, Order
from postal.engine.problems import Fault, Figures
from postal.engine.words import ALL_TABLES, EXPOSE_WORDS, GIVE_WORDS, KEEP_WORDS
from postal.ordertext.arguments import read_arguments
from postal.ordertext.folding import key
from postal.ordertext.heads import Head, no_such_hand, read_head
from postal.ordertext.likeness import looks_like_order
from postal.ordertext.mending import own_lines
from postal.ordertext.sentences import all_but, all_named, tables_named
from postal.ordertext.types import Context, Refusal
from postal.ordertext.words import all_in_length, is_all_in, is_verb

_SAID = frozenset(
    {"i", "i'll", "i'd", "i'm", "will", "would", "please", "pls", "to", "like", "go", "going", "am"}
)


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
        named = all_but(self.words, self.context, capital=self.capital)
        named = named or tables_named(self.words, self.context, capital=self.capital)
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


def unnamed_tables(context: Context) -> tuple[str, ...]:
    """Return the tables that a line without one could be for: those due, else the first."""
    due = sorted(context.due & set(context.hands))
    return tuple(due) or (min(context.hands, default="A"),)


def read_direct(said: Said) -> Order | Refusal | None:
    """Return what a part means as it stands, from its first character; None where it is prose."""
    context, folded, words = said.context, said.text, said.words
    head = read_head(folded, context)
    if head is not None and not is_all_in(words):
        return _headed(said, head)
    table = context.unnamed_table if said.letterless else None
    if table is not None:
        order = read_arguments(table, folded, context)
        if not isinstance(order, Refusal):
            return order
    if not looks_like_order(words, letters_of(context), headed=False):
        return None
    if table is not None and not said.tables():
        refusal = read_arguments(table, folded, context)
        if isinstance(refusal, Refusal):
            return _with_own_lines(refusal, folded, (table,), context)
    if is_all_in(words):
        rest = words[all_in_length(words) :]
        named = tables_named(rest, context, capital=said.capital)
        refused = said.refused(Fault.ALL_IN, tables=named or unnamed_tables(context))
        return refused if named else replace(refused, hands=())
    return said.refused(Fault.NO_TABLE_FIRST)


def _with_own_lines(
    refusal: Refusal, text: str, tables: Sequence[str], context: Context
) -> Refusal:
    """Return a refusal with the hands that it is for and, where it has none, his own lines."""
    lines = refusal.examples or own_lines(text, tables, context)
    return replace(refusal, examples=lines, hands=context.hands_at(tables))


def _headed(said: Said, head: Head) -> Order | Refusal | None:
    """Read a part that begins with a table, his or not."""
    context, letters = said.context, letters_of(said.context)
    if head.table == ALL_TABLES:
        return _for_all(said, head)
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
    meant = looks_like_order(words, letters_of(context), headed=head.colon or head.worded)
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


def _for_all(said: Said, head: Head) -> Order | Refusal | None:
    """Read what stands after ``all``, which takes bets only."""
    rest, context = _without_courtesy(head), said.context
    words = rest.split()
    order = read_arguments(ALL_TABLES, rest, context)
    if isinstance(order, Bet | LimitRaise):
        return order
    if isinstance(order, Refusal):
        meant = looks_like_order(words, letters_of(context), headed=True)
        if not (meant or (head.colon and _is_long_verb(words))):
            return None
        but = all_but([ALL_TABLES, *words], context, capital=said.capital)
        if but:
            order = replace(order, figures=replace(order.figures, table=""))
        if key(words[0]) not in KEEP_WORDS | GIVE_WORDS | EXPOSE_WORDS:
            return _with_own_lines(order, rest, but or (ALL_TABLES,), context)
    return Refusal(Fault.NOT_FOR_ALL)


def letters_of(context: Context) -> list[str]:
    """Return the player's tables as folded words."""
    return [letter.lower() for letter in context.hands]
