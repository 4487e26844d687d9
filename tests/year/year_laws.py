"""The laws that hold over a year, whatever happened; each gives a sentence where it is broken."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from sqlmodel import Session, col, select

from postal.engine.events import Dropped, Event, Nmr, Returned
from postal.service.loading import LoadedGame, load_game
from postal.service.outbound.kinds import ASKING, LetterKind
from postal.service.records.verify import verify_game
from postal.store.codec import decode_events, decode_game
from postal.store.rows import (
    GameRow,
    JournalRow,
    MailRow,
    OutageRow,
    OutboxRow,
    OutboxState,
    TroubleKind,
    TroubleRow,
    TurnRow,
    TurnStatus,
)
from tests.year.year_world import OUTAGE_AFTER, PLACES, World, on_the_wall

_MOVES = ("deadline", "resume")
"""How the journal calls what moves a deadline."""


@dataclass(frozen=True)
class Played:
    """A game with its turns that count, the deal first."""

    loaded: LoadedGame
    turns: tuple[TurnRow, ...]

    @property
    def slug(self) -> str:
        """Its name."""
        return self.loaded.row.slug

    def done(self) -> Iterator[TurnRow]:
        """Yield the turns that were adjudicated."""
        yield from (one for one in self.turns if one.number and one.status is TurnStatus.DONE)


def broken(world: World) -> list[str]:
    """Return what is broken, empty where every law holds."""
    with world.league.database.reading() as session:
        games = [
            Played(load_game(session, row), tuple(_turns(session, row.id or 0)))
            for row in session.exec(select(GameRow).order_by(col(GameRow.id))).all()
        ]
        found = [
            sentence
            for game in games
            for law in (_deadlines, _absent, _outages, _reports, _money)
            for sentence in law(world, session, game)
        ]
    for game in games:
        found += [f"{game.slug}: {one}" for one in verify_game(world.league.work, game.slug)[1]]
    return found


def counts(world: World) -> Counter[str]:
    """Return what the year came to."""
    found: Counter[str] = Counter()
    with world.league.database.reading() as session:
        for turn in session.exec(select(TurnRow).where(TurnRow.number > 0)).all():
            if turn.status is TurnStatus.DONE:
                found["turns"] += 1
                kinds = [type(one) for one in decode_events(turn.events or "")]
                found["NMR"] += kinds.count(Nmr)
                found["dropped"] += kinds.count(Dropped)
                found["came back"] += kinds.count(Returned)
        found["games"] = len(session.exec(select(GameRow.id)).all())
        found["mails in"] = len(session.exec(select(MailRow.id)).all())
        found["mails out"] = len(session.exec(select(OutboxRow.id)).all())
        for outage in session.exec(select(OutageRow)).all():
            found[f"outages ({outage.what.value})"] += 1
        for entry in session.exec(select(JournalRow)).all():
            found[f"journal: {entry.what}"] += 1
    return found


def _deadlines(world: World, session: Session, game: Played) -> Iterator[str]:
    """No deadline moves without an event, of which all are told; and it is told by the calendar."""
    row = game.loaded.row
    entries = session.exec(select(JournalRow).where(JournalRow.game_id == row.id)).all()
    moves = Counter(entry.turn for entry in entries if entry.what in _MOVES)
    told = Counter(
        (letter.turn, letter.seat_id)
        for letter in _letters(session, game, LetterKind.DEADLINE, LetterKind.HOLD)
    )
    calendar = next(one.calendar for one in PLACES if one.name == game.slug.partition("-")[0])
    for turn in game.turns:
        seen = world.deadlines.get(turn.id or 0, [])
        moved = max(0, len(seen) - 1)
        if moved > moves[turn.number]:
            yield f"{game.slug}: turn {turn.number} moved {moved} times: {seen}"
        for seat in game.loaded.seats:
            if moved > told[turn.number, seat.id]:
                yield f"{game.slug}: {seat.name} was not told that turn {turn.number} moved"
        shown = on_the_wall(seen[0], row.zone) if seen else (calendar.hour, calendar.minute)
        # A time that the clocks skip moves forward by the hour that they skip.
        if shown not in ((calendar.hour, calendar.minute), (calendar.hour + 1, calendar.minute)):
            yield f"{game.slug}: turn {turn.number} ends at {seen[0]}, which the calendar is not"


def _absent(world: World, session: Session, game: Played) -> Iterator[str]:
    """Nobody is NMR whose order was there in time, or who was never written to."""
    asked = defaultdict(list)
    for letter in _letters(session, game, *ASKING):
        asked[letter.turn, letter.seat_id].append(letter)
    grace = timedelta(hours=game.loaded.rules.number("grace"))
    waited = {
        row.about
        for row in session.exec(
            select(TroubleRow).where(TroubleRow.kind == TroubleKind.UNREACHED)
        ).all()
    }
    gone: set[str] = set()
    for turn in game.done():
        events = decode_events(turn.events or "")
        ends = (turn.deadline or turn.opened_at) + grace
        in_time = {
            one.player
            for one in world.answers
            if (one.slug, one.turn) == (game.slug, turn.number) and one.at <= ends
        }
        for event in events:
            if not isinstance(event, Nmr) or event.player in gone:
                continue
            name = event.player
            where = f"{game.slug}: {name} is NMR in turn {turn.number}"
            if name in in_time:
                yield f"{where}, and ordered in time"
            letters = asked[turn.number - 1, game.loaded.seat(name).id]
            reached = any(one.state is OutboxState.SENT for one in letters)
            if not reached and f"{game.slug}/{turn.number}" not in waited:
                yield f"{where}, and was not written to"
        gone = _dropped(gone, events)


def _outages(world: World, _session: Session, game: Played) -> Iterator[str]:
    """Nobody is NMR at a deadline that lay in an outage, but for those dropped before."""
    grace = timedelta(hours=game.loaded.rules.number("grace"))
    gone: set[str] = set()
    for turn in game.done():
        events = decode_events(turn.events or "")
        ends = turn.deadline or turn.opened_at
        missing = {one.player for one in events if isinstance(one, Nmr)} - gone
        for began, ended in world.aways:
            lay_in_it = began < ends + grace and ends <= ended and ended - began >= OUTAGE_AFTER
            if missing and lay_in_it:
                yield f"{game.slug}: turn {turn.number} ended in an outage without {missing}"
        gone = _dropped(gone, events)


def _dropped(before: set[str], events: Sequence[Event]) -> set[str]:
    """Return who is dropped after a turn."""
    went = {one.player for one in events if isinstance(one, Dropped)}
    return (before | went) - {one.player for one in events if isinstance(one, Returned)}


def _reports(_world: World, session: Session, game: Played) -> Iterator[str]:
    """Every player gets one report a turn."""
    written = Counter(
        (letter.turn, letter.seat_id)
        for letter in _letters(session, game, LetterKind.REPORT, LetterKind.FINAL)
    )
    for turn in game.done():
        for seat in game.loaded.seats:
            if written[turn.number, seat.id] != 1:
                count = written[turn.number, seat.id]
                yield f"{game.slug}: {seat.name} has {count} reports of turn {turn.number}"


def _money(_world: World, _session: Session, game: Played) -> Iterator[str]:
    """All balances and pots come to what was there at the start, after every turn (8.6)."""
    rules = game.loaded.rules
    total = len(game.loaded.seats) * rules.number("start_money")
    for turn in (game.turns[0], *game.done()):
        if decode_game(turn.state or "", rules).total != total:
            yield f"{game.slug}: the money of turn {turn.number} does not add up"


def _turns(session: Session, game_id: int) -> Sequence[TurnRow]:
    """Return the turns of a game that count, the deal first."""
    counts = select(TurnRow).where(TurnRow.game_id == game_id, col(TurnRow.void_at).is_(None))
    return session.exec(counts.order_by(col(TurnRow.number))).all()


def _letters(session: Session, game: Played, *kinds: LetterKind) -> list[OutboxRow]:
    statement = select(OutboxRow).where(
        OutboxRow.game_id == game.loaded.id, col(OutboxRow.kind).in_(kinds)
    )
    return list(session.exec(statement).all())
