"""Waiting in IDLE (RFC 2177) for new mail, in slices, so that whoever waits can be called away."""

from __future__ import annotations

import math
import select
import socket
import threading
from typing import TYPE_CHECKING, Any, Protocol

from imapclient.exceptions import IMAPClientAbortError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


LONGEST_SECONDS = 9 * 60.0
"""Servers and routers may drop an IDLE of ten minutes and more: it is begun anew before."""

SLICE_SECONDS = 0.5
"""How often whoever waits is asked whether he is called away."""


PERIODS = (2.0, 60.0)
"""For how long we idle at first, and then, before it is looked whether a mail came untold: between
the look and the beginning of IDLE one may come, of which some servers don't tell."""

LINE_SECONDS = 0.02
"""How long the rest of a line may take that the server sends in pieces."""


class Idling(Protocol):
    """What idles: ``postal.mail.bounded.BoundedClient``, or a stand-in."""

    def begin_idle(self) -> list[bytes] | None:
        """Begin; return what is told with the go-ahead, None where it is refused."""
        ...

    def idle_check(self, timeout: float) -> list[tuple[Any, ...]]:
        """Return what was told meanwhile."""
        ...

    def idle_done(self) -> tuple[Any, list[tuple[Any, ...]]]:
        """End it; return what was told at the end."""
        ...

    def socket(self) -> socket.socket:
        """Return what is waited at."""
        ...


def periods(seconds: float) -> Iterator[float]:
    """Yield for how long to idle each time, ``seconds`` in all, LONGEST_SECONDS at most."""
    left, period = min(seconds, LONGEST_SECONDS), PERIODS[0]
    yield min(left, period)
    while (left := left - period) > 0:
        period = PERIODS[1]
        yield min(left, period)


def wait_for_mail(
    client: Idling, count: int, seconds: float, stop: Callable[[], bool]
) -> bool | None:
    """Wait in the open folder, which held ``count`` mails, until there are more; True if so.

    It ends after about ``seconds``, LONGEST_SECONDS at most, or when ``stop()`` is true, and sooner
    where the server talks much of other things. None: the server has IDLE and refuses it. What
    imapclient and the socket raise passes.
    """
    seconds = min(seconds, LONGEST_SECONDS)
    step = min(seconds, SLICE_SECONDS)
    first = client.begin_idle()
    if first is None:
        return None
    come, count = _read(map(_parsed, first), count)
    # Slices are counted, not timed: no clock is needed.
    for _ in range(0 if come else max(1, math.ceil(seconds / step) if step else 1)):
        if _readable(client, step):
            answers = client.idle_check(0)
            come, count = _read(answers, count)
            # A connection that is lost gives [] at once: DONE, whose answer must be read, finds it.
            if come or not answers:
                break
        if stop():
            break
    late, _ = _read(client.idle_done()[1], count)
    return come or late


def _parsed(line: bytes) -> tuple[Any, ...]:
    """Return an answer as ``idle_check`` does, as far as it matters here."""
    words = line.split()[1:3]
    if len(words) > 1 and words[0].isdigit():
        return int(words[0]), words[1].upper()
    return tuple(word.upper() for word in words) or (b"",)


def _readable(client: Idling, seconds: float) -> bool:
    """Wait at most so long until the server says something, and until its line is whole.

    imapclient reads without waiting and gives the connection up at half a line.
    """
    readable, _, _ = select.select([client.socket()], [], [], seconds)
    if readable:
        threading.Event().wait(LINE_SECONDS)
    return bool(readable)


def _read(answers: Iterable[tuple[Any, ...]], count: int) -> tuple[bool, int]:
    """Return whether more mails are told of than there were, and how many there are now.

    Some servers repeat the number without a reason, which must not wake anybody.
    """
    come = False
    for answer in answers:
        if answer[0] == b"BYE":
            raise IMAPClientAbortError("BYE")
        number, what = answer[0], answer[1] if len(answer) > 1 else None
        if what == b"EXPUNGE":
            count -= 1
        elif what == b"EXISTS":
            come = come or number > count
            count = number
    return come, count
