"""Mail servers for tests: a private Dovecot (IMAP and LMTP) and a submission server before it."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import getpass
import ipaddress
import os
import shutil
import signal
import smtplib
import socket
import ssl
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pytest
from aiosmtpd.smtp import SMTP, AuthResult
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from postal.demo.servers import LoopThread

HOST = "127.0.0.1"
_UP_SECONDS = 20


def need_dovecot() -> str:
    """Return where Dovecot is; skip the test where it is missing, or fail where CI=true."""
    found = shutil.which("dovecot", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    if found is None:
        reason = "Dovecot is not installed (Debian: dovecot-imapd dovecot-lmtpd)"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return found


def free_port() -> int:
    """Return a port of loopback that nobody listens on at the moment."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


@dataclass(frozen=True)
class Certificate:
    """A self-made certificate for localhost and 127.0.0.1; ``cert`` is its own authority."""

    cert: Path
    key: Path

    @classmethod
    def make(cls, folder: Path) -> Certificate:
        """Write ``cert.pem`` and ``key.pem`` into a folder."""
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
        names = x509.SubjectAlternativeName(
            [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address(HOST))]
        )
        cert = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(dt.datetime(2020, 1, 1, tzinfo=dt.UTC))
            .not_valid_after(dt.datetime(2120, 1, 1, tzinfo=dt.UTC))
            .add_extension(names, critical=False)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .add_extension(
                x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False
            )
            .sign(key, hashes.SHA256())
        )
        made = cls(folder / "cert.pem", folder / "key.pem")
        made.cert.write_bytes(cert.public_bytes(serialization.Encoding.PEM))
        made.key.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        return made


_CONFIG = """
protocols = imap lmtp
base_dir = {folder}/run
log_path = /dev/stderr
default_internal_user = {user}
default_internal_group = {group}
default_login_user = {user}
first_valid_uid = 1
ssl = yes
ssl_cert = <{folder}/cert.pem
ssl_key = <{folder}/key.pem
disable_plaintext_auth = no
auth_failure_delay = 0
mail_location = maildir:{folder}/mail/%u
recipient_delimiter = +
passdb {{
  driver = passwd-file
  args = scheme=PLAIN username_format=%u {folder}/users
}}
userdb {{
  driver = static
  args = uid={user} gid={group} home={folder}/mail/%u
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    address = 127.0.0.1
    port = {imap_port}
  }}
  inet_listener imaps {{
    address = 127.0.0.1
    port = {imaps_port}
    ssl = yes
  }}
}}
service lmtp {{
  inet_listener lmtp {{
    address = 127.0.0.1
    port = {lmtp_port}
  }}
}}
service anvil {{
  chroot =
  unix_listener anvil-auth-penalty {{
    mode = 0
  }}
}}
service stats {{
  chroot =
}}
"""


@dataclass(frozen=True)
class Dovecot:
    """A running Dovecot: ``imap_port`` has STARTTLS, ``imaps_port`` is TLS; ``cert`` to trust."""

    imap_port: int
    imaps_port: int
    lmtp_port: int
    certificate: Certificate
    passwords: Mapping[str, str]

    def deliver(self, raw: bytes, recipient: str, envelope_from: str = "") -> None:
        """Hand a mail over by LMTP."""
        with smtplib.LMTP(HOST, self.lmtp_port, local_hostname="localhost") as lmtp:
            lmtp.sendmail(envelope_from, [recipient], raw)


@contextlib.contextmanager
def dovecot(passwords: Mapping[str, str]) -> Iterator[Dovecot]:
    """Run a private Dovecot with a mailbox per address; skip or fail where it isn't installed.

    Where the tests run as root it runs as nobody, from a folder of its own that is removed after.
    """
    program = need_dovecot()
    root = os.geteuid() == 0
    user, group = ("nobody", "nogroup") if root else (getpass.getuser(), _own_group())
    with tempfile.TemporaryDirectory(prefix="dovecot-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        certificate = Certificate.make(folder)
        running = Dovecot(free_port(), free_port(), free_port(), certificate, passwords)
        settings = _CONFIG.format(
            folder=folder,
            user=user,
            group=group,
            imap_port=running.imap_port,
            imaps_port=running.imaps_port,
            lmtp_port=running.lmtp_port,
        )
        (folder / "dovecot.conf").write_text(settings, "utf-8")
        users = "".join(f"{address}:{password}\n" for address, password in passwords.items())
        (folder / "users").write_text(users, "utf-8")
        if root:
            for path in (folder, *folder.iterdir()):
                shutil.chown(path, user, group)
        who: dict[str, Any] = {"user": user, "group": group, "extra_groups": []} if root else {}
        process = subprocess.Popen(
            [program, "-F", "-c", str(folder / "dovecot.conf")],
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            **who,
        )
        try:
            _wait_until_up(process)
            yield running
        finally:
            # Asked politely it takes a second; nothing of it is needed any more.
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(_UP_SECONDS)


def _own_group() -> str:
    import grp  # noqa: PLC0415  # there is none on Windows, where Dovecot is none either

    return grp.getgrgid(os.getegid()).gr_name


def _wait_until_up(process: subprocess.Popen[str]) -> None:
    """Return when Dovecot says that it is up; the log is read on, so that it never blocks."""
    up = threading.Event()
    log: list[str] = []

    def follow(stream: IO[str]) -> None:
        with stream:
            for line in stream:
                log.append(line)
                if "starting up for" in line:
                    up.set()
        up.set()

    assert process.stderr is not None
    threading.Thread(target=follow, args=(process.stderr,), daemon=True).start()
    up.wait(_UP_SECONDS)
    if not any("starting up for" in line for line in log):
        process.terminate()
        pytest.fail(f"Dovecot didn't start: {''.join(log)}")


class _ToLmtp:
    """aiosmtpd's hooks: what is taken in is handed to LMTP, whose answer is passed back."""

    def __init__(self, server: Dovecot) -> None:
        self._server = server

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802  # aiosmtpd's name
        for recipient in envelope.rcpt_tos:
            try:
                await asyncio.to_thread(
                    self._server.deliver, envelope.content, recipient, envelope.mail_from
                )
            except smtplib.SMTPRecipientsRefused as refused:
                code, words = next(iter(refused.recipients.values()))
                return f"{code} {words.decode()}"
        return "250 2.0.0 handed over"


@contextlib.contextmanager
def submission(server: Dovecot) -> Iterator[int]:
    """Run a submission server with STARTTLS and AUTH before a Dovecot; give its port."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(server.certificate.cert, server.certificate.key)
    thread = LoopThread("submission")

    def authenticate(
        _server: Any, _session: Any, _envelope: Any, _how: str, given: Any
    ) -> AuthResult:
        expected = server.passwords.get(given.login.decode())
        right = expected is not None and given.password == expected.encode()
        # "handled" would mean that we had answered already, and a refusal would get no answer.
        return AuthResult(success=right, handled=False)

    def protocol() -> Any:
        return SMTP(
            _ToLmtp(server),
            hostname="localhost",
            loop=thread.loop,
            tls_context=context,
            require_starttls=True,
            auth_required=True,
            authenticator=authenticate,
        )

    async def start() -> asyncio.Server:
        return await thread.loop.create_server(protocol, HOST, 0)

    try:
        listening = thread.call(start())
        try:
            yield int(listening.sockets[0].getsockname()[1])
        finally:
            thread.loop.call_soon_threadsafe(listening.close)
    finally:
        thread.close()
