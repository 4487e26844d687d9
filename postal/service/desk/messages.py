"""The GM's own words to players (``postal message``), and giving a game up (``game abandon``)."""

from __future__ import annotations

from functools import partial

from sqlmodel import Session

from postal.engine.view import view
from postal.errors import PostalError, UsageError
from postal.mail.disguises import struck_out
from postal.reports.display import counted
from postal.reports.said import MOST_CHARACTERS, MOST_LINES, fits
from postal.service.loading import LoadedGame, find_game, load_game
from postal.service.outbound.kinds import LetterKind
from postal.service.outbound.letters import Letter, Letters
from postal.service.overtaken import OvertakenError, until_written
from postal.service.workplace import Workplace
from postal.store.rows import GameRow, GameStatus, JournalRow, PressRow, TurnStatus, fold
from postal.store.tokens import tokens_among
from postal.store.turns import close_turn
from postal.store.words import end_protests, take_press_back, waiting_press

MOST_WORDS = 4_000
"""The most characters of one message."""


def message(
    work: Workplace,
    slug: str,
    words: str,
    player: str | None = None,
    *,
    with_report: bool = False,
) -> int:
    """Mail the GM's words to all players of a game, or to one; return to how many.

    ``with_report``: they stand at the head of the next turn's report instead. Nobody learns what
    was written to another. Raises PostalError for a player who isn't there.
    """
    given = _checked(words)
    if with_report:
        return _with_report(work, slug, given, player)

    def deed() -> int:
        with work.database.reading() as session:
            loaded = load_game(session, find_game(session, slug))
            seats = [one for one in loaded.seats if player is None or _is(loaded, one.name, player)]
            if not seats:
                raise PostalError(f"There is no player {player!r} in {slug}.")
            text = _clean(session, given)
            letters, sent = Letters(session, work), 0
            for seat in seats:
                seen = view(loaded.game, seat.name)
                frame = letters.frame(loaded, seat)
                rendered = work.reports.message(frame, seen, text, alone=player is not None)
                letter = Letter(LetterKind.MESSAGE, rendered, loaded.game.turn)
                sent += letters.to_player(loaded, seat, letter)
        to = f"to {seats[0].name}" if player else "to all"
        with work.database.transaction() as session:
            session.add(_entry(work, loaded, "message", f"The GM wrote {to}: {text}"))
            letters.queue(session)
        return sent

    return until_written(deed)


def cancel_words(work: Workplace, slug: str) -> int:
    """Take back what the GM wrote for a game's next report; return how many texts that were."""

    def deed() -> int:
        with work.database.transaction() as session:
            loaded = load_game(session, find_game(session, slug))
            rows = [row for row in waiting_press(session, loaded.id) if row.seat_id is None]
            if not take_press_back(session, [row.id or 0 for row in rows]):
                raise OvertakenError
            if rows:
                said = f"Taken back: {counted(len(rows), 'message')} for the next report."
                session.add(_entry(work, loaded, "message", said))
            return len(rows)

    return until_written(deed)


def _with_report(work: Workplace, slug: str, given: str, player: str | None) -> int:
    with work.database.transaction() as session:
        loaded = load_game(session, find_game(session, slug))
        if loaded.row.status is not GameStatus.RUNNING:
            raise PostalError(f"{slug} is over: there is no further report.")
        to = [one.name for one in loaded.seats if player and _is(loaded, one.name, player)]
        if player and not to:
            raise PostalError(f"There is no player {player!r} in {slug}.")
        text = _clean(session, given)
        waiting = [row for row in waiting_press(session, loaded.id) if row.seat_id is None]
        if not fits([*(row.text for row in waiting), text]):
            raise UsageError(
                f"That is too long for a report: {MOST_CHARACTERS:,} characters and {MOST_LINES}"
                " short lines are the most, with what you wrote for it before. Leave out"
                " --with-report to send it as a mail of its own."
            )
        now = work.clock.now()
        session.add(PressRow(game_id=loaded.id, to="\n".join(to), text=text, at=now))
        whom = f"to {to[0]}" if to else "to all"
        said = f"The GM wrote {whom}, for the next report: {text}"
        session.add(_entry(work, loaded, "message", said))
        return len(to) or len(loaded.seats)


def abandon(work: Workplace, slug: str, words: str = "") -> None:
    """Give a game up: nothing more is adjudicated, and all are told, with the GM's words.

    PostalError where it is over already. What was stored stays.
    """
    given = _checked(words) if words else ""
    until_written(lambda: _abandon(work, slug, given))


def _abandon(work: Workplace, slug: str, given: str) -> None:
    now = work.clock.now()
    with work.database.reading() as session:
        loaded = load_game(session, find_game(session, slug))
        if loaded.row.status is not GameStatus.RUNNING:
            raise PostalError(f"{slug} is over already: nothing was done.")
        text, letters = _clean(session, given), Letters(session, work)
        for seat in loaded.seats:
            seen = view(loaded.game, seat.name)
            rendered = work.reports.abandoned(letters.frame(loaded, seat), seen, text)
            letters.to_player(
                loaded, seat, Letter(LetterKind.ABANDONED, rendered, loaded.game.turn)
            )
    with work.database.transaction() as session:
        row = session.get(GameRow, loaded.id, with_for_update=True)
        assert row is not None, "games are never deleted"
        turn = loaded.turn
        aside = turn is None or turn.status is TurnStatus.SET_ASIDE
        if turn is not None and not aside and not close_turn(session, turn):
            raise OvertakenError
        row.status, row.ended_at = GameStatus.ABANDONED, now
        row.hold_since = row.hold_until = None
        end_protests(session, loaded.id, now)
        session.add(_entry(work, loaded, "abandon", "Given up by the GM."))
        letters.queue(session)


def _is(loaded: LoadedGame, seat: str, named: str) -> bool:
    """Whether somebody means a seat, by its own name or its holder's."""
    return fold(named) in (fold(seat), fold(loaded.holders.get(seat, seat)))


def _checked(words: str) -> str:
    text = words.strip()
    if not text:
        raise UsageError("There is nothing to say: write the text behind the game's name.")
    if len(text) > MOST_WORDS:
        raise UsageError(f"The text is too long: {MOST_WORDS} characters are the most.")
    return text


def _clean(session: Session, words: str) -> str:
    """Return words without the token of anybody, which a mail that was pasted in may hold."""
    return struck_out(words, partial(tokens_among, session))


def _entry(work: Workplace, loaded: LoadedGame, what: str, said: str) -> JournalRow:
    turn = loaded.turn.number if loaded.turn else None
    return JournalRow(
        at=work.clock.now(), game_id=loaded.id, turn=turn, who="GM", what=what, sentence=said
    )
