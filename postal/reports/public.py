"""Mails that tell what is public alone: the GM's reports and those of people who look on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from postal.engine.events import Dropped, Event, Nmr
from postal.engine.view import GameView
from postal.reports.bodies import Layout
from postal.reports.build import frame_context, game_context
from postal.reports.contexts import Frame, Rendered
from postal.reports.display import prose
from postal.reports.events import grouped, told
from postal.reports.said import press_contexts
from postal.reports.words import Press


class PublicReports:
    """Renders mails from the templates of some folders, and makes those of what is public."""

    def __init__(self, folders: Sequence[Path]) -> None:
        """Take the folders of templates, the GM's own first and the packed one last."""
        self._layout = Layout(folders)

    def mistakes(self) -> tuple[str, ...]:
        """Return a sentence for each template that can't be compiled; none where all are well."""
        return self._layout.mistakes()

    def own_state(self) -> str:
        """Return what changes whenever one of the GM's own templates does."""
        return self._layout.own_state()

    def observer(  # noqa: PLR0913 - each is a part of the mail
        self,
        frame: Frame,
        view: GameView,
        name: str,
        step: Literal["begun", "report", "off", "removed"],
        events: Sequence[Event] = (),
        press: Sequence[Press] = (),
    ) -> Rendered:
        """Return a mail to somebody who looks on: a turn's public report, or that he gets them.

        ``view`` is an onlooker's. He gets them from now on ("begun"), or no more since he or the GM
        said so.
        """
        if view.viewer is not None:
            raise ValueError("an observer's mail is made from an onlooker's view")
        number = view.turn - 1
        title = f"final report, turn {number}" if view.finished else f"turn {number} report"
        title = {"begun": "you look on", "report": title}.get(step, "you look on no more")
        notes, said = press_contexts(press, None, frame.gm)
        public = [event for event in events if event.seen_by(None)]
        return self._render(
            "observer",
            frame,
            title,
            view,
            reader=name,
            step=step,
            happened=grouped(public, None, {}, double_ace_flush=view.double_ace_flush),
            notes=notes,
            press=said,
        )

    def gm_turn(
        self,
        frame: Frame,
        view: GameView,
        events: Sequence[Event],
        troubles: Sequence[str] = (),
        press: Sequence[Press] = (),
    ) -> Rendered:
        """Return the GM's report of a turn, with who was NMR; ``view`` is an onlooker's.

        ``troubles`` are sentences on what is not well with the post room. Of ``press`` it has what
        is for everybody.
        """
        title = f"GM report, turn {view.turn - 1}{orders_due(frame, view)}"
        return self._for_gm("gm_turn", frame, title, view, events, troubles, press)

    def gm_final(
        self,
        frame: Frame,
        view: GameView,
        events: Sequence[Event],
        troubles: Sequence[str] = (),
        press: Sequence[Press] = (),
    ) -> Rendered:
        """Return the GM's report of the last turn, with the final table."""
        title = f"GM final report, turn {view.turn - 1}"
        return self._for_gm("gm_turn", frame, title, view, events, troubles, press)

    def _for_gm(  # noqa: PLR0913 - each is a part of the mail
        self,
        name: str,
        frame: Frame,
        title: str,
        view: GameView,
        events: Sequence[Event],
        troubles: Sequence[str],
        press: Sequence[Press],
    ) -> Rendered:
        if view.viewer is not None:
            raise ValueError("the GM's report is made from an onlooker's view")
        public = [event for event in events if event.seen_by(None)]
        notes, said = press_contexts(press, None, frame.gm)
        missing = [event for event in public if isinstance(event, Nmr | Dropped)]
        return self._render(
            name,
            frame,
            title,
            view,
            happened=grouped(public, None, {}, double_ace_flush=view.double_ace_flush),
            missing=tuple((event.hand, told(event, None)) for event in missing),
            troubles=tuple(map(prose, troubles)),
            notes=notes,
            press=said,
        )

    def _render(
        self, name: str, frame: Frame, title: str, view: GameView | None = None, **values: object
    ) -> Rendered:
        title = " ".join(title.split())
        given = {"frame": frame_context(frame), "title": title, **values}
        if view is not None:
            given["game"] = game_context(frame, view)
        names = (*(view.players if view is not None else ()), *frame.holders.values())
        made = self._layout.bodies(name, given, names)
        return Rendered(f"{frame.slug}: {title}", made.text, made.html, made.mistakes)


def orders_due(frame: Frame, view: GameView) -> str:
    """Return the end of a subject: the same for everybody, whether or not he owes orders."""
    due = frame_context(frame).deadline_short
    return f", orders due {due}" if due and not view.finished else ""
