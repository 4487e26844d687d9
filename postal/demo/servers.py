"""Mail servers of the demo: IMAP and SMTP on loopback, in one background thread, in memory.

Importing this module needs the extra ``demo``; where it is missing, ImportError says what to
install. It is imported by the commands that need it, never by ``postal --help``.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from argparse import Namespace
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self, TypeVar

try:
    from aiosmtpd.smtp import SMTP, AuthResult
    from proxyprotocol.result import ProxyResultLocal
    from proxyprotocol.sock import SocketInfo
    from pymap.backend.dict import Config, Login
    from pymap.backend.dict.filter import FilterSet
    from pymap.backend.dict.mailbox import MailboxSet
    from pymap.concurrent import Subsystem
    from pymap.imap import IMAPServer
    from pymap.parsing.message import AppendMessage
    from pymap.user import UserMetadata
    from pysasl.hashing import Cleartext
except ImportError as error:
    _MISSING = "The demo's mail servers are not installed: install postal-anaconda[demo]"
    raise ImportError(_MISSING) from error

from postal.mail.gate import base_address

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping
    from datetime import datetime
    from types import TracebackType

    from aiosmtpd.smtp import Envelope, Session
    from aiosmtpd.smtp import LoginPassword as SmtpLogin

HOST = "127.0.0.1"
_CALL_SECONDS = 20

Result = TypeVar("Result")
_MAX_BYTES = 10_000_000


class _QuietConfig(Config):
    """pymap's settings, without its look-up of this machine's name at every greeting."""

    @property
    def greeting(self) -> bytes:
        """The words after ``* OK``."""
        return b"Postal's demo server ready"


class LoopThread:
    """An asyncio loop in a daemon thread, for servers beside a program that isn't asyncio."""

    def __init__(self, name: str) -> None:
        """Start the thread."""
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, name=name, daemon=True)
        self._thread.start()

    def call(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Run a coroutine in the loop and return its result; TimeoutError after 20 seconds."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(_CALL_SECONDS)

    def close(self) -> None:
        """Cancel what still runs in the loop and end the thread."""
        self.call(self._cancel_all())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(_CALL_SECONDS)
        self.loop.close()

    async def _cancel_all(self) -> None:
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await self.loop.shutdown_asyncgens()
        await self.loop.shutdown_default_executor()


@dataclass
class MailServers:
    """An IMAP and an SMTP server that share mailboxes, for the demo and for tests.

    ``passwords`` holds a password for each address; an address is also its login name. Mail for
    ``gm+detail@example.org`` goes to ``gm@example.org``. ``now`` gives the INTERNALDATE of each
    delivery, an aware time. Nothing leaves this machine: mail for an address that isn't here is
    refused with 550. Use it as a context manager; the ports are set once it is entered.
    """

    passwords: Mapping[str, str] = field(repr=False)
    now: Callable[[], datetime] = field(repr=False)
    imap_port: int = field(default=0, init=False)
    smtp_port: int = field(default=0, init=False)
    delivered: int = field(default=0, init=False)

    def __enter__(self) -> Self:
        """Start both servers; OSError where no port can be had."""
        self._thread = LoopThread("mail-servers")
        try:
            self._thread.call(self._start())
        except BaseException:
            self._thread.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close every connection and end the thread."""
        self._thread.call(self._stop())
        self._thread.close()

    def deliver(self, raw: bytes, recipient: str, envelope_from: str = "") -> None:
        """Put a mail into a mailbox as SMTP would; KeyError where the address isn't here."""
        self._thread.call(self._deliver(raw, recipient, envelope_from))

    async def _start(self) -> None:
        # aiosmtpd warns at every login of an attribute of its own, which we don't use.
        logging.getLogger("mail.log").setLevel(logging.ERROR)
        config = _QuietConfig(
            Namespace(proxy_protocol=None, passlib_cfg=None),
            host=HOST,
            port=0,
            demo_data=False,
            demo_user="",
            demo_password="",
            tls_enabled=False,
            # The demo's passwords are drawn for one run and never stored, and this saves the
            # fraction of a second that a strong hash costs at each of the robots' logins.
            hash_context=Cleartext(),
            cpu_subsystem=Subsystem.for_asyncio(),
            invalid_user_sleep=0.0,
            reject_dnsbl=False,
            max_append_len=_MAX_BYTES,
        )
        config.apply_context()
        login = Login(config)
        self._boxes: dict[str, Any] = {}
        for address, password in self.passwords.items():
            name = address.casefold()
            login.users_dict[name] = UserMetadata(config, name, password=password)
            mailboxes = MailboxSet()
            config.set_cache[name] = (mailboxes, FilterSet())
            self._boxes[name] = await mailboxes.get_mailbox("INBOX")
        self._serve_imap = IMAPServer(login, config)
        self._imap = await asyncio.start_server(self._imap_client, HOST, 0)
        self._smtp = await self._thread.loop.create_server(self._smtp_protocol, HOST, 0)
        self.imap_port = self._imap.sockets[0].getsockname()[1]
        self.smtp_port = self._smtp.sockets[0].getsockname()[1]

    async def _imap_client(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        # A client that hangs up is no fault, and the stop cancels whoever is still here.
        with contextlib.suppress(OSError, EOFError, asyncio.CancelledError):
            info = SocketInfo.get(writer, ProxyResultLocal(), unique_id=b"demo")
            await self._serve_imap(reader, writer, info)

    def _smtp_protocol(self) -> Any:  # noqa: ANN401  # aiosmtpd is untyped to mypy
        return SMTP(
            self,
            hostname="localhost",
            ident="postal demo",
            loop=self._thread.loop,
            enable_SMTPUTF8=True,
            data_size_limit=_MAX_BYTES,
            auth_require_tls=False,
            authenticator=self._authenticate,
            command_call_limit=100_000,
        )

    async def _stop(self) -> None:
        self._imap.close()
        self._smtp.close()

    def _authenticate(
        self,
        _server: SMTP,
        _session: Session,
        _envelope: Envelope,
        _mechanism: str,
        given: SmtpLogin,
    ) -> AuthResult:
        expected = self.passwords.get(given.login.decode(errors="replace").casefold())
        right = expected is not None and given.password == expected.encode()
        # "handled" would mean that we had answered already, and a refusal would get no answer.
        return AuthResult(success=right, handled=False)

    async def handle_RCPT(  # noqa: N802  # aiosmtpd finds its hooks by these names
        self,
        _server: SMTP,
        _session: Session,
        envelope: Envelope,
        address: str,
        _options: list[str],
    ) -> str:
        """Refuse an address that isn't here (aiosmtpd's hook)."""
        if base_address(address) not in self._boxes:
            return "550 5.1.1 no such mailbox here"
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 recipient fine"

    async def handle_DATA(  # noqa: N802  # aiosmtpd finds its hooks by these names
        self, _server: SMTP, _session: Session, envelope: Envelope
    ) -> str:
        """Put the mail into the mailbox of each recipient (aiosmtpd's hook)."""
        raw = envelope.original_content or b""
        sender = (envelope.mail_from or "").strip("<>")  # the null sender comes with its brackets
        for recipient in envelope.rcpt_tos:
            await self._deliver(raw, recipient, sender)
        return "250 2.0.0 delivered"

    async def _deliver(self, raw: bytes, recipient: str, envelope_from: str) -> None:
        head = f"Return-Path: <{envelope_from}>\r\nDelivered-To: {recipient}\r\n".encode()
        await self._boxes[base_address(recipient)].append(AppendMessage(head + raw, self.now()))
        self.delivered += 1
