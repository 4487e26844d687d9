"""Handing mail to the submission server, and what became of each, over SMTP (RFC 5321, 6409)."""

from __future__ import annotations

import contextlib
import re
import smtplib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Self

from postal.mail.connection import (
    ServerSettings,
    SubmissionUnavailable,
    is_loopback,
    sentence,
    server_words,
    tls_context,
    xoauth2,
)

if TYPE_CHECKING:
    from types import TracebackType

SendState = Literal["sent", "retry", "failed", "unknown"]

_LINE_END = re.compile(rb"\r\n|\r|\n")
_LEADING_DOT = re.compile(rb"^\.", re.MULTILINE)
_YES, _LATER, _NO = 2, 4, 5  # the first digits of replies, RFC 5321, 4.2.1
_GO_AHEAD = 354
_CLOSING = 421
# Answers about our login, not about the mail: the settings are at fault, and no mail fails by it.
_ABOUT_LOGIN = frozenset({530, 534, 535, 538})


@dataclass(frozen=True, slots=True, kw_only=True)
class SmtpSettings(ServerSettings):
    """Where mail is handed in; without a user there is no login."""

    port: int = 465
    user: str = ""


@dataclass(frozen=True, slots=True)
class SendResult:
    """What became of one mail.

    ``sent``: taken by the server. ``retry``: not taken, try again later. ``failed``: refused for
    good. ``unknown``: the connection was lost after the last dot, so it may have been taken; send
    it again with the same Message-ID. ``code`` is the server's, 0 where it gave none; ``text`` is
    one line without secrets. ``about_us``: it concerns the connection or the login, not the mail,
    so that any other mail would fare alike.
    """

    state: SendState
    code: int
    text: str
    about_us: bool = False


