"""What the GM is shown of games, orders and the outbox: hidden cards only on demand."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlmodel import Session

from postal.engine.cards import cards_text
from postal.engine.game import due
from postal.engine.view import GameView, HandView, view
from postal.service.loading import (
    LoadedGame,
    TurnFile,
    UnreadableGameError,
    find_game,
    load_game,
    load_turn_file,
)
from postal.service.turns.calendar import calendar_of
from postal.service.workplace import Workplace
from postal.store.games import all_games
from postal.store.outbox import delayed_messages, messages_in_state
from postal.store.rows import (
    GameRow,
    Hindrance,
    OutboxRow,
    OutboxState,
    SeatRow,
    TurnStatus,
    fold,
)
from postal.store.seats import HeldSeat, seats_of
from postal.store.turns import last_turns

_BECAUSE = {
    Hindrance.NONE: "",
    Hindrance.OURS: "our server or account",
    Hindrance.HIS: "this address",
}
"""Whom a mail is held up by, as the list of the outbox names it."""

UNREADABLE = "unreadable"
"""The status shown of a game whose state can't be read; all the others are shown as ever."""


def list_games(work: Workplace) -> list[dict[str, Any]]:
    """Return each game's name, status, turn, deadline (UTC) and number of players."""
    with work.database.reading() as session:
        return [_game(session, row) for row in all_games(session)]


def _game(session: Session, row: GameRow) -> dict[str, Any]:
    try:
        one = load_game(session, row)
    except UnreadableGameError:
        done, turn = last_turns(session, row.id or 0)
        last = turn or done
        return {
            "game": row.slug,
            "status": UNREADABLE,
            "turn": last.number if last else 0,
            "deadline": turn.deadline.isoformat() if turn and turn.deadline else None,
            "players": len(seats_of(session, row.id or 0)),
        }
    return {
        "game": one.row.slug,
        "status": one.row.status.value,
        "turn": one.game.turn if one.turn else one.game.turn - 1,
        "deadline": _deadline(one),
        "players": len(one.seats),
    }


def show_game(work: Workplace, slug: str, *, reveal: bool = False) -> dict[str, Any]:
    """Return a game as an onlooker sees it; with ``reveal`` every player's hidden cards too.

    A player's ``holder`` is who holds his seat now: another than him where it was taken over.
    """
    with work.database.reading() as session:
        loaded = load_game(session, find_game(session, slug))
    public = view(loaded.game, None)
    own = {player: view(loaded.game, player) for player in loaded.game.players} if reveal else {}
    result: dict[str, Any] = {
        "game": slug,
        "rules": loaded.rules.name,
        "status": loaded.row.status.value,
        "turn": loaded.game.turn,
        "turn_status": loaded.turn.status.value if loaded.turn else None,
        "deadline": _deadline(loaded),
        "zone": loaded.row.zone,
        "calendar": calendar_of(loaded.row).words(),
        "options": dict(loaded.rules.told_options),
        "commitment": loaded.row.commitment,
        "players": [
            {
                "name": seat.name,
                "holder": _holder(seat),
                "address": seat.address,
                "balance": loaded.game.balances[seat.name],
                "dropped": seat.name in loaded.game.dropped,
            }
            for seat in loaded.seats
        ],
        "hands": [_hand(hand, own) for table in public.tables for hand in table.hands],
    }
    return result


def _holder(seat: HeldSeat) -> str:
    named = seat.person.name
    return seat.name if fold(named) == fold(seat.name) else named


def show_orders(work: Workplace, slug: str, *, reveal: bool = False) -> dict[str, Any]:
    """Return who is in for the turn in play and who isn't; with ``reveal`` the orders too."""
    with work.database.reading() as session:
        loaded = load_game(session, find_game(session, slug))
        return _orders(session, loaded, work.clock.now(), reveal=reveal)


