"""The GM's config: ``config.toml`` in his data folder, checked before anything starts.

Every key is explained in ``config.example.toml``. A setting may also come from the environment,
as ``POSTAL_`` and its path: ``POSTAL_IMAP__PASSWORD``.
"""

import os
import tomllib
from pathlib import Path

from pydantic import BaseModel, PrivateAttr, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)

from postal.config.passwords import Login, fetch
from postal.config.sections import (
    Daemon,
    Database,
    Game,
    Gm,
    Imap,
    Keep,
    Mail,
    Server,
    Smtp,
    bare_address,
)
from postal.config.words import ConfigError, reason, sentence
from postal.errors import toml_place

__all__ = [
    "CONFIG_NAME",
    "Config",
    "ConfigError",
    "Daemon",
    "Database",
    "Game",
    "Gm",
    "Imap",
    "Keep",
    "Login",
    "Mail",
    "Server",
    "Smtp",
    "load_config",
]

CONFIG_NAME = "config.toml"
DATABASE_NAME = "postal.sqlite3"


class Config(BaseSettings):
    """The whole config; ``load_config`` makes one."""

    model_config = SettingsConfigDict(
        extra="forbid", frozen=True, env_prefix="POSTAL_", env_nested_delimiter="__"
    )

    gm: Gm
    imap: Imap
    smtp: Smtp
    mail: Mail = Mail()
    database: Database = Database()
    game: Game = Game()
    keep: Keep = Keep()
    daemon: Daemon = Daemon()
    _folder: Path = PrivateAttr(default=Path())

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003 - the framework's signature
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - as above
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - as above
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Let the environment win over the file, and read nothing else."""
        return env_settings, init_settings

    @property
    def folder(self) -> Path:
        """The data folder that this config was read from, absolute."""
        return self._folder

    @property
    def sender(self) -> str:
        """The bare address that the mails come from and orders go to: the mailbox's own.

        Where nothing else says which that is, a login name that is an address tells it.
        """
        login = self.imap.user if bare_address(self.imap.user) else ""
        return self.smtp.sender or login or self.gm.address

    @property
    def database_url(self) -> str:
        """The database's URL; it may hold a password, so it is for connecting only."""
        return self.database.url.get_secret_value() or f"sqlite:///{self.folder / DATABASE_NAME}"

    def imap_login(self) -> Login:
        """Return IMAP's login; ConfigError where its password can't be had."""
        return fetch("imap", self.imap.user, self.imap, self.folder)

    def smtp_login(self) -> Login | None:
        """Return SMTP's login: IMAP's where it names no user, None where its user is ``""``.

        Raises ConfigError where its password can't be had.
        """
        if self.smtp.user is None:
            return self.imap_login()
        return fetch("smtp", self.smtp.user, self.smtp, self.folder) if self.smtp.user else None


def load_config(folder: Path) -> Config:
    """Read ``config.toml`` in the data folder and check all of it.

    Raises ConfigError with one sentence for each thing that is wrong.
    """
    file = folder.resolve() / CONFIG_NAME
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(
            f"There is no {CONFIG_NAME} in {folder}: make one with `postal init --data {folder}`."
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file} is not valid TOML at {toml_place(error)}.") from None
    except (OSError, UnicodeError) as error:
        raise ConfigError(f"{file} can't be read: {reason(error)}.") from None
    try:
        config = Config(**data)
    except ValidationError as error:
        lines = [sentence(dict(mistake), _known()) for mistake in error.errors(include_url=False)]
        raise ConfigError("\n".join(f"{file}: {line}." for line in lines)) from None
    except SettingsError:
        raise ConfigError(_wrong_variable()) from None
    config._folder = folder.resolve()  # noqa: SLF001 - set once, by its maker
    return config


def _wrong_variable() -> str:
    """Return what to do about a section in the environment that can't be read."""
    given = [f"POSTAL_{section.upper()}" for section in Config.model_fields]
    names = " or ".join(name for name in given if name in os.environ) or "A POSTAL_ variable"
    return f"{names} of the environment is no JSON: name each setting, as in POSTAL_GAME__HOUR=20."


def _known() -> dict[str, list[str]]:
    """Return the keys of each section."""
    return {
        section: [field.alias or key for key, field in spec.annotation.model_fields.items()]
        for section, spec in Config.model_fields.items()
        if isinstance(spec.annotation, type) and issubclass(spec.annotation, BaseModel)
    }
