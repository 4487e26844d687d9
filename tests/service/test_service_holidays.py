"""Holidays of players: what counts in which game, and deadlines that move past them."""

from datetime import UTC, datetime, timedelta

import pytest

from postal.errors import PostalError, UsageError
from postal.service.desk.forget import forget
from postal.service.desk.holding import hold, resume
from postal.service.desk.holidays import cancel_holidays, note_holiday
from postal.service.desk.log import game_log
from postal.service.desk.merging import merge_people
from postal.service.desk.rollback import roll_back, what_was_shown
from postal.service.desk.timing import set_deadline
from postal.service.turns.holidays import follow_holidays
from postal.store.absences import absences_of
from postal.store.rows import AbsenceRow
from tests.service.people_league import OTHER
from tests.service.service_league import DEADLINE, HOUR, SLUG, League, text_of

DAY = 24 * HOUR
PAST = datetime(2026, 3, 16, 20, 0, tzinfo=UTC)
"""The deadline after a holiday to 15 March."""


def deadline(league: League, slug: str = SLUG) -> datetime:
    """Return the deadline in play."""
    turn = league.loaded(slug).turn
    assert turn is not None
    assert turn.deadline is not None
    return turn.deadline


def test_a_deadline_moves_past_a_holiday(dealt: League) -> None:
    """To the time of day that the game has; all are told, for whom only the GM."""
    answer = " ".join(dealt.say("Ann", "holiday 2026-03-08 to 2026-03-15\n").split())
    assert "from Sunday 8 March 2026 to Sunday 15 March 2026" in answer
    assert "In smith-1: a deadline in those days moves past them." in answer
    assert ":: holiday cancel" in answer
    (notice,) = dealt.outbox("", "gm")[-1:]
    assert "Ann is on holiday from 2026-03-08 to 2026-03-15." in text_of(notice.raw)
    assert follow_holidays(dealt.work) == 1
    assert deadline(dealt) == PAST
    for player in dealt.players:
        (told,) = [text_of(row.raw) for row in dealt.outbox(player, "deadline")]
        assert "It lay in a player's holiday" in " ".join(told.split())
        assert player == "Ann" or "Ann" not in told.partition("WHAT TO ORDER")[0]
    assert follow_holidays(dealt.work) == 0
    events = [(one["who"], one["what"]) for one in game_log(dealt.work, SLUG)]
    assert ("Ann", "holiday") in events
    assert ("postal", "deadline") in events


def test_whether_orders_are_in_makes_no_difference(quick: League) -> None:
    """The deadline moves all the same, and the letters are the same."""
    quick.order("Ann")
    quick.poll()
    quick.say("Ann", "holiday 2026-03-08 to 2026-03-15\n")
    assert follow_holidays(quick.work) == 1
    assert deadline(quick) == PAST
    quick.order_all("Ann")
    quick.poll()
    quick.clock.advance(HOUR)
    assert [done.why for done in quick.due()] == ["complete"]


def test_one_holiday_after_another_moves_it_once(quick: League) -> None:
    """Past both, though the second begins where the first ends."""
    quick.say("Ann", "holiday 2026-03-08 to 2026-03-15\n")
    quick.say("Bob", "holiday 2026-03-16 to 2026-03-17\n")
    assert follow_holidays(quick.work) == 1
    assert deadline(quick) == PAST + 2 * DAY


def test_the_next_turns_deadline_moves_too(quick: League) -> None:
    """A holiday holds for every turn in it."""
    quick.say("Ann", "holiday 2026-03-08 to 2026-03-20\n")
    follow_holidays(quick.work)
    quick.play(1)
    assert deadline(quick) == DEADLINE
    assert follow_holidays(quick.work) == 1
    assert deadline(quick) == datetime(2026, 3, 21, 20, 0, tzinfo=UTC)


def test_a_game_may_have_its_deadlines_stay(quick: League) -> None:
    """By its option; the player is told in the one answer for all his games."""
    quick.begin(OTHER, bytes(32), holiday="stay")
    note_holiday(quick.work, "Ann", "2026-03-08", "2026-03-15")
    assert deadline(quick) == PAST
    assert deadline(quick, OTHER) == DEADLINE


def test_only_so_many_days_count(dealt: League) -> None:
    """Those that were asked for first; what is taken back in time is free again."""
    dealt.begin(OTHER, bytes(32), holiday_days=4)
    answer = " ".join(dealt.say("Ann", "holiday 2026-03-06 to 2026-03-12\n").split())
    assert "In smith-2: a deadline in the first 4 days of it moves past them." in answer
    assert follow_holidays(dealt.work) == 2
    assert deadline(dealt, OTHER) == datetime(2026, 3, 10, 20, 0, tzinfo=UTC)
    none = " ".join(dealt.say("Ann", "holiday 2026-04-06 to 2026-04-07\n").split())
    assert "In smith-2: no day of it counts" in none
    assert "taken back" in dealt.say("Ann", "holiday cancel\n")
    free = " ".join(dealt.say("Ann", "holiday 2026-04-06 to 2026-04-07\n").split())
    assert "In smith-2: a deadline in those days moves past them." in free


