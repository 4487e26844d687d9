"""Deadlines fall where wall clocks say, and the hand-moved clock keeps time."""

from datetime import UTC, datetime, timedelta

import pytest

from postal.clock import ClockWatch, ManualClock, SystemClock, deadline_after

START = datetime(2026, 6, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("start", "days", "hour", "zone", "due"),
    [
        ("2026-06-01T12:00", 7, 20, "Europe/London", "2026-06-08T19:00"),
        ("2026-01-01T12:00", 1, 20, "Europe/London", "2026-01-02T20:00"),
        # The local date counts: it is already the 2nd in Tokyo, still the 1st in Los Angeles.
        ("2026-01-01T20:00", 1, 9, "Asia/Tokyo", "2026-01-03T00:00"),
        ("2026-01-02T03:00", 1, 9, "America/Los_Angeles", "2026-01-02T17:00"),
        # Spring: 01:00 doesn't exist in London on 29 March and becomes 02:00 BST.
        ("2026-03-28T12:00", 1, 1, "Europe/London", "2026-03-29T01:00"),
        # Autumn: 01:00 comes twice in London on 25 October; the first is BST.
        ("2026-10-24T12:00", 1, 1, "Europe/London", "2026-10-25T00:00"),
        # Samoa skipped the whole of 30 December 2011.
        ("2011-12-29T20:00", 1, 20, "Pacific/Apia", "2011-12-31T06:00"),
        ("2028-02-28T12:00", 1, 0, "UTC", "2028-02-29T00:00"),
    ],
)
def test_deadline_is_wall_time_in_the_zone(
    start: str, days: int, hour: int, zone: str, due: str
) -> None:
    """A gap moves forward, a fold takes the first, and the local date is what days count from."""
    got = deadline_after(datetime.fromisoformat(start).replace(tzinfo=UTC), days, hour, zone)
    assert got == datetime.fromisoformat(due).replace(tzinfo=UTC)
    assert got.tzinfo is UTC


@pytest.mark.parametrize(
    ("days", "hour", "zone"),
    [(0, 20, "UTC"), (1, 24, "UTC"), (1, -1, "UTC"), (1, 20, "Europe"), (1, 20, "Europe/Londn")],
)
def test_deadline_refuses_what_is_no_time(days: int, hour: int, zone: str) -> None:
    """No days, no such hour, no such zone."""
    with pytest.raises(ValueError, match=r"day|hour|zone"):
        deadline_after(START, days, hour, zone)


def test_naive_times_are_refused() -> None:
    """A time without a zone never gets in."""
    naive = START.replace(tzinfo=None)
    with pytest.raises(ValueError, match="zone"):
        deadline_after(naive, 1, 20, "UTC")
    with pytest.raises(ValueError, match="zone"):
        ManualClock(naive)


def test_manual_clock_moves_only_forward() -> None:
    """It stands still, moves on by steps or to a moment, and never back."""
    clock = ManualClock(START)
    assert clock.now() == clock.now() == START
    assert clock.advance(timedelta(days=2)) == clock.now() == START + timedelta(days=2)
    assert clock.move_to(START) == START + timedelta(days=2)
    assert clock.move_to(START + timedelta(days=3)) == clock.now() == START + timedelta(days=3)
    with pytest.raises(ValueError, match="backwards"):
        clock.advance(timedelta(seconds=-1))


def test_system_clock_is_utc() -> None:
    """What the daemon sees is aware and in UTC."""
    assert SystemClock().now().tzinfo is UTC


def test_a_clock_that_is_set_is_noticed() -> None:
    """By how far, and once; time that passes is no jump."""
    clock = ManualClock(START)
    watch = ClockWatch(clock)
    clock.advance(timedelta(days=9))
    assert watch.jump() == timedelta(0)
    clock.set(clock.now() - timedelta(hours=1))
    clock.advance(timedelta(minutes=1))
    assert watch.jump() == timedelta(hours=-1)
    assert watch.jump() == timedelta(0)