def _orders(session: Session, loaded: LoadedGame, now: datetime, *, reveal: bool) -> dict[str, Any]:
    file = load_turn_file(session, loaded)
    owed = due(loaded.game)
    players = []
    for row in loaded.seats:
        hands = [hand for player, hand in owed if player == row.name]
        filed = file.book.of(row.name)
        entry: dict[str, Any] = {
            "name": row.name,
            "due": hands,
            "filed": [hand for hand in hands if hand in filed],
            "missing": [hand for hand in hands if hand not in filed],
            "wait": file.of(row.name).waiting,
            "trouble": _has_trouble(file, row.name, now),
            "until": _held_until(loaded, file, row.name, now),
            "dropped": row.name in loaded.game.dropped,
        }
        if reveal:
            entry["orders"] = [order.line() for order in filed.values()]
        players.append(entry)
    return {
        "game": loaded.row.slug,
        "turn": loaded.game.turn,
        "deadline": _deadline(loaded),
        "complete": file.complete(loaded.game),
        "expected": _expected(loaded, file),
        "players": players,
    }


def _expected(loaded: LoadedGame, file: TurnFile) -> str | None:
    """Return when the next report is expected as the orders stand (UTC), None: not by itself."""
    turn = loaded.turn
    if turn is None or turn.status is not TurnStatus.OPEN or loaded.row.hold_since is not None:
        return None
    at = file.due_at(loaded)
    return at.isoformat() if at else None


def _has_trouble(file: TurnFile, name: str, now: datetime) -> bool:
    """Whether a mail of his still holds the turn (10.6)."""
    one = file.of(name)
    return one.troubled and (one.troubled_until is None or one.troubled_until > now)


def _held_until(loaded: LoadedGame, file: TurnFile, name: str, now: datetime) -> str | None:
    """Return until when his wish or his trouble holds the turn, None where neither does (UTC)."""
    deadline = loaded.turn.deadline if loaded.turn else None
    one = file.of(name)
    times = [deadline] if one.waiting else []
    if _has_trouble(file, name, now):
        times.append(one.troubled_until or deadline)
    known = [time for time in times if time]
    if not known:
        return None
    last = max(known)
    return (min(last, deadline) if deadline else last).isoformat()


def list_outbox(work: Workplace, states: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """Return the mails of the outbox in some states, oldest first.

    Without ``states`` all that are not sent, and those that a server reports as delayed.
    """
    chosen = [OutboxState(state) for state in states] or [
        state for state in OutboxState if state is not OutboxState.SENT
    ]
    with work.database.reading() as session:
        rows = [row for state in chosen for row in messages_in_state(session, state)]
        rows += () if states else delayed_messages(session)
        return [_message(session, row) for row in sorted(rows, key=lambda row: row.id or 0)]


def _message(session: Session, row: OutboxRow) -> dict[str, Any]:
    seat = session.get(SeatRow, row.seat_id) if row.seat_id else None
    return {
        "id": row.id,
        "kind": row.kind,
        "player": seat.name if seat else "",
        "recipient": row.recipient,
        "subject": row.subject,
        "state": row.state.value,
        "tries": row.tries,
        "next_try": row.next_try_at.isoformat() if row.next_try_at else None,
        "because_of": _BECAUSE[row.hindrance],
        "answer": " ".join(part for part in (str(row.last_code or ""), row.last_text) if part),
    }


def _hand(hand: HandView, own: dict[str, GameView]) -> dict[str, Any]:
    seats = []
    for seat in hand.seats:
        entry: dict[str, Any] = {
            "player": seat.player,
            "seat": seat.number,
            "paid": seat.paid,
            "shown": cards_text(seat.shown or ()),
        }
        if seat.player in own:
            for _, other, mine in own[seat.player].mine():
                if other.name == hand.name:
                    entry["shown"] = cards_text(mine.shown or ())
                    entry["hidden"] = cards_text(mine.hidden or ())
                    entry["discarded"] = cards_text(mine.discarded or ())
        seats.append(entry)
    return {
        "hand": hand.name,
        "stage": hand.stage,
        "pot": hand.pot,
        "to_act": list(hand.to_act),
        "end": hand.end or None,
        "winners": list(hand.winners),
        "seats": seats,
    }


def _deadline(loaded: LoadedGame) -> str | None:
    turn = loaded.turn
    return turn.deadline.isoformat() if turn and turn.deadline else None
