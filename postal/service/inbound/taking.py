"""Storing what the server lists, mail by mail: one that it does not hand over stops no other."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from sqlalchemy.exc import IntegrityError
from sqlmodel import Session

from postal.mail.connection import MailServerUnavailable
from postal.mail.fetching import Facts, Fetched, NotHandedOver
from postal.mail.incoming import Incoming, read_head
from postal.service.inbound.telling import tell_over, tell_unread
from postal.service.inbound.whose import named_in
from postal.service.turns.outages import poll_was_whole
from postal.service.workplace import Workplace
from postal.store.mails import store_mail
from postal.store.rows import MailRow, MailStatus, fold
from postal.store.unread import KnownMail, give_uid_away, known_mails, unread_mails

MOST_CONNECTIONS = 6
"""How often a poll connects anew where mails cost it the connection; the rest waits."""

PAUSES = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 60))
"""How long after a failed try there is another; after the last of them always so long."""


PROBE = timedelta(minutes=5)
"""How soon a mail is tried again where the server hands over none at all."""


class Listing(Protocol):
    """What mails are taken from: ``postal.mail.imap.Mailbox``, or a stand-in."""

    @property
    def uidvalidity(self) -> int:
        """The folder's UIDVALIDITY."""
        ...

    def new_uids(self) -> tuple[int, ...]:
        """Return the UIDs that are there, lowest first."""
        ...

    def fetch(self, uid: int) -> Fetched | None:
        """Return a mail, None where it is gone; NotHandedOver where it is listed all the same."""
        ...

    def header(self, uid: int) -> bytes | None:
        """Return the header of a mail, None where none is given."""
        ...

    def facts(self, uids: Sequence[int]) -> dict[int, Facts]:
        """Return size and time of some mails."""
        ...

    def gives_others(self) -> bool:
        """Return whether some mail that was put away before is handed over."""
        ...

    def reopen(self) -> None:
        """Connect anew."""
        ...


@dataclass(frozen=True, slots=True)
class Taken:
    """What a poll took in: how many mails were stored, and why the poll is not whole, if so."""

    stored: int
    trouble: str = ""


def pause_after(tries: int) -> timedelta:
    """Return how long to wait after so many failed tries, one or more."""
    return PAUSES[min(tries, len(PAUSES)) - 1]


def take_in(work: Workplace, inbox: Listing, *, on_time: bool = True) -> Taken:
    """Store every mail of the folder that is not yet stored (RULES.md 10.5).

    One that the server lists and does not hand over is noted as unread, with its header where that
    can be had, and tried again at later polls. The poll is whole where all were stored but for such
    as were kept back while others were handed over. Where the clock is wrong, not ``on_time``, it
    counts for no deadline. MailServerUnavailable passes, once what is known is noted.
    """
    return _Taking(work, inbox, on_time=on_time).run()


