"""When a mail holds a turn whose orders are all in, until when, and what ends that (10.6)."""

from datetime import timedelta

import pytest
from sqlalchemy import update

from postal.engine.game import due
from postal.engine.view import view
from postal.service.desk.overview import show_orders
from postal.store.rows import GameRow
from tests.service.service_league import DEADLINE, HOUR, MINUTE, SLUG, League

DAY = timedelta(days=1)


def of_edition(league: League, edition: int) -> League:
    """Return the league, its games played under an edition of the rules."""
    with league.database.transaction() as session:
        session.exec(update(GameRow).values(edition=edition))
    return league


@pytest.fixture
def second(quick: League) -> League:
    """Give a game of the second edition at turn 1, everybody's orders in."""
    quick.order_all()
    quick.poll()
    return of_edition(quick, 2)


@pytest.fixture
def bets(betting: League) -> League:
    """Give a game of the second edition at turn 3, all bets in: each is due from one of two."""
    betting.order_all()
    betting.poll()
    return of_edition(betting, 2)


def line(league: League, player: str = "Ann", at: int = 0) -> str:
    """Return a line that is good for a hand that is due from a player."""
    return view(league.game, player).due[at].examples[0]


def holds(league: League, text: str, player: str = "Ann") -> bool:
    """Whether a mail holds the turn beyond the time in which it settles."""
    league.write(player, text)
    league.poll()
    league.clock.advance(HOUR)
    return league.due() == ()


@pytest.mark.parametrize(
    "text", ["A: raise 999", "A: give 2C", "Please fold B", "gm: Hello Grace\nA: fold"]
)
def test_a_line_for_a_hand_that_is_due_holds_for_a_day(second: League, text: str) -> None:
    """And no longer, though the deadline is far."""
    assert holds(second, text)
    second.clock.advance(22 * HOUR)
    assert second.due() == ()
    second.clock.advance(HOUR)
    (done,) = second.due()
    assert (done.why, second.clock.now() < DEADLINE - 5 * DAY) == ("complete", True)


def test_it_holds_no_longer_than_to_the_deadline(second: League) -> None:
    """Whichever comes first."""
    second.clock.move_to(DEADLINE - HOUR)
    second.write("Ann", "A: raise 999")
    second.poll()
    assert second.due() == ()
    second.clock.move_to(DEADLINE)
    second.poll()
    assert len(second.due()) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Z: fold",
        "resign?",
        "Thanks, all! Is it cold in York?",
        "T: 01904 555 123\nD: 12 High Street",
        "I am away until Monday.\n\n-- \nAnn",
        "press:\nend",
        "gm: Is my cat allowed to play?\n\nBest wishes\n\nOn Monday Joe wrote:\n> Hello",
    ],
)
def test_what_is_meant_for_no_hand_that_is_due_holds_nothing(second: League, text: str) -> None:
    """Another table's letter, a question, a signature, a note of absence, a command gone wrong."""
    assert not holds(second, text)


def test_a_line_for_a_hand_where_another_is_to_move_holds_nothing(bets: League) -> None:
    """It is refused and told, and nobody waits for it."""
    owed = set(due(bets.game))
    player, table = next(
        (player, hand.table)
        for player in bets.players
        for hand, _ in bets.game.hands_of(player)
        if (player, hand.name) not in owed
    )
    text = bets.say(player, f"{table}: fold\n")
    assert "NOT TAKEN" in text
    assert "so the turn does not wait for you." in " ".join(text.split())
    bets.clock.advance(HOUR)
    assert len(bets.due()) == 1


def test_a_slip_put_right_in_the_same_mail_holds_nothing(second: League) -> None:
    """A good line for the hand stands later."""
    good = line(second)
    assert not holds(second, f"{good.split()[0]} giev 2C\n{good}")


def test_a_good_line_before_the_slip_does_not_put_it_right(second: League) -> None:
    """He may have meant to change what stands above."""
    good = line(second)
    assert holds(second, f"{good}\n{good.split()[0]} giev 2C")


def test_a_good_line_for_another_hand_does_not_put_it_right(second: League) -> None:
    """Each hand for itself."""
    assert holds(second, f"{line(second)[0]}: giev 2C\n{line(second, at=1)}")


@pytest.mark.parametrize("text", ["ready", "{good}", "cancel {table}\n{good}"])
def test_his_next_line_ends_it(second: League, text: str) -> None:
    """A good order, or ``ready``."""
    good = line(second)
    assert holds(second, f"{good[0]}: giev 2C")
    assert not holds(second, text.format(good=good, table=good[0]))


@pytest.mark.parametrize(
    "text",
    ["I am out of the office until Monday.", "status", "rules", "Z: fold", "Was it wrong?", ""],
)
def test_no_other_mail_ends_it(second: League, text: str) -> None:
    """Such as an answer of his mail program to the receipt, or a question."""
    assert holds(second, "A: giev 2C")
    assert holds(second, text)
    assert holds(second, "ready", "Bob")


