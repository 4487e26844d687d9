"""The mailbox that the league is run from: fetching mail and putting it away, over IMAP.

One client belongs to one thread and keeps one connection. After MailboxUnavailable it is dead:
its owner throws it away, waits, and opens another.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import socket
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Self

from imapclient import IMAPClient, SocketTimeout
from imapclient.exceptions import (
    CapabilityError,
    IMAPClientAbortError,
    IMAPClientError,
    LoginError,
)

from postal.mail.connection import MailboxUnavailable, ServerSettings, sentence, tls_context
from postal.mail.idling import wait_for_mail
from postal.mail.probes import delete, in_utc, last_arrival, take_out, told_time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import TracebackType

PROCESSED, REJECTED, QUARANTINE = "Processed", "Rejected", "Quarantine"
FOLDERS = (PROCESSED, REJECTED, QUARANTINE)
"""Where mail goes once the database knows what became of it."""

MAX_MAIL_BYTES = 2 * 1024 * 1024
"""A larger mail is not fetched: its sender is told to write a shorter one."""

_MAX_HEAD_BYTES = 64 * 1024
_MOST_AT_ONCE = 200
"""How many UIDs one command names: servers have limits to a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImapSettings(ServerSettings):
    """Where the mailbox is, how to log in, and the folder that mail arrives in."""

    port: int = 993
    folder: str = "INBOX"


@dataclass(frozen=True, slots=True)
class Fetched:
    """One mail as the server holds it.

    ``internal_date`` is when the server took it in, aware UTC: it decides whether the mail beat
    the deadline (RULES.md 10.5). ``raw`` is None where ``size``, in bytes, is over the limit;
    ``head`` is the header of such a mail, which tells whom to answer.
    """

    uid: int
    uidvalidity: int
    size: int
    internal_date: datetime
    raw: bytes | None = field(repr=False)
    head: bytes | None = field(default=None, repr=False)


