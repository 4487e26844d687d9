"""A line for each fault: what was written, in which place, and the problem that came of it."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from postal.engine.book import Book
from postal.engine.problems import NO_FIGURES, Fault, Problem
from postal.engine.rollback import on_file_again, with_seen
from postal.mail.incoming import read
from postal.ordertext import Context, Reading, read_mail
from postal.ordertext.lines import LONGEST_LINE
from postal.ordertext.reader import MOST_LINES
from postal.service.inbound.filing import MOST_PROBLEMS, Filing
from postal.service.inbound.reading import read_whole
from postal.service.loading import TurnFile
from tests.engine.engine_games import Play, betting, deal, showdown, smith

PLAYER = Context(
    hands={"A": "A2", "B": "B1", "C": "C3"},
    neighbours={table: {"Puke": 1, "Joe": -1} for table in "ABC"},
)
LINES = {
    Fault.NO_CARD: "A: stay expose",
    Fault.NOT_A_CARD: "A: give 2X 5D next, 9H previous",
    Fault.NOT_A_SUM: "A: raise $40000",
    Fault.UNCLEAR_SUM: "Table A raise 40.000",
    Fault.PENCE: "A: raise 40000.50",
    Fault.SUM_IN_WORDS: "A raise forty thousand",
    Fault.SUM_ALONE: "A +12000",
    Fault.NO_SUM: "A: raise",
    Fault.SUM_NOT_TAKEN: "A: call 40000",
    Fault.ALL_IN: "A: all in",
    Fault.RAISE_TO: "A: raise to 60000",
    Fault.WORDS_AFTER_VERB: "A fold please",
    Fault.CONDITION: "if Joe raises, A: fold",
    Fault.NEGATED: "don't fold A",
    Fault.TWO_ORDERS: "A: raise 20000; fold",
    Fault.CARDS_MISSING: "A: expose",
    Fault.EXPOSE_MISSING: "A discard 2C 5D",
    Fault.VERB_TWICE: "A: keep AS AD discard 2C expose KC",
    Fault.RECEIVER_MISSING: "A: give 2C 5D next, 9H",
    Fault.RECEIVERS_UNSAID: "A: give 2C",
    Fault.RECEIVER_WITHOUT_CARD: "A: give 2C 5D next, previous",
    Fault.SIDE_WITHOUT_CARD: "A: give 2C 5D /",
    Fault.NEIGHBOUR_TWICE: "A: give 2C next, 5D next, 9H previous",
    Fault.NOT_A_NEIGHBOUR: "A: give 2C 5D next, 9H to Fred",
    Fault.NOBODY_NAMED: "A: give 2C 5D to, 9H previous",
    Fault.HAND_NUMBER: "A3: fold",
    Fault.NO_HAND_THERE: "Z: fold",
    Fault.NO_TABLE_FIRST: "raise 40k",
    Fault.SEVERAL_TABLES: "A/B fold",
    Fault.SECOND_ORDER: "A - fold, B - stay",
    Fault.SPLIT_ORDER: "A: give 5S 8D next; 10S previous",
    Fault.NOT_END_TO_END: "I'd like to fold on table A please",
    Fault.NOT_FOR_ALL: "all: expose KD",
    Fault.NOTHING_AFTER_TABLE: "A:",
    Fault.CANCEL_AFTER_TABLE: "A: cancel",
    Fault.NO_VERB: "A: rais 40000",
    Fault.WORDS_BEFORE_ORDER: "Please fold B",
    Fault.QUESTION: "A: fold?",
    Fault.DOUBTFUL_MARK: "A: fold (if Joe raises)",
    Fault.NOT_AN_ORDER: "A: fold; good luck; {text}",
    Fault.BEHIND_WORDS: "I could say so; A: fold",
    Fault.BEHIND_MARK: "| as I said |\nA: fold",
    Fault.LINE_TOO_LONG: f"A: fold; {'x' * LONGEST_LINE}",
    Fault.TOO_MANY_LINES: "\n" * MOST_LINES + "A: fold",
    Fault.TOO_MANY_PARTS: "\n".join(["A: stay;" * 60] * 100),
    Fault.FURTHER_LINES: "A: rais 5\n" * (MOST_PROBLEMS + 3),
    Fault.COMMAND_QUESTION: "resign?",
    Fault.COMMAND_BESIDE_OTHERS: "A: fold; help",
    Fault.CANCEL_WITHOUT_TABLE: "cancel",
    Fault.CANCEL_UNCLEAR: "cancel A and B",
    Fault.HOLIDAY_DAYS_MISSING: "holiday 2026-12-20",
    Fault.HOLIDAY_NOT_DATES: "holiday 20.12.2026 to 3.1.2027",
    Fault.HOLIDAY_BACKWARDS: "holiday 2026-12-20 to 2026-12-19",
    Fault.BLOCK_WITHOUT_COLON: "press",
    Fault.BLOCK_EMPTY: "press:\nend",
    Fault.BLOCK_UNCLOSED: "gm: hello",
}
PLAIN = "From: joe@example.org\nContent-Type: text/plain\n\n{text}"
FORMS = (
    'From: joe@example.org\nContent-Type: multipart/alternative; boundary="b"\n\n'
    "--b\nContent-Type: text/plain\n\n{text}\n--b\nContent-Type: text/html\n\n{html}\n--b--\n"
)
FILE = (
    'From: joe@example.org\nContent-Type: multipart/mixed; boundary="b"\n\n'
    "--b\nContent-Type: text/plain\n\n{text}\n--b\nContent-Type: text/plain\n"
    "Content-Disposition: attachment\n\n{file}\n--b--\n"
)
PROSE = "It has been a long week, and I have much to tell you. " * 5
MAILS = {
    Fault.STRUCK_OUT: FORMS.format(text="A: fold", html="<s>A: fold</s>"),
    Fault.TWO_FORMS: FORMS.format(text="A: raise 40000", html="A: raise 4000<s>0</s>"),
    Fault.ATTACHED: FILE.format(text=PROSE, file="A: fold"),
    Fault.IN_SUBJECT: f"Subject: A: fold\n{PLAIN.format(text=PROSE)}",
}
"""Whole mails, where a fault is no single line's."""

