"""A protest holds the game until the GM rules, or its days are over (RULES.md 10.8)."""

from pathlib import Path

import pytest

from postal.errors import PostalError
from postal.service.desk.holding import hold, resume, resume_due
from postal.service.desk.log import game_log
from postal.service.desk.messages import abandon
from postal.service.desk.protests import evidence, list_protests
from postal.service.desk.replacing import replace_player
from postal.service.inbound.handling import work_out
from postal.store.troubles import looks_at
from postal.store.words import open_protests
from tests.service.people_league import reply_to
from tests.service.service_league import (
    DEADLINE,
    HOUR,
    SLUG,
    League,
    Written,
    open_league,
    parsed,
    text_of,
)

DAY = 24 * HOUR


def protest(league: League, player: str, table: str = "A", words: str = "He saw my cards.") -> str:
    """Let a player protest; return the receipt on one line."""
    before = {row.id for row in league.outbox(player, "receipt", "late")}
    league.write(player, f"protest {table}:\n{words}\nend\n")
    league.poll()
    rows = [row for row in league.outbox(player, "receipt", "late") if row.id not in before]
    return said(rows[-1])


def said(row: Written) -> str:
    """Return a mail's text on one line, with plain spaces."""
    return " ".join(text_of(row.raw).split())


def hand_of(league: League, player: str, table: str = "A") -> str:
    """Return the name of a player's hand at a table."""
    return next(hand.name for hand, _ in league.game.hands_of(player) if hand.table == table)


def on_hold(league: League) -> bool:
    """Whether the game is on hold."""
    return league.loaded().row.hold_since is not None


def states(league: League) -> list[tuple[str, str]]:
    """Return from whom there are protests, and whether they are open."""
    return [(row["who"], row["state"]) for row in list_protests(league.work, SLUG)]


def test_a_protest_holds_the_game_and_all_are_told(dealt: League) -> None:
    """That there is one, in the same words to all; the GM alone hears whose it is."""
    receipt = protest(dealt, "Ann")
    assert f"Your protest about hand {hand_of(dealt, 'Ann')} is with Grace" in receipt
    letters = dealt.outbox(None, "hold")
    assert {row.player for row in letters} == set(dealt.players)
    for row in letters:
        assert row.subject == "smith-1: a protest"
        assert "a player has protested, and the GM has yet to rule on it." in said(row)
        assert "The game is on hold until" in said(row)
        assert "He saw my cards" not in said(row)
        assert row.player == "Ann" or "Ann" not in said(row).partition("=-=-=")[0]
    (mail,) = [row for row in dealt.outbox("") if "a protest" in row.subject]
    assert f"The protest is from Ann, about hand {hand_of(dealt, 'Ann')}." in said(mail)
    assert "| He saw my cards." in said(mail)
    assert parsed(mail.raw)["Reply-To"] == "Ann <ann@example.org>"
    dealt.order_all()
    dealt.poll()
    dealt.clock.advance(2 * DAY)
    assert dealt.due() == ()
    whats = [(entry["who"], entry["what"]) for entry in game_log(dealt.work, SLUG)]
    assert ("Ann", "protest") in whats


def test_the_gm_rules_by_letting_the_game_go_on(quick: League) -> None:
    """With the time it had left; every protest is closed by it."""
    protest(quick, "Ann")
    protest(quick, "Bob")
    quick.clock.advance(2 * DAY)
    assert resume(quick.work, SLUG) == DEADLINE + 2 * DAY
    assert states(quick) == [("Ann", "over"), ("Bob", "over")]
    assert not on_hold(quick)
    assert "with Grace" not in protest(quick, "Ann", table="Z")


def test_a_ruling_is_told_to_all(dealt: League) -> None:
    """In the mail that says that the game goes on."""
    protest(dealt, "Ann")
    resume(dealt.work, SLUG)
    assert "No protest is open any more." in said(dealt.outbox("Bob", "hold")[-1])


def test_after_its_days_the_game_goes_on_by_itself(quick: League) -> None:
    """Three, as long as the option says nothing else."""
    protest(quick, "Ann")
    quick.clock.advance(3 * DAY - HOUR)
    assert resume_due(quick.work) == 0
    quick.clock.advance(HOUR)
    assert resume_due(quick.work) == 1
    assert states(quick) == [("Ann", "over")]
    assert not on_hold(quick)


