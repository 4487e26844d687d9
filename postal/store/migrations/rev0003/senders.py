"""Reads whom a mail says it is from, as far as it takes to keep a sender's mails in order."""

from __future__ import annotations

import unicodedata
from email.parser import BytesHeaderParser
from email.policy import compat32
from email.utils import getaddresses

HEADER = 100_000
"""How many bytes of a mail are looked at."""

_LONGEST = 20_000


def sender_key(raw: bytes) -> str:
    """Return the first address of a mail's From, folded; empty where none is legible."""
    try:
        header = BytesHeaderParser(policy=compat32).parsebytes(raw)
        values = [str(value) for name, value in header.raw_items() if name.lower() == "from"]
        pairs = getaddresses([value[:_LONGEST] for value in values[:1]])
    except Exception:  # noqa: BLE001 - a stranger's mail; the parser fails on some in its own way
        return ""
    found = next((address for _, address in pairs if "@" in address), "")
    # Bytes beyond ASCII come as surrogates, which no database takes, nor a NUL.
    text = found.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return _folded(text.replace("\0", "\ufffd"))


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).strip()
