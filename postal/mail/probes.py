"""Mails of our own that are put into the mailbox to learn something, and taken out again."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from imapclient.exceptions import IMAPClientAbortError, IMAPClientError

from postal import entropy

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from imapclient import IMAPClient


def told_time(client: IMAPClient, folder: str) -> datetime | None:
    """Return what time the server has (UTC), None where it can't be told; another folder is open.

    A mail that is put into a folder without a date gets the server's. What imapclient raises where
    the connection fails passes.
    """
    name = entropy.new_name(20)
    probe = f"Message-ID: <{name}@postal.invalid>\r\nSubject: What time is it?\r\n\r\n"
    try:
        client.append(folder, probe)
        client.select_folder(folder)
        uids = client.search(["HEADER", "Message-ID", name])
        told = _latest(client, uids[-1:])
        if uids:
            delete(client, uids)
    except IMAPClientAbortError:
        raise
    except (IMAPClientError, ValueError):
        return None
    return told


def last_arrival(client: IMAPClient) -> datetime | None:
    """Return when the last mail of the open folder came (UTC), None where none tells it."""
    try:
        return _latest(client, client.search("ALL")[-1:])
    except IMAPClientAbortError:
        raise
    except (IMAPClientError, ValueError):
        return None


def take_out(client: IMAPClient, folders: Iterable[str], word: str) -> bool:
    """Delete the mails with a word in the subject; whether there were any."""
    found = False
    for folder in folders:
        client.select_folder(folder)
        uids = client.search(["SUBJECT", word])
        if uids:
            delete(client, uids)
            found = True
    return found


def delete(client: IMAPClient, uids: Sequence[int]) -> None:
    """Delete mails of the open folder for good, and where the server can no others."""
    client.delete_messages(uids, silent=True)
    if client.has_capability("UIDPLUS"):
        client.uid_expunge(uids)
    else:
        client.expunge()


def in_utc(moment: datetime) -> datetime:
    """Return a server's time as aware UTC; one that names no zone is taken as UTC."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _latest(client: IMAPClient, uids: Sequence[int]) -> datetime | None:
    found = client.fetch(uids, ["INTERNALDATE"]) if uids else {}
    dates = (data.get(b"INTERNALDATE") for data in found.values())
    return max((in_utc(date) for date in dates if isinstance(date, datetime)), default=None)
