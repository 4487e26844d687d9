"""What a mail's lines come to on file, and the evidence of each (RULES.md 8.2, 9.4, 10.6)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime

from postal.engine.book import Book, SentGift, Submission, sent_gifts, submit
from postal.engine.game import due
from postal.engine.orders import Cancel
from postal.engine.problems import Fault, Figures, Problem
from postal.ordertext import Reading
from postal.reports import TakenBack, problem_sentence
from postal.service.inbound.outcome import TurnChange
from postal.service.inbound.trouble import Lines, presence_after, troubles
from postal.service.loading import LoadedGame, Presence, TurnFile
from postal.service.records.lines import note
from postal.service.records.play import order_context
from postal.store.codec import encode_order
from postal.store.orders import NewLine, NewOrder
from postal.store.rows import MailRow, OrderAction
from postal.store.seats import HeldSeat

MOST_PROBLEMS = 50
"""The most problems of one mail that are told and kept one by one."""


@dataclass(frozen=True, slots=True)
class Filing:
    """A mail's reading and what becomes of it; ``file`` is what is on file after it.

    ``noted`` are its lines as a game record has them; ``gifts`` those that go out by post because
    of it (RULES.md 2.4). ``holds``: a line of the mail itself holds the turn (10.6).
    """

    player: str
    reading: Reading = field(repr=False)
    before: Book = field(repr=False)
    file: TurnFile = field(repr=False)
    taken: Submission = field(default=Submission(Book()), repr=False)
    noted: str = field(default="", repr=False)
    gifts: tuple[SentGift, ...] = field(default=(), repr=False)
    holds: bool = False

    @property
    def book(self) -> Book:
        """What is on file after the mail."""
        return self.file.book

    @property
    def presence(self) -> Presence:
        """Where the player stands after the mail."""
        return self.file.of(self.player)

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
    def taken_back(self) -> tuple[TakenBack, ...]:
        """The orders that the mail took back, those on file and those of the mail itself."""
        before, lost = self.before.of(self.player), self.taken.withdrawn
        filed = [TakenBack(hand, before[hand].line()) for hand in self.taken.cancelled]
        mail = [TakenBack(one.hand, one.order.line(), of_the_mail=True) for one in lost]
        return (*filed, *mail)

    @property
    def replaced(self) -> tuple[str, ...]:
        """The hands where an order took the place of one on file, or of one of the same mail."""
        earlier = set(self.before.of(self.player)) - set(self.taken.cancelled)
        earlier |= set(self.taken.repeated)
        return tuple(entry.hand for entry in self.taken.accepted if entry.hand in earlier)


def take(
    loaded: LoadedGame, file: TurnFile, player: str, reading: Reading, arrived: datetime
) -> Filing:
    """Return what a mail's lines come to; ``arrived`` is when it did, aware UTC.

    It is the server's time, since a mail may have lain there for a while (10.6).
    """
    taken = submit(loaded.game, file.book, player, reading.lines)
    heard = loaded.rules.rulings.any_mail_is_heard or bool(
        reading.lines or reading.commands or reading.problems
    )
    book = taken.book.hear(player) if heard else taken.book
    known = set(sent_gifts(loaded.game, file.book))
    gifts = tuple(gift for gift in sent_gifts(loaded.game, book) if gift not in known)
    noted = note(reading, order_context(loaded.game, player))
    filing = Filing(player, reading, file.book, replace(file, book=book), taken, noted, gifts)
    before = file.of(player)
    waits = [one.name == "wait" for one in reading.commands if one.name in ("wait", "ready")]
    owes = any(one == player for one, _ in due(loaded.game))
    lines = Lines(loaded.game, player, reading, taken)
    troubled, until = presence_after(loaded, before, lines, arrived)
    last = max(before.last_order_at or arrived, arrived)
    cancels = any(isinstance(line.order, Cancel) for line in reading.lines)
    after = filing.file.with_presence(
        player,
        heard=before.heard or heard,
        resigned=before.resigned and not heard,
        troubled=troubled,
        troubled_until=until,
        waiting=waits[-1] and owes if waits else before.waiting,
        last_order_at=last if taken.accepted or cancels else before.last_order_at,
    )
    return replace(filing, file=after, holds=troubles(loaded, lines))


def turn_change(
    loaded: LoadedGame, seat: HeldSeat, mail: MailRow | None, filing: Filing, now: datetime
) -> TurnChange:
    """Return what a filing changes of the turn in play, as rows; None: by the GM or a robot."""
    mail_id = mail.id if mail else None
    assert loaded.turn is not None, "orders are filed for a turn in play"
    assert loaded.turn.id is not None, "a turn in play is stored"
    accepted = {entry.hand: entry.order for entry in filing.taken.accepted}
    mail_id = mail.id if mail else None
    orders = tuple(
        NewOrder(
            turn_id=loaded.turn.id,
            seat_id=seat.id,
            hand=hand,
            line=order.line(),
            order_json=encode_order(order),
            mail_id=mail_id,
            filed_at=now,
        )
        for hand, order in accepted.items()
    )
    gone = tuple(
        hand for hand in (*filing.taken.cancelled, *filing.taken.lost) if hand not in accepted
    )
    return TurnChange(
        turn=loaded.turn,
        seat_id=seat.id,
        due_at=filing.file.due_at(loaded),
        presence=filing.presence,
        off=(*gone, *accepted),
        orders=orders,
        log=tuple(_Clerk(loaded.turn.id, seat.id, mail_id, now).log(filing, gone)),
    )


@dataclass(frozen=True, slots=True)
class _Clerk:
    """Writes down what became of each line: evidence that is only ever added to."""

    turn_id: int
    seat_id: int
    mail_id: int | None
    now: datetime

    def log(self, filing: Filing, gone: tuple[str, ...]) -> list[NewLine]:
        rows = [self._row(OrderAction.READ, line=filing.noted)] if filing.noted else []
        rows += [self._row(OrderAction.CANCELLED, hand) for hand in gone]
        rows += [
            self._row(OrderAction.CANCELLED, one.hand, one.order.line())
            for one in filing.taken.withdrawn
        ]
        filed = filing.before.of(filing.player)
        for entry in filing.taken.accepted:
            if entry.hand in filed:
                rows.append(self._row(OrderAction.REPLACED, entry.hand))
            rows.append(self._row(OrderAction.FILED, entry.hand, entry.order.line()))
        for problem in filing.problems:
            sentence = problem_sentence(problem)
            row = self._row(OrderAction.REFUSED, problem.hand, problem.line)
            rows.append(replace(row, code=problem.code, sentence=sentence))
        for command in filing.reading.commands:
            if command.name in ("wait", "ready"):
                action = OrderAction.WAIT if command.name == "wait" else OrderAction.READY
                rows.append(self._row(action))
        return rows

    def _row(self, action: OrderAction, hand: str = "", line: str = "") -> NewLine:
        return NewLine(
            turn_id=self.turn_id,
            seat_id=self.seat_id,
            mail_id=self.mail_id,
            at=self.now,
            action=action,
            hand=hand,
            line=line,
        )
