"""What the receiving server says of a mail's sender (RFC 8601): it can only add distrust."""

from __future__ import annotations

from collections.abc import Iterable

from authres import AuthenticationResultsHeader, AuthResError

from postal.mail.incoming import Incoming

_FIELD = "authentication-results"
_MAX_VALUE = 4_000


def doubt(incoming: Incoming, authserv_id: str) -> str | None:
    """Return why the server of ``authserv_id`` doubts who wrote a mail, None where it does not.

    Only its topmost field counts, since those below may have come with the mail (RFC 8601, 5 and
    7.1). A DMARC failure is a doubt; where it says nothing of DMARC, so is an SPF failure without
    a good signature. An empty ``authserv_id``, or a mail without its field, gives none.
    """
    if not authserv_id:
        return None
    for value in incoming.headers.get(_FIELD, ()):
        parsed = _parsed(value)
        if parsed is None or str(parsed.authserv_id or "").casefold() != authserv_id.casefold():
            continue
        return _verdict((str(one.method), str(one.result)) for one in parsed.results)
    return None


def _parsed(value: str) -> AuthenticationResultsHeader | None:
    try:
        return AuthenticationResultsHeader.parse(f"Authentication-Results: {value[:_MAX_VALUE]}")
    except (AuthResError, SyntaxError, ValueError, IndexError, RecursionError):
        return None


def _verdict(results: Iterable[tuple[str, str]]) -> str | None:
    found: dict[str, set[str]] = {}
    for method, result in results:
        found.setdefault(method.casefold(), set()).add(result.casefold())
    dmarc = found.get("dmarc", set())
    if dmarc:
        return "dmarc=fail" if "fail" in dmarc and "pass" not in dmarc else None
    if "fail" in found.get("spf", set()) and "pass" not in found.get("dkim", set()):
        return "spf=fail without a good signature"
    return None