class Sender:
    """A connection to the submission server that is made when needed and made anew when lost."""

    def __init__(self, settings: SmtpSettings) -> None:
        """Take the settings; the first ``send`` connects."""
        self._settings = settings
        self._client: smtplib.SMTP | None = None

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the connection."""
        self.close()

    def close(self) -> None:
        """Say QUIT and close; harmless where nothing is open."""
        client, self._client = self._client, None
        if client is not None:
            with contextlib.suppress(smtplib.SMTPException, OSError):
                client.quit()
            client.close()

    def send(self, raw: bytes, recipient: str, envelope_from: str) -> SendResult:
        """Send one mail to one person; never raises for what the server or the network does.

        ``raw`` is the whole message, ``envelope_from`` the address that failures come back to,
        which may hold a token: it is kept out of the result's text.
        """
        try:
            client = self._open()
        except SubmissionUnavailable as error:
            cause = error.__cause__
            code = cause.smtp_code if isinstance(cause, smtplib.SMTPResponseException) else 0
            return SendResult("retry", code, str(error), about_us=True)
        wire = _LEADING_DOT.sub(b"..", _LINE_END.sub(b"\r\n", raw))
        wire += b".\r\n" if wire.endswith(b"\r\n") else b"\r\n.\r\n"
        dotted = False
        try:
            refused = self._announce(client, recipient, envelope_from)
            if refused is not None:
                return refused
            client.send(wire)
            dotted = True
            code, words = client.getreply()
        except UnicodeError:
            self._drop()
            return SendResult("failed", 553, "An address has letters that this server can't take")
        except (smtplib.SMTPException, OSError, ValueError) as error:
            self._drop()
            lost = sentence(self._settings, "SMTP", error)
            return SendResult("unknown" if dotted else "retry", 0, lost, about_us=True)
        if code == _CLOSING:
            self._drop()
        return self._judged(code, words, envelope_from)

    def check(self) -> str:
        """Connect and log in; return a sentence for ``postal check``, or raise.

        Raises SubmissionUnavailable, which says why.
        """
        self._open()
        who = f"logged in as {self._settings.user}" if self._settings.user else "no login"
        return f"SMTP {self._settings.place}: {who}"

    def _open(self) -> smtplib.SMTP:
        """Return a connection that answers, a new one where the old is dead."""
        if self._client is not None:
            with contextlib.suppress(smtplib.SMTPException, OSError):
                if self._client.noop()[0] // 100 == _YES:
                    return self._client
            self._drop()
        refusal = self._settings.refusal()
        if refusal:
            raise SubmissionUnavailable(refusal)
        try:
            self._client = self._connect()
            self._log_in(self._client)
        except (smtplib.SMTPAuthenticationError, smtplib.SMTPNotSupportedError) as error:
            self._drop()
            raise SubmissionUnavailable(self._login_sentence(error)) from error
        except Exception as error:
            self._drop()
            raise SubmissionUnavailable(sentence(self._settings, "SMTP", error)) from error
        return self._client

    def _connect(self) -> smtplib.SMTP:
        settings = self._settings
        # On this machine the name matters to nobody, and looking it up can take seconds.
        name = "localhost" if is_loopback(settings.host) else None
        if settings.security == "tls":
            return smtplib.SMTP_SSL(
                settings.host,
                settings.port,
                name,
                timeout=settings.timeout,
                context=tls_context(settings),
            )
        client = smtplib.SMTP(settings.host, settings.port, name, timeout=settings.timeout)
        if settings.security == "starttls":
            try:
                client.starttls(context=tls_context(settings))
            except BaseException:
                client.close()
                raise
        return client

    def _announce(
        self, client: smtplib.SMTP, recipient: str, envelope_from: str
    ) -> SendResult | None:
        """Go up to DATA's go-ahead; return the refusal, if there is one."""
        code, words = client.mail(envelope_from)
        if code // 100 == _YES:
            code, words = client.rcpt(recipient)
        if code // 100 == _YES:
            code, words = client.docmd("DATA")
            if code == _GO_AHEAD:
                return None
            if code // 100 not in (_LATER, _NO):
                self._drop()  # a yes to DATA that is no go-ahead: nothing was sent
                return SendResult("retry", code, self._words(words))
        self._reset(code)
        return self._judged(code, words, envelope_from)

    def _log_in(self, client: smtplib.SMTP) -> None:
        settings = self._settings
        client.ehlo_or_helo_if_needed()
        if settings.token is not None:
            answer = xoauth2(settings.user, settings.token())
            # A refusal comes as a challenge, to be answered by an empty line.
            client.auth("XOAUTH2", lambda challenge=None: "" if challenge else answer)
        elif settings.user:
            client.login(settings.user, settings.password)

    def _login_sentence(self, error: smtplib.SMTPException) -> str:
        place = self._settings.place
        if isinstance(error, smtplib.SMTPAuthenticationError):
            if error.smtp_code // 100 == _LATER:
                return f"The SMTP server {place} can't check passwords at present"
            return (
                f"The SMTP server {place} refused the login of {self._settings.user}: "
                "check the user name and the password"
            )
        return f"The SMTP server {place} offers no such login or no STARTTLS: check the security"

    def _reset(self, code: int) -> None:
        """Make the connection ready for the next mail after a refusal."""
        if self._client is None or code in (-1, _CLOSING):
            self._drop()
            return
        try:
            self._client.rset()
        except (smtplib.SMTPException, OSError):
            self._drop()

    def _drop(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def _words(self, words: bytes) -> str:
        return server_words(words, 300, self._settings.password)

    def _judged(self, code: int, words: bytes, envelope_from: str) -> SendResult:
        """Return the result that a reply's code means."""
        if envelope_from:
            sender = re.compile(re.escape(envelope_from.encode()), re.IGNORECASE)
            words = sender.sub(b"(sender)", words)
        text = self._words(words)
        if code // 100 == _YES:
            return SendResult("sent", code, text)
        if code // 100 == _NO and code not in _ABOUT_LOGIN:
            return SendResult("failed", code, text)
        about_us = code == _CLOSING or code in _ABOUT_LOGIN
        return SendResult("retry", code, text, about_us=about_us)
