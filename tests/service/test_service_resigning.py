"""A player gives up his seat: asked back, confirmed by a second mail, dropped, and back again."""

import json
from datetime import timedelta

from postal.service.desk.log import game_log
from postal.service.desk.players import revoke_tokens
from postal.service.desk.rollback import roll_back, what_was_shown
from postal.service.records.export import export_game
from postal.service.records.record import read_record, replay
from postal.service.records.verify import verify_game
from tests.service.people_league import reply_to
from tests.service.service_league import GM_BOX, HOUR, SLUG, League, text_of

RESIGN = "resign\n"


def answer(league: League, text: str, player: str = "Ann") -> None:
    """Answer the question that a player was asked last."""
    to = reply_to(league.outbox(player, "resign")[-1])
    raw = league.mail(player, text, token="")
    league.post.deliver(raw.replace(f"To: {GM_BOX}".encode(), f"To: {to}".encode()))
    league.poll()


def resign(league: League, player: str = "Ann") -> None:
    """Let a player resign, and confirm it."""
    league.say(player, RESIGN)
    answer(league, RESIGN, player)


def go_on(league: League) -> None:
    """Play a turn to its deadline, all but Ann ordering."""
    league.order_all("Ann")
    league.poll()
    turn = league.loaded().turn
    assert turn is not None
    assert turn.deadline is not None
    league.clock.move_to(turn.deadline)
    league.poll()
    assert len(league.due()) == 1


def test_nothing_is_done_before_the_second_mail(dealt: League) -> None:
    """Not by the same mail again, nor by an answer that says something else."""
    asked = dealt.say("Ann", RESIGN)
    assert "Nothing was changed by that yet." in " ".join(asked.split())
    assert ":: resign" in asked
    dealt.say("Ann", RESIGN)
    answer(dealt, "No, I stay!\n")
    assert not [one for one in game_log(dealt.work, SLUG) if one["what"] == "resign"]
    assert "given up" not in text_of(dealt.outbox("Ann", "resign")[-1].raw)


def test_the_question_answered_the_seat_is_given_up(dealt: League) -> None:
    """He and the GM are told; his orders are used, and all learn it in the report."""
    dealt.order_all()
    dealt.poll()
    lines = dealt.on_file("Ann")
    resign(dealt)
    assert "you have given up your seat" in text_of(dealt.outbox("Ann", "resign")[-1].raw)
    assert "Ann has resigned from smith-1" in text_of(dealt.outbox("", "gm")[-1].raw)
    (entry,) = [one for one in game_log(dealt.work, SLUG) if one["what"] == "resign"]
    assert (entry["who"], entry["more"]) == ("Ann", "Ann has resigned.")
    assert dealt.on_file("Ann") == lines
    dealt.clock.advance(HOUR)
    assert len(dealt.due()) == 1
    assert dealt.game.dropped == ("Ann",)
    for player in dealt.players:
        report = " ".join(text_of(dealt.outbox(player, "report")[-1].raw).split())
        assert (
            "You have resigned, so you are" if player == "Ann" else "Ann has resigned"
        ) in report
    assert verify_game(dealt.work, SLUG) == (1, ())
    turn = json.loads(export_game(dealt.work, SLUG, sealed=True))["turns"][0]["lines"]
    assert ["Ann", "resign"] in [line[:2] for line in turn]
    record = read_record(json.loads(export_game(dealt.work, SLUG, sealed=True)), ())
    assert replay(record).game == dealt.game
    assert not replay(record).outcome["problems"]


def test_the_turn_waits_for_nobody_sooner(quick: League) -> None:
    """What is missing is missing: a standby may still order before the deadline."""
    quick.order_all("Ann")
    quick.poll()
    resign(quick)
    quick.clock.advance(HOUR)
    assert quick.due() == ()
    go_on(quick)
    assert quick.game.dropped == ("Ann",)


def test_any_mail_brings_him_back(quick: League) -> None:
    """In the same turn, as if he had not resigned; or later, as whoever was dropped."""
    resign(quick)
    quick.say("Ann", "status\n")
    go_on(quick)
    assert not quick.game.dropped
    resign(quick)
    go_on(quick)
    assert "Ann" in quick.game.dropped
    quick.say("Ann", "status\n")
    go_on(quick)
    assert "Ann" not in quick.game.dropped


def test_an_answer_counts_in_the_next_turn_too(quick: League) -> None:
    """But not after a week, nor once the tokens were revoked."""
    quick.say("Ann", RESIGN)
    quick.play(1)
    answer(quick, RESIGN)
    assert [one["turn"] for one in game_log(quick.work, SLUG) if one["what"] == "resign"] == [2]
    quick.say("Bob", RESIGN)
    quick.clock.advance(timedelta(days=7, hours=1))
    answer(quick, RESIGN, "Bob")
    quick.say("Cat", RESIGN)
    revoke_tokens(quick.work, "Cat", SLUG)
    answer(quick, RESIGN, "Cat")
    assert len([one for one in game_log(quick.work, SLUG) if one["what"] == "resign"]) == 1


def test_orders_beside_it_are_never_lost(dealt: League) -> None:
    """An answer with more than that line is taken as any mail, and asked about once more."""
    dealt.say("Ann", RESIGN)
    first = dealt.outbox("Ann", "resign")
    answer(dealt, "status\nresign\n")
    assert dealt.outbox("Ann", "status")
    assert len(dealt.outbox("Ann", "resign")) == len(first) + 1
    assert not [one for one in game_log(dealt.work, SLUG) if one["what"] == "resign"]


def test_it_stands_in_a_turn_that_is_played_again(quick: League) -> None:
    """As the orders of that turn do (10.7)."""
    resign(quick)
    go_on(quick)
    roll_back(quick.work, what_was_shown(quick.work, SLUG, 1), ())
    quick.clock.advance(HOUR)
    assert len(quick.due()) == 1
    assert "Ann" in quick.game.dropped
    assert verify_game(quick.work, SLUG) == (2, ())
