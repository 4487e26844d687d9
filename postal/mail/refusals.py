"""Whom a submission server's refusal concerns: us, one recipient, or nobody can tell from it."""

from __future__ import annotations

import re
from typing import Literal

Stage = Literal["sender", "recipient", "content"]
"""What was refused: MAIL and all that comes before it, RCPT, or DATA and what follows it."""

Whose = Literal["ours", "his", "open"]
"""``open``: only what becomes of other people's mail can tell (RULES.md 10.5)."""

_CLOSING = 421
_ABOUT_LOGIN = frozenset({454, 530, 534, 535, 538})

# Subject and detail of enhanced status codes (RFC 3463, RFC 7505, and what large services add).
_OURS = frozenset(
    {
        "1.7", "1.8", "1.90", "2.252", "3.1", "3.2", "4.5", "7.3", "7.8", "7.9", "7.11",
        "7.14", "7.57", "7.60", "7.64", "7.139", "7.501", "7.502", "7.503", "7.708", "7.750",
    }
)  # fmt: skip
_HIS = frozenset(
    {
        "1.1", "1.2", "1.3", "1.6", "1.10", "2.0", "2.1", "2.2", "2.3", "2.4", "4.1", "4.4",
        "4.310", "4.312",
    }
)  # fmt: skip

_STATUS = re.compile(r"[245]\.(\d{1,3}\.\d{1,3})\b")
_OUR_WORDS = re.compile(
    r"authentication (?:is )?required|not authenticated|(?:must|please) (?:be )?authenticate|"
    r"log ?in (?:first|again|required|via)|not owned|send ?as ?denied|"
    r"sender (?:address )?(?:rejected|denied|refused)|"
    r"not (?:allowed|permitted|authori[sz]ed) to send|"
    r"relay(?:ing)? (?:is )?(?:access )?(?:denied|prohibited|not)|unable to relay|"
    r"(?:daily|hourly|sending|sent|outgoing|rate)\b[^.]{0,40}\b(?:limit|quota)|"
    r"your account (?:is|was|has been)",
    re.IGNORECASE,
)
_HIS_WORDS = re.compile(
    r"user unknown|unknown (?:user|recipient)|no such (?:user|mailbox|recipient|address)|"
    r"(?:user|mailbox|recipient|address)\b.{0,80}?(?:unknown|not found|does(?:n't| not) exist)|"
    r"invalid (?:recipient|mailbox)|mailbox (?:is )?(?:full|disabled|inactive)|over quota|"
    r"gr[ea]y-?list",
    re.IGNORECASE,
)


def whose(code: int, words: str, stage: Stage, recipient: str = "") -> Whose:
    """Return whom a reply of class 4 or 5 concerns, by the stage, its codes and its words.

    No list of codes is complete. What none tells is ``open``: it is a verdict on that mail only
    once the server has taken another one, to somebody else.
    """
    if stage == "sender" or code == _CLOSING or code in _ABOUT_LOGIN:
        return "ours"
    status = status_of(words)
    if status in _OURS:
        return "ours"
    if status in _HIS:
        return "his"
    said = re.sub(re.escape(recipient), " ", words, flags=re.IGNORECASE) if recipient else words
    if _OUR_WORDS.search(said):
        return "ours"
    return "his" if _HIS_WORDS.search(said) else "open"


def status_of(words: str) -> str:
    """Return subject and detail of the status code that a reply begins with, such as ``1.1``."""
    found = _STATUS.match(words)
    return found.group(1) if found else ""
