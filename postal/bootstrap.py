"""From the config to what is ready for use: mail servers' settings and the open database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from postal.mail.imap import ImapSettings
from postal.mail.smtp import SmtpSettings

if TYPE_CHECKING:
    from pathlib import Path

    from postal.config import Config, Login


def imap_settings(config: Config) -> ImapSettings:
    """Return how to open the mailbox; ConfigError where its password can't be had."""
    login = config.imap_login()
    return ImapSettings(
        host=config.imap.host,
        port=config.imap.port_used(),
        security=config.imap.security,
        allow_plain=config.imap.allow_plain,
        ca_file=_file(config, config.imap.ca_file),
        folder=config.imap.folder,
        user=login.user,
        password=_password(login),
        token=login.token,
    )


def smtp_settings(config: Config) -> SmtpSettings:
    """Return how to hand in mail; ConfigError where the password can't be had."""
    login = config.smtp_login()
    return SmtpSettings(
        host=config.smtp.host,
        port=config.smtp.port_used(),
        security=config.smtp.security,
        allow_plain=config.smtp.allow_plain,
        ca_file=_file(config, config.smtp.ca_file),
        user=login.user if login else "",
        password=_password(login) if login else "",
        token=login.token if login else None,
    )


def _password(login: Login) -> str:
    """Return the password in clear, empty for a login by token."""
    return login.password.get_secret_value() if login.password else ""


def _file(config: Config, path: Path | None) -> Path | None:
    """Return a file of the config's, a relative path counting from the data folder."""
    return config.folder / path.expanduser() if path else None
