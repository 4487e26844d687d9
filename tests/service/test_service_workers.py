"""Two at work on one database: each mail, turn and letter is one's, whoever stalls or is killed."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from postal.engine.view import view
from postal.mail.smtp import SendResult
from postal.service.inbound.queue import handle_new
from postal.service.inbound.taking import take_in
from postal.service.lease import BEAT_SECONDS, MAILBOX_LEASE, MailboxLease
from postal.service.ticks import Rounds
from postal.service.turns.reached import reckon_all
from postal.service.workplace import LEASE
from postal.store.database import Database
from postal.store.mails import lease_mail
from postal.store.outbox import lease_message
from postal.store.rows import Hindrance, MailStatus, OutboxState, TurnStatus
from tests.postgresql import postgresql_cluster, postgresql_url
from tests.service.service_league import HOUR, MINUTE, League, Post, Stumble, open_league

__all__ = ["postgresql_cluster", "postgresql_url"]

SECOND = timedelta(seconds=1)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def first(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[League]:
    """Give a game at turn 1, all mails sent, as one of two processes has it."""
    on_sqlite = request.param == "sqlite"
    url = f"sqlite:///{tmp_path / 'postal.db'}" if on_sqlite else postgresql(request)
    league = open_league(url, plain=True)
    league.begin()
    league.send()
    league.work = replace(league.work, owner="first")
    yield league
    league.database.close()


def postgresql(request: pytest.FixtureRequest) -> str:
    """Return the URL of a new database."""
    url = request.getfixturevalue("postgresql_url")
    assert isinstance(url, str)
    return url


@pytest.fixture
def second(first: League) -> League:
    """Give the league as the other process has it, at the same mailbox and the same time."""
    names = iter(range(10**6))
    work = replace(
        first.work,
        database=Database(first.database._writing),
        owner="second",
        new_name=lambda _: f"second{next(names):014d}",
    )
    return League(work, first.clock, first.post, first.players, first._serial)


Meanwhile = Callable[[str, Callable[[], object]], None]


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> Meanwhile:
    """Give a way to do something once, in the middle of the next call of a function."""

    def put(name: str, deed: Callable[[], object]) -> None:
        module, _, attribute = name.rpartition(".")
        original = getattr(__import__(module, fromlist=[attribute]), attribute)
        deeds = [deed]

        def called(*arguments: Any, **named: Any) -> Any:
            result = original(*arguments, **named)
            while deeds:
                deeds.pop()()
            return result

        monkeypatch.setattr(name, called)

    return put


AT_A_MAIL = "postal.service.inbound.queue.work_out"
AT_A_TURN = "postal.service.turns.adjudication.adjudicate"


def fails() -> None:
    """Fail as a bug would."""
    raise ValueError("odd")


def pass_lease(league: League, then: Callable[[], object]) -> Callable[[], object]:
    """Return what lets a lease end and then does something."""
    return lambda: (league.clock.advance(LEASE), then())


def lines(league: League, player: str) -> str:
    """Return the orders that a player owes."""
    return "\n".join(item.examples[0] for item in view(league.game, player).due)


def gifts(written: Sequence[str]) -> list[list[list[str]]]:
    """Return what is given by some lines, in whatever order each names the cards."""
    return sorted([sorted(part.split()) for part in line.split(",")] for line in written)


def make_failing(league: League, tries: int) -> None:
    """Let the first mail be one that has failed for a day, as others have not, if it has at all."""
    with league.database.transaction() as session:
        mail = league.mails()[0]
        if tries:
            mail.tries, mail.reason, mail.singled_at = tries, "ValueError", league.clock.now()
            mail.received_at -= timedelta(days=1)
        session.merge(mail)


def notices(league: League) -> list[str]:
    """Return the subjects of what was written to the GM beside the reports."""
    return [row.subject for row in league.outbox("") if "can't be handled" in row.subject]


def test_a_senders_mails_wait_for_their_first(
    first: League, second: League, meanwhile: Meanwhile
) -> None:
    """While one has Ann's first mail the other does Bob's, and her second counts last."""
    once = lines(first, "Ann")
    anew = re.sub(r"(\S+) (\S+) next, (\S+) previous", r"\3 \2 next, \1 previous", once)
    for text in (once, anew):
        first.write("Ann", text)
    first.write("Bob", lines(first, "Bob"))
    take_in(first.work, first.post)
    became: list[tuple[str, ...]] = []
    meanwhile(AT_A_MAIL, lambda: became.append(handle_new(second.work)))
    assert handle_new(first.work) == ("done", "done")
    assert became == [("done",)]
    assert gifts(first.on_file("Ann")) == gifts(anew.splitlines()) != gifts(once.splitlines())
    assert len(first.outbox("Ann", "receipt")) == 2
    assert len(first.outbox("Bob", "receipt")) == 1


def test_a_mail_whose_worker_stalls_is_handled_by_another(
    first: League, second: League, meanwhile: Meanwhile
) -> None:
    """The other's word counts, once, and the late one writes nothing."""
    first.write("Ann", lines(first, "Ann"))
    take_in(first.work, first.post)
    meanwhile(AT_A_MAIL, pass_lease(first, lambda: handle_new(second.work)))
    assert handle_new(first.work) == ("gone",)
    (mail,) = first.mails()
    assert (mail.status, mail.tries, mail.owner) == (MailStatus.DONE, 2, None)
    assert len(first.outbox("Ann", "receipt")) == 1


