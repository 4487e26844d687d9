"""Nobody is ruled absent who was never written to (RULES.md 9.7, 10.5): weeks of sick servers."""

import random
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest

from postal.engine.events import Nmr
from postal.engine.view import view
from postal.mail.smtp import Sender, SendResult, SmtpSettings
from postal.service.desk.adjudicate import force_turn
from postal.service.desk.newaddress import set_address
from postal.service.ticks import Rounds
from postal.store.codec import decode_events
from postal.store.rows import Hindrance, OutboxState, TroubleKind, TurnStatus
from postal.store.troubles import journal_of, open_troubles
from tests.mail.faulty import DROP, HOST, LOST, FaultySmtp
from tests.service.people_league import OTHER
from tests.service.service_league import DEADLINE, HOUR, MINUTE, SLUG, League, parsed, text_of
from tests.service.submission import Submission
from tests.service.test_service_noise import bounce

DAY = timedelta(days=1)
OURS = SendResult("retry", 550, "takes no mail from us: 5.4.5 limit", about_us=True)
DOWN = SendResult("retry", 0, "No SMTP server answers", about_us=True)
SPAM = SendResult("failed", 554, "5.7.1 refused", doubtful=True)
NOBODY = SendResult("failed", 550, "5.1.1 no such user")
BREAKS = SendResult("unknown", 0, "The connection was lost", about_us=True, doubtful=True)
FULL = SendResult("retry", 452, "4.2.2 mailbox full")


class Weeks:
    """A league whose rounds go on for weeks of its clock, and its submission server."""

    def __init__(self, league: League) -> None:
        """Take the league."""
        self.league, self.server = league, Submission(league)
        self.rounds = Rounds(league.work, lambda: league.post, league.post)

    def go_on(self, span: timedelta, step: timedelta = 12 * HOUR) -> None:
        """Make rounds for so long."""
        end = self.league.clock.now() + span
        while (left := end - self.league.clock.now()) > timedelta(0):
            self.league.clock.advance(min(step, left))
            self.rounds.round()

    def go_on_to(self, moment: datetime) -> None:
        """Make rounds until then, and a few in the minutes after."""
        self.go_on(moment - self.league.clock.now())
        self.go_on(6 * MINUTE, MINUTE)

    def play(self, slug: str = SLUG) -> None:
        """Let everybody order, and the turn be adjudicated."""
        turn = self.league.loaded(slug).game.turn
        self.league.order_all()
        self.rounds.round()
        self.go_on(HOUR, 31 * MINUTE)
        assert self.league.loaded(slug).game.turn == turn + 1

    def deadline(self, slug: str = SLUG) -> datetime:
        """Return the deadline of the turn in play."""
        turn = self.league.loaded(slug).turn
        assert turn
        assert turn.deadline
        return turn.deadline

    def turn(self, slug: str = SLUG) -> int:
        """Return the number of the turn in play."""
        return self.league.loaded(slug).game.turn

    def nmr(self) -> set[str]:
        """Return who was ever NMR."""
        done = [turn.events for turn in self.league.turns() if turn.events]
        events = [one for text in done for one in decode_events(text)]
        return {one.player for one in events if isinstance(one, Nmr)}

    def moves(self, slug: str = SLUG) -> list[str]:
        """Return what the journal says of a game's deadlines."""
        game = self.league.loaded(slug)
        with self.league.database.reading() as session:
            return [entry.sentence for entry in journal_of(session, game.id)]

    def told_gm(self, subject: str) -> list[str]:
        """Return the texts of the notices to the GM of that subject."""
        rows = self.league.outbox("", "gm")
        return [" ".join(text_of(row.raw).split()) for row in rows if subject in row.subject]


@pytest.fixture
def weeks(quick: League) -> Weeks:
    """Give a game at turn 1 whose welcomes all went."""
    return Weeks(quick)


