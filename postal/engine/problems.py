"""What was wrong with a line as a value: the fault and its figures; reports put the words to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from postal.engine.cards import Card
from postal.engine.words import Verb

Code = Literal[
    "not-understood",
    "no-such-hand",
    "not-your-turn",
    "wrong-phase",
    "not-your-card",
    "wrong-count",
    "over-limit",
    "under-limit",
    "not-covered",
    "not-allowed",
    "final",
    "expose-dropped",
]
"""The problem codes of RECORD.md; each keeps its meaning for ever."""

Kind = Literal["give", "keep", "expose", "bet"]
"""What can be due from a player for a hand."""


class Fault(StrEnum):
    """Everything that can be wrong with a line; each belongs to one code."""

    # What is written is no order: its cards, sums, receivers and verbs.
    NO_CARD = "no-card"
    NOT_A_CARD = "not-a-card"
    NOT_A_SUM = "not-a-sum"
    UNCLEAR_SUM = "unclear-sum"
    PENCE = "pence"
    NO_SUM = "no-sum"
    SUM_NOT_TAKEN = "sum-not-taken"
    ALL_IN = "all-in"
    RAISE_TO = "raise-to"
    WORDS_AFTER_VERB = "words-after-verb"
    CARDS_MISSING = "cards-missing"
    EXPOSE_MISSING = "expose-missing"
    VERB_TWICE = "verb-twice"
    RECEIVER_MISSING = "receiver-missing"
    RECEIVERS_UNSAID = "receivers-unsaid"
    RECEIVER_WITHOUT_CARD = "receiver-without-card"
    SIDE_WITHOUT_CARD = "side-without-card"
    NEIGHBOUR_TWICE = "neighbour-twice"
    NOT_A_NEIGHBOUR = "not-a-neighbour"
    NOBODY_NAMED = "nobody-named"
    NAME_UNCLEAR = "name-unclear"
    SUM_IN_WORDS = "sum-in-words"
    SUM_ALONE = "sum-alone"
    CONDITION = "condition"
    NEGATED = "negated"
    TWO_ORDERS = "two-orders"
    # What is written is no order: its table, and what stands around it.
    HAND_NUMBER = "hand-number"
    NO_HAND_THERE = "no-hand-there"
    NO_HANDS = "no-hands"
    NO_TABLE_FIRST = "no-table-first"
    SEVERAL_TABLES = "several-tables"
    SECOND_ORDER = "second-order"
    SPLIT_ORDER = "split-order"
    NOT_END_TO_END = "not-end-to-end"
    NOT_FOR_ALL = "not-for-all"
    NOTHING_AFTER_TABLE = "nothing-after-table"
    CANCEL_AFTER_TABLE = "cancel-after-table"
    NO_VERB = "no-verb"
    WORDS_BEFORE_ORDER = "words-before-order"
    QUESTION = "question"
    DOUBTFUL_MARK = "doubtful-mark"
    NOT_AN_ORDER = "not-an-order"
    BEHIND_WORDS = "behind-words"
    BEHIND_MARK = "behind-mark"
    STRUCK_OUT = "struck-out"
    TWO_FORMS = "two-forms"
    ATTACHED = "attached"
    IN_SUBJECT = "in-subject"
    MARKED = "marked"
    LINE_TOO_LONG = "line-too-long"
    TOO_MANY_LINES = "too-many-lines"
    TOO_MANY_PARTS = "too-many-parts"
    FURTHER_LINES = "further-lines"
    # What is written is no command.
    COMMAND_QUESTION = "command-question"
    COMMAND_BESIDE_OTHERS = "command-beside-others"
    CANCEL_WITHOUT_TABLE = "cancel-without-table"
    CANCEL_UNCLEAR = "cancel-unclear"
    HOLIDAY_DAYS_MISSING = "holiday-days-missing"
    HOLIDAY_NOT_DATES = "holiday-not-dates"
    HOLIDAY_BACKWARDS = "holiday-backwards"
    BLOCK_WITHOUT_COLON = "block-without-colon"
    BLOCK_EMPTY = "block-empty"
    BLOCK_UNCLOSED = "block-unclosed"
    # It is an order, and the rules or the state of the game don't allow it.
    NO_SUCH_TABLE = "no-such-table"
    HAND_OVER = "hand-over"
    OTHER_KIND_DUE = "other-kind-due"
    OTHER_KIND_DUE_FROM_OTHERS = "other-kind-due-from-others"
    KEEP_MISSING = "keep-missing"
    OTHERS_MOVE = "others-move"
    NO_BET_STAGE = "no-bet-stage"
    NO_BET_DUE = "no-bet-due"
    GIFTS_SENT = "gifts-sent"
    LATER_STANDS = "later-stands"
    STANDS_AS_IT_WAS = "stands-as-it-was"
    WRONG_GIFTS = "wrong-gifts"
    WRONG_NUMBER = "wrong-number"
    WRONG_EXPOSURE = "wrong-exposure"
    EXPOSURE_SEEN = "exposure-seen"
    NOT_HELD = "not-held"
    EXPOSED_NOT_KEPT = "exposed-not-kept"
    RAISE_CAP = "raise-cap"
    NOTHING_TO_EQUAL = "nothing-to-equal"
    BEHIND_OPPONENT = "behind-opponent"
    CALL_FIRST = "call-first"
    BET_BARRED = "bet-barred"
    OVER_LIMIT = "over-limit"
    UNDER_LIMIT = "under-limit"
    NOT_COVERED = "not-covered"
    # The bet stands, and only the card to expose with it was dropped.
    EXPOSE_NOT_NEXT = "expose-not-next"
    EXPOSE_NOT_WITH_BET = "expose-not-with-bet"
    EXPOSE_WRONG_NUMBER = "expose-wrong-number"
    EXPOSE_NOT_HELD = "expose-not-held"
    EXPOSE_SEEN = "expose-seen"

    @property
    def code(self) -> Code:
        """The code that records and the order log give for it."""
        return _CODES.get(self, "not-understood")


_CODES: dict[Fault, Code] = {
    Fault.NOT_A_NEIGHBOUR: "not-allowed",
    Fault.NOBODY_NAMED: "not-allowed",
    Fault.NAME_UNCLEAR: "not-allowed",
    Fault.HAND_NUMBER: "no-such-hand",
    Fault.NO_HAND_THERE: "no-such-hand",
    Fault.NO_HANDS: "no-such-hand",
    Fault.NO_SUCH_TABLE: "no-such-hand",
    Fault.HAND_OVER: "wrong-phase",
    Fault.OTHER_KIND_DUE: "wrong-phase",
    Fault.OTHER_KIND_DUE_FROM_OTHERS: "wrong-phase",
    Fault.OTHERS_MOVE: "not-your-turn",
    Fault.NO_BET_STAGE: "wrong-phase",
    Fault.NO_BET_DUE: "not-your-turn",
    Fault.GIFTS_SENT: "final",
    Fault.LATER_STANDS: "final",
    Fault.STANDS_AS_IT_WAS: "final",
    Fault.EXPOSURE_SEEN: "final",
    Fault.WRONG_GIFTS: "wrong-count",
    Fault.WRONG_NUMBER: "wrong-count",
    Fault.WRONG_EXPOSURE: "wrong-count",
    Fault.NOT_HELD: "not-your-card",
    Fault.EXPOSED_NOT_KEPT: "not-your-card",
    Fault.RAISE_CAP: "not-allowed",
    Fault.NOTHING_TO_EQUAL: "not-allowed",
    Fault.BEHIND_OPPONENT: "not-allowed",
    Fault.CALL_FIRST: "not-allowed",
    Fault.BET_BARRED: "not-allowed",
    Fault.OVER_LIMIT: "over-limit",
    Fault.UNDER_LIMIT: "under-limit",
    Fault.NOT_COVERED: "not-covered",
    Fault.EXPOSE_NOT_NEXT: "expose-dropped",
    Fault.EXPOSE_NOT_WITH_BET: "expose-dropped",
    Fault.EXPOSE_WRONG_NUMBER: "expose-dropped",
    Fault.EXPOSE_NOT_HELD: "expose-dropped",
    Fault.EXPOSE_SEEN: "expose-dropped",
}


@dataclass(frozen=True, slots=True)
class Figures:
    """What a fault is about, in plain values; each fault sets those that its words name.

    ``table`` is a letter or ALL_TABLES, ``hands`` the names of the player's hands. ``verb`` is
    the verb or command in question, ``verbs`` the bets that are open, ``kind`` what is due,
    ``players`` whose move it is. ``amount`` is in pounds as written or needed, ``limit`` in
    pounds as allowed or left; ``given`` counts what there is, ``needed`` what there should or
    may be. ``most`` is the most that a raise could add now, ``elsewhere`` what his orders for
    other hands need, and of each of ``on_iou`` an IOU would pay a part. ``neighbours`` are names
    with their seats onward, ``gifts`` how many cards go to the player so many seats onward.
    ``text`` are the player's words; ``cards`` those in question, ``held`` those among which they
    are not.
    """

    table: str = ""
    hands: tuple[str, ...] = ()
    verb: str = ""
    verbs: tuple[Verb, ...] = ()
    kind: Kind | None = None
    players: tuple[str, ...] = ()
    amount: int = 0
    limit: int = 0
    given: int = 0
    needed: int = 0
    most: int = 0
    elsewhere: int = 0
    on_iou: tuple[Verb, ...] = ()
    neighbours: tuple[tuple[str, int], ...] = ()
    gifts: tuple[tuple[int, int], ...] = ()
    text: str = field(default="", repr=False)
    cards: tuple[Card, ...] = field(default=(), repr=False)
    held: tuple[Card, ...] = field(default=(), repr=False)


NO_FIGURES = Figures()


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a line, or a part of it, was not taken.

    ``examples`` are lines that the player could write instead, his own order made right, and
    ``instead`` lines of what is due from him where there are none; they may name his own cards,
    so they are for his eyes alone. ``hand`` is ``A1`` or empty where the line names none, and
    ``further`` are other hands that it is meant for; ``line`` is what was written, ``number`` its
    line in the mail (from 1; 0 where there is none).
    """

    fault: Fault
    figures: Figures = NO_FIGURES
    examples: tuple[str, ...] = field(default=(), repr=False)
    hand: str = ""
    line: str = field(default="", repr=False)
    number: int = 0
    further: tuple[str, ...] = ()
    instead: tuple[str, ...] = field(default=(), repr=False)

    @property
    def hands(self) -> tuple[str, ...]:
        """Every hand that the line is meant for; none where it names none."""
        return (self.hand, *self.further) if self.hand else self.further

    @property
    def code(self) -> Code:
        """The fault's code (RECORD.md)."""
        return self.fault.code
