"""The template contract: what a template is given, frozen plain values and nothing else.

Sums are whole pounds. Cards are ``CardFace`` values; a field that is None holds what the viewer
may not see (RULES.md 10.3).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from postal.engine.problems import Problem
from postal.engine.rules import OptionValue
from postal.reports.display import Cards
from postal.reports.words import Said


@dataclass(frozen=True, slots=True)
class Frame:
    """What a mail says of its game beside the play itself; handed in by whoever sends it.

    ``slug`` is the game's short name, ``gm_address`` where players may write to the GM in person,
    ``mailbox`` the address that answers to this mail go to,
    with the token where the mailbox takes one; ``reply_subject`` a subject that ready-made
    answers carry, where the token stands there. ``deadline`` (None: there is none) and ``now``
    are aware times in UTC, ``zone`` is the zone's name, ``commitment`` hex. ``holders`` has, for
    each seat whose holder has another name than it, the holder's ("Sue" for the seat "Joe").
    ``on_hold``: the GM has stopped the clock, until ``hold_until`` where he said until when.
    ``own_zone`` is the zone of the reader's clocks, empty where it isn't known. ``settle`` are the
    minutes from the last order to the next report (None: not known), ``grace`` the hours after the
    deadline in which orders still count.
    """

    slug: str
    title: str
    gm: str
    gm_address: str
    mailbox: str = field(repr=False)
    deadline: datetime | None
    zone: str
    commitment: str
    now: datetime
    reply_subject: str = field(default="", repr=False)
    holders: Mapping[str, str] = field(default_factory=dict)
    on_hold: bool = False
    hold_until: datetime | None = None
    own_zone: str = ""
    settle: int | None = None
    grace: int = 0

    @property
    def reader_zone(self) -> str:
        """The zone in which the reader is told times: his own, or the game's."""
        return self.own_zone or self.zone


@dataclass(frozen=True, slots=True)
class FrameContext:
    """A Frame in words: the deadline for subjects, in the reader's zone, the time left.

    ``deadline_also`` tells it in a second zone, and is empty where clocks show the same there: the
    game's zone beside the reader's own, UTC beside the game's. ``expected`` is a sentence on when
    the next report comes, the same whoever's orders are in (RULES.md 10.3); empty where not known.
    ``hold`` is a sentence where the game is on hold, and empty where it isn't.
    """

    slug: str
    title: str
    gm: str
    gm_address: str
    mailbox: str = field(repr=False)
    mailto: str = field(repr=False)
    deadline_short: str
    deadline: str
    deadline_also: str
    left: str
    commitment: str
    mailed: str
    hold: str
    reader_zone: str
    expected: str


@dataclass(frozen=True, slots=True)
class PassedContext:
    """Cards that went to or came from ``player``."""

    player: str
    cards: Cards = field(repr=False)


@dataclass(frozen=True, slots=True)
class SeatContext:
    """One seat of a hand, as far as the viewer may know it; ``you`` says that it is his.

    ``known`` are hidden cards that were face up in a turn that was taken back.
    """

    number: int
    player: str
    you: bool
    paid: int
    won: int
    iou: int
    folded: bool
    shown: Cards | None = field(repr=False)
    hidden: Cards | None = field(repr=False)
    discarded: Cards | None = field(repr=False)
    dealt: Cards | None = field(repr=False)
    gave: tuple[PassedContext, ...] = field(repr=False)
    got: tuple[PassedContext, ...] = field(repr=False)
    named: Cards | None = field(repr=False)
    known: Cards = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class HandContext:
    """One hand: ``state`` tells in one sentence where it stands; ``pot`` is 0 once it is won."""

    name: str
    table: str
    stage: str
    mine: bool
    over: bool
    pot: int
    staked: int
    state: str
    seats: tuple[SeatContext, ...]


@dataclass(frozen=True, slots=True)
class TableContext:
    """One table: its players from seat 1 and its hands."""

    letter: str
    players: tuple[str, ...]
    hands: tuple[HandContext, ...]