@pytest.mark.parametrize("answer", [OURS, DOWN, SPAM, NOBODY])
def test_weeks_without_smtp_rule_nobody_absent(weeks: Weeks, answer: SendResult) -> None:
    """The deadline stands still, moves once by the time lost, and then counts as ever."""
    weeks.play()
    opened = weeks.league.clock.now()
    weeks.server.refuses = lambda _to, _raw: answer
    weeks.play()
    before = weeks.deadline()
    weeks.go_on(timedelta(weeks=4), DAY)
    assert (weeks.turn(), weeks.nmr(), weeks.moves()) == (3, set(), [])
    weeks.server.refuses = lambda _to, _raw: None
    weeks.go_on(20 * MINUTE, MINUTE)
    lost = weeks.deadline() - before
    assert timedelta(weeks=4) <= lost <= weeks.league.clock.now() - opened
    letters = weeks.league.outbox(None, "deadline")
    assert sorted(one.player for one in letters) == sorted(weeks.league.players)
    assert len(weeks.told_gm("a deadline is moved")) == 1
    assert not [row for row in weeks.league.outbox() if row.state is not OutboxState.SENT]
    assert not [row for row in weeks.league.outbox() if row.hindrance is not Hindrance.NONE]
    weeks.go_on_to(weeks.deadline() - HOUR)
    assert (weeks.turn(), len(weeks.moves())) == (3, 1)
    weeks.go_on_to(weeks.deadline())
    assert weeks.turn() == 4
    assert weeks.nmr()


def test_a_game_that_begins_without_smtp_waits_for_its_welcomes(weeks: Weeks) -> None:
    """And no other game waits for it, whose mails went before."""
    weeks.server.refuses = lambda _to, _raw: DOWN
    weeks.league.begin(OTHER, bytes(32))
    weeks.rounds.round()
    weeks.go_on_to(DEADLINE)
    assert (weeks.turn(SLUG), weeks.turn(OTHER)) == (2, 1)
    (turn,) = [one for one in weeks.league.turns() if one.adjudicated_at and one.number == 1]
    assert turn.adjudicated_at == DEADLINE
    weeks.server.refuses = lambda _to, _raw: None
    weeks.go_on(20 * MINUTE, MINUTE)
    assert weeks.deadline(OTHER) > DEADLINE + 7 * DAY
    assert len(weeks.moves(OTHER)) == 1


def test_what_is_lost_in_less_than_an_hour_moves_nothing(weeks: Weeks) -> None:
    """And no mark of it stays."""
    weeks.server.refuses = lambda _to, _raw: OURS
    weeks.play()
    before = weeks.deadline()
    weeks.server.refuses = lambda _to, _raw: None
    weeks.go_on(20 * MINUTE, MINUTE)
    assert (weeks.deadline(), weeks.moves()) == (before, [])
    assert not [row for row in weeks.league.outbox() if row.hindrance is not Hindrance.NONE]


def test_what_fails_after_the_reports_went_moves_nothing(weeks: Weeks) -> None:
    """Everybody was asked: the turn is adjudicated at its deadline to the minute."""
    weeks.play()
    weeks.go_on(DAY)
    weeks.server.refuses = lambda _to, _raw: DOWN
    weeks.league.write("Ann", "status\n")
    weeks.go_on_to(weeks.deadline())
    assert (weeks.turn(), weeks.moves()) == (3, [])


def test_a_turn_whose_orders_are_in_goes_on_as_ever(weeks: Weeks) -> None:
    """Though its deadline stands still."""
    weeks.server.refuses = lambda _to, _raw: DOWN
    weeks.play()
    weeks.go_on_to(weeks.deadline() + DAY)
    assert weeks.turn() == 2
    weeks.league.order_all()
    weeks.rounds.round()
    assert (weeks.turn(), weeks.nmr()) == (3, set())


def test_a_daemon_killed_before_the_deadline_moved_makes_it_good(weeks: Weeks) -> None:
    """At the deadline at the latest."""
    weeks.server.refuses = lambda _to, _raw: DOWN
    weeks.play()
    before = weeks.deadline()
    weeks.go_on(3 * DAY)
    weeks.server.refuses = lambda _to, _raw: None
    weeks.league.clock.advance(15 * MINUTE)
    assert weeks.league.send().sent > 6
    assert weeks.moves() == []
    weeks.go_on_to(before)
    assert weeks.turn() == 2
    assert weeks.deadline() - before >= 3 * DAY


