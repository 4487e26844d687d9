"""Mail that the server lists and keeps back: who waits for it, for how long, and who is told."""

from collections.abc import Sequence
from datetime import timedelta

import pytest
from sqlmodel import select

from postal.engine.view import view
from postal.mail.fetching import Facts
from postal.mail.imap import QUARANTINE
from postal.service.outbound.troubles import trouble_sentences
from postal.service.ticks import Rounds
from postal.store.codec import decode_book
from postal.store.rows import MailRow, MailStatus, OrderHistoryRow
from tests.service.people_league import OTHER
from tests.service.service_league import DEADLINE, HOUR, MINUTE, SLUG, League, text_of

NO = "The IMAP server imap.example.org:993 does not hand it over: it gives no data"
UNREAD = f"{SLUG}: the mail server doesn't hand over a mail"
DAY = timedelta(days=1)


def lines(league: League, player: str) -> str:
    """Return all that a player owes, ordered."""
    return "\n".join(item.examples[0] for item in view(league.game, player).due)


def keep_back(league: League, uid: int, *, headless: bool = False) -> int:
    """Let the server keep a mail back."""
    league.post.kept_back[uid] = NO
    if headless:
        league.post.headless.add(uid)
    return uid


def rounds_of(league: League) -> Rounds:
    """Return the post room's rounds."""
    return Rounds(league.work, lambda: league.post, league.post)


def go_on(league: League, rounds: Rounds, until: timedelta) -> None:
    """Make rounds for so long, a minute between two, or more where it takes days."""
    step = MINUTE if until < HOUR / 2 else 6 * MINUTE if until <= 2 * HOUR else HOUR / 2
    end = league.clock.now() + until
    while league.clock.now() < end:
        league.clock.advance(step)
        rounds.round()


def of(league: League, number: int | None) -> MailRow:
    """Return a mail as it is stored."""
    return next(mail for mail in league.mails() if mail.id == number)


def used(league: League, turn: int = 1) -> set[str]:
    """Return who had orders on file when a turn was adjudicated."""
    return {filed.player for filed in decode_book(league.turns()[turn].orders or "").filed}


def heard(league: League, turn: int = 1) -> frozenset[str]:
    """Return who was heard of in a turn that was adjudicated."""
    return decode_book(league.turns()[turn].orders or "").heard


def told(league: League, about: str) -> list[str]:
    """Return what the GM was mailed under a subject that ends so."""
    return [text_of(row.raw) for row in league.outbox("") if row.subject.endswith(about)]


def test_one_mail_kept_back_stops_no_other(two: League) -> None:
    """It is noted with what its header tells, and the poll is whole without it."""
    uid = keep_back(two, two.write("Ann", lines(two, "Ann")))
    two.write("Bob", lines(two, "Bob"))
    polled = two.poll()
    assert (polled.stored, polled.trouble) == (1, "")
    row = of(two, 1)
    assert (row.status, row.uid, row.tries) == (MailStatus.UNREAD, uid, 2)
    assert (row.sender_key, row.turn, row.reason) == ("ann@example.org", 1, NO)
    assert row.game_id == two.loaded().id
    assert row.singled_at == row.received_at == two.clock.now()
    assert two.on_file("Bob")
    assert len(told(two, "doesn't hand over a mail")) == 1


def test_it_is_tried_again_and_handled_in_its_turn_when_it_comes(two: League) -> None:
    """It keeps its number and its time, and the GM is told that it is over."""
    uid = keep_back(two, two.write("Ann", lines(two, "Ann")))
    two.write("Bob", lines(two, "Bob"))
    came = two.clock.now()
    two.poll()
    two.clock.advance(3 * HOUR)
    two.post.kept_back.clear()
    two.poll()
    row = of(two, 1)
    assert (row.status, row.uid, row.internal_date) == (MailStatus.DONE, uid, came)
    assert two.on_file("Ann")
    assert not two.post.inbox
    assert told(two, "it is over: the mail server doesn't hand over a mail")


