"""The same on PostgreSQL, where two processes can really be at it at once."""

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session

from postal.config import Keep
from postal.errors import PostalError
from postal.service.desk.adjudicate import force_turn
from postal.service.desk.forget import forget
from postal.service.desk.keeping import LETTERS, MAILS, let_go_daily, would_go
from postal.service.desk.merging import merge_people
from postal.service.desk.newaddress import set_address
from postal.service.desk.people import list_people, show_person
from postal.service.records.export import export_game
from postal.service.records.verify import verify_game
from postal.service.turns.adjudication import adjudicate_due
from postal.store.database import Database
from postal.store.inserting import insert_new
from postal.store.rows import MailStatus, Row, TurnStatus
from postal.store.tokens import known_tokens
from tests.postgresql import postgresql_cluster, postgresql_url
from tests.service.service_league import DEADLINE, HOUR, MINUTE, SLUG, League, Post, open_league

__all__ = ["postgresql_cluster", "postgresql_url"]

pytestmark = pytest.mark.postgresql


@pytest.fixture
def league(postgresql_url: str) -> Iterator[League]:
    """Give a game at turn 1."""
    league = open_league(postgresql_url, plain=True)
    league.begin()
    yield league
    league.database.close()


def other_process(league: League, prefix: str) -> League:
    """Return the league as a second process has it, names of chance its own."""
    database = Database(league.database._writing)
    names = iter(range(10**6))
    work = replace(league.work, database=database, new_name=lambda _: f"{prefix}{next(names):019d}")
    post = league.post
    own = Post(league.clock, dict(post.inbox), uidvalidity=post.uidvalidity)
    return League(work, league.clock, own)


