"""What rows store and show: times, choices, uniqueness, and no secret in a repr."""

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError, StatementError
from sqlmodel import Session, select

from postal.store.database import Database
from postal.store.games import all_games, game_by_slug, running_games
from postal.store.rows import (
    METADATA,
    AbsenceRow,
    AccountRow,
    AddressRow,
    AttendanceRow,
    GameRow,
    GameStatus,
    HolderRow,
    JournalRow,
    MailRow,
    ObserverRow,
    OrderAction,
    OrderHistoryRow,
    OrderRow,
    OutageRow,
    OutageWhat,
    OutboxRow,
    PersonRow,
    PressRow,
    ProtestRow,
    Row,
    SeatRow,
    SettingRow,
    StandbyRow,
    TokenKind,
    TokenRow,
    TroubleKind,
    TroubleRow,
    TurnRow,
    fold,
)
from postal.store.seats import seat_called
from tests.store.store_league import mail, number_of, store_game

CARDS = "AS KD JKR"


def rows_with_secrets(now: datetime) -> list[Row]:
    """Return a row of each table, cards for whatever could be a secret."""
    where: dict[str, Any] = {"turn_id": 1, "seat_id": 1}
    return [
        PersonRow(name=CARDS, name_key=CARDS, zone=CARDS, language=CARDS, created_at=now),
        AddressRow(person_id=1, address=CARDS, address_key=CARDS, asked_at=now),
        GameRow(
            slug="league",
            rules=CARDS,
            engine_version="1",
            secret=CARDS.encode(),
            commitment=CARDS,
            committed=CARDS,
            turn_length=7,
            hour=20,
            zone="UTC",
            created_at=now,
        ),
        SeatRow(game_id=1, position=0, name=CARDS, name_key=CARDS),
        HolderRow(seat_id=1, person_id=1, since=now),
        TokenRow(digest=CARDS, kind=TokenKind.ORDERS, seat_id=1, turn=1, issued_at=now),
        TurnRow(
            game_id=1,
            number=1,
            opened_at=now,
            zone="UTC",
            claim_token=CARDS,
            orders=CARDS,
            events=CARDS,
            state=CARDS,
        ),
        OrderRow(**where, hand="A1", line=CARDS, order_json=CARDS, filed_at=now),
        OrderHistoryRow(**where, at=now, action=OrderAction.FILED, line=CARDS, sentence=CARDS),
        AttendanceRow(**where),
        MailRow(
            account=CARDS,
            folder="INBOX",
            uidvalidity=1,
            uid=1,
            internal_date=now,
            received_at=now,
            raw=CARDS.encode(),
            reason=CARDS,
            sender_key=CARDS,
            owner=CARDS,
        ),
        OutboxRow(
            created_at=now,
            recipient=CARDS,
            kind="report",
            subject=CARDS,
            message_id=CARDS,
            once_key=CARDS,
            raw=CARDS.encode(),
            last_text=CARDS,
        ),
        AccountRow(account=CARDS, folder=CARDS, owner=CARDS),
        SettingRow(key="token", value=CARDS),
        TroubleRow(kind=TroubleKind.SENDING, about=CARDS, since=now, sentence=CARDS),
        JournalRow(at=now, who=CARDS, what="deadline", sentence=CARDS),
        OutageRow(what=OutageWhat.MAILBOX, began=now, ended=now),
        AbsenceRow(person_id=1, first=now.date(), last=now.date(), asked_at=now),
        StandbyRow(game_id=1, person_id=1, since=now),
        ObserverRow(game_id=1, person_id=1, since=now),
        PressRow(game_id=1, to=CARDS, text=CARDS, at=now),
        ProtestRow(game_id=1, turn=1, seat_id=1, hand=CARDS, text=CARDS, at=now, until=now),
    ]


def test_no_repr_holds_a_secret(noon: datetime) -> None:
    """Neither repr nor str shows cards, tokens, keys, names or addresses."""
    rows = rows_with_secrets(noon)
    assert {row.__class__.__tablename__ for row in rows} == set(METADATA.tables)
    for row in rows:
        for card in CARDS.split():
            assert card not in repr(row)
            assert card not in str(row)


def test_a_repr_works_on_a_row_that_has_left_its_session(database: Database, game_id: int) -> None:
    """A log line about a row never fails."""
    with database.reading() as session:
        game = game_by_slug(session, "league")
        assert game is not None
        session.expire(game)
    assert "GameRow" in repr(game)
    assert game_id


def test_a_time_comes_back_as_the_same_moment_in_utc(database: Database, game_id: int) -> None:
    """Whatever zone it was given in, also within the hour that comes twice."""
    second = datetime(2026, 10, 25, 1, 30, fold=1, tzinfo=ZoneInfo("Europe/London"))
    with database.transaction() as session:
        turn = session.exec(select(TurnRow).where(TurnRow.number == 1)).one()
        turn.deadline = second
    with database.reading() as session:
        turn = session.exec(select(TurnRow).where(TurnRow.number == 1)).one()
        assert turn.deadline == datetime(2026, 10, 25, 1, 30, tzinfo=UTC)
        assert turn.deadline.utcoffset() == timedelta(0)
        assert turn.zone == "Europe/London"
        assert turn.game_id == game_id


def test_a_time_is_compared_as_a_moment(database: Database, game_id: int, noon: datetime) -> None:
    """A deadline given in another zone orders rightly among stored ones."""
    with database.transaction() as session:
        session.exec(select(TurnRow).where(TurnRow.number == 1)).one().deadline = noon
    eleven_utc = (noon - timedelta(hours=1)).astimezone(ZoneInfo("Asia/Tokyo"))
    with database.reading() as session:
        later = select(TurnRow.game_id).where(TurnRow.deadline > eleven_utc)  # type: ignore[operator] # a column here, an optional time to mypy
        assert session.exec(later).all() == [game_id]


