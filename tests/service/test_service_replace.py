"""A seat goes to somebody else, who gets what it may know; mail of who had it does nothing."""

import json

import pytest

from postal.engine.view import view
from postal.errors import PostalError, UsageError
from postal.service.desk.log import game_log
from postal.service.desk.replacing import replace_player, seat_robot
from postal.service.desk.rollback import roll_back, what_was_shown
from postal.service.outbound.delivery import send_outbox
from postal.service.records.export import export_game
from postal.service.records.verify import verify_game
from postal.store.rows import MailStatus, OutboxState
from tests.service.people_league import reply_to
from tests.service.people_league import token as token_now
from tests.service.service_league import HOUR, SLUG, League, parsed, text_of

SUE = ("Sue", "sue@example.net")


def texts(league: League, player: str, *kinds: str) -> list[str]:
    """Return the texts of letters to whoever holds a seat."""
    return [text_of(row.raw) for row in league.outbox(player, *kinds)]


def as_sue(league: League, text: str) -> None:
    """Deliver a mail of Sue's with the token that she has now."""
    league.write("Sue", text, token=token_now(league, "Ann"), sender=SUE[1])
    league.poll()


def test_the_new_holder_gets_what_the_seat_may_know(betting: League) -> None:
    """Cards, gifts, the orders that were used, and a report with a token of her own."""
    before = len(betting.outbox("Ann"))
    replace_player(betting.work, SLUG, "Ann", *SUE)
    letter, report = betting.outbox("Ann")[before:]
    assert (letter.kind, letter.recipient) == ("seat", SUE[1])
    assert (report.kind, report.recipient) == ("resend", SUE[1])
    text = text_of(letter.raw)
    assert "Dear Sue, the seat of Ann in this game is yours" in text
    for orders in ("In turn 1 these were used:", "In turn 2 these were used:", "You gave to"):
        assert orders in text
    for line in (item.examples[0] for item in view(betting.game, "Ann").due):
        assert f":: {line}" in text
    for player in betting.players[1:]:
        (told,) = texts(betting, player, "seat")
        assert "the seat of Ann goes to Sue from now on" in told
    (gone,) = [row for row in betting.outbox("", "gone") if row.recipient == "ann@example.org"]
    assert "is no longer yours" in text_of(gone.raw)
    assert "+" not in str(parsed(gone.raw)["Reply-To"])
    (entry,) = [one for one in game_log(betting.work, SLUG) if one["what"] == "replace"]
    assert entry["more"] == "The seat of Ann, held by Ann, goes to Sue."


def test_what_was_on_file_is_void_and_she_orders_anew(betting: League) -> None:
    """The turn waits for her; it is her order that is used, and the record holds."""
    betting.order_all()
    betting.poll()
    assert betting.on_file("Ann")
    replace_player(betting.work, SLUG, "Ann", *SUE)
    assert betting.on_file("Ann") == []
    betting.clock.advance(2 * HOUR)
    assert betting.due() == ()
    as_sue(betting, "all: fold\n")
    assert {line.rpartition(" ")[2] for line in betting.on_file("Ann")} == {"fold"}
    betting.clock.advance(HOUR)
    assert len(betting.due()) == 1
    assert verify_game(betting.work, SLUG) == (3, ())
    turn = json.loads(export_game(betting.work, SLUG, sealed=True))["turns"][-1]
    assert ["Ann", "cancel all"] in [line[:2] for line in turn["lines"]]
    for player in betting.players[1:]:
        assert "Sue, for Ann" in texts(betting, player, "report")[-1]


def test_a_former_holders_mail_does_nothing(betting: League) -> None:
    """Written before or after, with his old token or with none: he is told, at his own address."""
    old = token_now(betting, "Ann")
    betting.write("Ann", "all: fold\n")
    replace_player(betting.work, SLUG, "Ann", *SUE)
    betting.poll()
    assert betting.on_file("Ann") == []
    assert betting.mails()[-1].status is MailStatus.REJECTED
    told = [row for row in betting.outbox("", "former") if row.recipient == "ann@example.org"]
    assert "you no longer hold the seat of Ann" in text_of(told[-1].raw)
    betting.clock.advance(7 * HOUR)
    betting.write("Ann", "help\n", token="")
    betting.write("Mallory", "all: fold\n", token=old)
    betting.poll()
    again = [row for row in betting.outbox("", "former") if row.recipient == "ann@example.org"]
    assert len(again) == len(told) + 1
    assert betting.on_file("Ann") == []
    assert not [row for row in betting.outbox() if "mallory" in row.recipient]


