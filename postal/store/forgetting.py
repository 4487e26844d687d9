"""What the store holds of a person, found for forgetting him: seats, mails, letters, and lines."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import and_, delete, func, or_, update
from sqlalchemy.orm import Mapped
from sqlalchemy.sql import ColumnElement
from sqlmodel import Session, col, select

from postal.store.rows import (
    GameRow,
    GameStatus,
    HolderRow,
    JournalRow,
    MailRow,
    MailStatus,
    OrderHistoryRow,
    OutboxRow,
    OutboxState,
    PressRow,
    ProtestRow,
    SeatRow,
    TurnRow,
)

_AT_ONCE = 500
"""How many values one statement names: databases have limits."""


@dataclass(frozen=True, slots=True)
class Tenure:
    """A seat that a person held from ``since`` until ``until`` (UTC; None: he holds it now).

    ``named``: the seat bears his name, since the game began with him in it.
    """

    seat: SeatRow
    game: GameRow
    since: datetime
    until: datetime | None
    named: bool

    @property
    def seat_id(self) -> int:
        """The seat's id in the store."""
        assert self.seat.id is not None, "a stored seat has an id"
        return self.seat.id


def tenures(session: Session, person_id: int) -> Sequence[Tenure]:
    """Return every seat that a person ever held, oldest game first."""
    statement = (
        select(HolderRow, SeatRow, GameRow)
        .where(
            HolderRow.person_id == person_id,
            SeatRow.id == HolderRow.seat_id,
            GameRow.id == SeatRow.game_id,
        )
        .order_by(col(GameRow.id), col(HolderRow.id))
    )
    found = session.exec(statement).all()
    firsts = select(func.min(col(HolderRow.id))).where(
        col(HolderRow.seat_id).in_([seat.id for _, seat, _ in found])
    )
    first = set(session.exec(firsts.group_by(col(HolderRow.seat_id))).all())
    named = {seat.id for holder, seat, _ in found if holder.id in first}
    return [
        Tenure(seat, game, holder.since, holder.until, seat.id in named)
        for holder, seat, game in found
    ]


def mails_from(
    session: Session, held: Sequence[Tenure], address_keys: Collection[str]
) -> dict[int, MailStatus]:
    """Return the mails that came from a person by id, each with its status.

    They are those of his seats in his time, and those from his addresses but for such as belong to
    a game in play: two people may share an address.
    """
    found: dict[int, MailStatus] = {}
    running = select(col(GameRow.id)).where(GameRow.status == GameStatus.RUNNING)
    sent = and_(
        col(MailRow.status).in_(list(MailStatus)),
        col(MailRow.sender_key).in_(address_keys),
        or_(col(MailRow.game_id).is_(None), col(MailRow.game_id).not_in(running)),
    )
    seated = [
        and_(col(MailRow.seat_id) == one.seat_id, *_within(col(MailRow.received_at), one))
        for one in held
    ]
    for which in (*seated, sent):
        rows = session.exec(select(MailRow.id, MailRow.status).where(which)).all()
        found |= {number: MailStatus(status) for number, status in rows if number}
    return found


def forget_mails(session: Session, numbers: Collection[int]) -> None:
    """Delete the bytes and the sender of some mails; one that was held is done with."""
    for some in _chunks(numbers):
        mine = col(MailRow.id).in_(some)
        session.exec(update(MailRow).where(mine).values(raw=None, sender_key=""))
        held = and_(mine, col(MailRow.status) == MailStatus.QUARANTINED)
        values = {"status": MailStatus.DONE, "reason": "who wrote it was forgotten"}
        session.exec(update(MailRow).where(held).values(**values))


def letters_to(
    session: Session, held: Sequence[Tenure], addresses: Collection[str]
) -> Sequence[int]:
    """Return the letters that were written to a person in his seats, by id."""
    found: set[int] = set()
    for one in held:
        his = or_(
            and_(*_within(col(OutboxRow.created_at), one)), col(OutboxRow.recipient).in_(addresses)
        )
        statement = select(col(OutboxRow.id)).where(OutboxRow.seat_id == one.seat_id, his)
        found |= {number for number in session.exec(statement).all() if number}
    return sorted(found)


def forget_letters(session: Session, numbers: Collection[int]) -> None:
    """Delete bodies, recipient and servers' answers of some letters; none of them goes any more."""
    for some in _chunks(numbers):
        mine = col(OutboxRow.id).in_(some)
        session.exec(update(OutboxRow).where(mine).values(raw=None, recipient="", last_text=""))
        waiting = and_(mine, col(OutboxRow.state).in_((OutboxState.QUEUED, OutboxState.UNKNOWN)))
        values = {"state": OutboxState.FAILED, "next_try_at": None}
        session.exec(update(OutboxRow).where(waiting).values(**values))


def forget_words(session: Session, held: Sequence[Tenure]) -> None:
    """Delete the press and the protests that somebody wrote in his seats."""
    for one in held:
        for kind in (PressRow, ProtestRow):
            his = and_(col(kind.seat_id) == one.seat_id, *_within(col(kind.at), one))
            session.exec(delete(kind).where(his))


def rename_words(
    session: Session, game_id: int, renamed: Callable[[str], str], names: Mapping[str, str]
) -> None:
    """Change names in a game's journal and in whom its press is to."""
    for entry in session.exec(select(JournalRow).where(JournalRow.game_id == game_id)).all():
        entry.who, entry.sentence = names.get(entry.who, entry.who), renamed(entry.sentence)
    for press in session.exec(select(PressRow).where(PressRow.game_id == game_id)).all():
        press.to = "\n".join(names.get(name, name) for name in press.to.splitlines())


def subjects_of(session: Session, game_id: int) -> Sequence[tuple[int, str]]:
    """Return the subjects of a game's letters, each with the letter's id."""
    statement = select(col(OutboxRow.id), OutboxRow.subject).where(OutboxRow.game_id == game_id)
    return [(number or 0, subject) for number, subject in session.exec(statement).all()]


def set_subject(session: Session, letter_id: int, subject: str) -> None:
    """Change the subject that is noted of a letter."""
    session.exec(update(OutboxRow).where(col(OutboxRow.id) == letter_id).values(subject=subject))


def lines_of(session: Session, game_id: int) -> Sequence[OrderHistoryRow]:
    """Return what became of every line of a game, oldest first."""
    turns = select(col(TurnRow.id)).where(TurnRow.game_id == game_id)
    statement = select(OrderHistoryRow).where(col(OrderHistoryRow.turn_id).in_(turns))
    return session.exec(statement.order_by(col(OrderHistoryRow.id))).all()


def _within(moment: Mapped[datetime], held: Tenure) -> Iterator[ColumnElement[bool]]:
    yield moment >= held.since
    if held.until is not None:
        yield moment < held.until


def _chunks(numbers: Collection[int]) -> Iterator[Sequence[int]]:
    ordered = sorted(numbers)
    for first in range(0, len(ordered), _AT_ONCE):
        yield ordered[first : first + _AT_ONCE]
