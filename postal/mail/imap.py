"""The mailbox that the league is run from: fetching mail and putting it away, over IMAP.

One client belongs to one thread and keeps one connection. After MailboxUnavailable it is dead:
its owner throws it away, waits, and opens another.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from imapclient import SocketTimeout
from imapclient.exceptions import (
    IMAPClientError,
)

from postal.mail.bounded import BoundedClient
from postal.mail.connection import (
    MailboxUnavailable,
    ServerSettings,
    tls_context,
)
from postal.mail.fetching import Facts, Incomplete, take
from postal.mail.handing import CLOSED, Handing, Interrupted, delete, move_all, said_no
from postal.mail.idling import periods, wait_for_mail
from postal.mail.imapwords import imap_sentence
from postal.mail.servertime import newest_of, time_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime
    from types import TracebackType

PROCESSED, REJECTED, QUARANTINE = "Processed", "Rejected", "Quarantine"
FOLDERS = (PROCESSED, REJECTED, QUARANTINE)
"""Where mail goes once the database knows what became of it."""

_MOST_AT_ONCE = 200
"""How many UIDs one command names: servers have limits to a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImapSettings(ServerSettings):
    """Where the mailbox is, how to log in, and the folder that mail arrives in."""

    port: int = 993
    folder: str = "INBOX"


