"""Protests: each holds the game until the GM rules or its days are over (RULES.md 10.8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from sqlmodel import Session

from postal.engine.view import view
from postal.ordertext import Command
from postal.reports import Said
from postal.service.inbound.case import SeatCase
from postal.service.inbound.passing import (
    MOST_WORDS,
    Change,
    clean,
    noted,
    pass_on,
    tell_gm,
    writer,
)
from postal.service.outbound.kinds import LetterKind
from postal.service.outbound.letters import Letter
from postal.service.overtaken import OvertakenError
from postal.store.holders import held_since
from postal.store.rows import GameRow, GameStatus, ProtestRow
from postal.store.words import open_protests, protests_of

MOST_OPEN = 3
"""How many protests of a game can be open at once, one of each player."""


def protest(case: SeatCase, command: Command) -> tuple[SeatCase, Said, tuple[Change, ...]]:
    """Take a ``protest A:`` block: the case as it is then, what is told, and what is written.

    Everybody is told that there is a protest, the same words to each, and the GM of whom. One that
    can hold nothing goes to the GM as any words.
    """
    loaded = case.loaded
    hand = _hand(case, command.about)
    if hand is None:
        hands = tuple(sorted(one.table for one, _ in loaded.game.hands_of(case.seat.name)))
        return case, Said("protest-hand", hands), ()
    refusal = _refusal(case)
    if refusal is not None:
        said, changes = pass_on(case, command.argument)
        return case, refusal if said.kind == "passed-on" else said, changes
    now, row = case.work.clock.now(), loaded.row
    until = now + timedelta(days=loaded.rules.number("protest_days"))
    held = row.hold_since is not None
    ends = None if held and row.hold_until is None else max(until, row.hold_until or until)
    values = {**row.model_dump(), "hold_since": row.hold_since or now, "hold_until": ends}
    values |= {} if held else {"hold_why": "protest"}
    case = replace(case, loaded=replace(loaded, row=GameRow(**values)))
    _tell_all(case)
    _tell(case, hand, command.argument, ends)
    stored = ProtestRow(
        game_id=loaded.id,
        turn=loaded.game.turn,
        seat_id=case.seat.id,
        hand=hand,
        text=clean(case, command.argument),
        mail_id=case.row.id,
        at=now,
        until=until,
    )
    before = open_protests(case.session, loaded.id)
    hold = _hold(row, GameRow(**values), before, stored)
    said = Said("protest", (hand,), until=ends)
    return case, said, (hold, noted(case, "protest", f"About hand {hand}, in mail {case.row.id}."))


def take_back(case: SeatCase) -> tuple[Said, tuple[Change, ...]]:
    """Take a player's open protest back; where none is left the game goes on at the next round."""
    now, loaded = case.work.clock.now(), case.loaded
    found = open_protests(case.session, loaded.id)
    mine = next(iter(_his(case, found)), None)
    if mine is None:
        return Said("protest-none"), ()
    left = [one.until for one in found if one is not mine]

    def change(session: Session) -> None:
        game = session.get(GameRow, loaded.id, with_for_update=True)
        stored = session.get(ProtestRow, mine.id)
        now_open = [one.id for one in open_protests(session, loaded.id)]
        if game is None or stored is None or now_open != [one.id for one in found]:
            raise OvertakenError
        stored.ruled_at = now
        if game.hold_why == "protest" and game.hold_since is not None:
            game.hold_until = max(left, default=now)

    name = writer(case)
    goes_on = "Another one is open still." if left else "The game goes on at the next round."
    held = loaded.row.hold_why == "protest"
    sentences = [f"The protest of {name} about hand {mine.hand} is taken back."]
    tell_gm(case, "a protest is taken back", [*sentences, *([goes_on] if held else [])], "")
    return Said("protest-back"), (change, noted(case, "protest", "Taken back."))


def _refusal(case: SeatCase) -> Said | None:
    """Return why a protest holds nothing, None where it does.

    A player holds a turn once: else he could keep it from ever being adjudicated.
    """
    loaded = case.loaded
    if loaded.row.status is not GameStatus.RUNNING:
        return Said("protest-over")
    if not loaded.rules.number("protest_days"):
        return Said("protest-words")
    found = open_protests(case.session, loaded.id)
    if _his(case, found):
        return Said("protest-twice")
    began = loaded.turn.opened_at if loaded.turn else None
    his = _his(case, protests_of(case.session, loaded.id))
    if began is not None and any(one.at >= began for one in his):
        return Said("protest-again")
    return Said("protest-many", limit=MOST_OPEN) if len(found) >= MOST_OPEN else None


def _his(case: SeatCase, found: Sequence[ProtestRow]) -> list[ProtestRow]:
    """Return those protests that are of who holds the seat now, not of who held it before."""
    since = held_since(case.session, case.seat.id, case.seat.person.id)
    return [
        one
        for one in found
        if one.seat_id == case.seat.id and since is not None and one.at >= since
    ]


def _hand(case: SeatCase, about: str) -> str | None:
    """Return the name of the player's hand that is meant, None where none is."""
    hands = [hand for hand, _ in case.loaded.game.hands_of(case.seat.name)]
    if not about and len(hands) == 1:
        return hands[0].name
    named = about.upper()
    return next((hand.name for hand in hands if named in (hand.table, hand.name)), None)


def _tell_all(case: SeatCase) -> None:
    for seat in case.loaded.seats:
        frame = case.letters.frame(case.loaded, seat)
        seen = view(case.loaded.game, seat.name)
        rendered = case.work.reports.hold(frame, seen, "protest")
        letter = Letter(LetterKind.HOLD, rendered, case.loaded.game.turn)
        case.letters.to_player(case.loaded, seat, letter)


def _tell(case: SeatCase, hand: str, words: str, ends: datetime | None) -> None:
    slug, name = case.loaded.row.slug, writer(case)
    latest = f", or until {ends:%d %B %Y at %H:%M} UTC at the latest" if ends else ""
    sentences = [
        f"The protest is from {name}, about hand {hand}. The others are not told from whom.",
        f"The game is on hold until you rule{latest}.",
        f"`postal protest show {slug} {hand}` shows what happened in that hand so far.",
        f"`postal resume {slug}` is your ruling: the game goes on, and every protest is closed.",
        "Answer this mail, and your answer goes to them directly.",
    ]
    if len(words.strip()) > MOST_WORDS:
        sentences.append(f"`postal inbox show {case.row.id}` shows the whole mail.")
    tell_gm(case, "a protest", sentences, words)


def _hold(was: GameRow, now: GameRow, before: Sequence[ProtestRow], stored: ProtestRow) -> Change:
    """Return the change that puts a game on hold, as it was when that was worked out."""

    def change(session: Session) -> None:
        game = session.get(GameRow, was.id, with_for_update=True)
        assert game is not None, "games are never deleted"
        same = (game.status, game.hold_since, game.hold_until)
        known = [one.id for one in open_protests(session, was.id or 0)]
        if same != (was.status, was.hold_since, was.hold_until) or known != [
            one.id for one in before
        ]:
            raise OvertakenError
        game.hold_since, game.hold_until = now.hold_since, now.hold_until
        game.hold_why = now.hold_why
        session.add(stored)

    return change