NAMESAKE = "A: give 2C 5D to Cat, 9H previous"
"""What can't be told where both neighbours are called Cat."""
FOR_ALL = ("all: raise lots", "all: stay 5", "all: rais 5", "all: fold?", "all: turn up")
"""Lines for all tables, whose examples stand within the sentence."""

GIVE = "A: give 2C 3C next, 4C previous"
ANN = {"A": {"Ann": "2C 3C 4C 5C 6C 7C 8C"}}
SAMPLE = {"A": {"Ann": "AS AD AH | KC QD", "Bob": "KS KD 9H | 9D 2S"}}


def _give() -> Play:
    return deal(smith(nmr_limit=0), ANN)


def _posted() -> Play:
    play = deal(smith(exchange="post"), ANN)
    for player in play.game.players:
        lowest = play.view(player).due[0].examples[0]
        play.good(player, lowest)
    return play


def _keep() -> Play:
    play = _give()
    play.turn()
    return play


def _bet(**options: Any) -> Play:
    return betting(SAMPLE, rules=smith(nmr_limit=0, **options))


def _capped() -> Play:
    play = _bet(raise_cap=1)
    play.turn(Ann="A: raise 1000")
    return play


def _poor() -> Play:
    play = _bet()
    play.set_balances(Ann=10_000)
    return play


def _expose() -> Play:
    play = _bet()
    play.turn(Ann="A: raise 40000")
    play.turn(Bob="A: stay")
    return play


def _again() -> Play:
    """Return a game whose first bet is played again, and may not be another."""
    play = _bet()
    before = play.game
    play.good("Ann", "A: raise 40000")
    book = play.book
    play.turn()
    play.game, play.book = before, on_file_again(before, book, lambda *_: False)
    return play


def _seen_again(*, exposing: bool) -> Play:
    """Return a game that was taken back to before an exposure, or to the stay before it."""
    play = _bet()
    play.turn(Ann="A: raise 40000")
    before, staying = play.game, play.turn(Bob="A: stay")
    if exposing:
        before = play.game
    exposed = play.turn(Ann="A: expose KC", Bob="A: expose 9D")
    play.game = with_seen(before, [(before.turn, () if exposing else staying), (9, exposed)])
    return play


def _over() -> Play:
    play = _bet()
    play.turn(Ann="A: fold")
    return play


def _showdown() -> Play:
    return showdown(SAMPLE)


def _ahead() -> Play:
    play = _showdown()
    play.turn(Ann="A: raise 5000")
    return play


