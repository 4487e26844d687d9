"""What one player, or an onlooker, may know of a game: the one door to hidden cards (10.3)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from postal.engine import bank, offers
from postal.engine.book import Book, final, sent_gifts, spare
from postal.engine.cards import Card
from postal.engine.game import due_of
from postal.engine.phases import betting
from postal.engine.rules import BettingPhase, ExposePhase, GivePhase, KeepPhase
from postal.engine.state import End, Game, Hand, Passed, Seat
from postal.engine.words import Verb

Stage = str
"""Where a hand stands: give, keep, betting, expose, showdown or over."""


@dataclass(frozen=True, slots=True)
class SeatLine:
    """What the viewer may know of one seat of a hand; money in whole pounds.

    ``shown`` is None where the viewer may not see the exposed cards (RULES.md 3.4). ``hidden``,
    ``discarded`` and ``dealt`` are None unless they are his own or all cards were opened (10.4).
    ``known`` are hidden cards that were face up in a turn that was taken back (10.7).
    """

    number: int
    player: str
    paid: int
    won: int
    iou: int
    folded: bool
    shown: tuple[Card, ...] | None = field(repr=False)
    hidden: tuple[Card, ...] | None = field(repr=False)
    discarded: tuple[Card, ...] | None = field(repr=False)
    dealt: tuple[Card, ...] | None = field(repr=False)
    gave: tuple[Passed, ...] = field(repr=False)
    got: tuple[Passed, ...] = field(repr=False)
    named: tuple[Card, ...] | None = field(repr=False)
    known: tuple[Card, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class HandView:
    """One hand: its seats, the pot, whose move it is, and how it ended."""

    name: str
    table: str
    stage: Stage
    seats: tuple[SeatLine, ...]
    pot: int
    staked: int
    to_act: tuple[str, ...]
    end: End
    winners: tuple[str, ...]

    @property
    def over(self) -> bool:
        """Whether the hand has ended."""
        return bool(self.end)


@dataclass(frozen=True, slots=True)
class TableView:
    """One table: who sits where from seat 1, and the viewer's neighbours (empty for others)."""

    letter: str
    players: tuple[str, ...]
    next: str
    previous: str
    hands: tuple[HandView, ...]


_NO_REACH = offers.Reach((), 0, ())


@dataclass(frozen=True, slots=True)
class Due:
    """What the viewer owes for one hand; pounds are whole.

    ``kind`` is give, keep, expose or bet. For a bet ``verbs`` are allowed, ``owed`` is what
    equals the opponent's, raises run from ``min_raise`` to ``max_raise``, and
    ``may_expose`` says whether he may name a card ahead of time. ``left`` pounds are his for it,
    beside the ``elsewhere`` that his orders on file for other hands need, and reach as ``reach``
    has it. ``give`` counts the cards for each number of seats onward; ``keep`` and ``expose`` say
    how many. ``final``: what he gave can no longer be changed (2.4); ``fixed``: nor can any
    order of his for the hand, the turn being played again (10.7). ``examples`` are lines ready
    to edit, without any mark before them, and good as they stand: they name his own cards.
    """

    hand: str
    table: str
    kind: str
    verbs: tuple[Verb, ...] = ()
    owed: int = 0
    min_raise: int = 0
    max_raise: int = 0
    may_expose: int = 0
    left: int = 0
    elsewhere: int = 0
    reach: offers.Reach = _NO_REACH
    final: bool = False
    fixed: bool = False
    give: tuple[tuple[int, int], ...] = ()
    keep: int = 0
    expose: int = 0
    examples: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class GameView:
    """What the viewer may know of a game before its turn ``turn`` is adjudicated.

    ``viewer`` is None for an onlooker, who sees what is public. ``arrived`` are gifts that came
    by post within the turn, as (table, gift) (RULES.md 2.4). ``standings`` are (place, player,
    pounds); ``opened`` tells that the game is over and every card is shown (10.4), and
    ``double_ace_flush`` how its flushes with jokers compare (7.3).
    """

    viewer: str | None
    turn: int
    deal: int
    players: tuple[str, ...]
    finished: bool
    opened: bool
    balances: tuple[tuple[str, int], ...]
    dropped: tuple[str, ...]
    tables: tuple[TableView, ...]
    due: tuple[Due, ...]
    standings: tuple[tuple[int, str, int], ...]
    double_ace_flush: bool = False
    arrived: tuple[tuple[str, Passed], ...] = field(default=(), repr=False)

    @property
    def balance(self) -> int:
        """The viewer's own balance; 0 for an onlooker."""
        return dict(self.balances).get(self.viewer or "", 0)

    def mine(self) -> tuple[tuple[TableView, HandView, SeatLine], ...]:
        """Return the viewer's table, hand and seat for each of his hands, in order."""
        return tuple(
            (table, hand, seat)
            for table in self.tables
            for hand in table.hands
            for seat in hand.seats
            if seat.player == self.viewer
        )


