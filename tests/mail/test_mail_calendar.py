"""Deadlines go out as calendar events, and what calendars answer is nobody's mail."""

from datetime import UTC, datetime
from typing import Any

import pytest
from icalendar import Calendar

from postal.mail.calendar import DeadlineEvent, calendar_text
from postal.mail.gate import refusal, slip
from postal.mail.incoming import read

AT = datetime(2026, 3, 9, 20, tzinfo=UTC)
NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
UID = "smith-1.0f0f@example.org"
OWN = ("gm@example.org",)


def test_an_event_publishes_the_deadline_and_asks_nobody() -> None:
    """RFC 5546, 3.2.1: neither organizer nor attendee, so no calendar can answer it."""
    text = calendar_text(DeadlineEvent(UID, 3, "smith-1: turn 1 ends, at last", AT, NOW))
    calendar: Any = Calendar.from_ical(text)
    (event,) = calendar.walk("VEVENT")
    assert (calendar["METHOD"], event["UID"], event["SEQUENCE"]) == ("PUBLISH", UID, 3)
    assert (event["DTSTART"].dt, event["DTSTAMP"].dt) == (AT, NOW)
    assert event["SUMMARY"] == "smith-1: turn 1 ends, at last"
    assert event["STATUS"] == "CONFIRMED"
    assert not {"ORGANIZER", "ATTENDEE", "VALARM"} & {*event, *calendar}
    assert all(len(line) <= 75 for line in text.splitlines())


def test_an_event_that_is_over_is_taken_out() -> None:
    """By the same name, so that it is the one that stands there."""
    (event,) = Calendar.from_ical(
        calendar_text(DeadlineEvent(UID, 9, "over", AT, NOW, over=True))
    ).walk("VEVENT")
    assert (event["UID"], event["STATUS"]) == (UID, "CANCELLED")


def reply(head: str, calendar: str) -> bytes:
    """Return what a calendar answers beside some text of its own."""
    return (
        "Return-Path: <ann@example.org>\nFrom: Ann <ann@example.org>\nTo: gm+abc@example.org\n"
        "Subject: Accepted: smith-1: turn 1 ends\nMessage-ID: <r@example.org>\n"
        "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n"
        "--b\nContent-Type: text/plain\n\nA: fold\n"
        f"--b\n{head}\n\n{calendar}\n--b--\n"
    ).encode()


@pytest.mark.parametrize(
    ("head", "calendar"),
    [
        ("Content-Type: text/calendar; method=REPLY", "BEGIN:VCALENDAR\nMETHOD:REPLY"),
        ('Content-Type: text/calendar; charset=utf-8; method="reply"', "BEGIN:VCALENDAR"),
        ("Content-Type: text/calendar", "BEGIN:VCALENDAR\nMETHOD:REPLY\nEND:VCALENDAR"),
        ("Content-Type: text/calendar; method=COUNTER", ""),
        (
            "Content-Type: text/calendar\nContent-Transfer-Encoding: base64",
            "QkVHSU46VkNBTEVOREFSDQpNRVRIT0Q6UkVQTFkNCg==",
        ),
    ],
)
def test_a_calendars_reply_is_automatic(head: str, calendar: str) -> None:
    """However it says so, and whatever text stands beside it."""
    incoming = read(reply(head, calendar))
    assert refusal(incoming, OWN) == "it is a calendar's reply"
    assert slip(incoming, OWN) is None


@pytest.mark.parametrize("method", ["PUBLISH", "REQUEST", ""])
def test_an_event_sent_back_is_no_reply(method: str) -> None:
    """A player's mail program may keep our own file with his answer."""
    named = f"; method={method}" if method else ""
    raw = reply(f"Content-Type: text/calendar{named}", f"BEGIN:VCALENDAR\nMETHOD:{method}")
    incoming = read(raw)
    assert refusal(incoming, OWN) is None
    assert [text.strip() for text in incoming.texts] == ["A: fold"]