class _Taking:
    """One poll of the folder."""

    def __init__(self, work: Workplace, inbox: Listing, *, on_time: bool) -> None:
        self._work, self._inbox, self._on_time = work, inbox, on_time
        self._now = work.clock.now()
        self._unread: dict[int, MailRow] = {}
        self._stored = self._handed = 0
        self._connections = MOST_CONNECTIONS
        self._lost = False
        self._broken: MailServerUnavailable | None = None

    def run(self) -> Taken:
        work, uids = self._work, self._inbox.new_uids()
        place, validity = (work.account, work.folder), self._inbox.uidvalidity
        with work.database.reading() as session:
            known = known_mails(session, *place, validity, uids)
            rows = unread_mails(session, *place)
        here = {row.uid: row for row in rows if row.uidvalidity == validity}
        self._unread = {uid: here[uid] for uid in uids if uid in here}
        for row in rows:
            if row.uidvalidity != validity or row.uid not in self._unread:
                self._close(row)
        again = self._given_away({uid: one for uid, one in known.items() if one.had})
        new = [uid for uid in uids if uid not in known or uid in again]
        tried = self._take_all(sorted([*new, *(uid for uid in self._unread if self._is_due(uid))]))
        self._single(tried)
        if self._lost:
            # What is put away next needs a connection, however many this poll had.
            self._connections = max(self._connections, 1)
            self._reachable()
        if self._broken is not None:
            raise self._broken
        untried = len(set(new) - tried)
        kept_back = [row for row in self._unread.values() if row.singled_at is None]
        if kept_back or untried:
            words = kept_back[0].reason if kept_back else ""
            return Taken(self._stored, _trouble(len(kept_back) + untried, words))
        if self._on_time:
            poll_was_whole(work, uidvalidity=validity, began=self._now)
        return Taken(self._stored)

    def _take_all(self, uids: Sequence[int], *, single: bool = False) -> set[int]:
        """Take mails one after the other; return those that were tried."""
        tried: set[int] = set()
        for uid in uids:
            if not self._reachable():
                break
            tried.add(uid)
            self._take(uid, single=single)
        return tried

    def _single(self, tried: set[int]) -> None:
        """Try once more what failed, now that the server is seen to hand over others.

        That are other mails of the folder or, where it is the only one there, such as were put
        away before: so one mail is told from a server that is unwell.
        """
        left = [uid for uid, row in self._unread.items() if row.singled_at is None]
        alone = len(left) == 1 and left[0] in tried
        if left and (self._handed or (alone and self._gives_others())):
            self._take_all(left, single=True)

    def _gives_others(self) -> bool:
        try:
            return self._reachable() and self._inbox.gives_others()
        except MailServerUnavailable:
            self._lost = True
            return False

    def _is_due(self, uid: int) -> bool:
        """Whether a mail is to be tried now: the first of those that show whether all is well soon.

        Where it is handed over the others are tried at once.
        """
        row = self._unread[uid]
        if row.next_try_at is None or row.next_try_at <= self._now:
            return True
        first = next((one for one in self._unread.values() if one.singled_at is None), None)
        return row is first and row.next_try_at - pause_after(row.tries) + PROBE <= self._now

    def _reachable(self) -> bool:
        """Whether there is a connection, made anew where it was lost and that may be once more."""
        if not self._lost:
            return True
        if self._broken is not None or not self._connections:
            return False
        self._connections -= 1
        try:
            self._inbox.reopen()
        except MailServerUnavailable as error:
            self._broken = error
            return False
        self._lost = False
        return True

    def _take(self, uid: int, *, single: bool) -> None:
        row = self._unread.get(uid)
        try:
            fetched = self._inbox.fetch(uid)
        except NotHandedOver as error:
            self._lost = error.lost
            self._note(uid, row, error, single=single)
            return
        self._unread.pop(uid, None)
        if fetched is None:
            if row is not None:
                self._close(row)
            return
        self._handed += 1
        self._stored += self._fill(row, fetched) if row else self._store(fetched)

    def _note(self, uid: int, row: MailRow | None, error: NotHandedOver, *, single: bool) -> None:
        """Note that a mail is not handed over, at once, with its header where that can be had."""
        new = row is None
        if row is None:
            row = MailRow(
                account=self._work.account,
                folder=self._work.folder,
                uidvalidity=self._inbox.uidvalidity,
                uid=uid,
                size=error.facts.size or 0,
                internal_date=error.facts.internal_date or self._now,
                received_at=self._now,
                status=MailStatus.UNREAD,
                place=self._work.folder,
            )
        raw = row.raw or self._header(uid)
        head = read_head(raw or b"")
        with self._work.database.transaction() as session:
            if not new:
                stored = session.get(MailRow, row.id, with_for_update=True)
                if stored is None or stored.status is not MailStatus.UNREAD:
                    self._unread.pop(uid, None)
                    return
                row = stored
                if error.facts.internal_date:
                    row.internal_date = min(row.internal_date, error.facts.internal_date)
                row.size = error.facts.size or row.size
            row.tries += 1
            row.next_try_at = self._now + pause_after(row.tries)
            row.reason = str(error)
            if raw and row.raw is None:
                row.raw = raw
                _mark(session, row, head)
            if single:
                row.singled_at = row.singled_at or self._now
            if new and not store_mail(session, row)[1]:
                return
            session.flush()
            session.refresh(row)
            session.expunge(row)
        self._unread[uid] = row
        if row.singled_at is not None:
            tell_unread(self._work, row)

    def _header(self, uid: int) -> bytes | None:
        """Return the header of a mail, asked for once more on a fresh connection."""
        for again in (False, True):
            self._lost = self._lost or again
            try:
                if not self._reachable():
                    return None
                if head := self._inbox.header(uid):
                    return head
            except MailServerUnavailable:
                self._lost = True
        return None

    def _store(self, fetched: Fetched) -> bool:
        raw = fetched.raw if fetched.raw is not None else fetched.head
        mail = MailRow(
            account=self._work.account,
            folder=self._work.folder,
            uidvalidity=fetched.uidvalidity,
            uid=fetched.uid,
            size=fetched.size,
            internal_date=fetched.internal_date or self._time(fetched.uid) or self._now,
            received_at=self._work.clock.now(),
            place=self._work.folder,
        )
        head = read_head(raw or b"")
        try:
            with self._work.database.transaction() as session:
                read_into(session, mail, raw, head)
                return store_mail(session, mail)[1]
        except IntegrityError:
            # Another process, polling at the same moment, has stored it.
            return False

    def _time(self, uid: int) -> datetime | None:
        """Return when a mail came, which its fetch didn't tell, asked for once more."""
        try:
            return self._inbox.facts([uid]).get(uid, Facts()).internal_date
        except MailServerUnavailable:
            self._lost = True
            return None

    def _fill(self, row: MailRow, fetched: Fetched) -> bool:
        """Make a mail that was unread a new one: it keeps its place in the order, and its time."""
        with self._work.database.transaction() as session:
            mine = session.get(MailRow, row.id, with_for_update=True)
            if mine is None or mine.status is not MailStatus.UNREAD:
                return False
            fill(session, mine, fetched)
        tell_over(self._work, row, "It was handed over.")
        return True

    def _close(self, row: MailRow) -> None:
        """Be done with a mail that is not in the folder any more."""
        with self._work.database.transaction() as session:
            mine = session.get(MailRow, row.id, with_for_update=True)
            if mine is None or mine.status is not MailStatus.UNREAD:
                return
            mine.status, mine.reason = MailStatus.IGNORED, "gone before it could be read"
            mine.target, mine.moved, mine.next_try_at = mine.place, True, None
        tell_over(self._work, row, "It is gone from the folder.")

    def _given_away(self, known: dict[int, KnownMail]) -> set[int]:
        """Return the UIDs under which another mail lies now (MAIL.md, In 9)."""
        try:
            facts = self._inbox.facts(list(known)) if known else {}
        except MailServerUnavailable:
            # What can't be told of mails that were dealt with stops no poll.
            self._lost, facts = True, {}
        others = {uid for uid, one in known.items() if uid in facts and _differs(one, facts[uid])}
        for uid in others:
            with self._work.database.transaction() as session:
                give_uid_away(session, known[uid].id)
        return others


