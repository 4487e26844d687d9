"""What must come of a mail of the corpus, as its .toml file has it, and what does."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from email import message_from_bytes
from email.utils import parseaddr
from pathlib import Path
from typing import Any
from unittest.mock import patch

from sqlmodel import Session, col, select

from postal.mail.incoming import Incoming
from postal.ordertext import Reading
from postal.ordertext.types import Command
from postal.service.inbound import handling
from postal.service.inbound.handling import best_reading
from postal.service.inbound.intake import Inbox, poll
from postal.service.loading import LoadedGame
from postal.store.rows import (
    MailRow,
    OrderAction,
    OrderHistoryRow,
    OrderRow,
    OutboxRow,
    SeatRow,
    TurnRow,
)
from tests.mail.corpus_game import League

CORPUS = Path(__file__).parent / "corpus"
NAMES = tuple(sorted(path.stem for path in CORPUS.glob("*.eml")))


@dataclass(frozen=True)
class Outcome:
    """What came of a mail.

    ``orders`` are on file after it, in canonical form, by hand; ``problems`` are the codes of
    the lines refused; ``commands`` are those read, with their text; ``cut`` are the lines that
    the receipt names as left unread. ``answer`` has the kind of each
    mail that went out for it, ``gm`` for a notice to the GM. ``folder`` is where it was put.
    """

    orders: tuple[str, ...]
    problems: tuple[str, ...]
    commands: tuple[str, ...]
    cut: tuple[str, ...]
    answer: tuple[str, ...]
    folder: str


@dataclass(frozen=True)
class Case:
    """A mail of the corpus: what it is, the state of the game it belongs to, what must come."""

    about: str
    game: str
    expected: Outcome
    mutation: "Mutation | None" = None


@dataclass(frozen=True)
class Mutation:
    """A change that takes a mail's trait away, and what must come of it then, by its key."""

    replace: tuple[tuple[str, str], ...]
    differs: Mapping[str, Any]

    def applied(self, raw: bytes) -> bytes:
        """Return a mail so changed; each text that is replaced stands in it."""
        for old, new in self.replace:
            assert old.encode() in raw, f"{old!r} is not there"
            raw = raw.replace(old.encode(), new.encode())
        return raw


def case(name: str) -> Case:
    """Return a case by its name; every key must be there, and no other."""
    path = CORPUS / f"{name}.toml"
    found = tomllib.loads(path.read_text("utf-8"))
    about, game = found.pop("about"), found.pop("game")
    changed = found.pop("mutation", None)
    keys = {one.name for one in fields(Outcome)}
    assert set(found) == keys, f"{path.name} has not the keys that it should have"
    mutation = None
    if changed is not None:
        pairs = tuple((old, new) for old, new in changed.pop("replace"))
        assert set(changed) <= keys, f"{path.name} mutates to keys that there are not"
        mutation = Mutation(pairs, _values(changed))
    return Case(about, game, Outcome(**_values(found)), mutation)


def _values(found: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in found.items()}


def raw_mail(name: str, league: League) -> bytes:
    """Return a mail's bytes with the game's tokens in it."""
    return league.filled((CORPUS / f"{name}.eml").read_bytes())


def envelope(raw: bytes) -> tuple[str, str]:
    """Return the sender and the recipient that a mail's server had noted in its header."""
    head = message_from_bytes(raw)
    return parseaddr(head["Return-Path"])[1], head["Delivered-To"]


def outcome(league: League, inbox: Inbox, moved: Mapping[int, str]) -> Outcome:
    """Poll a mailbox with one new mail and return what came of it.

    ``moved`` has the folder that the mailbox put it in, by UID, after the poll.
    """
    readings: list[Reading] = []

    def noting(incoming: Incoming, loaded: LoadedGame, player: str) -> Reading:
        readings.append(best_reading(incoming, loaded, player))
        return readings[-1]

    with league.work.database.reading() as session:
        before = len(session.exec(select(OutboxRow.id)).all())
    with patch.object(handling, "best_reading", noting):
        poll(league.work, inbox)
    reading = readings[0] if readings else Reading((), (), (), ())
    with league.work.database.reading() as session:
        row = session.exec(select(MailRow).order_by(col(MailRow.id).desc())).first()
        assert row is not None
        sent = session.exec(select(OutboxRow).order_by(col(OutboxRow.id)).offset(before)).all()
        for mail in sent:
            seat = session.get(SeatRow, mail.seat_id) if mail.seat_id else None
            name = seat.name.lower() if seat else "roger"
            assert mail.recipient == f"{name}@example.org"
        return Outcome(
            orders=_on_file(session, league.turn),
            problems=_refused(session, row),
            commands=tuple(map(_told, reading.commands)),
            cut=reading.unread,
            answer=tuple(mail.kind for mail in sent),
            folder=moved.get(row.uid, league.work.folder),
        )


def _told(command: Command) -> str:
    return f"{command.name}: {command.argument}" if command.argument else command.name


def _on_file(session: Session, turn: int) -> tuple[str, ...]:
    rows = session.exec(
        select(OrderRow, SeatRow)
        .join(TurnRow, col(TurnRow.id) == OrderRow.turn_id)
        .where(SeatRow.id == OrderRow.seat_id, TurnRow.number == turn)
    ).all()
    filed = sorted((seat.name, row.hand, row.line) for row, seat in rows)
    return tuple(line for _, _, line in filed)


def _refused(session: Session, row: MailRow) -> tuple[str, ...]:
    noted = session.exec(
        select(OrderHistoryRow)
        .where(OrderHistoryRow.mail_id == row.id, OrderHistoryRow.action == OrderAction.REFUSED)
        .order_by(col(OrderHistoryRow.id))
    ).all()
    return tuple(one.code for one in noted)
