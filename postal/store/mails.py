"""Mail that came in, each handled once (MAIL.md, In 9), and the polls that fetched it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import cast

from sqlalchemy.orm import QueryableAttribute, defer
from sqlmodel import Session, and_, col, or_, select
from sqlmodel.sql.expression import SelectOfScalar

from postal.store.rows import AccountRow, MailRow, MailStatus


def known_uids(session: Session, account: str, folder: str, uidvalidity: int) -> set[int]:
    """Return the UIDs of a folder that are stored already."""
    statement = select(MailRow.uid).where(
        MailRow.account == account,
        MailRow.folder == folder,
        MailRow.uidvalidity == uidvalidity,
    )
    return set(session.exec(statement).all())


def store_mail(session: Session, mail: MailRow) -> tuple[MailRow, bool]:
    """Store a mail unless that UID is there; return its row and whether it is new.

    The order in which mails are stored is their order of arrival: a poll stores by rising UID.
    """
    statement = select(MailRow).where(
        MailRow.account == mail.account,
        MailRow.folder == mail.folder,
        MailRow.uidvalidity == mail.uidvalidity,
        MailRow.uid == mail.uid,
    )
    stored = session.exec(statement).one_or_none()
    if stored is not None:
        return stored, False
    session.add(mail)
    session.flush()
    return mail, True


def already_handled(session: Session, mail: MailRow) -> MailRow | None:
    """Return another row with the same bytes that was dealt with, if there is one.

    So a mail that comes again under another UID or UIDVALIDITY gives no order twice.
    """
    if mail.sha256 is None:
        return None
    statement = select(MailRow).where(
        MailRow.sha256 == mail.sha256,
        MailRow.id != mail.id,
        MailRow.status != MailStatus.NEW,
    )
    return session.exec(statement.order_by(col(MailRow.id))).first()


def new_mails(session: Session, limit: int = 50) -> Sequence[MailRow]:
    """Return the mails still to be handled, in their order of arrival."""
    statement = select(MailRow).where(MailRow.status == MailStatus.NEW)
    return session.exec(statement.order_by(col(MailRow.id)).limit(limit)).all()


def new_mail_ids(session: Session) -> Sequence[int]:
    """Return the ids of all mails still to be handled, in their order of arrival."""
    statement = select(col(MailRow.id)).where(MailRow.status == MailStatus.NEW)
    # A stored row has its id; the None is that of a row not yet stored.
    return [number for number in session.exec(statement.order_by(col(MailRow.id))) if number]


def mails_with_status(session: Session, status: MailStatus) -> Sequence[MailRow]:
    """Return the mails of a status, oldest first, without their raw bytes.

    The bytes of one come with ``session.get(MailRow, id)`` in a later transaction.
    """
    statement = select(MailRow).where(MailRow.status == status)
    return session.exec(_light(statement)).all()


def unmoved_mails(session: Session, account: str, folder: str) -> Sequence[MailRow]:
    """Return a folder's handled mails that must still go to ``target``, without raw bytes."""
    statement = select(MailRow).where(
        MailRow.account == account,
        MailRow.folder == folder,
        MailRow.status != MailStatus.NEW,
        MailRow.target != "",
        col(MailRow.moved).is_(False),
    )
    return session.exec(_light(statement)).all()


def mails_astray(
    session: Session, account: str, folder: str, places: Mapping[MailStatus, str]
) -> Sequence[MailRow]:
    """Return mails that were moved where their status no longer belongs, without raw bytes.

    ``places`` are the folders by status. Mail that was left in ``folder`` on purpose is none.
    """
    elsewhere = [
        and_(col(MailRow.status) == status, col(MailRow.target) != place)
        for status, place in places.items()
    ]
    statement = select(MailRow).where(
        MailRow.account == account,
        MailRow.folder == folder,
        MailRow.target != folder,
        col(MailRow.moved).is_(True),
        or_(*elsewhere),
    )
    return session.exec(_light(statement)).all()


def mails_like(session: Session, mail: MailRow) -> Sequence[int]:
    """Return the ids of all mails with the bytes of one, itself among them."""
    assert mail.id is not None, "a stored mail has an id"
    if mail.sha256 is None:
        return [mail.id]
    statement = select(col(MailRow.id)).where(MailRow.sha256 == mail.sha256)
    return [number for number in session.exec(statement).all() if number]


def polled_folder(session: Session, account: str, folder: str) -> AccountRow:
    """Return the row of a polled folder, begun here where there is none yet."""
    statement = select(AccountRow).where(AccountRow.account == account, AccountRow.folder == folder)
    row = session.exec(statement).one_or_none()
    if row is None:
        row = AccountRow(account=account, folder=folder)
        session.add(row)
        session.flush()
    return row


def poll_began(
    session: Session, account: str, folder: str, *, uidvalidity: int, now: datetime
) -> None:
    """Note that a poll begins, before the server is asked what there is."""
    row = polled_folder(session, account, folder)
    row.uidvalidity = uidvalidity
    row.poll_started_at = now


def poll_finished(
    session: Session, account: str, folder: str, *, began: datetime, now: datetime
) -> None:
    """Note that all that the server had at ``began``, when this poll began, is stored.

    The time is handed in, since two processes may poll at once.
    """
    row = polled_folder(session, account, folder)
    row.poll_finished_at = now
    if row.whole_poll_began_at is None or row.whole_poll_began_at < began:
        row.whole_poll_began_at = began


def whole_poll_began_at(session: Session, account: str, folder: str) -> datetime | None:
    """Return when the last whole poll began, None before the first (RULES.md 10.5)."""
    statement = select(AccountRow.whole_poll_began_at).where(
        AccountRow.account == account, AccountRow.folder == folder
    )
    return session.exec(statement).first()


def _light(statement: SelectOfScalar[MailRow]) -> SelectOfScalar[MailRow]:
    # Two megabytes each, of no use in a list.
    raw = cast("QueryableAttribute[bytes | None]", MailRow.raw)
    return statement.options(defer(raw)).order_by(col(MailRow.id))