def test_mail_that_has_not_gone_to_the_former_holder_is_withdrawn(betting: League) -> None:
    """No report of the seat reaches him any more."""
    betting.play(1)
    replace_player(betting.work, SLUG, "Ann", *SUE)
    waiting = [row for row in betting.outbox("Ann") if row.recipient == "ann@example.org"]
    assert {row.state for row in waiting} == {OutboxState.SENT, OutboxState.FAILED}
    send_outbox(betting.work, betting.post)
    sent = [to for to, raw in betting.post.sent if b"turn 3 report" in raw]
    assert "ann@example.org" not in sent
    assert SUE[1] in [to for to, _ in betting.post.sent]


def test_the_seat_can_be_given_back(quick: League) -> None:
    """That undoes it: his own seat is no second one."""
    replace_player(quick.work, SLUG, "Ann", *SUE)
    replace_player(quick.work, SLUG, "Sue", "Ann", "ann@example.org")
    quick.write("Ann", "status\n", token=token_now(quick, "Ann"))
    quick.poll()
    assert quick.outbox("Ann", "status")[-1].recipient == "ann@example.org"
    assert quick.loaded().holders == {}


def test_who_may_not_hold_a_seat(quick: League) -> None:
    """Nobody gets a second one, a name stands for one player, and wrong words are refused."""
    for name, address in (("Bob", "bob@example.org"), ("Robert", "bob@example.org")):
        with pytest.raises(PostalError, match="holds or has held another seat"):
            replace_player(quick.work, SLUG, "Ann", name, address)
    with pytest.raises(PostalError, match="has a player called Bob"):
        replace_player(quick.work, SLUG, "Ann", "Bob", "bob@example.net")
    with pytest.raises(PostalError, match="There is no player 'Zoe'"):
        replace_player(quick.work, SLUG, "Zoe", *SUE)
    with pytest.raises(PostalError, match="holds that seat already"):
        replace_player(quick.work, SLUG, "Ann", "Ann", "ann@example.org")
    for name, address in (("fold", SUE[1]), ("Sue", "nowhere"), ("Sue", "gm@example.org")):
        with pytest.raises(UsageError):
            replace_player(quick.work, SLUG, "Ann", name, address)
    replace_player(quick.work, SLUG, "Ann", *SUE)
    with pytest.raises(PostalError, match="holds or has held another seat"):
        replace_player(quick.work, SLUG, "Bob", "Ann", "ann@example.org")


def test_somebody_known_from_another_game_keeps_zone_and_addresses(apart: League) -> None:
    """Gus, of the other game, is one person in both."""
    replace_player(apart.work, SLUG, "Ann", "Gus", "gus@example.org")
    people = {seat.person.id for seat in apart.loaded("smith-2").seats if seat.name == "Gus"}
    assert {apart.loaded().seat("Ann").person.id} == people
    assert reply_to(apart.outbox("Ann", "seat")[-1]) != "gm@example.org"


def test_a_robot_has_no_mail_and_all_are_told(quick: League) -> None:
    """A person can be seated again after it."""
    seat_robot(quick.work, SLUG, "Ann")
    assert quick.loaded().seat("Ann").person.robot
    with pytest.raises(PostalError, match="A robot holds the seat of Ann already"):
        seat_robot(quick.work, SLUG, "Ann")
    assert [row.player for row in quick.outbox(None, "seat")] == list(quick.players[1:])
    replace_player(quick.work, SLUG, "Ann", *SUE)
    assert quick.outbox("Ann", "seat")[-1].recipient == SUE[1]


def test_orders_of_turns_that_were_taken_back_are_not_told_of(betting: League) -> None:
    """Those of a turn stand there once, as they were used at last."""
    roll_back(betting.work, what_was_shown(betting.work, SLUG, 2))
    betting.clock.advance(HOUR)
    betting.poll()
    assert len(betting.due()) == 1
    replace_player(betting.work, SLUG, "Ann", *SUE)
    (told,) = [one for one in texts(betting, "Ann", "seat") if "In turn 1 these were used" in one]
    assert told.count("In turn 2 these were used") == 1
