"""Whom the report that asks for a turn's orders has not reached, and what that does (10.5, 9.7).

Nobody is ruled absent who was never written to. What our server or account held up moves the
deadline on by the time lost; for one whom his own side kept it from, the turn waits for some days.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from sqlmodel import Session

from postal.engine.game import awaited, due
from postal.reports.display import listed, utc_time
from postal.service.loading import LoadedGame, TurnFile, UnreadableGameError, load_game
from postal.service.outbound.kinds import ASKING, LetterKind
from postal.service.outbound.letters import Letters
from postal.service.turns.calendar import later_deadline
from postal.service.turns.deadlines import move
from postal.service.workplace import Workplace
from postal.store.holding import games_held_up, outbox_hold, reckoned, reports_asking
from postal.store.rows import (
    GameRow,
    Hindrance,
    OutboxRow,
    OutboxState,
    TroubleKind,
    TroubleRow,
    TurnStatus,
)
from postal.store.troubles import begin_trouble, count_telling, was_noted

LOG = logging.getLogger("postal")

LEAST_LOST = timedelta(hours=1)
"""What is lost in less time moves no deadline."""

LOOK_AGAIN = timedelta(minutes=5)
"""How long a turn that waits for its reports to go is not looked at."""

_SOON = timedelta(minutes=2)
"""What is tried again by then is still going; what waits longer is put off by its receiver."""


@dataclass(frozen=True, slots=True)
class NotReached:
    """Why a turn is not adjudicated at its deadline.

    ``held``: reports for which it waits are held up by our side now. ``lost``: they went, but
    late. ``players``: those whom theirs did not reach because of their own side, and why.
    """

    held: bool = False
    lost: bool = False
    players: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class _Reports:
    """The mails that ask for a turn's orders, as our side has held them up."""

    going: tuple[OutboxRow, ...]
    put_off: tuple[OutboxRow, ...]
    went: tuple[OutboxRow, ...]

    def lost(self, opened_at: datetime, now: datetime) -> timedelta:
        """Return how much of the turn was over before the last of them was handed over."""
        times = [row.sent_at or now for row in self.went]
        return max([*times, *([now] if self.put_off else [])], default=opened_at) - opened_at


def not_reached(
    session: Session, work: Workplace, loaded: LoadedGame, file: TurnFile
) -> NotReached | None:
    """Return what keeps the turn in play from being adjudicated for its deadline; None: nothing.

    A turn whose orders are all in goes on as ever.
    """
    turn, now = loaded.turn, work.clock.now()
    if turn is None or file.complete(loaded.game):
        return None
    rows = _asking(session, loaded)
    ours = _held_up(rows, now, held=outbox_hold(session) is not None)
    if ours.going:
        return NotReached(held=True)
    if ours.went or ours.put_off:
        return NotReached(lost=True)
    players = _unreached(loaded, file, rows) if loaded.rules.number("unreached") else ()
    if not players or was_noted(session, TroubleKind.UNREACHED, _about(loaded)):
        return None
    return NotReached(players=players)


def stands_still(session: Session, loaded: LoadedGame) -> bool:
    """Whether the deadline in play doesn't count yet: our side held its reports up (10.5)."""
    return any(row.hindrance is Hindrance.OURS for row in _all_asking(session, loaded))


def wait_for(work: Workplace, loaded: LoadedGame, why: NotReached) -> None:
    """Do what a turn that is not adjudicated at its deadline calls for: move that, and tell all."""
    if why.lost:
        reckon(work, loaded.row)
    if why.players:
        _wait_for_players(work, loaded, why.players)


def reckon_all(work: Workplace) -> None:
    """Move the deadlines of all turns whose reports were held up and have gone by now."""
    with work.database.reading() as session:
        if outbox_hold(session) is not None:
            return
        games = [session.get_one(GameRow, game_id) for game_id in games_held_up(session)]
    for row in games:
        # Such a game is set aside when its turn is looked at.
        with suppress(UnreadableGameError):
            reckon(work, row)


def reckon(work: Workplace, row: GameRow) -> bool:
    """Move a game's deadline on by the time that its reports were late, once all have gone.

    Whether it was moved: not for less than an hour.
    """
    now = work.clock.now()
    with work.database.reading() as session:
        loaded = load_game(session, row)
        turn, held = loaded.turn, outbox_hold(session) is not None
        rows = _asking(session, loaded) if turn else ()
    ours = _held_up(rows, now, held=held)
    if ours.going or (turn and turn.status is not TurnStatus.OPEN):
        return False
    noted = partial(reckoned, game_id=loaded.id, put_off=[one.id or 0 for one in ours.put_off])
    if turn is not None and turn.deadline is not None:
        lost = whole_minutes(ours.lost(turn.opened_at, now))
        later = turn.deadline + lost

        def also(session: Session) -> None:
            noted(session)
            letters = Letters(session, work)
            sentence = f"The reports for turn {turn.number} of {row.slug} were held up by our side."
            moved = f"Its deadline is moved to {utc_time(later)}, and everybody is told."
            letters.notify_gm("a deadline is moved", (sentence, moved), loaded, turn.number)
            letters.queue(session)

        if lost >= LEAST_LOST and move(work, row.slug, turn.number, later, "outgoing", also):
            return True
    with work.database.transaction() as session:
        noted(session)
    return False


