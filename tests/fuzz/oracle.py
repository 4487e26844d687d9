"""What must hold of any bytes that come as mail: nothing fails, and no order is made up."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from postal.engine.orders import Bet, Cancel, Discard, Expose, Give, Keep, Line
from postal.engine.words import ALL_TABLES
from postal.mail.gate import refusal
from postal.mail.incoming import Incoming, read
from postal.mail.tokens import candidates
from postal.ordertext import MARKER, Context, Reading, read_mail
from postal.reports import problem_sentence
from postal.service.inbound.reading import read_whole

PLAYER = Context(
    hands={"A": "A2", "B": "B1", "C": "C3"},
    neighbours={table: {"Puke": 1, "Joe": -1} for table in "ABC"},
)
GM = "gm@example.org"
_TOKEN = re.compile(r"[a-z2-7]{16}")
_VERBS = {
    Give: ("give", "next", "left", "prev", "right", "to", "/", "puke", "joe"),
    Keep: ("keep", "expose", "show"),
    Discard: ("discard",),
    Expose: ("expos", "show", "turn"),
    Cancel: ("cancel",),
    "raise": ("raise", "bet", "r"),
}


class FalseReadingError(AssertionError):
    """An order was read that isn't there, or a result makes no sense."""


def check(raw: bytes, own: Sequence[str] | None = None) -> tuple[Incoming, tuple[Reading, ...]]:
    """Read a mail as the league does; FalseReadingError for what must not come of it.

    ``own`` are the canonical lines of the orders that the writer gave, where they are known:
    no others may be read from any of its texts.
    """
    incoming = read(raw)
    _check_incoming(incoming)
    readings = tuple(read_mail(text, PLAYER) for text in incoming.texts)
    _check_whole(read_whole(incoming, PLAYER, "club"), readings)
    for text, reading in zip(incoming.texts, readings, strict=True):
        _check_reading(text, reading)
        if own is not None:
            extra = Counter(line.order.line() for line in reading.lines) - Counter(own)
            require(not extra, f"orders that nobody gave: {sorted(extra)}")
    return incoming, readings


def orders(readings: Sequence[Reading]) -> list[str]:
    """Return the orders that a mail gives, as canonical lines, by the first text that gives any."""
    found = (reading for reading in readings if reading.lines or reading.commands)
    return [line.order.line() for reading in found for line in reading.lines][:1000]


def require(held: object, what: str) -> None:
    """Raise FalseReadingError where something doesn't hold."""
    if not held:
        raise FalseReadingError(what)


def _check_incoming(incoming: Incoming) -> None:
    for address in (*incoming.senders, *incoming.recipients):
        require("@" in address and "\n" not in address, f"no address: {address!r}")
    require(incoming.subject.isprintable() and len(incoming.subject) <= 300, "an odd Subject")
    require(bool(incoming.texts) != bool(incoming.unreadable), "neither texts nor a reason")
    require(all("\0" not in text for text in incoming.texts), "a NUL in a text")
    for values in incoming.headers.values():
        require(not any(set(value) & set("\r\n\0") for value in values), "a header of two lines")
    require(incoming.date is None or incoming.date.tzinfo, "a naive Date")
    found = candidates(incoming)
    require(len(found) <= 20 and all(map(_TOKEN.fullmatch, found)), "odd tokens")
    reason = refusal(incoming, (GM,))
    require(reason is None or reason, "a refusal without a reason")
    require(reason or len(incoming.senders) == 1, "an answer though From names not just one")


def _check_whole(whole: Reading, readings: Sequence[Reading]) -> None:
    """Check that a whole mail orders nothing that the text which counts doesn't."""
    for problem in whole.problems:
        require(problem_sentence(problem), "a problem without a sentence")
    counting = next((one for one in readings if one.lines or one.commands), None)
    if counting:
        require(set(whole.lines) <= set(counting.lines), "an order that the text has not")


def _check_reading(text: str, reading: Reading) -> None:
    rows = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    marker = next((n for n, row in enumerate(rows, 1) if row.strip() == MARKER), len(rows))
    for line in reading.lines:
        require(line.number <= marker, "an order below the marker")
        _check_order(rows[line.number - 1], line)
    for problem in reading.problems:
        require(problem_sentence(problem) and problem.number > 0, "a problem without a sentence")


def _check_order(row: str, line: Line) -> None:
    """Check that an order's words stand in its row, by other means than the reader's own."""
    require(len(row) <= 500, "an order in a row that is too long")
    plain = _plain(row)
    require(_plain(line.text) in plain, f"{line.text!r} doesn't stand in its row")
    require(not plain.lstrip().startswith((">", "|", "::")), "an order in a quoted row")
    words = _plain(line.text)
    order = line.order
    if order.table != ALL_TABLES:
        require(order.table.casefold() in words, f"no table {order.table} in {words!r}")
    verbs = _VERBS.get(order.verb if isinstance(order, Bet) else type(order), ())
    verbs = verbs or (order.verb,) if isinstance(order, Bet) else verbs
    require(any(verb in words for verb in verbs), f"no verb of {order.line()!r} in {words!r}")
    if isinstance(order, Bet) and order.amount:
        digits = str(order.amount).rstrip("0")
        require(digits in re.sub(r"[^0-9]", "", words), f"{order.amount} isn't in {words!r}")
    again = [one.order for one in read_mail(order.line(), PLAYER).lines]
    require(again == [order], f"{order.line()!r} doesn't read back")


def _plain(text: str) -> str:
    kept = (char for char in text if unicodedata.category(char) not in ("Cf", "Mn", "Me"))
    return " ".join(unicodedata.normalize("NFKC", "".join(kept)).casefold().split())
