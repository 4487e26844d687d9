"""While the server takes nothing from us all mail waits, nothing fails, and the GM is told."""

from datetime import timedelta

import pytest

from postal.mail.smtp import SendResult
from postal.service.desk.overview import list_outbox
from postal.service.outbound.delivery import requeue
from postal.service.ticks import Rounds
from postal.store.rows import Hindrance, OutboxState, TroubleKind
from postal.store.troubles import open_troubles
from tests.service.service_league import HOUR, MINUTE, League
from tests.service.submission import Submission

LIMIT = SendResult("retry", 550, "takes no mail from us: 5.4.5 daily limit", about_us=True)
SPAM = SendResult("failed", 554, "5.7.1 refused", doubtful=True)
POLICY = SendResult("failed", 550, "5.7.1 access denied", doubtful=True)
LOST = SendResult("unknown", 0, "The connection was lost", about_us=True, doubtful=True)
NOBODY = SendResult("failed", 550, "5.1.1 no such user")
FULL = SendResult("retry", 452, "4.2.2 mailbox full")


@pytest.fixture
def full(quick: League) -> League:
    """Give a league with six reports and the GM's in the outbox."""
    quick.clock.advance(timedelta(days=8))
    quick.poll()
    quick.due()
    return quick


@pytest.fixture
def server(full: League) -> Submission:
    """Give its submission server."""
    return Submission(full)


def unsent(league: League) -> list[tuple[str, str]]:
    """Return whose mail waits, and because of whom."""
    rows = [row for row in league.outbox() if row.state is not OutboxState.SENT]
    return [(row.player, row.hindrance.value) for row in rows]


def gm_mails(league: League) -> list[str]:
    """Return the subjects of the notices to the GM."""
    return [row.subject for row in league.outbox("", "gm") if "GM report" not in row.subject]


def minutes_tried(league: League, server: Submission, span: timedelta) -> list[int]:
    """Make a round a minute for so long; return at which minutes a mail was tried."""
    tried = []
    for minute in range(1, int(span / MINUTE) + 1):
        league.clock.advance(MINUTE)
        before = len(server.offered)
        league.send()
        tried += [minute] * (len(server.offered) - before)
    return tried


def test_what_is_about_us_holds_all_and_is_tried_with_one_mail(
    full: League, server: Submission
) -> None:
    """After 1, 5 and then each 15 minutes; each mail that waits is marked as held by our side."""
    server.refuses = lambda _to, _raw: LIMIT
    assert full.send().trouble == LIMIT.text
    assert server.offered == ["Ann"]
    assert unsent(full) == [*((name, "ours") for name in full.players), ("", "ours")]
    assert minutes_tried(full, server, timedelta(minutes=60)) == [1, 6, 21, 36, 51]


def test_when_the_server_takes_mail_again_all_goes_at_once(
    full: League, server: Submission
) -> None:
    """After days too; and nothing of it has failed, the GM's own mail neither."""
    server.refuses = lambda _to, _raw: LIMIT
    full.send()
    minutes_tried(full, server, 7 * HOUR)
    full.clock.advance(timedelta(days=20))
    full.send()
    server.refuses = lambda _to, _raw: None
    full.clock.advance(15 * MINUTE)
    done = full.send()
    assert (done.sent, done.failed) == (8, 0)
    assert [who for who, _ in server.taken] == [*full.players, "Grace", "Grace"]
    assert unsent(full) == []


def test_the_gm_gets_one_mail_of_it_from_when_to_when(full: League, server: Submission) -> None:
    """As soon as mail goes again; nothing where it was short."""
    since = full.clock.now()
    server.refuses = lambda _to, _raw: LIMIT
    full.send()
    minutes_tried(full, server, timedelta(minutes=40))
    assert gm_mails(full) == []
    minutes_tried(full, server, 2 * HOUR)
    assert gm_mails(full) == ["postal: no mail can be sent"]
    with full.database.reading() as session:
        (trouble,) = open_troubles(session)
    assert (trouble.kind, trouble.since) == (TroubleKind.SENDING, since)
    assert "5.4.5 daily limit" in trouble.sentence
    server.refuses = lambda _to, _raw: None
    full.clock.advance(15 * MINUTE)
    full.send()
    full.send()
    assert gm_mails(full) == ["postal: mail can be sent again"]
    assert server.taken[-1][0] == "Grace"
    with full.database.reading() as session:
        assert not open_troubles(session)


def test_what_is_written_meanwhile_waits_too(full: League, server: Submission) -> None:
    """It isn't tried, and goes with the rest."""
    server.refuses = lambda _to, _raw: LIMIT
    full.send()
    full.write("Ann", "status\n")
    full.poll()
    assert full.send() == type(full.send())()
    assert server.offered == ["Ann"]
    minutes_tried(full, server, MINUTE)
    assert {because for _, because in unsent(full)} == {"ours"}
    assert [one["because_of"] for one in list_outbox(full.work)] == ["our server or account"] * 8


