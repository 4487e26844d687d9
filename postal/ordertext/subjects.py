"""Reads the Subject of a mail whose text is empty: orders there stand behind Re: and its like."""

from __future__ import annotations

import re

from postal.engine.orders import Line
from postal.engine.problems import Problem
from postal.ordertext.lines import read_line
from postal.ordertext.types import Command, Context, Reading

_ANSWERED = frozenset({
    "re", "aw", "antw", "antwort", "sv", "vs", "svar", "odp", "ynt", "vá", "ri", "rif", "r", "res",
    "ref", "bls", "ats", "atb", "σχετ", "на", "отв", "ответ", "回复", "回覆", "答复", "返信",
    "회신", "رد", "תשובה", "ตอบ", "trả",
    # and forwards:
    "fw", "fwd", "wg", "tr", "rv", "i", "vl", "vb", "doorst", "pd", "ilt", "yml", "enc", "fs",
    "πρθ", "пересл", "转发", "轉寄", "転送", "전달",
})  # fmt: skip
_PREFIX = re.compile(
    r"\s*(?:\[[^\[\]]{1,40}\]\s*)?([^\W\d_]{1,12})\s?(?:\[\d{1,3}\]|\(\d{1,3}\)|\^\d)?\s*[:\uff1a]"
)
_TAG = re.compile(r"\[postal\s+[a-z2-7]{16}\]", re.IGNORECASE)
_MOST_PREFIXES = 20


def is_answer(subject: str, context: Context) -> bool:
    """Whether a Subject begins as an answer's or a forward's does."""
    return _without_prefixes(subject, context) != subject


def read_subject(subject: str, context: Context, ours: str) -> Reading:
    """Return what a Subject orders beside ``Re:``, our tag, and what is ours in it.

    A subject of ours begins with the game's name, ``ours``, and a colon: what is no order there
    is no problem either. In an answer an order needs its table.
    """
    text = _without_prefixes(_TAG.sub("", subject), context).strip()
    found = read_line(text, 0, context, letterless=not is_answer(subject, context))
    mine = text.casefold().startswith(ours.casefold())
    return Reading(
        tuple(one for one in found if isinstance(one, Line)),
        tuple(one for one in found if isinstance(one, Command)),
        () if mine else tuple(one for one in found if isinstance(one, Problem)),
        (),
    )


def _without_prefixes(subject: str, context: Context) -> str:
    for _ in range(_MOST_PREFIXES):
        found = _PREFIX.match(subject)
        if (
            found is None
            or found[1].casefold() not in _ANSWERED
            or found[1].upper() in context.hands
        ):
            break
        subject = subject[found.end() :]
    return subject
