"""Mail in: read as it was meant, handled once, answered at the registered address, put away."""

import logging
from datetime import timedelta
from pathlib import Path

import pytest
from sqlmodel import Session

from postal.engine.view import view
from postal.mail.imap import PROCESSED, QUARANTINE, REJECTED
from postal.service.inbound import filing, handling
from postal.service.inbound.filing import MOST_PROBLEMS
from postal.service.workplace import Workplace
from postal.store.mails import free_mails
from postal.store.rows import MailRow, MailStatus
from tests.service.service_league import (
    DEADLINE,
    GM_BOX,
    HOUR,
    MINUTE,
    SLUG,
    League,
    open_league,
    parsed,
    text_of,
)


def example(league: League, player: str = "Ann", place: int = 0) -> str:
    """Return a line that the player's report offers him."""
    return view(league.game, player).due[place].examples[0]


def test_a_give_is_filed_and_the_receipt_says_so(dealt: League) -> None:
    """In canonical form, with what is missing, and to the registered address."""
    line = example(dealt)
    text = dealt.say("Ann", f"{line.lower()}\n")
    assert f":: {line}" in text
    assert "are still" in text
    (receipt,) = dealt.outbox("Ann", "receipt")
    assert receipt.recipient == "ann@example.org"
    assert parsed(receipt.raw)["Auto-Submitted"] == "auto-replied"
    assert list(dealt.post.folders) == [PROCESSED]
    assert not dealt.post.inbox


def test_a_keep_is_filed(dealt: League) -> None:
    """In turn 2."""
    dealt.play(1)
    line = example(dealt)
    assert f":: {line}" in dealt.say("Ann", line)
    assert dealt.on_file("Ann") == [line]


@pytest.mark.parametrize(
    ("written", "filed"),
    [
        ("{t}: raise £40,000", "{t}: raise 40000"),
        ("Table {t} bet 40k", "{t}: raise 40000"),
        ("> quoted\n* {t} fold", "{t}: fold"),
        ("{t} r 5000; {t} raise 6000", "{t}: raise 6000"),
    ],
)
def test_bets_are_filed(betting: League, written: str, filed: str) -> None:
    """In the spellings that people use."""
    player, table = bettor(betting)
    text = betting.say(player, written.format(t=table) + "\n")
    assert betting.on_file(player) == [filed.format(t=table)]
    assert f":: {filed.format(t=table)}" in text


def bettor(league: League) -> tuple[str, str]:
    """Return a player who must bet, and his table."""
    for player in league.players:
        for item in view(league.game, player).due:
            return player, item.table
    raise AssertionError("nobody must bet")


def test_refused_lines_are_told_and_leave_the_earlier_order(betting: League) -> None:
    """All of a mail at once, each with its line number."""
    player, table = bettor(betting)
    betting.say(player, f"{table}: raise 5000")
    text = betting.say(player, f"{table}: raise 70000\n\n{table}: raise 40.000\nZ: fold\n")
    assert betting.on_file(player) == [f"{table}: raise 5000"]
    for number in (1, 3, 4):
        assert f"in line {number}" in text
    assert f":: {table}: raise 5000" in text


def test_prose_gets_a_receipt_and_changes_nothing(dealt: League) -> None:
    """Somebody may have meant it as orders."""
    said = dealt.say("Ann", "Thanks, lovely cards!\n")
    assert "missing" in said
    assert "No order was found in your mail" in " ".join(said.split())
    assert dealt.on_file("Ann") == []


def test_the_same_mail_again_does_nothing(dealt: League) -> None:
    """Under another UID, or another UIDVALIDITY, or both at once (MAIL.md, In 9)."""
    raw = dealt.mail("Ann", example(dealt))
    dealt.post.deliver(raw)
    dealt.post.deliver(raw)
    dealt.poll()
    dealt.write("Ann", "cancel all")
    dealt.poll()
    dealt.post.renumber()
    dealt.post.deliver(raw)
    dealt.poll()
    assert dealt.on_file("Ann") == []
    assert len(dealt.outbox("Ann", "receipt")) == 2
    assert not dealt.post.inbox


