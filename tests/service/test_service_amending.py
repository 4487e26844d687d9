"""The GM puts orders in for a player, who is told, and takes them back."""

import json

import pytest

from postal.engine.view import view
from postal.errors import PostalError, UsageError
from postal.service.desk.amending import amend
from postal.service.desk.holding import hold
from postal.service.desk.log import game_log
from postal.service.inbound import handling, queue
from postal.service.records.export import export_game
from postal.service.records.record import read_record, replay
from postal.service.records.verify import verify_game
from tests.service.service_league import DEADLINE, HOUR, SLUG, League, parsed, text_of


def gives(league: League, player: str) -> list[str]:
    """Return a good line for each hand of a player."""
    return [item.examples[0] for item in view(league.game, player).due]


def test_the_gm_puts_orders_in_and_the_player_is_told(dealt: League) -> None:
    """In a receipt that says whose they are; the log tells it without what they say."""
    lines = gives(dealt, "Ann")
    done = amend(dealt.work, SLUG, "ann", lines)
    assert len(done.filed) == 3
    assert dealt.on_file("Ann") == lines
    (told,) = dealt.outbox("Ann", "amended")
    assert "orders that the GM has put in for you" in told.subject
    text = " ".join(text_of(told.raw).split())
    assert "the GM has put orders in for you" in text
    assert all(f":: {line}" in text for line in lines)
    assert parsed(told.raw)["Auto-Submitted"] == "auto-generated"
    (entry,) = (one for one in game_log(dealt.work, SLUG) if one["what"] == "amend")
    assert entry["more"].startswith("For Ann: put orders in for A")
    rows = [one for one in game_log(dealt.work, SLUG) if one["what"] == "order filed"]
    assert {one["more"] for one in rows} == {"by the GM"}
    assert lines[0] not in json.dumps(game_log(dealt.work, SLUG))
    for other in dealt.players[1:]:
        assert not dealt.outbox(other, "amended")


def test_they_are_undone_by_the_gm_or_by_the_player(dealt: League) -> None:
    """By a cancel, and by an order of his own."""
    lines = gives(dealt, "Ann")
    amend(dealt.work, SLUG, "Ann", lines)
    done = amend(dealt.work, SLUG, "Ann", ["cancel A"])
    assert (done.filed, len(done.cancelled)) == ((), 1)
    assert dealt.on_file("Ann") == lines[1:]
    hand, index = next(dealt.game.hands_of("Ann"))
    cards = hand.seats[index].dealt[::-1]
    own = f"A: give {cards[0]} {cards[1]} next, {cards[2]} previous"
    amend(dealt.work, SLUG, "Ann", lines)
    dealt.say("Ann", own)
    assert set(dealt.on_file("Ann")) == {own, *lines[1:]}


def test_a_turn_with_amended_orders_is_verified_and_replayed(dealt: League) -> None:
    """They count like his own; he wasn't heard of by them alone before the turn's end."""
    dealt.order_all("Ann")
    dealt.poll()
    amend(dealt.work, SLUG, "Ann", gives(dealt, "Ann"))
    dealt.clock.advance(HOUR)
    dealt.poll()
    (done,) = dealt.due()
    assert done.why == "complete"
    assert verify_game(dealt.work, SLUG) == (1, ())
    record = read_record(json.loads(export_game(dealt.work, SLUG, sealed=True)), ())
    assert replay(record).game == dealt.game


def test_cards_by_post_go_out_as_by_an_order_of_his_own(quick: League) -> None:
    """Where the receiver has put down his too (RULES.md 2.4)."""
    quick.begin("posted", bytes(32), exchange="post")
    for player in quick.players:
        lines = [item.examples[0] for item in view(quick.loaded("posted").game, player).due]
        amend(quick.work, "posted", player, lines)
    assert quick.outbox(None, "gift", slug="posted")


def test_on_hold_and_after_the_deadline_the_gm_may_still(quick: League) -> None:
    """As he rules on a protest."""
    hold(quick.work, SLUG)
    quick.clock.move_to(DEADLINE + HOUR)
    assert amend(quick.work, SLUG, "Ann", gives(quick, "Ann")).filed


def test_an_order_that_comes_at_the_same_moment_stands_or_falls_whole(
    quick: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mail is worked out anew on what the GM has put in meanwhile."""
    lines, real = gives(quick, "Ann"), handling.work_out
    quick.write("Ann", "cancel B\n")

    def work_out(*arguments: object, **more: object) -> object:
        worked = real(*arguments, **more)  # type: ignore[arg-type]  # as they came
        monkeypatch.undo()
        amend(quick.reborn().work, SLUG, "Ann", lines)
        return worked

    monkeypatch.setattr(queue, "work_out", work_out)
    quick.poll()
    assert quick.on_file("Ann") == [lines[0], lines[2]]


@pytest.mark.parametrize(
    "lines",
    [[], ["A: fold"], ["hello"], ["wait"], ["A: give 2C 2C next, 2C previous"], ["Z: fold"], [""]],
)
def test_wrong_lines_change_nothing(quick: League, lines: list[str]) -> None:
    """Each gets a sentence, and good lines beside them are not taken either."""
    good = gives(quick, "Ann")[:1] if lines else []
    with pytest.raises(UsageError):
        amend(quick.work, SLUG, "Ann", [*good, *lines])
    assert quick.on_file("Ann") == []
    assert not quick.outbox("Ann", "amended")
    with pytest.raises(PostalError, match="no player"):
        amend(quick.work, SLUG, "Zoe", gives(quick, "Ann"))