def unreached_about(loaded: LoadedGame, number: int) -> str:
    """Return what the trouble that a player was not reached is about: the game and its turn."""
    return f"{loaded.row.slug}/{number}"


def _about(loaded: LoadedGame) -> str:
    return unreached_about(loaded, loaded.game.turn)


def _asking(session: Session, loaded: LoadedGame) -> list[OutboxRow]:
    """Return the mails that ask for the orders of the turn in play, to those who owe some."""
    owing = {player for player, _ in due(loaded.game)}
    seats = {seat.id for seat in loaded.seats if seat.name in owing}
    return [row for row in _all_asking(session, loaded) if row.seat_id in seats]


def _all_asking(session: Session, loaded: LoadedGame) -> list[OutboxRow]:
    """Return the mails that ask for the orders of the turn in play.

    Where it is played again those are none of before, but the one that says so too (10.7).
    """
    turn, number = loaded.turn, loaded.game.turn
    rows = list(reports_asking(session, loaded.id, number - 1, ASKING))
    if turn is None or turn.attempt == 1:
        return rows
    rows += reports_asking(session, loaded.id, number, (LetterKind.ROLLBACK,))
    mine = [row for row in rows if row.created_at >= turn.opened_at]
    return sorted(mine, key=lambda row: row.id or 0)


def _held_up(rows: Sequence[OutboxRow], now: datetime, *, held: bool) -> _Reports:
    """Part what our side held up: what still waits for it, what waits for others now, what went.

    Whoever got a report in another mail was reached by that.
    """
    reached: dict[int | None, OutboxRow] = {}
    for row in sorted(rows, key=lambda row: (row.sent_at is None, row.sent_at or now)):
        if row.state is OutboxState.SENT:
            reached.setdefault(row.seat_id, row)
    ours = [row for row in rows if row.hindrance is Hindrance.OURS]
    unsent = [row for row in ours if row.state not in (OutboxState.SENT, OutboxState.FAILED)]
    waiting = [row for row in unsent if row.seat_id not in reached]
    going = [row for row in waiting if held or _is_going(row, now)]
    return _Reports(
        tuple(going),
        tuple(row for row in waiting if row not in going),
        tuple(row for row in ours if reached.get(row.seat_id) is row),
    )


def _is_going(row: OutboxRow, now: datetime) -> bool:
    """Whether a mail that nothing holds up any more is about to be tried, or being sent."""
    at_once = not row.tries or row.next_try_at is None or row.next_try_at <= now + _SOON
    return at_once or row.state is OutboxState.SENDING


def _unreached(
    loaded: LoadedGame, file: TurnFile, rows: Sequence[OutboxRow]
) -> tuple[tuple[str, str], ...]:
    """Return who owes, was not heard of, and got no report of this turn; and what was said."""
    last = {
        row.seat_id: row
        for row in rows
        if row.state is OutboxState.SENT or row.hindrance is Hindrance.HIS
    }
    owing = dict.fromkeys(player for player, _ in awaited(loaded.game, file.book))
    found = []
    for player in owing:
        row = last.get(loaded.seat(player).id)
        here = file.of(player)
        if row and row.state is not OutboxState.SENT and not (here.heard or here.resigned):
            found.append((player, f"mail {row.id} to {row.recipient}: {row.last_text}"))
    return tuple(found)


def _wait_for_players(
    work: Workplace, loaded: LoadedGame, players: Sequence[tuple[str, str]]
) -> None:
    """Move the deadline for those who were not reached; the GM alone is told who they are."""
    turn, slug = loaded.turn, loaded.row.slug
    assert turn is not None, "a turn in play waits"
    assert turn.deadline is not None, "it is at its deadline"
    days = loaded.rules.number("unreached")
    later = later_deadline(loaded.row, turn.deadline, work.clock.now(), days)
    names = listed([player for player, _ in players])
    sentence = (
        f"{names} did not get the report that asks for the orders of turn {turn.number} of {slug}:"
        f" the turn waits until {utc_time(later)}."
    )
    advice = (
        *(f"{player}: {why}." for player, why in players),
        "The others are told the new deadline, and not for whom.",
        "`postal player set-address` writes to a new address, `postal outbox retry` to the same.",
        f"`postal adjudicate {slug}` plays the turn without waiting.",
        "Without any of it the turn goes on then, and whoever is missing is NMR.",
    )

    def also(session: Session) -> None:
        now = work.clock.now()
        letters = Letters(session, work)
        letters.notify_gm("a player was not reached", (sentence, *advice), loaded, turn.number)
        row = begin_trouble(
            session,
            TroubleRow(
                kind=TroubleKind.UNREACHED,
                about=_about(loaded),
                game_id=loaded.id,
                since=now,
                sentence=sentence,
            ),
        )
        session.flush()
        if count_telling(session, row.id or 0, row.told, now):
            letters.queue(session)

    move(work, slug, turn.number, later, "unreached", also)


def whole_minutes(span: timedelta) -> timedelta:
    """Return a span in whole minutes, rounded up: mails tell no seconds."""
    return -(-span // timedelta(minutes=1)) * timedelta(minutes=1)
