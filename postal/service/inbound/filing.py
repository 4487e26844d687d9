"""Puts on file what a mail orders, with the evidence of every line (RULES.md 8.2, 9.4, 10.6)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from sqlmodel import Session

from postal.engine.book import Book, SentGift, Submission, sent_gifts, submit
from postal.engine.orders import Cancel
from postal.engine.problems import Fault, Figures, Problem
from postal.ordertext import Reading
from postal.reports import problem_sentence
from postal.service.work import LoadedGame, Workplace
from postal.store.codec import encode_order
from postal.store.orders import attendance, cancel_order, file_order
from postal.store.rows import MailRow, OrderAction, OrderHistoryRow, OrderRow

MOST_PROBLEMS = 50
"""The most problems of one mail that are told and kept one by one."""


@dataclass(frozen=True, slots=True)
class Filing:
    """A mail's reading and what became of it; ``book`` is what is on file after it.

    ``gifts`` are those that go out by post because of it (RULES.md 2.4).
    """

    player: str
    reading: Reading = field(repr=False)
    before: Book = field(repr=False)
    taken: Submission = field(default=Submission(Book()), repr=False)
    gifts: tuple[SentGift, ...] = field(default=(), repr=False)

    @property
    def book(self) -> Book:
        """What is on file after the mail."""
        return self.taken.book

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The problems of the mail in the order of its lines; of very many the rest as one."""
        found = (*self.reading.problems, *self.taken.problems)
        ordered = sorted(found, key=lambda problem: problem.number)
        rest = len(ordered) - MOST_PROBLEMS
        if rest <= 0:
            return tuple(ordered)
        more = Problem(Fault.FURTHER_LINES, Figures(given=rest + 1))
        return (*ordered[: MOST_PROBLEMS - 1], more)

    @property
    def replaced(self) -> tuple[str, ...]:
        """The hands where an order took the place of one on file, or of one of the same mail."""
        earlier = set(self.before.of(self.player)) - set(self.taken.cancelled)
        earlier |= set(self.taken.repeated)
        return tuple(entry.hand for entry in self.taken.accepted if entry.hand in earlier)


def file_orders(
    session: Session, work: Workplace, loaded: LoadedGame, mail: MailRow, filing: Filing
) -> Filing:
    """File, refuse and cancel as the mail's lines come to; returns the filing as it ended."""
    player, reading = filing.player, filing.reading
    taken = submit(loaded.game, filing.before, player, reading.lines)
    heard = bool(reading.lines or reading.commands or reading.problems)
    if heard:
        taken = replace(taken, book=taken.book.hear(player))
    known = set(sent_gifts(loaded.game, filing.before))
    gifts = tuple(gift for gift in sent_gifts(loaded.game, taken.book) if gift not in known)
    filing = replace(filing, taken=taken, gifts=gifts)
    turn = loaded.game.turn
    clerk = _Clerk(session, work, loaded, mail, player)
    accepted = {entry.hand: entry.order for entry in taken.accepted}
    for hand in (*taken.cancelled, *taken.lost):
        if hand not in accepted and cancel_order(session, loaded.id, turn, player, hand):
            clerk.note(OrderAction.CANCELLED, hand=hand)
    for hand, order in accepted.items():
        row = OrderRow(
            game_id=loaded.id,
            turn=turn,
            player=player,
            hand=hand,
            line=order.line(),
            order_json=encode_order(order),
            mail_id=mail.id,
            filed_at=work.clock.now(),
        )
        if file_order(session, row):
            clerk.note(OrderAction.REPLACED, hand=hand)
        clerk.note(OrderAction.FILED, hand=hand, line=order.line())
    for problem in filing.problems:
        clerk.refuse(problem)
    _attend(session, work, loaded, mail, filing, heard=heard)
    return filing


def _attend(  # noqa: PLR0913 - the whole of a mail's circumstances
    session: Session,
    work: Workplace,
    loaded: LoadedGame,
    mail: MailRow,
    filing: Filing,
    *,
    heard: bool,
) -> None:
    row = attendance(session, loaded.id, loaded.game.turn, filing.player)
    clerk = _Clerk(session, work, loaded, mail, filing.player)
    row.heard = row.heard or heard
    row.troubled = bool(filing.problems)
    for command in filing.reading.commands:
        if command.name in ("wait", "ready"):
            row.waiting = command.name == "wait"
            clerk.note(OrderAction.WAIT if row.waiting else OrderAction.READY)
    changes = any(isinstance(line.order, Cancel) for line in filing.reading.lines)
    if filing.taken.accepted or changes:
        # The server's time, since a mail may have lain there for a while (10.6).
        row.last_order_at = min(mail.internal_date, work.clock.now())


@dataclass(frozen=True, slots=True)
class _Clerk:
    """Writes what became of each line: evidence that is only ever added to."""

    session: Session
    work: Workplace
    loaded: LoadedGame
    mail: MailRow
    player: str

    def note(self, action: OrderAction, hand: str = "", line: str = "") -> None:
        """Note what was done."""
        self._add(action, hand, line)

    def refuse(self, problem: Problem) -> None:
        """Note what was refused, and why."""
        said = problem_sentence(problem)
        self._add(OrderAction.REFUSED, problem.hand, problem.line, problem.code, said)

    def _add(
        self, action: OrderAction, hand: str, line: str, code: str = "", sentence: str = ""
    ) -> None:
        row = OrderHistoryRow(
            game_id=self.loaded.id,
            turn=self.loaded.game.turn,
            player=self.player,
            mail_id=self.mail.id,
            at=self.work.clock.now(),
            action=action,
            hand=hand,
            line=line,
            code=code,
            sentence=sentence,
        )
        self.session.add(row)
        self.session.flush()
