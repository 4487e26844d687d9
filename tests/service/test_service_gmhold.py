"""The GM stops a game's clock, lets it go on, moves a deadline, and gives a game up."""

from datetime import timedelta

import pytest
from sqlmodel import select

from postal.engine.view import view
from postal.errors import PostalError, UsageError
from postal.mail.smtp import SendResult
from postal.service.desk.adjudicate import force_turn, go_on, take_up, turn_meant
from postal.service.desk.holding import hold, resume, resume_due
from postal.service.desk.log import game_log
from postal.service.desk.messages import abandon, message
from postal.service.desk.moments import moment, span
from postal.service.desk.status import league_status
from postal.service.desk.timing import extend, set_deadline
from postal.service.turns import adjudication
from postal.service.turns.adjudication import adjudicate_due
from postal.store.rows import TurnRow
from postal.store.turns import claim_turn
from tests.service.service_league import DEADLINE, HOUR, MINUTE, SLUG, START, League, text_of

DAY = 24 * HOUR


def deadline(league: League) -> object:
    """Return the deadline in play."""
    turn = league.loaded().turn
    assert turn is not None
    return turn.deadline


def test_nothing_is_adjudicated_on_hold(quick: League) -> None:
    """Neither for the deadline nor since all orders are in; each is taken meanwhile."""
    hold(quick.work, SLUG)
    quick.order_all("Ann")
    quick.clock.move_to(DEADLINE + 3 * DAY)
    quick.poll()
    assert quick.due() == ()
    quick.write("Ann", "\n".join(item.examples[0] for item in view(quick.game, "Ann").due))
    quick.poll()
    assert not quick.outbox("Ann", "late")
    quick.clock.advance(DAY)
    assert quick.due() == ()
    resume(quick.work, SLUG)
    (done,) = quick.due()
    assert done.why == "complete"


def test_a_game_goes_on_with_the_time_it_had_left(quick: League) -> None:
    """To the minute, and everybody is told twice."""
    quick.clock.advance(2 * DAY)
    hold(quick.work, SLUG)
    quick.clock.advance(10 * DAY)
    assert resume(quick.work, SLUG) == DEADLINE + 10 * DAY == deadline(quick)
    for player in quick.players:
        begun, over = quick.outbox(player, "hold")
        assert "on hold" in begun.subject
        assert "goes on" in over.subject
    quick.clock.move_to(DEADLINE + 10 * DAY - MINUTE)
    quick.poll()
    assert quick.due() == ()
    quick.clock.advance(MINUTE)
    quick.poll()
    assert [done.why for done in quick.due()] == ["deadline"]


