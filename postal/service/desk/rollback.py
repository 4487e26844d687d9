"""Taking turns back (``postal rollback``, RULES.md 10.7); what was shown is told before."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from sqlmodel import Session

from postal.engine.cards import Card
from postal.engine.events import Event, Exposed, Gave, TurnedUp
from postal.engine.game import due
from postal.engine.rollback import Void, opened_everything, with_seen
from postal.engine.view import view
from postal.errors import PostalError, UsageError
from postal.reports.display import listed
from postal.service.inbound.receipts import file_facts
from postal.service.loading import LoadedGame, TurnFile, find_game, load_game
from postal.service.outbound.kinds import REPORTS, LetterKind
from postal.service.outbound.letters import Letter, Letters
from postal.service.overtaken import OvertakenError, until_written
from postal.service.turns.again import played_again
from postal.service.turns.aside import end_aside
from postal.service.turns.calendar import opened
from postal.service.workplace import Workplace
from postal.store.codec import decode_events, decode_game
from postal.store.outbox import reports_told, write_reports_anew
from postal.store.rows import GameRow, GameStatus, JournalRow, SeatRow, TurnRow, TurnStatus, fold
from postal.store.seats import token_serials
from postal.store.tokens import make_void as make_tokens_void
from postal.store.voidturns import make_turns_void, make_void, turns_of

ALL = "all"
"""What opens every order."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What going back to before turn ``to`` would make void, and what was shown to whom since.

    ``turn`` is the turn in play, None where the game is over; ``lines`` are sentences for the GM,
    which name no card that he may not see.
    """

    slug: str
    to: int
    turn: int | None
    last: int
    lines: tuple[str, ...] = field(repr=False)

    @property
    def turns(self) -> str:
        """The turns that would be void, in words."""
        return f"turn {self.to}" if self.to == self.last else f"turns {self.to} to {self.last}"


@dataclass(frozen=True, slots=True)
class RolledBack:
    """What was done: the turn that is played again, its deadline, and who may change what.

    ``opened`` and ``stands`` are (player, hand): the latter were opened in vain, since cards of
    the orders there were seen.
    """

    turn: int
    attempt: int
    deadline: datetime | None
    opened: tuple[tuple[str, str], ...]
    stands: tuple[tuple[str, str], ...]


def what_was_shown(work: Workplace, slug: str, to: int) -> Shown:
    """Return what the GM is to know before turns are taken back; PostalError where that can't be.

    It can't where the game was given up, or every card of it was opened (10.4).
    """
    with work.database.reading() as session:
        course = _course(session, slug, to)
        told = reports_told(session, course.loaded.id, to, REPORTS)
    names = {seat.id: seat.name for seat in course.loaded.seats}
    lines = [line for row in course.void for line in _shown(row)]
    for number in sorted({turn for turn, _ in told}):
        had = [names[seat] for turn, seat in told if turn == number and seat in names]
        lines.append(f"The reports of turn {number} were written to {listed(had)}.")
    turn = course.loaded.turn
    return Shown(slug, to, turn.number if turn else None, course.void[-1].number, tuple(lines))


def roll_back(work: Workplace, shown: Shown, opens: Sequence[str] = ()) -> RolledBack:
    """Take the turns back that ``shown`` tells of, and tell all.

    ``opens`` names whose orders may change: ``PLAYER``, ``PLAYER:TABLE`` or ``all``. UsageError
    where one names nobody; PostalError where a turn was adjudicated since the GM was told.
    """
    return until_written(lambda: _roll_back(work, shown, opens))


@dataclass(frozen=True, slots=True)
class _Course:
    """A game, the turns to be made void, and the game as it was before the first of them.

    ``seen`` are all turns from that one on that were ever adjudicated, void ones too.
    """

    loaded: LoadedGame
    void: tuple[TurnRow, ...]
    before: LoadedGame
    seen: tuple[Void, ...] = field(repr=False)


def _course(session: Session, slug: str, to: int) -> _Course:
    loaded = load_game(session, find_game(session, slug))
    if loaded.row.status is GameStatus.ABANDONED:
        raise PostalError(f"{slug} was given up: nothing was done.")
    past = [row for row in turns_of(session, loaded.id) if row.status is TurnStatus.DONE]
    done = [row for row in past if row.void_at is None]
    void = tuple(row for row in done if row.number >= to)
    if to < 1 or not void:
        over = done[-1].number
        turns = f"turn 1{f' to {over}' * (over > 1)}" if over else "none, as turn 1 is in play"
        raise UsageError(f"--to-turn {to}: the turns of {slug} that are over are {turns}.")
    if opened_everything(loaded.game):
        raise PostalError(
            f"The final reports of {slug} opened every card, so no turn of it can be taken back."
        )
    last = next(row for row in reversed(done) if row.number == to - 1)
    game = decode_game(last.state or "", loaded.rules)
    seen = tuple(
        (row.number, decode_events(row.events or "[]")) for row in past if row.number >= to
    )
    return _Course(loaded, void, replace(loaded, game=game, turn=None, done=last), seen)


def _roll_back(work: Workplace, shown: Shown, opens: Sequence[str]) -> RolledBack:
    now, slug, to = work.clock.now(), shown.slug, shown.to
    with work.database.reading() as session:
        course = _course(session, slug, to)
        loaded, old = course.loaded, course.loaded.turn
        if (old and old.number) != shown.turn or course.void[-1].number != shown.last:
            raise PostalError(f"{slug} was adjudicated since you were told: nothing was done.")
        choice = _Opened(course.before, opens)
        turn = opened(loaded.row, course.before.game, now)
        again = played_again(session, course.before, course.void[0], turn, choice.may_change)
        after = _as_played_again(course, turn)
        file = TurnFile(again.book, {})
        turn.due_at = file.due_at(after)
        letters = _letters(session, work, after, file, shown)
    with work.database.transaction() as session:
        row = session.get(GameRow, loaded.id, with_for_update=True)
        assert row is not None, "games are never deleted"
        if row.status is not loaded.row.status:
            raise OvertakenError
        if old is not None and not make_void(session, old, now):
            raise OvertakenError
        if make_turns_void(session, loaded.id, to, now) != len(course.void):
            raise OvertakenError
        serials = {seat.id: seat.seat.token_serial for seat in loaded.seats}
        if token_serials(session, serials, "revoke") != serials:
            raise OvertakenError
        row.status, row.ended_at = GameStatus.RUNNING, None
        session.add(turn)
        session.flush()
        again.store(session, turn)
        serial = after.seats[0].seat.token_serial
        make_tokens_void(session, [seat.id for seat in loaded.seats], to, now, serial)
        write_reports_anew(session, loaded.id, to, REPORTS)
        session.add(_entry(work, after, shown, choice.words))
        letters.queue(session)
    end_aside(work, slug)
    free = {one for one in due(after.game) if one not in again.book.fixed}
    named = {one for one in due(after.game) if choice.may_change(one[0], one[1][:1])}
    return RolledBack(
        to, turn.attempt, turn.deadline, tuple(sorted(free)), tuple(sorted(named - free))
    )


class _Opened:
    """Whose orders the GM opens, by player and table."""

    def __init__(self, before: LoadedGame, opens: Sequence[str]) -> None:
        self._all = ALL in [fold(one) for one in opens]
        self._some = {place for one in opens if fold(one) != ALL for place in _places(before, one)}
        self.words = ALL if self._all else ", ".join(opens) or "nobody's"

    def may_change(self, player: str, table: str) -> bool:
        return self._all or (player, table) in self._some


def _places(before: LoadedGame, named: str) -> Iterator[tuple[str, str]]:
    """Yield the (player, table) that ``PLAYER`` or ``PLAYER:TABLE`` names and that owe an order."""
    name, colon, table = named.partition(":")
    seat = before.seat_meant(name.strip())
    if seat is None:
        raise UsageError(f"--open {named}: there is no player {name!r}; write NAME, NAME:A or all.")
    player = seat.name
    owed = [(player, hand[:1]) for one, hand in due(before.game) if one == player]
    letter = table.strip().upper()
    places = [place for place in owed if not colon or place[1] == letter]
    if not places:
        at = f" at table {letter}" if colon else ""
        raise UsageError(f"--open {named}: nothing was due from {player}{at} in that turn.")
    yield from places


def _as_played_again(course: _Course, turn: TurnRow) -> LoadedGame:
    """Return the game as it will be, at the turn that is played again, with new tokens."""
    loaded = course.loaded
    columns = {**loaded.row.model_dump(), "status": GameStatus.RUNNING, "ended_at": None}
    serial = 1 + max(seat.seat.token_serial for seat in loaded.seats)
    seats = tuple(
        replace(seat, seat=SeatRow(**{**seat.seat.model_dump(), "token_serial": serial}))
        for seat in loaded.seats
    )
    game = with_seen(course.before.game, course.seen)
    return replace(course.before, row=GameRow(**columns), game=game, seats=seats, turn=turn)


def _letters(
    session: Session, work: Workplace, after: LoadedGame, file: TurnFile, shown: Shown
) -> Letters:
    letters = Letters(session, work)
    for seat in after.seats:
        seen = view(after.game, seat.name, file.book)
        facts = file_facts(after, file.book, seat.name)
        frame = letters.frame(after, seat)
        rendered = work.reports.rolled_back(frame, seen, facts, shown.last)
        letters.to_player(after, seat, Letter(LetterKind.ROLLBACK, rendered, shown.to))
    return letters


def _shown(row: TurnRow) -> Iterator[str]:
    """Yield a sentence for all that a void turn showed to somebody."""
    for event in decode_events(row.events or "[]"):
        match event:
            case Gave():
                yield (
                    f"Turn {row.number}, {event.hand}: {event.receiver} got {len(event.cards)} of"
                    f" {event.player}'s cards."
                )
            case Exposed() | TurnedUp():
                yield f"Turn {row.number}, {event.hand}: {_cards(event, event.cards)}."
            case _:
                continue


def _cards(event: Event, cards: Collection[Card]) -> str:
    """Return whose cards were shown to whom: which they are where everybody saw them."""
    if event.audience is None:
        return f"all saw {event.player}'s {' '.join(map(str, cards))}"
    others = [name for name in event.audience if name != event.player]
    return f"{listed(others or ['nobody'])} saw {len(cards)} of {event.player}'s cards"


def _entry(work: Workplace, after: LoadedGame, shown: Shown, words: str) -> JournalRow:
    return JournalRow(
        at=work.clock.now(),
        game_id=after.id,
        turn=shown.to,
        who="GM",
        what="rollback",
        sentence=f"Took {shown.turns} back; opened orders: {words}.",
    )
