"""``postal check``: the config, both mail servers, the database and the templates tried out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from postal.config import CONFIG_NAME, Config, ConfigError, load_config
from postal.errors import PostalError
from postal.mail.connection import MailServerUnavailable
from postal.mail.gate import base_address
from postal.mail.imap import FOLDERS, ImapSettings, Mailbox
from postal.mail.smtp import Sender, SmtpSettings
from postal.reports import Reports
from postal.reports.display import counted
from postal.reports.samples import sample_mistakes
from postal.resources import templates_path
from postal.store.database import open_database
from postal.store.health import what_is_damaged
from postal.store.problems import StoreUnavailable

_MOST_DAMAGED = 5


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of one check: its name, whether all is well, and a sentence for the GM."""

    check: str
    ok: bool = field(kw_only=True)
    says: str


def check_setup(
    folder: Path,
    imap_settings: Callable[[Config], ImapSettings],
    smtp_settings: Callable[[Config], SmtpSettings],
) -> Iterator[Finding]:
    """Check one thing after the other; where the config is wrong, nothing else.

    ``folder`` is the data folder; the settings are made from its config, and may raise ConfigError.
    """
    try:
        config = load_config(folder)
    except ConfigError as error:
        yield from (Finding("config", line, ok=False) for line in str(error).splitlines())
        return
    file = config.folder / CONFIG_NAME
    advice = f"; others may read it: chmod 600 {file}" if file.stat().st_mode & 0o077 else ""
    yield Finding("config", f"{file} is in order{advice}{_answers_elsewhere(config)}.", ok=True)
    yield from _mailbox(config, imap_settings)
    yield _tried("smtp", lambda: _submission(smtp_settings(config)))
    yield _tried("database", lambda: _database(config))
    yield from check_templates(config.folder)


def check_templates(folder: Path) -> Iterator[Finding]:
    """Compile the templates of a data folder and fill them in with a sample of each kind of mail.

    Each mistake is a finding; where there are none, one finding counts the GM's own.
    """
    own, *_ = path = templates_path(folder)
    mistakes = sample_mistakes(Reports(path))
    for mistake in mistakes:
        yield Finding("templates", _ended(mistake), ok=False)
    if not mistakes:
        count = sum(1 for file in own.rglob("*.j2") if file.is_file())
        yours = f"{counted(count, 'template')} of your own and all" if count else "All"
        yield Finding("templates", f"{yours} of postal's can be filled in.", ok=True)


def _answers_elsewhere(config: Config) -> str:
    """Return what to do where players would answer to another address than the mailbox's."""
    mailbox = config.imap.user
    if "@" not in mailbox or base_address(mailbox) == base_address(config.sender):
        return ""
    return (
        f"; but players will answer to {config.sender}: unless its mail comes to {mailbox},"
        f' set from = "{mailbox}" in [smtp]'
    )


def _tried(check: str, work: Callable[[], str]) -> Finding:
    """Do one check; a failure of the world outside is a finding."""
    try:
        return Finding(check, _ended(work()), ok=True)
    except (MailServerUnavailable, PostalError) as error:
        return Finding(check, _ended(error), ok=False)


def _mailbox(config: Config, settings: Callable[[Config], ImapSettings]) -> Iterator[Finding]:
    """Log in to the mailbox, then see to its folders."""
    step = "imap"
    try:
        with Mailbox(settings(config)) as mailbox:
            place = f"{config.imap.host}:{config.imap.port_used()}"
            yield Finding(step, f"{place}: logged in as {config.imap.user}.", ok=True)
            step = "folders"
            mailbox.ensure_folders()
            count = len(mailbox.new_uids())
            says = f"{', '.join(FOLDERS)} are there; {count} to read in {config.imap.folder}."
            yield Finding(step, says, ok=True)
    except (MailServerUnavailable, PostalError) as error:
        yield Finding(step, _ended(error), ok=False)


def _submission(settings: SmtpSettings) -> str:
    """Log in to the SMTP server."""
    with Sender(settings) as sender:
        sender.check()
    return f"{settings.place}: {f'logged in as {settings.user}' if settings.user else 'no login'}"


def _database(config: Config) -> str:
    """Open the database, bring its tables up to date and look it through."""
    database = open_database(config.database_url)
    try:
        with database.reading() as session:
            damaged = what_is_damaged(session)
    finally:
        database.close()
    if damaged:
        raise StoreUnavailable(" ".join(damaged[:_MOST_DAMAGED]))
    kind = config.database_url.partition(":")[0].partition("+")[0]
    return f"{'SQLite' if kind == 'sqlite' else 'PostgreSQL'} opened, its tables up to date"


def _ended(says: object) -> str:
    """Return a sentence with its full stop, or question mark."""
    text = str(says).rstrip(".")
    return text if text.endswith("?") else f"{text}."
