"""Players are told times in their own zones, a second one only where it differs."""

from datetime import timedelta

import pytest

from postal.service.loading import find_game, load_game
from postal.store.rows import OutboxRow
from tests.service.service_league import SLUG, League, parsed, text_of


def words(row: OutboxRow) -> str:
    """Return a mail's text on one line."""
    return " ".join(text_of(row.raw).split())


def zone_of(league: League, player: str) -> str | None:
    """Return the zone that is stored for a player."""
    with league.database.reading() as session:
        return load_game(session, find_game(session, SLUG)).seat(player).person.zone


def test_a_zone_is_asked_for_by_mail(dealt: League) -> None:
    """Its name in any case; each mail from then on has his time first, and then the game's."""
    told = " ".join(dealt.say("Ann", "zone europe/PARIS").split())
    assert zone_of(dealt, "Ann") == "Europe/Paris"
    there = "Monday 9 March 2026, 21:00 CET (Europe/Paris), which is 20:00 GMT (Europe/London)"
    assert f"The deadline is {there}, in 7 days" in told
    assert "your mails tell times by the clocks of Europe/Paris." in told
    dealt.play(1)
    mine, other = (dealt.outbox(name, "report")[-1] for name in ("Ann", "Bob"))
    assert "Monday 9 March 2026, 21:00 CET (Europe/Paris), which is 20:00 GMT" in words(mine.row)
    assert "Mon 9 Mar 21:00 CET" in str(parsed(mine.raw)["Subject"])
    assert "Paris" not in words(other.row)
    assert "The deadline is Monday 9 March 2026, 20:00 GMT (Europe/London), in 7" in words(
        other.row
    )


def test_a_second_zone_stands_only_where_it_differs(dealt: League) -> None:
    """A zone whose clocks show the same; and in summer UTC beside the game's own."""
    told = " ".join(dealt.say("Ann", "zone Europe/Lisbon").split())
    assert "The deadline is Monday 9 March 2026, 20:00 WET (Europe/Lisbon), in 7 days" in told
    dealt.clock.advance(timedelta(days=24))
    dealt.play(1)
    told = words(dealt.outbox("Bob", "report")[-1].row)
    assert "20:00 BST (Europe/London), which is 19:00 UTC, in" in told
    told = words(dealt.outbox("Ann", "report")[-1].row)
    assert "20:00 WEST (Europe/Lisbon), in" in told


def test_another_day_there_is_told(dealt: League) -> None:
    """Where it is tomorrow already."""
    told = " ".join(dealt.say("Ann", "zone Pacific/Auckland").split())
    assert "Tuesday 10 March 2026, 09:00 NZDT (Pacific/Auckland), which is Monday 9 March" in told


@pytest.mark.parametrize("text", ["zone Paris/France", "zone ../etc/passwd"])
def test_a_zone_that_is_none_changes_nothing(dealt: League, text: str) -> None:
    """He is told how to write one, and his own words come back nowhere."""
    told = " ".join(dealt.say("Ann", text).split())
    assert "there is no time zone of the name that you wrote, so nothing was changed" in told
    assert "by continent and city" in told
    assert zone_of(dealt, "Ann") is None


def test_orders_beside_it_are_receipted_in_the_new_zone(dealt: League) -> None:
    """One mail brings both answers, and the last zone in it counts."""
    dealt.write("Ann", "zone Asia/Tokyo\nA: give\nzone America/New York\n")
    dealt.poll()
    answers = {one.kind: words(one.row) for one in dealt.outbox("Ann") if one.kind != "welcome"}
    assert set(answers) == {"receipt", "zone"}
    for text in answers.values():
        assert "The deadline is Monday 9 March 2026, 16:00 EDT (America/New_York)" in text
        assert "Tokyo" not in text


def test_a_person_has_one_zone_in_all_games(two: League) -> None:
    """He writes in one, and reads it in the other."""
    two.write("Ann", "zone Asia/Kathmandu")
    two.poll()
    with two.database.reading() as session:
        zones = [
            load_game(session, find_game(session, slug)).seat("Ann").person.zone
            for slug in (SLUG, "smith-2")
        ]
    assert zones == ["Asia/Kathmandu"] * 2
