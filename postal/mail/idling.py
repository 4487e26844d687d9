"""Waiting in IDLE (RFC 2177) for new mail, in slices, so that whoever waits can be called away."""

from __future__ import annotations

import math
import select
import threading
from typing import TYPE_CHECKING, Any

from imapclient.exceptions import IMAPClientAbortError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from imapclient import IMAPClient

LONGEST_SECONDS = 9 * 60.0
"""Servers and routers may drop an IDLE of ten minutes and more: it is begun anew before."""

SLICE_SECONDS = 0.5
"""How often whoever waits is asked whether he is called away."""


LINE_SECONDS = 0.02
"""How long the rest of a line may take that the server sends in pieces."""


def wait_for_mail(client: IMAPClient, count: int, seconds: float, stop: Callable[[], bool]) -> bool:
    """Wait in the open folder, which held ``count`` mails, until there are more; True if so.

    It ends after about ``seconds``, LONGEST_SECONDS at most, or when ``stop()`` is true, and sooner
    where the server talks much of other things. What imapclient and the socket raise passes.
    """
    seconds = min(seconds, LONGEST_SECONDS)
    step = min(seconds, SLICE_SECONDS)
    come = False
    client.idle()
    # Slices are counted, not timed: no clock is needed.
    for _ in range(max(1, math.ceil(seconds / step) if step else 1)):
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


def _readable(client: IMAPClient, seconds: float) -> bool:
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
