"""Fetching what the config's servers are logged in to with; it never appears in an error."""

import os
import shlex
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from pydantic import SecretStr

from postal.config.sections import Server
from postal.config.words import ConfigError, reason

_COMMAND_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Login:
    """A user and one of two: a password, or what fetches a fresh XOAUTH2 token at each login."""

    user: str
    password: SecretStr | None = field(default=None, repr=False)
    token: Callable[[], str] | None = field(default=None, repr=False)


def fetch(section: str, user: str, server: Server, folder: Path) -> Login:
    """Return the login of a section, a relative file counting from the data folder.

    Raises ConfigError where its password can't be had or is empty; so does a call of its token.
    """
    if server.token_command is not None:
        key = f"{section}.token_command"
        return Login(user, token=partial(_output, key, server.token_command, folder))
    if server.password_env is not None:
        key, found = f"{section}.password_env", os.environ.get(server.password_env, "")
        if not found:
            raise ConfigError(f"{key} names {server.password_env}, which the environment lacks.")
    elif server.password_file is not None:
        key, file = f"{section}.password_file", folder / server.password_file.expanduser()
        try:
            found = _first_line(key, file.read_text(encoding="utf-8"))
        except (OSError, UnicodeError) as error:
            raise ConfigError(f"{key}: {file} can't be read: {reason(error)}.") from None
    elif server.password_command is not None:
        found = _output(f"{section}.password_command", server.password_command, folder)
    else:
        found = server.password.get_secret_value() if server.password else ""
    return Login(user, SecretStr(found))


def _first_line(key: str, text: str) -> str:
    """Return the first line of a text; ConfigError where there is nothing in it."""
    first = text.partition("\n")[0].rstrip("\r")
    if not first:
        raise ConfigError(f"{key} gives an empty first line instead of a password.")
    return first


def _output(key: str, command: str, folder: Path) -> str:
    """Return the first line that a command prints; ConfigError where it fails."""
    try:
        done = subprocess.run(  # noqa: S603 - the GM's own command, split without a shell
            shlex.split(command),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_COMMAND_SECONDS,
            check=True,
        )
    except subprocess.CalledProcessError as error:
        failure = f"it ended with exit code {error.returncode}"
    except subprocess.TimeoutExpired:
        failure = f"it took more than {_COMMAND_SECONDS} seconds"
    except (OSError, UnicodeError) as error:
        failure = reason(error)
    except ValueError:
        failure = "its quotation marks don't match"
    else:
        return _first_line(key, done.stdout)
    raise ConfigError(f"{key} failed: {failure}.")
