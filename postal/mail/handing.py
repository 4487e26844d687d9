"""What a mailbox gives of the mails that it lists, and what it keeps back."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from imapclient.exceptions import IMAPClientAbortError, IMAPClientError

from postal.mail.connection import MailboxUnavailable
from postal.mail.fetching import (
    MAX_MAIL_BYTES,
    Facts,
    Fetched,
    Incomplete,
    NotHandedOver,
    facts_of,
    find,
    header,
    take,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from postal.mail.bounded import BoundedClient
    from postal.mail.imap import ImapSettings

CLOSED = "The connection to the mailbox is closed"


class Interrupted(Exception):  # noqa: N818  # it tells of a call for the end
    """The program is to end: nothing is waited for any more."""


class Handing:
    """The part of a mailbox that hands over mails; the connection is its subclass's."""

    _settings: ImapSettings
    _client: BoundedClient | None
    _prefix: str
    _uidvalidity: int
    _waiting: bool

    def fetch(
        self, uid: int, max_bytes: int = MAX_MAIL_BYTES, *, exact: bool = True
    ) -> Fetched | None:
        """Return a mail, without marking it as seen; None where the server lists it no more.

        The size is asked first, and of a mail of more than ``max_bytes`` only the header is
        fetched. Raises NotHandedOver where the server lists it and yet does not give all of it, by
        which the connection may be lost. ``exact``: all is what was announced.
        """
        if self._client is None:
            raise MailboxUnavailable(CLOSED)
        facts = Facts()
        try:
            self._waiting = True
            return take(
                self._client, uid, self._uidvalidity, facts, max_bytes=max_bytes, exact=exact
            )
        except Exception as error:  # noqa: BLE001  # its text may repeat a mail: no chain
            said, lost = self._not_handed_over(error), not said_no(error)
            ending = isinstance(error, Interrupted)
        finally:
            self._waiting = False
        if ending:
            self._drop()
            raise MailboxUnavailable(said)
        if lost:
            self._drop()
        else:
            try:
                with self._guarded() as client:
                    if not still_there(client, [uid]):
                        return None
            except MailboxUnavailable:
                lost = True
        raise NotHandedOver(said, facts, lost=lost)

    def header(self, uid: int) -> bytes | None:
        """Return the header of a mail; None where the server gives none."""
        with self._guarded() as client:
            try:
                return header(client, uid)
            except IMAPClientError as error:
                if not said_no(error):
                    raise
                return None

    def facts(self, uids: Sequence[int]) -> dict[int, Facts]:
        """Return size and time of some mails, of those of which the server says something."""
        with self._guarded() as client:
            try:
                return facts_of(client, uids) if uids else {}
            except IMAPClientError as error:
                if not said_no(error):
                    raise
                return {}

    def find(  # noqa: PLR0913  # each tells a mail from others, named at the call
        self,
        folder: str,
        *,
        uid: int | None,
        uidvalidity: int,
        size: int,
        head: bytes | None,
        name: str,
    ) -> Fetched | None:
        """Return a mail from where it lies, however many bytes come; None where it is not found.

        In the folder that mail arrives in it is known by its UID. It raises what ``fetch`` raises.
        """
        if folder == self._settings.folder and uid is not None:
            self._open_folder()
            if self._uidvalidity == uidvalidity:
                return self.fetch(uid, exact=False)
        with self._guarded() as client:
            ours = folder if folder == self._settings.folder else self._prefix + folder
            chosen = client.select_folder(ours)
            found = find(client, size=size, head=head, name=name)
            self._uidvalidity = int(chosen[b"UIDVALIDITY"])
        return None if found is None else self.fetch(found, exact=False)

    def bring_back(self, folders: Sequence[str], is_known: Callable[[str], bool]) -> int:
        """Put mails of some folders back to where mail arrives, in the order of arrival; how many.

        They are those whose bytes' SHA-256, hex, ``is_known`` does not know. What is too large to
        be read stays where it is.
        """
        found: list[tuple[float, str, int]] = []
        with self._guarded() as client:
            for folder in (self._prefix + name for name in folders):
                if not client.folder_exists(folder):
                    continue
                client.select_folder(folder)
                facts = facts_of(client, sorted(int(uid) for uid in client.search("ALL")))
                for uid, one in facts.items():
                    if one.size is not None and one.size > MAX_MAIL_BYTES:
                        continue
                    data = client.fetch([uid], ["BODY.PEEK[]"]).get(uid, {}).get(b"BODY[]")
                    if data is not None and not is_known(hashlib.sha256(data).hexdigest()):
                        came = one.internal_date.timestamp() if one.internal_date else 0.0
                        found.append((came, folder, uid))
            for _, folder, uid in sorted(found):
                client.select_folder(folder)
                move_all(client, [uid], self._settings.folder)
        self._open_folder()
        return len(found)

    def _not_handed_over(self, error: Exception) -> str:
        if isinstance(error, Incomplete):
            return f"The IMAP server {self._settings.place} does not hand it over: {error}"
        return self._sentence(error)

    def _guarded(self) -> AbstractContextManager[BoundedClient]:
        raise NotImplementedError

    def _drop(self) -> None:
        raise NotImplementedError

    def _open_folder(self) -> int:
        raise NotImplementedError

    def _sentence(self, error: Exception) -> str:
        raise NotImplementedError


def said_no(error: BaseException) -> bool:
    """Whether the server has answered, though not as it was asked to, so that it can go on."""
    return isinstance(error, Incomplete) or type(error) is IMAPClientError


def still_there(client: BoundedClient, uids: list[int]) -> list[int]:
    """Return which mails are still in the folder, after the server has refused a command on them.

    Some refuse one of which a mail is gone (RFC 5530, EXPUNGEISSUED), others pass over that mail
    (RFC 9051, 6.4.9).
    """
    # Some tell at a command's end alone which mails are gone (RFC 3501, 5.5).
    client.noop()
    found = set(client.search(["UID", ",".join(map(str, uids))]))
    return [uid for uid in uids if uid in found]


def delete(client: BoundedClient, uids: list[int]) -> None:
    """Delete mails of the open folder, and them alone where the server can do that."""
    client.delete_messages(uids, silent=True)
    if client.has_capability("UIDPLUS"):
        client.uid_expunge(uids)
    else:
        client.expunge()


def move_all(client: BoundedClient, uids: list[int], target: str) -> None:
    """Move mails; where one is gone, moved by another connection first, the others."""
    while uids:
        try:
            if client.has_capability("MOVE"):
                client.move(uids, target)
            else:
                client.copy(uids, target)
                delete(client, uids)
        except IMAPClientError as error:
            if isinstance(error, IMAPClientAbortError):
                raise
            left = still_there(client, uids)
            if len(left) == len(uids):
                raise
            uids = left
        else:
            return
