"""Silence, notice and signs of life as the services see them (RULES.md 9.4, 9.6)."""

from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import update
from sqlmodel import col

from postal.clock import at_wall
from postal.engine.game import due
from postal.engine.view import view
from postal.resources import games_path
from postal.service.desk.adjudicate import force_turn
from postal.service.desk.newgame import NewGame, create_game
from postal.service.records.verify import verify_game
from postal.service.turns.calendar import Calendar, next_wall
from postal.store.rows import GameRow, TurnStatus
from tests.service.service_league import MINUTE, SECRET, SIX, SLUG, League, text_of

DAY = timedelta(days=1)
NOTICE = timedelta(hours=48)


def silent_turn(league: League, *silent: str) -> None:
    """Play a turn to its deadline, in which some send nothing."""
    league.order_all(*silent)
    league.clock.advance(8 * DAY)
    league.poll()
    assert len(league.due()) == 1


def settled(league: League) -> int:
    """Return how many turns are adjudicated once the last order has settled."""
    league.poll()
    league.clock.advance(30 * MINUTE)
    return len(league.due())


def with_ann_dropped(league: League) -> None:
    """Play two turns without a word of Ann's."""
    silent_turn(league, "Ann")
    silent_turn(league, "Ann")
    assert league.game.dropped == ("Ann",)


def test_9_4_the_turn_after_the_drop_has_its_notice(quick: League) -> None:
    """It does not wait for her, but is not adjudicated sooner than 48 hours after its report."""
    with_ann_dropped(quick)
    opened = quick.clock.now()
    quick.order_all("Ann")
    quick.poll()
    quick.clock.move_to(opened + NOTICE - MINUTE)
    assert quick.due() == ()
    quick.clock.advance(MINUTE)
    assert [one.why for one in quick.due()] == ["complete"]


def test_9_4_later_turns_wait_for_nobody_dropped(quick: League) -> None:
    """From then on defaults are used at once."""
    with_ann_dropped(quick)
    quick.order_all("Ann")
    quick.poll()
    quick.clock.advance(NOTICE)
    assert len(quick.due()) == 1
    assert not any(player == "Ann" for player, _ in due(quick.game))
    quick.order_all("Ann")
    assert settled(quick) == 1


def test_9_4_a_mail_ends_the_notice(quick: League) -> None:
    """She is back: where she owes nothing the turn settles as ever."""
    with_ann_dropped(quick)
    quick.order_all()
    quick.write("Ann", "ready")
    assert settled(quick) == 1
    assert quick.game.dropped == ()


def test_9_4_the_reports_say_how_to_come_back(dealt: League) -> None:
    """All are told of the drop, she what brings her back."""
    with_ann_dropped(dealt)
    ann, bob = (text_of(dealt.outbox(name, "report")[-1].raw) for name in ("Ann", "Bob"))
    for text in (ann, bob):
        assert "not sooner than 48 hours from now" in " ".join(text.split())
    assert "A mail brings Ann back." in " ".join(bob.split())
    assert "Any answer brings you back." in " ".join(ann.split())


AUTOMATIC = "Auto-Submitted: auto-replied\n"