def test_the_pauses_between_the_tries_grow_to_an_hour(two: League) -> None:
    """A day of rounds asks for it some thirty times."""
    keep_back(two, two.write("Ann", lines(two, "Ann")))
    two.write("Bob", "help")
    go_on(two, rounds_of(two), DAY)
    assert 20 < of(two, 1).tries < 40


def test_the_game_of_a_mail_that_is_kept_back_waits_a_day_and_no_other_a_minute(
    two: League,
) -> None:
    """Then it goes on, and whose mail it is was heard of; the GM was mailed twice before."""
    rounds = rounds_of(two)
    for player in two.players:
        if player != "Ann":
            two.write(player, lines(two, player))
    keep_back(two, two.write("Ann", lines(two, "Ann")))
    rounds.round()
    two.clock.move_to(DEADLINE)
    go_on(two, rounds, 2 * MINUTE)
    assert (two.loaded().game.turn, two.loaded(OTHER).game.turn) == (1, 2)
    assert len(told(two, "a turn is held at its deadline")) == 1
    go_on(two, rounds, DAY - HOUR)
    assert two.loaded().game.turn == 1
    assert len(told(two, "doesn't hand over a mail")) == 2
    go_on(two, rounds, HOUR)
    assert two.loaded().game.turn == 2
    assert "Ann" not in used(two)
    assert "Ann" in heard(two)
    assert len(told(two, "it is over: a turn is held at its deadline")) == 1


def test_an_order_that_is_read_while_its_turn_waits_counts(two: League) -> None:
    """It lay there before the deadline."""
    rounds = rounds_of(two)
    two.write("Bob", lines(two, "Bob"))
    keep_back(two, two.write("Ann", lines(two, "Ann"), at=DEADLINE - MINUTE))
    two.clock.move_to(DEADLINE + MINUTE)
    go_on(two, rounds, 10 * HOUR)
    assert two.loaded().game.turn == 1
    two.post.kept_back.clear()
    go_on(two, rounds, HOUR + 10 * MINUTE)
    assert two.loaded().game.turn == 2
    assert {"Ann", "Bob"} <= used(two)


def test_a_mail_that_came_after_the_deadline_holds_nothing(two: League) -> None:
    """It would be too late."""
    two.write("Bob", lines(two, "Bob"))
    keep_back(two, two.write("Ann", lines(two, "Ann"), at=DEADLINE + MINUTE))
    two.clock.move_to(DEADLINE + 2 * MINUTE)
    rounds_of(two).round()
    assert two.loaded().game.turn == 2


def test_a_completed_turn_waits_for_a_change_of_mind(two: League) -> None:
    """A mail with its token may be one."""
    rounds = rounds_of(two)
    for player in two.players:
        two.write(player, lines(two, player))
    keep_back(two, two.write("Ann", "cancel all"))
    go_on(two, rounds, 2 * HOUR)
    assert two.loaded().game.turn == 1
    assert told(two, "a turn is held at its deadline") == []
    two.post.kept_back.clear()
    go_on(two, rounds, HOUR + MINUTE)
    assert two.on_file("Ann") == []
    assert two.loaded().game.turn == 1


@pytest.mark.parametrize("missing", [True, False])
def test_a_mail_without_its_header_holds_only_turns_whose_orders_are_missing(
    two: League, *, missing: bool
) -> None:
    """Each of them a day, since it may be any player's."""
    rounds = rounds_of(two)
    for player in two.players:
        if not (missing and player == "Ann"):
            two.write(player, lines(two, player))
    two.post.deliver(two.mail("Bob", "wait"))
    keep_back(two, two.write("Ann", "hello", token=""), headless=True)
    two.clock.move_to(DEADLINE - 2 * MINUTE)
    rounds.round()
    two.clock.move_to(DEADLINE)
    go_on(two, rounds, 2 * MINUTE)
    assert of(two, [mail.id for mail in two.mails() if mail.raw is None][0]).singled_at  # noqa: RUF015
    assert two.loaded().game.turn == (1 if missing else 2)
    assert two.loaded(OTHER).game.turn == 1, "nobody has ordered there"
    go_on(two, rounds, DAY)
    assert (two.loaded().game.turn, two.loaded(OTHER).game.turn) == (2, 2)


