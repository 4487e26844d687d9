"""Forgetting a person: what is stored tells of him no more, and his games stay what they were."""

import dataclasses
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlmodel import col, select

from postal.engine import book, events, orders, state
from postal.errors import PostalError, UsageError
from postal.resources import games_path
from postal.service.desk.forget import forget, would_forget
from postal.service.desk.mails_again import handle_again
from postal.service.desk.overview import show_game
from postal.service.desk.people import list_people, show_person
from postal.service.desk.players import revoke_tokens
from postal.service.records.export import export_game
from postal.service.records.record import differences, read_record, replay
from postal.service.records.verify import verify_game
from postal.store.codec import NAME_FIELDS, PAIR_FIELDS, with_names
from postal.store.rows import (
    METADATA,
    AddressRow,
    HolderRow,
    JournalRow,
    MailRow,
    MailStatus,
    OrderHistoryRow,
    OutboxRow,
    OutboxState,
    PersonRow,
    PressRow,
    ProtestRow,
    SeatRow,
    TokenRow,
)
from tests.service.service_ended import DAY
from tests.service.service_league import SLUG, League

NEW = "Player One"
HIM = re.compile("quentin", re.IGNORECASE)


def places(league: League) -> set[str]:
    """Return the columns that hold his name or address, but for bytes of mails."""
    found: set[str] = set()
    with league.database.reading() as session:
        for table in METADATA.sorted_tables:
            for row in session.connection().execute(table.select()).mappings():
                found |= {
                    f"{table.name}.{name}"
                    for name, value in row.items()
                    if isinstance(value, str) and HIM.search(value)
                }
    return found


def his_seat(league: League) -> int:
    """Return the id of the seat that was his."""
    with league.database.reading() as session:
        return session.exec(select(SeatRow.id).where(SeatRow.position == 0)).first() or 0


def test_no_table_names_him(ended: League) -> None:
    """Neither by name nor by address, in whatever spelling."""
    assert places(ended) == {
        "people.name", "people.name_key", "addresses.address", "addresses.address_key",
        "seats.name", "seats.name_key", "turns.state", "turns.orders", "turns.events",
        "order_log.line", "order_log.sentence", "inbox.sender_key", "outbox.recipient",
        "outbox.last_text",
    }  # fmt: skip
    done = forget(ended.work, "quentin@example.org", NEW)
    assert places(ended) == set()
    assert (done.name, done.games, done.addresses) == (NEW, (SLUG,), 1)
    with ended.database.reading() as session:
        assert session.exec(select(PersonRow.name).where(PersonRow.id == done.id)).one() == NEW
        assert session.exec(select(AddressRow).where(AddressRow.person_id == done.id)).all() == []
        seat = session.get(SeatRow, his_seat(ended))
        assert seat is not None
        assert (seat.name, seat.name_key) == (NEW, NEW.casefold())
        assert session.exec(select(TokenRow).where(TokenRow.seat_id == seat.id)).all() == []


def test_his_mails_and_the_letters_to_him_are_gone_and_nobody_elses(ended: League) -> None:
    """Their rows tell what became of them, and a copy is still known."""
    seat = his_seat(ended)
    mine = {mail.id for mail in ended.mails() if mail.seat_id == seat}
    letters = {letter.id for letter in ended.outbox("Quentin")}
    first = next(mail for mail in ended.mails() if mail.seat_id == seat)
    done = forget(ended.work, "Quentin", NEW)
    assert (done.mails, done.letters) == (len(mine), len(letters))
    assert {mail.id for mail in ended.mails() if mail.raw is None} == mine
    assert {letter.id for letter in ended.outbox() if letter.raw is None} == letters
    assert not [mail for mail in ended.mails() if mail.status is MailStatus.QUARANTINED]
    written = len(ended.outbox())
    ended.post.deliver(first.raw or b"")
    ended.poll()
    assert ended.mails()[-1].reason == f"a copy of mail {first.id}"
    assert len(ended.outbox()) == written


def test_his_games_still_verify_and_their_records_name_the_new_name(ended: League) -> None:
    """The record is the former one but for the name."""
    before = export_game(ended.work, SLUG)
    assert verify_game(ended.work, SLUG)[1] == ()
    forget(ended.work, "Quentin", NEW)
    assert verify_game(ended.work, SLUG)[1] == ()
    after = export_game(ended.work, SLUG)
    assert after == re.sub("quentin", NEW, before, flags=re.IGNORECASE) != before
    record = read_record(json.loads(after), games_path(Path("nowhere")))
    assert differences(record.outcome or {}, replay(record).outcome) == ()
    shown = show_game(ended.work, SLUG)["players"][0]
    assert (shown["name"], shown["address"]) == (NEW, "")


