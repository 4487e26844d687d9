"""What time a mail server has: by a mail without a date that is put into a folder, or by others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from imapclient.exceptions import IMAPClientAbortError, IMAPClientError

from postal import entropy
from postal.mail.fetching import utc
from postal.mail.handing import delete

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from postal.mail.bounded import BoundedClient

_NAME = 20


def time_of(client: BoundedClient, folder: str) -> datetime | None:
    """Return the server's time (aware UTC), None where it can't be told; the folder is then open.

    A mail that is put into a folder without a date gets the server's (RFC 3501, 6.3.11); it is
    deleted at once. A lost connection is raised.
    """
    name = entropy.new_name(_NAME)
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


def newest_of(client: BoundedClient) -> datetime | None:
    """Return when the last mail of the open folder came, None where none tells it."""
    try:
        return _latest(client, client.search("ALL")[-1:])
    except IMAPClientAbortError:
        raise
    except (IMAPClientError, ValueError):
        return None


def _latest(client: BoundedClient, uids: Sequence[int]) -> datetime | None:
    found = client.fetch(uids, ["INTERNALDATE"]) if uids else {}
    dates = (utc(data.get(b"INTERNALDATE")) for data in found.values())
    return max((date for date in dates if date), default=None)