def test_a_time_without_a_zone_is_refused(database: Database, game_id: int) -> None:
    """Nobody could say which moment it was."""
    naive = datetime(2026, 1, 1)  # noqa: DTZ001 - what is to be refused
    turn = TurnRow(game_id=game_id, number=2, opened_at=naive, zone="UTC")
    with pytest.raises(StatementError, match="timezone"), database.transaction() as session:
        session.add(turn)


def test_choices_are_plain_words_in_the_database(database: Database, game_id: int) -> None:
    """Stored by value, read as the enum."""
    with database.reading() as session:
        connection = session.connection()
        words = connection.scalars(text("SELECT status FROM turns ORDER BY number")).all()
        assert words == ["done", "open"]
        assert session.get_one(GameRow, game_id).status is GameStatus.RUNNING


def test_a_choice_that_is_none_is_refused(database: Database, game_id: int, noon: datetime) -> None:
    """A slip in a status is found when it is stored."""
    turn = TurnRow(game_id=game_id, number=2, opened_at=noon, zone="UTC")
    turn.status = "opne"  # type: ignore[assignment] # the slip
    with pytest.raises(StatementError), database.transaction() as session:
        session.add(turn)


def test_words_of_a_stranger_can_be_stored_whatever_they_hold(
    database: Database, turn_id: int, seats: dict[str, int], noon: datetime
) -> None:
    """NUL and lone surrogates become U+FFFD, the rest stays."""
    with database.transaction() as session:
        session.add(
            OrderHistoryRow(
                turn_id=turn_id,
                seat_id=seats["Ann"],
                at=noon,
                action=OrderAction.REFUSED,
                line="A: raise\0 £5 \ud800♠ 🃏",
            )
        )
    with database.reading() as session:
        assert session.exec(select(OrderHistoryRow.line)).one() == "A: raise\ufffd £5 \ufffd♠ 🃏"


def test_the_largest_uid_fits(database: Database) -> None:
    """UIDs are unsigned 32-bit numbers."""
    largest = 2**32 - 1
    with database.transaction() as session:
        session.add(mail(largest, uidvalidity=largest))
    with database.reading() as session:
        assert session.exec(select(MailRow.uid)).one() == largest


@pytest.mark.parametrize(
    ("name", "position"), [("ANN", 5), (" \N{FULLWIDTH LATIN CAPITAL LETTER A}nn", 5), ("Other", 0)]
)
def test_names_and_positions_are_unique_in_a_game(
    database: Database, game_id: int, name: str, position: int
) -> None:
    """Names without regard to case or to how their letters are encoded."""
    with pytest.raises(IntegrityError), database.transaction() as session:
        session.add(SeatRow(game_id=game_id, position=position, name=name))


def test_an_address_is_a_person_s_once(database: Database, noon: datetime) -> None:
    """Without regard to case; another person may share it."""

    def add(session: Session, *addresses: str) -> None:
        person = PersonRow(name="Ann", created_at=noon)
        session.add(person)
        session.flush()
        rows = [
            AddressRow(person_id=number_of(person), address=one, asked_at=noon) for one in addresses
        ]
        session.add_all(rows)
        session.flush()

    with database.transaction() as session:
        add(session, "home@example.org")
        add(session, "home@example.org")
    with pytest.raises(IntegrityError), database.transaction() as session:
        add(session, "ann@example.org", "ann@EXAMPLE.org")


def test_a_seat_is_found_in_its_game_alone(database: Database, game_id: int) -> None:
    """Without regard to case."""
    with database.transaction() as session:
        other = number_of(store_game(session, "other"))
    with database.reading() as session:
        seat = seat_called(session, game_id, " aNN")
        assert seat is not None
        assert seat.name == "Ann"
        assert seat_called(session, other, "Ann") is None
        assert seat_called(session, game_id, "Cat") is None


def test_games_are_found_by_name_and_while_they_run(database: Database, game_id: int) -> None:
    """A finished one is kept, and is no longer among those in play."""
    with database.transaction() as session:
        second = number_of(store_game(session, "second"))
        session.get_one(GameRow, game_id).status = GameStatus.FINISHED
    with database.reading() as session:
        assert [game.slug for game in all_games(session)] == ["league", "second"]
        assert [game.id for game in running_games(session)] == [second]
        assert game_by_slug(session, "third") is None


def test_names_are_compared_without_case_and_encoding() -> None:
    """As people take them for the same."""
    assert fold(" \N{FULLWIDTH LATIN CAPITAL LETTER A}nn ") == fold("ANN") == "ann"
    assert fold("E\N{COMBINING ACUTE ACCENT}va") == fold("\N{LATIN CAPITAL LETTER E WITH ACUTE}VA")
    assert fold("Ann") != fold("Anne")


def test_a_row_can_not_refer_to_what_is_not_there(database: Database, noon: datetime) -> None:
    """Foreign keys are held on both databases."""
    with pytest.raises(IntegrityError), database.transaction() as session:
        session.add(TurnRow(game_id=77, number=1, opened_at=noon, zone="UTC"))


def test_a_game_has_a_turn_once(database: Database, game_id: int, noon: datetime) -> None:
    """UNIQUE (game, turn) stands behind every adjudication."""
    with pytest.raises(IntegrityError), database.transaction() as session:
        session.add(TurnRow(game_id=game_id, number=1, opened_at=noon, zone="UTC"))
    with database.reading() as session:
        assert [game.id for game in all_games(session)] == [game_id]


def test_every_constraint_has_a_name() -> None:
    """A later migration can only change what it can name."""
    for table in METADATA.tables.values():
        assert all(constraint.name for constraint in table.constraints)
