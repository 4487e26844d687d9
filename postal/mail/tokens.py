"""Tokens that say whose mail it is: one per seat and turn, since From proves nothing.

A token is 80 bits of HMAC-SHA256 in lower-case base32, 16 characters. It names game, deal, turn
and player, so late orders for turn 4 can't act in turn 5. It is a secret: it is never logged.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from postal.mail.incoming import Incoming

_BITS = 80
_TOKEN = "[a-z2-7]{16}"  # noqa: S105  # the pattern of a token, not a token
_IN_ADDRESS = re.compile(rf"\+({_TOKEN})(?=@)", re.IGNORECASE)
_IN_MESSAGE_ID = re.compile(rf"<postal\.({_TOKEN})\.", re.IGNORECASE)
_IN_TEXT = re.compile(
    rf"\[postal\s+({_TOKEN})\]|\+({_TOKEN})@|postal\.({_TOKEN})\.[a-z0-9]", re.IGNORECASE
)
TOKEN_LENGTH = 16
"""How many letters and figures a token has."""

_RUN = re.compile(rf"[a-z2-7]{{{TOKEN_LENGTH},500}}", re.IGNORECASE)
MASK = "(token)"
"""What stands in place of a token in what is shown."""

_MAX_LINES, _MAX_LINE = 60, 500
_MAX_BOUNCE = 100_000  # characters: a bounce quotes our mail's header far below
_MAX_CANDIDATES = 20


def make_token(key: bytes, game: str, deal: int, turn: int, player: str) -> str:
    """Return the token of a player for a turn of a game: 16 characters of ``a-z2-7``.

    ``key`` is the league's, 32 random bytes. The same arguments give the same token.
    """
    label = json.dumps(["postal-token/1", game, deal, turn, player], ensure_ascii=True)
    digest = hmac.new(key, label.encode("ascii"), hashlib.sha256).digest()
    return base64.b32encode(digest[: _BITS // 8]).decode("ascii").lower()


def same(one: str, other: str) -> bool:
    """Return whether two tokens are the same, without regard to case, in constant time."""
    return hmac.compare_digest(one.lower().encode(), other.lower().encode())


def plus_address(mailbox: str, token: str) -> str:
    """Return ``gm+token@example.org`` for the mailbox ``gm@example.org``."""
    local, _, domain = mailbox.rpartition("@")
    return f"{local}+{token}@{domain}"


def message_id(token: str, unique: str, domain: str) -> str:
    """Return a Message-ID with a token in it; ``unique``, letters and digits, is new each time."""
    return f"<postal.{token}.{unique}@{domain}>"


def subject_tag(token: str) -> str:
    """Return the tag for the Subject, for mailboxes that take no plus addresses."""
    return f"[postal {token}]"


def masked(text: str, known: Container[str] = ()) -> str:
    """Return a text to be shown, without what may be a token.

    ``known`` are tokens in lower case, which are masked also where they stand bare.
    """
    for pattern in (_IN_ADDRESS, _IN_TEXT, _IN_MESSAGE_ID):
        text = pattern.sub(_mask, text)
    return _RUN.sub(lambda run: _without_known(run.group(), known), text) if known else text


def _mask(found: re.Match[str]) -> str:
    token = next(filter(None, found.groups()))
    return found.group().replace(token, MASK)


def _without_known(run: str, known: Container[str]) -> str:
    for at in range(len(run) - TOKEN_LENGTH + 1):
        if run[at : at + TOKEN_LENGTH].lower() in known:
            rest = _without_known(run[at + TOKEN_LENGTH :], known)
            return f"{run[:at]}{MASK}{rest}"
    return run


def candidates(incoming: Incoming) -> tuple[str, ...]:
    """Return what may be tokens in a mail, folded, the likeliest first, at most 20.

    Looked at are the addresses it was sent to, the mail it answers and those before that, the
    Subject, and the first lines of each text; in a delivery report our mail's Message-ID.
    """
    found = (token.lower() for token in _all(incoming))
    return tuple(dict.fromkeys(found))[:_MAX_CANDIDATES]


def _all(incoming: Incoming) -> Iterator[str]:
    for address in incoming.recipients:
        yield from _IN_ADDRESS.findall(address)
    reported = incoming.report.message_ids if incoming.report else ()
    # The mail answered, then the thread from its end: the newest token is the one that is meant.
    for one in (*reported, *incoming.in_reply_to, *reversed(incoming.references)):
        yield from _IN_MESSAGE_ID.findall(one)
    texts = [incoming.subject, *map(_first_lines, incoming.texts)]
    if incoming.return_path == "" or incoming.report:
        texts += [text[:_MAX_BOUNCE] for text in incoming.texts]
    for text in texts:
        for groups in _IN_TEXT.findall(text):
            yield from filter(None, groups)


def _first_lines(text: str) -> str:
    lines = text[: 2 * _MAX_LINES * _MAX_LINE].splitlines()[:_MAX_LINES]
    return "\n".join(line[:_MAX_LINE] for line in lines)
