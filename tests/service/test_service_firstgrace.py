"""The first turn waits once more for whoever was never heard of (RULES.md 9.7)."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from postal.service.desk.adjudicate import force_turn
from postal.service.turns.calendar import Calendar
from postal.store.troubles import journal_of
from tests.service.service_league import DEADLINE, HOUR, SIX, League, open_league, text_of
from tests.service.test_service_resigning import RESIGN, answer

GAME = "first"
WEEK = timedelta(days=7)
AUTOMATIC = "Auto-Submitted: auto-replied\n"


@pytest.fixture
def first(dealt: League) -> League:
    """Give a game at turn 1 that waits a week more for those never heard of."""
    dealt.begin(GAME, bytes(32), first_grace=7)
    dealt.send()
    return dealt


def order(league: League, *players: str) -> None:
    """Let some order in that game, and read their mail."""
    for player in players:
        league.order(player, GAME)
    league.poll()


def at_deadline(league: League, at: datetime = DEADLINE) -> list[int]:
    """Come to a deadline, poll, and return which turns of that game were adjudicated."""
    league.clock.move_to(at)
    league.poll()
    return [one.turn for one in league.due() if one.slug == GAME]


def deadline(league: League) -> datetime | None:
    """Return the deadline of that game."""
    turn = league.loaded(GAME).turn
    return turn.deadline if turn else None


def letters(league: League, player: str) -> list[str]:
    """Return the texts of a player's mails about a deadline in that game, each on one line."""
    found = league.outbox(player, "deadline", slug=GAME)
    return [" ".join(text_of(one.raw).split()) for one in found]


def test_9_7_nobody_is_given_defaults_who_was_never_heard_of(first: League) -> None:
    """The turn waits a week more, once; then they are used."""
    order(first, *SIX[:4])
    assert at_deadline(first) == []
    assert deadline(first) == DEADLINE + WEEK
    assert at_deadline(first, DEADLINE + WEEK - HOUR) == []
    assert at_deadline(first, DEADLINE + WEEK) == [1]
    assert first.loaded(GAME).game.missed["Eve"] == 1


def test_9_7_he_is_reminded_and_the_others_are_told_no_name(first: League) -> None:
    """All by one letter."""
    order(first, *SIX[:5])
    at_deadline(first)
    (mine,) = letters(first, "Fay")
    assert "Nothing has come from you in this game yet" in mine
    assert ":: A: give" in mine
    assert "It was Monday 9 March 2026, 20:00 GMT (Europe/London)." in mine
    assert "The deadline is Monday 16 March 2026, 20:00 GMT (Europe/London), in 7 days" in mine
    for player in SIX[:5]:
        (told,) = letters(first, player)
        assert "Not everybody has been heard of since the game began." in told
        assert "The deadline is Monday 16 March 2026" in told
        assert "Fay" not in told.partition("WHAT TO ORDER NOW")[0]
        assert "Nothing has come from you" not in told


def test_9_7_the_others_can_not_tell_for_whom_it_is(tmp_path: Path) -> None:
    """Their letters are the same, whoever it is and however many."""
    found = []
    for silent in (("Eve",), ("Fay",), ("Dan", "Eve", "Fay")):
        league = open_league(f"sqlite:///{tmp_path}/{'-'.join(silent)}.sqlite3")
        league.begin(GAME, bytes(32), first_grace=7)
        order(league, *(player for player in SIX if player not in silent))
        at_deadline(league)
        found.append([letters(league, player) for player in ("Ann", "Bob", "Cat")])
        league.database.close()
    assert found[0] == found[1] == found[2]
    assert all(len(mine) == 1 for mine in found[0])


def test_9_7_the_gm_is_told_names_and_addresses(first: League) -> None:
    """A mistyped address may be why; the journal has the event and no name."""
    order(first, *SIX[:4])
    at_deadline(first)
    (notice,) = (one for one in first.outbox("") if "heard of" in one.subject)
    text = " ".join(text_of(notice.raw).split())
    assert "Nothing has come yet from Eve (eve@example.org) and Fay (fay@example.org)." in text
    assert "The deadline of turn 1 is moved to Monday 16 March 2026, 20:00 GMT" in text
    with first.database.reading() as session:
        entries = journal_of(session, first.loaded(GAME).id)
    assert sorted(one.what for one in entries) == ["deadline", "first-grace"]
    assert not any("Eve" in one.sentence for one in entries)


@pytest.mark.parametrize(
    ("text", "headers", "waits"),
    [
        ("I don't get the rules, sorry.", "", False),
        ("A: give the lot", "", False),
        ("status", "", False),
        ("I am away until Monday.", AUTOMATIC, True),
    ],
)
def test_9_7_any_mail_of_his_is_being_heard_of(
    first: League,
    text: str,
    headers: str,
    waits: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    """Then the turn is adjudicated at its deadline; an automatic answer shows nobody."""
    order(first, *SIX[:5])
    first.post.deliver(first.mail("Fay", text, headers=headers, slug=GAME))
    first.poll()
    assert at_deadline(first) == ([] if waits else [1])


def test_9_7_the_turn_goes_on_when_all_orders_are_in(first: League) -> None:
    """It waits no longer than for them."""
    order(first, *SIX[:5])
    at_deadline(first)
    order(first, "Fay")
    first.clock.advance(HOUR)
    assert [one.turn for one in first.due() if one.slug == GAME] == [1]


def test_9_7_the_gm_can_go_on_without_them(first: League) -> None:
    """A turn that is forced waits for nobody, and so does a later one."""
    force_turn(first.work, GAME)
    assert first.loaded(GAME).game.turn == 2
    second = deadline(first)
    assert second is not None
    assert at_deadline(first, second) == [2]


def test_9_7_the_new_deadline_is_no_quiet_day_and_lies_ahead(quick: League) -> None:
    """At the same time of day; where the program was off, as many days from today."""
    quiet = Calendar(7, 20, "Europe/London", quiet="2026-03-17")
    quick.begin(GAME, bytes(32), first_grace=7, calendar=quiet)
    quick.begin("late", bytes(32), first_grace=7)
    assert at_deadline(quick, DEADLINE + 10 * HOUR) == []
    assert deadline(quick) == DEADLINE + WEEK + timedelta(days=1) + timedelta(days=1)
    late = quick.loaded("late").turn
    assert late is not None
    assert late.deadline == DEADLINE + timedelta(days=1) + WEEK


def test_9_7_who_has_resigned_was_heard_of(first: League) -> None:
    """The others don't wait a week for somebody who has said that he won't play on."""
    first.write("Ann", RESIGN, slug=GAME)
    first.poll()
    answer(first, RESIGN)
    order(first, *SIX[1:])
    assert at_deadline(first) == [1]
