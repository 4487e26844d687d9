"""When a turn is adjudicated and when not, who is told what, and what may go wrong with it."""

import logging
from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlmodel import Session, select

from postal.engine.game import adjudicate
from postal.engine.state import Game
from postal.engine.view import view
from postal.errors import PostalError
from postal.service.desk.adjudicate import force_turn, preview
from postal.service.desk.overview import list_games, show_game
from postal.service.loading import UnreadableGameError
from postal.service.turns import adjudication
from postal.service.turns.adjudication import adjudicate_due, adjudicate_turn, recover_claims
from postal.service.turns.due import why_due
from postal.store.games import game_by_slug
from postal.store.rows import GameRow, MailStatus, TurnRow, TurnStatus
from tests.service.service_league import (
    DEADLINE,
    HOUR,
    MINUTE,
    SLUG,
    League,
    parsed,
    text_of,
)


def row_of(league: League, slug: str = SLUG) -> GameRow:
    """Return the game's row."""
    with league.database.reading() as session:
        row = game_by_slug(session, slug)
    assert row is not None
    return row


def test_a_turn_settles_before_it_is_adjudicated(quick: League) -> None:
    """10.6: thirty minutes after the last order came, by the server's time."""
    quick.order_all()
    quick.poll()
    quick.clock.advance(29 * MINUTE)
    assert quick.due() == ()
    quick.clock.advance(MINUTE)
    (done,) = quick.due()
    assert (done.turn, done.why) == (1, "complete")


def test_a_changed_mind_starts_it_anew(quick: League) -> None:
    """10.6."""
    quick.order_all()
    quick.poll()
    quick.clock.advance(29 * MINUTE)
    quick.write("Ann", view(quick.game, "Ann").due[0].examples[0])
    quick.poll()
    quick.clock.advance(MINUTE)
    assert quick.due() == ()
    quick.clock.advance(29 * MINUTE)
    assert len(quick.due()) == 1


@pytest.mark.parametrize("trouble", ["A: raise 999", "A: keep calm now"])
def test_what_was_not_understood_holds_the_turn(quick: League, trouble: str) -> None:
    """10.6: until the sender's next mail, or the deadline."""
    quick.order_all()
    quick.write("Ann", trouble)
    quick.poll()
    quick.clock.advance(HOUR)
    assert quick.due() == ()
    quick.write("Bob", "ready")
    quick.poll()
    quick.clock.advance(HOUR)
    assert quick.due() == ()
    quick.write("Ann", "that was nothing\nready\n")
    quick.poll()
    quick.clock.advance(HOUR)
    assert len(quick.due()) == 1


def test_a_deadline_waits_for_a_whole_poll_begun_after_it(quick: League) -> None:
    """10.5: and one that breaks off is none."""
    quick.poll()
    quick.clock.move_to(DEADLINE - MINUTE)
    quick.poll()
    quick.clock.move_to(DEADLINE + MINUTE)
    assert quick.due() == ()
    quick.write("Ann", view(quick.game, "Ann").due[0].examples[0], at=DEADLINE - HOUR)
    quick.post.fails["fetch"] = RuntimeError("lost")
    with pytest.raises(RuntimeError):
        quick.poll()
    assert quick.due() == ()
    quick.post.fails.clear()
    quick.poll()
    (done,) = quick.due()
    assert done.why == "deadline"
    assert quick.game.missed == dict.fromkeys(quick.players, 1) | {"Ann": 0}


def test_everybody_gets_one_report_a_turn(quick: League) -> None:
    """And the GM his own, in the transaction that ends the turn."""
    quick.play(2)
    for player in quick.players:
        kinds = [(row.turn, row.kind) for row in quick.outbox(player, "welcome", "report")]
        assert kinds == [(0, "welcome"), (1, "report"), (2, "report")]
    assert [row.turn for row in quick.outbox("", "gm")] == [0, 1, 2]
    assert [turn.number for turn in quick.turns()] == [0, 1, 2, 3]


def test_reports_hang_together(quick: League) -> None:
    """References name the welcome and the report before."""
    quick.play(2)
    welcome, first, second = quick.outbox("Ann", "welcome", "report")
    assert parsed(second.raw)["References"].split() == [welcome.message_id, first.message_id]
    assert parsed(second.raw)["In-Reply-To"] == first.message_id