def test_a_new_uidvalidity_before_the_move_does_nothing_twice(dealt: League) -> None:
    """The database knows what was handled, whatever became of the folder."""
    dealt.write("Ann", example(dealt))
    dealt.post.fails["move"] = RuntimeError("lost")
    with pytest.raises(RuntimeError):
        dealt.poll()
    dealt.post.fails.clear()
    dealt.post.renumber()
    dealt.poll()
    assert len(dealt.outbox("Ann", "receipt")) == 1
    assert not dealt.post.inbox
    dealt.poll()
    assert len(dealt.mails()) == 2


def test_orders_of_another_seat_go_by_the_token(dealt: League) -> None:
    """From proves nothing: the token's player orders, and he alone is told."""
    line = example(dealt, "Bob")
    dealt.write("Ann", line, token=dealt.token("Bob"), sender="ann@home.example")
    dealt.poll()
    assert (dealt.on_file("Ann"), dealt.on_file("Bob")) == ([], [line])
    assert not dealt.outbox("Ann", "receipt")
    assert dealt.outbox("Bob", "receipt")[0].recipient == "bob@example.org"


def test_a_late_mail_is_told_so_and_its_answer_works(dealt: League) -> None:
    """Orders for a turn that is over can't act in the next; an answer to the answer can."""
    dealt.play(1)
    dealt.write("Ann", example(dealt), turn=1)  # type: ignore[arg-type]  # a number
    dealt.poll()
    (late,) = dealt.outbox("Ann", "late")
    assert "turn 1" in text_of(late.raw)
    assert dealt.on_file("Ann") == []
    to = parsed(late.raw)["Reply-To"]
    assert dealt.token("Ann", 2) in to


def test_a_mail_after_the_deadline_is_late_before_the_turn_is_adjudicated(dealt: League) -> None:
    """INTERNALDATE decides (10.5), and an answer to what he gets is for the next turn."""
    dealt.clock.move_to(DEADLINE + MINUTE)
    dealt.write("Ann", example(dealt), at=DEADLINE)
    dealt.write("Bob", example(dealt, "Bob"), at=DEADLINE + timedelta(seconds=1))
    dealt.poll()
    assert dealt.on_file("Ann")
    assert not dealt.on_file("Bob")
    (late,) = dealt.outbox("Bob", "late")
    assert dealt.token("Bob", 2) in parsed(late.raw)["Reply-To"]


def test_an_answer_to_the_final_report_is_answered(dealt: League) -> None:
    """Its token is for a turn that never comes."""
    end(dealt)
    number = dealt.game.turn
    dealt.write("Ann", "Thanks for the game!", turn=number)  # type: ignore[arg-type]  # a number
    dealt.poll()
    (late,) = dealt.outbox("Ann", "late")
    assert "the game is over" in text_of(late.raw)


def end(league: League) -> None:
    """Play a game to its end without orders."""
    while not league.game.finished:
        league.clock.advance(timedelta(days=8))
        league.poll()
        league.due()


def test_no_token_does_nothing_and_brings_a_hint_now_and_then(dealt: League) -> None:
    """To the registered address, and to nobody else."""
    line = example(dealt)
    for _ in range(2):
        dealt.write("Ann", line, token="")
    dealt.write("Ann", line, token="", sender="stranger@example.org")
    dealt.write("Ann", line, token="a" * 16, sender="stranger@example.org")
    dealt.poll()
    assert dealt.on_file("Ann") == []
    assert [row.kind for row in dealt.outbox("Ann")] == ["welcome", "hint"]
    assert len(dealt.post.folders[REJECTED]) == 4
    dealt.clock.advance(7 * HOUR)
    dealt.write("Ann", line, token="")
    dealt.poll()
    assert len(dealt.outbox("Ann", "hint")) == 2


def test_automatic_mail_gets_no_answer(dealt: League) -> None:
    """RFC 3834: or two programs would write to each other for ever."""
    line = example(dealt)
    dealt.write("Ann", line, headers="Auto-Submitted: auto-replied\n")
    dealt.write("Bob", line, headers="Precedence: bulk\n")
    dealt.write("Cat", line, sender="mailer-daemon@example.org")
    dealt.poll()
    assert not dealt.outbox(None, "receipt", "hint", "late")
    assert len(dealt.post.folders[REJECTED]) == 3


