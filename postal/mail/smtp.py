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
    login_words,
    sentence,
    server_words,
    tls_context,
    xoauth2,
)
from postal.mail.refusals import Stage, whose

if TYPE_CHECKING:
    from types import TracebackType

SendState = Literal["sent", "retry", "failed", "unknown"]

_LINE_END = re.compile(rb"\r\n|\r|\n")
_LEADING_DOT = re.compile(rb"^\.", re.MULTILINE)
_YES, _LATER, _NO = 2, 4, 5  # the first digits of replies, RFC 5321, 4.2.1
_GO_AHEAD = 354
_CLOSING = 421
_BAD_ADDRESS = 553


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
    one line without secrets. ``about_us``: it concerns the connection, the login or our account,
    not the mail, so that any other mail would fare alike. ``doubtful``: it may be so or otherwise,
    which only shows when others are taken or not (postal.mail.refusals). ``server`` is who
    answered, as ``host:port``, where it was an answer.
    """

    state: SendState
    code: int
    text: str
    about_us: bool = False
    doubtful: bool = False
    server: str = ""

    @property
    def sentence(self) -> str:
        """What is to be told where the server takes no mail from us."""
        if not self.server:
            return self.text
        return f"The SMTP server {self.server} takes no mail from us: {self.code} {self.text}"


@dataclass(slots=True)
class _Talk:
    """How far the handing in of one mail has got."""

    stage: Stage = "sender"
    dotted: bool = False


class Sender:
    """A connection to the submission server that is made when needed and made anew when lost."""

    def __init__(self, settings: SmtpSettings) -> None:
        """Take the settings; the first ``send`` connects."""
        self._settings = settings
        self._client: smtplib.SMTP | None = None
        self._token = ""

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
        talk = _Talk()
        try:
            code, words = _hand_in(client, talk, wire, recipient, envelope_from)
        except UnicodeError:
            self._drop()
            about_us = talk.stage == "sender"
            text = "An address has letters that this server can't take"
            return SendResult("retry" if about_us else "failed", _BAD_ADDRESS, text, about_us)
        except (smtplib.SMTPException, OSError, ValueError) as error:
            return self._broken(talk, sentence(self._settings, "SMTP", error))
        if code // 100 not in (_YES, _LATER, _NO) or (code // 100 == _YES and not talk.dotted):
            # No answer to what was asked: it can't be known what was understood.
            odd = f"Unexpected answer from the SMTP server {self._settings.place}: {code}"
            return self._broken(talk, odd, max(code, 0))
        if code == _CLOSING:
            self._drop()
        elif not talk.dotted:
            self._reset(code)
        return self._judged(code, words, talk.stage, recipient, envelope_from)

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

    def _broken(self, talk: _Talk, text: str, code: int = 0) -> SendResult:
        """Give the connection up, and return what may have become of the mail."""
        self._drop()
        state: SendState = "unknown" if talk.dotted else "retry"
        return SendResult(state, code, text, about_us=True, doubtful=talk.stage != "sender")

    def _log_in(self, client: smtplib.SMTP) -> None:
        settings = self._settings
        client.ehlo_or_helo_if_needed()
        if settings.token is not None:
            self._token = settings.token()
            answer = xoauth2(settings.user, self._token)
            # A refusal comes as a challenge, to be answered by an empty line.
            client.auth("XOAUTH2", lambda challenge=None: "" if challenge else answer)
        elif settings.user:
            client.login(settings.user, settings.password)

    def _login_sentence(self, error: smtplib.SMTPException) -> str:
        place = self._settings.place
        if isinstance(error, smtplib.SMTPAuthenticationError):
            words = login_words(self._settings, error.smtp_error, self._token)
            said = f"{error.smtp_code} {words}".strip()
            if error.smtp_code // 100 == _LATER:
                return f"The SMTP server {place} can't check passwords at present ({said})"
            return (
                f"The SMTP server {place} refused the login of {self._settings.user} ({said}): "
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

    def _judged(
        self, code: int, said: bytes, stage: Stage, recipient: str, envelope_from: str
    ) -> SendResult:
        """Return the result that a reply means: by its class and by whom it concerns."""
        if envelope_from:
            sender = re.compile(re.escape(envelope_from.encode()), re.IGNORECASE)
            said = sender.sub(b"(sender)", said)
        text = self._words(said)
        if code // 100 == _YES:
            return SendResult("sent", code, text)
        concerned, server = whose(code, text, stage, recipient), self._settings.place
        if concerned == "ours":
            return SendResult("retry", code, text, about_us=True, server=server)
        state: SendState = "failed" if code // 100 == _NO else "retry"
        return SendResult(state, code, text, doubtful=concerned == "open", server=server)


def _hand_in(
    client: smtplib.SMTP, talk: _Talk, wire: bytes, recipient: str, envelope_from: str
) -> tuple[int, bytes]:
    """Hand a mail in, up to the first refusal; return the last reply, noting how far it got."""
    code, words = client.mail(envelope_from)
    if code // 100 != _YES:
        return code, words
    talk.stage = "recipient"
    code, words = client.rcpt(recipient)
    if code // 100 != _YES:
        return code, words
    talk.stage = "content"
    code, words = client.docmd("DATA")
    if code != _GO_AHEAD:
        return code, words
    client.send(wire)
    talk.dotted = True
    return client.getreply()
