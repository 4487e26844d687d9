"""The command ``standby GAME``: to sign up, to take a seat that is offered, to sign off (9.8)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from sqlmodel import Session

from postal.errors import PostalError
from postal.ordertext import Context, Reading, own_words, read_mail
from postal.service.inbound.case import Case, SeatCase
from postal.service.inbound.late import AtWorkError
from postal.service.inbound.outcome import Outcome
from postal.service.inbound.whose import asked_person
from postal.service.loading import LoadedGame, load_game, load_turn_file
from postal.service.outbound.kinds import LetterKind
from postal.service.outbound.letters import Letter
from postal.service.overtaken import OvertakenError
from postal.service.turns.seating import Newcomer, check_newcomer, prepare
from postal.service.turns.standbys import free_seats, is_open, write_to_standby
from postal.store.people import addresses_of, people_at
from postal.store.rows import (
    GameRow,
    JournalRow,
    MailStatus,
    PersonRow,
    StandbyRow,
    TurnStatus,
)
from postal.store.seats import HeldSeat
from postal.store.standbys import change_standby, listings_of

Changes = tuple[Callable[[Session], object], ...]


def from_standby(case: Case) -> Outcome | None:
    """Do what a listed person writes who holds no seat; None for a mail of nobody listed.

    Without the token of a letter of ours nothing is done, and he gets one that has it.
    """
    wishes = _wishes(case)
    person = asked_person(case.session, case.incoming)
    if person is None:
        return _without_token(case) if wishes else None
    listed = listings_of(case.session, person.id or 0)
    if not listed:
        return None
    if not _listed(case, person, wishes or ("",)):
        row, game = listed[-1]
        _tell(case, load_game(case.session, game), row, person)
        return Outcome(MailStatus.REJECTED, "a standby's, with no good command for one in it")
    changes = standby_changes(case, person, wishes)
    return Outcome(MailStatus.DONE, "a standby's", changes=changes)


def standby_wishes(case: SeatCase, reading: Reading) -> Changes:
    """Return what the ``standby`` lines of a player change, who may be listed for another game."""
    wishes = tuple(one.argument for one in reading.commands if one.name == "standby")
    if not wishes:
        return ()
    person, letters = case.seat.person, case.letters
    if not _listed(case, person, wishes):
        frame = letters.frame(case.loaded, case.seat)
        rendered = case.work.reports.standby(frame, person.name, "unlisted")
        turn = case.loaded.game.turn
        letter = Letter(LetterKind.STANDBY_ANSWER, rendered, turn, answers=case.incoming)
        letters.to_player(case.loaded, case.seat, letter)
    return standby_changes(case, person, wishes)


def standby_changes(case: Case, person: PersonRow, wishes: Sequence[str]) -> Changes:
    """Return what the ``standby`` lines of a mail change; the letters are the case's."""
    changes: list[Callable[[Session], object]] = []
    listed = {game.slug: (row, game) for row, game in listings_of(case.session, person.id or 0)}
    for wish in dict.fromkeys(wishes):
        slug, _, more = wish.partition(" ")
        if slug in listed:
            row, game = listed[slug]
            changes += _act(case, person, row, load_game(case.session, game), off=bool(more))
    return tuple(changes)


def _listed(case: Case, person: PersonRow, wishes: Sequence[str]) -> bool:
    """Whether a person is listed for every game that his ``standby`` lines name."""
    slugs = {game.slug for _, game in listings_of(case.session, person.id or 0)}
    return all(wish.partition(" ")[0] in slugs for wish in wishes)


