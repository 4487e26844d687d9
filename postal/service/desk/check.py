"""``postal check``: the config, both mail servers, the database and the templates tried out."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import SecretStr

from postal.config import CONFIG_NAME, Config, ConfigError, load_config
from postal.errors import PostalError
from postal.mail.connection import MailServerUnavailable
from postal.mail.gate import base_address
from postal.mail.imap import FOLDERS, ImapSettings, Mailbox
from postal.mail.smtp import Sender, SmtpSettings
from postal.reports import Reports
from postal.reports.display import counted
from postal.reports.samples import sample_mistakes
from postal.resources import example_config, templates_path
from postal.service.desk.roundtrip import answers_address
from postal.store.database import open_database
from postal.store.health import what_is_damaged
from postal.store.problems import StoreUnavailable

_MOST_DAMAGED = 5

_FINE_AS_THEY_ARE = ("imap.security", "smtp.security")
"""Settings of the example that most leave as they are."""


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
    send: Callable[[Config, ImapSettings, SmtpSettings], str] | None = None,
) -> Iterator[Finding]:
    """Check one thing after the other; where the config is wrong, nothing that it is needed for.

    ``folder`` is the data folder; the settings are made from its config, and may raise ConfigError.
    ``send`` mails something to where answers go and says how it came back; None: nothing is sent.
    """
    try:
        config = load_config(folder)
    except ConfigError as error:
        yield from (Finding("config", line, ok=False) for line in str(error).splitlines())
        return
    file = config.folder / CONFIG_NAME
    advice = f"; others may read it: chmod 600 {file}" if file.stat().st_mode & 0o077 else ""
    if untouched := _placeholders(config):
        says = f"{file} still has the example's {', '.join(untouched)}: fill in your own."
        yield Finding("config", says, ok=False)
    else:
        yield Finding("config", f"{file} is in order{advice}.", ok=True)
        yield from _mail(config, imap_settings, smtp_settings, send)
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


def _mail(
    config: Config,
    imap_settings: Callable[[Config], ImapSettings],
    smtp_settings: Callable[[Config], SmtpSettings],
    send: Callable[[Config, ImapSettings, SmtpSettings], str] | None,
) -> Iterator[Finding]:
    """Check where answers go, and both mail servers; then, if asked to, send something."""
    yield _answers(config)
    mailbox = tuple(_mailbox(config, imap_settings))
    yield from mailbox
    submission = _tried("smtp", lambda: _submission(smtp_settings(config)))
    yield submission
    if send is not None and submission.ok and all(one.ok for one in mailbox):
        yield _tried("delivery", lambda: send(config, imap_settings(config), smtp_settings(config)))


def _placeholders(config: Config) -> list[str]:
    """Return which settings are still those of the example that ``postal init`` writes."""
    example = tomllib.loads(example_config().read_text(encoding="utf-8"))
    found = []
    for section, values in example.items():
        for key, value in values.items():
            own = getattr(getattr(config, section), key)
            own = own.get_secret_value() if isinstance(own, SecretStr) else own
            if own == value and f"{section}.{key}" not in _FINE_AS_THEY_ARE:
                found.append(f"{section}.{key}")
    return found


def _answers(config: Config) -> Finding:
    """Tell where players' answers will go, and whether that can be the mailbox that is read."""
    user, address = config.imap.user, answers_address(config)
    says = f"Players' answers will go to {address}"
    if base_address(user) == base_address(address):
        return Finding("answers", f"{says}, which is the mailbox.", ok=True)
    cure = 'set from in [smtp] to the address of the mailbox, as in from = "games@example.org"'
    if "@" not in user and config.smtp.sender is None:
        says = f"{says}, your own address, which need not be the mailbox of {user}: {cure}."
        return Finding("answers", says, ok=False)
    if "@" in user:
        cure = f'set from = "{user}" in [smtp]'
    says = f"{says}: unless its mail comes to the mailbox of {user}, {cure}."
    return Finding("answers", f"{says} `postal check --send` tries it out.", ok=True)


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
