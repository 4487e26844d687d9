"""Mails about who plays: seats that change hands, holidays, standbys and addresses."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Literal

from postal.engine.view import GameView
from postal.reports.contexts import Frame, HolidayFact, PastOrders, Rendered, StandbyStep
from postal.reports.display import long_day, long_time
from postal.reports.public import PublicReports


class PeopleReports(PublicReports):
    """Makes the mails to those who hold a seat, held one or would take one over."""

    def address(
        self, frame: Frame, player: str, address: str, step: Literal["confirm", "asked", "done"]
    ) -> Rendered:
        """Return a mail about a second address: to it, to the registered one, or when it counts."""
        title = "a second address"
        return self._render("address", frame, title, player=player, address=address, step=step)

    def merged(
        self, frame: Frame, player: str, other: str, games: Sequence[str], *, here: bool
    ) -> Rendered:
        """Return the word to a player that the GM takes him and another for one person.

        ``games`` are those that the other plays in; ``here``: the reports of all games go to the
        address of this mail from now on.
        """
        title = "one person in the league"
        return self._render(
            "merged", frame, title, player=player, other=other, games=tuple(games), here=here
        )

    def seat(  # noqa: PLR0913 - each is a part of the mail
        self,
        frame: Frame,
        view: GameView,
        seat: str,
        holder: str,
        *,
        robot: bool = False,
        past: Sequence[PastOrders] | None = None,
    ) -> Rendered:
        """Return the word to a player that somebody else holds a seat from now on, or a robot.

        With ``past``, the orders of the seat that were used so far, the reader is who holds it.
        """
        title = f"you play for {seat}" if past is not None else f"the seat of {seat}"
        return self._render(
            "seat",
            frame,
            title,
            view,
            seat=seat,
            holder=holder,
            robot=robot,
            yours=past is not None,
            past=tuple(past or ()),
        )

    def gone(self, frame: Frame, player: str, seat: str, *, wrote: bool = False) -> Rendered:
        """Return the word to whoever held a seat that he doesn't any more.

        ``wrote``: he has sent a mail for it since.
        """
        title = f"the seat of {seat}"
        return self._render("gone", frame, title, player=player, seat=seat, wrote=wrote)

    def holiday(
        self,
        frame: Frame,
        view: GameView,
        step: Literal["noted", "over", "long", "ended", "none"],
        days: tuple[date, date] | None = None,
        games: Sequence[HolidayFact] = (),
    ) -> Rendered:
        """Return the answer to a player's wish for a holiday, or to have it back.

        ``days`` are its first and its last. ``step``: it is noted, is over already, is too long or
        too far ahead, or holidays were taken back, or there were none.
        """
        told = tuple(map(long_day, days or ()))
        return self._render(
            "holiday", frame, "your holiday", view, step=step, days=told, games=tuple(games)
        )

    def resign(self, frame: Frame, view: GameView, step: Literal["ask", "done"]) -> Rendered:
        """Return the word to a player who resigns: whether he means it, or that it is done."""
        return self._render("resign", frame, "your seat", view, step=step)

    def standby(
        self,
        frame: Frame,
        player: str,
        step: StandbyStep,
        seat: str = "",
        until: datetime | None = None,
    ) -> Rendered:
        """Return a letter to somebody who would take over a seat; ``seat`` is offered ``until``."""
        by = long_time(until, frame.reader_zone) if until else ""
        title = f"will you play for {seat}?" if step == "asked" else "standbys"
        return self._render("standby", frame, title, player=player, step=step, seat=seat, until=by)
