"""Before a deadline those who owe are reminded, and the GM is told of whom orders are missing."""

from datetime import datetime, timedelta

import pytest
from sqlalchemy import update

from postal.engine.view import view
from postal.service.ticks import Rounds
from postal.service.turns.calendar import Calendar
from postal.service.turns.deadlines import move
from postal.service.turns.reminders import remind_due
from postal.store.rows import GameRow
from tests.bench.statements import Statements
from tests.service.service_league import (
    DEADLINE,
    HOUR,
    MINUTE,
    SIX,
    SLUG,
    League,
    parsed,
    text_of,
)
from tests.service.test_service_resigning import resign

DAY = timedelta(days=1)
MISSING = "smith-1: orders are missing, turn 1"


def remind(league: League, at: datetime | None = None) -> int:
    """Come to a time, poll, and remind."""
    league.clock.move_to(at or league.clock.now())
    league.poll()
    return remind_due(league.work)


def reminded(league: League) -> list[str]:
    """Return who was reminded so far."""
    return [one.player for one in league.outbox() if one.kind == "reminder"]


def told(league: League) -> list[str]:
    """Return the subjects of the notices to the GM about missing orders."""
    return [one.subject for one in league.outbox("") if "orders are missing" in one.subject]


def test_those_who_owe_are_reminded_a_day_before(dealt: League) -> None:
    """With the lines of the hands that lack an order, and of no other; once."""
    dealt.order_all("Ann", "Bob")
    mine = view(dealt.game, "Ann").due
    dealt.write("Ann", mine[0].examples[0])
    assert remind(dealt, DEADLINE - DAY - MINUTE) == 0
    assert remind(dealt, DEADLINE - DAY) == 1
    assert remind(dealt) == 0
    assert remind(dealt, DEADLINE - HOUR) == 0
    assert reminded(dealt) == ["Ann", "Bob"]
    letter = dealt.outbox("Ann", "reminder")[0]
    text = text_of(letter.raw)
    flat = " ".join(text.split())
    assert len(mine[1:]) == 2
    assert "are still missing for 2 hands, so" in flat
    assert "The deadline is Monday 9 March 2026, 20:00 GMT (Europe/London), in 1 day." in flat
    assert [line for line in text.splitlines() if line.startswith("::")] == [
        f":: {line}" for item in mine[1:] for line in item.examples
    ]
    mail = parsed(letter.raw)
    assert "reminder, turn 1, orders due Mon 9 Mar 20:00 GMT" in str(mail["Subject"])
    assert mail["Auto-Submitted"] == "auto-generated"
    assert dealt.token("Ann") in str(mail["Reply-To"])


def test_the_gm_is_told_who_is_missing(dealt: League) -> None:
    """Each by name and hands, once."""
    dealt.order_all("Ann", "Bob")
    remind(dealt, DEADLINE - DAY)
    (notice,) = (one for one in dealt.outbox("") if one.subject == MISSING)
    flat = " ".join(text_of(notice.raw).split())
    hands = [item.hand for item in view(dealt.game, "Ann").due]
    assert f"Of Ann, orders for {hands[0]}, {hands[1]} and {hands[2]} are missing." in flat
    assert "Of Bob," in flat
    assert "Cat" not in flat


def test_nobody_is_reminded_where_nothing_is_missing(dealt: League) -> None:
    """Though a player holds the turn to its deadline."""
    dealt.order_all()
    dealt.write("Ann", "wait")
    assert remind(dealt, DEADLINE - DAY) == 0
    assert (reminded(dealt), told(dealt)) == ([], [])


def test_what_lies_unread_in_the_mailbox_is_read_first(dealt: League) -> None:
    """Without a poll since that time nobody is reminded."""
    dealt.order_all("Ann")
    dealt.poll()
    dealt.order("Ann")
    dealt.clock.move_to(DEADLINE - DAY)
    assert remind_due(dealt.work) == 0
    assert remind(dealt) == 0
    assert reminded(dealt) == []


def test_nobody_is_reminded_of_what_is_over(dealt: League) -> None:
    """A turn whose deadline is past, one that was adjudicated, a game on hold."""
    assert remind(dealt, DEADLINE + HOUR) == 0
    dealt.due()
    assert dealt.game.turn == 2
    assert remind(dealt, DEADLINE + 2 * HOUR) == 0
    with dealt.database.transaction() as session:
        session.exec(update(GameRow).values(hold_since=DEADLINE))
    assert remind(dealt, DEADLINE + 6 * DAY + HOUR) == 0
    with dealt.database.transaction() as session:
        session.exec(update(GameRow).values(hold_since=None))
    assert remind(dealt) == 1


def test_a_moved_deadline_moves_the_reminder(dealt: League) -> None:
    """Whoever was reminded of the earlier one is reminded of the new one too."""
    remind(dealt, DEADLINE - DAY)
    assert move(dealt.work, SLUG, 1, DEADLINE + 2 * DAY, "outgoing")
    assert remind(dealt, DEADLINE) == 0
    assert remind(dealt, DEADLINE + DAY) == 1
    assert sorted(reminded(dealt)) == sorted(SIX * 2)


@pytest.mark.parametrize(("hours", "before"), [(48, 2 * DAY), (0, None), (200, None)])
def test_a_game_says_how_long_before(quick: League, hours: int, before: timedelta | None) -> None:
    """0 is never; and where the turn is shorter than that, never either."""
    quick.begin("other", bytes(32), calendar=Calendar(7, 20, "Europe/London", remind=hours))
    quick.poll()
    loaded = quick.loaded("other")
    assert loaded.turn is not None
    assert loaded.turn.remind_at == (before and DEADLINE - before)


def test_an_order_that_comes_meanwhile_is_seen(
    dealt: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the look and the writing: the reminders are made anew."""
    dealt.order_all("Ann", "Bob")
    dealt.poll()
    dealt.clock.move_to(DEADLINE - DAY)
    dealt.poll()
    real, once = dealt.work.reports.reminder, [True]

    def meanwhile(*given: object, **named: object) -> object:
        if once.pop() if once else False:
            dealt.order("Ann")
            dealt.poll()
        return real(*given, **named)  # type: ignore[arg-type]  # handed on as they came

    monkeypatch.setattr(type(dealt.work.reports), "reminder", lambda _, *given: meanwhile(*given))
    assert remind_due(dealt.work) == 1
    assert reminded(dealt) == ["Bob"]


def test_rounds_remind_and_read_no_whole_table(dealt: League) -> None:
    """In an idle round it costs two statements, whatever the league's size."""
    rounds = Rounds(dealt.work, lambda: dealt.post, dealt.post)
    rounds.round()
    statements = Statements()
    statements.listen(dealt.database)
    assert remind_due(dealt.work) == 0
    assert sum(one.startswith("SELECT") for one in statements.sent) == 2
    dealt.clock.move_to(DEADLINE - DAY)
    rounds.round()
    assert statements.whole_tables(dealt.database) == []
    assert sorted(reminded(dealt)) == sorted(SIX)
    assert [to for to, raw in dealt.post.sent if b"reminder, turn 1" in raw]


def test_who_has_resigned_is_not_reminded(dealt: League) -> None:
    """The GM is told that his orders are missing all the same."""
    resign(dealt)
    assert remind(dealt, DEADLINE - DAY) == 1
    assert reminded(dealt) == list(SIX[1:])
    assert "Of Ann, orders for" in " ".join(text_of(dealt.outbox("", "gm")[-1].raw).split())
