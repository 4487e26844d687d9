"""The sections of the config, each with its keys, limits and defaults."""

import ipaddress
from email.utils import parseaddr
from pathlib import Path
from typing import Annotated, Literal, Self
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, model_validator

LOGIN_KEYS = ("password", "password_env", "password_file", "password_command", "token_command")
"""The ways to log in, of which a server takes one; a token is XOAUTH2's."""

LEAST_KEPT = 30
"""So many days after its end nothing of a game goes, whatever the config asks for."""


def bare_address(text: str) -> bool:
    """Return whether a text is one bare mail address."""
    local, _, domain = text.partition("@")
    return parseaddr(text) == ("", text) and bool(local and domain) and " " not in text


def _address(text: str) -> str:
    """Return a bare mail address; ValueError for anything else."""
    if not bare_address(text):
        raise ValueError("must be a mail address alone, such as gm@example.org")
    return text


def _line(text: str) -> str:
    """Return text of one line; ValueError for more, which no mail header can hold."""
    if not text.isprintable():
        raise ValueError("must be one line of plain text")
    return text


def _zone(text: str) -> str:
    """Return the name of a time zone; ValueError for what is none."""
    try:
        ZoneInfo(text)
    except (LookupError, OSError, ValueError) as error:
        raise ValueError("must be a time zone such as Europe/London") from error
    return text


def _days(number: int) -> int:
    """Return for how many days something is kept; ValueError for what would go too soon."""
    if 0 < number < LEAST_KEPT:
        raise ValueError(f"must be 0, which is for ever, or at least {LEAST_KEPT} days")
    return number


def _database(url: SecretStr) -> SecretStr:
    """Return a database URL of a kind that postal can use; ValueError for others."""
    kind = url.get_secret_value().partition("://")[0].partition("+")[0]
    if kind not in {"", "sqlite", "postgres", "postgresql"}:
        raise ValueError("must begin with sqlite:// or postgresql://, or be left out")
    return url


Line = Annotated[str, Field(min_length=1), AfterValidator(_line)]
Address = Annotated[str, AfterValidator(_address)]
Days = Annotated[int, Field(ge=0, le=36_500), AfterValidator(_days)]


class _Section(BaseModel):
    """A section of the config: unknown keys are refused, values never change."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)


class Gm(_Section):
    """Who runs the games: the name on every mail, and where the GM's own reports go."""

    name: Line
    address: Address


class Server(_Section):
    """How to reach a mail server and log in; ``port`` None is the usual one for ``security``."""

    host: Line
    port: Annotated[int, Field(ge=1, le=65535)] | None = None
    security: Literal["tls", "starttls", "plain"] = "tls"
    allow_plain: bool = False
    user: Annotated[str, AfterValidator(_line)] | None = None
    password: SecretStr | None = None
    password_env: Line | None = None
    password_file: Path | None = None
    password_command: Line | None = None
    token_command: Line | None = None
    ca_file: Path | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        given = [key for key in LOGIN_KEYS if getattr(self, key) is not None]
        if len(given) > 1:
            raise ValueError(f"takes one way to log in, not both {given[0]} and {given[1]}")
        if given and self.user is None:
            raise ValueError(f"has a {given[0]} and no user")
        if self.user and not given:
            raise ValueError(f"has a user and no way to log in: set one of {', '.join(LOGIN_KEYS)}")
        if self.security == "plain" and not self.allow_plain and not _is_loopback(self.host):
            raise ValueError(
                "would send the password unencrypted: use security tls or starttls,"
                " or insist with allow_plain = true"
            )
        return self


class Imap(Server):
    """The mailbox that orders come to; ``folder`` is the one that is read."""

    user: Annotated[str, Field(min_length=1), AfterValidator(_line)]
    folder: Line = "INBOX"

    def port_used(self) -> int:
        """Return the port to connect to."""
        return self.port or (993 if self.security == "tls" else 143)


class Smtp(Server):
    """The server that takes the mails; ``sender`` (key ``from``) None is the mailbox's."""

    sender: Address | None = Field(default=None, alias="from")

    def port_used(self) -> int:
        """Return the port to connect to."""
        return self.port or {"tls": 465, "starttls": 587, "plain": 25}[self.security]


class Mail(_Section):
    """What the mailbox can do: ``plus_addressing``, mail to gm+anything@ reaches gm@.

    ``authserv_id`` names the server whose Authentication-Results are believed (RFC 8601).
    """

    plus_addressing: bool = False
    authserv_id: Annotated[str, AfterValidator(_line)] = ""


class Database(_Section):
    """Where the games are kept; an empty ``url`` is the SQLite file in the data folder."""

    url: Annotated[SecretStr, AfterValidator(_database)] = SecretStr("")


class Game(_Section):
    """Deadlines: ``turn_length`` days at ``hour``:00 in ``zone``; ``settle`` minutes (10.6)."""

    turn_length: Annotated[int, Field(ge=1, le=366)] = 7
    hour: Annotated[int, Field(ge=0, le=23)] = 20
    zone: Annotated[str, AfterValidator(_zone)] = "Europe/London"
    settle: Annotated[int, Field(ge=0, le=1440)] = 30


class Keep(_Section):
    """For how many days after a game's end what is no part of its record is kept; 0: for ever.

    ``raw_mail`` is mail as it came, ``letters`` the bodies of mails sent, ``logs`` the files about
    crashes. What belongs to no game goes by its own age.
    """

    raw_mail: Days = 90
    letters: Days = 90
    logs: Days = 90


class Daemon(_Section):
    """How ``postal run`` works: it looks for mail every ``poll_seconds``."""

    poll_seconds: Annotated[int, Field(ge=1, le=3600)] = 60


def _is_loopback(host: str) -> bool:
    """Tell whether a host is this machine itself."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"
