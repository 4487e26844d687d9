"""Reads one part of a line: an order, something meant as one, or prose."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from postal.engine.orders import Order
from postal.engine.problems import Fault, Figures
from postal.ordertext.besides import beside_table
from postal.ordertext.halforders import (
    behind_opening,
    mentioned,
    negated,
    order_at_end,
    several_orders,
    several_tables,
    turned_orders,
)
from postal.ordertext.headed import Said, read_direct
from postal.ordertext.heads import read_head
from postal.ordertext.remarks import is_harmless, without_remark
from postal.ordertext.types import Context, Refusal

_ARROW = re.compile(r"^([^:]{1,12}?)[-=]>")
_DOUBTFUL = frozenset("?([{<>}]")


def read_order(
    folded: str, context: Context, *, letterless: bool = True, capital: bool = False
) -> tuple[Order | Refusal | None, bool]:
    """Return what one folded part means, and whether a table was assumed for it.

    None is prose. ``letterless`` is whether the letter may be left out where one table alone can
    be meant; ``capital`` says that a capital A stands in the part as written.
    """
    said = Said(folded, capital, context, letterless)
    found = read_direct(said)
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


def _doubtful(folded: str, order: Order, context: Context) -> Refusal | None:
    """Refuse an order that is put as a question or stands partly in brackets."""
    text = _ARROW.sub(r"\1", folded)
    mark = next((char for char in text if char in _DOUBTFUL), None)
    if mark is None:
        return None
    fault = Fault.QUESTION if mark == "?" else Fault.DOUBTFUL_MARK
    figures = Figures(table=order.table, text=mark)
    return Refusal(fault, figures, (order.line(),), context.hands_at([order.table]))


def _remark(said: Said) -> Order | Refusal | None:
    """Read an order with a remark in brackets behind it."""
    parts = without_remark(said.text)
    if parts is None:
        return None
    order = read_direct(replace(said, text=parts[0]))
    if order is None or isinstance(order, Refusal):
        return None
    if is_harmless(parts[1], said.context):
        return _doubtful(parts[0], order, said.context) or order
    figures = Figures(table=order.table, text=f"({parts[1]})")
    hands = said.context.hands_at([order.table])
    return Refusal(Fault.DOUBTFUL_MARK, figures, (order.line(),), hands)


_STEPS: tuple[Callable[[Said], Order | Refusal | None], ...] = (
    _remark,
    several_tables,
    several_orders,
    turned_orders,
    negated,
)
"""What is asked first: these see more in a line than its beginning says."""

_LAST_STEPS: tuple[Callable[[Said], Refusal | None], ...] = (
    beside_table,
    behind_opening,
    order_at_end,
    mentioned,
)
"""What is asked of a line that begins like no order."""
