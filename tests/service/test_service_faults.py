"""Mail servers that fail at every step of a round: nothing lost, nothing done twice."""

import contextlib
import logging
import sqlite3
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from postal.clock import ManualClock
from postal.engine.view import view
from postal.mail.imap import PROCESSED, ImapSettings, Mailbox
from postal.mail.smtp import Sender, SmtpSettings
from postal.service.inbound.taking import MOST_CONNECTIONS
from postal.service.ticks import Rounds
from postal.store.codec import decode_book
from postal.store.rows import MailStatus, OutboxState
from tests.mail.faulty import DROP, EVERYTHING, HOST, LOST, Faulty, FaultyImap, FaultySmtp
from tests.service.conftest import opened
from tests.service.service_league import DEADLINE, MINUTE, League, parsed

Stages = dict[str, tuple[Path, datetime]]


@dataclass
class House:
    """A league whose post goes over two servers that can fail."""

    league: League
    imap: FaultyImap
    smtp: FaultySmtp
    rounds: Rounds

    @property
    def done(self) -> bool:
        """Whether nothing is left to be put away or sent."""
        out = {row.state for row in self.league.outbox()}
        return not self.imap.inbox and out == {OutboxState.SENT}

    def write(self, player: str, text: str, at: datetime | None = None) -> None:
        """Deliver a player's mail."""
        self.imap.deliver(self.league.mail(player, text), at or self.league.clock.now())

    def go_on(self, most: int = 60) -> None:
        """Make rounds until nothing is left to do, time passing in between."""
        for _ in range(most):
            self.rounds.round()
            if self.done:
                return
            self.league.clock.advance(timedelta(minutes=16))
        states = Counter(row.state for row in self.league.outbox())
        raise AssertionError(f"still {len(self.imap.inbox)} mails in, and out {states}")

    def outcome(self) -> tuple[object, ...]:
        """Return what must be the same whatever failed: orders, mails in, mails out, folders."""
        league = self.league
        book = decode_book(league.turns()[1].orders or "")
        orders = [(entry.player, entry.order.line()) for entry in book.filed]
        written = Counter((row.player, row.kind, row.turn) for row in league.outbox())
        handled = {row.sha256 for row in league.mails() if row.status is MailStatus.DONE}
        return orders, written, handled, set(self.imap.folders[PROCESSED])

    def check_sent(self) -> None:
        """Each mail of the outbox came to its reader, as it was written, and no other did."""
        written = {row.message_id: row for row in self.league.outbox() if row.id not in self.before}
        came = {(recipient, raw) for recipient, raw in self.smtp.taken}
        assert sorted(str(parsed(raw)["Message-ID"]) for _, raw in came) == sorted(written)
        for recipient, raw in came:
            assert written[str(parsed(raw)["Message-ID"])].recipient == recipient

    def __post_init__(self) -> None:
        """Note what was sent before."""
        self.before = {row.id for row in self.league.outbox()}


def house(league: League, *, timeout: float = 5, capabilities: str = EVERYTHING) -> Iterator[House]:
    """Give a league whose post goes over servers of its own."""
    with FaultyImap(capabilities) as imap, FaultySmtp() as smtp:
        box = ImapSettings(
            host=HOST, port=imap.port, user="gm", password="x", security="plain", timeout=timeout
        )
        sender = Sender(SmtpSettings(host=HOST, port=smtp.port, security="plain", timeout=timeout))
        rounds = Rounds(league.work, lambda: Mailbox(box), sender)
        yield House(league, imap, smtp, rounds)
        rounds.close()
        sender.close()


def due(league: League, capabilities: str = EVERYTHING, timeout: float = 5) -> Iterator[House]:
    """Give it after its first deadline, two players' orders being on the server."""
    for one in house(league, timeout=timeout, capabilities=capabilities):
        for player in ("Ann", "Bob"):
            lines = [item.examples[0] for item in view(league.game, player).due]
            one.write(player, "\n".join(lines), DEADLINE - MINUTE)
        league.clock.move_to(DEADLINE + 5 * MINUTE)
        yield one


class Again:
    """A league that can be taken back to where it was: much faster than a new one each time."""

    def __init__(self, stage: tuple[Path, datetime], folder: Path) -> None:
        """Open it."""
        self.stage, self.folder = stage, folder
        self.league = opened(stage, folder, plain=True)

    def league_at_start(self) -> League:
        """Return the league as it was, on a clock of its own."""
        with (
            contextlib.closing(sqlite3.connect(self.stage[0])) as kept,
            contextlib.closing(sqlite3.connect(self.folder / "postal.db")) as used,
        ):
            kept.backup(used)
        clock = ManualClock(self.stage[1])
        work = replace(self.league.work, clock=clock)
        return League(work, clock, replace(self.league.post, clock=clock))


@pytest.fixture
def again(stages: Stages, tmp_path: Path) -> Iterator[Again]:
    """Give such a league."""
    made = Again(stages["dealt"], tmp_path)
    yield made
    made.league.database.close()