def test_who_protested_can_take_it_back(dealt: League) -> None:
    """Then the game goes on, unless another's is open; once is enough."""
    protest(dealt, "Ann")
    dealt.clock.advance(DAY)
    protest(dealt, "Bob")
    dealt.clock.advance(DAY)
    back = " ".join(dealt.say("Ann", "cancel protest\n").split())
    assert "Your protest is taken back, and Grace is told." in back
    assert "nothing was taken back" in " ".join(dealt.say("Ann", "cancel protest\n").split())
    assert resume_due(dealt.work) == 0
    assert states(dealt) == [("Ann", "over"), ("Bob", "open")]
    dealt.say("Bob", "cancel protest\n")
    assert resume_due(dealt.work) == 1
    assert not on_hold(dealt)


def test_a_protest_leaves_the_gms_own_hold_alone(quick: League) -> None:
    """It ends when the GM says so, taken back or not."""
    hold(quick.work, SLUG)
    protest(quick, "Ann")
    quick.clock.advance(10 * DAY)
    quick.write("Ann", "cancel protest\n")
    quick.poll()
    assert resume_due(quick.work) == 0
    assert on_hold(quick)


def test_there_is_one_of_each_player_and_three_of_a_game(dealt: League) -> None:
    """What is above that goes to the GM as words and holds nothing."""
    protest(dealt, "Ann")
    again = protest(dealt, "Ann", table="B")
    assert "Your earlier protest is still open" in again
    protest(dealt, "Bob")
    protest(dealt, "Cat")
    assert "There are 3 open protests in this game already" in protest(dealt, "Dan")
    assert len(states(dealt)) == 3
    passed = [row for row in dealt.outbox("") if "a word from" in row.subject]
    assert len(passed) == 2


def test_two_protests_of_one_mail_are_one(dealt: League) -> None:
    """The other one is not lost."""
    text = " ".join(
        said(row)
        for row in written(dealt, "Ann", "protest A:\nOne.\nend\nprotest B:\nTwo.\nend\n")
        if row.player == "Ann"
    )
    assert "Your earlier protest is still open" in text
    assert [row["words"] for row in list_protests(dealt.work, SLUG)] == ["Two."]
    assert any("| One." in said(row) for row in dealt.outbox(""))


def written(league: League, player: str, text: str) -> list[Written]:
    """Deliver a mail and poll; return what was written because of it."""
    before = len(league.outbox())
    league.write(player, text)
    league.poll()
    return league.outbox()[before:]


@pytest.mark.parametrize("head", ["protest Z:", "protest:"])
def test_a_protest_names_a_hand_of_the_player(dealt: League, head: str) -> None:
    """Else it is refused, and holds nothing."""
    receipt = " ".join(dealt.say("Ann", f"{head}\nUnfair!\nend\n").split())
    assert "Your protest names no hand of yours, so it was not taken." in receipt
    assert not on_hold(dealt)


def test_a_protest_holds_nothing_where_the_option_says_so(tmp_path: Path) -> None:
    """Nor in a game that is over: either way the GM reads it."""
    league = open_league(f"sqlite:///{tmp_path / 'protests.db'}")
    league.begin(protest_days=0)
    assert "A protest holds nothing in this game" in protest(league, "Ann")
    abandon(league.work, SLUG)
    rows = written(league, "Bob", "protest A:\nUnfair!\nend\n")
    assert "This game is over, so your protest was passed on" in said(rows[-1])
    assert not on_hold(league)
    assert len([row for row in league.outbox("") if "a word from" in row.subject]) == 2


def test_a_protest_in_an_answer_to_an_old_report_counts(dealt: League) -> None:
    """It is about a hand, not about a turn."""
    dealt.play(1)
    dealt.write("Ann", "protest A:\nUnfair!\nend\n", turn=1)  # type: ignore[arg-type]  # a number
    dealt.poll()
    assert on_hold(dealt)
    assert states(dealt) == [("Ann", "open")]


def test_nobody_without_a_token_protests(dealt: League) -> None:
    """From proves nothing."""
    dealt.write("Ann", "protest A:\nUnfair!\nend\n", token="")
    dealt.poll()
    assert not on_hold(dealt)