PLAYED: Mapping[Fault, tuple[Callable[[], Play], str, str]] = {
    Fault.NO_SUCH_TABLE: (_give, "Ann", "D: fold"),
    Fault.HAND_OVER: (_over, "Ann", "A: fold"),
    Fault.OTHER_KIND_DUE: (_give, "Ann", "A: fold"),
    Fault.OTHER_KIND_DUE_FROM_OTHERS: (_bet, "Bob", GIVE),
    Fault.KEEP_MISSING: (_keep, "Ann", "A: expose 5C"),
    Fault.OTHERS_MOVE: (_bet, "Bob", "A: stay"),
    Fault.NO_BET_STAGE: (_give, "Ann", "all: fold"),
    Fault.NO_BET_DUE: (_capped, "Ann", "all: stay"),
    Fault.GIFTS_SENT: (_posted, "Ann", GIVE),
    Fault.STANDS_AS_IT_WAS: (_again, "Ann", "A: fold"),
    Fault.EXPOSURE_SEEN: (lambda: _seen_again(exposing=True), "Ann", "A: expose QD"),
    Fault.EXPOSE_SEEN: (lambda: _seen_again(exposing=False), "Bob", "A: stay expose 2S"),
    Fault.WRONG_GIFTS: (_give, "Ann", "A: give 2C next, 3C 4C previous"),
    Fault.WRONG_NUMBER: (_keep, "Ann", "A: keep 5C 6C 7C expose 5C 6C 7C"),
    Fault.WRONG_EXPOSURE: (_expose, "Ann", "A: expose KC QD"),
    Fault.NOT_HELD: (_give, "Ann", "A: give 2C 3C next, KS previous"),
    Fault.EXPOSED_NOT_KEPT: (_keep, "Ann", "A: keep {five} expose 5C 6C {other}"),
    Fault.RAISE_CAP: (_capped, "Bob", "A: raise 1000"),
    Fault.NOTHING_TO_EQUAL: (_bet, "Ann", "A: stay"),
    Fault.BEHIND_OPPONENT: (_ahead, "Bob", "A: check"),
    Fault.CALL_FIRST: (_showdown, "Ann", "A: call"),
    Fault.BET_BARRED: (_bet, "Ann", "A: call"),
    Fault.OVER_LIMIT: (_bet, "Ann", "A: raise 60000"),
    Fault.UNDER_LIMIT: (_bet, "Ann", "A: raise 10"),
    Fault.NOT_COVERED: (_poor, "Ann", "A: raise 40000"),
    Fault.EXPOSE_NOT_NEXT: (_showdown, "Ann", "A: raise 5000 expose QD"),
    Fault.EXPOSE_NOT_WITH_BET: (_bet, "Ann", "A: fold expose QD"),
    Fault.EXPOSE_WRONG_NUMBER: (_bet, "Ann", "A: raise 5000 expose KC QD"),
    Fault.EXPOSE_NOT_HELD: (_bet, "Ann", "A: raise 5000 expose AS"),
}


def problems() -> Iterator[tuple[str, Problem]]:
    """Yield what was written and the last problem of it, for each fault and then for all tables."""
    for line in LINES.values():
        yield line, _read(line, PLAYER)
    for fault, mail in MAILS.items():
        reading = read_whole(read(mail.encode()), PLAYER, "club")
        yield f"{fault.value}, in a whole mail", _last(reading)
    yield "D: fold, of a player without hands", _read("D: fold", Context({}, {}))
    marked = Problem(Fault.MARKED, NO_FIGURES, ("A: fold",), "A2", ":: A: fold", 1)
    yield marked.line, marked
    yield "A: fold, of an older mail", Problem(Fault.LATER_STANDS, hand="A2", line="A: fold")
    yield NAMESAKE, _read(NAMESAKE, Context({"A": "A2"}, {"A": {"Cat Ash": 1, "Cat Elm": -1}}))
    for line in FOR_ALL:
        yield line, _read(line, PLAYER)
    for begin, player, line in PLAYED.values():
        play = begin()
        held = [str(card) for card in sorted(play.seat(player).hidden)]
        written = line.format(five=" ".join(held[-5:]), other=held[0])
        (problem,) = play.answer(player, written)
        yield written, problem


def _read(text: str, context: Context) -> Problem:
    return _last(read_mail(text, context))


def _last(reading: Reading) -> Problem:
    return Filing("Joe", reading, Book(), TurnFile(Book(), {})).problems[-1]