def test_a_holiday_taken_back_moves_nothing(dealt: League) -> None:
    """By mail or by the GM; a second time there is none."""
    dealt.say("Ann", "holiday 2026-03-08 to 2026-03-15\n")
    dealt.say("Ann", "cancel holiday\n")
    assert follow_holidays(dealt.work) == 0
    assert deadline(dealt) == DEADLINE
    assert "no holiday that could be taken back" in " ".join(
        dealt.say("Ann", "holiday cancel\n").split()
    )
    note_holiday(dealt.work, "Bob", "2026-03-20", "2026-03-25")
    assert cancel_holidays(dealt.work, "Bob") == "Bob"
    with pytest.raises(PostalError, match="has no holiday"):
        cancel_holidays(dealt.work, "Bob")
    assert [one["more"] for one in game_log(dealt.work, SLUG) if one["what"] == "holiday"] == [
        "Ann: holiday from 2026-03-08 to 2026-03-15.",
        "Ann: holidays taken back.",
        "Bob: holiday from 2026-03-20 to 2026-03-25.",
        "Bob: holidays taken back.",
    ]


def test_days_are_those_of_his_own_clocks(quick: League) -> None:
    """20:00 in London is the next day in Auckland, where his holiday begins."""
    quick.write("Ann", "zone Pacific/Auckland\nholiday 2026-03-10 to 2026-03-10\n")
    quick.poll()
    assert follow_holidays(quick.work) == 1
    # It ends there at midnight, 11:00 in London.
    assert deadline(quick) == DEADLINE + DAY


def test_the_gms_word_stands(quick: League) -> None:
    """A deadline that he sets into a holiday that he knew of isn't moved again."""
    quick.say("Ann", "holiday 2026-03-08 to 2026-03-15\n")
    follow_holidays(quick.work)
    quick.clock.advance(HOUR)
    set_deadline(quick.work, SLUG, DEADLINE + DAY)
    assert follow_holidays(quick.work) == 0
    assert deadline(quick) == DEADLINE + DAY
    quick.clock.advance(HOUR)
    quick.say("Bob", "holiday 2026-03-10 to 2026-03-15\n")
    assert follow_holidays(quick.work) == 1


def test_a_holiday_asked_for_after_the_deadline_saves_nobody(quick: League) -> None:
    """Though both are there when the program looks; one that was asked before does."""
    quick.clock.move_to(DEADLINE + HOUR)
    quick.write("Ann", "holiday 2026-03-08 to 2026-03-15\n", at=DEADLINE + HOUR)
    quick.poll()
    assert follow_holidays(quick.work) == 0
    quick.write("Bob", "holiday 2026-03-08 to 2026-03-15\n", at=DEADLINE - HOUR)
    quick.poll()
    assert follow_holidays(quick.work) == 1
    assert quick.due() == ()


def test_a_game_on_hold_is_let_alone(quick: League) -> None:
    """When it goes on its deadline is looked at."""
    hold(quick.work, SLUG)
    quick.say("Ann", "holiday 2026-03-08 to 2026-03-15\n")
    assert follow_holidays(quick.work) == 0
    quick.clock.advance(DAY)
    resume(quick.work, SLUG)
    assert follow_holidays(quick.work) == 1


def test_what_is_no_holiday(dealt: League) -> None:
    """Past, or too long; each in a sentence, by mail and to the GM."""
    assert "are over" in dealt.say("Ann", "holiday 2026-02-01 to 2026-02-03\n")
    assert "longer than a year" in dealt.say("Ann", "holiday 2026-03-01 to 9999-12-31\n")
    assert deadline(dealt) == DEADLINE
    for first, last in (
        ("2026-02-01", "2026-02-03"),
        ("2026-03-01", "9999-12-31"),
        ("2026-03-09", "2026-03-08"),
        ("tomorrow", "2026-03-08"),
    ):
        with pytest.raises(UsageError):
            note_holiday(dealt.work, "Ann", first, last)


def test_holidays_go_with_a_person(two: League) -> None:
    """Who is merged keeps them; who is forgotten doesn't hinder it."""
    two.begin("third", bytes(32), ("Annie", "Gus", "Hal", "Ida", "Jim", "Kim"))
    note_holiday(two.work, "Annie", "2026-03-08", "2026-03-15")
    merge_people(two.work, "Ann", "Annie")
    assert deadline(two) == DEADLINE
    assert follow_holidays(two.work) == 2
    assert deadline(two) == PAST


def test_a_forgotten_persons_holidays_are_gone(ended: League) -> None:
    """With all else of him."""
    with ended.database.transaction() as session:
        today = ended.clock.now()
        person = ended.loaded().seat("Bob").person.id or 0
        session.add(
            AbsenceRow(
                person_id=person,
                first=today.date(),
                last=today.date() + timedelta(days=3),
                asked_at=today,
            )
        )
    forget(ended.work, "Bob", "Player One")
    with ended.database.reading() as session:
        assert absences_of(session, [person]) == []


def test_the_gms_word_ends_with_the_turn_that_was_taken_back(quick: League) -> None:
    """Where it is played again its deadline is a new one, of which he has said nothing."""
    quick.say("Ann", "holiday 2026-03-10 to 2026-03-15\n")
    quick.clock.advance(HOUR)
    set_deadline(quick.work, SLUG, DEADLINE + DAY)
    quick.play(1)
    quick.clock.move_to(DEADLINE - 6 * DAY)
    roll_back(quick.work, what_was_shown(quick.work, SLUG, 1))
    assert deadline(quick) == DEADLINE + DAY
    assert follow_holidays(quick.work) == 1
    assert deadline(quick) == PAST
