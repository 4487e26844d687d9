"""Mails that the server lists and did not hand over, and such as fail when they are handled."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from sqlalchemy import update
from sqlalchemy.orm import QueryableAttribute, defer
from sqlalchemy.sql import ColumnElement
from sqlmodel import Session, and_, col, or_, select

from postal.store.rows import MailRow, MailStatus
from postal.store.rows.mails import NEW, UNREAD

_MOST_AT_ONCE = 500

_LIGHT = defer(cast("QueryableAttribute[bytes | None]", MailRow.raw))
"""Without the bytes: two megabytes each, of no use here."""


@dataclass(frozen=True, slots=True)
class KnownMail:
    """A mail that is stored, as it is compared with what the server says of its UID.

    ``had``: its bytes were handed over once.
    """

    id: int
    size: int
    internal_date: datetime
    had: bool


def known_mails(
    session: Session, account: str, folder: str, uidvalidity: int, uids: Sequence[int]
) -> dict[int, KnownMail]:
    """Return what is stored under those of a folder's UIDs that are known, by UID."""
    known: dict[int, KnownMail] = {}
    for first in range(0, len(uids), _MOST_AT_ONCE):
        statement = select(MailRow).where(
            MailRow.account == account,
            MailRow.folder == folder,
            MailRow.uidvalidity == uidvalidity,
            col(MailRow.uid).in_(uids[first : first + _MOST_AT_ONCE]),
        )
        for row in session.exec(statement.options(_LIGHT)).all():
            had = row.sha256 is not None
            known[row.uid] = KnownMail(row.id or 0, row.size, row.internal_date, had=had)
    return known


def unread_mails(session: Session, account: str, folder: str) -> Sequence[MailRow]:
    """Return the mails of a folder that the server did not hand over so far, the oldest first."""
    statement = select(MailRow).where(UNREAD, MailRow.account == account, MailRow.folder == folder)
    return session.exec(statement.order_by(col(MailRow.id))).all()


def give_uid_away(session: Session, mail_id: int) -> None:
    """Note that the UID of a mail is another one's now: it is not in the folder any more."""
    row = session.get(MailRow, mail_id, with_for_update=True)
    if row is not None:
        row.uid, row.moved = -mail_id, True
        session.flush()


def single_failing(session: Session, now: datetime) -> None:
    """Note of the mails that fail when they are handled that others were handled meanwhile."""
    statement = update(MailRow).where(_failing(now), col(MailRow.singled_at).is_(None))
    session.exec(statement.values(singled_at=now))


def holding_mails(session: Session, game_id: int, now: datetime) -> Sequence[MailRow]:
    """Return the mails that may order something in a game and could not be dealt with so far.

    They are those that bear its token, and those of which not even the header could be had, the
    oldest first, without their bytes: unread ones, such as fail when they are handled, and such
    that were set aside for that.
    """
    of_it = col(MailRow.game_id) == game_id
    which: tuple[ColumnElement[bool], ...] = (
        and_(UNREAD, or_(of_it, col(MailRow.raw).is_(None))),
        and_(_failing(now), of_it),
        and_(
            col(MailRow.status) == MailStatus.QUARANTINED,
            of_it,
            col(MailRow.singled_at).is_not(None),
        ),
    )
    found = [
        row
        for one in which
        for row in session.exec(select(MailRow).where(one).options(_LIGHT)).all()
    ]
    return sorted(found, key=lambda row: row.id or 0)


def _failing(now: datetime) -> ColumnElement[bool]:
    """Which mails have failed when they were handled, and are not being handled at this moment."""
    free = or_(col(MailRow.lease_until).is_(None), col(MailRow.lease_until) <= now)
    return and_(NEW, col(MailRow.tries) > 0, free)
