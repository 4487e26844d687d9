"""Forgets a person whose games are over: addresses and mails go, and another name takes his place.

What was played stays as it was: seats, states and events under the new name, so that the game can
still be verified and its record written.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from sqlmodel import Session

from postal.errors import PostalError, UsageError
from postal.ordertext import name_problem
from postal.ordertext.renaming import renamed_line, renamed_sentence
from postal.service.desk.people import find_person
from postal.service.workplace import Workplace
from postal.store.absences import forget_absences
from postal.store.codec import with_names
from postal.store.forgetting import (
    Tenure,
    forget_letters,
    forget_mails,
    forget_words,
    letters_to,
    lines_of,
    mails_from,
    rename_words,
    set_subject,
    subjects_of,
    tenures,
)
from postal.store.observers import forget_observer
from postal.store.people import addresses_of
from postal.store.rows import (
    AddressRow,
    GameStatus,
    MailStatus,
    OrderHistoryRow,
    PersonRow,
    TurnRow,
    fold,
)
from postal.store.seats import seat_called, seats_of
from postal.store.standbys import forget_standbys
from postal.store.tokens import revoke, revoke_for_address, revoke_for_person
from postal.store.voidturns import turns_of

LOG = logging.getLogger("postal")

OUT_OF_REACH = (
    "the mails that went out, which lie in people's mailboxes",
    "his mails in the folders of the games' own mailbox",
    "letters to others, mails from others and notices that name him: they go with [keep] in time",
    "records that were exported, and pages that were published",
    "backups and other copies of the database",
)
"""What may still tell of him."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What goes of a person, ``id``, who is ``name`` from then on: how many of each.

    ``games`` are those in which his name is replaced, in so many turns and ``lines`` of orders.
    """

    id: int
    name: str
    games: tuple[str, ...]
    addresses: int
    mails: int
    letters: int
    turns: int
    lines: int


@dataclass(frozen=True, slots=True)
class _Plan:
    """All that is found of a person and will be changed; nothing is yet."""

    person: PersonRow
    name: str
    held: Sequence[Tenure]
    addresses: Sequence[AddressRow]
    mails: Sequence[int]
    letters: Sequence[int]
    turns: Sequence[tuple[TurnRow, Sequence[str | None]]] = field(repr=False)
    lines: Sequence[tuple[OrderHistoryRow, str, str]] = field(repr=False)
    subjects: Sequence[tuple[int, str]] = field(repr=False)

    @property
    def named(self) -> list[Tenure]:
        """The seats that bear his name."""
        return [one for one in self.held if one.named]

    @property
    def told(self) -> Forgotten:
        """What it comes to."""
        return Forgotten(
            id=self.person.id or 0,
            name=self.name,
            games=tuple(one.game.slug for one in self.named),
            addresses=len(self.addresses),
            mails=len(self.mails),
            letters=len(self.letters),
            turns=len(self.turns),
            lines=len(self.lines),
        )


def would_forget(work: Workplace, named: str, name: str) -> Forgotten:
    """Return what would go; raises as ``forget`` does, and nothing is changed."""
    with work.database.reading() as session:
        return _planned(session, named, name).told


def forget(work: Workplace, named: str, name: str) -> Forgotten:
    """Forget a person, who is called ``name`` from now on; return what went.

    Raises UsageError for a name that won't do, and PostalError where a game of his is still in
    play or a mail of his waits to be handled. Nothing is changed then.
    """
    with work.database.transaction() as session:
        plan = _planned(session, named, name)
        told = plan.told
        forget_mails(session, plan.mails)
        forget_letters(session, plan.letters)
        forget_words(session, plan.held)
        forget_observer(session, plan.person.id or 0)
        revoke(session, [one.seat_id for one in plan.held if one.until is None])
        for address in plan.addresses:
            revoke_for_address(session, address.id or 0)
            session.delete(address)
        forget_absences(session, plan.person.id or 0)
        forget_standbys(session, plan.person.id or 0)
        revoke_for_person(session, plan.person.id or 0)
        _rename(session, plan)
    LOG.info("person %s: forgotten", told.id)
    return told


def _rename(session: Session, plan: _Plan) -> None:
    for turn, (state, orders, events) in plan.turns:
        turn.state, turn.orders, turn.events = state, orders, events
    for row, line, sentence in plan.lines:
        row.line, row.sentence = line, sentence
    for number, subject in plan.subjects:
        set_subject(session, number, subject)
    for one in plan.named:
        names = dict.fromkeys((one.seat.name, plan.person.name), plan.name)
        renamed = partial(renamed_sentence, names=names)
        rename_words(session, one.game.id or 0, renamed, names)
        one.seat.name = plan.name
    person = plan.person
    person.name, person.zone, person.language, person.text_only = plan.name, None, None, False
    session.flush()


def _planned(session: Session, named: str, name: str) -> _Plan:
    new = " ".join(name.split())
    if problem := name_problem(new):
        raise UsageError(f"--as {name!r}: {problem}")
    person = find_person(session, named)
    held = tenures(session, person.id or 0)
    _refuse_playing(person, held)
    _refuse_taken(session, person, held, new)
    addresses = addresses_of(session, [person.id or 0])
    mails = mails_from(session, held, [row.address_key for row in addresses])
    _refuse_waiting(person, mails)
    turns: list[tuple[TurnRow, Sequence[str | None]]] = []
    lines: list[tuple[OrderHistoryRow, str, str]] = []
    subjects: list[tuple[int, str]] = []
    for one in held:
        if one.named:
            turns += _turns_renamed(session, one, {one.seat.name: new})
            names = dict.fromkeys((one.seat.name, person.name), new)
            lines += _lines_renamed(session, one, names)
            subjects += _subjects_renamed(session, one, names)
    return _Plan(
        person=person,
        name=new,
        held=held,
        addresses=addresses,
        mails=sorted(mails),
        letters=letters_to(session, held, [row.address for row in addresses]),
        turns=turns,
        lines=lines,
        subjects=subjects,
    )


def _refuse_playing(person: PersonRow, held: Sequence[Tenure]) -> None:
    playing = [one.game.slug for one in held if one.game.status is GameStatus.RUNNING]
    if playing:
        raise PostalError(
            f"{person.name} has or had a seat in {', '.join(dict.fromkeys(playing))}, still in"
            " play: he can be forgotten when that is over."
        )


def _refuse_taken(session: Session, person: PersonRow, held: Sequence[Tenure], new: str) -> None:
    if fold(new) == fold(person.name):
        raise UsageError(f"--as {new!r}: that is his name.")
    for one in held:
        game_id = one.game.id or 0
        holders = {fold(seat.person.name) for seat in seats_of(session, game_id)}
        if seat_called(session, game_id, new) or fold(new) in holders:
            raise UsageError(f"--as {new!r}: {one.game.slug} has a player of that name already.")


def _refuse_waiting(person: PersonRow, mails: Mapping[int, MailStatus]) -> None:
    waiting = [number for number, status in mails.items() if status is MailStatus.NEW]
    if waiting:
        raise PostalError(
            f"Mail {min(waiting)} from {person.name} waits to be handled: `postal poll` does it,"
            " and then he can be forgotten."
        )
    unread = [number for number, status in mails.items() if status is MailStatus.UNREAD]
    if unread:
        raise PostalError(
            f"Mail {min(unread)} from {person.name} lies in the mailbox unread: `postal inbox"
            f" discard {min(unread)}` lets it go, and then he can be forgotten."
        )


def _turns_renamed(
    session: Session, seat: Tenure, names: Mapping[str, str]
) -> Iterator[tuple[TurnRow, Sequence[str | None]]]:
    """Yield the turns of a game that name somebody, each with its texts as they will be."""
    for turn in turns_of(session, seat.game.id or 0):
        texts = [turn.state, turn.orders, turn.events]
        renamed = [text and with_names(text, names) for text in texts]
        if renamed != texts:
            yield turn, renamed


def _lines_renamed(
    session: Session, seat: Tenure, names: Mapping[str, str]
) -> Iterator[tuple[OrderHistoryRow, str, str]]:
    """Yield the lines of a game that name somebody, with the answer to each, as they will be."""
    for row in lines_of(session, seat.game.id or 0):
        line = renamed_line(row.line, names)
        sentence = renamed_sentence(row.sentence, names)
        if (line, sentence) != (row.line, row.sentence):
            yield row, line, sentence


def _subjects_renamed(
    session: Session, seat: Tenure, names: Mapping[str, str]
) -> Iterator[tuple[int, str]]:
    for number, subject in subjects_of(session, seat.game.id or 0):
        renamed = renamed_sentence(subject, names)
        if renamed != subject:
            yield number, renamed
