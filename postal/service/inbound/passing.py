"""Passes a player's words on to the GM: never a token, never an attachment, five mails a day."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial

from sqlmodel import Session

from postal.engine.problems import Fault
from postal.mail.disguises import struck_out
from postal.ordertext import Reading, own_words
from postal.reports import Said, shown_name
from postal.reports.display import counted
from postal.service.inbound.case import SeatCase
from postal.service.outbound.letters import recipient_of
from postal.store.rows import JournalRow
from postal.store.tokens import tokens_among
from postal.store.words import count_noted, last_noted

Change = Callable[[Session], object]

MOST_A_DAY = 5
"""How many mails of a player are passed on within a day; the GM is told that there are more."""

MOST_WORDS = 4_000

_A_SIGNATURE = 30
"""Characters beside an order gone wrong that are a name or a phone's line, no words to anybody."""

_PASSED_ON, _KEPT_BACK = "passed-on", "kept-back"
_DAY = timedelta(days=1)


def plain_words(case: SeatCase, reading: Reading) -> str | None:
    """Return what a mail without order and command says above all quoting, None where nothing.

    It is empty where all that it says stands below a quote. What was meant as an order and isn't
    one is left out: its writer is answered that, and his cards are nobody's business.
    """
    if reading.lines or reading.commands:
        return None
    wrong = [one for one in reading.problems if one.fault is not Fault.QUESTION]
    asks = bool(reading.problems) and not wrong
    least = _A_SIGNATURE if reading.problems and not case.loaded.game.finished else 0
    if not asks and reading.prose <= least:
        return None
    orders = [*(one.line for one in wrong), *(text for _, text in reading.cut)]
    owned = (_without(own_words(text), orders) for text in case.incoming.texts)
    return next((own for own in owned if own.strip()), "")


def clean(case: SeatCase, words: str) -> str:
    """Return words without any token, and no more of them than is passed on."""
    # Cut after that, lest most of a token is left at the end.
    words = struck_out(words.strip()[: 2 * MOST_WORDS], partial(tokens_among, case.session))
    return words[:MOST_WORDS]


def pass_on(case: SeatCase, words: str) -> tuple[Said, tuple[Change, ...]]:
    """Send the GM a player's words; return what became of them, and what is to be noted."""
    session, loaded, now = case.session, case.loaded, case.work.clock.now()
    seat = case.seat.name
    if count_noted(session, loaded.id, seat, _PASSED_ON, since=now - _DAY) >= MOST_A_DAY:
        return _keep_back(case)
    last = last_noted(session, loaded.id, seat, _PASSED_ON)
    kept = count_noted(session, loaded.id, seat, _KEPT_BACK, after=last.id or 0) if last else 0
    name = writer(case)
    sentences = [f"This is from {name}. Answer this mail, and your answer goes to them directly."]
    if not words.strip():
        sentences.append("What they wrote stands below a quote and is not repeated here.")
    if len(words.strip()) > MOST_WORDS:
        sentences.append(f"Only the first {MOST_WORDS:,} characters are repeated here.")
    if case.incoming.files_unread:
        sentences.append("Something is attached to it, which is not passed on.")
    if kept:
        sentences.append(
            f"{counted(kept, 'earlier mail')} of theirs came above {MOST_A_DAY} a day:"
            " see `postal inbox list`."
        )
    sentences.append(f"`postal inbox show {case.row.id}` shows the whole mail.")
    tell_gm(case, f"a word from {name}", sentences, words)
    return Said("passed-on"), (noted(case, _PASSED_ON, f"Mail {case.row.id} went to the GM."),)


def tell_gm(case: SeatCase, subject: str, sentences: list[str], words: str) -> None:
    """Write to the GM with a player's words, so that an answer goes to the player directly."""
    to = recipient_of(case.seat, case.incoming)
    case.letters.notify_gm(
        subject, sentences, case.loaded, words=clean(case, words), answer_to=(writer(case), to)
    )


def writer(case: SeatCase) -> str:
    """Return the name that a player is called by to the GM."""
    return shown_name(case.seat.name, case.loaded.holders)


def noted(case: SeatCase, what: str, sentence: str) -> Change:
    """Return the change that puts what a player's mail did into the game's journal."""
    turn = case.loaded.turn
    at, who, game_id = case.work.clock.now(), case.seat.name, case.loaded.id
    number = turn.number if turn else None

    def change(session: Session) -> None:
        session.add(
            JournalRow(at=at, game_id=game_id, turn=number, who=who, what=what, sentence=sentence)
        )

    return change


def _without(words: str, orders: Sequence[str]) -> str:
    """Return words without the lines that hold what was meant as an order."""
    texts = [" ".join(one.split()) for one in orders if one.strip()]
    kept = [
        line
        for line in words.splitlines()
        if not any(text in " ".join(line.split()) for text in texts)
    ]
    return "\n".join(kept)


def _keep_back(case: SeatCase) -> tuple[Said, tuple[Change, ...]]:
    """Leave a mail where it lies, and tell the GM of the first of such."""
    session, game_id, seat = case.session, case.loaded.id, case.seat.name
    last = last_noted(session, game_id, seat, _PASSED_ON)
    if not count_noted(session, game_id, seat, _KEPT_BACK, after=last.id or 0 if last else 0):
        sentences = (
            f"{MOST_A_DAY} mails from {writer(case)} went on to you within a day, and more came.",
            "They are counted and not passed on: `postal inbox list` shows them.",
        )
        case.letters.notify_gm("more mail than is passed on", sentences, case.loaded)
    said = Said("kept-back", limit=MOST_A_DAY)
    return said, (noted(case, _KEPT_BACK, f"Mail {case.row.id} was not passed on."),)