@pytest.mark.parametrize("answer", [FULL, NOBODY])
def test_a_player_who_was_not_reached_is_waited_for_once(weeks: Weeks, answer: SendResult) -> None:
    """Seven days; all learn the new deadline, the GM alone for whom; then he is NMR as ever."""
    weeks.server.refuses = lambda to, _raw: answer if to == "Bob" else None
    weeks.play()
    first = weeks.deadline()
    weeks.league.order_all("Bob")
    weeks.go_on_to(first)
    assert (weeks.turn(), weeks.deadline()) == (2, first + 7 * DAY)
    letters = weeks.league.outbox(None, "deadline")
    assert sorted(one.player for one in letters) == sorted(weeks.league.players)
    assert len(weeks.told_gm("a player was not reached")) == 1
    weeks.go_on_to(first + 7 * DAY)
    assert (weeks.turn(), weeks.nmr()) == (3, {"Bob"})
    assert len(weeks.moves()) == 1
    assert len(weeks.told_gm("it is over: a player was not reached")) == 1


def test_the_gm_alone_is_told_who_and_what_to_do(dealt: League) -> None:
    """The others are told the new deadline, and to nobody else a name."""
    weeks = Weeks(dealt)
    (welcome,) = dealt.outbox("Bob", "welcome")
    dealt.post.deliver(bounce(welcome))
    dealt.order_all("Bob")
    weeks.go_on_to(DEADLINE)
    (told,) = weeks.told_gm("a player was not reached")
    for words in (
        "Bob did not get",
        "came back: 5.1.1",
        "player set-address",
        "adjudicate smith-1",
    ):
        assert words in told
    letters = dealt.outbox(None, "deadline")
    assert len(letters) == 6
    assert "Not everybody could be reached" in text_of(letters[0].raw)


def test_a_report_that_came_back_is_none(weeks: Weeks) -> None:
    """The GM puts the address right, and the turn goes on as soon as all orders are in."""
    (welcome,) = weeks.league.outbox("Cat", "welcome")
    weeks.league.post.deliver(bounce(welcome))
    weeks.league.order_all("Cat")
    weeks.go_on_to(DEADLINE)
    assert weeks.deadline() == DEADLINE + 7 * DAY
    with weeks.league.database.reading() as session:
        (trouble,) = open_troubles(session)
    assert trouble.kind is TroubleKind.UNREACHED
    set_address(weeks.league.work, "Cat", "cat@new.example")
    weeks.go_on(DAY)
    assert weeks.turn() == 1
    lines = [item.examples[0] for item in view(weeks.league.game, "Cat").due]
    (again,) = weeks.league.outbox("Cat", "resend")
    token = str(parsed(again.raw)["Reply-To"]).partition("+")[2].partition("@")[0]
    text = "\n".join(lines) + "\n"
    weeks.league.write("Cat", text, sender="cat@new.example", token=token)
    weeks.go_on(HOUR, 31 * MINUTE)
    assert (weeks.turn(), weeks.nmr()) == (2, set())
    with weeks.league.database.reading() as session:
        assert not open_troubles(session)


def test_an_address_put_right_in_time_is_not_waited_for(weeks: Weeks) -> None:
    """The report to the new one asks for his orders."""
    (welcome,) = weeks.league.outbox("Cat", "welcome")
    weeks.league.post.deliver(bounce(welcome))
    weeks.rounds.round()
    set_address(weeks.league.work, "Cat", "cat@new.example")
    weeks.go_on_to(DEADLINE)
    assert (weeks.turn(), weeks.moves()) == (2, [])


def test_whoever_wrote_in_the_turn_was_reached(weeks: Weeks) -> None:
    """Whatever became of his report."""
    weeks.league.write("Cat", "status\n")
    weeks.rounds.round()
    (welcome,) = weeks.league.outbox("Cat", "welcome")
    weeks.league.post.deliver(bounce(welcome))
    weeks.go_on_to(DEADLINE)
    assert (weeks.turn(), weeks.moves()) == (2, [])


def test_the_gm_need_not_wait(weeks: Weeks) -> None:
    """He forces the turn, before its deadline or while it waits."""
    (welcome,) = weeks.league.outbox("Cat", "welcome")
    weeks.league.post.deliver(bounce(welcome))
    weeks.go_on_to(DEADLINE)
    assert weeks.turn() == 1
    assert force_turn(weeks.league.work, SLUG).turn == 1
    assert "Cat" in weeks.nmr()


def test_a_game_that_waits_for_nobody_does_not(weeks: Weeks) -> None:
    """With ``unreached`` 0."""
    weeks.server.refuses = lambda to, _raw: NOBODY if to == "Bob" else None
    weeks.league.begin(OTHER, bytes(32), unreached=0)
    weeks.rounds.round()
    weeks.go_on_to(weeks.deadline(OTHER))
    assert (weeks.turn(OTHER), weeks.moves(OTHER)) == (2, [])