def test_a_hold_at_the_second_of_the_deadline_holds(
    quick: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever looked at the turn before finds it changed when he claims it."""
    quick.clock.move_to(DEADLINE)
    quick.poll()

    def claim(*arguments: object, **options: object) -> bool:
        monkeypatch.undo()
        hold(quick.work, SLUG)
        return claim_turn(*arguments, **options)  # type: ignore[arg-type]  # as they came

    monkeypatch.setattr("postal.service.turns.adjudication.claim_turn", claim)
    assert adjudicate_due(quick.work) == ()
    assert quick.game.turn == 1
    # The deadline was over: nothing is added, and what is missing is missing.
    quick.clock.advance(DAY)
    assert resume(quick.work, SLUG) == DEADLINE
    quick.poll()
    assert [done.turn for done in quick.due()] == [1]


def test_a_hold_ends_by_itself_at_its_time(quick: League) -> None:
    """As often as that is asked, once."""
    hold(quick.work, SLUG, START + 2 * DAY)
    assert resume_due(quick.work) == 0
    quick.clock.advance(2 * DAY)
    assert (resume_due(quick.work), resume_due(quick.work)) == (1, 0)
    assert deadline(quick) == DEADLINE + 2 * DAY


def test_a_hold_is_told_in_every_mail(dealt: League) -> None:
    """A receipt names no deadline that doesn't hold."""
    hold(dealt.work, SLUG)
    said = " ".join(dealt.say("Ann", "status").split())
    assert "The game is on hold: its deadline stands still" in said
    assert "The deadline is" not in said
    (letter,) = dealt.outbox("Bob", "hold")
    assert "the GM has put this game on hold" in " ".join(text_of(letter.raw).split())


@pytest.mark.parametrize("twice", [hold, resume])
def test_what_is_so_already_is_refused(quick: League, twice: object) -> None:
    """With one sentence."""
    hold(quick.work, SLUG)
    if twice is resume:
        resume(quick.work, SLUG)
    with pytest.raises(PostalError, match="on hold"):
        twice(quick.work, SLUG)  # type: ignore[operator]  # one of the two above


def test_the_gm_moves_a_deadline_either_way(quick: League) -> None:
    """All are told each time, and the log has it as his."""
    assert extend(quick.work, SLUG, 2 * DAY) == DEADLINE + 2 * DAY
    assert set_deadline(quick.work, SLUG, DEADLINE - DAY) == DEADLINE - DAY
    assert deadline(quick) == DEADLINE - DAY
    assert len(quick.outbox("Eve", "deadline")) == 2
    moves = [one for one in game_log(quick.work, SLUG) if one["what"] == "deadline"]
    assert [one["who"] for one in moves] == ["GM", "GM"]
    with pytest.raises(PostalError, match="already"):
        set_deadline(quick.work, SLUG, DEADLINE - DAY)
    with pytest.raises(PostalError, match="past"):
        set_deadline(quick.work, SLUG, START - DAY)
    hold(quick.work, SLUG)
    with pytest.raises(PostalError, match="on hold"):
        extend(quick.work, SLUG, DAY)


def test_an_order_after_the_earlier_deadline_is_late(quick: League) -> None:
    """It is the last one told that counts."""
    set_deadline(quick.work, SLUG, START + DAY)
    quick.clock.advance(DAY + MINUTE)
    quick.write("Ann", "A: give 2C 3C next, 4C previous")
    quick.poll()
    assert len(quick.outbox("Ann", "late")) == 1


def test_a_message_goes_to_all_or_to_one(dealt: League) -> None:
    """Nobody else sees what was said to one; no line of it is an order."""
    assert message(dealt.work, SLUG, "Happy New Year!") == 6
    assert message(dealt.work, SLUG, "A: fold\nas you said", "bob") == 1
    assert [len(dealt.outbox(name, "message")) for name in ("Ann", "Bob")] == [1, 2]
    text = text_of(dealt.outbox("Bob", "message")[1].raw)
    assert "| A: fold" in text
    assert "writes to you alone" in " ".join(text.split())
    with pytest.raises(PostalError, match="no player 'Zoe'"):
        message(dealt.work, SLUG, "Hello", "Zoe")
    with pytest.raises(UsageError, match="nothing to say"):
        message(dealt.work, SLUG, "  ")


def test_a_game_that_is_given_up_takes_nothing_more(quick: League) -> None:
    """Nothing is adjudicated, all are told, and a late order is answered."""
    abandon(quick.work, SLUG, "Too few of us.")
    assert len(quick.outbox(None, "abandoned")) == 6
    quick.write("Ann", "A: give 2C 3C next, 4C previous")
    quick.poll()
    quick.clock.move_to(DEADLINE + DAY)
    quick.poll()
    assert quick.due() == ()
    assert quick.outbox("Ann")[-1].kind == "late"
    for again in (abandon, hold):
        with pytest.raises(PostalError, match="over"):
            again(quick.work, SLUG)


def test_the_status_names_what_is_due_and_what_is_wrong(quick: League) -> None:
    """Nothing is wrong at first; a mailbox that nobody polls is."""
    quick.send()
    quick.order_all("Cat", "Fay")
    quick.poll()
    facts = league_status(quick.work)
    (game,) = facts["games"]
    assert (game["game"], game["state"], game["turn"]) == (SLUG, "running", 1)
    assert game["missing"] == ["Cat", "Fay"]
    assert game["next"] == game["deadline"] == DEADLINE.isoformat()
    assert facts["problems"] == []
    quick.clock.advance(HOUR)
    (problem,) = league_status(quick.work)["problems"]
    assert "was last polled whole at" in problem
    hold(quick.work, SLUG)
    assert league_status(quick.work)["games"][0]["state"] == "on hold"


def test_the_log_shows_lines_only_on_demand_and_notes_that(quick: League) -> None:
    """A look at hidden things is an event."""
    quick.order_all()
    quick.poll()
    plain = game_log(quick.work, SLUG)
    assert not any("give" in str(one["more"]) for one in plain)
    assert sum(one["what"] == "order filed" for one in plain) == 18
    shown = game_log(quick.work, SLUG, reveal=True)
    assert any("A: give" in str(one["more"]) for one in shown)
    assert [one["what"] for one in game_log(quick.work, SLUG)].count("look") == 1


def test_moments_are_read_as_a_gm_writes_them() -> None:
    """Wall time of the game's zone; the clocks' changes included."""
    zone, now = "Europe/London", START
    assert moment("2026-03-10 20:00", now, zone, 20) == DEADLINE + DAY
    assert moment("2026-03-10", now, zone, 20) == DEADLINE + DAY
    assert moment("2026-07-01 20:00", now, zone, 20).hour == 19
    assert moment("2d", now, zone, 20) == now + 2 * DAY
    assert span("1d 12h") == timedelta(hours=36)
    for wrong in ("soon", "2026-13-01", "", "0d", "2026-03-01"):
        with pytest.raises(UsageError):
            moment(wrong, now, zone, 20)


def test_a_hold_that_cannot_be_ended_holds_up_no_other_game(quick: League) -> None:
    """One game's state is damaged: it is set aside and the GM is told once; the other goes on."""
    quick.begin("other", bytes(32))
    for slug in (SLUG, "other"):
        hold(quick.work, slug, START + DAY)
    with quick.database.transaction() as session:
        for row in session.exec(select(TurnRow).where(TurnRow.game_id == 1)):
            row.state = row.state and "{"
    quick.clock.advance(DAY)
    for _ in range(2):
        resume_due(quick.work)
    assert quick.loaded("other").row.hold_since is None
    assert len([one for one in quick.outbox("", "gm") if "set aside" in one.subject]) == 1


def test_a_game_that_was_given_up_is_not_played_by_force(
    quick: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor taken up, though its turn was set aside before."""
    with monkeypatch.context() as bug:
        bug.setattr(adjudication, "adjudicate", None)
        with pytest.raises(PostalError, match="set aside"):
            force_turn(quick.work, SLUG)
    abandon(quick.work, SLUG, "Too few of us.")
    assert turn_meant(quick.work, SLUG) == f"{SLUG} is over: nothing was done."
    assert not take_up(quick.work, SLUG)
    with pytest.raises(PostalError, match="is over"):
        force_turn(quick.work, SLUG)
    assert quick.game.turn == 1


def test_a_turn_taken_up_on_hold_waits_for_the_game_to_go_on(
    quick: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the command says so."""
    with monkeypatch.context() as bug:
        bug.setattr(adjudication, "adjudicate", None)
        with pytest.raises(PostalError, match="set aside"):
            force_turn(quick.work, SLUG)
    quick.clock.move_to(DEADLINE - MINUTE)
    hold(quick.work, SLUG)
    quick.clock.advance(DAY)
    assert take_up(quick.work, SLUG)
    quick.poll()
    assert f"after `postal resume {SLUG}`" in str(go_on(quick.work, SLUG, 1))


def test_a_failed_mail_is_a_problem_for_a_week(quick: League) -> None:
    """A monitor that never falls silent again is switched off."""
    message(quick.work, SLUG, "Happy New Year!")
    quick.post.results.append(SendResult("failed", 550, "5.1.1 no such user"))
    quick.send()
    quick.poll()
    assert any("could not be delivered: 1" in one for one in league_status(quick.work)["problems"])
    quick.clock.advance(8 * DAY)
    quick.poll()
    assert league_status(quick.work)["problems"] == []
