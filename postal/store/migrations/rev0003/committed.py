"""Finds the text that a game's commitment was made over, which used to be reckoned each time."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

_STANDARD: Mapping[str, int | bool | str] = {
    "start_money": 1_000_000,
    "ante": 20_000,
    "min_raise": 1_000,
    "max_raise": 50_000,
    "max_showdown_raise": 200_000,
    "raise_cap": 0,
    "check_limit": 4,
    "iou": "call",
    "double_ace_flush": False,
    "exposed_to": "all",
    "exchange": "orders",
    "first_on_tie": "lower-seat",
    "nmr_limit": 2,
    "reveal": "end",
    "settle": 30,
}
"""The options that every game had, and what they were where neither file nor GM said."""

_TRUTHS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def committed_text(secret: bytes, commitment: str, rules: str, options: str) -> str:
    """Return the text of which, behind the secret, ``commitment`` is the SHA-256 in hex.

    ``rules`` and ``options`` are a game's JSON texts as stored. Empty where they don't give that
    commitment: then it can't be verified any more.
    """
    try:
        source, chosen = json.loads(rules), json.loads(options)
        text = json.dumps(
            {"rules": source, "options": _values(source, chosen)},
            sort_keys=True,
            separators=(",", ":"),
            ensure_ascii=False,
        )
        found = hashlib.sha256(secret + text.encode()).hexdigest()
    except (ValueError, TypeError, AttributeError):
        return ""
    return text if found == commitment else ""


def _values(source: Mapping[str, Any], chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Return every option: the standard ones, then the file's defaults, then what the GM chose."""
    defaults = {
        name: entry.get("default") if isinstance(entry, Mapping) else entry
        for name, entry in source.get("options", {}).items()
    }
    values = dict(_STANDARD)
    for given in (defaults, chosen):
        for name, value in given.items():
            values[name] = _like(_STANDARD.get(name, defaults.get(name)), value)
    return values


def _like(like: object, value: Any) -> Any:  # noqa: ANN401 - JSON's
    """Return a value, or the text of one, as the kind of value that the option has."""
    if isinstance(like, bool):
        return _TRUTHS[value.casefold()] if isinstance(value, str) else value
    if isinstance(like, int):
        return int(value.replace(",", "").removeprefix("£")) if isinstance(value, str) else value
    return str(value)