def test_the_gms_own_reports_stay_in_the_inbox(dealt: League) -> None:
    """A GM may read them there; they are looked at once, whatever UIDs they get."""
    (report,) = dealt.outbox("", "gm")
    dealt.post.deliver(report.raw or b"")
    dealt.poll()
    dealt.post.renumber()
    dealt.poll()
    dealt.poll()
    assert len(dealt.post.inbox) == 1
    assert not dealt.post.folders
    assert dealt.mails()[0].status is MailStatus.IGNORED


def test_a_mail_that_is_too_large_is_answered(dealt: League) -> None:
    """By its header alone; and his turn waits for his next mail (10.6)."""
    dealt.post.deliver(dealt.mail("Ann", example(dealt)), size=3_000_000)
    dealt.poll()
    assert "too long" in text_of(dealt.outbox("Ann", "unreadable")[0].raw)
    assert dealt.on_file("Ann") == []
    dealt.order_all("Ann")
    dealt.poll()
    dealt.clock.advance(HOUR)
    assert dealt.due() == ()


def test_a_mail_without_text_is_answered_and_holds_the_turn(dealt: League) -> None:
    """He may have meant to change his mind (10.6)."""
    dealt.order_all()
    dealt.poll()
    picture = dealt.mail("Ann", "R0lGODlhAQABAAAAACw=\n")
    dealt.post.deliver(picture.replace(b"text/plain; charset=utf-8", b"image/gif"))
    dealt.poll()
    assert "could not be read" in text_of(dealt.outbox("Ann", "unreadable")[0].raw)
    said = " ".join(text_of(dealt.outbox("Ann", "unreadable")[0].raw).split())
    assert "so nothing in it was done. It holds attachments or pictures and no text." in said
    dealt.clock.advance(HOUR)
    assert dealt.due() == ()
    dealt.say("Ann", "ready")
    dealt.clock.advance(HOUR)
    assert len(dealt.due()) == 1


