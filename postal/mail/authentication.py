"""What the receiving server says of a mail's sender (RFC 8601): it can only add distrust."""

from __future__ import annotations

import re
from collections.abc import Iterable

from authres import AuthenticationResultsHeader, AuthResError

from postal.mail.incoming import Incoming

_FIELD = "authentication-results"
_MAX_VALUE = 4_000  # characters that the library reads: it takes too long over more
_RESULT = re.compile(r"\s*([a-z0-9-]+)\s*(?:/\s*\d+\s*)?=\s*([a-z]+)", re.IGNORECASE)

Results = tuple[str, list[tuple[str, str]]]
"""The authserv-id of a field, folded, and its results as method and result, folded."""


def doubt(incoming: Incoming, authserv_id: str) -> str | None:
    """Return why the server of ``authserv_id`` doubts who wrote a mail, None where it does not.

    Only its topmost field counts, since those below may have come with the mail (RFC 8601, 5 and
    7.1). A DMARC failure is a doubt; where DMARC neither passes nor fails, so is an SPF failure
    without a good signature. An empty ``authserv_id``, or a mail without its field, gives none.
    """
    if not authserv_id:
        return None
    for value in incoming.headers.get(_FIELD, ()):
        named, results = _parsed(value) or _scanned(value)
        if named == authserv_id.casefold():
            return _verdict(results)
    return None


def _parsed(value: str) -> Results | None:
    if len(value) > _MAX_VALUE:
        return None
    try:
        field = AuthenticationResultsHeader.parse(f"Authentication-Results: {value}")
        results = [(str(r.method).casefold(), str(r.result).casefold()) for r in field.results]
        return str(field.authserv_id or "").casefold(), results
    except (AuthResError, SyntaxError, ValueError, IndexError, RecursionError):
        return None


def _scanned(value: str) -> Results:
    """Return what a field says that the library can't read, as with a ``;`` at its end.

    Were it passed over, a field below that came with the mail would be believed.
    """
    named, *pieces = _bare(value).casefold().split(";")
    found = (_RESULT.match(piece) for piece in pieces)
    words = named.split()
    return words[0] if words else "", [(one[1], one[2]) for one in found if one]


def _bare(value: str) -> str:
    """Return a field without its comments and quoted strings, which a sender may have a say in."""
    kept: list[str] = []
    depth, quoted, escaped = 0, False, False
    for char in value:
        if escaped:
            escaped = False
        elif char == "\\":
            escaped = True
        elif quoted or (char == '"' and not depth):
            quoted = not quoted if char == '"' else quoted
        elif char == "(":
            depth += 1
            kept.append(" ")
        elif char == ")":
            depth = max(depth - 1, 0)
        elif not depth:
            kept.append(char)
    return "".join(kept)


def _verdict(results: Iterable[tuple[str, str]]) -> str | None:
    found: dict[str, set[str]] = {}
    for method, result in results:
        found.setdefault(method, set()).add(result)
    dmarc = found.get("dmarc", set())
    if "fail" in dmarc:
        return "dmarc=fail"
    if "pass" in dmarc:
        return None
    if "fail" in found.get("spf", set()) and "pass" not in found.get("dkim", set()):
        return "spf=fail without a good signature"
    return None
