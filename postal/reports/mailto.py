"""Links that begin an answer in the player's own mail program."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

LONGEST_LINK = 1_600
"""Some clients cut longer links (MAIL.md, "Out")."""


def mailto(address: str, subject: str = "", lines: Sequence[str] = ()) -> str:
    """Return a link to ``address`` with subject and body filled in.

    All is percent-encoded, lines are parted by %0D%0A; a link that would be too long goes
    without its body.
    """
    fields = [("subject", subject)] if subject else []
    start = f"mailto:{quote(address, safe='@+')}"
    body = [("body", "\r\n".join(lines))] if lines else []
    for chosen in ((*fields, *body), fields):
        query = "&".join(f"{name}={quote(value, safe='')}" for name, value in chosen)
        link = f"{start}?{query}" if query else start
        if len(link) < LONGEST_LINK:
            return link
    return start
