"""Observers: whom the GM lists gets the public report, and stops it by mail."""

from pathlib import Path

import pytest
from sqlmodel import select

from postal.errors import PostalError, UsageError
from postal.service.desk.forget import forget
from postal.service.desk.log import game_log
from postal.service.desk.observers import add_observer, list_observers, remove_observer
from postal.store.observers import move_observer
from postal.store.rows import ObserverRow, PersonRow, TokenRow
from tests.service.service_league import SLUG, League, Written, open_league, text_of

ZOE = "zoe@example.org"


def mails(league: League, address: str = ZOE) -> list[Written]:
    """Return the mails to an observer."""
    return [row for row in league.outbox() if row.recipient == address]


def said(row: Written) -> str:
    """Return a mail's text on one line, with plain spaces."""
    return " ".join(text_of(row.raw).split())


def write(league: League, text: str, sender: str = ZOE) -> None:
    """Deliver a mail without a token, and poll."""
    league.write("Zoe", text, token="", sender=sender)
    league.poll()


def test_an_observer_gets_what_is_public(dealt: League) -> None:
    """No card face down, no token, and an answer to it orders nothing."""
    add_observer(dealt.work, SLUG, "Zoe", ZOE)
    dealt.write("Ann", "press:\nHello, Zoe!\nend\n")
    dealt.play(2)
    begun, _, report = mails(dealt)
    assert "you get the public reports of smith-1 from now on" in said(begun)
    assert "| Hello, Zoe!" in said(mails(dealt)[1])
    assert report.subject == "smith-1: turn 2 report"
    text = said(report)
    assert "Face up" in text
    game = dealt.game
    hidden = {str(card) for hand in game.hands for seat in hand.seats for card in seat.hidden}
    shown = {str(card) for hand in game.hands for seat in hand.seats for card in seat.shown}
    words = set(text.replace(",", " ").replace(".", " ").split())
    assert not (hidden - shown) & words
    raw = (report.raw or b"").decode().lower()
    with dealt.database.reading() as session:
        assert session.exec(select(TokenRow)).all()
    for player in dealt.players:
        for turn in range(4):
            assert dealt.token(player, turn) not in raw
    write(dealt, f"A: fold\n\n> {text[:200]}\n")
    assert len(mails(dealt)) == 3


def test_it_stops_and_comes_again_by_mail(dealt: League) -> None:
    """The line stands in each report; the answer goes to the listed address."""
    add_observer(dealt.work, SLUG, "Zoe", ZOE)
    assert ":: observe smith-1 off" in text_of(mails(dealt)[0].raw)
    write(dealt, "observe smith-1 off\n")
    assert "you get no more reports of smith-1." in said(mails(dealt)[-1])
    dealt.play(1)
    assert len(mails(dealt)) == 2
    (row,) = list_observers(dealt.work, SLUG)
    assert row["stopped"]
    write(dealt, "Please: \n\nobserve smith-1\n")
    dealt.play(1)
    assert [one.subject for one in mails(dealt)[2:]] == [
        "smith-1: you look on",
        "smith-1: turn 2 report",
    ]
    whats = [entry["what"] for entry in game_log(dealt.work, SLUG)]
    assert whats.count("observer") == 3


@pytest.mark.parametrize("text", ["observe smith-1\n", "observe smith-1 off\n", "observe x\n"])
def test_nobody_else_is_answered(dealt: League, text: str) -> None:
    """Neither a stranger, nor what a program sends in an observer's name."""
    add_observer(dealt.work, SLUG, "Zoe", ZOE)
    before = len(dealt.outbox())
    write(dealt, text, sender="stranger@example.org")
    dealt.write("Zoe", text, token="", sender=ZOE, headers="Auto-Submitted: auto-replied\n")
    dealt.poll()
    assert len(dealt.outbox()) == before
    assert list_observers(dealt.work, SLUG)[0]["stopped"] is None


def test_a_player_looks_on_in_another_game(two: League) -> None:
    """The receipt says so; it takes the GM's list too."""
    answer = len(two.outbox("Ann"))
    two.write("Ann", "observe nowhere\n")
    two.poll()
    assert len(two.outbox("Ann")) == answer + 1
    add_observer(two.work, SLUG, "Ann", "ann@example.org")
    two.write("Ann", f"observe {SLUG} off\n")
    two.poll()
    assert list_observers(two.work, SLUG)[0]["stopped"]


def test_the_gm_takes_somebody_off_the_list(dealt: League) -> None:
    """He is told, and can't put himself back."""
    add_observer(dealt.work, SLUG, "Zoe", ZOE)
    assert remove_observer(dealt.work, SLUG, ZOE.upper()) == "Zoe"
    assert "the GM has taken you off the list" in said(mails(dealt)[-1])
    write(dealt, "observe smith-1\n")
    dealt.play(1)
    assert len(mails(dealt)) == 2
    with pytest.raises(PostalError, match="Nobody called"):
        remove_observer(dealt.work, SLUG, "Zoe")


def test_who_can_not_be_listed(dealt: League) -> None:
    """One sentence says why."""
    add_observer(dealt.work, SLUG, "Zoe", ZOE)
    with pytest.raises(PostalError, match="already"):
        add_observer(dealt.work, SLUG, "Zoe", ZOE)
    with pytest.raises(UsageError, match="no mail address"):
        add_observer(dealt.work, SLUG, "Gus", "gus")
    with pytest.raises(UsageError, match="fold"):
        add_observer(dealt.work, SLUG, "fold", "gus@example.org")
    with pytest.raises(PostalError, match="no game"):
        add_observer(dealt.work, "nowhere", "Gus", "gus@example.org")


def test_a_person_who_is_forgotten_or_merged_looks_on_no_more_or_once(dealt: League) -> None:
    """No list names somebody who is not there."""
    add_observer(dealt.work, SLUG, "Zoe", ZOE)
    add_observer(dealt.work, SLUG, "Gus", "gus@example.org")
    forget(dealt.work, "Zoe", "Somebody")
    assert [row["name"] for row in list_observers(dealt.work, SLUG)] == ["Gus"]
    with dealt.database.transaction() as session:
        (row,) = session.exec(select(ObserverRow)).all()
        other = PersonRow(name="August", created_at=dealt.clock.now())
        session.add(other)
        session.flush()
        number, old = other.id or 0, row.person_id
        move_observer(session, old, number)
    with dealt.database.transaction() as session:
        session.add(ObserverRow(game_id=1, person_id=old, since=dealt.clock.now()))
        session.flush()
        move_observer(session, old, number)
        assert [one.person_id for one in session.exec(select(ObserverRow)).all()] == [number]


def observer_mails(tmp_path: Path, name: str, extra: str) -> list[bytes]:
    """Play a turn in which somebody does something private; return what an observer gets."""
    league = open_league(f"sqlite:///{tmp_path / name}.db")
    league.begin(press="private")
    league.send()
    add_observer(league.work, SLUG, "Zoe", ZOE)
    league.write("Ann", extra)
    league.poll()
    league.play(1)
    found = [text_of(row.raw).encode() for row in mails(league)]
    league.database.close()
    return found


def test_no_byte_tells_an_observer_of_what_is_private(tmp_path: Path) -> None:
    """Neither private press nor the GM's mail nor a line that was refused."""
    one = observer_mails(tmp_path, "one", "press to Bob:\nDan is bluffing.\nend\n")
    two = observer_mails(tmp_path, "two", "A: give everything\n")
    assert len(one) == 2
    assert one == two
