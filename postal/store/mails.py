"""Mail that came in, each handled once (MAIL.md, In 9), and the polls that fetched it."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import cast

from sqlalchemy import bindparam, exists, func, update
from sqlalchemy.orm import QueryableAttribute, aliased, defer
from sqlmodel import Session, and_, col, or_, select
from sqlmodel.sql.expression import SelectOfScalar

from postal.store.inserting import insert_new
from postal.store.rows import AccountRow, MailRow, MailStatus
from postal.store.rows.mails import NEW

_MOST_AT_ONCE = 500
"""How many values one statement names: databases have limits."""

PATIENT_TRIES = 2
"""After so many failed tries a mail holds up the later ones of its sender no more."""

_CHANCES = 2

# Made once: to make an alias takes longer than the statement.
_EARLIER = aliased(MailRow)
_BEHIND = exists().where(
    col(_EARLIER.status) == MailStatus.NEW,
    or_(
        col(_EARLIER.tries) < PATIENT_TRIES,
        col(_EARLIER.lease_until) > bindparam("now"),
    ),
    col(_EARLIER.id) < MailRow.id,
    or_(
        col(_EARLIER.seat_id) == MailRow.seat_id,
        and_(
            col(_EARLIER.sender_key) == MailRow.sender_key,
            col(MailRow.sender_key) != "",
            or_(col(_EARLIER.seat_id).is_(None), col(MailRow.seat_id).is_(None)),
        ),
    ),
)
"""Whether an earlier mail of the same seat, or that may be of it, is still to be handled.