@pytest.fixture
def quick_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask whoever waits every few milliseconds."""
    monkeypatch.setattr("postal.mail.idling.SLICE_SECONDS", 0.01)


@pytest.fixture
def post(again: Again) -> Iterator[House]:
    """Give a league at turn 1, its post over two servers that can fail."""
    yield from house(again.league_at_start())


WITHOUT_MOVE = EVERYTHING.replace(" MOVE", "")
PUT_AWAY = ("CREATE", "UID COPY", "UID STORE", "UID EXPUNGE", "UID MOVE")
"""What changes something on the IMAP server, so that it matters whether it was done when lost."""
WAYS = [
    ("imap", DROP, EVERYTHING),
    ("imap", LOST, EVERYTHING),
    ("imap", DROP, WITHOUT_MOVE),
    ("imap", LOST, WITHOUT_MOVE),
    ("smtp", DROP, EVERYTHING),
    ("smtp", LOST, EVERYTHING),
    ("smtp", "421 closing", EVERYTHING),
    ("smtp", "451 later", EVERYTHING),
]
"""All other ways end in the same exception or result, as tests/mail shows at every command."""


def chosen(which: str, how: str, capabilities: str, steps: list[str]) -> list[int]:
    """Return at which steps something is to go wrong: where each command comes first and last."""
    first = {name: step for step, name in reversed([*enumerate(steps)])}
    last = {name: step for step, name in enumerate(steps)}
    kept = sorted({*first.values(), *last.values()})
    if which == "smtp":
        # The mails go out one like the other.
        kept = sorted({*first.values(), last["."]})
        return [step for step in kept if how == DROP or steps[step] in ("RCPT", ".")]
    everything = how == DROP and capabilities == EVERYTHING
    if capabilities != EVERYTHING:
        kept = [first[name] for name in PUT_AWAY[1:] if name in first]
    return [step for step in kept if everything or steps[step] in PUT_AWAY]


@pytest.fixture(scope="session")
def undisturbed(
    stages: Stages, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, tuple[list[str], list[str], tuple[object, ...]]]:
    """Return what IMAP and SMTP hear where all is well, and what comes of it, by capabilities."""
    made = Again(stages["dealt"], tmp_path_factory.mktemp("undisturbed"))
    found = {}
    for capabilities in (EVERYTHING, WITHOUT_MOVE):
        for one in due(made.league_at_start(), capabilities):
            one.go_on(1)
            one.check_sent()
            found[capabilities] = (list(one.imap.heard), list(one.smtp.heard), one.outcome())
    made.league.database.close()
    return found


@pytest.mark.parametrize(("which", "how", "capabilities"), WAYS)
def test_a_fault_at_any_step_of_a_round_loses_nothing_and_doubles_nothing(
    again: Again,
    undisturbed: dict[str, tuple[list[str], list[str], tuple[object, ...]]],
    which: str,
    how: str,
    capabilities: str,
) -> None:
    """Every order counts once; every receipt and report comes, each time with its Message-ID."""
    imap_steps, smtp_steps, outcome = undisturbed[capabilities]
    steps = imap_steps if which == "imap" else smtp_steps
    for number in chosen(which, how, capabilities, steps):
        for one in due(again.league_at_start(), capabilities):
            broken: Faulty = getattr(one, which)
            broken.break_at(number, how)
            one.go_on()
            assert broken.heard[number] == steps[number]
            assert one.outcome() == outcome, f"{steps[number]}, command {number}"
            one.check_sent()
            twice = len(one.smtp.taken) - len(set(one.smtp.taken))
            assert twice == (which == "smtp" and steps[number] == "." and how == LOST)


def test_a_greylisted_mail_comes_at_a_later_try(
    post: House, caplog: pytest.LogCaptureFixture
) -> None:
    """It is in the outbox until then, and no trouble of the server's."""
    post.write("Ann", "help")
    post.smtp.break_always("RCPT", "450 greylisted")
    post.rounds.round()
    assert not post.smtp.taken
    assert post.league.outbox()[-1].state is OutboxState.QUEUED
    assert not caplog.messages
    post.smtp.mend()
    post.go_on()
    post.check_sent()


def test_a_submission_server_that_is_down_is_told_of_once(
    post: House, caplog: pytest.LogCaptureFixture
) -> None:
    """Even if it puts a new number into each answer; and its return is told once."""
    post.write("Ann", "help")
    post.smtp.fault = lambda number, _name: f"554 no service, {number}"
    with caplog.at_level(logging.INFO, "postal.service"):
        for _ in range(12):
            post.rounds.round()
            post.league.clock.advance(timedelta(hours=5))
        told = [one.getMessage() for one in caplog.records if one.levelno >= logging.WARNING]
        assert 1 <= len(told) <= 5
        assert all(message.startswith("sending: ") for message in told)
    post.smtp.mend()
    with caplog.at_level(logging.INFO, "postal"):
        post.go_on()
        for _ in range(3):
            post.rounds.round()
    assert caplog.messages.count("sending: working again") == 1
    post.check_sent()


