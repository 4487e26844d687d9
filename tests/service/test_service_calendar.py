"""When turns end (RULES.md 9.1): lengths, weekdays, quiet days, and clocks that are changed."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postal.clock import at_wall, wall_at
from postal.config.sections import Game
from postal.engine.game import due
from postal.errors import UsageError
from postal.service.turns.calendar import Calendar, calendar_of, of_settings, stage, wall_text
from tests.service.service_league import SLUG, START, League

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
ZONES = (
    "Europe/London",
    "America/New_York",
    "Australia/Sydney",
    "America/Santiago",
    "Australia/Lord_Howe",  # changes by half an hour
    "Pacific/Apia",  # skipped a whole day in 2011
    "Asia/Kathmandu",
    "UTC",
)
QUIET = ("", "sun", "12-24 to 01-02", "sat, sun, 02-29, 2027-03-28")
MOMENTS = st.datetimes(
    datetime(2011, 1, 1),  # noqa: DTZ001 - the strategy wants them so
    datetime(2032, 1, 1),  # noqa: DTZ001 - as above
    timezones=st.just(UTC),
)
CALENDARS = st.builds(
    Calendar,
    turn_length=st.integers(1, 30),
    hour=st.integers(0, 23),
    zone=st.sampled_from(ZONES),
    minute=st.sampled_from((0, 30)),
    weekdays=st.sampled_from(((), (1, 4), (6,), (0, 1, 2, 3, 4, 5, 6))),
    least=st.integers(0, 336),
    quiet=st.sampled_from(QUIET),
).filter(lambda calendar: not calendar.leaves_no_day())


def moment(text: str) -> datetime:
    """Return a time in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def is_quiet(day: date, quiet: str) -> bool:
    """Tell quiet days in a way of its own."""
    weekend = {"": (), "sun": (6,)}.get(quiet, ())
    if "sat" in quiet:
        weekend = (5, 6)
    turn_of_the_year = (day.month, day.day) >= (12, 24) or (day.month, day.day) <= (1, 2)
    named = day == date(2027, 3, 28) or (day.month, day.day) == (2, 29)
    return (
        day.weekday() in weekend
        or ("12-24" in quiet and turn_of_the_year)
        or ("02-29" in quiet and named)
    )


@settings(max_examples=150, deadline=None)
@given(CALENDARS, MOMENTS)
def test_a_deadline_keeps_every_rule_of_its_calendar(calendar: Calendar, opened: datetime) -> None:
    """It lies ahead, no sooner than the least, on a day that is allowed, at its time of day."""
    wall = calendar.wall(opened)
    deadline = at_wall(wall, calendar.zone)
    assert deadline > opened
    assert deadline >= opened + calendar.least * HOUR
    assert not calendar.weekdays or wall.weekday() in calendar.weekdays
    assert not is_quiet(wall.date(), calendar.quiet)
    assert (wall.hour, wall.minute) == (calendar.hour, calendar.minute)
    # What the clocks really show is that, or in a gap as much later as they skip.
    shown = wall_at(deadline, calendar.zone)
    assert shown - wall in (timedelta(0), HOUR / 2, HOUR, DAY)
    assert shown == wall or wall_at(deadline - timedelta(seconds=1), calendar.zone) < wall
    # Of a time that comes twice it is the first: an hour before the clocks showed another.
    assert wall_at(deadline - HOUR, calendar.zone) != shown


@settings(max_examples=100, deadline=None)
@given(CALENDARS, MOMENTS)
def test_no_earlier_day_was_allowed(calendar: Calendar, opened: datetime) -> None:
    """Else it is the first of the days that the calendar allows."""
    wall = calendar.wall(opened)
    begun = opened.astimezone(ZoneInfo(calendar.zone)).date()
    first = begun if calendar.weekdays else begun + calendar.days(0) * DAY
    for back in range((wall.date() - first).days):
        day = first + back * DAY
        earlier = at_wall(datetime.combine(day, wall.time()), calendar.zone)
        assert (
            earlier <= opened
            or earlier < opened + calendar.least * HOUR
            or is_quiet(day, calendar.quiet)
            or (calendar.weekdays and day.weekday() not in calendar.weekdays)
        )


@settings(max_examples=100, deadline=None)
@given(MOMENTS, st.sampled_from(ZONES))
def test_a_stored_wall_time_means_its_deadline_alone(deadline: datetime, zone: str) -> None:
    """It is kept only where the way back from it leads to the same moment."""
    deadline = deadline.replace(second=0, microsecond=0)
    text = wall_text(deadline, zone)
    back = None if text is None else at_wall(datetime.fromisoformat(text), zone)
    assert back in (None, deadline)
    assert text is not None or wall_at(deadline - HOUR, zone) <= wall_at(deadline, zone)