@pytest.mark.parametrize("tries", [0, 2])
def test_a_mail_is_never_both_taken_and_set_aside(
    first: League, second: League, meanwhile: Meanwhile, tries: int
) -> None:
    """Whoever fails at it after another took it changes nothing, at the last try too."""
    first.write("Ann", lines(first, "Ann"))
    take_in(first.work, first.post)
    make_failing(first, tries)

    def taken_then_failing() -> None:
        first.clock.advance(LEASE)
        meanwhile(AT_A_MAIL, lambda: None)
        assert handle_new(second.work) in {("done",), ("quarantined",)}
        fails()

    meanwhile(AT_A_MAIL, taken_then_failing)
    handle_new(first.work)
    (mail,) = first.mails()
    receipts, aside = len(first.outbox("Ann", "receipt")), len(notices(first))
    handled = mail.status is MailStatus.DONE
    assert (receipts, aside) == ((1, 0) if handled else (0, 1)) or not tries
    assert bool(first.on_file("Ann")) is (mail.status is MailStatus.DONE)


@pytest.mark.parametrize("tries", [0, 2])
@pytest.mark.parametrize("then", [lambda: None, fails])
def test_who_comes_too_late_at_a_mail_takes_it_from_nobody(
    first: League,
    second: League,
    meanwhile: Meanwhile,
    tries: int,
    then: Callable[[], object],
) -> None:
    """While another is at it, it is neither written, nor set aside, nor handed to a third."""
    first.write("Ann", lines(first, "Ann"))
    take_in(first.work, first.post)
    make_failing(first, tries)

    def stalling() -> None:
        now = first.clock.advance(LEASE)
        with second.database.transaction() as session:
            assert lease_mail(session, owner="second", now=now, until=now + LEASE)
        then()

    meanwhile(AT_A_MAIL, stalling)
    handle_new(first.work)
    (mail,) = first.mails()
    assert (mail.status, mail.owner) == (MailStatus.NEW, "second")
    assert first.on_file("Ann") == notices(first) == []
    assert handle_new(replace(second.work, owner="third")) == ()


def test_a_mail_one_stored_is_handled_by_another(first: League, second: League) -> None:
    """Who has the mailbox stores, and whoever comes first handles."""
    first.write("Ann", lines(first, "Ann"))
    assert take_in(first.work, first.post).stored == 1
    rounds = Rounds(second.work, lambda: second.post, second.post, MailboxLease(second.work))
    rounds.round()
    assert second.post.entered == 0
    assert len(second.outbox("Ann", "receipt")) == 1
    assert [name for name, _ in second.post.sent[-1:]] == ["ann@example.org"]


def test_a_mail_that_another_moved_is_no_error(first: League, second: League) -> None:
    """Both poll, and one is faster at putting it away."""
    first.write("Ann", lines(first, "Ann"))
    slow = Post(first.clock, dict(first.post.inbox))
    first.poll()
    second.post = slow
    second.poll()
    assert [mail.moved for mail in first.mails()] == [True]
    assert len(first.outbox("Ann", "receipt")) == 1


class Interrupted(Post):
    """A submission server at which something happens while it takes its first mail."""

    deed: Callable[[], object] | None = None

    def send(self, raw: bytes, recipient: str, envelope_from: str) -> SendResult:
        """Take a mail."""
        deed, self.deed = self.deed, None
        if deed is not None:
            deed()
        return super().send(raw, recipient, envelope_from)


@pytest.fixture
def letters(first: League) -> Interrupted:
    """Give the first's way to send, with a letter to each player to go."""
    for player in first.players:
        first.write(player, "help\n")
    first.poll()
    return Interrupted(first.clock)


def sent_ids(*posts: Post) -> Counter[bytes]:
    """Return how often each mail was sent."""
    return Counter(raw for post in posts for _, raw in post.sent)


