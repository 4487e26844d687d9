"""Saying what is wrong with a config: one sentence for each mistake, with the key's path."""

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

from postal.errors import PostalError


class ConfigError(PostalError):
    """Something in the config is wrong; a sentence a line, all of them at once."""


_SAYS = {
    "missing": "is missing",
    "bool_parsing": "must be true or false",
    "bool_type": "must be true or false",
    "int_from_float": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_type": "must be a whole number",
    "string_type": "must be text in quotes",
    "string_too_short": "must not be empty",
    "literal_error": "must be {expected}",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "model_type": "must be a section with a heading in square brackets",
    "value_error": "{error}",
}
_COMPLETE = {"missing", "string_too_short", "value_error", "model_type"}


def sentence(mistake: Mapping[str, Any], known: Mapping[str, Iterable[str]]) -> str:
    """Say one mistake that pydantic found, without the full stop.

    A text that was given is not repeated: it may be a password under the wrong key.
    ``mistake`` is one of ``ValidationError.errors()``, ``known`` the keys of each section.
    """
    path = [str(part) for part in mistake["loc"]]
    name = ".".join(path)
    kind = mistake["type"]
    if kind == "extra_forbidden":
        return f"{name} is no setting{_nearest(path, known)}"
    says = _SAYS.get(kind, mistake["msg"]).format(**mistake.get("ctx", {}))
    given = mistake["input"]
    if kind in _COMPLETE or "password" in name or not isinstance(given, int | float):
        return f"{name} {says}"
    return f"{name} {says}, not {given!r}"


def _nearest(path: list[str], known: Mapping[str, Iterable[str]]) -> str:
    """Say which setting was probably meant, or else which there are."""
    section, key = path[0], path[-1]
    keys = [f"{name}.{k}" for name, ks in known.items() for k in ks]
    if section in known:
        here = [name for name in keys if name.startswith(f"{section}.")]
        near = difflib.get_close_matches(".".join(path), here, n=1, cutoff=0.6)
    else:
        here = list(known)
        near = difflib.get_close_matches(key, here, n=1)
    # A key right in itself but under the wrong heading.
    near = [name for name in keys if name.endswith(f".{key}")][:1] or near
    return f"; the nearest is {near[0]}" if near else f"; there are {', '.join(here)}"


def reason(error: Exception) -> str:
    """Say why a file or command failed, in the system's own words; the error's text may quote."""
    if isinstance(error, UnicodeError):
        return "it is not UTF-8 text"
    said = error.strerror if isinstance(error, OSError) else None
    return said.lower() if said else "it can't be made out"