def test_an_automatic_answer_ends_nothing(second: League) -> None:
    """It isn't even read."""
    assert holds(second, "A: giev 2C")
    second.post.deliver(second.mail("Ann", "ready", headers="Auto-Submitted: auto-replied\n"))
    second.poll()
    second.clock.advance(HOUR)
    assert second.due() == ()


def test_a_further_slip_begins_the_day_anew(second: League) -> None:
    """From the time at which that mail came."""
    assert holds(second, "A: giev 2C")
    second.clock.advance(12 * HOUR)
    assert holds(second, "A: giev 3C")
    second.clock.advance(22 * HOUR)
    assert second.due() == ()
    second.clock.advance(HOUR)
    assert len(second.due()) == 1


def test_a_mail_that_cannot_be_read_holds_as_long(second: League) -> None:
    """It may hold a change of mind."""
    picture = second.mail("Ann", "R0lGODlhAQABAAAAACw=\n")
    second.post.deliver(picture.replace(b"text/plain; charset=utf-8", b"image/gif"))
    second.poll()
    second.clock.advance(23 * HOUR)
    assert second.due() == ()
    second.clock.advance(HOUR)
    assert len(second.due()) == 1


def test_games_of_the_first_edition_wait_as_they_did(quick: League) -> None:
    """For any line that was not taken, to the deadline; any mail without one ends it."""
    quick.order_all()
    quick.poll()
    of_edition(quick, 1)
    assert holds(quick, "Z: fold")
    quick.clock.advance(2 * DAY)
    assert quick.due() == ()
    assert not holds(quick, "Thanks!")


def test_the_receipt_says_first_that_the_turn_waits_and_until_when(dealt: League) -> None:
    """Why, and that ready ends it; the GM sees the same."""
    dealt.order_all()
    dealt.poll()
    of_edition(dealt, 2)
    said = " ".join(dealt.say("Ann", "A: giev 2C\n").split())
    until = "Tuesday 3 March 2026, 12:00 GMT (Europe/London)"
    assert said.startswith(
        f"Dear Ann, all your orders for turn 1 are in, but the turn waits for you until {until},"
        " because not every line of your mail was taken, and a line that says"
        ' "ready" and nothing else ends that.'
    )
    (ann,) = [one for one in show_orders(dealt.work, SLUG)["players"] if one["name"] == "Ann"]
    assert (ann["trouble"], ann["until"]) == (True, "2026-03-03T12:00:00+00:00")
    later = " ".join(dealt.say("Ann", "Did that go wrong?\n").split())
    assert f"waits for you until {until}, because something in an earlier mail" in later
    other = " ".join(dealt.say("Ann", "Z: fold\n").split())
    assert f"until {until}, because something in an earlier mail of yours was not taken" in other
    assert "so the turn does not wait for you." in " ".join(dealt.say("Ann", "ready\n").split())
    (ann,) = [one for one in show_orders(dealt.work, SLUG)["players"] if one["name"] == "Ann"]
    assert (ann["trouble"], ann["until"]) == (False, None)


def test_no_receipt_tells_of_a_wait_that_is_over(dealt: League) -> None:
    """A day later the turn waits for others alone, whatever is asked."""
    dealt.order_all("Bob")
    dealt.poll()
    dealt.say("Ann", "A: giev 2C\n")
    dealt.clock.advance(DAY)
    for text in ("orders\n", "Hello\n"):
        assert "so the turn does not wait for you." in " ".join(dealt.say("Ann", text).split())


def test_the_gm_sees_until_when_a_wish_holds_the_turn(second: League) -> None:
    """That is to the deadline; a trouble that is over is none."""
    second.write("Ann", "wait")
    second.write("Bob", "A: giev 2C")
    second.poll()
    second.clock.advance(DAY + MINUTE)
    found = {one["name"]: one for one in show_orders(second.work, SLUG)["players"]}
    assert (found["Ann"]["wait"], found["Ann"]["until"]) == (True, DEADLINE.isoformat())
    assert (found["Bob"]["trouble"], found["Bob"]["until"]) == (False, None)


def test_cancel_all_says_what_it_took_back(dealt: League) -> None:
    """Orders on file, and those further up in the same mail."""
    first, other = line(dealt), line(dealt, at=1)
    dealt.say("Ann", f"{first}\n")
    said = dealt.say("Ann", f"{other}\ncancel all\n")
    plain = " ".join(said.split())
    assert f"your earlier order was taken back, as you asked. :: {first}" in plain
    assert f"the order further up in your mail was taken back, as you asked. :: {other}" in plain
    assert dealt.on_file("Ann") == []


def test_the_rules_mail_tells_of_waiting_as_the_edition_has_it(dealt: League) -> None:
    """A game under way is told what it goes on with."""
    told = "a line for a hand where nothing is due holds nothing up"
    for edition in (2, 1):
        of_edition(dealt, edition)
        said = " ".join(dealt.say("Ann", "rules").replace("\u2060", "").split())
        assert (told in said) == (edition == 2)
