"""Outages: nobody is NMR at a deadline that lay in one; it moves, all are told (RULES.md 9.1)."""

import random
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from sqlmodel import select

from postal.engine.events import Nmr
from postal.engine.view import view
from postal.mail.connection import MailboxUnavailable
from postal.mail.smtp import SendResult
from postal.service.desk.holding import hold, resume
from postal.service.desk.log import game_log
from postal.service.desk.status import league_status
from postal.service.inbound.intake import poll
from postal.service.outbound.letters import Letters
from postal.service.ticks import Rounds
from postal.service.turns.outages import poll_was_whole
from postal.store.codec import decode_book, decode_events
from postal.store.rows import OutageRow
from tests.service.people_league import OTHER
from tests.service.service_league import (
    DEADLINE,
    HOUR,
    MINUTE,
    SLUG,
    START,
    League,
    Stumble,
    text_of,
)

DAY = 24 * HOUR
AFTER = DAY
DOWN = SendResult("retry", 0, "No SMTP server answers", about_us=True)


@pytest.fixture
def running(quick: League) -> League:
    """Give a game at turn 1 of a program that takes a day for an outage, seen at work."""
    quick.work = replace(quick.work, outage_after=AFTER)
    quick.poll()
    return quick


def started(league: League) -> Rounds:
    """Start the daemon anew."""
    rounds = Rounds(league.work, lambda: league.post, league.post)
    rounds.begin()
    return rounds


def at_work(league: League, rounds: Rounds, until: datetime, step: timedelta = 12 * HOUR) -> None:
    """Make rounds until then."""
    while league.clock.now() + step < until:
        league.clock.advance(step)
        rounds.round()
    league.clock.move_to(until)
    rounds.round()


def off(league: League, begins: datetime, ends: datetime, rounds: Rounds | None = None) -> Rounds:
    """Let the daemon be at work until a time, then off, and start at another."""
    at_work(league, rounds or started(league), begins)
    league.clock.move_to(ends)
    again = started(league)
    again.round()
    return again


def deadline(league: League, slug: str = SLUG) -> datetime:
    """Return the deadline in play."""
    turn = league.loaded(slug).turn
    assert turn is not None
    assert turn.deadline is not None
    return turn.deadline


def outages(league: League) -> list[tuple[str, datetime, datetime]]:
    """Return what was noted."""
    with league.database.reading() as session:
        rows = session.exec(select(OutageRow).order_by(OutageRow.id)).all()  # type: ignore[arg-type]  # a column
    return [(row.what.value, row.began, row.ended) for row in rows]


def notices(league: League, *subjects: str) -> list[str]:
    """Return the texts of the GM's mails with one of some subjects, each on one line."""
    named = [f"postal: {subject}" for subject in subjects]
    return [" ".join(text_of(one.raw).split()) for one in league.outbox("") if one.subject in named]


WAS_OFF, OUT_OF_REACH = "postal was off", "the mailbox was out of reach"


def test_9_1_a_deadline_that_lay_in_an_outage_moves_by_it(running: League) -> None:
    """Nobody is NMR; all are told, the GM once; then it is as any other."""
    rounds = off(running, DEADLINE - HOUR, DEADLINE + 2 * DAY)
    length = 2 * DAY + HOUR
    assert running.game.turn == 1
    assert outages(running) == [("machine", DEADLINE - HOUR, DEADLINE + 2 * DAY)]
    assert deadline(running) == DEADLINE + length
    for player in running.players:
        assert len(running.outbox(player, "deadline")) == 1
    at_work(running, rounds, DEADLINE + length - MINUTE)
    assert running.game.turn == 1
    at_work(running, rounds, DEADLINE + length)
    assert running.game.turn == 2
    assert running.game.missed["Ann"] == 1, "in the end it is a deadline as any other"
    assert len(running.outbox("Ann", "deadline")) == 1


def test_9_1_what_the_players_and_the_gm_are_told(dealt: League) -> None:
    """The players why, and not for whom; the GM from when to when, and which turns."""
    dealt.work = replace(dealt.work, outage_after=AFTER)
    dealt.poll()
    rounds = off(dealt, START + DAY, START + 3 * DAY)
    off(dealt, DEADLINE - HOUR, DEADLINE + 2 * DAY, rounds)
    (mine,) = dealt.outbox("Ann", "deadline")
    said = " ".join(text_of(mine.raw).split())
    assert "The deadline fell while our mail service was out of action" in said
    assert "It was Monday 9 March 2026, 20:00 GMT (Europe/London)." in said
    assert "The deadline is Wednesday 11 March 2026, 21:00 GMT" in said
    before, told = notices(dealt, WAS_OFF)
    assert "No deadline fell in that time." in before
    assert (
        "from Monday 9 March 2026, 19:00 UTC to Wednesday 11 March 2026, 20:00 UTC (2 days and 1"
        " hour)"
    ) in told
    assert "turn 1 of smith-1. If orders are missing, the deadline moves by as long" in told