One that has failed for some times is waited for no longer: it does not undo what comes before it.
"""

_RAW = cast("QueryableAttribute[bytes | None]", MailRow.raw)

# As above: made once, for every mail needs them.
_NEXT = (
    select(MailRow)
    .where(
        NEW,
        col(MailRow.id) > bindparam("after"),
        or_(
            col(MailRow.lease_until).is_(None),
            col(MailRow.lease_until) <= bindparam("now"),
            col(MailRow.owner) == bindparam("mine"),
        ),
        or_(col(MailRow.next_try_at).is_(None), col(MailRow.next_try_at) <= bindparam("now")),
        ~_BEHIND,
    )
    .order_by(col(MailRow.id))
    .limit(1)
    .with_for_update(skip_locked=True, key_share=True)
)
_NEXT_OF = {
    None: _NEXT,
    False: _NEXT.where(col(MailRow.tries) == 0),
    True: _NEXT.where(col(MailRow.tries) > 0),
}
"""The next mail to handle: of all, of those never tried, or of those that have failed."""

_LEASED = (
    select(MailRow)
    .where(
        col(MailRow.id) == bindparam("number"),
        col(MailRow.status) == MailStatus.NEW,
        col(MailRow.owner) == bindparam("mine"),
    )
    .options(defer(_RAW))
    .with_for_update()
)
_STORED = select(MailRow).where(
    col(MailRow.account) == bindparam("of_account"),
    col(MailRow.folder) == bindparam("of_folder"),
    col(MailRow.uidvalidity) == bindparam("of_uidvalidity"),
    col(MailRow.uid) == bindparam("of_uid"),
)
_SAME = (
    select(MailRow)
    .where(
        col(MailRow.sha256) == bindparam("bytes"),
        col(MailRow.id) != bindparam("number"),
        col(MailRow.status) != MailStatus.NEW,
    )
    .options(defer(_RAW))
    .order_by(col(MailRow.id))
)
_EARLIER_OF_SEAT = (
    select(MailRow.id, MailRow.raw)
    .where(
        col(MailRow.seat_id) == bindparam("of_seat"),
        col(MailRow.turn) == bindparam("of_turn"),
        col(MailRow.status) == MailStatus.DONE,
        col(MailRow.id) < bindparam("number"),
    )
    .order_by(col(MailRow.id).desc())
    .limit(bindparam("most"))
)


def store_mail(session: Session, mail: MailRow) -> tuple[MailRow, bool]:
    """Store a mail unless that UID is there; return its row and whether it is new.

    The order in which mails are stored is their order of arrival: a poll stores by rising UID.
    """
    place = {
        "of_account": mail.account,
        "of_folder": mail.folder,
        "of_uidvalidity": mail.uidvalidity,
        "of_uid": mail.uid,
    }
    stored = session.exec(_STORED, params=place).one_or_none()
    if stored is not None:
        return stored, False
    session.add(mail)
    session.flush()
    return mail, True


def already_handled(session: Session, mail: MailRow) -> MailRow | None:
    """Return another row with the same bytes that was dealt with, if there is one, without them.

    So a mail that comes again under another UID or UIDVALIDITY gives no order twice.
    """
    if mail.sha256 is None:
        return None
    return session.exec(_SAME, params={"bytes": mail.sha256, "number": mail.id}).first()


def is_stored(session: Session, sha256: str) -> bool:
    """Whether a mail with these bytes (SHA-256, hex) is stored, whatever became of it."""
    statement = select(MailRow.id).where(MailRow.sha256 == sha256)
    return session.exec(statement.limit(1)).first() is not None


def lease_mail(  # noqa: PLR0913 - each says which, named at the call
    session: Session,
    *,
    owner: str,
    now: datetime,
    until: datetime,
    after: int = 0,
    failed: bool | None = None,
    pause: Callable[[int], timedelta] = lambda _: timedelta(0),
) -> MailRow | None:
    """Take the next mail to handle, behind mail ``after``, counting the try; None: there is none.

    ``failed``: of those alone that have failed before, or have not. ``pause`` gives how long such a
    mail waits, by its failed tries, where the program ends before it says what became of this one.

    Nobody else handles it before ``until``. A seat's mails are handled one after the other: while
    one waits, because another process has it or it is to be tried again, the later ones wait too,
    so that an older order never takes the place of a newer. Where a mail's seat isn't known it may
    be any of its sender's.
    """
    which = {"now": now, "after": after, "mine": owner}
    row = session.exec(_NEXT_OF[failed], params=which).first()
    if row is not None:
        # A program that was killed at it once or twice was killed by chance.
        chances = row.tries - _CHANCES
        row.next_try_at = now + pause(chances) if chances > 0 else None
        row.owner, row.lease_until, row.tries = owner, until, row.tries + 1
        session.flush()
    return row


def leased_mail(session: Session, mail_id: int, owner: str) -> MailRow | None:
    """Return a mail that a process has taken, locked and without its bytes, to write what it is.

    None where another process has dealt with it, or has it by now.
    """
    return session.exec(_LEASED, params={"number": mail_id, "mine": owner}).first()


def release_mail(  # noqa: PLR0913 - each says what is noted, named at the call
    session: Session,
    mail_id: int,
    *,
    owner: str,
    counts: bool,
    next_try_at: datetime | None = None,
    reason: str = "",
) -> None:
    """Let an own mail go again; it is tried anew from ``next_try_at`` on, or at the next poll.

    ``counts``: whether the try was one, or what failed was not the mail's fault; ``reason`` is what
    it failed at. Nothing is done
    where another process has taken it since, after a lease that was over.
    """
    statement = update(MailRow).where(
        col(MailRow.id) == mail_id,
        col(MailRow.status) == MailStatus.NEW,
        col(MailRow.owner) == owner,
    )
    values: dict[str, object] = {"owner": None, "lease_until": None, "next_try_at": next_try_at}
    if counts:
        values["reason"] = reason
    else:
        values["tries"] = col(MailRow.tries) - 1
    session.exec(statement.values(**values))


def free_mails(session: Session, owner: str | None = None) -> int:
    """End the leases on mails, all or a process's own; return how many there were.

    All: for the start of a daemon that is alone, after one that was killed.
    """
    statement = update(MailRow).where(
        col(MailRow.status) == MailStatus.NEW, col(MailRow.lease_until).is_not(None)
    )
    if owner is not None:
        statement = statement.where(col(MailRow.owner) == owner)
    freed = statement.values(owner=None, lease_until=None).returning(col(MailRow.id))
    return len(session.exec(freed).all())


def waits_for_mail(session: Session, game_id: int, now: datetime) -> bool:
    """Return whether mail of a game, or of nobody knows which, is still to be handled.

    One that fails each time is none of these: how long the game waits for it is another question.
    """
    statement = select(MailRow.id).where(
        MailRow.status == MailStatus.NEW,
        or_(
            and_(
                MailRow.game_id == game_id,
                or_(MailRow.tries == 0, col(MailRow.lease_until) > now),
            ),
            and_(col(MailRow.game_id).is_(None), MailRow.tries == 0),
        ),
    )
    return session.exec(statement.limit(1)).first() is not None


def earlier_of_seat(
    session: Session, mail_id: int, seat_id: int, turn: int, limit: int
) -> Sequence[tuple[int, bytes | None]]:
    """Return (id, bytes) of a seat's mails of a turn that were done before one, latest first."""
    which = {"of_seat": seat_id, "of_turn": turn, "number": mail_id, "most": limit}
    rows = session.exec(_EARLIER_OF_SEAT, params=which).all()
    return [(number or 0, raw) for number, raw in rows]


def mails_with_status(session: Session, status: MailStatus) -> Sequence[MailRow]:
    """Return the mails of a status, oldest first, without their raw bytes.

    The bytes of one come with ``session.get(MailRow, id)`` in a later transaction.
    """
    statement = select(MailRow).where(MailRow.status == status)
    return session.exec(_light(statement)).all()


