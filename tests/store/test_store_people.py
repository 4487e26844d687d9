"""People, their addresses, and the seats that they hold."""

from datetime import datetime

from sqlmodel import Session, select

from postal.store.database import Database
from postal.store.people import (
    addresses_of,
    all_people,
    ask_address,
    people_at,
    people_called,
    person_with,
    seats_held,
    send_reports_to,
)
from postal.store.rows import AddressRow, HolderRow, PersonRow, SeatRow
from postal.store.seats import seats_of
from tests.store.store_league import MINUTE, number_of, store_game, store_person


def test_people_are_listed_by_name(database: Database) -> None:
    """Whatever the case of their names."""
    with database.transaction() as session:
        for name in ("bob", "Ann", "Cat", "BOB"):
            store_person(session, name)
    with database.reading() as session:
        assert [one.name for one in all_people(session)] == ["Ann", "bob", "BOB", "Cat"]
        assert [one.name for one in people_called(session, " Bob")] == ["bob", "BOB"]
        assert people_called(session, "Dan") == []


def test_a_renamed_person_is_found_by_the_new_name_alone(database: Database) -> None:
    """And by the new address: the folded keys follow."""
    with database.transaction() as session:
        person = store_person(session, "Ann", "ann@example.org")
        person.name = "ÉVA"
        session.exec(select(AddressRow)).one().address = "Eva@Example.org"
    with database.reading() as session:
        assert people_called(session, "ann") == []
        assert [one.id for one in people_called(session, "éva")] == [person.id]
        assert people_at(session, "ann@example.org") == []
        assert [one.id for one in people_at(session, " eva@example.ORG")] == [person.id]


def test_a_person_is_known_by_name_and_confirmed_address(
    database: Database, noon: datetime
) -> None:
    """Two of one name are told apart, and so are two at one address."""
    with database.transaction() as session:
        first = store_person(session, "Ann", "home@example.org", "ann@example.org")
        store_person(session, "Ann", "other@example.org")
        third = store_person(session, "Bob", "home@example.org")
        ask_address(session, number_of(third), "ann@example.org", noon)
    with database.reading() as session:
        found = person_with(session, "ANN", "Ann@example.org")
        assert found is not None
        assert found.id == first.id
        assert [one.id for one in people_at(session, "HOME@example.org")] == [first.id, third.id]
        assert person_with(session, "Bob", "ann@example.org") is None
        assert person_with(session, "Ann", "nobody@example.org") is None
        assert [one.id for one in people_at(session, "ann@example.org")] == [first.id]


def test_an_address_is_asked_once(database: Database, noon: datetime) -> None:
    """Whatever its case the second time; when it was asked first stays."""
    with database.transaction() as session:
        ann, bob = (number_of(store_person(session, name)) for name in ("Ann", "Bob"))
        first = ask_address(session, ann, "new@example.org", noon)
        again = ask_address(session, ann, "NEW@example.org", noon + MINUTE)
        assert again.id == first.id
        assert ask_address(session, bob, "new@example.org", noon).id != first.id
    with database.reading() as session:
        (row,) = addresses_of(session, [ann])
        assert (row.address, row.asked_at) == ("new@example.org", noon)
        assert (row.confirmed_at, row.reports) == (None, False)
        assert len(addresses_of(session, [ann, bob])) == 2
        assert addresses_of(session, []) == []


def reports_go_to(session: Session, person: PersonRow) -> list[str]:
    """Return the addresses that are marked so."""
    return [row.address for row in addresses_of(session, [number_of(person)]) if row.reports]


def test_reports_go_to_one_address(database: Database, noon: datetime) -> None:
    """It counts as confirmed from then on; other people's stay as they are."""
    later = noon + MINUTE
    with database.transaction() as session:
        ann = store_person(session, "Ann", "old@example.org", "second@example.org")
        bob = store_person(session, "Bob", "old@example.org")
        asked = ask_address(session, number_of(ann), "new@example.org", noon)
        send_reports_to(session, asked, later)
        assert reports_go_to(session, ann) == ["new@example.org"]
        assert reports_go_to(session, bob) == ["old@example.org"]
        assert asked.confirmed_at == later
    with database.transaction() as session:
        old = addresses_of(session, [number_of(ann)])[0]
        send_reports_to(session, old, later)
    with database.reading() as session:
        assert reports_go_to(session, ann) == ["old@example.org"]
        assert addresses_of(session, [number_of(ann)])[0].confirmed_at == noon


def test_a_seat_belongs_to_whoever_holds_it_now(
    database: Database, game_id: int, noon: datetime
) -> None:
    """A standby takes a seat over: it keeps its name, and his is shown with it."""
    with database.transaction() as session:
        cat = store_person(session, "Cat", "cat@example.org")
        cat_id = number_of(cat)
        first = seats_of(session, game_id)[0]
        held = select(HolderRow).where(HolderRow.seat_id == first.id)
        session.exec(held).one().until = noon
        session.add(HolderRow(seat_id=first.id, person_id=cat_id, since=noon))
        former = number_of(first.person)
    with database.reading() as session:
        ann, bob = seats_of(session, game_id)
        assert (ann.name, ann.person.name, ann.address) == ("Ann", "Cat", "cat@example.org")
        assert (bob.name, bob.person.name) == ("Bob", "Bob")
        assert seats_held(session, former) == []
        assert [(seat.id, game.id) for seat, game in seats_held(session, cat_id)] == [
            (ann.id, game_id)
        ]


def test_a_person_s_seats_are_those_of_all_his_games(database: Database) -> None:
    """Oldest game first."""
    with database.transaction() as session:
        ann, bob = (store_person(session, name, f"{name}@example.org") for name in ("Ann", "Bob"))
        store_game(session, "one", ann, bob)
        store_game(session, "two", bob)
        store_game(session, "three", bob, ann)
    with database.reading() as session:
        held = seats_held(session, number_of(ann))
        assert [(game.slug, seat.position) for seat, game in held] == [("one", 0), ("three", 1)]


def test_seats_come_in_their_order_with_the_confirmed_addresses(
    database: Database, noon: datetime
) -> None:
    """That of the reports first, whenever it was added; none that isn't confirmed."""
    with database.transaction() as session:
        ann = store_person(session, "Ann", "old@example.org", "new@example.org")
        bob = store_person(session, "Bob", "bob@example.org")
        ask_address(session, number_of(bob), "unconfirmed@example.org", noon)
        rows = addresses_of(session, [number_of(ann)])
        send_reports_to(session, rows[1], noon)
        game_id = number_of(store_game(session, "league"))
        # Stored the other way about.
        for position, person in ((1, ann), (0, bob)):
            seat = SeatRow(game_id=game_id, position=position, name=person.name)
            session.add(seat)
            session.flush()
            holder = HolderRow(seat_id=number_of(seat), person_id=number_of(person), since=noon)
            session.add(holder)
    with database.reading() as session:
        seats = seats_of(session, game_id)
    assert [(seat.name, seat.addresses) for seat in seats] == [
        ("Bob", ("bob@example.org",)),
        ("Ann", ("new@example.org", "old@example.org")),
    ]
    assert "example.org" not in repr(seats)