def test_9_1_the_log_and_the_status_tell_of_it(running: League) -> None:
    """The one why the deadline moved, the other the outage, for a week; no problem is left."""
    rounds = off(running, DEADLINE - HOUR, DEADLINE + 2 * DAY)
    entries = [one["more"] for one in game_log(running.work, SLUG) if one["what"] == "deadline"]
    assert len(entries) == 1
    assert "it lay in a time in which the program was off" in entries[0]
    facts = league_status(running.work)
    assert [one["what"] for one in facts["outages"]] == ["machine"]
    assert facts["outages"][0]["sentence"].startswith(
        "postal was off, or its computer asleep, from"
    )
    assert facts["problems"] == []
    at_work(running, rounds, DEADLINE + 10 * DAY)
    assert league_status(running.work)["outages"] == []


def test_10_5_a_mailbox_that_is_away_is_an_outage(running: League) -> None:
    """The program was at work: the GM is told once that it began, and once that it is over."""
    rounds = started(running)
    at_work(running, rounds, DEADLINE - DAY)
    running.post.fails["new_uids"] = running.post.fails["enter"] = MailboxUnavailable("Down")
    at_work(running, rounds, DEADLINE + DAY)
    assert running.game.turn == 1
    running.post.fails.clear()
    at_work(running, rounds, DEADLINE + DAY + HOUR)
    assert [what for what, _, _ in outages(running)] == ["mailbox"]
    assert deadline(running) == DEADLINE + 2 * DAY + HOUR
    assert len(notices(running, OUT_OF_REACH)) == 1
    assert not notices(running, WAS_OFF, "it is over: the mailbox can't be read")
    assert len(notices(running, "the mailbox can't be read")) == 1


def test_10_5_while_no_mail_can_be_sent_no_turn_ends_and_then_its_deadline_moves(
    running: League,
) -> None:
    """Though its reports went in time: reminders and receipts did not."""
    rounds = started(running)
    at_work(running, rounds, DEADLINE - 2 * DAY)
    away = [running.clock.now()]
    send = running.post.send
    running.post.send = lambda *_: DOWN  # type: ignore[method-assign]  # for a while
    running.write("Bob", "status")
    at_work(running, rounds, DEADLINE + DAY)
    assert running.game.turn == 1
    assert deadline(running) == DEADLINE
    running.write("Ann", "\n".join(item.examples[0] for item in view(running.game, "Ann").due))
    at_work(running, rounds, DEADLINE + DAY + HOUR)
    assert running.on_file("Ann"), "the deadline has not passed"
    running.post.send = send  # type: ignore[method-assign]  # as it was
    at_work(running, rounds, DEADLINE + DAY + 3 * HOUR)
    at_work(running, rounds, DEADLINE + DAY + 4 * HOUR)
    ((what, began, ended),) = outages(running)
    assert (what, began > away[0]) == ("sending", True)
    assert deadline(running) == DEADLINE + (ended - began)
    assert running.game.turn == 1
    assert len(notices(running, "mail can be sent again")) == 1


def test_9_1_a_short_time_is_no_outage(running: League) -> None:
    """Nobody is told, and the turn is adjudicated as soon as the program is at work again."""
    off(running, DEADLINE - HOUR, DEADLINE + AFTER - HOUR - MINUTE)
    assert running.game.turn == 2
    assert outages(running) == []
    assert not notices(running, WAS_OFF)


@pytest.mark.parametrize(
    ("begins", "ends", "turn", "moved"),
    [
        (timedelta(0), DAY, 2, 7 * DAY),
        (-2 * DAY, -MINUTE, 1, timedelta(0)),
        (-2 * DAY, timedelta(0), 1, 2 * DAY),
    ],
)
def test_9_1_a_deadline_beside_an_outage_stays(
    running: League, begins: timedelta, ends: timedelta, turn: int, moved: timedelta
) -> None:
    """One with which the program went off, and one just after the end; at the very end it moves."""
    off(running, DEADLINE + begins, DEADLINE + ends)
    assert (running.game.turn, deadline(running)) == (turn, DEADLINE + moved)
    assert len(notices(running, WAS_OFF)) == 1


