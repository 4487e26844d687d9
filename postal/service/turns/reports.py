"""A player's mail of a turn: made when the turn is adjudicated, and made again on demand."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from postal.engine.book import Book
from postal.engine.events import Event
from postal.engine.view import view
from postal.mail.incoming import Incoming
from postal.reports import Press, Rendered
from postal.service.loading import LoadedGame
from postal.service.outbound.kinds import LetterKind
from postal.service.outbound.letters import Letter, Letters
from postal.service.outbound.troubles import trouble_sentences
from postal.service.turns.observers import write_to_observers
from postal.store.codec import decode_book, decode_events
from postal.store.holders import held_since
from postal.store.rows import PressRow
from postal.store.seats import HeldSeat
from postal.store.troubles import looks_at
from postal.store.turns import evidence_of
from postal.store.words import printed_press


def write_reports(  # noqa: PLR0913 - what was, what is, and what is on file
    letters: Letters,
    loaded: LoadedGame,
    events: Sequence[Event],
    turn: int,
    heard: Collection[str] = (),
    book: Book | None = None,
    press: Sequence[PressRow] = (),
) -> None:
    """Write to everybody of a turn: each player the one report that he gets of it, and the GM.

    It is the welcome after the deal and the final report when all is over (10.4). ``heard`` names
    those of whom a line came in the turn, ``book`` is what is on file in the next from its start,
    and ``press`` what is said in the reports.
    """
    finished = loaded.game.finished
    kind = LetterKind.FINAL if finished else LetterKind.REPORT if turn else LetterKind.WELCOME
    said = _press(loaded, press)
    for seat in loaded.seats:
        heard_of, words = seat.name in heard, _press_for(letters, loaded, seat, press)
        rendered = _report(letters, loaded, seat, events, words, book, heard=heard_of)
        letters.to_player(loaded, seat, Letter(kind, rendered, turn))
    if turn:
        write_to_observers(letters, loaded, events, said)
    reports = letters.work.reports
    gm_report = reports.gm_final if finished else reports.gm_turn
    rendered = gm_report(
        letters.frame(loaded),
        view(loaded.game, None),
        events,
        trouble_sentences(letters.session, loaded.id),
        said,
    )
    letters.to_gm(rendered, loaded, turn)


def write_report_again(
    letters: Letters,
    loaded: LoadedGame,
    seat: HeldSeat,
    answers: Incoming | None = None,
    book: Book | None = None,
) -> None:
    """Write a player's last report anew, with a Message-ID and a token of its own time.

    Mail programs hide a second mail with the Message-ID of the first, and a token may have
    been revoked since. With the turn's ``book`` it tells of the cards that came by post too.
    """
    done = loaded.done.id or 0 if loaded.done else 0
    orders, stored = evidence_of(letters.session, done)
    events = decode_events(stored) if stored else ()
    heard = bool(orders) and seat.name in decode_book(orders).heard
    press = _press_for(letters, loaded, seat, printed_press(letters.session, loaded.id, done))
    rendered = _report(letters, loaded, seat, events, press, book, heard=heard)
    letter = Letter(LetterKind.RESEND, rendered, loaded.game.turn - 1, answers=answers)
    letters.to_player(loaded, seat, letter)


def _report(  # noqa: PLR0913 - what was, what is, and whose it is
    letters: Letters,
    loaded: LoadedGame,
    seat: HeldSeat,
    events: Sequence[Event],
    press: Sequence[Press],
    book: Book | None = None,
    *,
    heard: bool = False,
) -> Rendered:
    seen = view(loaded.game, seat.name, book)
    secret = loaded.row.secret.hex() if seen.opened else ""
    looks = looks_at(letters.session, loaded.id) if seen.finished else ()
    return letters.work.reports.report(
        letters.frame(loaded, seat),
        seen,
        events,
        heard=heard,
        secret=secret,
        looks=looks,
        press=press,
    )


def _press_for(
    letters: Letters, loaded: LoadedGame, seat: HeldSeat, rows: Sequence[PressRow]
) -> tuple[Press, ...]:
    """Return what press a seat's report has: nothing private of before its holder had it.

    What was said to, or by, whoever held it then was theirs alone.
    """
    if not rows:
        return ()
    since = held_since(letters.session, seat.id, seat.person.id)
    earlier = {row.id for row in rows if since is None or row.at < since}
    kept = [row for row in rows if row.id not in earlier or not row.to]
    return _press(loaded, kept, {row.id for row in kept if row.seat_id == seat.id} & earlier)


def _press(
    loaded: LoadedGame, rows: Sequence[PressRow], before: Collection[int | None] = ()
) -> tuple[Press, ...]:
    """Return rows of press for a report; ``before`` are ids of those by the seat's last holder."""
    names = {seat.id: seat.name for seat in loaded.seats}
    anonymous = bool(loaded.rules.options["anonymous"])
    return tuple(
        Press(
            row.text,
            names[row.seat_id] if row.seat_id else "",
            tuple(row.to.splitlines()),
            anonymous=anonymous and row.seat_id is not None,
            before=row.id in before,
        )
        for row in rows
    )