def test_the_evidence_is_the_hand_up_to_the_last_turn(betting: League) -> None:
    """No order on file is shown, nor a hand without a protest; and the look is noted."""
    league = betting
    hand = hand_of(league, "Ann")
    with pytest.raises(PostalError, match="Nobody has protested"):
        evidence(league.work, SLUG, hand)
    league.order_all()
    league.poll()
    protest(league, "Ann")
    rows = evidence(league.work, SLUG, hand.lower())
    assert {row["turn"] for row in rows} == {1, 2}
    orders = [row["more"] for row in rows if row["what"] == "order"]
    assert any(order.startswith("Ann: A: keep") for order in orders)
    assert not any("raise" in order for order in orders)
    with league.database.reading() as session:
        assert len(looks_at(session, league.loaded().id)) == 1


def test_a_hold_and_a_protest_at_one_moment(quick: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever is written second is worked out anew: both count."""

    def slowly(*arguments: object, **options: object) -> object:
        found = work_out(*arguments, **options)  # type: ignore[arg-type]  # as they came
        monkeypatch.undo()
        hold(quick.work, SLUG)
        return found

    monkeypatch.setattr("postal.service.inbound.queue.work_out", slowly)
    protest(quick, "Ann")
    assert states(quick) == [("Ann", "open")]
    assert quick.loaded().row.hold_why == "gm"
    assert quick.loaded().row.hold_until is None


def protest_mails(tmp_path: Path, who: str) -> list[bytes]:
    """Let somebody protest; return what two others are mailed."""
    league = open_league(f"sqlite:///{tmp_path / who}.db")
    league.begin()
    league.send()
    before = len(league.outbox())
    protest(league, who, words=f"{who} is cross.")
    resume(league.work, SLUG)
    rows = [row for row in league.outbox()[before:] if row.player in ("Eve", "Fay")]
    league.database.close()
    return [without_name(row) for row in rows]


def without_name(row: Written) -> bytes:
    """Return a mail without the random name in its Message-ID, which counts the mails before."""
    name = row.message_id.split(".")[2].partition("@")[0]
    return (row.raw or b"").replace(name.encode(), b"")


def test_no_byte_tells_whose_a_protest_is(tmp_path: Path) -> None:
    """Whoever of the others it is."""
    one, two = protest_mails(tmp_path, "Ann"), protest_mails(tmp_path, "Dan")
    assert len(one) == 4
    assert one == two


def test_nobody_holds_a_turn_for_ever(dealt: League) -> None:
    """Once in a turn is what a protest of a player holds; the next turn is another matter."""
    protest(dealt, "Ann")
    dealt.clock.advance(3 * DAY)
    assert resume_due(dealt.work) == 1
    assert "You have protested in this turn before" in protest(dealt, "Ann", table="B")
    assert not on_hold(dealt)
    assert any("a word from Ann" in row.subject for row in dealt.outbox(""))
    protest(dealt, "Bob")
    dealt.write("Bob", "cancel protest\n")
    dealt.poll()
    assert "You have protested in this turn before" in protest(dealt, "Bob")
    assert resume_due(dealt.work) == 1
    dealt.play(1)
    assert "with Grace" in protest(dealt, "Ann")
    assert on_hold(dealt)


def test_who_gets_the_seat_learns_of_no_protest_of_before(dealt: League) -> None:
    """It is the former holder's: it stays open, and the new one may protest too."""
    protest(dealt, "Ann")
    dealt.clock.advance(HOUR)
    replace_player(dealt.work, SLUG, "Ann", "Sue", "sue@example.org")
    row = [one for one in dealt.outbox() if one.recipient == "sue@example.org"][-1]
    token = reply_to(row).partition("+")[2].partition("@")[0]
    told = []
    for text in ("cancel protest\n", "protest A:\nUnfair!\nend\n"):
        dealt.write("Sue", text, token=token)
        dealt.poll()
        told.append(said(dealt.outbox("Ann", "receipt")[-1]))
    assert "No protest of yours is open" in told[0]
    assert "with Grace as your GM" in told[1]
    assert states(dealt) == [("Ann", "open"), ("Ann", "open")]


def test_a_protest_at_the_end_of_a_hold_puts_it_off(
    quick: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It came after the game was found to go on, and before that was written."""
    protest(quick, "Ann")
    quick.clock.advance(3 * DAY)

    def slowly(*arguments: object) -> object:
        monkeypatch.undo()
        protest(quick, "Bob")
        return open_protests(*arguments)  # type: ignore[arg-type]  # as they came

    monkeypatch.setattr("postal.service.desk.holding.open_protests", slowly)
    assert resume_due(quick.work) == 0
    assert on_hold(quick)
    assert ("Bob", "open") in states(quick)
