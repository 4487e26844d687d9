"""A robot: reads the mail it gets, decides, and writes like a person; no I/O."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from email.message import EmailMessage
from random import Random

from postal.engine.orders import Bet, Order
from postal.robots import letters, wording
from postal.robots.letters import Draft, Layout
from postal.robots.reports import Letterhead, Receipt, Report, read_letter
from postal.robots.styles import STYLES, Style
from postal.robots.wording import Said
from postal.service.deciding.tempers import TEMPERS, Temper, decide

LONGEST_ANSWER = timedelta(hours=18)
"""How long after a mail a robot dates his answer at most."""

_LONGEST = LONGEST_ANSWER // timedelta(minutes=1)
_MOST_CORRECTIONS = 3
_TYPOS = {
    "give": "gvie",
    "keep": "kepe",
    "discard": "discrad",
    "raise": "rasie",
    "stay": "saty",
    "check": "chekc",
    "call": "clal",
    "fold": "fodl",
    "expose": "expsoe",
    "turn": "trun",
}


@dataclass
class Robot:
    """A player who knows what he was mailed and nothing else.

    ``styles`` are his ways of writing, used in turn; ``rng`` is all the chance there is, so the
    same mails and the same seed give the same answers. ``intended`` holds for each turn the orders
    that he meant, by hand; a turn that he forgot is not in it.
    """

    name: str
    address: str
    styles: Sequence[Style] = (STYLES["canonical"],)
    rng: Random = field(default_factory=Random, repr=False)
    temper: Temper = TEMPERS["loose"]
    intended: dict[int, dict[str, Order]] = field(default_factory=dict, repr=False)
    _turns: int = field(default=0, repr=False)
    _turn: int = field(default=0, repr=False)
    _last: str = field(default="", repr=False)
    _corrections: int = field(default=0, repr=False)
    _ready: bool = field(default=False, repr=False)
    _forgot: bool = field(default=False, repr=False)

    @property
    def style(self) -> Style:
        """The style of his last answer to a report, or of the first to come."""
        return self.styles[max(0, self._turns - 1) % len(self.styles)]

    def answer(self, raw: bytes) -> list[bytes]:
        """Return the mails with which he answers one from the league, in order; mostly none or one.

        A receipt is answered only where something that he meant is not on file or was not taken.
        """
        letter = read_letter(raw)
        if isinstance(letter, Report) and letter.asked:
            return self._to_report(letter)
        if isinstance(letter, Receipt):
            return self._to_receipt(letter)
        return []

    def _to_report(self, report: Report) -> list[bytes]:
        self._turns += 1
        self._turn, self._corrections, self._ready = report.turn, 0, False
        orders = decide(report, self.temper, self.rng)
        if self._forgets():
            draft = self._draft(
                report.head, [(asked.table, asked.examples[-1]) for asked in report.asked]
            )
            return [_bytes(letters.out_of_office(draft))]
        self.intended[report.turn] = orders
        said = [
            Said(orders[asked.hand], asked.hand, asked.neighbours, report.hands[asked.hand].hidden)
            for asked in report.asked
        ]
        return self._write(report.head, said)

    def _forgets(self) -> bool:
        """Whether this turn goes by without him; never two in a row, which would drop him (9.4)."""
        self._forgot = not self._forgot and self.rng.random() < self.temper.forgets
        return self._forgot

    def _write(self, head: Letterhead, said: Sequence[Said]) -> list[bytes]:
        style = self.style
        lines = wording.lines(said, style.wording)
        match style.habit:
            case "asks":
                return [self._mail(head, [*lines, ("", "status"), ("", "orders")], style.layout)]
            case "waits":
                self._ready = True
                return [self._mail(head, [*lines, ("", "wait")], style.layout)]
            case "corrects":
                wrong = [(table, mistyped(text)) for table, text in lines[:1]]
                first = self._mail(head, [*wrong, *lines[1:]], style.layout)
                sorry = ("", "Sorry, my last mail had a slip in it. This is what I meant:")
                return [first, self._mail(head, [sorry, *lines], style.layout)]
            case "mistypes":
                wrong = [(table, mistyped(text)) for table, text in lines[-1:]]
                return [self._mail(head, [*lines[:-1], *wrong], style.layout)]
            case "leaves-out":
                kept = lines[:-1] or [("", "More tomorrow, when I have thought about it.")]
                return [self._mail(head, kept, style.layout)]
            case _:
                return [self._mail(head, lines, style.layout)]

    def _to_receipt(self, receipt: Receipt) -> list[bytes]:
        """Send again, in the canonical form, what is not on file as he meant it."""
        orders = self.intended.get(self._turn, {})
        if receipt.head.answers != self._last or self._corrections >= _MOST_CORRECTIONS:
            return []
        wanting = [
            order
            for hand, order in orders.items()
            if not same_order(receipt.on_file.get(hand, ""), order.line())
        ]
        lines = wording.canonical(wanting)
        if wanting and self._corrections == _MOST_CORRECTIONS - 1:
            # Whatever he wants won't do, so he gives in where he can (8.2).
            lines = [(one.table, f"{one.table}: fold") for one in wanting if isinstance(one, Bet)]
        if not wanting and (self._ready or receipt.refused):
            lines = [("", "ready")]
        if not lines:
            return []
        self._ready = False
        self._corrections += 1
        return [self._mail(receipt.head, lines, letters.bare)]

    def _mail(self, head: Letterhead, lines: Sequence[tuple[str, str]], layout: Layout) -> bytes:
        draft = self._draft(head, lines)
        self._last = draft.message_id
        return _bytes(layout(draft))

    def _draft(self, head: Letterhead, lines: Sequence[tuple[str, str]]) -> Draft:
        return Draft(
            lines=lines,
            head=head,
            name=self.name,
            address=self.address,
            date=head.date + timedelta(minutes=self.rng.randint(5, _LONGEST)),
            message_id=f"<{self.rng.getrandbits(80):020x}@{self.address.partition('@')[2]}>",
        )


def mistyped(text: str) -> str:
    """Return a line whose verb, the first there is, has two letters the wrong way round."""
    words = text.split(" ")
    at = next((at for at, word in enumerate(words) if word in _TYPOS), None)
    if at is not None:
        words[at] = _TYPOS[words[at]]
    return " ".join(words)


def same_order(one: str, other: str) -> bool:
    """Whether two canonical lines are the same order, in whatever order their cards stand."""
    return _parts(one) == _parts(other)


def _parts(line: str) -> list[list[str]]:
    return [sorted(part.split()) for part in re.split(r",| expose ", line)]


def _bytes(message: EmailMessage) -> bytes:
    return message.as_bytes()
