"""Mail that comes too late: every one is answered, and after the end the GM gets it."""

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.service.service_league import MINUTE, REPORTS, League, Written, parsed, text_of

SECOND = timedelta(seconds=1)


def late(league: League, player: str, text: str = "A: fold\n", turn: int = 1) -> None:
    """Deliver a mail for a turn that is over, and poll."""
    league.write(player, text, turn=turn)  # type: ignore[arg-type]  # a number
    league.poll()


def said(row: Written) -> str:
    """Return a mail's text on one line."""
    return " ".join(text_of(row.raw).split())


@pytest.fixture
def over(dealt: League) -> League:
    """Give a game at turn 2."""
    dealt.play(1)
    dealt.send()
    return dealt


@pytest.fixture
def told(ended: League) -> League:
    """Give a game that is over, whose mails are laid out."""
    ended.work = replace(ended.work, reports=REPORTS)
    return ended


def test_each_of_nine_late_mails_is_answered_after_it_came(over: League) -> None:
    """The first at once, those that come within five minutes by one letter at their end."""
    came = []
    for _ in range(9):
        late(over, "Ann")
        came.append(over.clock.now())
        over.send()
        over.clock.advance(MINUTE)
    over.clock.advance(5 * MINUTE)
    over.send()
    answers = over.outbox("Ann", "late")
    assert len(answers) < len(came)
    went = [answer.sent_at for answer in answers]
    assert all(any(moment <= sent for sent in went) for moment in came)
    assert "your mail was for turn 1, which is over" in said(answers[0])
    for answer in answers[1:]:
        assert "more than one mail of yours came too late" in said(answer)
        assert "Nothing in them was done." in said(answer)


def test_mails_that_come_together_are_answered_by_two_letters(over: League) -> None:
    """However many; the second waits for what still comes."""
    for _ in range(20):
        over.write("Ann", "A: fold\n", turn=1)  # type: ignore[arg-type]  # a number
    over.poll()
    over.send()
    assert [answer.state for answer in over.outbox("Ann", "late")] == ["sent", "queued"]
    over.clock.advance(5 * MINUTE - SECOND)
    late(over, "Ann")
    over.send()
    assert [answer.state for answer in over.outbox("Ann", "late")] == ["sent", "queued"]
    over.clock.advance(SECOND)
    over.send()
    assert [answer.state for answer in over.outbox("Ann", "late")] == ["sent", "sent"]
    over.clock.advance(5 * MINUTE)
    late(over, "Ann")
    over.send()
    first, _, last = over.outbox("Ann", "late")
    for answer in (first, last):
        assert "your mail was for turn 1, which is over: nothing in it was done." in said(answer)


def test_each_player_is_answered_for_himself(over: League) -> None:
    """And each game: two players may share an address."""
    late(over, "Ann")
    late(over, "Bob")
    assert [answer.next_try_at for answer in over.outbox(None, "late")] == [None, None]


def test_after_the_end_a_friendly_mail_goes_to_the_gm(told: League) -> None:
    """And its writer hears who won; words go behind a bar, without token and attachment."""
    before = len(told.outbox(""))
    token = told.token("Bob")
    words = f"Thanks for a lovely game!\nA: fold was my best idea {token}\n"
    words += "\n> earlier words\n> A: fold\n"
    late(told, "Bob", words, turn=told.game.turn)
    (answer,) = told.outbox("Bob", "late")
    assert answer.subject == "smith-1: the game is over"
    winners = {name for place, name, _ in told.game.standings() if place == 1}
    first = said(answer).partition("=-=-=")[0]
    assert first.startswith("Dear Bob, the game is over: ")
    assert all(("you" if name == "Bob" else name) in first for name in winners)
    assert "Your words were passed on to Grace as your GM" in first
    (notice,) = told.outbox("")[before:]
    assert token not in (notice.raw or b"").decode()
    quoted = [line for line in text_of(notice.raw).splitlines() if line.startswith("| ")]
    assert quoted[0] == "| Thanks for a lovely game!"
    assert not any("earlier words" in line.replace("\u00a0", " ") for line in quoted)
    assert [part.get_content_type() for part in parsed(notice.raw).walk()] == [
        "multipart/alternative",
        "text/plain",
        "text/html",
    ]


def test_after_the_end_orders_alone_go_to_nobody(told: League) -> None:
    """They are answered, and the GM has nothing to read in them."""
    before = len(told.outbox(""))
    late(told, "Bob", "A: fold\n", turn=told.game.turn)
    assert "Nothing in your mail was done." in said(told.outbox("Bob", "late")[0])
    assert len(told.outbox("")) == before


def test_after_the_end_no_program_that_answers_goes_on_for_ever(ended: League) -> None:
    """The GM gets no more than so much a day, nor does the player."""
    before = len(ended.outbox(""))
    for number in range(150):
        ended.write("Bob", f"I am away, {number}.", turn=ended.game.turn)  # type: ignore[arg-type]  # a number
    ended.poll()
    assert len(ended.outbox("")) - before == 6
    assert len(ended.outbox("Bob", "late")) == 6
