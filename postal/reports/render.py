"""Every mail that the program sends, rendered: subject, complete text and plain HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Literal

from postal.engine.editions import NEWEST, Rulings, rulings
from postal.engine.events import Event
from postal.engine.rules import STANDARD_OPTIONS, STANDARD_WORDS
from postal.engine.state import Passed
from postal.engine.view import GameView
from postal.reports.contexts import (
    Frame,
    OptionFact,
    PassedContext,
    ReceiptFacts,
    Rendered,
)
from postal.reports.display import long_time, prose, sorted_faces
from postal.reports.events import grouped
from postal.reports.missed import absent_sentence
from postal.reports.people import PeopleReports
from postal.reports.public import orders_due
from postal.reports.receipts import receipt_context
from postal.reports.said import press_contexts, said_sentence
from postal.reports.words import Press, Said
from postal.reports.wrapping import quoted

_NEWEST = rulings(NEWEST)


class Reports(PeopleReports):
    """Renders mails from the templates of some folders.

    A mail for which the GM's own templates fail is made from the packed ones, and says what is
    wrong with his. No mail tells anything that is not in the view and the facts it is made from
    (RULES.md 10.3).
    """

    def report(  # noqa: PLR0913 - each is a part of the mail
        self,
        frame: Frame,
        view: GameView,
        events: Sequence[Event] = (),
        *,
        heard: bool = False,
        secret: str = "",
        looks: Sequence[datetime] = (),
        press: Sequence[Press] = (),
    ) -> Rendered:
        """Return a player's mail of a turn: welcome, turn report or, at the end, the final one.

        ``view`` is the game after the turn, ``events`` what happened in it (what the viewer may
        not know is left out), ``heard`` whether a line of his came in the turn, ``secret`` the
        deal's in hex: printed at the end, where all cards are opened (10.4), and never before.
        ``looks`` are the times (aware UTC) at which the GM looked at hidden things in play.
        ``press`` is all that is said in the turn's reports: what is not for the viewer is left out.
        """
        kind = "final" if view.finished else "turn" if view.turn > 1 else "welcome"
        title = {
            "welcome": "welcome",
            "turn": f"turn {view.turn - 1} report",
            "final": f"final report, turn {view.turn - 1}",
        }[kind]
        notes, said = press_contexts(press, view.viewer, frame.gm)
        return self._render(
            "report",
            frame,
            f"{title}{orders_due(frame, view)}",
            view,
            kind=kind,
            happened=grouped(
                events,
                view.viewer,
                _own_hands(view),
                heard=heard,
                double_ace_flush=view.double_ace_flush,
            ),
            absent=absent_sentence(events, view),
            secret=secret if view.opened else "",
            looks=tuple(long_time(one, frame.zone) for one in looks) if view.finished else (),
            notes=notes,
            press=said,
        )

    def receipt(self, frame: Frame, view: GameView, facts: ReceiptFacts) -> Rendered:
        """Return the answer to a mail with orders (ORDERS.md, "The receipt")."""
        title = f"receipt, turn {view.turn}"
        if facts.by_gm:
            title = f"orders that the GM has put in for you, turn {view.turn}"
        return self._render(
            "receipt",
            frame,
            title,
            view,
            receipt=receipt_context(facts, frame.reader_zone, frame.gm),
        )

    def orders_on_file(self, frame: Frame, view: GameView, facts: ReceiptFacts) -> Rendered:
        """Return the answer to ``orders``: what is on file."""
        title = f"orders on file, turn {view.turn}"
        return self._render(
            "orders", frame, title, view, receipt=receipt_context(facts, frame.reader_zone)
        )

    def status(self, frame: Frame, view: GameView) -> Rendered:
        """Return the answer to ``status``: the public state, and the player's own cards."""
        return self._render("status", frame, f"status, turn {view.turn}", view)

    def rules(
        self, frame: Frame, options: Sequence[OptionFact], ruling: Rulings = _NEWEST
    ) -> Rendered:
        """Return the rules for players, with the options and rulings as this game has them."""
        # What came after a game's edition is not told to its players, and not defined here.
        usual = {
            name: value for name, value in STANDARD_OPTIONS.items() if name not in STANDARD_WORDS
        }
        values = {**usual, **{option.name: option.value for option in options}}
        told_options = tuple(
            OptionFact(option.name, option.value, prose(option.says)) for option in options
        )
        return self._render(
            "rules", frame, "the rules", options=told_options, option=values, ruling=ruling
        )

    def help(self, frame: Frame) -> Rendered:
        """Return how to write orders, and the commands."""
        return self._render("help", frame, "how to write orders")

    def late(  # noqa: PLR0913 - each is a part of what is told
        self,
        frame: Frame,
        view: GameView,
        turn_named: int,
        *,
        until: datetime | None = None,
        said: Sequence[Said] = (),
        void: bool = False,
    ) -> Rendered:
        """Return the answer to mail for a turn that is over, or not begun: nothing was ordered.

        ``until`` (aware UTC) makes it the one answer to all such mails up to then. Once the game is
        over it says who won. ``said`` is what became of words to others. ``void``: the turn was
        taken back (RULES.md 10.7).
        """
        early = turn_named > view.turn
        title = f"turn {turn_named} has not begun" if early else f"too late for turn {turn_named}"
        if void:
            title = f"turn {turn_named} was taken back"
        winners = [name for place, name, _ in view.standings if place == 1]
        return self._render(
            "late",
            frame,
            "the game is over" if view.finished else title,
            view,
            turn_named=turn_named,
            until=long_time(until, frame.reader_zone) if until else "",
            winners=["you" if name == view.viewer else name for name in winners],
            said=tuple(said_sentence(one, frame.gm, frame.reader_zone) for one in said),
            void=void,
        )

    def hint(self, frame: Frame) -> Rendered:
        """Return how to answer, for a known player whose mail bore no valid token."""
        return self._render("hint", frame, "please answer a report")

    def held(self, frame: Frame, doubt: Literal["server", "player"]) -> Rendered:
        """Return the word to a player that a mail in his name was doubted and not taken.

        ``doubt``: the receiving server's, or it came from another player's address.
        """
        return self._render("held", frame, "a mail in your name is held", doubt=doubt)

    def refused(self, frame: Frame, slip: Literal["senders", "bulk", "envelope"]) -> Rendered:
        """Return the word to a player that a mail with his orders was no player's by its form.

        ``slip``: it names no one sender, is marked as sent to many, or has no address to return to.
        """
        return self._render("refused", frame, "a mail of yours was not taken", slip=slip)

    def too_long(self, frame: Frame) -> Rendered:
        """Return the answer to a mail that is too long to be read."""
        return self._render("too_long", frame, "your mail is too long")

    def unreadable(self, frame: Frame, reason: str) -> Rendered:
        """Return the answer to a mail without readable text; ``reason`` is one sentence."""
        return self._render(
            "unreadable", frame, "your mail could not be read", reason=prose(reason)
        )

    def reminder(self, frame: Frame, view: GameView, missing: Sequence[str]) -> Rendered:
        """Return the word to a player that his orders are missing in some hands, with their lines.

        It asks for those alone, whatever else is due and on file.
        """
        owed = replace(view, due=tuple(item for item in view.due if item.hand in missing))
        title = f"reminder, turn {view.turn}{orders_due(frame, view)}"
        return self._render("reminder", frame, title, owed, missing=tuple(missing))

    def zone(self, frame: Frame, view: GameView, *, known: bool) -> Rendered:
        """Return the answer to ``zone``: times are told in the frame's own zone from now on.

        ``known``: there is a zone of the name that was asked for; else nothing was changed.
        """
        return self._render("zone", frame, "your time zone", view, known=known)

    def gift(self, frame: Frame, view: GameView, gifts: Sequence[tuple[str, Passed]]) -> Rendered:
        """Return the mail that brings cards by post, as (table, gift) (RULES.md 2.4)."""
        came = tuple(
            (table, PassedContext(gift.player, sorted_faces(gift.cards))) for table, gift in gifts
        )
        return self._render("gift", frame, f"cards by post, turn {view.turn}", view, gifts=came)

    def hold(
        self,
        frame: Frame,
        view: GameView,
        step: Literal["begun", "protest", "over", "restored"],
        *,
        protests: int = 0,
    ) -> Rendered:
        """Return the word to a player that a game's clock is stopped, or goes on.

        The GM stops it, or a ``protest``, which is nobody's as far as this tells (RULES.md 10.8).
        ``restored``: it was put back from a backup, and is on hold since. Of so many ``protests``
        none is open any more.
        """
        title = {
            "begun": "on hold",
            "protest": "a protest",
            "over": f"goes on{orders_due(frame, view)}",
            "restored": "put back from a backup, on hold",
        }[step]
        return self._render("hold", frame, title, view, step=step, protests=protests)

    def rolled_back(self, frame: Frame, view: GameView, facts: ReceiptFacts, last: int) -> Rendered:
        """Return the word to a player that turns were taken back (RULES.md 10.7).

        ``view`` is the game at the turn that is played again, ``facts`` what is on file in it for
        the player from its start, and ``last`` the last turn that no longer counts.
        """
        return self._render(
            "rollback",
            frame,
            f"turn {view.turn} is played again{orders_due(frame, view)}",
            view,
            receipt=receipt_context(facts, frame.reader_zone),
            last=last,
        )

    def abandoned(
        self, frame: Frame, view: GameView, words: str = "", said: Sequence[Said] = ()
    ) -> Rendered:
        """Return the word to a player that the GM has given a game up, with the GM's own words.

        ``said`` is what became of the reader's words to others, where this answers them.
        """
        sentences = tuple(said_sentence(one, frame.gm, frame.reader_zone) for one in said)
        return self._render(
            "abandoned", frame, "given up", view, words=_pieces(words), said=sentences
        )

    def message(self, frame: Frame, view: GameView, words: str, *, alone: bool) -> Rendered:
        """Return the GM's words to a player; ``alone``: to him and to nobody else."""
        title = f"a word from {frame.gm}"
        return self._render("message", frame, title, view, words=_pieces(words), alone=alone)

    def deadline(
        self,
        frame: Frame,
        view: GameView,
        before: datetime,
        why: Literal["outgoing", "unreached", "first", "zone", "outage", "gm", "holiday"],
        *,
        yours: bool = False,
    ) -> Rendered:
        """Return the word to a player that a deadline was moved; the frame has the new one.

        ``before`` (aware UTC) is the deadline as it was last told; ``why``: the reports could not
        be sent, or somebody, who is never named, was not reached (RULES.md 9.7, 10.5) or never
        heard of, or clocks go by new rules, or it lay in an outage, or the GM says so, or somebody,
        never named either, is on holiday. ``yours``: the reader is the one never heard of.
        """
        # By the new rules the earlier time would read as it never did.
        told_in = "UTC" if why == "zone" else frame.reader_zone
        return self._render(
            "deadline",
            frame,
            f"the deadline of turn {view.turn} is moved{orders_due(frame, view)}",
            view,
            before=long_time(before, told_in),
            why=why,
            yours=yours,
            zone=frame.zone,
        )

    def gm_notice(
        self, frame: Frame, subject: str, sentences: Sequence[str], words: str = ""
    ) -> Rendered:
        """Return a notice to the GM: sentences, and another person's words where there are any."""
        return self._render(
            "gm_notice",
            frame,
            subject,
            sentences=tuple(map(prose, sentences)),
            words=_pieces(words),
        )


def _pieces(words: str) -> tuple[str, ...]:
    """Return another person's words in lines that are printed behind a mark of their own."""
    return tuple(piece for line in words.splitlines() for piece in quoted(line))


def _own_hands(view: GameView) -> dict[str, str]:
    return {table.letter: hand.name for table, hand, _ in view.mine()}