@pytest.mark.parametrize(
    ("zone", "hour", "opened", "deadline"),
    [
        # In the north clocks go forward in March: 01:30 isn't there, and becomes 02:30.
        ("Europe/London", 20, "2027-03-22T12:00", "2027-03-29T19:00"),
        ("Europe/London", 1, "2027-03-21T12:00", "2027-03-28T01:30"),
        ("America/New_York", 2, "2027-03-07T12:00", "2027-03-14T07:30"),
        # In October and November they go back: 01:30 comes twice, and the first counts.
        ("Europe/London", 20, "2027-10-25T12:00", "2027-11-01T20:00"),
        ("Europe/London", 1, "2027-10-24T12:00", "2027-10-31T00:30"),
        ("America/New_York", 1, "2027-10-31T12:00", "2027-11-07T05:30"),
        # In the south it is the other way round: back in April, forward in October.
        ("Australia/Sydney", 20, "2027-03-29T12:00", "2027-04-05T10:00"),
        ("Australia/Sydney", 2, "2027-03-28T01:00", "2027-04-03T15:30"),
        ("Australia/Sydney", 20, "2027-09-27T12:00", "2027-10-04T09:00"),
        ("Australia/Sydney", 2, "2027-09-26T01:00", "2027-10-02T16:30"),
        # December to January, and 29 February.
        ("Europe/London", 20, "2026-12-28T12:00", "2027-01-04T20:00"),
        ("America/New_York", 20, "2028-02-22T12:00", "2028-03-01T01:00"),
        ("Europe/London", 20, "2028-02-23T12:00", "2028-03-01T20:00"),
        ("Europe/London", 20, "2027-02-22T12:00", "2027-03-01T20:00"),
    ],
)
def test_seven_days_on_whatever_the_clocks_do(
    zone: str, hour: int, opened: str, deadline: str
) -> None:
    """The wall's time stays; in UTC the week is an hour longer or shorter."""
    calendar = Calendar(7, hour, zone, minute=0 if hour == 20 else 30)
    assert at_wall(calendar.wall(moment(opened)), zone) == moment(deadline)


@pytest.mark.parametrize(
    ("given", "opened", "deadline"),
    [
        ({"every": "tue,fri"}, "2026-12-01T12:00", "2026-12-04T20:00"),  # 8 hours are too few
        ({"every": "tue,fri", "min_hours": 8}, "2026-12-01T12:00", "2026-12-01T20:00"),
        ({"every": "tue,fri"}, "2026-12-04T20:30", "2026-12-08T20:00"),
        ({"every": 3}, "2026-12-01T12:00", "2026-12-04T20:00"),
        ({"turn_length": [2, 4]}, "2026-12-01T12:00", "2026-12-03T20:00"),
        ({"turn_length": 1}, "2026-12-01T20:00", "2026-12-02T20:00"),
        ({"turn_length": 1}, "2026-12-01T23:00", "2026-12-02T20:00"),
        ({"turn_length": 1, "hour": 0}, "2026-12-01T23:00", "2026-12-03T00:00"),
        ({"quiet": "12-24 to 01-02, sun"}, "2026-12-17T12:00", "2027-01-04T20:00"),
        ({"quiet": "2026-12-24"}, "2026-12-17T12:00", "2026-12-25T20:00"),
        ({"every": "thu", "quiet": "2026-12-24"}, "2026-12-17T20:00", "2026-12-31T20:00"),
        ({"minute": 15, "zone": "Asia/Kathmandu"}, "2026-12-01T12:00", "2026-12-08T14:30"),
    ],
)
def test_settings_make_a_calendar(given: dict[str, object], opened: str, deadline: str) -> None:
    """Lengths, weekdays, quiet days and the least time, as the config or `game new` has them."""
    calendar = of_settings(Game(**given))  # type: ignore[arg-type]  # pydantic reads them
    assert at_wall(calendar.wall(moment(opened)), calendar.zone) == moment(deadline)


def test_quiet_days_that_leave_none_are_refused() -> None:
    """Such a calendar would have no deadline; one that is quiet for long still has."""
    with pytest.raises(UsageError, match="leave no day"):
        of_settings(Game(every="tue,fri", quiet="tue, fri"))
    with pytest.raises(UsageError, match="leave no day"):
        of_settings(Game(quiet="01-01 to 12-31"))
    calendar = of_settings(Game(quiet="2026-01-01 to 2099-12-31"))
    assert calendar.wall(START) == datetime(2026, 3, 9, 20)  # noqa: DTZ001 - on the wall


def test_a_game_keeps_its_calendar(quick: League) -> None:
    """As it began; one of a time when there was less to it has a length and an hour."""
    calendar = of_settings(Game(turn_length="7,6,3", quiet="sun", minute=30, remind=12, zone="UTC"))
    row = quick.begin("other", calendar=calendar).row
    assert calendar_of(row) == calendar
    row.calendar = ""
    assert calendar_of(row) == Calendar(7, 20, "UTC")


def test_each_stage_has_its_length(quick: League) -> None:
    """To give, to keep, and then to bet and to expose."""
    calendar = Calendar(7, 20, "Europe/London", lengths=(6, 5, 2))
    quick.begin("stages", calendar=calendar)
    found = []
    for _ in range(5):
        loaded = quick.loaded("stages")
        assert loaded.turn is not None
        assert loaded.turn.deadline is not None
        begun = loaded.turn.opened_at.date()
        found.append((stage(loaded.game), (loaded.turn.deadline.date() - begun).days))
        quick.clock.move_to(loaded.turn.deadline)
        for player in {player for player, _ in due(loaded.game)}:
            quick.order(player, "stages")
        quick.poll()
        quick.due()
    assert found[:3] == [(0, 6), (1, 5), (2, 2)]
    assert {days for _, days in found[2:]} == {2}
    assert quick.loaded(SLUG).turn is not None