def test_a_poisoned_mail_stops_nothing(
    dealt: League, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It is tried again for a day, then set aside and the GM told; the log quotes nothing of it."""
    poison, line = example(dealt), example(dealt, "Bob")
    real = filing.take

    def failing(*arguments: object) -> object:
        if arguments[2] == "Ann":
            raise ValueError(poison)
        return real(*arguments)  # type: ignore[arg-type]  # handed on as they came

    monkeypatch.setattr(handling, "take", failing)
    with caplog.at_level(logging.DEBUG):
        dealt.write("Ann", poison)
        dealt.write("Bob", line)
        dealt.poll()
        assert dealt.on_file("Bob") == [line]
        assert len(dealt.outbox("Bob", "receipt")) == 1
        poll_for(dealt, 23)
        assert dealt.mails()[0].status is MailStatus.NEW
        poll_for(dealt, 2)
    assert dealt.mails()[0].status is MailStatus.QUARANTINED
    assert len(dealt.post.folders[QUARANTINE]) == 1
    told = [row for row in dealt.outbox("", "gm") if row.subject == TOLD]
    notices = [text_of(row.raw) for row in told]
    assert ["could not be handled (ValueError)" in " ".join(one.split()) for one in notices] == [
        True
    ] * 2
    assert poison not in "".join(notices) + caplog.text


TOLD = f"{SLUG}: a mail can't be handled"


def ending(*_: object) -> None:
    """End the program."""
    raise SystemExit


def test_a_mail_at_which_the_program_ends_each_time_is_set_aside(
    dealt: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or it would end for ever; but others go before it, and it has a day."""

    def ending_at_anns(session: Session, work: Workplace, row: MailRow) -> object:
        if row.id == 1:
            ending()
        return handling.work_out(session, work, row)

    monkeypatch.setattr("postal.service.inbound.queue.work_out", ending_at_anns)
    dealt.write("Ann", example(dealt))
    dealt.write("Bob", example(dealt, "Bob"))
    ended = 0
    for _ in range(3 * 24):
        try:
            dealt.poll()
        except SystemExit:
            ended += 1
            restarted(dealt)
        dealt.clock.advance(HOUR / 2)
    assert dealt.on_file("Bob")
    assert [mail.status for mail in dealt.mails()] == [MailStatus.QUARANTINED, MailStatus.DONE]
    assert 4 < ended < 40
    assert [row.subject for row in dealt.outbox("", "gm")][-2:] == [TOLD] * 2


def test_three_kills_at_a_mail_set_no_innocent_aside(
    dealt: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is handled when nobody kills the program at it any more, and its order counts."""
    with monkeypatch.context() as patch:
        patch.setattr("postal.service.inbound.queue.work_out", ending)
        dealt.write("Ann", example(dealt))
        for _ in range(3):
            with pytest.raises(SystemExit):
                dealt.poll()
            restarted(dealt)
            dealt.clock.advance(5 * MINUTE)
    poll_for(dealt, 1)
    assert dealt.mails()[0].status is MailStatus.DONE
    assert dealt.on_file("Ann") == [example(dealt)]


def restarted(league: League) -> None:
    """Do what a daemon does at its start."""
    with league.database.transaction() as session:
        free_mails(session)


def poll_for(league: League, hours: int) -> None:
    """Poll every quarter of an hour for so long."""
    for _ in range(4 * hours):
        league.clock.advance(HOUR / 4)
        league.poll()


def test_an_older_order_never_takes_the_place_of_a_newer(
    dealt: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Behind a mail that must be tried again its sender's later ones wait."""
    first = example(dealt)
    real, failures = filing.take, iter((True, False, False))

    def failing_once(*arguments: object) -> object:
        if next(failures, False):
            raise ValueError
        return real(*arguments)  # type: ignore[arg-type]  # handed on as they came

    monkeypatch.setattr(handling, "take", failing_once)
    dealt.write("Ann", first)
    dealt.write("Ann", f"{first}\ncancel {first[0]}\n")
    dealt.poll()
    assert dealt.on_file("Ann") == []
    assert dealt.outbox("Ann", "receipt") == []
    dealt.clock.advance(MINUTE)
    dealt.poll()
    dealt.poll()
    assert dealt.on_file("Ann") == []
    assert [mail.status for mail in dealt.mails()] == [MailStatus.DONE] * 2


def test_mail_that_comes_during_a_poll_waits_for_the_next(dealt: League) -> None:
    """And is not lost."""
    dealt.post.during.append(dealt.mail("Ann", example(dealt)))
    assert dealt.poll().stored == 0
    assert dealt.poll().stored == 1
    assert dealt.on_file("Ann")


def test_without_plus_addresses_the_token_is_in_the_subject(tmp_path: Path) -> None:
    """And is not shown to the GM, who sees subjects."""
    league = open_league(f"sqlite:///{tmp_path / 'postal.db'}", plus=False)
    league.begin()
    (welcome,) = league.outbox("Ann", "welcome")
    token = league.token("Ann")
    assert f"[postal {token}]" in parsed(welcome.raw)["Subject"].replace("\n ", " ")
    assert parsed(welcome.raw)["Reply-To"].endswith(f"<{GM_BOX}>")
    assert token not in welcome.subject
    line = example(league)
    mail = league.mail("Ann", line, token="").replace(
        f"Re: {SLUG}".encode(), f"AW: Re: x [postal {token.upper()}]".encode()
    )
    league.post.deliver(mail)
    league.poll()
    assert league.on_file("Ann") == [line]
    league.database.close()


def test_a_mail_of_nothing_but_mistakes_gets_a_short_receipt(dealt: League) -> None:
    """The first are told one by one, the rest as a number."""
    dealt.write("Ann", "A: rais 5\n" * 300)
    dealt.poll()
    (receipt,) = dealt.outbox("Ann", "receipt")
    said = " ".join(text_of(receipt.raw).split())
    assert said.count("rais 5") <= 2 * MOST_PROBLEMS
    assert f"{300 - MOST_PROBLEMS + 1} further lines were not taken either" in said


def test_orders_in_a_file_that_nobody_reads_are_told(dealt: League) -> None:
    """Beside a text that has none; never in silence."""
    mail = dealt.mail("Ann", "")
    head, _, _ = mail.partition(b"Content-Type:")
    dealt.post.deliver(
        head + b"Content-Type: multipart/mixed; boundary=B\r\n\r\n"
        b"--B\r\nContent-Type: text/plain\r\n\r\n"
        b"My orders are attached.\r\n--B\r\nContent-Type: application/pdf; name=orders.pdf\r\n\r\n"
        b"x\r\n--B--\r\n"
    )
    dealt.poll()
    said = " ".join(text_of(dealt.outbox("Ann", "receipt")[0].raw).split())
    assert "No order was found in your mail, so it changed nothing. What is attached" in said