def test_one_players_full_mailbox_makes_no_other_game_late(two: League) -> None:
    """Nor does it make his own mails of that game late."""
    weeks = Weeks(two)
    weeks.server.refuses = lambda to, _raw: FULL if to == "Bob" else None
    (welcome,) = two.outbox("Bob", "welcome", slug=SLUG)
    two.post.deliver(bounce(welcome))
    weeks.go_on_to(DEADLINE)
    assert (weeks.turn(SLUG), weeks.turn(OTHER)) == (1, 2)
    done = [turn for turn in two.turns() if turn.number == 1 and turn.status is TurnStatus.DONE]
    assert [turn.adjudicated_at for turn in done] == [DEADLINE]
    sent = [row for row in two.outbox(None, "report", slug=OTHER) if row.player not in ("Bob", "")]
    assert {row.sent_at for row in sent} == {DEADLINE}


def test_a_report_at_which_the_connection_breaks_moves_no_deadline_by_days(weeks: Weeks) -> None:
    """All others went at once: it is his, like any that is put off."""
    weeks.server.refuses = lambda to, _raw: BREAKS if to == "Ann" else None
    weeks.play()
    before = weeks.deadline()
    weeks.go_on(20 * MINUTE, MINUTE)
    assert (weeks.deadline(), weeks.moves()) == (before, [])
    (report,) = weeks.league.outbox("Ann", "report")
    assert report.hindrance is Hindrance.HIS
    assert {row.state for row in weeks.league.outbox("Bob", "report")} == {OutboxState.SENT}


@pytest.fixture
def smtp() -> Iterator[FaultySmtp]:
    """Give a submission server that breaks as told."""
    with FaultySmtp() as server:
        yield server


FAULTS = (
    ("GREETING", "554 no service"),
    ("AUTH", "535 5.7.139 disabled"),
    ("MAIL", "550 5.7.60 not you"),
    ("RCPT", "550 5.4.5 daily limit"),
    ("RCPT", "550 no"),
    ("DATA", DROP),
    (".", LOST),
    (".", "554 5.7.1 content"),
    (".", "452 4.3.1 full"),
)


@pytest.mark.parametrize("seed", range(3))
def test_weeks_of_every_fault_lose_nothing(quick: League, smtp: FaultySmtp, seed: int) -> None:
    """Each mail arrives, none under the Message-ID of another, and nobody is ruled absent."""
    pick = random.Random(seed)
    settings = SmtpSettings(
        host=HOST, port=smtp.port, user="gm", password="s3cret", security="plain", timeout=5
    )
    weeks = Weeks(quick)
    with Sender(settings) as sender:
        weeks.rounds = Rounds(quick.work, lambda: quick.post, sender)
        for _ in range(3):
            smtp.mend()
            weeks.go_on(2 * HOUR, 15 * MINUTE)
            quick.order_all()
            command, how = pick.choice(FAULTS)
            smtp.break_always(command, how)
            smtp.cut()
            weeks.rounds.round()
            weeks.go_on(DAY * pick.randrange(8, 16), DAY)
        smtp.mend()
        weeks.go_on(6 * HOUR, 15 * MINUTE)
    assert (weeks.turn(), weeks.nmr()) == (4, set())
    assert {row.state for row in quick.outbox()} == {OutboxState.SENT}
    contents: dict[str, set[bytes]] = defaultdict(set)
    for _, raw in smtp.taken:
        contents[str(parsed(raw)["Message-ID"])].add(raw)
    assert {len(one) for one in contents.values()} == {1}
    dropped = [row for row in quick.outbox(None, "report") if row.message_id not in contents]
    assert dropped == []


def test_whoever_is_waited_for_has_his_days_though_the_program_was_off(weeks: Weeks) -> None:
    """They are reckoned from the day on which it is found."""
    weeks.server.refuses = lambda to, _raw: NOBODY if to == "Bob" else None
    weeks.play()
    first = weeks.deadline()
    weeks.league.order_all("Bob")
    weeks.go_on(HOUR)
    weeks.league.clock.move_to(first + timedelta(days=20))
    weeks.go_on(6 * MINUTE, MINUTE)
    assert weeks.turn() == 2
    # Summer time has begun: it is the same hour in London.
    assert weeks.deadline() == first + timedelta(days=27) - HOUR
