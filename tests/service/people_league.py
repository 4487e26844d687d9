"""Leagues of two games, and what happens to the people who play in them."""

from collections.abc import Sequence
from email.utils import parseaddr

from sqlmodel import select

from postal.engine.view import view
from postal.service.desk.people import find_person
from postal.service.desk.players import add_address
from postal.store.people import all_people
from postal.store.rows import (
    AddressRow,
    HolderRow,
    OutboxRow,
    OutboxState,
    PersonRow,
)
from tests.service.service_league import (
    GM_BOX,
    HOUR,
    MINUTE,
    SLUG,
    League,
    Written,
    parsed,
)

OTHER = "smith-2"
WORK = "ann@work.example"
NEW = "ann@new.example"
LONELY = ("Annie", "Gus", "Hal", "Ida", "Jim", "Kim")


def line(league: League, player: str, slug: str = SLUG) -> str:
    """Return a line that a player's report offers."""
    return view(league.loaded(slug).game, player).due[0].examples[0]


def token(league: League, player: str, slug: str = SLUG) -> str:
    """Return the token that a player's mails hold now."""
    loaded = league.loaded(slug)
    return league.work.token(loaded.row, loaded.game.turn, loaded.seat(player).seat)


def put(league: League, rows: Sequence[Written], *states: OutboxState) -> None:
    """Let mails have gone, or not, as said."""
    with league.database.transaction() as session:
        for row, state in zip(rows, states, strict=True):
            stored = session.get(OutboxRow, row.id)
            assert stored is not None
            stored.state = state


def reply_to(row: Written) -> str:
    """Return the address that a mail is answered to."""
    return parseaddr(str(parsed(row.raw)["Reply-To"]))[1]


def filed(league: League, player: str, slug: str) -> list[str]:
    """Return the receipts' recipients of a player in a game."""
    return [row.recipient for row in league.outbox(player, "receipt", slug=slug)]


def confirm_work(league: League, player: str = "Ann", address: str = WORK) -> None:
    """Give a player a second address that is confirmed."""
    add_address(league.work, player, address, SLUG)
    (mail,) = [row for row in league.outbox(player, "address") if row.recipient == address]
    raw = league.mail(player, "Yes.\n", token="", sender=address)
    league.post.deliver(raw.replace(f"To: {GM_BOX}".encode(), f"To: {reply_to(mail)}".encode()))
    league.poll()


def numbers(league: League, name: str) -> list[int]:
    """Return the numbers of the people of a name."""
    with league.database.reading() as session:
        return [one.id or 0 for one in all_people(session) if one.name == name]


def finish(league: League) -> None:
    """Play the game to its end, nobody ordering."""
    for _ in range(12):
        if league.loaded().turn is None:
            break
        league.clock.advance(8 * 24 * HOUR)
        league.poll()
        league.due()
    assert league.loaded().turn is None
    league.send()


def held_by(league: League, seat: str, name: str, address: str) -> None:
    """Let somebody new hold a seat of the first game from now on."""
    now = league.clock.now()
    held = league.loaded().seat(seat)
    with league.database.transaction() as session:
        person = PersonRow(name=name, created_at=now)
        session.add(person)
        session.flush()
        former = session.exec(
            select(HolderRow).where(HolderRow.seat_id == held.id, HolderRow.until == None)  # noqa: E711 - SQL
        ).one()
        former.until = now
        number = person.id or 0
        session.add(HolderRow(seat_id=held.id, person_id=number, since=now))
        session.add(
            AddressRow(
                person_id=number, address=address, asked_at=now, confirmed_at=now, reports=True
            )
        )
    with league.database.reading() as session:
        assert find_person(session, name).id == number
    league.clock.advance(MINUTE)
