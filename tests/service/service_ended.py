"""A game that is over, with all kinds of mail in it, for the tests of keeping and forgetting."""

import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from sqlmodel import select

from postal.engine.view import view
from postal.mail.smtp import SendResult
from postal.service.desk.adjudicate import force_turn
from postal.store.rows import GameRow, MailStatus
from tests.service.service_league import SLUG, League, open_league

PLAYERS = ("Quentin", "Bob", "Cat", "Dan", "Eve", "Fay")
DAY = timedelta(days=1)


def make_ended(file: Path) -> datetime:
    """Play a game to its end on a database, and return when that was.

    Mails were filed, refused, held and ignored; a stranger wrote, and one letter failed.
    """
    league = open_league(f"sqlite:///{file}", plain=True)
    league.players = PLAYERS
    league.begin()
    neighbour = next(
        player
        for player in PLAYERS
        if "Quentin" in (league.game.tables[0].neighbour(player, to) for to in (1, -1))
    )
    cards = view(league.game, neighbour).due[0].examples[0].split()
    lines = f"A: give {' '.join(cards[2:4])} to QUENTIN and to Bobby\n"
    league.write(neighbour, lines)
    league.write("Quentin", "A: give 2C 2C to nobody\n")
    league.poll()
    league.order_all()
    league.write("Quentin", "A: fold\n", sender="bob@example.org")
    league.write("Stranger", "Hello, is Quentin there?\n", token="")
    league.poll()
    statuses = {mail.status for mail in league.mails()}
    assert statuses == {MailStatus.DONE, MailStatus.QUARANTINED, MailStatus.REJECTED}
    while not league.game.finished:
        if league.game.turn == 3:
            for player in PLAYERS:
                # Where it is the other's move, the answer names him.
                league.write(player, "A: stay\nB: stay\nC: stay\n")
        if 1 < league.game.turn < 5:
            league.order_all("Fay")
            league.poll()
        league.clock.advance(7 * DAY)
        force_turn(league.work, SLUG)
    league.post.results = [SendResult("failed", 550, "no <quentin@example.org> here")]
    league.send()
    league.send()
    with league.database.reading() as session:
        ended = session.exec(select(GameRow.ended_at)).one()
    assert ended is not None
    league.database.close()
    return ended


def opened_ended(made: Path, ended: datetime, folder: Path) -> Iterator[League]:
    """Give a league on a copy of that database, at the end of the game."""
    shutil.copy(made, folder / "postal.db")
    league = open_league(f"sqlite:///{folder / 'postal.db'}", now=ended, plain=True)
    league.players = PLAYERS
    yield league
    league.database.close()
