"""Tells the GM once of what is not well, and once when it is over, however often it is met with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from sqlmodel import Session

from postal.reports import time_left
from postal.service.loading import LoadedGame
from postal.service.outbound.letters import TEMPLATE_FAILS, Letters
from postal.service.workplace import Workplace
from postal.store.rows import TroubleKind, TroubleRow
from postal.store.troubles import (
    begin_trouble,
    count_telling,
    end_trouble_row,
    open_trouble,
    open_troubles,
)

SUBJECTS = {
    TroubleKind.MAILBOX: "the mailbox can't be read",
    TroubleKind.SENDING: "no mail can be sent",
    TroubleKind.UNREAD: "the mail server doesn't hand over a mail",
    TroubleKind.FAILING: "a mail can't be handled",
    TroubleKind.TEMPLATE: TEMPLATE_FAILS,
    TroubleKind.ASIDE: "a game is set aside",
    TroubleKind.HELD: "a turn is held at its deadline",
    TroubleKind.UNREACHED: "a player was not reached",
    TroubleKind.CLOCK: "the clock of this computer can't be right",
}
"""What the mail to the GM is about, by the kind of trouble."""


def note_trouble(  # noqa: PLR0913 - each is a part of what is noted, named at the call
    work: Workplace,
    kind: TroubleKind,
    sentence: str,
    *,
    about: str = "",
    advice: Sequence[str] = (),
    after: timedelta = timedelta(0),
    again: timedelta | None = None,
    loaded: LoadedGame | None = None,
    since: datetime | None = None,
    together: Callable[[Session], bool] | None = None,
) -> None:
    """Note that something is not well, and mail the GM once when it has lasted for ``after``.

    ``sentence`` says what, and ``advice`` what to do; neither holds a secret. ``about`` tells it
    from others of its kind. ``again``: he is told a second time so long after the first. Where the
    same is noted in the same words, nothing is written. ``together`` is done in the same
    transaction; where it gives False, nothing is noted.
    """
    now = work.clock.now()
    with work.database.reading() as session:
        row = open_trouble(session, kind, about)
    begun = row.since if row else since or now
    due = _to_tell(row, begun, now, after, again)
    if row is not None and row.sentence == sentence and not due and together is None:
        return
    letters: Letters | None = None
    if due:
        with work.database.reading() as session:
            letters = Letters(session, work)
            letters.notify_gm(SUBJECTS[kind], (sentence, *advice), loaded)
    with work.database.transaction() as session:
        if together is not None and not together(session):
            return
        game_id = loaded.id if loaded else None
        stored = begin_trouble(
            session,
            TroubleRow(kind=kind, about=about, game_id=game_id, since=begun, sentence=sentence),
        )
        session.flush()
        if letters and count_telling(session, stored.id or 0, row.told if row else 0, now):
            letters.queue(session)


def end_trouble(work: Workplace, kind: TroubleKind, about: str = "", words: str = "") -> bool:
    """Note that something is well again; the GM is mailed if he had been told. Whether it was not.

    ``words`` is a sentence on how it ended.
    """
    with work.database.reading() as session:
        row = open_trouble(session, kind, about)
        if row is None:
            return False
        letters = Letters(session, work)
        if row.told:
            lasted = time_left(work.clock.now() - row.since) or "less than a minute"
            over = f"It is over, after {lasted}: {SUBJECTS[kind]}."
            letters.notify_gm(
                f"it is over: {SUBJECTS[kind]}", (over, row.sentence, *((words,) if words else ()))
            )
    with work.database.transaction() as session:
        if end_trouble_row(session, row.id or 0, work.clock.now()):
            letters.queue(session)
    return True


def trouble_sentences(session: Session, game_id: int | None = None) -> tuple[str, ...]:
    """Return a sentence for each trouble that lasts, for a report to the GM."""
    return tuple(row.sentence for row in open_troubles(session, game_id))


def _to_tell(
    row: TroubleRow | None,
    begun: datetime,
    now: datetime,
    after: timedelta,
    again: timedelta | None,
) -> bool:
    if row is None or not row.told:
        return now - begun >= after
    last = row.told_at or row.since
    return again is not None and row.told == 1 and now - last >= again
