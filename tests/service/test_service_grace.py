"""Orders in the grace after a deadline count as before it, and nobody is told whose (9.1)."""

from datetime import timedelta
from pathlib import Path

import pytest

from postal.engine.view import view
from postal.errors import PostalError
from postal.service.desk.adjudicate import force_turn, take_up
from postal.service.desk.holding import hold, resume
from postal.service.turns import adjudication
from tests.service.service_league import (
    DEADLINE,
    HOUR,
    MINUTE,
    SIX,
    League,
    open_league,
    text_of,
)

GAME = "graced"


@pytest.fixture
def graced(quick: League) -> League:
    """Give a league with a game of two hours' grace, at turn 1."""
    quick.begin(GAME, bytes(32), grace=2)
    quick.send()
    return quick


def order(league: League, *players: str) -> None:
    """Let some order in that game, and read their mail."""
    for player in players:
        league.order(player, GAME)
    league.poll()


def due(league: League) -> list[str]:
    """Return why turns of that game were adjudicated now."""
    return [one.why for one in league.due() if one.slug == GAME]


def test_9_1_the_turn_waits_for_the_end_of_its_grace(graced: League) -> None:
    """Where orders are missing; not a minute longer, and a poll since then is needed."""
    order(graced, *SIX[:5])
    graced.clock.move_to(DEADLINE + 2 * HOUR - MINUTE)
    graced.poll()
    assert due(graced) == []
    graced.clock.advance(MINUTE)
    assert due(graced) == []
    graced.poll()
    assert due(graced) == ["deadline"]


def test_9_1_an_order_in_the_grace_counts_and_ends_it(graced: League) -> None:
    """With the last order the turn is complete, and its deadline is over: nothing settles."""
    order(graced, *SIX[:5])
    graced.clock.move_to(DEADLINE + HOUR)
    order(graced, "Fay")
    assert due(graced) == ["deadline"]
    assert "NMR" not in text_of(graced.outbox("", "gm", slug=GAME)[-1].raw)
    assert graced.loaded(GAME).game.missed["Fay"] == 0


def test_9_1_what_comes_later_is_too_late(graced: League) -> None:
    """Though the turn isn't adjudicated yet."""
    order(graced, *SIX[:5])
    graced.clock.move_to(DEADLINE + 2 * HOUR + MINUTE)
    order(graced, "Fay")
    assert [one.kind for one in graced.outbox("Fay", slug=GAME)][-1] == "late"
    assert due(graced) == ["deadline"]
    assert graced.loaded(GAME).game.missed["Fay"] == 1


def test_9_1_a_turn_that_is_complete_at_its_deadline_has_no_grace(graced: League) -> None:
    """Nor one that a player holds to its deadline."""
    order(graced, *SIX)
    graced.write("Ann", "wait", slug=GAME)
    graced.poll()
    graced.clock.move_to(DEADLINE)
    graced.poll()
    assert due(graced) == ["deadline"]


def test_9_1_nobody_is_told_who_used_the_grace(tmp_path: Path) -> None:
    """All mails of the others are the same, whoever was an hour late with the same orders."""
    found = []
    for late in ("Ann", "Bob"):
        league = open_league(f"sqlite:///{tmp_path}/{late}.sqlite3")
        league.begin(GAME, bytes(32), grace=2)
        order(league, *(set(SIX[:5]) - {late}))
        league.clock.move_to(DEADLINE + timedelta(minutes=30))
        order(league, late)
        league.clock.move_to(DEADLINE + 2 * HOUR)
        league.poll()
        assert due(league) == ["deadline"]
        mails = [one for name in ("", "Cat", "Dan", "Fay") for one in league.outbox(name)]
        found.append([(one.kind, one.subject, text_of(one.raw)) for one in mails])
        league.database.close()
    assert found[0] == found[1]
    assert any("NMR" in text for _, _, text in found[0])


def test_9_1_a_mail_of_the_grace_that_is_kept_back_is_waited_for(graced: League) -> None:
    """It lay there in time (10.5): it counts when it is read, and nobody is NMR by the server."""
    order(graced, *SIX[:5])
    graced.clock.move_to(DEADLINE + HOUR)
    lines = [item.examples[0] for item in view(graced.loaded(GAME).game, "Fay").due]
    uid = graced.write("Fay", "\n".join(lines), slug=GAME)
    graced.post.kept_back[uid] = "The IMAP server does not hand it over"
    graced.clock.move_to(DEADLINE + 3 * HOUR)
    graced.poll()
    assert due(graced) == []
    graced.post.kept_back.clear()
    graced.clock.advance(2 * HOUR)
    graced.poll()
    assert due(graced) == ["deadline"]
    assert graced.loaded(GAME).game.missed["Fay"] == 0


def test_9_1_a_mail_of_the_grace_is_kept_for_a_turn_set_aside(
    graced: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one before the deadline is."""
    with monkeypatch.context() as bug:
        bug.setattr(adjudication, "adjudicate", None)
        with pytest.raises(PostalError, match="set aside"):
            force_turn(graced.work, GAME)
    graced.clock.move_to(DEADLINE + HOUR)
    order(graced, "Fay")
    assert "late" not in [one.kind for one in graced.outbox("Fay", slug=GAME)]
    assert take_up(graced.work, GAME)
    graced.poll()
    assert graced.outbox("Fay", "receipt", slug=GAME)


def test_9_1_a_hold_in_the_grace_stops_its_clock_too(graced: League) -> None:
    """What was left of it is left when the game goes on."""
    order(graced, *SIX[:5])
    graced.clock.move_to(DEADLINE + HOUR)
    hold(graced.work, GAME)
    graced.clock.advance(timedelta(days=3))
    assert resume(graced.work, GAME) == DEADLINE + timedelta(days=3)
    order(graced, "Fay")
    assert due(graced) == ["deadline"]
    assert graced.loaded(GAME).game.missed["Fay"] == 0
