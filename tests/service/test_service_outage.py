"""A PostgreSQL server that is restarted, or that ends a connection in the middle of something."""

import logging
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

import psycopg
import pytest

from postal.engine.game import adjudicate
from postal.mail.smtp import SendResult
from postal.service.inbound.handling import work_out
from postal.service.lease import MailboxLease
from postal.service.ticks import Rounds
from postal.store.rows import MailStatus, OutboxState
from tests.postgresql import Cluster, running_cluster
from tests.service.crowd import plain
from tests.service.service_league import HOUR, League, Post, open_league

pytestmark = pytest.mark.postgresql


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """Run a server that these tests alone use."""
    with running_cluster() as cluster:
        yield cluster


@pytest.fixture
def url(cluster: Cluster) -> str:
    """Return the URL of a new database."""
    return cluster.new_database()


@pytest.fixture
def league(url: str) -> Iterator[League]:
    """Give a game at turn 1 with all orders in the mailbox."""
    league = open_league(url, plain=True)
    league.work = replace(league.work, owner="daemon")
    league.begin()
    league.send()
    league.order_all()
    yield league
    league.database.close()


class Daemon:
    """What a daemon does, a beat and a round at a time."""

    def __init__(self, league: League, post: Post | None = None) -> None:
        """Take the league and what sends its mail."""
        self.lease = MailboxLease(league.work)
        self.rounds = Rounds(league.work, lambda: league.post, post or league.post, self.lease)

    def round(self) -> None:
        """Renew the lease and make a round."""
        self.lease.beat()
        self.rounds.round()


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what was warned of, and that all is well again."""
    messages = [one.getMessage() for one in caplog.records]
    levels = [one.levelno for one in caplog.records]
    return [
        message
        for message, level in zip(messages, levels, strict=True)
        if level >= logging.WARNING or "working again" in message
    ]


def test_a_restart_is_told_once_and_got_over(
    league: League, cluster: Cluster, caplog: pytest.LogCaptureFixture
) -> None:
    """However many rounds the server is away; then the lease is taken anew and all goes on."""
    daemon = Daemon(league)
    daemon.round()
    assert daemon.lease.held
    cluster.stop()
    try:
        with caplog.at_level(logging.INFO, "postal"):
            for _ in range(3):
                daemon.round()
                assert not daemon.lease.held
    finally:
        cluster.resume()
    league.clock.advance(HOUR)
    with caplog.at_level(logging.INFO, "postal"):
        daemon.round()
    assert daemon.lease.held
    gone, back = told(caplog)
    assert gone.startswith("database: The PostgreSQL server can't be reached")
    assert back == "database: working again"
    assert league.game.turn == 2
    assert len(league.outbox(None, "report")) == 6


def test_a_restart_between_two_rounds_is_nothing(
    league: League, cluster: Cluster, caplog: pytest.LogCaptureFixture
) -> None:
    """The connections are made anew."""
    daemon = Daemon(league)
    daemon.round()
    cluster.stop()
    cluster.resume()
    league.clock.advance(HOUR)
    with caplog.at_level(logging.INFO, "postal"):
        daemon.round()
    assert told(caplog) == []
    assert daemon.lease.held
    assert league.game.turn == 2


@pytest.fixture
def cut(league: League, url: str) -> Callable[[], None]:
    """Give what ends all connections to the database, those of the daemon among them, once."""
    cuts = [url]

    def cut() -> None:
        while cuts:
            with psycopg.connect(plain(cuts.pop())) as connection:
                connection.execute(
                    "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
                    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )

    del league
    return cut


def test_a_connection_lost_at_a_mail(
    league: League,
    cut: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It is handled at the next round, and the try doesn't count."""

    def cutting(*arguments: object, **named: object) -> object:
        cut()
        return work_out(*arguments, **named)  # type: ignore[arg-type]  # handed on as they come

    monkeypatch.setattr("postal.service.inbound.queue.work_out", cutting)
    daemon = Daemon(league)
    daemon.round()
    daemon.round()
    assert {(mail.status, mail.tries) for mail in league.mails()} == {(MailStatus.DONE, 1)}
    assert len(league.outbox(None, "receipt")) == 6
    assert len(told(caplog)) == 1


def test_a_server_that_is_away_when_a_turn_is_worked_out(
    league: League,
    cluster: Cluster,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The turn that was claimed then is adjudicated as soon as the server is back."""
    stops = [cluster.stop]

    def stopping(*arguments: object) -> object:
        while stops:
            stops.pop()()
        return adjudicate(*arguments)  # type: ignore[arg-type]  # handed on as they come

    monkeypatch.setattr("postal.service.turns.adjudication.adjudicate", stopping)
    daemon = Daemon(league)
    daemon.round()
    league.clock.advance(HOUR)
    daemon.round()
    assert stops == []
    cluster.resume()
    daemon.round()
    assert league.game.turn == 2
    assert len(league.outbox(None, "report")) == 6
    assert len(told(caplog)) == 1


class Cutting(Post):
    """A submission server during whose first mail the database's connections are lost."""

    cut: Callable[[], None]

    def send(self, raw: bytes, recipient: str, envelope_from: str) -> SendResult:
        """Take a mail."""
        result = super().send(raw, recipient, envelope_from)
        self.cut()
        return result


def test_a_connection_lost_at_a_letter(league: League, cut: Callable[[], None]) -> None:
    """What was noted of it is noted over a new connection, and it goes once."""
    post = Cutting(league.clock)
    post.cut = cut
    daemon = Daemon(league, post)
    daemon.round()
    daemon.round()
    assert {row.state for row in league.outbox()} == {OutboxState.SENT}
    assert set(Counter(raw for _, raw in post.sent).values()) == {1}
    assert len(post.sent) == 6


def test_a_server_that_is_away_when_a_letter_has_gone(league: League, cluster: Cluster) -> None:
    """It goes again at once when the server is back, as the same mail: nobody knows."""
    stops = [cluster.stop]
    post = Cutting(league.clock)
    post.cut = lambda: stops.pop()() if stops else None
    daemon = Daemon(league, post)
    daemon.round()
    cluster.resume()
    daemon.round()
    assert {row.state for row in league.outbox()} == {OutboxState.SENT}
    assert sorted(Counter(raw for _, raw in post.sent).values()) == [1, 1, 1, 1, 1, 2]
