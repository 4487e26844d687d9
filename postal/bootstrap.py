"""From the config to what is ready for use: mail servers' settings, database, everything wired."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path

from postal import entropy
from postal.clock import Clock, SystemClock
from postal.config import Config, Login, load_config
from postal.mail.imap import ImapSettings, Mailbox
from postal.mail.smtp import Sender, SmtpSettings
from postal.reports import Reports
from postal.resources import templates_path
from postal.service.desk.keeping import let_go_daily
from postal.service.lease import MailboxLease
from postal.service.ticks import Rounds
from postal.service.workplace import Identity, Workplace
from postal.store.database import Database, open_database
from postal.store.settings import setting, setting_or

TOKEN_KEY = "token-key"  # noqa: S105 - the name of a setting, not a token
"""The setting that holds the league's key of tokens, made once."""


@dataclass(frozen=True, slots=True)
class Office:
    """The config and the workplace made from it."""

    config: Config
    work: Workplace

    def mailbox(self) -> Mailbox:
        """Return a mailbox to enter; ConfigError where its password can't be had."""
        return Mailbox(imap_settings(self.config))

    def rounds(self, lease: MailboxLease | None = None) -> Rounds:
        """Return the post room's rounds over IMAP and SMTP, under a lease where daemons share."""
        tidy = partial(let_go_daily, self.work, self.config.keep, self.config.folder)
        return Rounds(self.work, self.mailbox, Sender(smtp_settings(self.config)), lease, tidy)


@contextmanager
def open_office(
    data: Path,
    clock: Clock | None = None,
    new_name: Callable[[int], str] = entropy.new_name,
    *,
    look: bool = False,
) -> Iterator[Office]:
    """Open everything that the config of a data folder names, and close the database at the end.

    With ``look`` nothing is written where the folder can't be, so that a copy can be looked at.
    Raises ConfigError and StoreUnavailable, each a sentence.
    """
    config = load_config(data)
    database = open_database(config.database_url, look=look)
    try:
        key = _token_key(database)
        work = Workplace(
            database=database,
            clock=clock or SystemClock(),
            reports=Reports(templates_path(config.folder)),
            identity=Identity(
                gm_name=config.gm.name,
                gm_address=config.gm.address,
                mailbox=config.sender,
                plus=config.mail.plus_addressing,
                authserv_id=config.mail.authserv_id,
            ),
            account=f"{config.imap.user}@{config.imap.host}",
            folder=config.imap.folder,
            new_name=new_name,
            token_key=bytes.fromhex(key),
            outage_after=timedelta(hours=config.daemon.outage_after),
            owner=f"{socket.gethostname()}/{os.getpid()}/{entropy.new_name(8)}",
        )
        yield Office(config, work)
    finally:
        database.close()


def _token_key(database: Database) -> str:
    """Return the league's key, in hex; made now where there is none yet."""
    with database.reading() as session:
        key = setting(session, TOKEN_KEY)
    if key is None:
        with database.transaction() as session:
            key = setting_or(session, TOKEN_KEY, entropy.new_secret().hex())
    return key


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