def test_a_dry_run_tells_the_same_and_changes_nothing(ended: League) -> None:
    """Down to the number of lines."""
    before, record = places(ended), export_game(ended.work, SLUG)
    told = would_forget(ended.work, "Quentin", NEW)
    assert places(ended) == before
    assert export_game(ended.work, SLUG) == record
    assert forget(ended.work, "Quentin", NEW) == told
    assert told.turns > 5
    assert told.lines > 0


def test_the_lines_of_others_name_the_new_name(ended: League) -> None:
    """As they typed it, and as they were answered."""
    with ended.database.reading() as session:
        rows = session.exec(select(OrderHistoryRow)).all()
    line = next(row for row in rows if "QUENTIN" in row.line)
    forget(ended.work, "Quentin", NEW)
    with ended.database.reading() as session:
        row = session.get(OrderHistoryRow, line.id)
    assert row is not None
    assert row.line == line.line.replace("QUENTIN", NEW)
    assert row.code == line.code


def test_nobody_is_forgotten_while_a_game_of_his_is_in_play(ended: League) -> None:
    """Nor while somebody else has his seat there."""
    people = ["Quentin", "Bob", "Cat", "Dan", "Eve", "Fay"]
    ended.begin("other", players=people)
    before = places(ended)
    with pytest.raises(PostalError, match="a seat in other, still in play"):
        forget(ended.work, "Quentin", NEW)
    with ended.database.transaction() as session:
        person = session.exec(select(PersonRow).where(PersonRow.name == "Quentin")).one()
        for holder in session.exec(select(HolderRow).where(HolderRow.person_id == person.id)):
            holder.until = ended.clock.now()
    with pytest.raises(PostalError, match="a seat in other, still in play"):
        would_forget(ended.work, "Quentin", NEW)
    assert places(ended) == before


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("Bob", "smith-1 has a player of that name already"),
        ("bob", "smith-1 has a player of that name already"),
        ("quentin", "that is his name"),
        ("fold", "a word of the orders"),
        ("", "needs a name"),
        ("<b>", "may stand"),
    ],
)
def test_a_name_that_will_not_do_is_refused(ended: League, name: str, says: str) -> None:
    """And nothing is changed."""
    before = places(ended)
    with pytest.raises(UsageError, match=says):
        forget(ended.work, "Quentin", name)
    assert places(ended) == before


def test_a_mail_that_waits_is_handled_first(ended: League) -> None:
    """It would be lost."""
    with ended.database.transaction() as session:
        mail = session.exec(select(MailRow).where(MailRow.seat_id == his_seat(ended))).first()
        assert mail is not None
        mail.status = MailStatus.NEW
    with pytest.raises(PostalError, match=f"Mail {mail.id} from Quentin waits"):
        forget(ended.work, "Quentin", NEW)


def test_a_letter_on_its_way_to_him_goes_no_more(ended: League) -> None:
    """And nobody writes to him afterwards."""
    letter = ended.outbox("Quentin")[-1]
    with ended.database.transaction() as session:
        row = session.get(OutboxRow, letter.id)
        assert row is not None
        row.state = OutboxState.QUEUED
    ended.post.sent.clear()
    forget(ended.work, "Quentin", NEW)
    assert ended.send().sent == 0
    written = len(ended.outbox())
    revoke_tokens(ended.work, NEW, SLUG)
    assert len(ended.outbox()) == written
    assert ended.send().sent == 0


def test_what_came_from_him_without_a_token_is_gone_too(ended: League) -> None:
    """Other people's such mails stay."""
    ended.write("Quentin", "I have lost my report\n", token="")
    ended.write("Stranger", "So have I\n", token="")
    ended.poll()
    forget(ended.work, "Quentin", NEW)
    assert [mail.raw is None for mail in ended.mails()[-2:]] == [True, False]
    with pytest.raises(PostalError, match="no longer kept"):
        handle_again(ended.work, ended.mails()[-2].id or 0)


def test_a_seat_that_he_took_over_keeps_its_name(ended: League) -> None:
    """It never was his; what was written in his time is."""
    with ended.database.transaction() as session:
        first = session.exec(select(HolderRow).where(HolderRow.seat_id == his_seat(ended))).one()
        later = PersonRow(name="Zachary", created_at=ended.clock.now())
        session.add(later)
        session.flush()
        moment = ended.clock.now() - 20 * DAY
        first.until = moment
        session.add(HolderRow(seat_id=first.seat_id, person_id=later.id or 0, since=moment))
    record = export_game(ended.work, SLUG)
    done = forget(ended.work, "Zachary", NEW)
    assert (done.games, done.turns, done.addresses) == ((), 0, 0)
    assert export_game(ended.work, SLUG) == record
    letters = ended.outbox("Quentin")
    assert all((letter.raw is None) == (letter.created_at >= moment) for letter in letters)
    assert 0 < done.letters < len(letters)