class Mailbox(Handing):
    """A connection to the mailbox; use it as a context manager.

    Every method raises MailboxUnavailable, and nothing else, where the server or the network
    fails; the connection is closed by then, but for a NotHandedOver that says otherwise.
    """

    def __init__(self, settings: ImapSettings) -> None:
        """Take the settings; the connection is made on entering."""
        self._settings = settings
        self._client: BoundedClient | None = None
        self._token = ""
        self._prefix = ""
        self._uidvalidity = 0
        self._uidnext = 0
        self._exists = 0
        self._idle_refused = False
        self._waiting = False

    def __enter__(self) -> Self:
        """Connect, log in and open the folder."""
        refusal = self._settings.refusal()
        if refusal:
            raise MailboxUnavailable(refusal)
        # IMAPClient logs whole mails, with cards and tokens in them, at the level DEBUG.
        logging.getLogger("imapclient").setLevel(logging.WARNING)
        self._idle_refused = False
        try:
            self._waiting = True
            self._client = self._connect()
            self._log_in(self._client)
            self._prefix = _personal_prefix(self._client)
            self._waiting = False
        except Exception as error:  # noqa: BLE001  # its text may repeat what was sent: no chain
            self._waiting = False
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

    def interrupt(self) -> None:
        """End at once what is waited for, being called by a signal in the thread that waits.

        It raises there what the method that waits makes MailboxUnavailable of; nothing where none
        does.
        """
        if self._waiting:
            raise Interrupted("is not waited for, as the program ends")

    def close(self) -> None:
        """Log out and close the connection; harmless where it is closed already."""
        client, self._client = self._client, None
        if client is not None:
            try:
                self._waiting = True
                client.logout()
            except Exception:  # noqa: BLE001  # the connection is given up, whatever it says
                _shut(client)
            finally:
                self._waiting = False

    @property
    def uidvalidity(self) -> int:
        """The folder's UIDVALIDITY at the last look; where it changes, all UIDs are new."""
        return self._uidvalidity

    def reopen(self) -> None:
        """Connect anew, whatever state the connection is in."""
        self._drop()
        self.__enter__()

    def new_uids(self) -> tuple[int, ...]:
        """Return the UIDs in the folder, lowest first, which is the order of arrival.

        What is handled has been moved away, so all are new, but for those that the database knows.
        A server that lists fewer than there are, also on asking again, can't be used now.
        """
        for _ in range(2):
            uidnext = self._open_folder()
            with self._guarded() as client:
                uids = tuple(sorted(int(uid) for uid in client.search("ALL")))
            if len(uids) >= self._exists:
                self._uidnext = max(uidnext, uids[-1] + 1 if uids else 0)
                return uids
        self._drop()
        raise MailboxUnavailable(
            f"The IMAP server {self._settings.place} says that there are {self._exists} mails in"
            f" {self._settings.folder}, and lists {len(uids)}"
        )

    def size(self, uid: int) -> int | None:
        """Return a mail's size in bytes, or None where it is gone."""
        with self._guarded() as client:
            found = client.fetch([uid], ["RFC822.SIZE"]).get(uid, {}).get(b"RFC822.SIZE")
            return None if found is None else int(found)

    def gives_others(self) -> bool:
        """Return whether the server hands over some mail that was put away before.

        So one that it doesn't hand over is told from a server that is unwell, where no other mail
        is in the folder.
        """
        with self._guarded() as client:
            try:
                return any(self._gives_last(client, folder) for folder in FOLDERS)
            except IMAPClientError as error:
                if not said_no(error):
                    raise
                return False
            finally:
                client.select_folder(self._settings.folder)

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
                move_all(client, list(uids[first : first + step]), target)

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
        found = False
        with self._guarded() as client:
            for folder in (self._settings.folder, *(self._prefix + name for name in FOLDERS)):
                client.select_folder(folder)
                uids = client.search(["SUBJECT", word])
                if uids:
                    delete(client, uids)
                    found = True
        self._open_folder()
        return found

    def server_time(self) -> datetime | None:
        """Return what time the server has, None where it can't be told."""
        with self._guarded() as client:
            told = time_of(client, self._prefix + PROCESSED)
        self._open_folder()
        return told

    def newest_arrival(self) -> datetime | None:
        """Return when the last mail came that lies in the folder, None where none tells it."""
        with self._guarded() as client:
            return newest_of(client)

    def idle(self, seconds: float, stop: Callable[[], bool] = lambda: False) -> bool:
        """Wait until mail comes, at most ``seconds`` and nine minutes; return whether it did.

        It only wakes the poll early. ``stop``, asked twice a second, ends the wait. A server
        without IDLE gives False at once. A connection that was lost meanwhile raises
        MailboxUnavailable; where it is only half lost, that takes the settings' timeout.
        """
        with self._guarded() as client:
            for period in periods(seconds):
                if not self._can_idle(client):
                    return False
                # An answer to any other command may have told of a mail, and IDLE does no more; and
                # some servers don't tell of one that came just before it began.
                chosen = client.select_folder(self._settings.folder)
                if int(chosen[b"UIDVALIDITY"]) != self._uidvalidity:
                    return True
                if self._has_more(client, chosen):
                    return True
                come = wait_for_mail(client, int(chosen.get(b"EXISTS", 0)), period, stop)
                self._idle_refused = come is None
                if come or stop():
                    return bool(come)
            return False

    def can_idle(self) -> bool:
        """Return whether the server has IDLE."""
        with self._guarded() as client:
            return self._can_idle(client)

    def check(self) -> str:
        """Create the folders and return a sentence of what was found, for ``postal check``."""
        self.ensure_folders()
        count = len(self.new_uids())
        idle = "with" if self.can_idle() else "without"
        return (
            f"IMAP {self._settings.place}: logged in as {self._settings.user}, {count} in "
            f"{self._settings.folder}, {idle} IDLE"
        )

    def _can_idle(self, client: BoundedClient) -> bool:
        """Whether the server has IDLE, and has not refused it on this connection."""
        return bool(client.has_capability("IDLE")) and not self._idle_refused

    def _has_more(self, client: BoundedClient, chosen: Mapping[bytes, Any]) -> bool:
        """Whether a mail came since the folder was looked through."""
        uidnext = _uidnext(chosen)
        if not uidnext:
            uidnext = max((int(uid) for uid in client.search("ALL")), default=-1) + 1
        return uidnext > self._uidnext

    def _connect(self) -> BoundedClient:
        settings = self._settings
        context = None if settings.security == "plain" else tls_context(settings)
        client = BoundedClient(
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

    def _gives_last(self, client: BoundedClient, folder: str) -> bool:
        client.select_folder(self._prefix + folder)
        uids = sorted(int(uid) for uid in client.search("ALL"))
        if not uids:
            return False
        try:
            take(client, uids[-1], 0, Facts())
        except Incomplete:
            return False
        return True

    def _log_in(self, client: BoundedClient) -> None:
        settings = self._settings
        if settings.token is not None:
            self._token = settings.token()
            client.oauth2_login(settings.user, self._token)
        else:
            client.login(settings.user, settings.password)

    def _open_folder(self) -> int:
        """Select the folder; return the UID that the next mail gets."""
        with self._guarded() as client:
            chosen = client.select_folder(self._settings.folder)
            self._uidvalidity = int(chosen[b"UIDVALIDITY"])
            self._exists = int(chosen.get(b"EXISTS", 0))
            return _uidnext(chosen)

    @contextlib.contextmanager
    def _guarded(self) -> Iterator[BoundedClient]:
        """Give the client; whatever fails, drop it and tell why in one sentence."""
        if self._client is None:
            raise MailboxUnavailable(CLOSED)
        try:
            self._waiting = True
            yield self._client
            self._waiting = False
        except Exception as error:  # noqa: BLE001  # its text may repeat a mail: no chain
            self._waiting = False
            self._drop()
            raise MailboxUnavailable(self._sentence(error)) from None

    def _drop(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            _shut(client)

    def _sentence(self, error: Exception) -> str:
        return imap_sentence(self._settings, error, self._token)


def _shut(client: BoundedClient) -> None:
    with contextlib.suppress(Exception):
        client.shutdown()


def _personal_prefix(client: BoundedClient) -> str:
    """Return what the names of own folders begin with, such as ``INBOX.`` (RFC 2342)."""
    if not client.has_capability("NAMESPACE"):
        return ""
    personal = client.namespace().personal
    return str(personal[0][0]) if personal else ""


def _uidnext(chosen: Mapping[bytes, Any]) -> int:
    """Return the UID that the next mail gets, 0 where the answer to SELECT doesn't tell it."""
    return int(chosen.get(b"UIDNEXT", 0))