def test_9_1_a_turn_whose_orders_are_all_in_goes_on(running: League) -> None:
    """Mail that came in the outage counts: before the deadline, and after it."""
    running.order_all("Ann")
    rounds = started(running)
    at_work(running, rounds, DEADLINE - HOUR)
    lines = "\n".join(item.examples[0] for item in view(running.game, "Ann").due)
    running.clock.move_to(DEADLINE + 2 * DAY)
    running.write("Ann", lines, at=DEADLINE + DAY)
    started(running).round()
    assert running.game.turn == 2
    assert running.game.missed["Ann"] == 0
    assert not running.outbox("Ann", "late")
    assert not running.outbox("Ann", "deadline")


def test_9_1_mail_that_came_in_the_outage_counts_though_another_process_reads_it(
    running: League,
) -> None:
    """It handles what is stored before the poll is whole that tells of the outage."""
    at_work(running, started(running), DEADLINE - HOUR)
    running.clock.move_to(DEADLINE + 2 * DAY)
    running.write("Ann", "status", at=DEADLINE + DAY)
    lines = "\n".join(item.examples[0] for item in view(running.game, "Ann").due)
    running.write("Ann", lines, at=DEADLINE + DAY)
    poll(running.work, running.post, on_time=False)
    assert outages(running) == []
    assert running.on_file("Ann")
    assert not running.outbox("Ann", "late")


def test_9_1_the_grace_belongs_to_the_deadline(running: League) -> None:
    """A turn waits for its grace: it moves where either end of that lay in the outage."""
    running.begin(OTHER, bytes(32), grace=4)
    off(running, DEADLINE + HOUR, DEADLINE + 2 * DAY)
    assert running.game.turn == 2
    assert running.loaded(OTHER).game.turn == 1
    assert deadline(running, OTHER) == DEADLINE + 2 * DAY + HOUR, "an hour from then on"


@pytest.mark.parametrize("after", [False, True])
def test_9_1_a_game_on_hold_in_an_outage(running: League, *, after: bool) -> None:
    """It goes on with the time it had; where it was held after its deadline, it moves then."""
    rounds = started(running)
    at_work(running, rounds, DEADLINE - DAY)
    running.post.fails["new_uids"] = running.post.fails["enter"] = MailboxUnavailable("Down")
    at_work(running, rounds, DEADLINE + (HOUR if after else -HOUR))
    hold(running.work, SLUG)
    at_work(running, rounds, DEADLINE + DAY)
    running.post.fails.clear()
    at_work(running, rounds, DEADLINE + 10 * DAY, DAY)
    resume(running.work, SLUG)
    running.clock.advance(MINUTE)
    rounds.round()
    assert running.game.turn == 1
    left = deadline(running) - running.clock.now()
    assert left == (DAY if after else HOUR - MINUTE)


def test_9_7_the_first_grace_is_not_lost_and_not_doubled(running: League) -> None:
    """At the moved deadline the first turn waits once more, as it would have before."""
    running.begin(OTHER, bytes(32), first_grace=7)
    running.order_all()
    rounds = off(running, DEADLINE - HOUR, DEADLINE + 2 * DAY)
    moved = deadline(running, OTHER)
    assert moved == DEADLINE + 2 * DAY + HOUR
    at_work(running, rounds, moved)
    assert deadline(running, OTHER) == DEADLINE + 9 * DAY
    at_work(running, rounds, DEADLINE + 9 * DAY)
    assert running.loaded(OTHER).game.turn == 2


def test_9_1_reports_that_were_held_up_are_not_counted_twice(running: League) -> None:
    """Where they could not be sent, and so were late, the deadline moves by that alone."""
    running.order_all()
    rounds = started(running)
    at_work(running, rounds, START + DAY - HOUR)
    send = running.post.send
    running.post.send = lambda *_: DOWN  # type: ignore[method-assign]  # for a while
    number, opened = running.game.turn, running.clock.now()
    running.order_all()
    at_work(running, rounds, opened + HOUR)
    assert running.game.turn == number + 1
    told = deadline(running)
    at_work(running, rounds, told + DAY)
    running.post.send = send  # type: ignore[method-assign]  # as it was
    at_work(running, rounds, told + DAY + 3 * HOUR)
    assert running.game.turn == number + 1
    assert len(running.outbox("Ann", "deadline")) == 1
    once = deadline(running)
    at_work(running, rounds, once)
    assert running.game.turn == number + 2


