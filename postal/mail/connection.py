"""What the IMAP and the SMTP side share: settings, TLS, and a sentence for each failure."""

from __future__ import annotations

import imaplib
import ipaddress
import re
import smtplib
import socket
import ssl
from ast import literal_eval
from base64 import b64encode
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from postal.errors import PostalError
from postal.mail.tokens import masked

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_BYTES = re.compile(r"""\bb(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""")
_TELLING = 6

Security = Literal["tls", "starttls", "plain"]


class MailServerUnavailable(PostalError):  # noqa: N818  # a state of the other side
    """A mail server can't be used now; the text is one sentence for the GM, without secrets."""


class MailboxUnavailable(MailServerUnavailable):
    """The IMAP mailbox can't be used now: throw the client away, wait, connect anew."""


class SubmissionUnavailable(MailServerUnavailable):
    """The SMTP server can't be used now; nothing was sent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """Where a mail server is and how to log in.

    ``token``, where it is given, is asked for a fresh XOAUTH2 access token at each login, and
    ``password`` is not used. ``security`` "plain" sends the password in clear: it is refused
    unless the host is this machine or ``allow_plain`` insists. ``ca_file`` names a PEM file of
    the authorities to trust instead of the system's. ``timeout`` is in seconds, for connecting
    and for each answer.
    """

    host: str
    port: int
    user: str
    password: str = field(default="", repr=False)
    token: Callable[[], str] | None = field(default=None, repr=False)
    security: Security = "tls"
    timeout: float = 30.0
    allow_plain: bool = False
    ca_file: Path | None = None

    @property
    def place(self) -> str:
        """The server as ``host:port``."""
        return f"{self.host}:{self.port}"

    def refusal(self) -> str | None:
        """Return why these settings may not be used at all, or None."""
        if self.security == "plain" and not self.allow_plain and not is_loopback(self.host):
            return (
                f'security = "plain" would send the password to {self.place} unencrypted: '
                'use "tls" or "starttls"'
            )
        return None


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine itself, judged by its name or number alone."""
    if host.casefold() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def tls_context(settings: ServerSettings) -> ssl.SSLContext:
    """Return a context that checks the certificate and the host's name; OSError for a bad file."""
    return ssl.create_default_context(cafile=settings.ca_file)


def xoauth2(user: str, token: str) -> str:
    """Return the XOAUTH2 initial response, before base64."""
    return f"user={user}\1auth=Bearer {token}\1\1"


def one_line(text: str | bytes, limit: int = 200) -> str:
    """Return a server's words on one line, at most ``limit`` characters, printable only."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    words = "".join(char if char.isprintable() else " " for char in text).split()
    return " ".join(words)[:limit]


def server_words(text: str | bytes, limit: int = 200, password: str = "") -> str:
    """Return a server's answer on one line as it may be told: without tokens and the password."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    # Before it is cut, or half a token would stay.
    text = masked(text)
    return one_line(text.replace(password, "(password)") if password else text, limit)


def login_words(settings: ServerSettings, text: str | bytes, token: str = "") -> str:
    """Return why a server refused a login, in its own words on one line, as they may be told.

    Some repeat what they were sent: user name, password and ``token`` (that of XOAUTH2) are struck
    out, in clear, quoted and in base64. RFC 3501, 7.1, wants such words to be shown.
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    # imaplib puts what it was answered into its errors as Python writes bytes.
    text = _BYTES.sub(lambda found: literal_eval(found.group()).decode("utf-8", "replace"), text)
    user, password = settings.user, settings.password
    answers = [f"\0{user}\0{password}", f"{user}\0{user}\0{password}", xoauth2(user, token)]
    for secret in (*answers, password, token):
        for form in _forms(secret):
            text = text.replace(form, "(password)")
    for form in _forms(user):
        text = re.sub(rf"(?<![\w@]){re.escape(form)}(?![\w@])", "(user)", text, flags=re.IGNORECASE)
    return one_line(masked(text))


def _forms(secret: str) -> list[str]:
    """Return how a server may repeat a secret: as it is, as a quoted string, or in base64."""
    if not secret:
        return []
    escaped = secret.replace("\\", "\\\\").replace('"', '\\"')
    encoded = b64encode(secret.encode()).decode()
    # Of a short one without its end little is left, which might stand in any word.
    bare = encoded.rstrip("=")
    return [secret, escaped, encoded, *([bare] if len(bare) >= _TELLING else [])]


def sentence(settings: ServerSettings, kind: str, error: BaseException) -> str:
    """Return what went wrong, for the GM; ``kind`` is IMAP or SMTP. It holds no secret."""
    place, server = settings.place, f"the {kind} server {settings.place}"
    match error:
        case PostalError():  # such as a token command that fails
            text = str(error)
        case ssl.SSLError() if not isinstance(error, ssl.SSLEOFError):
            text = _about_tls(settings, server, error)
        case socket.gaierror():
            text = f"No host is named {settings.host}: check the {kind} host, or the network"
        case ConnectionRefusedError():
            text = f"No {kind} server answers at {place}: check the host and the port"
        case TimeoutError():
            text = f"The {kind} server {place} didn't answer within {settings.timeout:g} seconds"
        case FileNotFoundError():
            text = f"The file of trusted authorities, {settings.ca_file}, can't be read"
        case imaplib.IMAP4.abort() if "unexpected" in str(error):
            text = f"Unexpected answer from {server}: is it the right port for {kind}?"
        case (
            imaplib.IMAP4.abort()
            | smtplib.SMTPServerDisconnected()
            | ConnectionError()
            | ssl.SSLEOFError()
            | EOFError()
        ):
            text = f"The connection to {server} was lost"
        case OSError() if not isinstance(error, smtplib.SMTPException):
            text = f"The {kind} server {place} can't be reached: {one_line(error.strerror or '')}"
        case _:
            text = f"Unexpected answer from {server}{_words(settings, error)}"
    return text


def _about_tls(settings: ServerSettings, server: str, error: ssl.SSLError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"The certificate of {server} can't be trusted: {one_line(error.verify_message)}"
    return f"TLS with {server} failed: is {settings.security!r} the right security for this port?"


def _words(settings: ServerSettings, error: BaseException) -> str:
    """Return what a server answered; the text of another error may quote what was sent or read."""
    if isinstance(error, smtplib.SMTPResponseException):
        words = server_words(error.smtp_error, password=settings.password)
        return f": {error.smtp_code} {words}"
    # The classes below it are imapclient's for what it could not read: its text quotes that.
    if type(error) is imaplib.IMAP4.error:
        return f": {server_words(str(error), password=settings.password)}"
    return f" ({type(error).__name__})"