@dataclass(frozen=True, slots=True)
class MineContext:
    """One of the viewer's hands, with his neighbours at the table and gifts come by post."""

    table: str
    next: str
    previous: str
    hand: HandContext
    me: SeatContext
    opponents: tuple[SeatContext, ...]
    arrived: tuple[PassedContext, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class ExampleContext:
    """An order ready to edit, without its mark, and a link that begins a mail with it."""

    line: str = field(repr=False)
    mailto: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class DueContext:
    """What the viewer must order for a hand: sentences, and examples ready to edit."""

    hand: str
    table: str
    kind: str
    opponents: tuple[str, ...]
    sentences: tuple[str, ...]
    examples: tuple[ExampleContext, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class PlayerContext:
    """A player's place and balance; ``dropped`` says that he is not waited for (9.4).

    ``name`` says who holds the seat now: "Sue, for Joe" where Sue holds Joe's.
    """

    place: int
    name: str
    you: bool
    balance: int
    dropped: bool


@dataclass(frozen=True, slots=True)
class IouContext:
    """An IOU: who wrote it to whom at which hand, and what became of it in words (8.3)."""

    hand: str
    player: str
    to: tuple[str, ...]
    amount: int
    became: str


@dataclass(frozen=True, slots=True)
class GameContext:
    """All that the viewer may know of a game; ``viewer`` is empty for an onlooker.

    ``viewer`` is the reader's own name, whatever that of his seat: everywhere else a player is
    called by the name of his seat, but for ``players``.
    ``turn`` is the turn whose orders are due, ``reported`` the one before. ``players`` are
    richest first; ``pots`` is what lies in all pots.
    """

    viewer: str
    turn: int
    reported: int
    finished: bool
    opened: bool
    balance: int
    pots: int
    players: tuple[PlayerContext, ...]
    tables: tuple[TableContext, ...]
    mine: tuple[MineContext, ...]
    due: tuple[DueContext, ...]
    ious: tuple[IouContext, ...]


@dataclass(frozen=True, slots=True)
class OnFile:
    """One of the player's hands: its order on file as a canonical line, None where none is.

    ``final``: it can no longer be changed or taken back (RULES.md 2.4). ``fixed``: nor can it,
    missing or not, since the turn is played again (10.7).
    """

    hand: str
    due: bool
    line: str | None = field(repr=False)
    final: bool = False
    fixed: bool = False


@dataclass(frozen=True, slots=True)
class TakenBack:
    """An order that was taken back as asked; ``of_the_mail``: it stood in the same mail."""

    hand: str
    line: str = field(repr=False)
    of_the_mail: bool = False


@dataclass(frozen=True, slots=True)
class Hold:
    """That a turn waits for a player, why, and until when (aware UTC, None: no end is set).

    For orders that are missing, since he asked for it (RULES.md 9.6), or since a line for a hand
    that is due was not taken (10.6), of this mail or an ``earlier`` one; all but the first a word
    of his ends.
    """

    why: Literal["missing", "asked", "trouble", "earlier"]
    until: datetime | None


@dataclass(frozen=True, slots=True)
class ReceiptFacts:
    """What a receipt tells of the player's orders after his mail (ORDERS.md, "The receipt").

    ``committed`` pounds his orders need and ``left`` pounds he has beside. ``cut`` are lines
    that were not read because they were quoted; ``lost`` and ``replaced`` name hands: no longer
    covered, and where the last of several orders counts. ``hold``: the turn waits for him;
    ``ready``: he has just released it; ``waits_in_vain``: he asked it to wait and owes nothing
    (RULES.md 9.6).
    ``nothing`` says that the mail held no order and no command, ``files_unread`` that there is
    more in it, attached, that nobody reads. ``assumed`` names hands that a line without a table
    was taken for, being the only ones due. ``by_gm``: it was no mail of his, the GM has changed his
    orders. ``said`` is what became of words to others.
    """

    hands: tuple[OnFile, ...]
    committed: int
    left: int
    problems: tuple[Problem, ...] = field(default=(), repr=False)
    cut: tuple[str, ...] = field(default=(), repr=False)
    taken_back: tuple[TakenBack, ...] = ()
    lost: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    hold: Hold | None = None
    ready: bool = False
    waits_in_vain: bool = False
    nothing: bool = False
    files_unread: bool = False
    assumed: tuple[str, ...] = ()
    said: tuple[Said, ...] = ()
    by_gm: bool = False

    @property
    def complete(self) -> bool:
        """Whether an order is on file wherever one is due."""
        return all(hand.line is not None for hand in self.hands if hand.due and not hand.fixed)


@dataclass(frozen=True, slots=True)
class ProblemContext:
    """A line that was not taken: as written in pieces, why, and what to write instead.

    ``hand`` is the first of the ``hands`` that it is meant for. ``partly`` says that its bet
    stands, and only the card to expose was dropped (5.4).
    """

    number: int
    hand: str
    hands: tuple[str, ...]
    written: tuple[str, ...] = field(repr=False)
    sentence: str = field(repr=False)
    hint: str = field(repr=False)
    examples: tuple[str, ...] = field(repr=False)
    partly: bool


@dataclass(frozen=True, slots=True)
class ReceiptContext:
    """ReceiptFacts for a template; ``missing`` names the hands where an order is still due.

    ``owes`` says that something is due from him; ``hold`` is why the turn waits for him, empty
    where it doesn't, and ``until`` the end of that in words, empty where none is set.
    ``revocable`` are the tables whose order can be taken back, ``final`` the hands whose can't
    since its cards went by post, and ``fixed`` those whose can't, in a turn that is played again.
    ``said`` are sentences on words to others.
    """

    hands: tuple[OnFile, ...]
    missing: tuple[str, ...]
    revocable: tuple[str, ...]
    final: tuple[str, ...]
    fixed: tuple[str, ...]
    complete: bool
    owes: bool
    hold: str
    until: str
    committed: int
    left: int
    problems: tuple[ProblemContext, ...] = field(repr=False)
    cut: tuple[tuple[str, ...], ...] = field(repr=False)
    taken_back: tuple[TakenBack, ...] = field(repr=False)
    lost: tuple[str, ...]
    replaced: tuple[str, ...]
    ready: bool
    waits_in_vain: bool
    nothing: bool
    files_unread: bool
    assumed: tuple[str, ...]
    said: tuple[str, ...]
    by_gm: bool


@dataclass(frozen=True, slots=True)
class OptionFact:
    """One of the game's options: its name, its value in this game and what it says (GAMES.md)."""

    name: str
    value: OptionValue
    says: str


StandbyStep = Literal["listed", "signed", "off", "asked", "taken", "removed", "how", "unlisted"]
"""What a letter to a standby says: the GM lists him, he has signed up or off, a seat is offered to
him or is free no more, he is taken off the list, how to sign up, or that he isn't listed."""


@dataclass(frozen=True, slots=True)
class HolidayFact:
    """What a holiday comes to in a game: of ``asked`` days so many ``count``.

    ``moves``: deadlines move past those, by the game's option; else they stay where they are.
    """

    game: str
    moves: bool
    count: int
    asked: int


@dataclass(frozen=True, slots=True)
class PastOrders:
    """The orders of a seat that were used in a turn that is over, as canonical lines."""

    turn: int
    lines: tuple[str, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Rendered:
    """A mail's subject and its two bodies, whole and ready to be sent.

    ``mistakes`` says what is wrong with the GM's own templates where the packed ones were used
    instead, each by its file and line and without any value.
    """

    subject: str
    text: str = field(repr=False)
    html: str = field(repr=False)
    mistakes: tuple[str, ...] = ()
