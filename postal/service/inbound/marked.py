"""Lines with the marks of our mails: ours where we sent them so, else edited by the player."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from postal.engine.book import submit
from postal.engine.problems import Fault, Problem
from postal.mail.incoming import read
from postal.ordertext import Reading, own_words, read_mail
from postal.service.inbound.case import SeatCase
from postal.service.inbound.offers import Offers
from postal.service.records.play import order_context
from postal.store.outbox import texts_to_seat

_MARK = "::"
_LONG = 20
_LINK = re.compile(r"\s*[\[(]?write this\b.*$")
"""What stands behind a line of ours where a client makes text of our HTML."""


def without_ours(case: SeatCase, reading: Reading) -> Reading:
    """Return a reading in which what we sent ourselves is no more, and what was edited is told.

    A line with ``::`` that we did not send is one of ours that he has changed: he is told to leave
    out the mark. Within a quote it is so only where nothing else was found, as with all that is
    quoted, and where the quote is of a mail of ours: it may be of one that is not known here. A
    line with ``|`` may be a client's quote: it is left unread.
    """
    if not reading.guarded:
        return reading
    sent = _Sent(case)
    foreign = [(at, text) for at, text in reading.guarded if not sent.holds(text)]
    marked = [one for one in foreign if one[1].startswith(_MARK)]
    own = {_plain(line) for text in case.incoming.texts for line in _own_marked(text)}
    mostly = 2 * len(foreign) <= len(reading.guarded)
    if not reading.nothing or not (mostly or sent.are_quoted_in(case.incoming.texts)):
        marked = [(at, text) for at, text in marked if _plain(text) in own]
    problems = [problem for one in marked for problem in _told(case, *one)]
    context = order_context(case.loaded.game, case.seat.name)
    piped = [(at, text) for at, text in foreign if not text.startswith(_MARK)]
    cut = [(at, text) for at, text in piped if read_mail(text.lstrip("| "), context).lines]
    return replace(
        reading,
        problems=tuple(sorted((*reading.problems, *problems), key=lambda one: one.number)),
        cut=tuple(sorted((*reading.cut, *cut))),
        guarded=(),
    )


class _Sent:
    """What was written to a player, looked up mail by mail, the newest first, as it is needed."""

    def __init__(self, case: SeatCase) -> None:
        self._mails = texts_to_seat(case.session, case.seat.id)
        self._lines: set[str] = set()
        self._texts: list[str] = []

    def holds(self, line: str) -> bool:
        """Whether a line with a mark in front stands so in one of the mails."""
        plain = _plain(line)
        while plain not in self._lines:
            if not self._one_more():
                return False
        return True

    def are_quoted_in(self, texts: Sequence[str]) -> bool:
        """Whether what a mail quotes is of these mails: most of its longer lines stand in them."""
        quoted = [line for text in texts for line in _quoted(text)]
        known = sum(any(line in text for text in self._texts) for line in quoted)
        return 2 * known >= len(quoted)

    def _one_more(self) -> bool:
        raw = next(self._mails, None)
        for text in read(raw).texts if raw else ():
            self._texts.append(_plain(text))
            lines = text.splitlines()
            self._lines |= {_plain(line) for line in lines if line.startswith((_MARK, "|"))}
        return raw is not None


def _quoted(text: str) -> Iterator[str]:
    """Yield what stands below a person's own words, line by line without marks, if it is long."""
    own = own_words(text, marked=True)
    for line in text.splitlines()[len(own.splitlines()) :]:
        bare = " ".join(line.lstrip("> \u00a0\t").split())
        if len(bare) >= _LONG and not bare.startswith((_MARK, "|")):
            yield bare


def _own_marked(text: str) -> Iterator[str]:
    """Yield what stands with our mark above all that is quoted."""
    for line in own_words(text, marked=True).splitlines():
        _, mark, rest = line.partition(_MARK)
        if mark:
            yield f"{mark}{rest}"


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
    problems = (*reading.problems, *taken.problems)
    if problems:
        (refused,) = Offers(game, case.file.book, player).mended(problems[:1])
        yield replace(told, examples=refused.examples, hand=refused.hand, further=refused.further)
    elif reading.lines:
        orders = [line.order for line in reading.lines]
        lines = tuple(order.line() for order in orders)
        yield replace(told, examples=lines, hand=hands.get(orders[0].table, ""))
    elif reading.commands:
        yield replace(told, examples=tuple(one.text for one in reading.commands))