def test_two_send_different_letters(first: League, second: League, letters: Interrupted) -> None:
    """Each goes once."""
    second.post = Post(first.clock)
    letters.deed = second.send
    first.post = letters
    first.send()
    assert (len(letters.sent), len(second.post.sent)) == (1, 5)
    assert set(sent_ids(letters, second.post).values()) == {1}


@pytest.mark.parametrize("state", ["sent", "failed", "retry", "unknown"])
def test_a_letter_whose_sender_stalls(
    first: League, second: League, letters: Interrupted, state: Any
) -> None:
    """Another sends it under its Message-ID, and what became of that stays."""
    second.post = Post(first.clock)
    letters.deed = pass_lease(first, second.send)
    letters.results = [SendResult(state, 250 if state == "sent" else 550, "so")]
    first.post = letters
    first.send()
    assert len(second.post.sent) == 6
    rows = first.outbox(None, "help")
    assert {(row.state, row.last_code) for row in rows} == {(OutboxState.SENT, 250)}
    assert not [row for row in first.outbox("") if "could not be delivered" in row.subject]


@pytest.mark.parametrize("state", ["sent", "failed", "retry", "unknown"])
def test_an_answer_that_comes_too_late_takes_a_letter_from_nobody(
    first: League, second: League, letters: Interrupted, state: Any
) -> None:
    """It is the other's until that one is done with it."""

    def taken() -> None:
        now = first.clock.advance(LEASE)
        with second.database.transaction() as session:
            assert lease_message(session, owner="second", now=now, until=now + LEASE)

    letters.deed = taken
    letters.results = [SendResult(state, 550, "so")]
    first.post = letters
    first.send()
    left, *others = first.outbox(None, "help")
    assert (left.state, left.owner) == (OutboxState.SENDING, "second")
    assert {row.state for row in others} == {OutboxState.SENT}


def test_what_a_killed_sender_left_goes_within_five_minutes(
    first: League, second: League, letters: Interrupted
) -> None:
    """Not before its lease is over, and under the same Message-ID."""
    letters.fails["sent"] = Stumble()
    first.post = letters
    with pytest.raises(Stumble):
        first.send()
    second.post = Post(first.clock)
    second.send()
    assert len(second.post.sent) == 5
    first.clock.advance(LEASE)
    second.send()
    assert LEASE + MINUTE <= 5 * MINUTE, "with a round a minute"
    assert sorted(sent_ids(letters, second.post).values()) == [1, 1, 1, 1, 1, 2]


def test_what_is_interrupted_is_given_back_at_once(
    first: League, second: League, letters: Interrupted
) -> None:
    """As `postal poll` does at Ctrl-C, beside a daemon."""
    letters.fails["send"] = KeyboardInterrupt()
    rounds = Rounds(first.work, lambda: first.post, letters)
    with pytest.raises(KeyboardInterrupt):
        rounds.send()
    rounds.close()
    second.post = Post(first.clock)
    second.send()
    assert set(sent_ids(second.post).values()) == {1}
    assert len(second.post.sent) == 6


@pytest.fixture
def due(first: League) -> League:
    """Give the first's league with two games whose turn is due."""
    first.begin("smith-2", bytes(32))
    for slug in ("smith-1", "smith-2"):
        for player in first.players:
            items = view(first.loaded(slug).game, player).due
            first.write(player, "\n".join(item.examples[0] for item in items), slug=slug)
    first.poll()
    first.clock.advance(HOUR)
    return first


def reports(league: League) -> Counter[tuple[int, str]]:
    """Return how many reports of turn 1 each player has of each game."""
    return Counter((row.game_id, row.player) for row in league.outbox(None, "report"))


def test_two_adjudicate_different_games(due: League, second: League, meanwhile: Meanwhile) -> None:
    """Each turn once."""
    done: list[str] = []
    meanwhile(AT_A_TURN, lambda: done.extend(one.slug for one in second.due()))
    done.extend(one.slug for one in due.due())
    assert sorted(done) == ["smith-1", "smith-2"]
    assert set(reports(due).values()) == {1}
    assert len(reports(due)) == 12


@pytest.mark.parametrize("then", [lambda: None, fails])
def test_a_turn_whose_worker_stalls_is_adjudicated_by_another(
    due: League, second: League, meanwhile: Meanwhile, then: Callable[[], object]
) -> None:
    """With the orders as they were fixed; whoever comes too late, or fails, writes nothing."""
    done: list[str] = []

    def stalling() -> None:
        due.clock.advance(LEASE)
        done.extend(one.slug for one in second.due())
        then()

    meanwhile(AT_A_TURN, stalling)
    assert due.due() == ()
    assert sorted(done) == ["smith-1", "smith-2"]
    assert set(reports(due).values()) == {1}
    assert notices(due) == []
    turns = [turn.status for turn in due.turns()]
    assert Counter(turns) == {TurnStatus.DONE: 4, TurnStatus.OPEN: 2}