def at_once(*deeds: Callable[[], object]) -> list[BaseException]:
    """Run deeds in threads at once; return what they raised."""
    raised: list[BaseException] = []

    def run(deed: Callable[[], object]) -> None:
        try:
            deed()
        except BaseException as error:  # noqa: BLE001 - handed to the test
            raised.append(error)

    threads = [threading.Thread(target=run, args=(deed,)) for deed in deeds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return raised


def test_a_game_is_played_to_its_end(league: League) -> None:
    """Everybody has one report a turn."""
    league.play(3)
    while not league.game.finished:
        force_turn(league.work, SLUG)
    turns = len(league.turns()) - 1
    for player in league.players:
        reports = league.outbox(player, "welcome", "report", "final")
        assert [row.turn for row in reports] == list(range(turns + 1))
    assert sum(league.game.balances.values()) == 6_000_000


def test_two_polls_at_once_file_each_mail_once(league: League) -> None:
    """A daemon's and a command's."""
    league.order_all()
    second = other_process(league, "b")
    assert at_once(league.poll, second.poll) == []
    assert [mail.status for mail in league.mails()] == [MailStatus.DONE] * 6
    assert len(league.outbox(None, "receipt")) == 6
    assert all(len(league.on_file(player)) == 3 for player in league.players)


def test_two_adjudications_at_once_make_one_turn(league: League) -> None:
    """The other finds nothing to do, or says that it is too late."""
    league.order_all()
    league.poll()
    league.clock.advance(HOUR)
    second = other_process(league, "b")
    raised = at_once(lambda: adjudicate_due(league.work), lambda: force_turn(second.work, SLUG, 1))
    assert all(isinstance(error, PostalError) for error in raised), raised
    assert league.game.turn == 2
    assert [turn.status for turn in league.turns()][-1] is TurnStatus.OPEN
    assert len(league.outbox(None, "report")) == 6


def test_of_two_daemons_one_lets_go_of_what_is_kept_no_longer(
    league: League, tmp_path: Path
) -> None:
    """The other finds that it is done today; what was let go is the same as on SQLite."""
    league.order_all()
    league.poll()
    while not league.game.finished:
        force_turn(league.work, SLUG)
    league.send()
    league.clock.advance(timedelta(days=91))
    told = would_go(league.work, Keep(), tmp_path)
    assert [(share.kind, share.game) for share in told] == [(MAILS, SLUG), (LETTERS, SLUG)]
    went: list[object] = []
    second = other_process(league, "b")
    raised = at_once(
        lambda: went.append(let_go_daily(league.work, Keep(), tmp_path)),
        lambda: went.append(let_go_daily(second.work, Keep(), tmp_path)),
    )
    assert raised == []
    assert went in ([told, None], [None, told])
    assert would_go(league.work, Keep(), tmp_path) == ()
    assert verify_game(league.work, SLUG)[1] == ()


def test_a_person_is_forgotten(league: League) -> None:
    """And his game still verifies."""
    league.order_all()
    league.poll()
    while not league.game.finished:
        force_turn(league.work, SLUG)
    league.send()
    done = forget(league.work, "Ann", "Player One")
    assert (done.games, done.addresses, done.mails) == ((SLUG,), 1, 1)
    assert verify_game(league.work, SLUG)[1] == ()
    assert "Ann" not in export_game(league.work, SLUG)


def test_a_late_answer_and_the_turn_that_it_is_for_at_once(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both give out the token of the next turn at the same moment, and neither fails."""
    league.clock.move_to(DEADLINE + MINUTE)
    league.poll()
    second = other_process(league, "b")
    second.post.deliver(league.mail("Ann", "A: fold\n"))
    deeds = [second.poll]

    def meanwhile(session: Session, kind: type[Row], rows: Sequence[Any]) -> None:
        while deeds:
            deeds.pop()()
        insert_new(session, kind, rows)

    monkeypatch.setattr("postal.store.tokens.insert_new", meanwhile)
    league.due()
    assert [len(league.outbox("Ann", kind)) for kind in ("report", "late")] == [1, 1]
    assert not [row for row in league.outbox("") if "set aside" in row.subject]


def test_a_mail_and_a_claim_at_once_lose_no_order(league: League) -> None:
    """An order on file before the claim is used, one after it is answered as too late."""
    league.order_all("Ann")
    league.poll()
    league.order_all(*league.players[1:])
    raised = at_once(league.poll, lambda: force_turn(other_process(league, "b").work, SLUG, 1))
    assert raised == []
    late = len(league.outbox("Ann", "late"))
    assert late + len(league.outbox("Ann", "receipt")) == 1
    assert league.game.missed["Ann"] == late


def test_an_address_is_replaced_while_a_turn_is_adjudicated(league: League) -> None:
    """Whichever comes first: the old token is good for nothing, and the game goes on."""
    for turn in range(3):
        league.order_all()
        for player in league.players:
            league.write(player, "ready\n")
        league.poll()
        league.clock.advance(8 * 24 * HOUR)
        league.poll()
        other = other_process(league, f"t{turn}")
        address = f"ann{turn}@new.example"
        raised = at_once(
            lambda at=other: adjudicate_due(at.work),  # type: ignore[misc]  # bound at once
            lambda to=address: set_address(league.work, "Ann", to),  # type: ignore[misc]  # too
        )
        assert not raised
        league.due()
        loaded = league.loaded()
        assert loaded.game.turn == turn + 2
        now = league.outbox("Ann", "report", "resend")[-1]
        assert now.recipient == address
        with league.database.reading() as session:
            known = known_tokens(session, [league.token("Ann", turn + 2)])
            assert known == {}
            assert known_tokens(
                session, [league.work.token(loaded.row, turn + 2, loaded.seat("Ann").seat)]
            )


def test_people_are_listed_shown_and_merged(league: League) -> None:
    """With every statement that this database reads more strictly."""
    names = ("Annie", "Gus", "Hal", "Ida", "Jim", "Kim")
    league.begin("smith-2", bytes(32), names)
    league.write("Ann", "status\n")
    league.poll()
    merge_people(league.work, "Ann", "Annie")
    (ann, *_) = list_people(league.work)
    assert (ann["name"], ann["games"]) == ("Ann", ["smith-1", "smith-2"])
    assert ann["last_heard"] == league.clock.now().isoformat()
    set_address(league.work, "Ann", "ann@new.example")
    assert len(show_person(league.work, "Ann")["undelivered"]) > 1
    with pytest.raises(PostalError, match="nobody called"):
        show_person(league.work, "999999999")