def test_one_players_refusal_is_his(full: League, server: Submission) -> None:
    """It fails at once where it names his mailbox, and everybody else's goes."""
    server.refuses = lambda to, _raw: NOBODY if to == "Bob" else None
    assert (full.send().failed, len(server.taken)) == (1, 7)
    assert gm_mails(full) == ["postal: a mail could not be delivered"]
    assert unsent(full) == [("Bob", "his")]


@pytest.mark.parametrize("answer", [SPAM, POLICY])
def test_a_doubtful_refusal_counts_once_another_is_taken(
    full: League, server: Submission, answer: SendResult
) -> None:
    """Then it is one player's, fails at its second try, and the GM is told."""
    server.refuses = lambda to, _raw: answer if to == "Cat" else None
    assert (full.send().failed, len(server.taken)) == (0, 6)
    assert unsent(full) == [("Cat", "his")]
    full.clock.advance(MINUTE)
    assert full.send().failed == 1
    assert gm_mails(full) == ["postal: a mail could not be delivered"]


def test_a_server_that_calls_everybody_unknown_is_unwell(full: League, server: Submission) -> None:
    """None fails, though each answer names a mailbox, and no word of a failure is left over."""
    server.refuses = lambda _to, _raw: NOBODY
    assert full.send().trouble == NOBODY.text
    minutes_tried(full, server, 5 * HOUR)
    assert {because for _, because in unsent(full)} == {"ours"}
    assert gm_mails(full) == ["postal: no mail can be sent"]
    server.refuses = lambda _to, _raw: None
    minutes_tried(full, server, timedelta(minutes=20))
    assert unsent(full) == []
    assert len(server.taken) == len(set(server.taken)) == 9


def test_the_word_to_the_gm_shows_that_the_server_is_unwell(
    full: League, server: Submission
) -> None:
    """It is refused like the mail that it is about: that mail has not failed."""
    full.send()
    server.refuses = lambda _to, _raw: NOBODY
    full.write("Bob", "status\n")
    full.poll()
    full.send()
    assert unsent(full) == [("Bob", "ours")]
    server.refuses = lambda _to, _raw: None
    minutes_tried(full, server, timedelta(minutes=20))
    assert (unsent(full), gm_mails(full)) == ([], [])


def test_two_unknown_players_fail_once_another_mail_is_taken(
    full: League, server: Submission
) -> None:
    """The others wait for a minute, and the GM is told of each once."""
    server.refuses = lambda to, _raw: NOBODY if to in ("Cat", "Dan") else None
    full.send()
    minutes_tried(full, server, timedelta(minutes=3))
    assert unsent(full) == [("Cat", "his"), ("Dan", "his")]
    assert {who for who, _ in server.taken} == {"Ann", "Bob", "Eve", "Fay", "Grace"}
    assert gm_mails(full) == ["postal: a mail could not be delivered"] * 2


def test_what_the_gm_s_own_mailbox_refuses_is_tried_on(
    full: League, server: Submission, caplog: pytest.LogCaptureFixture
) -> None:
    """It makes no notice, which would be refused too: the log tells of it once."""
    server.refuses = lambda to, _raw: NOBODY if to == "Grace" else None
    full.send()
    for _ in range(4):
        full.clock.advance(4 * HOUR)
        full.send()
    assert (unsent(full), gm_mails(full)) == ([("", "his")], [])
    assert sum("to the GM is not taken" in line for line in caplog.messages) == 1
    server.refuses = lambda _to, _raw: None
    full.clock.advance(4 * HOUR)
    full.send()
    assert unsent(full) == []


def test_a_report_that_is_put_off_for_a_day_is_told_once(full: League, server: Submission) -> None:
    """The GM may know another way to reach that player; what waits beside it is not told of."""
    server.refuses = lambda to, _raw: FULL if to == "Dan" else None
    full.send()
    full.write("Dan", "status\n")
    full.poll()
    told = []
    for _ in range(12):
        full.clock.advance(4 * HOUR)
        full.send()
        told.append(len(gm_mails(full)))
    assert told == [0] * 5 + [1] * 7
    assert gm_mails(full) == ["postal: a report is put off"]
    assert unsent(full) == [("Dan", "his"), ("Dan", "his")]


def test_a_doubtful_refusal_alone_is_no_verdict(full: League, server: Submission) -> None:
    """As long as no other mail was taken since."""
    full.send()
    server.refuses = lambda _to, _raw: SPAM
    full.write("Ann", "status\n")
    full.poll()
    for _ in range(3):
        full.clock.advance(HOUR)
        assert full.send().failed == 0
    assert unsent(full) == [("Ann", "his")]


