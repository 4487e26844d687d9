"""The program's sudden end before each transaction: nothing lost, nothing twice."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlmodel import Session

from postal.engine.view import view
from postal.service.outbound.delivery import recover
from postal.service.turns.adjudication import recover_claims
from postal.store.codec import decode_book
from postal.store.database import Database
from postal.store.rows import MailStatus
from tests.service.conftest import opened
from tests.service.service_league import DEADLINE, MINUTE, League


class Killed(BaseException):
    """The process is gone: nothing catches that."""


class Dying(Database):
    """A database whose process is killed as it begins transaction ``life``, counted from 1."""

    def __init__(self, database: Database, life: int) -> None:
        """Take the database to use until then."""
        super().__init__(database._writing)
        self.life = life

    @contextmanager
    def transaction(self) -> Iterator[Session]:
        """Yield a session, or end."""
        self.life -= 1
        if self.life == 0:
            raise Killed
        with super().transaction() as session:
            yield session


def work_through(league: League) -> None:
    """Do what the daemon does from its start: two mails in, a turn, and everything out."""
    recover(league.work)
    recover_claims(league.work)
    league.poll()
    league.due()
    league.send()


def prepared(stages: dict[str, tuple[Path, datetime]], folder: Path) -> League:
    """Return a league past its deadline, with the mails of two players on the server."""
    folder.mkdir()
    league = opened(stages["dealt"], folder, plain=True)
    for player in ("Ann", "Bob"):
        lines = [item.examples[0] for item in view(league.game, player).due]
        league.write(player, "\n".join(lines), at=DEADLINE - MINUTE)
    league.clock.move_to(DEADLINE + timedelta(minutes=5))
    return league


def used(league: League) -> list[tuple[str, str]]:
    """Return the orders that turn 1 was adjudicated with, whichever mail was handled first.

    One at which the program was killed is tried again behind the others.
    """
    book = decode_book(league.turns()[1].orders or "")
    return sorted((entry.player, entry.order.line()) for entry in book.filed)


def test_killed_before_any_transaction_and_started_again(
    stages: dict[str, tuple[Path, datetime]], tmp_path: Path
) -> None:
    """Each order counts once, each player has one report, each mail goes out."""
    whole = prepared(stages, tmp_path / "whole")
    counted = Dying(whole.database, 1000)
    work_through(replace(whole, work=replace(whole.work, database=counted)))
    count = 1000 - counted.life
    orders, mails = used(whole), kinds(whole)
    assert len(orders) == 6
    assert count > 25
    whole.database.close()
    # The last mails go out one like the other.
    for life in (*range(1, count - 12), count):
        league = prepared(stages, tmp_path / str(life))
        mortal = replace(league, work=replace(league.work, database=Dying(league.database, life)))
        with pytest.raises(Killed):
            work_through(mortal)
        again = league.reborn()
        work_through(again)
        again.clock.advance(timedelta(hours=5))
        again.send()
        assert used(again) == orders, life
        assert kinds(again) == mails, life
        assert [mail.status for mail in again.mails()] == [MailStatus.DONE] * 2
        assert not again.post.inbox
        assert {row.state.value for row in again.outbox()} == {"sent"}
        went = Counter(again.post.sent)
        assert sum(went.values()) - len(went) <= 1, "one mail at most goes twice"
        assert len(went) == len(again.outbox(None, "receipt", "report", "gm")) - 1
        league.database.close()


def kinds(league: League) -> Counter[tuple[str, str]]:
    """Return how many mails of each kind were written to whom."""
    return Counter((row.player, row.kind) for row in league.outbox())
