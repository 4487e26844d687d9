"""A mail server that is unwell over hours and weeks, played over IMAP: no order lost, none late."""

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest

from postal.engine.view import view
from postal.store.codec import decode_book
from postal.store.rows import MailStatus
from tests.mail.faulty import DROP
from tests.service.people_league import OTHER
from tests.service.service_league import DEADLINE, HOUR, MINUTE, SLUG, League
from tests.service.test_service_faults import House, house

DAY = timedelta(days=1)
OVER = "postal: it is over: the mailbox can't be read"
FETCHES = ("UID FETCH SIZE", "UID FETCH BODY")


@pytest.fixture
def post(two: League) -> Iterator[House]:
    """Give two games whose post goes over servers that can fail."""
    yield from house(two)


def orders(post: House, *players: str, slug: str = SLUG, at: datetime | None = None) -> list[int]:
    """Let players write all that they owe; return the UIDs of their mails."""
    league = post.league
    uids: list[int] = []
    for player in players:
        due = view(league.loaded(slug).game, player).due
        text = "\n".join(item.examples[0] for item in due)
        uids.append(
            post.imap.deliver(league.mail(player, text, slug=slug), at or league.clock.now())
        )
    return uids


def poison(post: House, uids: list[int], how: str = DROP) -> None:
    """Let the server go wrong whenever one of some mails is asked for, but for its header."""

    def fault(_number: int, name: str) -> str:
        words = post.imap.lines[-1].split() if name == "UID FETCH BODY" else []
        return how if words and int(words[3]) in uids and "HEADER" not in words[4] else ""

    post.imap.fault = fault


def turn(post: House, slug: str) -> int:
    """Return the turn in play of a game."""
    return post.league.loaded(slug).game.turn


def deadline(post: House, slug: str) -> datetime:
    """Return the deadline of the turn in play."""
    row = post.league.loaded(slug).turn
    assert row is not None
    assert row.deadline is not None
    return row.deadline


def pass_time(post: House, until: datetime, step: timedelta = 4 * HOUR) -> None:
    """Make rounds until then."""
    clock = post.league.clock
    while clock.now() + step < until:
        clock.advance(step)
        post.rounds.round()
    clock.move_to(until)
    post.rounds.round()


def books(post: House, slug: str, number: int) -> tuple[set[str], frozenset[str]]:
    """Return who had orders on file, and who was heard of, in a turn that was adjudicated."""
    game_id = post.league.loaded(slug).id
    row = next(
        one for one in post.league.turns() if one.game_id == game_id and one.number == number
    )
    book = decode_book(row.orders or "")
    return {filed.player for filed in book.filed}, book.heard


@pytest.mark.parametrize("how", [DROP, "NO [UNAVAILABLE] not now"])
def test_a_server_that_gives_nothing_for_three_days_over_a_deadline(post: House, how: str) -> None:
    """All turns wait; then every order counts that lay there in time, and nobody is absent."""
    players = post.league.players
    post.imap.fault = lambda _number, name: how if name in FETCHES else ""
    orders(post, *players, at=DEADLINE - HOUR)
    post.league.clock.move_to(DEADLINE - HOUR)
    pass_time(post, DEADLINE + 3 * DAY)
    assert (turn(post, SLUG), turn(post, OTHER)) == (1, 1)
    subjects = [row.subject for row in post.league.outbox("", "gm")]
    assert [one for one in subjects if "mail" in one] == ["postal: the mailbox can't be read"]
    post.imap.mend()
    pass_time(post, DEADLINE + 3 * DAY + 16 * MINUTE, 16 * MINUTE)
    assert (turn(post, SLUG), turn(post, OTHER)) == (2, 2)
    assert books(post, SLUG, 1) == (set(players), frozenset(players))
    assert {mail.status for mail in post.league.mails()} == {MailStatus.DONE}
    assert [row.subject for row in post.league.outbox("", "gm")].count(OVER) == 1


def test_four_minutes_in_which_nothing_is_given(post: House) -> None:
    """No mail is set aside for it, and nobody is told."""
    before = len(post.league.outbox(""))
    post.imap.fault = lambda _number, name: DROP if name in FETCHES else ""
    orders(post, *post.league.players)
    pass_time(post, post.league.clock.now() + 4 * MINUTE, MINUTE)
    post.imap.mend()
    pass_time(post, post.league.clock.now() + 5 * MINUTE, MINUTE)
    assert {mail.status for mail in post.league.mails()} == {MailStatus.DONE}
    assert all(post.league.on_file(player) for player in post.league.players)
    assert len(post.league.outbox("")) == before


def test_a_poison_mail_of_the_losing_player_in_each_turn(post: House) -> None:
    """He gains a day each time and no more, no other game waits, and he is never dropped."""
    poisoned: list[int] = []
    others = [player for player in post.league.players if player != "Ann"]
    for number in (1, 2, 3):
        poisoned += orders(post, "Ann")
        poison(post, poisoned)
        orders(post, *others)
        orders(post, *post.league.players[1:], slug=OTHER)
        pass_time(post, deadline(post, OTHER), DAY)
        pass_time(post, post.league.clock.now() + MINUTE)
        assert turn(post, OTHER) == number + 1, "no other game is a minute late"
        assert turn(post, SLUG) == number
        end = deadline(post, SLUG) + DAY
        pass_time(post, end - MINUTE)
        assert turn(post, SLUG) == number
        pass_time(post, end)
        assert turn(post, SLUG) == number + 1
        filed, heard = books(post, SLUG, number)
        assert "Ann" not in filed
        assert heard == frozenset(post.league.players)
    unread = [mail for mail in post.league.mails() if mail.status is MailStatus.UNREAD]
    assert [mail.uid for mail in unread] == poisoned == list(post.imap.inbox)
    post.imap.mend()
    pass_time(post, post.league.clock.now() + 2 * HOUR, HOUR)
    assert not post.imap.inbox
    assert {mail.reason for mail in post.league.mails() if mail.uid in poisoned} == {"too late"}
    assert len(post.league.outbox("Ann", "late")) >= 1


def test_a_stranger_s_mail_that_can_t_be_fetched_makes_nobody_late(post: House) -> None:
    """Over weeks, in which the GM is told twice."""
    stranger = post.imap.deliver(b"From: x@example.com\r\n\r\nhello\r\n", post.league.clock.now())
    poison(post, [stranger], "NO no")
    for number in (1, 2):
        orders(post, *post.league.players)
        before = turn(post, SLUG)
        pass_time(post, post.league.clock.now() + HOUR, HOUR)
        assert turn(post, SLUG) == before + 1
        pass_time(post, deadline(post, OTHER), DAY)
        pass_time(post, post.league.clock.now() + MINUTE)
        assert turn(post, OTHER) == number + 1
    told = [row.subject for row in post.league.outbox("", "gm")]
    assert told.count("postal: the mail server doesn't hand over a mail") == 2
    assert list(post.imap.inbox) == [stranger]