def _act(
    case: Case, person: PersonRow, row: StandbyRow, loaded: LoadedGame, *, off: bool
) -> Changes:
    now, letters = case.work.clock.now(), case.letters
    if off:
        write_to_standby(letters, loaded, row, person, "off", answers=case.incoming)
        return (
            partial(_change, row, {"signed_at": None, "asked_at": None, "seat_id": None}),
            partial(_note, case, loaded, f"{person.name} is no longer signed up as a standby."),
        )
    seat = _offered(case, row, loaded)
    if seat is not None and is_open(row, case.row.internal_date):
        return _seated(case, person, row, loaded, seat)
    if row.asked_at is not None:
        write_to_standby(letters, loaded, row, person, "taken", answers=case.incoming)
        return (partial(_change, row, {"signed_at": now, "asked_at": None, "seat_id": None}),)
    write_to_standby(letters, loaded, row, person, "signed", answers=case.incoming)
    if row.signed_at is not None:
        return ()
    return (
        partial(_change, row, {"signed_at": now}),
        partial(_note, case, loaded, f"{person.name} has signed up as a standby."),
    )


def _offered(case: Case, row: StandbyRow, loaded: LoadedGame) -> HeldSeat | None:
    """Return the seat that a standby was asked to take, None where it isn't free any more.

    Raises AtWorkError while the turn is being adjudicated: its orders are fixed, and who is to give
    them anew isn't settled before.
    """
    if row.seat_id is None or loaded.turn is None:
        return None
    if loaded.turn.status is TurnStatus.CLAIMED:
        raise AtWorkError(f"Turn {loaded.turn.number} of {loaded.row.slug} is being adjudicated.")
    free = free_seats(loaded, load_turn_file(case.session, loaded))
    return next((seat for seat in free if seat.id == row.seat_id), None)


def _seated(
    case: Case, person: PersonRow, row: StandbyRow, loaded: LoadedGame, seat: HeldSeat
) -> Changes:
    rows = [one for one in addresses_of(case.session, [person.id or 0]) if one.confirmed_at]
    known = tuple(one.address for one in sorted(rows, key=lambda one: not one.reports))
    new = Newcomer(person, known)
    try:
        check_newcomer(case.session, loaded, seat, new)
    except PostalError:
        # He has come to a seat of the game since he was listed.
        write_to_standby(case.letters, loaded, row, person, "taken", answers=case.incoming)
        return (partial(_change, row, {"signed_at": None, "asked_at": None, "seat_id": None}),)
    handover = prepare(case.letters, loaded, seat, new, "standby", person.name)
    sentence = f"{person.name}, a standby, has taken the seat of {seat.name}."
    case.letters.notify_gm("a seat is taken", (sentence,), loaded, loaded.game.turn)
    return (partial(_change, row, {"until": case.work.clock.now()}), handover.write)


def _tell(case: Case, loaded: LoadedGame, row: StandbyRow, person: PersonRow) -> None:
    write_to_standby(case.letters, loaded, row, person, "how", answers=case.incoming)


def _without_token(case: Case) -> Outcome | None:
    """Send somebody who is listed a letter that he can answer; From proves nothing."""
    for person in people_at(case.session, case.incoming.senders[0]):
        listed: Sequence[tuple[StandbyRow, GameRow]] = listings_of(case.session, person.id or 0)
        if listed:
            row, game = listed[-1]
            _tell(case, load_game(case.session, game), row, person)
            return Outcome(MailStatus.REJECTED, "a standby's without a token")
    return None


def _wishes(case: Case) -> tuple[str, ...]:
    """Return the arguments of the ``standby`` lines that stand above all quoting."""
    nothing = Context({}, {})
    for text in case.incoming.texts:
        commands = read_mail(own_words(text), nothing).commands
        found = tuple(one.argument for one in commands if one.name == "standby")
        if found:
            return found
    return ()


def _change(row: StandbyRow, values: dict[str, object], session: Session) -> None:
    if not change_standby(session, row, **values):
        raise OvertakenError


def _note(case: Case, loaded: LoadedGame, sentence: str, session: Session) -> None:
    session.add(
        JournalRow(
            at=case.work.clock.now(),
            game_id=loaded.id,
            turn=loaded.game.turn,
            what="standby",
            sentence=sentence,
        )
    )
