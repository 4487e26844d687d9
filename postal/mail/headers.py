"""Header fields of incoming mail as plain, capped, one-line text, whatever a sender wrote there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from email.errors import HeaderParseError
from email.header import decode_header
from email.utils import getaddresses, parsedate_to_datetime
from functools import partial
from inspect import signature
from itertools import islice
from typing import TYPE_CHECKING

from postal.mail.plaintext import decode

if TYPE_CHECKING:
    from email.message import Message

Headers = Mapping[str, tuple[str, ...]]
"""Raw values by lower-case name, in the order of the mail, unfolded; encoded words left alone."""

_MAX_HEADERS = 500
_MAX_VALUE = 20_000  # characters of one value; a References of 200 long message-ids fits
_MAX_WORDS = 4_000  # characters of a value that is decoded
_MAX_SUBJECT = 300
_MAX_IDS = 200
_MESSAGE_ID = re.compile(r"<[^<>\s]{1,500}>")
_ANGLES = re.compile(r"<([^<>]{0,500})>")
# Newer Pythons, and Debian's 3.11.2, give nothing for "joe@example.org <joe@example.org>" or a
# ";" at the end unless they are told not to be strict; older ones never are.
_LAX = "strict" in signature(getaddresses).parameters
_pairs = partial(getaddresses, strict=False) if _LAX else getaddresses


def collect(message: Message) -> dict[str, tuple[str, ...]]:
    """Return the first 500 header fields of a message, each value cut at 20,000 characters."""
    found: dict[str, tuple[str, ...]] = {}
    for name, value in islice(message.raw_items(), _MAX_HEADERS):
        folded = name.strip().casefold()
        found[folded] = (*found.get(folded, ()), _unfolded(str(value)[:_MAX_VALUE]))
    return found


def first(headers: Headers, name: str) -> str:
    """Return the first value of a field, or an empty text."""
    values = headers.get(name, ())
    return values[0] if values else ""


def decoded(value: str, limit: int = _MAX_SUBJECT) -> str:
    """Return a value with its encoded words (RFC 2047) decoded, on one line, cut at ``limit``.

    A decoded word can hold CR, LF and other control characters: each becomes a space.
    """
    value = value[:_MAX_WORDS]
    try:
        text = "".join(_chunks(value))
    except (HeaderParseError, ValueError):
        text = value
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:limit]


def addresses(values: Iterable[str]) -> tuple[str, ...]:
    """Return the bare addresses of address fields in lower case; () where none is legible.

    The same on every Python: what a strict reader would give up is read as far as it goes.
    """
    try:
        pairs = _pairs([value[:_MAX_VALUE] for value in values])
    except (RecursionError, ValueError, IndexError):  # comments nested a thousand deep
        return ()
    bare = (address.strip("'").casefold() for _, address in pairs)
    return tuple(address for address in bare if "@" in address)


def message_ids(values: Iterable[str]) -> tuple[str, ...]:
    """Return the message-ids, with their angle brackets, at most the last 200."""
    return tuple(_MESSAGE_ID.findall(" ".join(values)))[-_MAX_IDS:]


def return_path(headers: Headers) -> str | None:
    """Return the envelope sender: None where the mail names none, "" for ``<>``."""
    if "return-path" not in headers:
        return None
    value = first(headers, "return-path")
    angled = _ANGLES.search(value)
    return (angled.group(1) if angled else value).strip().casefold()


def date(headers: Headers) -> datetime | None:
    """Return the Date field as aware UTC, the sender's word only; None where unreadable."""
    try:
        moment = parsedate_to_datetime(first(headers, "date")[:200])
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _chunks(value: str) -> Iterator[str]:
    for data, charset in decode_header(value):
        if isinstance(data, str):
            yield data
        elif charset is None:
            # What stands between encoded words, in the form that decode_header wraps it in.
            yield data.decode("raw-unicode-escape")
        else:
            yield decode(data, charset)


def _unfolded(value: str) -> str:
    """Return a raw value on one line; bytes beyond ASCII, kept as surrogates, are decoded."""
    if not value.isascii():
        value = decode(value.encode("utf-8", "surrogateescape"), None)
    return re.sub(r"[\r\n\0]+", "", value).strip()
