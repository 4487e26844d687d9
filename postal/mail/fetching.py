"""Taking one mail from an IMAP server, believing nothing it says until all of it fits together."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from postal.mail.connection import MailboxUnavailable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from imapclient import IMAPClient

MAX_MAIL_BYTES = 2 * 1024 * 1024
"""A larger mail is not fetched: its sender is told to write a shorter one."""

MAX_HEAD_BYTES = 64 * 1024

_MOST_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class Fetched:
    """One mail as the server holds it.

    ``internal_date`` is when the server took it in, aware UTC: it decides whether the mail beat
    the deadline (RULES.md 10.5); None where the server gives none that can be. ``raw`` is None
    where ``size``, in bytes, is over the limit; ``head`` is the header of such a mail, which tells
    whom to answer.
    """

    uid: int
    uidvalidity: int
    size: int
    internal_date: datetime | None
    raw: bytes | None = field(repr=False)
    head: bytes | None = field(default=None, repr=False)


@dataclass(slots=True)
class Facts:
    """What the server says of a mail beside its bytes: its size, and when it came, aware UTC."""

    size: int | None = None
    internal_date: datetime | None = None


class NotHandedOver(MailboxUnavailable):
    """The server lists a mail and did not hand it over; a sentence without secrets.

    ``facts`` are what it said of the mail. ``lost``: the connection was lost with it; else it
    lasts.
    """

    def __init__(self, text: str, facts: Facts | None = None, *, lost: bool = False) -> None:
        """Take the sentence."""
        super().__init__(text)
        self.facts = facts or Facts()
        self.lost = lost


class Incomplete(Exception):  # noqa: N818  # what it tells of is an answer
    """The server said that all was well, and yet the mail was not, or not all of it, there."""


def take(  # noqa: PLR0913  # each is a part of the question, most named at the call
    client: IMAPClient,
    uid: int,
    uidvalidity: int,
    facts: Facts,
    *,
    max_bytes: int = MAX_MAIL_BYTES,
    exact: bool = True,
) -> Fetched:
    """Return a mail, without marking it as seen; Incomplete where that is not what comes.

    The size is asked first, and of a mail of more than ``max_bytes`` only the header is fetched,
    as far as it is of a decent length. ``facts`` gets what is known by then. ``exact``: what comes
    must be of the size that was announced.
    """
    told = facts_of(client, [uid]).get(uid, Facts())
    facts.size, facts.internal_date = told.size, told.internal_date
    if facts.size is None:
        raise Incomplete("it says nothing of it")
    if facts.size > max_bytes:
        head = header(client, uid)
        if not head:
            raise Incomplete("it gives nothing of its header")
        return Fetched(uid, uidvalidity, facts.size, facts.internal_date, None, head)
    data = client.fetch([uid], ["BODY.PEEK[]"]).get(uid, {}).get(b"BODY[]")
    if not isinstance(data, bytes):
        raise Incomplete("it gives no data")
    if len(data) != facts.size and (exact or not data):
        raise Incomplete(f"it announces {facts.size:,} bytes and gives {len(data):,}")
    return Fetched(uid, uidvalidity, facts.size, facts.internal_date, data)


def header(client: IMAPClient, uid: int) -> bytes | None:
    """Return the header of a mail, as far as it is of a decent length; None where none comes."""
    part = f"BODY.PEEK[HEADER]<0.{MAX_HEAD_BYTES}>"
    head = client.fetch([uid], [part]).get(uid, {}).get(b"BODY[HEADER]<0>")
    return head if isinstance(head, bytes) and head.strip() else None


def facts_of(client: IMAPClient, uids: Sequence[int]) -> dict[int, Facts]:
    """Return what the server says of some mails, of those of which it says something."""
    found: dict[int, Facts] = {}
    for first in range(0, len(uids), _MOST_AT_ONCE):
        some = list(uids[first : first + _MOST_AT_ONCE])
        for uid, data in client.fetch(some, ["RFC822.SIZE", "INTERNALDATE"]).items():
            found[int(uid)] = _facts(data)
    return found


def find(client: IMAPClient, *, size: int, head: bytes | None, name: str) -> int | None:
    """Return the UID of a mail in the open folder, None where it can't be told from others.

    It is known by its header where there is one, else by its size alone, where one mail is of that
    size, in bytes. ``name`` is its Message-ID, "" where it has none.
    """
    if size:
        criteria: list[object] = ["LARGER", size - 1, "SMALLER", size + 1]
    elif name:
        criteria = ["HEADER", "Message-ID", name]
    else:
        return None
    uids = sorted(int(uid) for uid in client.search(criteria))
    if head:
        return next((uid for uid in uids if header(client, uid) == head), None)
    return uids[0] if len(uids) == 1 else None


def _facts(data: Mapping[bytes, Any]) -> Facts:
    size, date = data.get(b"RFC822.SIZE"), data.get(b"INTERNALDATE")
    return Facts(size if isinstance(size, int) else None, utc(date))


def utc(moment: object) -> datetime | None:
    """Return a server's time as aware UTC; one that names no zone is taken as UTC."""
    if not isinstance(moment, datetime):
        return None
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (OverflowError, ValueError):
        return None