@pytest.mark.parametrize(
    "moment", ["GREETING", "UID SEARCH", "UID FETCH SIZE", "UID FETCH BODY", "UID MOVE"]
)
def test_a_new_uidvalidity_at_any_moment_gives_no_order_twice(post: House, moment: str) -> None:
    """The connection breaks, and all mails have other numbers when it is made anew."""
    for player in ("Ann", "Bob", "Cat"):
        post.write(player, "help")
    before = len(post.league.outbox())
    left = [1 if moment == "UID MOVE" else 2]  # one MOVE names all mails

    def renumbered(_number: int, name: str) -> str:
        if name != moment or not left[0]:
            return ""
        left[0] -= 1
        if left[0]:
            return ""
        post.imap.renumber()
        return DROP

    post.imap.fault = renumbered
    post.rounds.round()
    post.go_on()
    assert left == [0] or moment == "GREETING"
    assert sorted(row.player for row in post.league.outbox()[before:]) == ["Ann", "Bob", "Cat"]
    assert len(post.imap.folders[PROCESSED]) == 3
    post.check_sent()


def test_mail_that_comes_during_a_poll_is_handled_once(post: House) -> None:
    """In this poll or the next."""
    post.write("Ann", "help")
    came = iter(("UID SEARCH", "UID FETCH BODY", "UID MOVE"))
    waits = [next(came)]

    def arrive(_number: int, name: str) -> str:
        if waits == [name]:
            waits[:] = [next(came, "")]
            post.write("Bob", f"help\n{name}")
        return ""

    before = len(post.league.outbox())
    post.imap.fault = arrive
    post.go_on()
    assert [row.player for row in post.league.outbox()[before:]] == ["Ann", "Bob", "Bob", "Bob"]
    post.check_sent()


def test_an_expunged_mail_is_nobody_s_fault(post: House) -> None:
    """Another program took it away between the poll's steps; the next one is handled."""
    post.write("Ann", "help")
    post.write("Bob", "help")

    def expunge(_number: int, name: str) -> str:
        if name == "UID FETCH SIZE":
            post.imap.inbox.pop(1, None)
        if name == "UID MOVE":
            post.imap.inbox.pop(2, None)
        return ""

    before = len(post.league.outbox())
    post.imap.fault = expunge
    post.rounds.round()
    assert [row.player for row in post.league.outbox()[before:]] == ["Bob"]
    assert post.imap.heard.count("GREETING") == 1


def test_a_mail_at_which_the_server_breaks_stops_no_other(post: House) -> None:
    """What came behind it is handled in the same poll; it stays, and the GM is told at once."""
    post.write("Ann", "help")
    post.write("Bob", "help")
    post.imap.fault = lambda _number, name: (
        DROP if name == "UID FETCH BODY" and post.imap.lines[-1].split()[3] == "1" else ""
    )
    before = len(post.league.outbox())
    post.rounds.round()
    assert [row.player for row in post.league.outbox()[before:]] == ["", "Bob"]
    assert post.league.outbox("")[-1].subject.endswith("doesn't hand over a mail")
    assert list(post.imap.inbox) == [1]
    assert post.imap.heard.count("GREETING") <= 1 + MOST_CONNECTIONS
    first = post.league.mails()[0]
    assert (first.status, first.raw) == (MailStatus.UNREAD, None)
    post.imap.mend()
    post.go_on()
    assert post.league.mails()[0].status is MailStatus.DONE


@pytest.mark.usefixtures("quick_slices")
def test_watching_waits_on_the_connection_and_a_loss_is_told_once(
    post: House, caplog: pytest.LogCaptureFixture
) -> None:
    """Mail ends it, as its caller can; a server that drops each wait is told of once."""
    watch = post.rounds.watch
    assert not watch(lambda: False), "there is no connection yet"
    post.rounds.round()
    assert not watch(lambda: True)
    asked: list[int] = []

    def write_at_the_third() -> bool:
        asked.append(0)
        if len(asked) == 3:
            post.write("Ann", "help")
        return False

    assert watch(write_at_the_third)
    post.rounds.round()
    assert len(post.smtp.taken) == 1
    with caplog.at_level(logging.INFO, "postal"):
        for lost in range(20):
            post.imap.break_always("IDLE", DROP)
            # The first loss calls for a round at once, those that follow wait for the tick.
            assert watch(lambda: False) is (lost == 0)
            post.imap.mend()
            post.rounds.round()
        (told,) = caplog.messages
        assert told.startswith("waiting for mail: The connection")
        assert post.imap.heard.count("GREETING") == 21
        post.write("Bob", "help")
        assert watch(lambda: False)
    assert caplog.messages == [told, "waiting for mail: working again"]


def test_a_server_without_idle_is_polled(again: Again) -> None:
    """There is nothing to wait for, so the next tick is it."""
    for one in house(again.league_at_start(), capabilities=EVERYTHING.replace("IDLE ", "")):
        one.rounds.round()
        assert not one.rounds.watch(lambda: False)
        assert "IDLE" not in one.imap.heard
