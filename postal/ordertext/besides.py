"""Answers an order whose table has something beside it: ``[A] fold``, ``A (Bob): fold``."""

from __future__ import annotations

import re
from dataclasses import replace

from postal.engine.problems import Fault
from postal.ordertext.headed import Said, read_direct
from postal.ordertext.types import Refusal

_OPENING = r"[(\[{<]? ?"
_TABLE = r"(?:(?:table|hand) )?(?P<table>[^\W\d_])[0-9]{0,2}(?![^\W_])"
_CLOSING = r"(?P<closing> ?[)\]}>#=/]+)?"
_ASIDE = (
    r"(?P<aside> ?[(\[][^()\[\]]{1,40}[)\]]| (?:vs?\.?|versus|against|with) [^:,=]{1,30}(?=[:,=]))?"
)
_MARK = r" ?(?P<mark>[:,=])?[ \-.]*"
_BESIDE = re.compile(rf"{_OPENING}{_TABLE}{_CLOSING}{_ASIDE}{_MARK}(?P<order>.+)")


def beside_table(said: Said) -> Refusal | None:
    """Refuse an order whose table stands in brackets, or has its opponent beside it.

    Without a colon behind all that less is taken for one: "a (small) fold would do" is prose.
    """
    found = _BESIDE.fullmatch(said.text)
    if found is None or not (found["closing"] or found["aside"]):
        return None
    table = found["table"].upper()
    if table not in said.context.hands:
        return None
    order = read_direct(replace(said, text=f"{table.lower()}: {found['order']}"))
    if order is None or (isinstance(order, Refusal) and not found["mark"]):
        return None
    return said.refused(Fault.NOT_END_TO_END, found["order"], (table,))
