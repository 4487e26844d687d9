"""The deadline as a calendar event (RFC 5545, 5546), and the replies that calendars send."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from postal.mail.mending import payload

if TYPE_CHECKING:
    from datetime import datetime
    from email.message import Message

FILE = "deadline.ics"
"""The name of the file that comes with a mail."""

METHOD = "PUBLISH"
"""What calendars are to do with it: show it, and answer nobody (RFC 5546, 3.2.1)."""

_REPLIES = frozenset({"reply", "counter", "declinecounter", "refresh"})
_METHOD = re.compile(rb"^method\s*:\s*(\w+)", re.IGNORECASE | re.MULTILINE)
_MOST_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class DeadlineEvent:
    """A game's deadline for calendars: the same ``uid`` all along, so that it moves there.

    ``at`` and ``stamp``, when this was written, are aware UTC. ``sequence`` rises with each word
    about it. ``over``: there is no deadline any more.
    """

    uid: str
    sequence: int
    summary: str
    at: datetime
    stamp: datetime
    over: bool = False


def calendar_text(event: DeadlineEvent) -> str:
    """Return an event as a calendar file; it names no organizer and no attendee."""
    # Slow to import, and few commands write mails that have one.
    from icalendar import Calendar, Event  # noqa: PLC0415

    entry = Event()
    entry.add("uid", event.uid)
    entry.add("sequence", event.sequence)
    entry.add("dtstamp", event.stamp)
    entry.add("dtstart", event.at)
    entry.add("summary", event.summary)
    entry.add("status", "CANCELLED" if event.over else "CONFIRMED")
    entry.add("transp", "TRANSPARENT")  # nobody is busy at a deadline
    calendar = Calendar()
    calendar.add("prodid", "-//postal//deadlines//EN")
    calendar.add("version", "2.0")
    calendar.add("method", METHOD)
    calendar.add_component(entry)
    return str(calendar.to_ical(), "utf-8")


def is_calendar_reply(message: Message) -> bool:
    """Return whether a mail is what a calendar answers by itself: accepted, declined, and so on."""
    for part in message.walk():
        if part.get_content_type() == "text/calendar":
            named = str(part.get_param("method", "")).casefold()
            found = None if named else _METHOD.search(payload(part)[:_MOST_BYTES])
            if (found[1].decode().casefold() if found else named) in _REPLIES:
                return True
    return False