def test_a_stranger_s_mail_that_is_kept_back_holds_nobody(two: League) -> None:
    """Its header bears no token."""
    keep_back(two, two.write("Ann", "hello", token=""))
    two.write("Bob", lines(two, "Bob"))
    two.clock.move_to(DEADLINE + MINUTE)
    rounds_of(two).round()
    assert (two.loaded().game.turn, two.loaded(OTHER).game.turn) == (2, 2)


def test_a_mail_alone_is_told_from_an_unwell_server_by_mails_put_away(two: League) -> None:
    """Where the server hands over one of those, it is this mail's fault."""
    two.write("Bob", lines(two, "Bob"))
    two.poll()
    keep_back(two, two.write("Eve", "hello", token=""))
    two.clock.move_to(DEADLINE + MINUTE)
    assert two.poll().trouble
    assert two.due() == ()
    two.clock.advance(MINUTE)
    two.post.others = True
    assert not two.poll().trouble
    assert len(two.due()) == 2


def test_where_no_mail_is_handed_over_no_turn_goes_on_at_its_deadline(two: League) -> None:
    """Three days of it: nobody is NMR, all orders count, and the GM was told after an hour."""
    rounds = rounds_of(two)
    two.clock.move_to(DEADLINE - DAY)
    for player in two.players:
        keep_back(two, two.write(player, lines(two, player)))
    go_on(two, rounds, HOUR - 6 * MINUTE)
    assert told(two, "the mailbox can't be read") == []
    go_on(two, rounds, 2 * HOUR)
    assert len(told(two, "the mailbox can't be read")) == 1
    with two.database.reading() as session:
        (sentence,) = trouble_sentences(session)
    assert sentence == f"The mail server lists 6 mails and hands none over. {NO}"
    go_on(two, rounds, 3 * DAY)
    assert (two.loaded().game.turn, two.loaded(OTHER).game.turn) == (1, 1)
    assert {mail.singled_at for mail in two.mails()} == {None}
    two.post.kept_back.clear()
    go_on(two, rounds, HOUR + 10 * MINUTE)
    assert (two.loaded().game.turn, two.loaded(OTHER).game.turn) == (2, 2)
    assert used(two) == set(two.players)
    assert len(told(two, "it is over: the mailbox can't be read")) == 1
    assert told(two, "doesn't hand over a mail") == []


def test_four_minutes_of_it_set_nobody_s_mail_aside(two: League) -> None:
    """Though others are handed over as soon as that is over."""
    rounds, before = rounds_of(two), len(two.outbox("", "gm"))
    for player in two.players:
        keep_back(two, two.write(player, lines(two, player)))
    go_on(two, rounds, 4 * MINUTE)
    two.post.kept_back.clear()
    two.write("Bob", "help")
    go_on(two, rounds, MINUTE)
    assert {mail.status for mail in two.mails()} == {MailStatus.DONE}
    assert set(two.post.folders) == {"Processed"}
    assert [bool(two.on_file(player)) for player in two.players] == [True] * 6
    assert len(two.outbox("", "gm")) == before


def test_a_mail_that_is_gone_before_it_was_read_holds_nothing_more(two: League) -> None:
    """Another program took it away."""
    uid = keep_back(two, two.write("Ann", lines(two, "Ann")))
    two.write("Bob", lines(two, "Bob"))
    two.poll()
    del two.post.inbox[uid]
    two.clock.move_to(DEADLINE + MINUTE)
    two.poll()
    assert (of(two, 1).status, of(two, 1).reason) == (
        MailStatus.IGNORED,
        "gone before it could be read",
    )
    assert len(two.due()) == 2
    assert told(two, "it is over: the mail server doesn't hand over a mail")


