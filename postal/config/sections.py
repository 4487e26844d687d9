"""The sections of the config, each with its keys, limits and defaults."""

import ipaddress
from email.utils import parseaddr
from pathlib import Path
from typing import Annotated, Literal, Self
from zoneinfo import ZoneInfo

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    model_validator,
)

from postal.config.days import WEEKDAYS, quiet_days, weekdays, whole_days

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


def _listed(value: object) -> object:
    """Return a setting that may be one value or several as one text, parted by commas."""
    if isinstance(value, list | tuple):
        return ",".join(map(str, value))
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _lengths(text: str) -> str:
    """Return lengths in days; ValueError for what is none."""
    return ",".join(map(str, whole_days(text)))


def _every(text: str) -> str:
    """Return days between deadlines, or the weekdays that they fall on; ValueError for others."""
    if text.strip().isdigit():
        return _lengths(text)
    return ",".join(WEEKDAYS[at][:3] for at in weekdays(text)) if text.strip() else ""


def _quiet(text: str) -> str:
    """Return a list of quiet days; ValueError where one is no day."""
    quiet_days(text)
    return ", ".join(part.strip() for part in text.split(",") if part.strip())


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


Hours = Annotated[int, Field(ge=0, le=336)]


class Game(_Section):
    """Deadlines of new games, at ``hour``:``minute`` in ``zone``, and what belongs to them.

    ``turn_length`` has the days from a report to the deadline, of each stage of the game where they
    differ (``7,7,3``). ``every`` is instead one number of days for all, or weekdays; where it is
    set it counts. A deadline is at least ``min_hours`` after the report, on no ``quiet`` day;
    ``grace`` hours after it orders still count (9.1). Who owes is reminded ``remind`` hours before
    it; 0: nobody. ``settle`` is in minutes (10.6).
    """

    turn_length: Annotated[str, BeforeValidator(_listed), AfterValidator(_lengths)] = "7"
    every: Annotated[str, BeforeValidator(_listed), AfterValidator(_every)] = ""
    hour: Annotated[int, Field(ge=0, le=23)] = 20
    minute: Annotated[int, Field(ge=0, le=59)] = 0
    zone: Annotated[str, AfterValidator(_zone)] = "Europe/London"
    min_hours: Hours = 12
    quiet: Annotated[str, BeforeValidator(_listed), AfterValidator(_quiet)] = ""
    grace: Hours = 0
    remind: Hours = 24
    settle: Annotated[int, Field(ge=0, le=1440)] = 30

    def lengths(self) -> tuple[int, ...]:
        """Return the days that a turn lasts, by stage; the last counts for all that follow."""
        return whole_days(self.every if self.every.isdigit() else self.turn_length)

    def every_days(self) -> tuple[int, ...]:
        """Return the weekdays that deadlines fall on, Monday as 0; none where any will do."""
        return weekdays(self.every) if self.every and not self.every.isdigit() else ()


class Keep(_Section):
    """For how many days after a game's end what is no part of its record is kept; 0: for ever.

    ``raw_mail`` is mail as it came, ``letters`` the bodies of mails sent, ``logs`` the files about
    crashes. What belongs to no game goes by its own age.
    """

    raw_mail: Days = 90
    letters: Days = 90
    logs: Days = 90


class Daemon(_Section):
    """How ``postal run`` works: it looks for mail every ``poll_seconds``.

    A deadline moves that lay in ``outage_after`` hours or more in which the program was off, or a
    mail server away (9.1); 0: none does.
    """

    poll_seconds: Annotated[int, Field(ge=1, le=3600)] = 60
    outage_after: Hours = 6


def _is_loopback(host: str) -> bool:
    """Tell whether a host is this machine itself."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"
