"""Lines with the marks of our mails: ours where we sent them so, else edited by the player."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from postal.engine.book import submit
from postal.engine.problems import Fault, Problem
from postal.mail.incoming import read
from postal.ordertext import Reading, read_mail
from postal.service.inbound.case import SeatCase
from postal.service.records.play import order_context
from postal.store.outbox import texts_to_seat

_MARK = "::"
_LINK = re.compile(r"\s*[\[(]?write this\b.*$")
"""What stands behind a line of ours where a client makes text of our HTML."""


def without_ours(case: SeatCase, reading: Reading) -> Reading:
    """Return a reading in which what we sent ourselves is no more, and what was edited is told.

    A line with ``::`` that we did not send is one of ours that he has changed: he is told to leave
    out the mark. One with ``|`` may be a client's quote: it is left unread (ORDERS.md).
    """
    foreign = _foreign(case, reading.guarded)
    edited = [one for one in foreign if one[1].startswith(_MARK)]
    problems = [problem for one in edited for problem in _told(case, *one)]
    context = order_context(case.loaded.game, case.seat.name)
    piped = [(at, text) for at, text in foreign if not text.startswith(_MARK)]
    cut = [(at, text) for at, text in piped if read_mail(text.lstrip("| "), context).lines]
    return replace(
        reading,
        problems=tuple(sorted((*reading.problems, *problems), key=lambda one: one.number)),
        cut=tuple(sorted((*reading.cut, *cut))),
        guarded=(),
    )


def _foreign(case: SeatCase, guarded: tuple[tuple[int, str], ...]) -> list[tuple[int, str]]:
    """Return those lines that stand in no mail of ours to him, newest looked at first."""
    left = [(at, text, _plain(text)) for at, text in guarded]
    for raw in texts_to_seat(case.session, case.seat.id) if left else ():
        sent = set(_marked(raw))
        left = [one for one in left if one[2] not in sent]
        if not left:
            break
    return [(at, text) for at, text, _ in left]


def _marked(raw: bytes) -> Iterator[str]:
    for text in read(raw).texts:
        for line in text.splitlines():
            if line.startswith((_MARK, "|")):
                yield _plain(line)


def _plain(line: str) -> str:
    return " ".join(_LINK.sub("", line).split())


def _told(case: SeatCase, number: int, text: str) -> Iterator[Problem]:
    """Yield what is told of an edited line: what to write instead, where it means an order."""
    game, player = case.loaded.game, case.seat.name
    bare = _plain(text.lstrip(": "))
    reading = read_mail(bare, order_context(game, player))
    taken = submit(game, case.file.book, player, reading.lines)
    hands = {hand.table: hand.name for hand, _ in game.hands_of(player)}
    told = Problem(Fault.MARKED, line=text, number=number)
    refused = next(iter((*reading.problems, *taken.problems)), None)
    if refused is not None:
        yield replace(told, examples=refused.examples, hand=refused.hand)
    elif reading.lines:
        orders = [line.order for line in reading.lines]
        lines = tuple(order.line() for order in orders)
        yield replace(told, examples=lines, hand=hands.get(orders[0].table, ""))
    elif reading.commands:
        yield replace(told, examples=tuple(one.text for one in reading.commands))