def view(game: Game, viewer: str | None, book: Book | None = None) -> GameView:
    """Return what ``viewer`` may know; None is an onlooker (RULES.md 2.5, 3.1, 3.4, 10.3, 10.4).

    ``book`` is what is on file for the turn: of it he learns what came to him by post, and what is
    due from him is told as his own orders leave it.
    """
    name = viewer or ""
    opened = game.finished and game.rules.choice("reveal") == "end"
    tables = tuple(
        TableView(
            letter=table.letter,
            players=table.players,
            next=table.neighbour(name, 1) if viewer else "",
            previous=table.neighbour(name, -1) if viewer else "",
            hands=tuple(
                _hand(game, hand, name, opened=opened)
                for hand in game.hands
                if hand.table == table.letter
            ),
        )
        for table in game.tables
    )
    arrived = tuple(
        (gift.table, Passed(gift.giver, gift.cards))
        for gift in (sent_gifts(game, book) if book else ())
        if gift.receiver == viewer
    )
    return GameView(
        viewer=viewer,
        turn=game.turn,
        deal=game.deal,
        players=game.players,
        finished=game.finished,
        opened=opened,
        balances=tuple(game.balances.items()),
        dropped=game.dropped,
        tables=tables,
        due=_due(game, viewer, book or Book()) if viewer else (),
        standings=game.standings(),
        double_ace_flush=game.rules.double_ace_flush,
        arrived=arrived,
    )


def stage(game: Game, hand: Hand) -> Stage:
    """Return where a hand stands: the last betting of the rules is the showdown."""
    phase = game.phase_of(hand)
    match phase:
        case None:
            return "over"
        case GivePhase():
            return "give"
        case KeepPhase():
            return "keep"
        case ExposePhase():
            return "expose"
        case _:
            later = game.rules.phases[hand.phase + 1 :]
            last = not any(isinstance(phase, BettingPhase) for phase in later)
            return "showdown" if last else "betting"


def _hand(game: Game, hand: Hand, viewer: str, *, opened: bool) -> HandView:
    in_it = hand.index_of(viewer) is not None
    sees_shown = opened or in_it or game.rules.choice("exposed_to") == "all"
    return HandView(
        name=hand.name,
        table=hand.table,
        stage=stage(game, hand),
        seats=tuple(
            _seat(seat, own=opened or seat.player == viewer, sees_shown=sees_shown)
            for seat in hand.seats
        ),
        pot=hand.pot,
        staked=hand.staked,
        to_act=tuple(hand.seats[index].player for index in due_of(game, hand)),
        end=hand.end,
        winners=hand.winners,
    )


def _seat(seat: Seat, *, own: bool, sees_shown: bool) -> SeatLine:
    return SeatLine(
        number=seat.number,
        player=seat.player,
        paid=seat.paid,
        won=seat.won,
        iou=seat.iou,
        folded=seat.folded,
        shown=seat.shown if sees_shown else None,
        hidden=seat.hidden if own else None,
        discarded=seat.discarded if own else None,
        dealt=seat.dealt if own else None,
        gave=seat.gave if own else (),
        got=seat.got if own else (),
        named=seat.named if own else None,
        known=seat.known if sees_shown else (),
    )


def _due(game: Game, viewer: str, book: Book) -> tuple[Due, ...]:
    return tuple(
        replace(_owed(game, book, hand, index), fixed=(viewer, hand.name) in book.fixed)
        for hand, index in game.hands_of(viewer)
        if index in due_of(game, hand)
    )


def _owed(game: Game, book: Book, hand: Hand, index: int) -> Due:
    player, phase = hand.seats[index].player, game.phase_of(hand)
    left = spare(game, book, player, hand)
    sent = final(game, book, player, hand)
    orders = () if sent else offers.offered(game, hand, index, left)
    lines = tuple(order.line() for order in orders)
    match phase:
        case GivePhase(gifts=gifts):
            counts = tuple((gift.to, gift.cards) for gift in gifts)
            return Due(hand.name, hand.table, "give", give=counts, final=sent, examples=lines)
        case KeepPhase(cards=keep, expose=expose):
            return Due(hand.name, hand.table, "keep", keep=keep, expose=expose, examples=lines)
        case ExposePhase(cards=expose):
            return Due(hand.name, hand.table, "expose", expose=expose, examples=lines)
        case BettingPhase():
            return Due(
                hand.name,
                hand.table,
                "bet",
                verbs=betting.allowed(game, hand),
                owed=hand.owed(index),
                min_raise=phase.min_raise,
                max_raise=phase.max_raise,
                may_expose=offers.exposed_ahead(game, hand),
                left=left,
                elsewhere=bank.cash(game, player) - left,
                reach=offers.reach(game, hand, index, left),
                examples=lines,
            )
        case _:
            raise TypeError(f"nothing is due in {type(phase).__name__}")
