"""Fetching, on the GM's word, the bytes of a mail that we don't have, from where it lies."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol

from postal.errors import PostalError
from postal.mail.connection import MailServerUnavailable
from postal.mail.fetching import Fetched
from postal.mail.incoming import read_head
from postal.service.desk.mails_again import find_mail
from postal.service.inbound.taking import read_into
from postal.service.workplace import Workplace
from postal.store.rows import MailRow, MailStatus


class Shelf(Protocol):
    """Where mails lie: ``postal.mail.imap.Mailbox``, or a stand-in."""

    def find(  # noqa: PLR0913 - each tells a mail from others, named at the call
        self,
        folder: str,
        *,
        uid: int | None,
        uidvalidity: int,
        size: int,
        head: bytes | None,
        name: str,
    ) -> Fetched | None:
        """Return a mail from one of the folders, None where it is not found there."""
        ...


def fetch_missing(
    work: Workplace, number: int, connect: Callable[[], AbstractContextManager[Shelf]]
) -> None:
    """Fetch the bytes of a mail where we have none, however many come; nothing where we have them.

    Raises PostalError where there is no such mail, or where it can't be had.
    """
    with work.database.reading() as session:
        row = find_mail(session, number)
    if not _lacks_bytes(row):
        return
    try:
        with connect() as shelf:
            found = _find(shelf, row)
    except MailServerUnavailable as error:
        raise PostalError(f"Mail {number} can't be fetched, and stays as it is: {error}") from None
    if found is None or found.raw is None:
        raise PostalError(
            f"Mail {number} can't be fetched: it was not found in the folder {row.place}, so"
            f" nothing was done. `postal inbox discard {number}` lets it go."
        )
    with work.database.transaction() as session:
        mine = find_mail(session, number, hold=True)
        if _lacks_bytes(mine):
            mine.size = len(found.raw)
            read_into(session, mine, found.raw, read_head(found.raw))


def _lacks_bytes(row: MailRow) -> bool:
    """Whether a mail was never had, but for its header; one that is no longer kept stays so."""
    return row.sha256 is None and (row.raw is None or row.status is MailStatus.UNREAD)


def _find(shelf: Shelf, row: MailRow) -> Fetched | None:
    return shelf.find(
        row.place or row.folder,
        uid=row.uid if row.uid > 0 and row.place in ("", row.folder) else None,
        uidvalidity=row.uidvalidity,
        size=row.size,
        head=row.raw,
        name=read_head(row.raw or b"").message_id,
    )