def test_a_bug_in_one_game_holds_up_no_other(
    quick: League, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Its turn is set aside whole, with its orders, and the GM told; forcing takes it up again."""
    quick.begin("other")

    def failing(game: Game, book: object) -> object:
        if game.hands[0].seats[0].dealt == quick.game.hands[0].seats[0].dealt:
            raise ValueError(str(game.hands[0].seats[0].dealt))
        return adjudicate(game, book)  # type: ignore[arg-type]  # handed on

    monkeypatch.setattr(adjudication, "adjudicate", failing)
    quick.order_all()
    quick.clock.advance(timedelta(days=8))
    quick.poll()
    with caplog.at_level(logging.DEBUG):
        done = quick.due()
    assert [one.slug for one in done] == ["other"]
    assert quick.loaded().turn is not None
    assert quick.turns()[1].status is TurnStatus.SET_ASIDE
    assert len([row for row in quick.outbox("", "gm") if "is set aside" in row.subject]) == 1
    card = str(quick.game.hands[0].seats[0].dealt[0])
    assert "ValueError at" in caplog.text
    assert f"'{card}'" not in caplog.text
    assert not quick.outbox("Ann", "report", slug=SLUG)
    monkeypatch.undo()
    assert quick.due() == ()
    assert force_turn(quick.work, SLUG).turn == 1
    ends = [row for row in quick.outbox("", "gm") if "is set aside" in row.subject][1:]
    assert [row.subject for row in ends] == ["postal: it is over: a game is set aside"]


def flat(raw: bytes | None) -> str:
    """Return the text of a mail without its line breaks."""
    return " ".join(text_of(raw).split())


def test_a_game_that_is_set_aside_stands_in_every_report_to_the_gm(
    dealt: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the other games too, since it has none of its own meanwhile; and it is told once."""
    dealt.begin("other")
    failing = {SLUG}

    def broken(game: Game, book: object) -> object:
        if failing and game.hands[0].seats[0].dealt == dealt.game.hands[0].seats[0].dealt:
            raise ValueError
        return adjudicate(game, book)  # type: ignore[arg-type]  # handed on

    monkeypatch.setattr(adjudication, "adjudicate", broken)
    for _ in range(2):
        dealt.clock.advance(timedelta(days=8))
        dealt.poll()
        dealt.due()
        with pytest.raises(PostalError, match="could not be adjudicated"):
            force_turn(dealt.work, SLUG)
    assert len([row for row in dealt.outbox("", "gm") if "is set aside" in row.subject]) == 1
    failing.clear()
    told = f"Turn 1 of {SLUG} could not be adjudicated"
    assert told in flat(dealt.outbox("", slug="other")[-1].raw)
    force_turn(dealt.work, SLUG)
    force_turn(dealt.work, "other")
    assert told not in flat(dealt.outbox("", slug="other")[-1].raw)


def test_a_game_that_cannot_be_read_holds_up_no_other(dealt: League) -> None:
    """It is set aside with its mail, the GM told once, and the others go on."""
    dealt.begin("other")
    line = view(dealt.game, "Ann").due[0].examples[0]

    def damage(session: Session) -> None:
        for row in session.exec(select(TurnRow).where(TurnRow.game_id == 1)):
            row.state = row.state and "{}"

    dealt.write("Ann", line)
    dealt.write("Ann", "status", slug="other")
    with dealt.database.transaction() as session:
        damage(session)
    dealt.clock.advance(timedelta(days=8))
    for _ in range(3):
        dealt.poll()
        dealt.due()
        dealt.clock.advance(HOUR)
    assert dealt.loaded("other").game.turn == 2
    assert dealt.outbox("Ann", "status", "late", slug="other")
    assert dealt.mails()[0].status is MailStatus.NEW
    told = [row for row in dealt.outbox("", "gm") if row.subject == "postal: a game is set aside"]
    assert len(told) == 1
    assert "can't be read (KeyError at" in " ".join(text_of(told[0].raw).split())
    games = {one["game"]: one["status"] for one in list_games(dealt.work)}
    assert games == {SLUG: "unreadable", "other": "running"}
    with pytest.raises(UnreadableGameError):
        show_game(dealt.work, SLUG)


def test_a_claimed_turn_takes_no_orders(quick: League) -> None:
    """10.5: from then on its orders are fixed; mail is answered as too late."""
    with quick.database.transaction() as session:
        turn = session.get(TurnRow, 2)
        assert turn is not None
        turn.status, turn.claim_token = TurnStatus.CLAIMED, "somebody"
        turn.claim_until = quick.clock.now() + MINUTE
    quick.write("Ann", view(quick.game, "Ann").due[0].examples[0])
    quick.poll()
    assert quick.on_file("Ann") == []
    assert len(quick.outbox("Ann", "late")) == 1
    assert quick.due() == ()
    assert recover_claims(quick.work) == 1
    (done,) = quick.due()
    assert done.why == "claimed"


def race(league: League, monkeypatch: pytest.MonkeyPatch, meanwhile: Callable[[], object]) -> None:
    """Let something happen between a look at what is due and the claim."""
    real, calls = why_due, iter((True,))

    def slow(*arguments: object) -> object:
        why = real(*arguments)  # type: ignore[arg-type]  # handed on
        if next(calls, False):
            monkeypatch.setattr(adjudication, "why_due", real)
            meanwhile()
        return why

    monkeypatch.setattr(adjudication, "why_due", slow)
    assert adjudicate_due(league.work) == ()


def test_two_processes_never_adjudicate_two_turns_for_one(
    quick: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The turn after that which was due is left alone."""
    quick.order_all()
    quick.poll()
    quick.clock.advance(HOUR)
    race(quick, monkeypatch, lambda: force_turn(quick.work, SLUG))
    assert quick.game.turn == 2
    assert quick.turns()[2].status is TurnStatus.OPEN


def test_a_mail_between_the_look_and_the_claim_still_counts(
    quick: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as a wait (9.6)."""
    quick.order_all()
    quick.poll()
    quick.clock.advance(HOUR)
    race(quick, monkeypatch, lambda: quick.say("Ann", "wait"))
    assert quick.turns()[1].status is TurnStatus.OPEN


def test_forcing_a_turn_uses_defaults_and_only_the_turn_meant(quick: League) -> None:
    """A second go at it does nothing."""
    assert force_turn(quick.work, SLUG, 1).turn == 1
    assert quick.turns()[1].forced
    with pytest.raises(PostalError, match="at turn 2 by now"):
        force_turn(quick.work, SLUG, 1)
    assert adjudicate_turn(quick.work, row_of(quick), 1, "forced") is None
    assert quick.game.turn == 2


def test_a_preview_changes_nothing(quick: League) -> None:
    """It is the dry run."""
    before, after, events = preview(quick.work, SLUG)
    assert (before.turn, after.turn) == (1, 2)
    assert events
    assert quick.game.turn == 1
    assert not quick.outbox(None, "report")


def test_a_finished_game_ends_with_a_final_report_for_everybody(quick: League) -> None:
    """And is adjudicated no more."""
    while not quick.game.finished:
        force_turn(quick.work, SLUG)
    for player in quick.players:
        assert [row.kind for row in quick.outbox(player)][-1] == "final"
        assert len(quick.outbox(player, "final")) == 1
    with pytest.raises(PostalError, match="is over"):
        force_turn(quick.work, SLUG)
    quick.clock.advance(timedelta(days=8))
    quick.poll()
    assert quick.due() == ()


def test_gifts_go_out_by_post_once_both_have_given(dealt: League) -> None:
    """2.4: each to its receiver alone, and from then on the give is final."""
    dealt.begin("post", exchange="post")
    loaded = dealt.loaded("post")
    table = loaded.game.tables[0]
    giver, receiver = table.players[0], table.players[1]

    def line(player: str) -> str:
        return next(item.examples[0] for item in view(loaded.game, player).due if item.table == "A")

    dealt.write(giver, line(giver), slug="post")
    dealt.poll()
    assert not dealt.outbox(None, "gift")
    dealt.write(giver, "cancel A", slug="post")
    dealt.write(giver, line(giver), slug="post")
    dealt.write(receiver, line(receiver), slug="post")
    dealt.poll()
    gifts = {row.player: text_of(row.raw) for row in dealt.outbox(None, "gift")}
    assert set(gifts) == {giver, receiver}
    given = line(giver).removeprefix("A: give ").split(" next")[0].split()
    assert all(card in gifts[receiver] for card in given)
    dealt.write(giver, "cancel A", slug="post")
    dealt.write(receiver, "cancel A", slug="post")
    dealt.poll()
    for player in (giver, receiver):
        assert "on their way" in text_of(dealt.outbox(player, "receipt")[-1].raw)
    assert len(dealt.outbox(None, "gift")) == 2