def test_two_that_are_refused_alike_are_about_us(full: League, server: Submission) -> None:
    """And none fails, however often: what code it was is no matter."""
    server.refuses = lambda _to, _raw: SPAM
    assert full.send().trouble == SPAM.text
    assert server.offered == ["Ann", "Bob"]
    minutes_tried(full, server, 5 * HOUR)
    rows = [row for row in full.outbox() if row.state is not OutboxState.SENT]
    assert {row.state for row in rows} == {OutboxState.QUEUED}
    assert {row.hindrance for row in rows} == {Hindrance.OURS}
    assert len(rows) == 8
    assert set(server.offered) == {*full.players, "Grace"}
    server.refuses = lambda _to, _raw: None
    minutes_tried(full, server, timedelta(minutes=20))
    assert unsent(full) == []
    assert len(server.taken) == len(set(server.taken)) == 9


def test_two_in_different_rounds_that_are_refused_alike_are_about_us(
    full: League, server: Submission
) -> None:
    """If none was taken between."""
    full.send()
    server.refuses = lambda _to, _raw: POLICY
    for name in ("Ann", "Bob"):
        full.clock.advance(timedelta(seconds=20))
        full.write(name, "status\n")
        full.poll()
        done = full.send()
    assert done.trouble
    assert unsent(full) == [("Ann", "ours"), ("Bob", "ours")]


def test_two_bad_addresses_hold_the_others_up_for_a_minute(
    full: League, server: Submission
) -> None:
    """Though they come first and are refused alike: the next try is made with another mail."""
    server.refuses = lambda to, _raw: POLICY if to in ("Ann", "Bob") else None
    full.send()
    full.clock.advance(MINUTE)
    assert full.send().sent == 5
    full.clock.advance(MINUTE)
    assert full.send().failed == 2
    assert gm_mails(full) == ["postal: a mail could not be delivered"] * 2


def test_two_bad_addresses_with_nothing_else_to_send_are_found_out(
    full: League, server: Submission
) -> None:
    """By the word to the GM that no mail goes: it does."""
    full.send()
    server.refuses = lambda to, _raw: POLICY if to in ("Ann", "Bob") else None
    for name in ("Ann", "Bob"):
        full.write(name, "status\n")
    full.poll()
    full.send()
    minutes_tried(full, server, 2 * HOUR)
    assert unsent(full) == [("Ann", "his"), ("Bob", "his")]
    assert {row.state for row in full.outbox("Ann", "status")} == {OutboxState.FAILED}


def test_a_mail_at_which_the_connection_breaks_holds_up_no_other(
    full: League, server: Submission
) -> None:
    """Not longer than a minute; it is tried on by itself, and its bytes stay the same."""
    server.refuses = lambda to, _raw: LOST if to == "Ann" else None
    full.send()
    assert server.offered == ["Ann"]
    full.clock.advance(MINUTE)
    assert full.send().sent == 6
    minutes_tried(full, server, 10 * HOUR)
    assert unsent(full) == [("Ann", "ours")]
    assert server.offered.count("Bob") == 1
    assert len({raw for who, raw in server.taken if who == "Ann"}) == 1
    full.write("Bob", "status\n")
    full.poll()
    full.send()
    assert server.taken[-1][0] == "Bob"


def test_a_full_mailbox_is_tried_for_days_of_its_own(full: League, server: Submission) -> None:
    """Days in which no mail went are not counted among them."""
    server.refuses = lambda _to, _raw: LIMIT
    full.send()
    full.clock.advance(timedelta(days=30))
    server.refuses = lambda to, _raw: FULL if to == "Dan" else None
    full.send()
    minutes_tried(full, server, 3 * HOUR)
    (dan,) = full.outbox("Dan", "report")
    assert (dan.state, dan.tries > 3) == (OutboxState.QUEUED, True)
    full.clock.advance(timedelta(days=6))
    assert full.send().failed == 1


def test_the_gms_word_to_try_again_is_followed_at_once(full: League, server: Submission) -> None:
    """Without numbers for all that isn't sent, in whatever state."""
    server.refuses = lambda to, _raw: NOBODY if to == "Bob" else None
    full.send()
    server.refuses = lambda _to, _raw: LIMIT
    full.write("Ann", "status\n")
    full.poll()
    full.send()
    minutes_tried(full, server, 2 * HOUR)
    server.refuses = lambda _to, _raw: None
    assert requeue(full.work).count == len(unsent(full))
    full.send()
    assert {who for who, _ in unsent(full)} <= {"Bob"}
    full.clock.advance(MINUTE)
    full.send()
    assert unsent(full) == []


def test_a_failure_is_logged_once_with_server_and_code(
    full: League, server: Submission, caplog: pytest.LogCaptureFixture
) -> None:
    """However many rounds it lasts, and so is its end."""
    rounds = Rounds(full.work, lambda: full.post, full.post)
    server.refuses = lambda _to, _raw: LIMIT
    with caplog.at_level("INFO", "postal"):
        for _ in range(50):
            rounds.round()
            full.clock.advance(MINUTE)
        server.refuses = lambda _to, _raw: None
        full.clock.advance(15 * MINUTE)
        rounds.round()
    said = [one.getMessage() for one in caplog.records if "sending:" in one.getMessage()]
    assert said == [f"sending: {LIMIT.text}", "sending: working again"]
