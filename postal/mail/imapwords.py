"""One sentence for whatever fails on the IMAP side, without secrets."""

from __future__ import annotations

from imapclient.exceptions import CapabilityError, IMAPClientAbortError, LoginError

from postal.mail.bounded import TooMuch
from postal.mail.connection import ServerSettings, login_words, sentence
from postal.mail.handing import Interrupted


def imap_sentence(settings: ServerSettings, error: Exception, token: str) -> str:
    """Return what went wrong; ``token`` is that of a login by XOAUTH2, to be struck out."""
    place = settings.place
    if isinstance(error, Interrupted | TooMuch):
        return f"The IMAP server {place} {error}: it was given up"
    if isinstance(error, CapabilityError):
        return f"The IMAP server {place} has no STARTTLS: is the security right for this port?"
    if isinstance(error, LoginError):
        cause = error.__context__
        if isinstance(cause, IMAPClientAbortError):
            return sentence(settings, "IMAP", cause)
        said = login_words(settings, str(error), token)
        if "[UNAVAILABLE]" in said:
            return f"The IMAP server {place} can't check passwords at present ({said})"
        return (
            f"The IMAP server {place} refused the login of {settings.user} ({said}): "
            "check the user name and the password"
        )
    return sentence(settings, "IMAP", error)