@pytest.mark.parametrize(
    ("text", "turn", "headers", "heard"),
    [
        ("A: raise 999999999", None, "", True),
        ("I shall write on Sunday, I promise.", None, "", True),
        ("wait", None, "", True),
        ("A: fold", 1, "", True),  # the token of a turn that is over: too late, but he wrote
        ("I am on leave until Monday.", None, AUTOMATIC, False),
    ],
)
def test_9_4_any_mail_of_hers_is_a_sign_of_life(
    quick: League,
    text: str,
    turn: int | None,
    headers: str,
    heard: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    """A refused order, prose, a late one; an automatic answer is none."""
    silent_turn(quick, "Ann")
    quick.post.deliver(quick.mail("Ann", text, turn=turn, headers=headers))
    silent_turn(quick, "Ann")
    assert quick.game.dropped == (() if heard else ("Ann",))
    assert quick.game.missed["Ann"] == (0 if heard else 2)


def test_9_3_a_default_beside_her_mail_says_that_no_order_was_good(dealt: League) -> None:
    """She reads so herself; others never learn whether she wrote (10.3)."""
    dealt.write("Ann", "A: raise 999")
    silent_turn(dealt, "Ann", "Bob")
    report = " ".join(text_of(dealt.outbox("Cat", "report")[-1].raw).split())
    assert "NMR: no good order from Ann" in report
    assert "NMR: no good order from Bob" in report
    mine = " ".join(text_of(dealt.outbox("Ann", "report")[-1].raw).split())
    assert "NMR: no good order from you" in mine
    silent = " ".join(text_of(dealt.outbox("Bob", "report")[-1].raw).split())
    assert "NMR: no order from you" in silent


def test_a_game_under_way_goes_on_under_edition_1(quick: League) -> None:
    """There a drop takes effect at once, and only an order on file ends a row."""
    with quick.database.transaction() as session:
        session.exec(update(GameRow).where(col(GameRow.slug) == SLUG).values(edition=1))
    silent_turn(quick, "Ann")
    quick.write("Ann", "A: raise 999")
    silent_turn(quick, "Ann")
    assert (quick.game.dropped, dict(quick.game.dropped_in)) == (("Ann",), {})
    quick.order_all("Ann")
    assert settled(quick) == 1
    assert verify_game(quick.work, SLUG)[1] == (
        "The rules are not those that the commitment was made over.",
    )


def test_9_4_a_short_turn_is_as_long_as_the_notice(quick: League) -> None:
    """Its deadline is told as later, by whole days; the turn after that is short again."""
    people = [(name, f"{name.lower()}@example.org") for name in SIX]
    calendar = Calendar(1, 20, "Europe/London")
    new = NewGame("short", people, "smith", {"nmr_limit": 1}, calendar, SECRET)
    create_game(quick.work, new, games_path(Path("nowhere")))
    force_turn(quick.work, "short")
    loaded = quick.loaded("short")
    assert loaded.game.dropped == SIX
    assert loaded.turn is not None
    wall = next_wall(loaded.row, loaded.game, loaded.turn.opened_at)
    assert loaded.turn.deadline == at_wall(wall, "Europe/London")
    assert NOTICE <= loaded.turn.deadline - loaded.turn.opened_at < NOTICE + DAY
    assert loaded.turn.due_at == loaded.turn.opened_at + NOTICE


def test_9_6_wait_of_one_who_owes_holds_the_turn(quick: League) -> None:
    """To its deadline, whatever is on file; `ready` takes it back."""
    quick.order_all()
    quick.write("Ann", "wait")
    assert settled(quick) == 0
    quick.write("Ann", "ready")
    assert settled(quick) == 1


def test_9_6_wait_of_one_who_owes_nothing_holds_nobody(betting: League) -> None:
    """He is told so; it is a sign of life all the same."""
    for player, hand in due(betting.game):
        betting.write(player, f"{hand[0]}: {'raise 5000' if hand[0] == 'C' else 'fold'}")
    assert settled(betting) == 1
    idle = next(name for name in SIX if not view(betting.game, name).due)
    told = " ".join(betting.say(idle, "wait").split())
    assert "Nothing is due from you this turn, so it does not wait for you." in told
    betting.order_all()
    assert settled(betting) == 1


def test_9_6_wait_is_no_shield(dealt: League) -> None:
    """At the deadline the default is used."""
    dealt.write("Ann", "wait")
    silent_turn(dealt, "Ann")
    assert {turn.status for turn in dealt.turns()[:2]} == {TurnStatus.DONE}
    assert "NMR: no good order from Ann" in " ".join(
        text_of(dealt.outbox("Bob", "report")[-1].raw).split()
    )