def test_a_turn_whose_worker_was_killed_is_taken_over(
    due: League, second: League, meanwhile: Meanwhile
) -> None:
    """When its lease is over, before what is due since."""

    def killed() -> None:
        raise Stumble

    meanwhile(AT_A_TURN, killed)
    with pytest.raises(Stumble):
        due.due()
    assert len(second.due()) == 1
    assert second.due() == ()
    due.clock.advance(LEASE)
    (late,) = second.due()
    assert late.why == "claimed"
    assert set(reports(due).values()) == {1}


def test_one_has_the_mailbox_and_another_takes_it_over(first: League, second: League) -> None:
    """Within a minute of its last word, and at once where it left it."""
    mine, other = MailboxLease(first.work), MailboxLease(second.work)
    assert mine.beat()
    assert not other.beat()
    first.clock.advance(MAILBOX_LEASE - SECOND)
    assert not mine.beat()
    assert mine.held
    first.clock.advance(MAILBOX_LEASE - SECOND)
    assert not other.beat()
    first.clock.advance(SECOND)
    assert other.beat()
    assert MAILBOX_LEASE + timedelta(seconds=BEAT_SECONDS) < MINUTE
    assert not mine.beat()
    assert not mine.held
    mine.leave()
    assert not mine.beat()
    other.leave()
    assert mine.beat()


def test_only_who_has_the_mailbox_opens_it(first: League, second: League) -> None:
    """And whoever lost it closes it."""
    leases = MailboxLease(first.work), MailboxLease(second.work)
    rounds = [
        Rounds(league.work, lambda: first.post, league.post, lease)
        for league, lease in zip((first, second), leases, strict=True)
    ]
    for lease in leases:
        lease.beat()
    for one in rounds:
        one.round()
    assert (first.post.entered, first.post.closed) == (1, 0)
    first.clock.advance(MAILBOX_LEASE)
    for lease in reversed(leases):
        lease.beat()
    for one in rounds:
        one.round()
    assert (first.post.entered, first.post.closed) == (2, 1)


def test_a_long_round_ends_where_the_mailbox_is_to_be_polled(
    first: League, second: League, letters: Interrupted
) -> None:
    """Who takes it over doesn't send hundreds of letters first."""
    taken = MailboxLease(first.work)
    taken.beat()
    lease = MailboxLease(second.work)

    def over() -> None:
        first.clock.advance(MAILBOX_LEASE)
        assert lease.beat()

    letters.deed = over
    rounds = Rounds(second.work, lambda: letters, letters, lease)
    rounds.round()
    assert (len(letters.sent), letters.entered) == (1, 0)
    rounds.round()
    assert (len(letters.sent), letters.entered) == (6, 1)


REFUSED = SendResult("retry", 535, "refused", about_us=True)


def test_two_keep_to_one_pause_and_make_one_try_in_it(first: League, second: League) -> None:
    """A login tried by each of them for each mail would soon be locked."""
    first.play(1)
    offered: list[str] = []

    def send(raw: bytes, recipient: str, envelope_from: str) -> SendResult:
        del raw, envelope_from
        offered.append(recipient)
        return REFUSED

    first.post.send = send  # type: ignore[method-assign]  # a server that refuses us
    tried = []
    for _ in range(25):
        first.send()
        second.send()
        tried.append(len(offered))
        first.clock.advance(MINUTE)
    assert tried == [1] + [2] * 5 + [3] * 15 + [4] * 4
    del first.post.send
    first.clock.advance(15 * MINUTE)
    second.send()
    assert {row.state for row in first.outbox()} == {OutboxState.SENT}
    assert {row.hindrance for row in first.outbox(None, "report")} == {Hindrance.OURS}
    reckon_all(first.work)
    assert {row.hindrance for row in first.outbox()} == {Hindrance.NONE}


def test_two_that_try_at_one_moment_take_one_mail(first: League, second: League) -> None:
    """Whoever is second at the end of a pause leaves it to the other."""
    first.play(1)
    first.post.results = [REFUSED]
    first.send()
    first.post.results = [REFUSED] * 9
    first.clock.advance(MINUTE)
    seen: list[int] = []

    def other() -> None:
        second.send()
        seen.append(len(first.post.results))

    letters = Interrupted(first.clock, results=first.post.results)
    letters.deed = other
    first.post = letters
    first.send()
    assert seen == [9]
    assert len(letters.results) == 8
