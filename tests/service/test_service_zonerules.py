"""A zone whose rules change: its deadlines stay at the time of day that was told."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from importlib.resources import files
from pathlib import Path
from zoneinfo import TZPATH, ZoneInfo, reset_tzpath

import pytest

from postal.service.ticks import Rounds
from postal.service.turns.calendar import Calendar
from postal.service.turns.zonerules import follow_zones
from postal.store.troubles import journal_of
from tests.service.service_league import DEADLINE, HOUR, SLUG, START, League, text_of

ZONE = "Europe/Freedonia"
GAME = "free"


class Rules:
    """The data of a zone that a test can change, as a new version of all zones' data does."""

    def __init__(self, folder: Path) -> None:
        """Put the zone beside the real ones."""
        self.file = folder / ZONE
        self.file.parent.mkdir(parents=True)
        self.hours(0)
        reset_tzpath([str(folder), *TZPATH])

    def hours(self, ahead: int) -> None:
        """Let its clocks be so many hours ahead of UTC from now on."""
        real = "UTC" if ahead == 0 else f"Etc/GMT-{ahead}"
        self.file.write_bytes(zone_data(real))
        ZoneInfo.clear_cache()


def zone_data(name: str) -> bytes:
    """Return a zone's data, from wherever it is."""
    for folder in TZPATH:
        if (Path(folder) / name).is_file():
            return (Path(folder) / name).read_bytes()
    return (files("tzdata") / "zoneinfo" / name).read_bytes()  # where the system has none


@pytest.fixture
def rules(tmp_path: Path) -> Iterator[Rules]:
    """Give a zone of our own whose clocks show UTC."""
    before = TZPATH
    yield Rules(tmp_path / "zones")
    reset_tzpath(before)
    ZoneInfo.clear_cache()


@pytest.fixture
def free(dealt: League, rules: Rules) -> League:
    """Give a game whose deadline is at 20:00 in that zone."""
    del rules
    dealt.begin(GAME, bytes(32), calendar=Calendar(7, 20, ZONE))
    dealt.send()
    return dealt


def deadline(league: League) -> datetime | None:
    """Return the deadline of that game."""
    turn = league.loaded(GAME).turn
    return turn.deadline if turn else None


def told(league: League, player: str) -> list[str]:
    """Return the texts of a player's mails about a deadline, each on one line."""
    return [" ".join(text_of(one.raw).split()) for one in league.outbox(player, "deadline")]


def test_a_deadline_stays_at_the_time_of_day_that_was_told(free: League, rules: Rules) -> None:
    """It moves with the clocks of its zone, when the program starts with the new rules."""
    rules.hours(1)
    free.clock.advance(HOUR)
    assert follow_zones(free.work) == 1
    assert deadline(free) == DEADLINE - HOUR
    assert follow_zones(free.work) == 0
    for player in free.players:
        (text,) = told(free, player)
        assert "the deadline of turn 1 is moved. It was Monday 9 March 2026, 20:00 UTC." in text
        assert "The deadline is Monday 9 March 2026, 20:00 UTC+01 (Europe/Freedonia)" in text
        assert "which is 19:00 UTC" in text
        assert "The clocks in Europe/Freedonia go by new rules." in text
    with free.database.reading() as session:
        (entry,) = journal_of(session, free.loaded(GAME).id)
    assert entry.what == "deadline"
    assert "the clocks of its zone go by other rules" in entry.sentence
    turn = free.loaded(GAME).turn
    assert turn is not None
    assert (turn.wall, turn.due_at) == ("2026-03-09T20:00", DEADLINE - HOUR)


def test_a_daemon_sees_to_it_when_it_starts(free: League, rules: Rules) -> None:
    """And to nothing where no rules have changed."""
    Rounds(free.work, lambda: free.post, free.post).begin()
    assert told(free, "Ann") == []
    rules.hours(2)
    Rounds(free.work, lambda: free.post, free.post).begin()
    assert deadline(free) == DEADLINE - 2 * HOUR
    assert len(told(free, "Ann")) == 1


@pytest.mark.parametrize("before", [timedelta(hours=1), timedelta(hours=24)])
def test_a_near_deadline_never_comes_sooner(free: League, rules: Rules, before: timedelta) -> None:
    """It stays where it is, and the journal says so; the next turn goes by the new rules."""
    free.clock.move_to(DEADLINE - before)
    rules.hours(1)
    assert follow_zones(free.work) == 0
    assert follow_zones(free.work) == 0
    assert deadline(free) == DEADLINE
    assert told(free, "Ann") == []
    with free.database.reading() as session:
        (entry,) = journal_of(session, free.loaded(GAME).id)
    assert (entry.what, entry.turn) == ("zone", 1)
    free.clock.move_to(DEADLINE)
    free.poll()
    free.due()
    assert deadline(free) == DEADLINE + timedelta(days=7) - HOUR


def test_a_near_deadline_may_come_later(free: League, rules: Rules) -> None:
    """That takes nothing from anybody."""
    rules.hours(1)
    follow_zones(free.work)
    free.clock.move_to(DEADLINE - 2 * HOUR)
    rules.hours(0)
    assert follow_zones(free.work) == 1
    assert deadline(free) == DEADLINE


def test_what_is_past_or_in_another_zone_stays(free: League, rules: Rules) -> None:
    """A deadline that is over isn't told anew."""
    assert START < DEADLINE
    free.clock.move_to(DEADLINE + HOUR)
    rules.hours(1)
    assert follow_zones(free.work) == 0
    other = free.loaded(SLUG).turn
    assert other is not None
    assert other.deadline == DEADLINE