class Mailbox:
    """A connection to the mailbox; use it as a context manager.

    Every method raises MailboxUnavailable, and nothing else, where the server or the network
    fails; the connection is closed by then.
    """

    def __init__(self, settings: ImapSettings) -> None:
        """Take the settings; the connection is made on entering."""
        self._settings = settings
        self._client: IMAPClient | None = None
        self._prefix = ""
        self._uidvalidity = 0
        self._uidnext = 0

    def __enter__(self) -> Self:
        """Connect, log in and open the folder."""
        refusal = self._settings.refusal()
        if refusal:
            raise MailboxUnavailable(refusal)
        # IMAPClient logs whole mails, with cards and tokens in them, at the level DEBUG.
        logging.getLogger("imapclient").setLevel(logging.WARNING)
        try:
            self._client = self._connect()
            self._log_in(self._client)
            self._prefix = _personal_prefix(self._client)
        except Exception as error:  # noqa: BLE001  # its text may repeat what was sent: no chain
            self._drop()
            raise MailboxUnavailable(self._sentence(error)) from None
        self._uidnext = self._open_folder()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Log out, politely where that is still possible."""
        self.close()

    def close(self) -> None:
        """Log out and close the connection; harmless where it is closed already."""
        client, self._client = self._client, None
        if client is not None:
            try:
                client.logout()
            except Exception:  # noqa: BLE001  # the connection is given up, whatever it says
                _shut(client)

    @property
    def uidvalidity(self) -> int:
        """The folder's UIDVALIDITY at the last look; where it changes, all UIDs are new."""
        return self._uidvalidity

    def new_uids(self) -> tuple[int, ...]:
        """Return the UIDs in the folder, lowest first, which is the order of arrival.

        What is handled has been moved away, so all are new, but for those that the database knows.
        """
        uidnext = self._open_folder()
        with self._guarded() as client:
            uids = tuple(sorted(int(uid) for uid in client.search("ALL")))
            self._uidnext = max(uidnext, uids[-1] + 1 if uids else 0)
            return uids

    def size(self, uid: int) -> int | None:
        """Return a mail's size in bytes, or None where it is gone."""
        with self._guarded() as client:
            found = client.fetch([uid], ["RFC822.SIZE"]).get(uid, {}).get(b"RFC822.SIZE")
            return None if found is None else int(found)

    def fetch(self, uid: int, max_bytes: int = MAX_MAIL_BYTES) -> Fetched | None:
        """Return a mail, without marking it as seen; None where it is gone.

        The size is asked first, and of a mail of more than ``max_bytes`` only the header is
        fetched, as far as it is of a decent length.
        """
        with self._guarded() as client:
            try:
                return self._fetch(client, uid, max_bytes)
            except IMAPClientError as error:
                if _still_there(client, [uid], error):
                    raise
                return None

    def ensure_folders(self) -> None:
        """Create those of FOLDERS that are missing."""
        with self._guarded() as client:
            for name in FOLDERS:
                if not client.folder_exists(self._prefix + name):
                    client.create_folder(self._prefix + name)

    def move(self, uids: Sequence[int], folder: str) -> None:
        """Move mails to one of FOLDERS; one that is gone is no fault."""
        target = self._prefix + folder
        with self._guarded() as client:
            # Without MOVE one by one: where the connection is lost between, one is there twice.
            step = _MOST_AT_ONCE if client.has_capability("MOVE") else 1
            for first in range(0, len(uids), step):
                self._move(client, list(uids[first : first + step]), target)

    def move_on(self, size: int, sha256: str, source: str, target: str) -> None:
        """Move mails from one of FOLDERS to another; none there is no fault.

        They are those of ``size`` bytes whose bytes have this SHA-256, hex: a UID is lost with
        a move, and a Message-ID is the sender's to choose.
        """
        same: list[int] = []
        with self._guarded() as client:
            client.select_folder(self._prefix + source)
            for uid in map(int, client.search(["LARGER", size - 1, "SMALLER", size + 1])):
                data = client.fetch([uid], ["BODY.PEEK[]"]).get(uid, {}).get(b"BODY[]")
                if data is not None and hashlib.sha256(data).hexdigest() == sha256:
                    same.append(uid)
        self.move(same, target)
        self._open_folder()

    def take_out(self, word: str) -> bool:
        """Delete the mails with a word in the subject, wherever they lie; whether there were any.

        The word is one that nobody else could have written.
        """
        folders = (self._settings.folder, *(self._prefix + name for name in FOLDERS))
        with self._guarded() as client:
            found = take_out(client, folders, word)
        self._open_folder()
        return found

    def server_time(self) -> datetime | None:
        """Return what time the server has, None where it can't be told.

        A mail is put into a folder for that, and deleted at once.
        """
        with self._guarded() as client:
            told = told_time(client, self._prefix + PROCESSED)
        self._open_folder()
        return told

    def newest_arrival(self) -> datetime | None:
        """Return when the last mail came that lies in the folder, None where none tells it."""
        with self._guarded() as client:
            return last_arrival(client)

    def idle(self, seconds: float, stop: Callable[[], bool] = lambda: False) -> bool:
        """Wait until mail comes, at most ``seconds`` and nine minutes; return whether it did.

        It only wakes the poll early. ``stop``, asked twice a second, ends the wait. A server
        without IDLE gives False at once. A connection that was lost meanwhile raises
        MailboxUnavailable; where it is only half lost, that takes the settings' timeout.
        """
        with self._guarded() as client:
            if not client.has_capability("IDLE"):
                return False
            # An answer to any other command may have told of a mail, and IDLE tells of it no more.
            chosen = client.select_folder(self._settings.folder)
            if int(chosen[b"UIDVALIDITY"]) != self._uidvalidity or _uidnext(chosen) > self._uidnext:
                return True
            return wait_for_mail(client, int(chosen.get(b"EXISTS", 0)), seconds, stop)

    def can_idle(self) -> bool:
        """Return whether the server has IDLE."""
        with self._guarded() as client:
            return bool(client.has_capability("IDLE"))

    def check(self) -> str:
        """Create the folders and return a sentence of what was found, for ``postal check``."""
        self.ensure_folders()
        count = len(self.new_uids())
        idle = "with" if self.can_idle() else "without"
        return (
            f"IMAP {self._settings.place}: logged in as {self._settings.user}, {count} in "
            f"{self._settings.folder}, {idle} IDLE"
        )

    def _connect(self) -> IMAPClient:
        settings = self._settings
        context = None if settings.security == "plain" else tls_context(settings)
        client = IMAPClient(
            settings.host,
            settings.port,
            ssl=settings.security == "tls",
            ssl_context=context,
            timeout=SocketTimeout(settings.timeout, settings.timeout),
        )
        # SEARCH is sent in pieces, of which each would wait 40 ms for the receipt of the last.
        with contextlib.suppress(OSError):
            client.socket().setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # Else INTERNALDATE comes as a naive time of this machine's zone.
        client.normalise_times = False
        if settings.security == "starttls":
            try:
                client.starttls(context)
            except BaseException:
                _shut(client)
                raise
        return client

    def _fetch(self, client: IMAPClient, uid: int, max_bytes: int) -> Fetched | None:
        found = client.fetch([uid], ["RFC822.SIZE", "INTERNALDATE"]).get(uid, {})
        size, arrived = found.get(b"RFC822.SIZE"), found.get(b"INTERNALDATE")
        if size is None or arrived is None:
            return None
        whole = size <= max_bytes
        part = "BODY.PEEK[]" if whole else f"BODY.PEEK[HEADER]<0.{_MAX_HEAD_BYTES}>"
        key = b"BODY[]" if whole else b"BODY[HEADER]<0>"
        data = client.fetch([uid], [part]).get(uid, {}).get(key)
        if data is None and whole:
            return None
        facts = (uid, self._uidvalidity, int(size), in_utc(arrived))
        return Fetched(*facts, data) if whole else Fetched(*facts, None, data)

    def _move(self, client: IMAPClient, uids: list[int], target: str) -> None:
        """Move mails; where one is gone, moved by another connection first, the others."""
        while uids:
            try:
                _move_all(client, uids, target)
            except IMAPClientError as error:
                left = _still_there(client, uids, error)
                if len(left) == len(uids):
                    raise
                uids = left
            else:
                return

    def _log_in(self, client: IMAPClient) -> None:
        settings = self._settings
        if settings.token is not None:
            client.oauth2_login(settings.user, settings.token())
        else:
            client.login(settings.user, settings.password)

    def _open_folder(self) -> int:
        """Select the folder; return the UID that the next mail gets."""
        with self._guarded() as client:
            chosen = client.select_folder(self._settings.folder)
            self._uidvalidity = int(chosen[b"UIDVALIDITY"])
            return _uidnext(chosen)

    @contextlib.contextmanager
    def _guarded(self) -> Iterator[IMAPClient]:
        """Give the client; whatever fails, drop it and tell why in one sentence."""
        if self._client is None:
            raise MailboxUnavailable("The connection to the mailbox is closed")
        try:
            yield self._client
        except Exception as error:  # noqa: BLE001  # its text may repeat a mail: no chain
            self._drop()
            raise MailboxUnavailable(self._sentence(error)) from None

    def _drop(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            _shut(client)

    def _sentence(self, error: Exception) -> str:
        place = self._settings.place
        if isinstance(error, CapabilityError):
            return f"The IMAP server {place} has no STARTTLS: is the security right for this port?"
        if isinstance(error, LoginError):
            cause = error.__context__
            if isinstance(cause, IMAPClientAbortError):
                return sentence(self._settings, "IMAP", cause)
            if "[UNAVAILABLE]" in str(error):
                return f"The IMAP server {place} can't check passwords at present"
            # The server's own words are left out: some repeat what they were sent.
            return (
                f"The IMAP server {place} refused the login of {self._settings.user}: "
                "check the user name and the password"
            )
        return sentence(self._settings, "IMAP", error)


def _shut(client: IMAPClient) -> None:
    with contextlib.suppress(Exception):
        client.shutdown()


def _move_all(client: IMAPClient, uids: list[int], target: str) -> None:
    if client.has_capability("MOVE"):
        client.move(uids, target)
        return
    client.copy(uids, target)
    delete(client, uids)


def _still_there(client: IMAPClient, uids: list[int], error: Exception) -> list[int]:
    """Return which mails are still in the folder, after the server has refused a command on them.

    Some refuse one of which a mail is gone (RFC 5530, EXPUNGEISSUED), others pass over that mail
    (RFC 9051, 6.4.9). Where the ``error`` is the connection's, it is raised again.
    """
    if isinstance(error, IMAPClientAbortError):
        raise error
    # Some tell at a command's end alone which mails are gone (RFC 3501, 5.5).
    client.noop()
    found = set(client.search(["UID", ",".join(map(str, uids))]))
    return [uid for uid in uids if uid in found]


def _personal_prefix(client: IMAPClient) -> str:
    """Return what the names of own folders begin with, such as ``INBOX.`` (RFC 2342)."""
    if not client.has_capability("NAMESPACE"):
        return ""
    personal = client.namespace().personal
    return str(personal[0][0]) if personal else ""


def _uidnext(chosen: Mapping[bytes, Any]) -> int:
    """Return the UID that the next mail gets, 0 where the answer to SELECT doesn't tell it."""
    return int(chosen.get(b"UIDNEXT", 0))
