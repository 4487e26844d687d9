"""The deadline comes with the reports as one calendar event that moves from turn to turn."""

from datetime import timedelta
from typing import Any

import pytest
from icalendar import Calendar

from postal.service.turns.deadlines import move
from postal.store.rows import OutboxRow
from tests.service.service_league import DEADLINE, HOUR, SLUG, League, parsed


def event_of(row: OutboxRow) -> tuple[Any, Any] | None:
    """Return the event that comes with a mail, and its calendar; None where none does."""
    for part in parsed(row.raw).walk():
        if part.get_content_type() == "text/calendar":
            data = part.get_payload(decode=True)
            assert isinstance(data, bytes)
            calendar = Calendar.from_ical(data)
            assert (part.get_param("method"), part.get_filename()) == ("PUBLISH", "deadline.ics")
            return next(iter(calendar.walk("VEVENT"))), calendar
    return None


def events(league: League, player: str) -> list[Any]:
    """Return the events that a player was sent, oldest first."""
    found = [event_of(one.row) for one in league.outbox(player)]
    return [one[0] for one in found if one]


def test_one_event_moves_on_with_each_report(quick: League) -> None:
    """Its name stays, its number rises, and at the end it is taken out."""
    quick.begin("short", bytes(32), check_limit=2)
    for fold in (False, False, True):
        for player in quick.players:
            if fold:
                quick.write(player, "all: fold", slug="short")
            else:
                quick.order(player, "short")
        quick.poll()
        quick.clock.advance(HOUR)
        quick.due()
    found = [event_of(one.row) for one in quick.outbox("Ann", slug="short")]
    shown = [one[0] for one in found if one]
    assert len(shown) == 4
    assert quick.loaded("short").game.finished
    assert len({one["UID"] for one in shown}) == 1
    numbers = [one["SEQUENCE"] for one in shown]
    assert numbers == sorted(set(numbers))
    assert [one["STATUS"] for one in shown] == ["CONFIRMED"] * (len(shown) - 1) + ["CANCELLED"]
    assert shown[0]["DTSTART"].dt == DEADLINE
    assert shown[0]["UID"] != events(quick, "Ann")[0]["UID"]


def test_a_moved_deadline_moves_the_event(quick: League) -> None:
    """The letter about it has it, and so has the report sent again."""
    later = DEADLINE + timedelta(days=2)
    quick.clock.advance(HOUR)
    assert move(quick.work, SLUG, 1, later, "outgoing")
    quick.clock.advance(HOUR)
    quick.write("Bob", "resend")
    quick.poll()
    first, moved, again = events(quick, "Bob")
    assert first["UID"] == moved["UID"] == again["UID"]
    assert first["SEQUENCE"] < moved["SEQUENCE"] < again["SEQUENCE"]
    assert moved["DTSTART"].dt == again["DTSTART"].dt == later


def test_an_event_tells_nothing_but_the_deadline(quick: League) -> None:
    """No token, no address, and to each player the same."""
    texts = set()
    for player in quick.players:
        (found,) = (event_of(one.row) for one in quick.outbox(player))
        assert found is not None
        texts.add(found[1].to_ical())
        assert quick.token(player).encode() not in found[1].to_ical()
    assert len(texts) == 1


def test_receipts_have_no_event(quick: League) -> None:
    """Answers to his own mails change no deadline."""
    quick.write("Ann", "status\nA: give\n")
    quick.poll()
    assert [event_of(one.row) for one in quick.outbox("Ann") if one.kind != "welcome"] == [None] * 2


@pytest.mark.parametrize("method", ["REPLY", "COUNTER"])
def test_a_calendars_reply_is_no_sign_of_life(quick: League, method: str) -> None:
    """It orders nothing, is answered by nobody, and its sender was not heard of."""
    before = len(quick.outbox())
    body = (
        "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n"
        "--b\nContent-Type: text/plain\n\nA: give 2C\n"
        f"--b\nContent-Type: text/calendar; method={method}\n\nBEGIN:VCALENDAR\n--b--\n"
    ).replace("\n", "\r\n")
    head = quick.mail("Ann", "").decode().partition("Content-Type:")[0]
    quick.post.deliver((head + body).encode())
    quick.poll()
    assert [(one.status, one.reason) for one in quick.mails()] == [
        ("ignored", "it is a calendar's reply")
    ]
    assert len(quick.outbox()) == before
    quick.clock.move_to(DEADLINE)
    quick.poll()
    quick.due()
    assert quick.game.missed["Ann"] == 1