def count_mails(session: Session, status: MailStatus) -> int:
    """Return how many mails there are of a status."""
    statement = select(func.count()).select_from(MailRow).where(MailRow.status == status)
    return session.exec(statement).one()


def unmoved_mails(session: Session, account: str, folder: str) -> Sequence[MailRow]:
    """Return a folder's handled mails that must still go to ``target``, without raw bytes."""
    statement = select(MailRow).where(
        MailRow.account == account,
        MailRow.folder == folder,
        col(MailRow.moved).is_(False),
        MailRow.status != MailStatus.NEW,
        MailRow.target != "",
    )
    return session.exec(_light(statement)).all()


def note_moved(session: Session, ids: Sequence[int], place: str) -> None:
    """Note where mails lie now; one that is to go elsewhere meanwhile has still to be moved."""
    for first in range(0, len(ids), _MOST_AT_ONCE):
        statement = update(MailRow).where(col(MailRow.id).in_(ids[first : first + _MOST_AT_ONCE]))
        session.exec(statement.values(place=place, moved=col(MailRow.target) == place))


def mails_like(session: Session, mail: MailRow) -> Sequence[int]:
    """Return the ids of all mails with the bytes of one, itself among them, oldest first."""
    assert mail.id is not None, "a stored mail has an id"
    if mail.sha256 is None:
        return [mail.id]
    statement = select(col(MailRow.id)).where(MailRow.sha256 == mail.sha256)
    return [number for number in session.exec(statement.order_by(col(MailRow.id))).all() if number]


def polled_folder(session: Session, account: str, folder: str, *, lock: bool = False) -> AccountRow:
    """Return the row of a polled folder, begun here where there is none yet.

    ``lock``: nobody else changes it before this transaction ends.
    """
    statement = select(AccountRow).where(AccountRow.account == account, AccountRow.folder == folder)
    if lock:
        statement = statement.with_for_update()
    row = session.exec(statement).one_or_none()
    if row is None:
        # Another process may be making it at this moment.
        insert_new(session, AccountRow, [{"account": account, "folder": folder}])
        row = session.exec(statement).one()
    return row


def poll_finished(
    session: Session, account: str, folder: str, *, uidvalidity: int, began: datetime
) -> datetime | None:
    """Note that all that the server had at ``began``, when this poll began, is stored.

    The time is handed in, since two processes may poll at once. Returns when the last one before
    began; None: there was none.
    """
    row = polled_folder(session, account, folder, lock=True)
    before = row.whole_poll_began_at
    row.uidvalidity = uidvalidity
    if before is None or before < began:
        row.whole_poll_began_at = began
    return before


def forget_whole_poll(session: Session, account: str, folder: str, *, after: datetime) -> None:
    """Forget the last whole poll if it began later than that, by a clock that was ahead."""
    row = polled_folder(session, account, folder)
    if row.whole_poll_began_at is not None and row.whole_poll_began_at > after:
        row.whole_poll_began_at = None


def hold_mailbox(  # noqa: PLR0913 - each says which, named at the call
    session: Session, account: str, folder: str, *, owner: str, now: datetime, until: datetime
) -> bool:
    """Take or keep the lease of a mailbox until then; False where another daemon has it."""
    row = polled_folder(session, account, folder)
    statement = (
        update(AccountRow)
        .where(
            col(AccountRow.id) == row.id,
            or_(
                col(AccountRow.owner).is_(None),
                col(AccountRow.owner) == owner,
                col(AccountRow.lease_until) <= now,
            ),
        )
        .values(owner=owner, lease_until=until)
        .returning(col(AccountRow.id))
    )
    return session.exec(statement).one_or_none() is not None


def leave_mailbox(session: Session, account: str, folder: str, *, owner: str) -> None:
    """Give a mailbox back, so that another daemon takes it at once."""
    statement = update(AccountRow).where(
        col(AccountRow.account) == account,
        col(AccountRow.folder) == folder,
        col(AccountRow.owner) == owner,
    )
    session.exec(statement.values(owner=None, lease_until=None))


def whole_poll_began_at(session: Session, account: str, folder: str) -> datetime | None:
    """Return when the last whole poll began, None before the first (RULES.md 10.5)."""
    statement = select(AccountRow.whole_poll_began_at).where(
        AccountRow.account == account, AccountRow.folder == folder
    )
    return session.exec(statement).first()


def _light(statement: SelectOfScalar[MailRow]) -> SelectOfScalar[MailRow]:
    # Two megabytes each, of no use in a list.
    return statement.options(defer(_RAW)).order_by(col(MailRow.id))