def test_what_he_said_in_reports_is_gone_and_his_name_in_what_others_said(
    ended: League,
) -> None:
    """Nor does the journal name him."""
    league = ended
    now = league.clock.now()
    with league.database.transaction() as session:
        loaded = league.loaded()
        bob, him = loaded.seat("Bob").id, loaded.seat("Quentin").id
        for seat, to in ((him, ""), (bob, "Cat\nQuentin")):
            session.add(PressRow(game_id=loaded.id, seat_id=seat, to=to, text="Ha!", at=now))
        session.add(
            ProtestRow(
                game_id=loaded.id, turn=1, seat_id=him, hand="A1", text="Ha!", at=now, until=now
            )
        )
        said = "Quentin wrote."
        session.add(
            JournalRow(at=now, game_id=loaded.id, who="Quentin", what="press", sentence=said)
        )
    forget(league.work, "Quentin", NEW)
    with league.database.reading() as session:
        (kept,) = session.exec(select(PressRow)).all()
        assert (kept.seat_id, kept.to) == (bob, f"Cat\n{NEW}")
        assert not session.exec(select(ProtestRow)).all()
    assert not {place for place in places(league) if place.startswith(("press", "protest", "jour"))}


def test_the_second_person_of_an_address_keeps_it(ended: League) -> None:
    """With his mails of a game in play."""
    people = ["Zoe", "Bob", "Cat", "Dan", "Eve", "Fay"]
    ended.begin("other", players=people)
    with ended.database.transaction() as session:
        zoe = session.exec(select(PersonRow).where(PersonRow.name == "Zoe")).one()
        row = session.exec(select(AddressRow).where(AddressRow.person_id == zoe.id)).one()
        row.address = "quentin@example.org"
    ended.write("Zoe", "A: fold\n", sender="quentin@example.org", slug="other")
    ended.poll()
    forget(ended.work, "Quentin", NEW)
    assert show_person(ended.work, "Zoe")["addresses"][0]["address"] == "quentin@example.org"
    assert ended.mails()[-1].raw is not None
    assert all(letter.raw is not None for letter in ended.outbox("Zoe"))


def test_he_is_listed_under_the_new_name(ended: League) -> None:
    """Without an address."""
    done = forget(ended.work, "Quentin", NEW)
    mine = next(one for one in list_people(ended.work) if one["id"] == done.id)
    assert (mine["name"], mine["address"]) == (NEW, "")


def test_only_names_are_replaced_never_a_word_that_is_the_same() -> None:
    """Whatever a player is called: a hand, an end, a worth stay what they are."""
    text = '{"players":["A1","x"],"balances":{"A1":5},"hand":"A1","A1":"A1","gifts":[{"to":1}]}'
    assert with_names(text, {"A1": "Å"}) == (
        '{"players":["Å","x"],"balances":{"Å":5},"hand":"A1","A1":"A1","gifts":[{"to":1}]}'
    )
    assert with_names('{"fixed":[["A1","A1"]]}', {"A1": "Å"}) == '{"fixed":[["Å","A1"]]}'


def stored_fields() -> Iterator[tuple[str, str]]:
    """Yield the fields of all that is stored as JSON which can hold a text, with their types."""
    for module in (state, book, events, orders):
        for kind in vars(module).values():
            if (
                isinstance(kind, type)
                and dataclasses.is_dataclass(kind)
                and kind.__module__ == module.__name__
            ):
                for field in dataclasses.fields(kind):
                    if re.search(r"\bstr\b|Audience", str(field.type)):
                        yield field.name, f"{kind.__name__}.{field.name}"


def test_every_field_that_can_hold_a_text_is_known_to_hold_names_or_not() -> None:
    """A new one has to be put with the ones or the others."""
    no_names = {"hand", "letter", "name", "table", "text", "used", "worth"}
    not_stored = {"Submission.cancelled", "Submission.lost", "Submission.repeated"}
    unknown = {
        whole
        for name, whole in stored_fields()
        if name not in NAME_FIELDS | PAIR_FIELDS | no_names and whole not in not_stored
    }
    assert unknown - {"SentGift.giver", "SentGift.receiver"} == set()
    assert {name for name, _ in stored_fields()} >= NAME_FIELDS - {"players"}


def test_mails_that_are_left_are_listed_as_before(ended: League) -> None:
    """Nothing refers to what is gone."""
    forget(ended.work, "Quentin", NEW)
    with ended.database.reading() as session:
        orphans = session.exec(
            select(OrderHistoryRow).where(
                col(OrderHistoryRow.mail_id).not_in(select(col(MailRow.id)))
            )
        ).all()
    assert orphans == []
