"""Tells the GM of mails that could not be read or handled, and when that is over."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta

from postal.errors import PostalError
from postal.service.loading import LoadedGame, load_game
from postal.service.outbound.troubles import end_trouble, note_trouble
from postal.service.turns.unread import hold_ends
from postal.service.workplace import Workplace
from postal.store.rows import GameRow, MailRow, TroubleKind

USUAL = timedelta(hours=24)
"""What ``unread_hours`` is where a mail's game isn't known."""


def tell_unread(work: Workplace, row: MailRow) -> None:
    """Tell the GM, once and once more, of a mail that the server keeps back from us."""
    loaded = game_of(work, row)
    note_trouble(
        work,
        TroubleKind.UNREAD,
        f"{_named(row, loaded)} lies in the mailbox unread. {row.reason}",
        about=about(row),
        advice=(
            "It is tried again at least once an hour, for as long as the server lists it.",
            *_holds(row, loaded),
            (
                f"`postal inbox release {row.id}` tries to read it at once, and `postal inbox"
                f" discard {row.id}` lets it go. A mail program may show it, or move it away."
            ),
        ),
        again=_again(work, row, loaded),
        loaded=loaded,
    )


def tell_failing(work: Workplace, row: MailRow, what: str, *, aside: bool = False) -> None:
    """Tell the GM, once and once more, of a mail that fails when it is handled."""
    loaded = game_of(work, row)
    now = (
        "It is set aside in the folder Quarantine."
        if aside
        else "It is tried again at least once an hour."
    )
    note_trouble(
        work,
        TroubleKind.FAILING,
        f"{_named(row, loaded)} could not be handled ({what}). {now}",
        about=about(row),
        advice=(
            "It did nothing so far, and its sender was told nothing; the log has the details.",
            *_holds(row, loaded),
            (
                f"After a cure, `postal inbox release {row.id}` handles it; `postal inbox discard"
                f" {row.id}` lets it go."
            ),
        ),
        again=timedelta(0) if aside else _again(work, row, loaded),
        loaded=loaded,
    )


def tell_over(work: Workplace, row: MailRow, words: str) -> None:
    """Tell the GM, if he knows of it, that a mail was read and handled, or is gone."""
    for kind in (TroubleKind.UNREAD, TroubleKind.FAILING):
        end_trouble(work, kind, about(row), words)


def about(row: MailRow) -> str:
    """Return what tells the troubles of a mail from those of others."""
    return f"mail {row.id}"


def game_of(work: Workplace, row: MailRow) -> LoadedGame | None:
    """Return the game that a mail bears the token of, None where there is none or it is damaged."""
    with suppress(PostalError), work.database.reading() as session:
        game = session.get(GameRow, row.game_id) if row.game_id else None
        return load_game(session, game) if game else None
    return None


def unread_hours(loaded: LoadedGame | None) -> timedelta:
    """Return how long after a deadline such a mail holds a turn (RULES.md 10.5)."""
    return timedelta(hours=loaded.rules.number("unread_hours")) if loaded else USUAL


def _named(row: MailRow, loaded: LoadedGame | None) -> str:
    sender = f" from {row.sender_key}" if row.sender_key else ""
    game = f" for {loaded.row.slug}" if loaded else ""
    return f"Mail {row.id}{sender}{game}, of {row.internal_date:%d %B %Y at %H:%M} UTC,"


def _holds(row: MailRow, loaded: LoadedGame | None) -> tuple[str, ...]:
    turn = loaded.turn if loaded else None
    if loaded is not None and turn is not None and turn.number == row.turn:
        ends = hold_ends(loaded, row)
        waits = f"Turn {turn.number} of {loaded.row.slug} waits for it at its deadline"
        until = f"until {ends:%d %B %Y at %H:%M} UTC at most"
        return (f"{waits}, {until}; then it goes on, and who wrote it counts as heard of.",)
    if row.raw is None:
        whose = "As its header can't be had either, nobody knows whose it is"
        return (f"{whose}: turns whose orders are missing at their deadline wait for it a day.",)
    return ("It holds no turn.",)


def _again(work: Workplace, row: MailRow, loaded: LoadedGame | None) -> timedelta:
    """Return how long after the first word the second is due: well before the turn goes on."""
    usual = unread_hours(loaded) / 2
    if loaded is None or loaded.turn is None:
        return usual
    left = hold_ends(loaded, row) - work.clock.now()
    return max(min(usual, left / 2), timedelta(0))
