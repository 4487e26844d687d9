"""A mail that confirms an address, and one that carries no token at all (MAIL.md, Who wrote it)."""

from __future__ import annotations

from sqlmodel import Session

from postal.service.inbound.case import Case
from postal.service.inbound.outcome import Outcome
from postal.service.inbound.whose import confirming
from postal.service.loading import LoadedGame, load_game
from postal.service.outbound.kinds import LetterKind
from postal.service.outbound.letters import Letter
from postal.store.people import people_at, seats_held
from postal.store.rows import AddressRow, GameStatus, MailStatus, fold
from postal.store.seats import HeldSeat, seats_of


def confirmed(case: Case) -> Outcome | None:
    """Confirm the address whose token a mail carries, telling both; None where it has none.

    Nor is an address confirmed that somebody else of one of the person's games has had confirmed
    meanwhile.
    """
    row = confirming(case.session, case.incoming)
    if row is None or row.id is None or taken_by(case.session, row.person_id, row.address):
        return None
    now, address_id = case.work.clock.now(), row.id
    letters, reports = case.letters, case.work.reports
    found = game_to_tell_in(case.session, row.person_id)
    if found is None:
        return None
    loaded, seat = found
    turn, name = loaded.game.turn, seat.person.name
    told = reports.address(letters.frame(loaded, seat), name, row.address, "done")
    letters.to_player(loaded, seat, Letter(LetterKind.ADDRESS, told, turn))
    token = case.work.address_token(address_id)
    there = letters.address_frame(loaded, token)
    told = reports.address(there, name, row.address, "done")
    letters.to_address(loaded, seat, row.address, address_id, told, token)
    sentence = f"{name} may now write from {row.address} too."
    letters.notify_gm("a second address is confirmed", (sentence,), loaded)

    def confirm(session: Session) -> None:
        stored = session.get(AddressRow, address_id)
        if stored is not None:
            stored.confirmed_at = now

    reason = f"confirmed a second address of person {row.person_id}"
    return Outcome(MailStatus.DONE, reason, changes=(confirm,))


def without_token(case: Case) -> Outcome:
    """Do nothing; tell a registered address, now and then, how to answer (MAIL.md)."""
    sender = case.incoming.senders[0]
    for person in reversed(people_at(case.session, sender)):
        for held, game in reversed(seats_held(case.session, person.id or 0)):
            if game.status is not GameStatus.RUNNING:
                continue
            loaded = load_game(case.session, game)
            seat = loaded.seat(held.name)
            rendered = case.work.reports.hint(case.letters.frame(loaded, seat))
            letter = Letter(LetterKind.HINT, rendered, loaded.game.turn, answers=case.incoming)
            sent = case.letters.to_player(loaded, seat, letter)
            lately = "" if sent else " lately"
            return Outcome(MailStatus.REJECTED, f"{NO_TOKEN}; a hint was sent{lately}")
    return Outcome(MailStatus.REJECTED, f"{NO_TOKEN}, and nobody we know")


NO_TOKEN = "no token"  # noqa: S105 - how a reason begins
"""How the reason begins of a mail that carries none."""


def taken_by(session: Session, person_id: int, address: str) -> str | None:
    """Return who else of one of a person's games in play has an address, else None."""
    for _, game in seats_held(session, person_id):
        if game.status is not GameStatus.RUNNING:
            continue
        for seat in seats_of(session, game.id or 0):
            if seat.person.id != person_id and fold(address) in map(fold, seat.addresses):
                return seat.name
    return None


def game_to_tell_in(session: Session, person_id: int) -> tuple[LoadedGame, HeldSeat] | None:
    """Return the game in whose name a person is written to, and his seat: the latest, in play."""
    held = seats_held(session, person_id)
    running = [one for one in held if one[1].status is GameStatus.RUNNING]
    for seat, game in reversed(running or held):
        loaded = load_game(session, game)
        return loaded, loaded.seat(seat.name)
    return None