@pytest.mark.parametrize("where", ["notice", "move"])
def test_9_1_a_program_killed_over_it_does_all_of_it_once(
    running: League, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    """Before the outage is noted, or before the deadline is moved."""
    point = {"notice": (Letters, "queue"), "move": ("postal.service.turns.deadlines", "_write")}
    at_work(running, started(running), DEADLINE - HOUR)
    running.clock.move_to(DEADLINE + 2 * DAY)

    def killed(*_: object, **__: object) -> None:
        raise Stumble

    with monkeypatch.context() as patch:
        target, name = point[where]
        if isinstance(target, str):
            patch.setattr(f"{target}.{name}", killed)
        else:
            patch.setattr(target, name, killed)
        with pytest.raises(Stumble):
            started(running).round()
    running.clock.advance(5 * MINUTE)
    started(running).round()
    length = 2 * DAY + HOUR + (5 * MINUTE if where == "notice" else timedelta(0))
    assert len(outages(running)) == 1
    assert len(notices(running, WAS_OFF)) == 1
    assert deadline(running) == DEADLINE + length
    assert len(running.outbox("Ann", "deadline")) == 1


def test_9_1_two_polls_at_once_note_it_once(running: League) -> None:
    """The one that comes second finds that the first has told of it."""
    running.clock.move_to(DEADLINE)
    began = running.clock.now()
    read = running.database.reading
    other = replace(running.work, owner="other")
    done: list[bool] = []

    class Between:
        """A database on which the other is first, between reading and writing."""

        reading = staticmethod(read)

        @staticmethod
        def transaction() -> object:
            if not done:
                done.append(True)
                poll_was_whole(other, uidvalidity=7, began=began)
            return running.database.transaction()

    poll_was_whole(
        replace(running.work, database=Between()),  # type: ignore[arg-type]  # a stand-in
        uidvalidity=7,
        began=began,
    )
    assert len(outages(running)) == len(notices(running, WAS_OFF)) == 1


def test_a_clock_that_is_set_forward_is_no_outage(running: League) -> None:
    """The mail server knows better, and once it is set right all is as before."""
    rounds = started(running)
    at_work(running, rounds, START + 4 * HOUR)
    right = running.clock.now()
    running.post.says = right
    running.clock.set(DEADLINE + 8 * DAY)
    for _ in range(3):
        running.clock.advance(MINUTE)
        running.post.says += MINUTE
        rounds.round()
    running.clock.set(running.post.says)
    rounds.round()
    assert outages(running) == []
    assert deadline(running) == DEADLINE


def test_a_program_that_sleeps_is_an_outage(running: League) -> None:
    """Its clock has jumped and is right: no process was started anew."""
    rounds = started(running)
    at_work(running, rounds, DEADLINE - HOUR)
    running.clock.set(DEADLINE + DAY)
    running.post.says = running.clock.now()
    rounds.round()
    assert [what for what, _, _ in outages(running)] == ["machine"]
    assert deadline(running) == DEADLINE + DAY + HOUR


def test_without_outage_after_all_is_as_before(quick: League) -> None:
    """A league that is polled once a day goes on at its deadlines."""
    quick.poll()
    quick.clock.move_to(DEADLINE + DAY)
    started(quick).round()
    assert quick.game.turn == 2
    assert outages(quick) == []


@pytest.mark.parametrize("seed", range(2))
def test_9_1_over_weeks_nobody_is_absent_at_a_deadline_in_an_outage(
    running: League, seed: int
) -> None:
    """Whatever is away when, and for how long: some order late, and who does in time is not NMR.

    An order is written at some time before the deadline as it was last told by then.
    """
    pick = random.Random(seed)
    running.begin(OTHER, bytes(32), nmr_limit=0)
    rounds, clock = started(running), running.clock
    away_until: datetime | None = None
    ordered: set[tuple[str, int]] = set()
    for _ in range(9 * 7):
        clock.advance(DAY * pick.uniform(0.7, 1.0))
        if away_until is None and pick.random() < 0.2:
            away_until = clock.now() + DAY * pick.uniform(0.5, 6)
        if away_until is not None and clock.now() >= away_until:
            away_until, rounds = None, started(running)
        number = running.loaded(OTHER).game.turn
        if clock.now() < deadline(running, OTHER):
            for player in running.players:
                if pick.random() < 0.3 and (player, number) not in ordered:
                    running.order(player, OTHER)
                    ordered.add((player, number))
        if away_until is None:
            rounds.round()
    spans = [(began, ended) for _, began, ended in outages(running)]
    assert spans
    game_id = running.loaded(OTHER).id
    turns = [one for one in running.turns() if one.game_id == game_id and one.orders and one.number]
    assert len(turns) > 2
    for turn in turns:
        book = decode_book(turn.orders or "")
        assert {player for player, number in ordered if number == turn.number} == book.heard
        assert turn.deadline is not None
        if any(isinstance(event, Nmr) for event in decode_events(turn.events or "")):
            assert not any(began < turn.deadline <= ended for began, ended in spans)