def fill(session: Session, row: MailRow, fetched: Fetched) -> None:
    """Put the bytes of a mail that was unread into its row, to be handled as ever."""
    raw = fetched.raw if fetched.raw is not None else fetched.head
    if fetched.internal_date:
        row.internal_date = min(row.internal_date, fetched.internal_date)
    row.size, row.status, row.reason = fetched.size, MailStatus.NEW, ""
    row.tries, row.next_try_at, row.singled_at = 0, None, None
    read_into(session, row, raw, read_head(raw or b""))


def read_into(session: Session, row: MailRow, raw: bytes | None, head: Incoming) -> None:
    """Put the bytes of a mail into its row, of a mail that is too large its header alone."""
    row.raw = raw
    row.sha256 = hashlib.sha256(raw).hexdigest() if raw is not None else None
    _mark(session, row, head)


def _mark(session: Session, row: MailRow, head: Incoming) -> None:
    """Note whose a mail is, as far as its header tells it."""
    row.sender_key = fold(head.senders[0]) if head.senders else ""
    named = named_in(session, head)
    if named is not None:
        row.game_id, row.seat_id, row.turn = named


def _trouble(count: int, words: str) -> str:
    mails = "a mail" if count == 1 else f"{count} mails"
    return f"The mail server lists {mails} and hands none over. {words}".strip()


def _differs(known: KnownMail, facts: Facts) -> bool:
    """Whether what the server says of a UID can't be the mail that is stored under it."""
    if facts.size is not None and facts.size != known.size:
        return True
    return facts.internal_date not in (None, known.internal_date.replace(microsecond=0))