def test_a_uid_that_another_mail_has_now_is_a_new_mail(two: League) -> None:
    """Under the same UIDVALIDITY, as GNU imap4d does it (MAIL.md, In 9)."""
    uid = two.write("Ann", lines(two, "Ann"))
    two.poll()
    two.clock.advance(HOUR)
    two.post.inbox[uid] = (two.mail("Bob", lines(two, "Bob")), two.clock.now(), 900)
    assert two.poll().stored == 1
    assert two.on_file("Bob")
    assert [mail.status for mail in two.mails()] == [MailStatus.DONE] * 2
    assert two.poll().stored == 0
    assert not two.post.inbox


def test_a_mail_without_a_time_counts_from_when_it_was_seen_first(two: League) -> None:
    """Also where it is read only after the deadline."""
    uid = keep_back(two, two.post.deliver(two.mail("Ann", lines(two, "Ann"))))
    two.post.undated.add(uid)
    two.write("Bob", lines(two, "Bob"))
    two.clock.move_to(DEADLINE - MINUTE)
    two.poll()
    two.clock.move_to(DEADLINE + HOUR)
    two.post.kept_back.clear()
    two.poll()
    assert of(two, 1).internal_date == DEADLINE - MINUTE
    assert len(two.due()) == 2
    assert {"Ann", "Bob"} <= used(two)


def test_a_time_that_is_not_told_is_asked_for_once_more(
    two: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server's slip at one mail makes no order late."""
    uid = two.post.deliver(two.mail("Ann", lines(two, "Ann")), DEADLINE - MINUTE)
    two.post.undated.add(uid)
    facts = two.post.facts

    def told(uids: Sequence[int]) -> dict[int, Facts]:
        two.post.undated.clear()
        return facts(uids)

    monkeypatch.setattr(two.post, "facts", told)
    two.clock.move_to(DEADLINE + HOUR)
    two.poll()
    assert of(two, 1).internal_date == DEADLINE - MINUTE


def test_the_quarantine_holds_nothing_for_a_server_s_fault(two: League) -> None:
    """No mail goes there that was not read."""
    keep_back(two, two.write("Ann", lines(two, "Ann")))
    two.write("Bob", lines(two, "Bob"))
    go_on(two, rounds_of(two), 3 * DAY)
    assert QUARANTINE not in two.post.folders


def test_an_older_mail_read_at_last_does_not_undo_a_newer(two: League) -> None:
    """What the newer says of a hand stands, which he is told; the rest of the older counts."""
    hands = two.loaded().game.hands_of("Ann")
    first, *rest = lines(two, "Ann").splitlines()
    keep_back(two, two.write("Ann", f"{first}\n{rest[0]}\n"))
    two.write("Bob", "help")
    two.poll()
    two.write("Ann", f"{first}\ncancel {first[0]}\n")
    two.poll()
    assert [mail.status for mail in two.mails()][2] is MailStatus.DONE
    assert two.on_file("Ann") == []
    two.post.kept_back.clear()
    two.clock.advance(HOUR)
    two.poll()
    assert two.on_file("Ann") == [rest[0]]
    with two.database.reading() as session:
        told_him = [
            row.sentence
            for row in session.exec(select(OrderHistoryRow)).all()
            if row.mail_id == 1 and row.sentence
        ]
    name = next(hand.name for hand, _ in hands if hand.table == first[0])
    assert told_him == [
        f"{name}: a later mail of yours was handled before this one, and what it says there stands."
    ]


def test_an_older_mail_for_all_tables_counts_where_no_newer_does(betting: League) -> None:
    """Its line is taken table by table."""
    first, *rest = view(betting.game, "Ann").due
    keep_back(betting, betting.write("Ann", "all: fold"))
    betting.write("Bob", "help")
    betting.poll()
    betting.write("Ann", next(line for line in first.examples if "fold" not in line))
    betting.poll()
    stands = betting.on_file("Ann")
    assert len(stands) == 1
    betting.post.kept_back.clear()
    betting.clock.advance(HOUR)
    betting.poll()
    folded = [f"{item.hand[0]}: fold" for item in rest]
    assert sorted(betting.on_file("Ann")) == sorted([*stands, *folded])
