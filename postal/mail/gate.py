"""Which mail may never be answered, so that no two programs write to each other for ever.

Each rule asks one question of a mail and gives the reason for a refusal or None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from typing import Literal

from postal.mail.incoming import Incoming

LOOP_HEADER = "X-Postal-Loop"
"""A header in all mail that a league sends: whoever sends it back is no player."""

_ANSWERED = "auto_reply"
_BULK = frozenset({"bulk", "list", "junk", _ANSWERED})
_LIST_FIELDS = ("list-id", "list-post", "mailing-list", "x-mailing-list")
_AUTOREPLY_FIELDS = ("x-autoreply", "x-autorespond", "x-autoresponder", "x-autoreply-from")

Slip = Literal["senders", "envelope", "bulk"]
"""What about a mail is as people's mail isn't, though a person may have written it."""

Rule = Callable[[Incoming, AbstractSet[str]], str | None]


def refusal(incoming: Incoming, own_addresses: Iterable[str]) -> str | None:
    """Return why no answer to a mail may be sent, as a phrase without secrets; None where one may.

    ``own_addresses`` are the league's; one with a ``+detail`` counts as its own too. The answer
    itself goes to a registered address, never to the one in From.
    """
    own = frozenset(base_address(address) for address in own_addresses)
    return next((reason for rule in RULES if (reason := rule(incoming, own))), None)


def slip(incoming: Incoming, own_addresses: Iterable[str]) -> Slip | None:
    """Return what a mail that is refused has wrong, where nothing marks it as a program's.

    None for a delivery report, for what is marked as sent automatically, what a mail server or a
    league sent, and for mail that is not refused.
    """
    own = frozenset(base_address(address) for address in own_addresses)
    if incoming.report is not None or any(rule(incoming, own) for rule in _BY_PROGRAMS):
        return None
    if _one_sender(incoming, own):
        return "senders"
    if _no_envelope(incoming, own):
        return "envelope"
    answered = incoming.header("precedence").strip().casefold() == _ANSWERED
    return "bulk" if _bulk(incoming, own) and not answered else None


def from_ourselves(incoming: Incoming, own_addresses: Iterable[str]) -> bool:
    """Return whether a mail says that it comes from one of the league's own addresses."""
    own = frozenset(base_address(address) for address in own_addresses)
    return any(base_address(sender) in own for sender in incoming.senders)


def base_address(address: str) -> str:
    """Return an address without its ``+detail``, folded: ``GM+x@a.org`` is ``gm@a.org``."""
    local, at, domain = address.strip().casefold().rpartition("@")
    return f"{local.partition('+')[0]}{at}{domain}"


def _one_sender(incoming: Incoming, _own: AbstractSet[str]) -> str | None:
    count = len(incoming.senders)
    return None if count == 1 else f"From names {count or 'no'} addresses"


def _own_address(incoming: Incoming, own: AbstractSet[str]) -> str | None:
    ours = from_ourselves(incoming, own)
    return "it comes from the league's own address" if ours else None


def _loop(incoming: Incoming, _own: AbstractSet[str]) -> str | None:
    return "it is mail of a league come back" if LOOP_HEADER.lower() in incoming.headers else None


def _no_envelope(incoming: Incoming, _own: AbstractSet[str]) -> str | None:
    return "its envelope has no sender" if incoming.return_path == "" else None


def _by_server(incoming: Incoming, _own: AbstractSet[str]) -> str | None:
    names = (*incoming.senders, incoming.return_path or "")
    if any(name.partition("@")[0] == "mailer-daemon" for name in names):
        return "a mail server wrote it"
    kind = incoming.header("content-type").partition(";")[0].strip().casefold()
    return "it is a report on a mail" if kind == "multipart/report" else None


def _automatic(incoming: Incoming, _own: AbstractSet[str]) -> str | None:
    word = incoming.header("auto-submitted").partition(";")[0].strip().casefold()
    if word not in ("", "no"):
        return "it was sent automatically"
    answered = any(name in incoming.headers for name in _AUTOREPLY_FIELDS)
    return "it is an automatic answer" if answered else None


def _calendar(incoming: Incoming, _own: AbstractSet[str]) -> str | None:
    return "it is a calendar's reply" if incoming.calendar_reply else None


def _bulk(incoming: Incoming, _own: AbstractSet[str]) -> str | None:
    if incoming.header("precedence").strip().casefold() in _BULK:
        return "it is bulk mail"
    listed = any(name in incoming.headers for name in _LIST_FIELDS)
    return "it came through a mailing list" if listed else None


RULES: tuple[Rule, ...] = (
    _one_sender,
    _own_address,
    _loop,
    _no_envelope,
    _by_server,
    _automatic,
    _calendar,
    _bulk,
)
"""The rules, in the order they are asked."""

_BY_PROGRAMS: tuple[Rule, ...] = (
    _own_address,
    _loop,
    _by_server,
    _automatic,
    _calendar,
)
"""Those that only programs' mail falls under."""
