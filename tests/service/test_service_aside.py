"""A turn that was set aside: its mail is kept, and taking it up costs nobody his orders."""

from datetime import timedelta

import pytest
from sqlmodel import Session, select

from postal.engine.view import view
from postal.errors import PostalError
from postal.service.desk.adjudicate import force_turn, go_on, take_up
from postal.service.turns import adjudication
from postal.service.turns.adjudication import Adjudicated
from postal.store.rows import MailStatus, TurnRow, TurnStatus
from tests.service.service_league import DEADLINE, HOUR, MINUTE, SLUG, League, text_of

AGAIN = timedelta(minutes=15)


def line(league: League, player: str, place: int = 0) -> str:
    """Return a line that the player's report offers him."""
    return view(league.game, player).due[place].examples[0]


def status(league: League) -> TurnStatus:
    """Return how the turn in play stands."""
    turn = league.loaded().turn
    assert turn is not None
    return turn.status


@pytest.fixture
def aside(dealt: League, monkeypatch: pytest.MonkeyPatch) -> League:
    """Give a game whose first turn failed when the GM forced it, and which is cured since."""

    def failing(*_: object) -> None:
        raise ValueError

    dealt.say("Ann", line(dealt, "Ann"))
    with monkeypatch.context() as bug:
        bug.setattr(adjudication, "adjudicate", failing)
        with pytest.raises(PostalError, match="set aside"):
            force_turn(dealt.work, SLUG)
    assert status(dealt) is TurnStatus.SET_ASIDE
    return dealt


def test_it_goes_on_to_its_deadline(aside: League) -> None:
    """Who has not ordered can, and it is adjudicated when it is due."""
    assert take_up(aside.work, SLUG)
    aside.poll()
    said = go_on(aside.work, SLUG, 1)
    assert said == (
        "smith-1: turn 1 is back in play, with its orders. It will be adjudicated once all orders"
        " are in, or at its deadline, Monday 9 March 2026, 20:00 GMT (Europe/London). To adjudicate"
        " it now, run `postal adjudicate smith-1`."
    )
    assert (status(aside), aside.game.turn) == (TurnStatus.OPEN, 1)
    assert not take_up(aside.work, SLUG)
    aside.say("Bob", line(aside, "Bob"))
    assert aside.on_file("Ann") == [line(aside, "Ann")]
    assert aside.on_file("Bob") == [line(aside, "Bob")]
    aside.clock.move_to(DEADLINE)
    aside.poll()
    assert [(done.turn, done.why) for done in aside.due()] == [(1, "deadline")]


def test_one_that_is_due_is_adjudicated_at_once(aside: League) -> None:
    """Its deadline is over, or all orders are in and settled."""
    aside.clock.move_to(DEADLINE + MINUTE)
    assert take_up(aside.work, SLUG)
    assert "once all mail that came by its deadline has been read" in str(
        go_on(aside.work, SLUG, 1)
    )
    aside.poll()
    done = go_on(aside.work, SLUG, 1)
    assert isinstance(done, Adjudicated)
    assert (done.turn, done.why) == (1, "deadline")
    assert "is past turn 1" in str(go_on(aside.work, SLUG, 1))


def test_one_that_fails_again_is_told(aside: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """As ever."""
    assert take_up(aside.work, SLUG)
    aside.order_all()
    aside.poll()
    aside.clock.advance(HOUR)
    monkeypatch.setattr(adjudication, "adjudicate", None)
    with pytest.raises(PostalError, match="it failed and is set aside"):
        go_on(aside.work, SLUG, 1)
    assert status(aside) is TurnStatus.SET_ASIDE


def test_its_mail_is_kept_and_counts(aside: League) -> None:
    """Though it is looked at now and then: nobody is told that he came too late."""
    aside.write("Bob", line(aside, "Bob"))
    aside.poll()
    for _ in range(2):
        aside.clock.advance(AGAIN)
        aside.poll()
    assert aside.mails()[-1].status is MailStatus.NEW
    assert not aside.outbox("Bob", "late")
    assert take_up(aside.work, SLUG)
    aside.poll()
    assert aside.on_file("Bob") == [line(aside, "Bob")]
    assert len(aside.outbox("Bob", "receipt")) == 1


def test_what_comes_after_the_deadline_is_late(aside: League) -> None:
    """And what came by it counts, whenever the turn is taken up."""
    aside.write("Bob", line(aside, "Bob"), at=DEADLINE)
    aside.write("Cat", line(aside, "Cat"), at=DEADLINE + MINUTE)
    aside.clock.move_to(DEADLINE + HOUR)
    aside.poll()
    assert aside.outbox("Cat", "late")
    take_up(aside.work, SLUG)
    aside.poll()
    assert aside.on_file("Bob") == [line(aside, "Bob")]
    assert aside.on_file("Cat") == []
    assert isinstance(go_on(aside.work, SLUG, 1), Adjudicated)


def test_the_mail_of_a_game_that_could_not_be_read_counts_too(dealt: League) -> None:
    """It may be looked at between the cure and the command that takes the game up again."""
    states: dict[int | None, str | None] = {}

    def damage(session: Session) -> None:
        for row in session.exec(select(TurnRow)):
            states[row.id], row.state = row.state, row.state and "{}"

    def cure(session: Session) -> None:
        for row in session.exec(select(TurnRow)):
            row.state = states[row.id]

    mine = line(dealt, "Ann")
    mail = dealt.mail("Ann", mine)
    with dealt.database.transaction() as session:
        damage(session)
    dealt.post.deliver(mail)
    dealt.poll()
    with dealt.database.transaction() as session:
        cure(session)
    dealt.clock.advance(AGAIN)
    dealt.poll()
    assert status(dealt) is TurnStatus.SET_ASIDE
    take_up(dealt.work, SLUG)
    dealt.poll()
    assert dealt.on_file("Ann") == [mine]
    assert "back in play" in str(go_on(dealt.work, SLUG, 1))


def test_the_gm_is_told_what_the_command_does(aside: League) -> None:
    """And that mail is kept meanwhile."""
    said = " ".join(text_of(aside.outbox("", "gm", "notice")[-1].raw).split())
    assert "Until it is back in play its mail is kept and waits." in said
    assert (
        "Once fixed, run `postal adjudicate smith-1`: it puts the turn back in play, and"
        " adjudicates it only if it is due." in said
    )
